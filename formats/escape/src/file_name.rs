//! Names, such as those of tables, as names of files; reversibly unless a name is very long.

/// Longest returned name: common file systems allow 255 bytes, 32 of which are left for an
/// extension.
const MAX_BYTES: usize = 255 - 32;

/// Names of Windows devices besides `com` and `lpt` with a digit, also a superscript 1, 2 or 3. An
/// extension doesn't help: `con.csv` is the console, too.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns a file name for a name. Letters and digits of any script, `_` and `$` stay; so do `-`
/// except at the beginning, and spaces and dots except at either end. Other characters, and the
/// first character of a Windows device's name, become `%` and two hexadecimal digits for each byte
/// of UTF-8.
///
/// `a/b` becomes `a%2Fb`, the empty name `%`. A name that is too long for a file is cut, and ends
/// with `%` and a hash of the whole name.
pub fn file_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let is_device = is_device(name);
    let last = name.chars().count().saturating_sub(1);
    for (at, character) in name.chars().enumerate() {
        let edge = at == 0 || at == last;
        let is_plain = character.is_alphanumeric()
            || matches!(character, '_' | '$')
            || (character == '-' && at > 0)
            || (matches!(character, '.' | ' ') && !edge);
        if is_plain && !(is_device && at == 0) {
            out.push(character);
        } else {
            push_encoded(character, &mut out);
        }
    }
    if name.is_empty() {
        out.push('%');
    }
    if out.len() > MAX_BYTES { shorten(&out, name) } else { out }
}

/// Reverses [`file_name`], except for names that were shortened. Returns `None` if the decoded
/// bytes aren't UTF-8, or if a `%` that is not the whole name isn't followed by two hexadecimal
/// digits.
pub fn original_name(file_name: &str) -> Option<String> {
    if file_name == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(file_name.len());
    let mut rest = file_name.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let (high, low) = (hex_digit(*after.first()?)?, hex_digit(*after.get(1)?)?);
            bytes.push(high << 4 | low);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let digit = port.and_then(|port| port.parse::<char>().ok());
    let is_port = digit.is_some_and(|digit| matches!(digit, '0'..='9' | '¹' | '²' | '³'));
    is_port || DEVICES.contains(&stem.as_str())
}

fn push_encoded(character: char, out: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        out.extend(['%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn shorten(encoded: &str, name: &str) -> String {
    let mut end = MAX_BYTES - 17;
    while !encoded.is_char_boundary(end) {
        end -= 1;
    }
    // FNV-1a, 64 bits.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}%{hash:016x}", encoded[..end].trim_end_matches('%'))
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;
    use crate::NASTY;

    fn check(name: &str) {
        let file = file_name(name);
        let parts: Vec<_> = Path::new(&file).components().collect();
        assert!(matches!(parts.as_slice(), [Component::Normal(_)]), "{name:?}: {file:?}");
        assert!(file.len() <= MAX_BYTES && !file.contains(crate::is_control), "{name:?}: {file:?}");
        assert!(!file.starts_with(['-', '.', '~']) && !is_device(&file), "{name:?}: {file:?}");
        if !file.contains('%') || name.len() < 60 {
            assert_eq!(original_name(&file).as_deref(), Some(name));
        }
    }

    #[test]
    fn no_name_leaves_its_folder() {
        NASTY.into_iter().for_each(check);
        assert_eq!(file_name("orders"), "orders");
        assert_eq!(file_name("täß 2.b"), "täß 2.b");
        assert_eq!(file_name("/abs/path"), "%2Fabs%2Fpath");
        assert_eq!(file_name(".."), "%2E%2E");
        assert_eq!(file_name("con.csv"), "%63on.csv");
        assert_eq!(["com1", "LPT³.csv", "com10", "com"].map(file_name), ["%63om1", "%4CPT³.csv", "com10", "com"]);
        assert_ne!(file_name(&"(".repeat(100)), file_name(&"(".repeat(101)));
    }

    proptest! {
        #[test]
        fn names_are_encoded_reversibly(name in "\\PC{0,20}|[./%a-]{0,12}") {
            check(&name);
        }
    }
}
