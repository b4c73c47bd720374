//! Windows' code page 1252.

/// The characters of 0x80 to 0x9F.
const HIGH_CONTROLS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

pub(super) fn decode(byte: u8) -> char {
    match byte {
        0x80..=0x9f => HIGH_CONTROLS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

pub(super) fn encode(character: char) -> Option<u8> {
    match u8::try_from(character) {
        Ok(byte) if !(0x80..=0x9f).contains(&byte) => Some(byte),
        _ => (0x80..=0x9f).find(|&byte| decode(byte) == character),
    }
}
