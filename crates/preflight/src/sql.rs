//! Names, texts and collations as they are written in SQL.

use facts::Facts;

pub use ::sql::{bytes, identifier, string};

/// A table with its schema.
pub fn table(schema: &str, name: &str) -> String {
    format!("{}.{}", identifier(schema), identifier(name))
}

/// A character set by the name that the server has for it: old ones call `utf8mb3` `utf8`.
pub fn charset_name(facts: &Facts, name: &str) -> String {
    facts.server.charset(name).map_or_else(|| name.to_owned(), |charset| charset.name.clone())
}

/// A word as a POSIX shell reads it.
pub fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_words_are_quoted() {
        assert_eq!(table("a`b", "c"), "`a``b`.`c`");
        assert_eq!(shell("it's"), r"'it'\''s'");
    }
}
