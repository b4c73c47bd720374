//! Text with byte lengths, as PHP's `serialize` writes it: `s:7:"Müller"` is invalid if `ü` is not
//! encoded in 2 bytes.

use mysql_collation::Charset;

/// Classification of a text as PHP serialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Serialized {
    NotSerialized,
    /// ASCII only: the lengths are valid in every ASCII-compatible charset.
    Ascii,
    /// The lengths are valid in UTF-8.
    Utf8,
    /// The lengths are valid in latin1, and invalid in UTF-8.
    Latin1,
    /// The lengths are invalid in both encodings, so PHP cannot read the text.
    Broken,
}

/// Compares the lengths in a serialised text with its UTF-8 and its latin1 bytes.
pub fn classify(text: &str) -> Serialized {
    if !looks_serialized(text) {
        return Serialized::NotSerialized;
    }
    match (has_valid_lengths(text.as_bytes()), text.is_ascii()) {
        (true, true) => Serialized::Ascii,
        (true, false) => Serialized::Utf8,
        (false, _) => match encode_latin1(text).is_some_and(|bytes| has_valid_lengths(&bytes)) {
            true => Serialized::Latin1,
            false => Serialized::Broken,
        },
    }
}

/// True if the text begins and ends like a serialised array, object or string.
fn looks_serialized(text: &str) -> bool {
    let bytes = text.trim_end().as_bytes();
    let (Some(first), Some(b':'), Some(digit)) = (bytes.first(), bytes.get(1), bytes.get(2)) else { return false };
    let ends = match first {
        b'a' | b'O' => bytes.last() == Some(&b'}'),
        b's' => bytes.last() == Some(&b';') && text.contains(":\""),
        _ => false,
    };
    ends && digit.is_ascii_digit()
}

/// True if the length of every `s:N:"…";` is valid.
fn has_valid_lengths(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some((length, start)) = next_string(bytes, &mut at) {
        let Some(end) = start.checked_add(length) else { return false };
        if bytes.get(end) != Some(&b'"') || !matches!(bytes.get(end + 1), Some(b';')) {
            return false;
        }
        at = end + 2;
    }
    true
}

/// Finds the next string from `at`. Returns the length and start of its content, and moves `at`
/// there.
fn next_string(bytes: &[u8], at: &mut usize) -> Option<(usize, usize)> {
    while *at < bytes.len() {
        let rest = &bytes[*at..];
        // A token is at the beginning of the text, or after `{`, `;` or `}`.
        let begins = *at == 0 || matches!(bytes[*at - 1], b'{' | b';' | b'}');
        if begins && rest.starts_with(b"s:") {
            let digits = rest[2..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let length = std::str::from_utf8(&rest[2..2 + digits]).ok().and_then(|digits| digits.parse().ok());
            if let (Some(length), true) = (length, rest[2 + digits..].starts_with(b":\"")) {
                let start = *at + 2 + digits + 2;
                *at = start;
                return Some((length, start));
            }
        }
        *at += 1;
    }
    None
}

fn encode_latin1(text: &str) -> Option<Vec<u8>> {
    let mut buffer = [0];
    text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map(|_| buffer[0])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_by_valid_lengths() {
        for (text, expected) in [
            ("plain; s:3:", Serialized::NotSerialized),
            ("a:1:{s:4:\"name\";s:3:\"Bob\";}", Serialized::Ascii),
            ("a:1:{s:4:\"name\";s:7:\"Müller\";}", Serialized::Utf8),
            ("a:1:{s:4:\"name\";s:6:\"Müller\";}", Serialized::Latin1),
            ("a:1:{s:4:\"name\";s:9:\"Müller\";}", Serialized::Broken),
            ("s:2:\"ж\";", Serialized::Utf8),
            ("s:1:\"ж\";", Serialized::Broken),
            ("a:1:{s:3:\"x\";y\";i:5;}", Serialized::Broken),
            ("a:0:{}", Serialized::Ascii),
        ] {
            assert_eq!(classify(text), expected, "{text}");
        }
    }
}
