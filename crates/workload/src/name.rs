//! Names that people type: found, or answered with those that exist, nearest first.

use thiserror::Error;

/// A name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no {what} `{given}`; there are, nearest first: {}", known.join(", "))]
pub struct UnknownName {
    /// What was named: "workload", "text", …
    pub what: &'static str,
    /// The name as given.
    pub given: String,
    /// The names that exist, nearest first.
    pub known: Vec<&'static str>,
}

/// The member of `all` whose name is `given`, capitals and `-` for `_` forgiven.
pub(crate) fn find<T: Copy>(
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
    known.sort_by_key(|name| strsim::damerau_levenshtein(name, &wanted));
    Err(UnknownName { what, given: given.to_owned(), known })
}
