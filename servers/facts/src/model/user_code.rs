use sql::SqlMode;

/// Stored and loadable functions of a server, and its views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserCode {
    /// Names of functions and packages that don't count as harmless.
    pub functions: Vec<String>,
    /// Names of stored functions that count as harmless.
    pub harmless: Vec<String>,
    pub views: Vec<ViewText>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewText {
    pub schema: String,
    pub name: String,
    /// `None` if the account may not read it.
    pub text: Option<String>,
    /// `character_set_client` of the session that created the view.
    pub client: String,
}

impl ViewText {
    /// Returns a function that the view calls without a schema, and that is not known to be
    /// harmless: of the server, a plugin, a component or a library, or stored and not in
    /// `harmless`. `None` if there is none, or if the account may not read the text.
    pub fn unknown_function(&self, harmless: &[String]) -> Option<String> {
        // Servers read the text of a view in this mode, not in the mode of the session.
        let mode = SqlMode::default();
        // MySQL prints a stored function as its author wrote it, with a schema or without.
        let is_harmless = |name: &str| {
            !sql::is_server_function(name) && harmless.iter().any(|stored| stored.eq_ignore_ascii_case(name))
        };
        sql::find_unknown_function(self.text.as_deref()?, &self.client, mode, is_harmless)
    }
}
