//! UTF-8, surrogates included: MariaDB takes a surrogate's three bytes for a character, MySQL doesn't.

/// The first code point of `bytes` and its length in bytes. `None` at the end, for a byte that begins none, for one that
/// is cut short, over-long or beyond U+10FFFF.
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

/// The code point that `bytes` begin with if they are well-formed; any number, or none, if not.
#[inline(always)]
pub(crate) const fn supposed(bytes: &[u8]) -> Option<u32> {
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
