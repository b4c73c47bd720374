//! UTF-8 including surrogates. MariaDB decodes the three bytes of a surrogate as a character, MySQL
//! doesn't.

/// Returns the first code point of `bytes` and its length in bytes. `None` at the end, and for
/// bytes that are truncated, overlong, beyond U+10FFFF or don't begin a character.
#[inline(always)]
pub(crate) const fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    match *bytes {
        [a, ..] if a < 0x80 => Some((a as u32, 1)),
        [a @ 0xc2..=0xdf, b @ 0x80..=0xbf, ..] => Some(((a as u32 & 0x1f) << 6 | b as u32 & 0x3f, 2)),
        [a @ 0xe0..=0xef, b @ 0x80..=0xbf, c @ 0x80..=0xbf, ..] if a > 0xe0 || b >= 0xa0 => {
            Some(((a as u32 & 0x0f) << 12 | (b as u32 & 0x3f) << 6 | c as u32 & 0x3f, 3))
        }
        [a @ 0xf0..=0xf4, b @ 0x80..=0xbf, c @ 0x80..=0xbf, d @ 0x80..=0xbf, ..]
            if (a > 0xf0 || b >= 0x90) && (a < 0xf4 || b < 0x90) =>
        {
            Some(((a as u32 & 0x07) << 18 | (b as u32 & 0x3f) << 12 | (c as u32 & 0x3f) << 6 | d as u32 & 0x3f, 4))
        }
        _ => None,
    }
}

/// Returns the first code point of well-formed bytes. For ill-formed bytes the result is arbitrary.
#[inline(always)]
pub(crate) const fn decode_well_formed(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [a, ..] if a < 0x80 => Some(a as u32),
        [a, b, ..] if a < 0xe0 => Some((a as u32 & 0x1f) << 6 | b as u32 & 0x3f),
        [a, b, c, ..] if a < 0xf0 => Some((a as u32 & 0x0f) << 12 | (b as u32 & 0x3f) << 6 | c as u32 & 0x3f),
        [a, b, c, d, ..] => {
            Some((a as u32 & 0x07) << 18 | (b as u32 & 0x3f) << 12 | (c as u32 & 0x3f) << 6 | d as u32 & 0x3f)
        }
        _ => None,
    }
}
