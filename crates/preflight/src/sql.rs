//! Names, texts and collations as they are written in SQL.

use facts::Facts;

/// A quoted identifier.
pub fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A table with its schema.
pub fn table(schema: &str, name: &str) -> String {
    format!("{}.{}", identifier(schema), identifier(name))
}

/// A quoted string.
pub fn string(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Bytes as a hexadecimal literal: no character set, no escapes.
pub fn bytes(bytes: &[u8]) -> String {
    format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
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
    fn names_and_texts_are_quoted() {
        assert_eq!(table("a`b", "c"), "`a``b`.`c`");
        assert_eq!(string(r"it's \"), r"'it''s \\'");
        assert_eq!(bytes(b"a\xFF"), "X'61FF'");
        assert_eq!(shell("it's"), r"'it'\''s'");
    }
}
