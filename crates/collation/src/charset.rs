//! Character sets: from bytes to code points and back.
//!
//! What is well-formed is the servers' rule. MySQL's `utf8mb4` is Unicode's UTF-8; `utf8mb3` is the same without
//! characters beyond U+FFFF. `latin1` is Windows' code page 1252, its five undefined bytes read as the control
//! characters of the same number (MySQL manual, "West European Character Sets").

use crate::arch;

mod cp1252;
pub(crate) mod utf8;

/// A character set that collations of this library are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Charset {
    /// `binary`: bytes; each counts as a character of its own number.
    Binary,
    /// `ascii`: bytes below 0x80.
    Ascii,
    /// `latin1`: code page 1252; every byte is a character.
    Latin1,
    /// `utf8mb3`, also called `utf8`: UTF-8 of at most three bytes.
    Utf8mb3,
    /// `utf8mb4`: UTF-8.
    Utf8mb4,
}

impl Charset {
    /// The character set of this name; `utf8` is `utf8mb3`.
    pub fn by_name(name: &str) -> Option<Self> {
        [Charset::Binary, Charset::Ascii, Charset::Latin1, Charset::Utf8mb3, Charset::Utf8mb4]
            .into_iter()
            .find(|charset| name.eq_ignore_ascii_case(charset.name()))
            .or_else(|| name.eq_ignore_ascii_case("utf8").then_some(Charset::Utf8mb3))
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Charset::Binary => "binary",
            Charset::Ascii => "ascii",
            Charset::Latin1 => "latin1",
            Charset::Utf8mb3 => "utf8mb3",
            Charset::Utf8mb4 => "utf8mb4",
        }
    }

    /// The most bytes that a character takes.
    pub const fn max_bytes(self) -> usize {
        match self {
            Charset::Binary | Charset::Ascii | Charset::Latin1 => 1,
            Charset::Utf8mb3 => 3,
            Charset::Utf8mb4 => 4,
        }
    }

    /// Whether all of `bytes` is well-formed.
    ///
    /// # Errors
    /// The offset of the first byte that isn't.
    pub fn validate(self, bytes: &[u8]) -> Result<(), usize> {
        match self.well_formed_prefix(bytes) {
            length if length == bytes.len() => Ok(()),
            length => Err(length),
        }
    }

    /// The length in bytes of the longest beginning of `bytes` that is well-formed.
    pub fn well_formed_prefix(self, bytes: &[u8]) -> usize {
        match self {
            Charset::Binary | Charset::Latin1 => bytes.len(),
            Charset::Ascii => arch::get().ascii_prefix(bytes),
            Charset::Utf8mb4 => arch::get().utf8_prefix(bytes),
            Charset::Utf8mb3 => {
                let prefix = arch::get().utf8_prefix(bytes);
                // Leads of four bytes are the only bytes from 0xF0 on.
                bytes[..prefix].iter().position(|&byte| byte >= 0xf0).unwrap_or(prefix)
            }
        }
    }

    /// The first character of `bytes` and its length in bytes; `None` at the end and where the bytes are ill-formed.
    pub fn decode(self, bytes: &[u8]) -> Option<(char, usize)> {
        let &first = bytes.first()?;
        match self {
            Charset::Binary => Some((char::from(first), 1)),
            Charset::Ascii => first.is_ascii().then_some((char::from(first), 1)),
            Charset::Latin1 => Some((cp1252::decode(first), 1)),
            Charset::Utf8mb3 | Charset::Utf8mb4 => {
                let (code_point, length) = utf8::decode(bytes)?;
                let character = char::from_u32(code_point)?;
                (length <= self.max_bytes()).then_some((character, length))
            }
        }
    }

    /// Writes `character` to the beginning of `buffer`, which is at least [`Charset::max_bytes`] long, and returns its
    /// length in bytes; `None` if the character set lacks it or the buffer is too short.
    pub fn encode(self, character: char, buffer: &mut [u8]) -> Option<usize> {
        let one = match self {
            Charset::Binary => u8::try_from(character).ok(),
            Charset::Ascii => u8::try_from(character).ok().filter(u8::is_ascii),
            Charset::Latin1 => cp1252::encode(character),
            Charset::Utf8mb3 | Charset::Utf8mb4 => {
                let length = character.len_utf8();
                return (length <= self.max_bytes() && length <= buffer.len())
                    .then(|| character.encode_utf8(buffer).len());
            }
        };
        *buffer.first_mut()? = one?;
        Some(1)
    }

    /// The length of `bytes` in characters. A byte that is no part of one counts as one.
    pub fn char_len(self, bytes: &[u8]) -> usize {
        if self.max_bytes() == 1 {
            return bytes.len();
        }
        let mut at = self.well_formed_prefix(bytes);
        let mut count = arch::get().utf8_starts(&bytes[..at]);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += self.decode(rest).map_or(1, |(_, length)| length);
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;

    #[test]
    fn utf8mb4_is_unicodes_utf8() {
        for character in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let length = Charset::Utf8mb4.encode(character, &mut buffer).unwrap();
            assert_eq!(&buffer[..length], character.encode_utf8(&mut [0; 4]).as_bytes());
            assert_eq!(Charset::Utf8mb4.decode(&buffer), Some((character, length)));
            assert_eq!(Charset::Utf8mb3.decode(&buffer).is_some(), length <= 3);
        }
    }

    #[test]
    fn what_is_well_formed_is_what_std_takes() {
        // Every pair of bytes, and after it bytes around the bounds of what may continue.
        let bounds = [0x41, 0x80, 0xbf, 0xc2];
        for first in 0..=255_u8 {
            for second in 0..=255_u8 {
                for third in bounds {
                    for fourth in bounds {
                        let bytes = [first, second, third, fourth];
                        let expected = core::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), |_| 4);
                        assert_eq!(Charset::Utf8mb4.well_formed_prefix(&bytes), expected, "{bytes:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn latin1_goes_there_and_back() {
        for byte in 0..=255_u8 {
            let (character, _) = Charset::Latin1.decode(&[byte]).unwrap();
            let mut buffer = [0];
            assert_eq!(Charset::Latin1.encode(character, &mut buffer), Some(1));
            assert_eq!(buffer, [byte]);
        }
        assert_eq!(Charset::Latin1.decode(b"\x80"), Some(('€', 1)));
        assert_eq!(Charset::Latin1.encode('Ж', &mut [0]), None);
    }

    #[test]
    fn lengths_are_in_characters() {
        assert_eq!(Charset::Utf8mb4.char_len("aé漢😀".as_bytes()), 4);
        assert_eq!(Charset::Utf8mb3.char_len("aé漢😀".as_bytes()), 3 + 4);
        assert_eq!(Charset::Utf8mb4.char_len(b"a\xff\xc3"), 3);
        assert_eq!(Charset::Latin1.char_len("é".as_bytes()), 2);
    }
}
