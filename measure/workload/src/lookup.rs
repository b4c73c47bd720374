//! Lookup of names that users type.

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no {what} `{given}`; there are, nearest first: {}", known.join(", "))]
pub struct UnknownName {
    /// Kind of the name: "workload", "text", …
    pub what: &'static str,
    pub given: String,
    /// Valid names, the most similar first.
    pub known: Vec<&'static str>,
}

/// Returns the member of `all` with this name. Letter case is ignored, and `-` equals `_`.
pub(crate) fn find_by_name<T: Copy>(
    what: &'static str,
    given: &str,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let wanted = given.to_ascii_lowercase().replace('-', "_");
    let mut known = Vec::new();
    for candidate in all {
        if name(candidate) == wanted {
            return Ok(candidate);
        }
        known.push(name(candidate));
    }
    let known = message::sort_by_similarity(&wanted, known);
    Err(UnknownName { what, given: given.to_owned(), known })
}
