//! Strings as users give them, and as a character set holds them.

use mysql_collation::Charset;

/// A string as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// As typed: UTF-8, converted to each collation's character set as a server would. What is no UTF-8 is taken as bytes.
    Typed(Vec<u8>),
    /// Bytes in each collation's character set, as they are.
    Bytes(Vec<u8>),
}

/// A character set lacks a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHeld(pub char);

impl Text {
    /// The string for people to read.
    pub fn shown(&self) -> String {
        match self {
            Text::Typed(bytes) | Text::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    /// The string in a character set.
    pub fn in_charset(&self, charset: Charset) -> Result<Vec<u8>, NotHeld> {
        match self {
            Text::Bytes(bytes) => Ok(bytes.clone()),
            // These bytes have no character set.
            Text::Typed(bytes) if charset == Charset::Binary => Ok(bytes.clone()),
            Text::Typed(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => encode(text, charset),
                Err(_) => Ok(bytes.clone()),
            },
        }
    }
}

fn encode(text: &str, charset: Charset) -> Result<Vec<u8>, NotHeld> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        let mut buffer = [0; 4];
        let length = charset.encode(character, &mut buffer).ok_or(NotHeld(character))?;
        bytes.extend(&buffer[..length]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_converted_and_bytes_are_not() {
        let typed = Text::Typed("ß".into());
        assert_eq!(typed.in_charset(Charset::Latin1), Ok(vec![0xDF]));
        assert_eq!(typed.in_charset(Charset::Utf8mb4), Ok("ß".into()));
        assert_eq!(typed.in_charset(Charset::Binary), Ok("ß".into()));
        assert_eq!(typed.in_charset(Charset::Ascii), Err(NotHeld('ß')));
        assert_eq!(Text::Bytes("ß".into()).in_charset(Charset::Latin1), Ok("ß".into()));
    }

    #[test]
    fn what_is_no_utf8_is_taken_as_bytes() {
        let typed = Text::Typed(vec![b'a', 0xFF]);
        assert_eq!(typed.in_charset(Charset::Utf8mb4), Ok(vec![b'a', 0xFF]));
        assert_eq!(typed.shown(), "a\u{FFFD}");
    }
}
