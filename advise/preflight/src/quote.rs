//! Names of character sets as the server knows them.

use facts::Facts;

/// Returns the server's name of a character set: old servers call `utf8mb3` `utf8`.
pub fn charset_name(facts: &Facts, name: &str) -> String {
    facts.server.charset(name).map_or_else(|| name.to_owned(), |charset| charset.name.clone())
}
