/// Stored and loadable functions of a server, and its views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserCode {
    /// Names of functions and packages.
    pub functions: Vec<String>,
    /// Names of functions of the server itself, its plugins and components that change it.
    pub changing: Vec<String>,
    pub views: Vec<ViewText>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewText {
    pub schema: String,
    pub name: String,
    /// `None` if the account may not read it.
    pub text: Option<String>,
}
