//! Text that was decoded with the wrong character set: UTF-8 bytes read as latin1 and stored as what they look like.

use mysql_collation::Charset;

/// What a text is, as far as its bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// ASCII alone, or text that is no UTF-8 when its characters are taken for bytes.
    Clean,
    /// All characters beyond ASCII are UTF-8 that was taken for latin1: `Ã¼` for `ü`.
    DoubleEncoded,
    /// Some are, others are text as it should be.
    Mixed,
    /// It could be both: what it would become is no letter and no common sign.
    Undecidable,
}

/// Classifies `text`, whose column says that it is in `charset`.
pub fn classify(text: &[u8], charset: Charset) -> Encoding {
    if Charset::Ascii.validate(text).is_ok() {
        return Encoding::Clean;
    }
    let mut bytes = Vec::with_capacity(text.len());
    // Characters that latin1 lacks can't come from a byte that was misread; a byte that is never in UTF-8 stands for each.
    const NEVER: u8 = 0xFF;
    let mut rest = text;
    while !rest.is_empty() {
        let Some((character, length)) = charset.decode(rest) else { return Encoding::Clean };
        let mut buffer = [0];
        bytes.push(Charset::Latin1.encode(character, &mut buffer).map_or(NEVER, |_| buffer[0]));
        rest = &rest[length..];
    }
    judge(&bytes)
}

/// Counts what is UTF-8 in bytes, and what isn't.
fn judge(bytes: &[u8]) -> Encoding {
    let (mut plausible, mut doubtful, mut other) = (0_u32, 0_u32, 0_u32);
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let length = match Charset::Utf8mb4.decode(rest) {
            Some((_, 1)) => 1,
            Some((character, length)) => {
                if is_common(character) {
                    plausible += 1
                } else {
                    doubtful += 1
                }
                length
            }
            None => {
                debug_assert!(!first.is_ascii());
                other += 1;
                1
            }
        };
        rest = &rest[length..];
    }
    match (plausible, doubtful, other) {
        (0, 0, _) => Encoding::Clean,
        (_, 0, 0) => Encoding::DoubleEncoded,
        (0, _, _) => Encoding::Undecidable,
        _ => Encoding::Mixed,
    }
}

/// Letters, punctuation, currency and emoji: what people write. C1 controls, private use and noncharacters are not.
fn is_common(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character as u32, 0xA0..=0xFF | 0x0300..=0x036F | 0x2000..=0x2BFF | 0x3000..=0x303F | 0xFE0F | 0xFF00..=0xFFEF | 0x1F000..=0x1FAFF)
}

/// What a double-encoded text was meant to be.
pub fn repaired(text: &[u8], charset: Charset) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (character, length) = charset.decode(rest)?;
        let mut buffer = [0];
        Charset::Latin1.encode(character, &mut buffer)?;
        bytes.push(buffer[0]);
        rest = &rest[length..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Encoding {
        classify(text.as_bytes(), Charset::Utf8mb4)
    }

    #[test]
    fn rows_are_told_apart() {
        for clean in ["", "plain", "Müller", "naïve café", "Ж", "日本語", "50 € £"] {
            assert_eq!(of(clean), Encoding::Clean, "{clean}");
        }
        for double in ["MÃ¼ller", "â‚¬ 5", "naÃ¯ve", "æ—¥æœ¬", "ðŸ˜€"] {
            assert_eq!(of(double), Encoding::DoubleEncoded, "{double}");
        }
        assert_eq!(of("MÃ¼ller und Schäfer"), Encoding::Mixed);
        assert_eq!(of("Â\u{81}"), Encoding::Undecidable);
        assert_eq!(classify("Müller".as_bytes(), Charset::Latin1), Encoding::DoubleEncoded);
        assert_eq!(classify(b"M\xFCller", Charset::Latin1), Encoding::Clean);
    }

    #[test]
    fn a_repair_gives_what_was_meant() {
        assert_eq!(repaired("MÃ¼ller".as_bytes(), Charset::Utf8mb4).as_deref(), Some("Müller"));
        assert_eq!(repaired("Müller".as_bytes(), Charset::Latin1).as_deref(), Some("Müller"));
        assert_eq!(repaired("Müller".as_bytes(), Charset::Utf8mb4), None);
    }
}
