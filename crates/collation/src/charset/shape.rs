//! Where a character begins and ends in the multi-byte character sets that are tables: by the ranges that its bytes are in, whether or
//! not a code point is assigned to it. What these ranges are was asked of servers, every byte and every pair of bytes.

/// A range of byte values, both ends included.
type Bytes = (u8, u8);

/// The ranges of a character set of one or two bytes a character.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Bytes that are a character.
    singles: &'static [Bytes],
    /// First bytes of a character of two.
    leads: &'static [Bytes],
    /// Second bytes of it.
    trails: &'static [Bytes],
}

const ASCII: Bytes = (0x00, 0x7F);
/// The bytes of EUC's 94 by 94 planes.
const EUC: Bytes = (0xA1, 0xFE);
/// Half-width katakana: JIS X 0201.
const KATAKANA: Bytes = (0xA1, 0xDF);

pub(crate) const BIG5: Shape =
    Shape { singles: &[ASCII], leads: &[(0xA1, 0xF9)], trails: &[(0x40, 0x7E), (0xA1, 0xFE)] };
pub(crate) const GBK: Shape =
    Shape { singles: &[ASCII], leads: &[(0x81, 0xFE)], trails: &[(0x40, 0x7E), (0x80, 0xFE)] };
pub(crate) const GB2312: Shape = Shape { singles: &[ASCII], leads: &[(0xA1, 0xF7)], trails: &[EUC] };
pub(crate) const EUCKR: Shape =
    Shape { singles: &[ASCII], leads: &[(0x81, 0xFE)], trails: &[(0x41, 0x5A), (0x61, 0x7A), (0x81, 0xFE)] };
pub(crate) const SHIFT_JIS: Shape =
    Shape { singles: &[ASCII, KATAKANA], leads: &[(0x81, 0x9F), (0xE0, 0xFC)], trails: &[(0x40, 0x7E), (0x80, 0xFC)] };

impl Shape {
    /// The length of the character that `bytes` begin with; `None` at the end and where they are ill-formed.
    pub(crate) fn length(&self, bytes: &[u8]) -> Option<usize> {
        match *bytes {
            [first, ..] if is_in(first, self.singles) => Some(1),
            [first, second, ..] if is_in(first, self.leads) && is_in(second, self.trails) => Some(2),
            _ => None,
        }
    }
}

/// As [`Shape::length`] in EUC for Japanese: ASCII, two bytes for JIS X 0208, 8E and one for half-width katakana, 8F and two for
/// JIS X 0212.
pub(crate) fn euc_jp(bytes: &[u8]) -> Option<usize> {
    match *bytes {
        [0x00..=0x7F, ..] => Some(1),
        [0x8E, 0xA1..=0xDF, ..] | [0xA1..=0xFE, 0xA1..=0xFE, ..] => Some(2),
        [0x8F, 0xA1..=0xFE, 0xA1..=0xFE, ..] => Some(3),
        _ => None,
    }
}

/// As [`Shape::length`] in GB 18030: as in GBK, or four bytes of which the second and the last are digits.
pub(crate) fn gb18030(bytes: &[u8]) -> Option<usize> {
    match *bytes {
        [0x81..=0xFE, 0x30..=0x39, 0x81..=0xFE, 0x30..=0x39, ..] => Some(4),
        _ => GBK.length(bytes),
    }
}

fn is_in(byte: u8, ranges: &[Bytes]) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&byte))
}
