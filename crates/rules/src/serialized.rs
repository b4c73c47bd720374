//! Text serialised with byte lengths, as PHP's `serialize` writes it: `s:6:"Müller"` is wrong as soon as `ü` takes another number of bytes.

use mysql_collation::Charset;

/// What a text is as to PHP's serialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Serialized {
    /// It isn't serialised.
    No,
    /// Serialised, ASCII only: every character set of bytes keeps its lengths.
    Ascii,
    /// Lengths count bytes of UTF-8.
    Utf8,
    /// Lengths count bytes of latin1, so they are wrong once the text is read as UTF-8.
    Latin1,
    /// Lengths are wrong in either encoding: it can't be read any more.
    Broken,
}

/// Classifies a text.
pub fn classify(text: &str) -> Serialized {
    if !looks_serialized(text) {
        return Serialized::No;
    }
    match (lengths_hold(text.as_bytes()), text.is_ascii()) {
        (true, true) => Serialized::Ascii,
        (true, false) => Serialized::Utf8,
        (false, _) => match latin1(text).is_some_and(|bytes| lengths_hold(&bytes)) {
            true => Serialized::Latin1,
            false => Serialized::Broken,
        },
    }
}

/// Whether it begins and ends as an array, an object or a string does.
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

/// Whether every `s:N:"…";` is as long as it says.
fn lengths_hold(bytes: &[u8]) -> bool {
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

/// Length and start of the next string's content; `at` moves behind its opening quote.
fn next_string(bytes: &[u8], at: &mut usize) -> Option<(usize, usize)> {
    while *at < bytes.len() {
        let rest = &bytes[*at..];
        // A token begins the text, or follows `{`, `;` or `}`.
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

fn latin1(text: &str) -> Option<Vec<u8>> {
    let mut buffer = [0];
    text.chars().map(|character| Charset::Latin1.encode(character, &mut buffer).map(|_| buffer[0])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_tell_the_encoding() {
        for (text, expected) in [
            ("plain; s:3:", Serialized::No),
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
