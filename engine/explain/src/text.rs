//! Strings of a command line, and their encoding.

use mysql_collation::Charset;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// UTF-8, which is converted to each collation's character set. Ill-formed UTF-8 is used as
    /// bytes.
    Typed(Vec<u8>),
    /// Bytes in each collation's character set.
    Bytes(Vec<u8>),
}

/// A character that the character set lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedCharacter(pub char);

impl Text {
    /// Returns the string with ill-formed UTF-8 replaced by U+FFFD.
    pub fn display(&self) -> String {
        match self {
            Text::Typed(bytes) | Text::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    /// Encodes the string in a character set. [`Text::Bytes`], ill-formed UTF-8, and any string for
    /// `binary` stay as they are.
    pub fn in_charset(&self, charset: Charset) -> Result<Vec<u8>, UnsupportedCharacter> {
        match self {
            Text::Bytes(bytes) => Ok(bytes.clone()),
            Text::Typed(bytes) if charset == Charset::Binary => Ok(bytes.clone()),
            Text::Typed(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => encode(text, charset),
                Err(_) => Ok(bytes.clone()),
            },
        }
    }
}

fn encode(text: &str, charset: Charset) -> Result<Vec<u8>, UnsupportedCharacter> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        let mut buffer = [0; 4];
        let length = charset.encode(character, &mut buffer).ok_or(UnsupportedCharacter(character))?;
        bytes.extend(&buffer[..length]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_typed_text_but_not_bytes() {
        let typed = Text::Typed("ß".into());
        assert_eq!(typed.in_charset(Charset::Latin1), Ok(vec![0xDF]));
        assert_eq!(typed.in_charset(Charset::Utf8mb4), Ok("ß".into()));
        assert_eq!(typed.in_charset(Charset::Binary), Ok("ß".into()));
        assert_eq!(typed.in_charset(Charset::Ascii), Err(UnsupportedCharacter('ß')));
        assert_eq!(Text::Bytes("ß".into()).in_charset(Charset::Latin1), Ok("ß".into()));
    }

    #[test]
    fn treats_ill_formed_utf8_as_bytes() {
        let typed = Text::Typed(vec![b'a', 0xFF]);
        assert_eq!(typed.in_charset(Charset::Utf8mb4), Ok(vec![b'a', 0xFF]));
        assert_eq!(typed.display(), "a\u{FFFD}");
    }
}
