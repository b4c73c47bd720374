//! Character boundaries in multi-byte character sets, by the ranges of bytes. An unassigned
//! character counts if its bytes are in the ranges. The ranges are what servers return for every
//! byte and every pair of bytes.

use crate::simd::{self, ByteRange, ByteSet, trailing_run};

/// The rules for character boundaries of a multi-byte character set.
pub(crate) trait CharacterShape: Copy {
    /// Returns the length of the first character of `bytes`; `None` at the end and if the bytes are
    /// ill-formed.
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize>;

    /// Returns a character boundary that is not after `end`, and near it if the character set
    /// allows.
    ///
    /// Only the text before a byte shows if a character begins at that byte. The search goes back
    /// to a byte that certainly ends a character.
    fn boundary_near(self, text: &[u8], end: usize) -> usize;

    /// Returns `true` if ASCII letters can be part of a character of several bytes.
    #[inline(always)]
    fn trails_have_letters(self) -> bool {
        true
    }

    /// Returns `true` if the bytes at `at`, the first difference of two texts, order the texts
    /// wherever the characters begin. Assumes that characters of several bytes weigh their own
    /// bytes. `false` is always correct.
    #[inline(always)]
    fn bytes_decide(self, _a: &[u8], _b: &[u8], _at: usize) -> bool {
        false
    }

    /// Returns the length of the first character or ill-formed byte. `bytes` must not be empty.
    #[inline(always)]
    fn length(self, bytes: &[u8]) -> usize {
        self.well_formed_length(bytes).unwrap_or(1)
    }

    /// Returns the last common character boundary of both texts that is not after `at` and that
    /// satisfies `is_wanted`; 0 if no boundary does. The texts are equal before `at`, except for
    /// the case of ASCII letters that are characters.
    #[inline(always)]
    fn boundary(self, a: &[u8], b: &[u8], mut at: usize, is_wanted: impl Fn(usize) -> bool) -> usize {
        loop {
            let start = self.boundary_near(a, at);
            let (mut boundary, mut wanted) = (start, None);
            loop {
                if is_wanted(boundary) {
                    wanted = Some(boundary);
                }
                if boundary == at {
                    break;
                }
                let next = boundary + self.length(&a[boundary..]).max(self.length(&b[boundary..]));
                if next > at {
                    break;
                }
                boundary = next;
            }
            match (wanted, start.checked_sub(1)) {
                (Some(wanted), _) => return wanted,
                (None, Some(before)) => at = before,
                (None, None) => return 0,
            }
        }
    }
}

const ASCII: ByteRange = ByteRange::new(0x00, 0x7F);
/// Bytes of EUC's planes of 94 by 94 characters.
const EUC: ByteRange = ByteRange::new(0xA1, 0xFE);
/// Bytes of half-width katakana (JIS X 0201).
const KATAKANA: ByteRange = ByteRange::new(0xA1, 0xDF);
/// ASCII signs and letters from `@` on.
const FROM_AT: ByteRange = ByteRange::new(0x40, 0x7E);

/// Role of a byte that is a character.
const SINGLE: u8 = 1;
/// Role of the first byte of a two-byte character.
const LEAD: u8 = 2;
/// Role of the second byte of a two-byte character.
const TRAIL: u8 = 4;

/// The byte roles of a character set with one or two bytes per character.
pub(crate) struct DoubleByteShape {
    /// Possible roles of each byte: [`SINGLE`], [`LEAD`], [`TRAIL`].
    roles: [u8; 256],
    /// Lead bytes. The two ranges of Shift JIS become one range when a bit of each byte is flipped.
    leads: ByteRange,
    /// `true` if second bytes can be ASCII letters.
    trails_have_letters: bool,
    /// `true` if bytes from 0x80 on can be characters: half-width katakana.
    has_katakana: bool,
}

pub(crate) static BIG5: DoubleByteShape =
    DoubleByteShape::new([ASCII; 2], ByteRange::new(0xA1, 0xF9), [FROM_AT, EUC, EUC]);
pub(crate) static GBK: DoubleByteShape = {
    let beyond_ascii = ByteRange::new(0x80, 0xFE);
    DoubleByteShape::new([ASCII; 2], ByteRange::new(0x81, 0xFE), [FROM_AT, beyond_ascii, beyond_ascii])
};
pub(crate) static GB2312: DoubleByteShape = DoubleByteShape::new([ASCII; 2], ByteRange::new(0xA1, 0xF7), [EUC; 3]);
pub(crate) static EUCKR: DoubleByteShape = {
    let leads = ByteRange::new(0x81, 0xFE);
    DoubleByteShape::new([ASCII; 2], leads, [ByteRange::new(b'A', b'Z'), ByteRange::new(b'a', b'z'), leads])
};
pub(crate) static SHIFT_JIS: DoubleByteShape = {
    let beyond_ascii = ByteRange::new(0x80, 0xFC);
    DoubleByteShape::new([ASCII, KATAKANA], ByteRange::flipped(0x20, 0xA1, 0xDC), [FROM_AT, beyond_ascii, beyond_ascii])
};

impl DoubleByteShape {
    const fn new(singles: [ByteRange; 2], leads: ByteRange, trails: [ByteRange; 3]) -> Self {
        let mut all = Self { roles: [0; 256], leads, trails_have_letters: false, has_katakana: false };
        let mut index = 0;
        while index < 256 {
            let byte = index as u8;
            let is_trail = trails[0].contains(byte) || trails[1].contains(byte) || trails[2].contains(byte);
            if singles[0].contains(byte) || singles[1].contains(byte) {
                all.roles[index] |= SINGLE;
            }
            if is_trail {
                all.roles[index] |= TRAIL;
            }
            if all.leads.contains(byte) {
                assert!(all.roles[index] == TRAIL && byte >= 0x80, "as `boundary_near` takes for granted");
                all.roles[index] |= LEAD;
            }
            all.has_katakana |= byte >= 0x80 && all.roles[index] & SINGLE != 0;
            all.trails_have_letters |= is_trail && byte.is_ascii_alphabetic();
            index += 1;
        }
        all
    }

    #[inline(always)]
    fn is(&self, byte: u8, role: u8) -> bool {
        self.roles[usize::from(byte)] & role != 0
    }
}

impl CharacterShape for &'static DoubleByteShape {
    #[inline(always)]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        match *bytes {
            [first, ..] if self.is(first, SINGLE) => Some(1),
            [first, second, ..] if self.is(first, LEAD) && self.is(second, TRAIL) => Some(2),
            _ => None,
        }
    }

    /// All lead bytes can be second bytes as well. The lead bytes right before `end` therefore pair
    /// up as characters.
    #[inline(always)]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        end - run_before(text, end, &self.leads) % 2
    }

    #[inline(always)]
    fn trails_have_letters(self) -> bool {
        self.trails_have_letters
    }

    /// A lead byte can be a second byte as well, and is never a character. In Shift JIS most second
    /// bytes are not lead bytes, and the check takes longer than it saves. Bench: `multi_byte`,
    /// Japanese.
    #[inline(always)]
    fn bytes_decide(self, a: &[u8], b: &[u8], at: usize) -> bool {
        !self.has_katakana && start_pairs_in(a, b, at, &self.leads)
    }
}

const DIGITS: ByteRange = ByteRange::new(b'0', b'9');

/// EUC for Japanese: ASCII, two bytes for JIS X 0208, 8E and one byte for half-width katakana, 8F
/// and two bytes for JIS X 0212.
#[derive(Clone, Copy)]
pub(crate) struct EucJp;

impl CharacterShape for EucJp {
    #[inline(always)]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        match *bytes {
            [0x00..=0x7F, ..] => Some(1),
            [0x8E, 0xA1..=0xDF, ..] | [0xA1..=0xFE, 0xA1..=0xFE, ..] => Some(2),
            [0x8F, 0xA1..=0xFE, 0xA1..=0xFE, ..] => Some(3),
            _ => None,
        }
    }

    #[inline(always)]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        let run = run_before(text, end, &EUC);
        let Some(before) = (end - run).checked_sub(1) else { return end - run % 2 };
        // The bytes 8E and 8F always begin a character, because neither is a second byte.
        match (text[before], run) {
            (0x8E, 1..) | (0x8F, 2..) => end - (run + 1 - self.length(&text[before..end])) % 2,
            (0x8E | 0x8F, _) => before,
            _ => end - run % 2,
        }
    }

    #[inline(always)]
    fn trails_have_letters(self) -> bool {
        false
    }

    /// After 8E, the bytes beyond the katakana are ill-formed and come after all characters, so
    /// that the bytes decide there, too.
    #[inline(always)]
    fn bytes_decide(self, a: &[u8], b: &[u8], at: usize) -> bool {
        start_pairs_in(a, b, at, &EUC)
    }
}

/// GB 18030: the shape of GBK, or four bytes of which the second and the fourth are digits.
#[derive(Clone, Copy)]
pub(crate) struct Gb18030;

impl CharacterShape for Gb18030 {
    #[inline(always)]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        match *bytes {
            [0x81..=0xFE, 0x30..=0x39, 0x81..=0xFE, 0x30..=0x39, ..] => Some(4),
            _ => GBK.well_formed_length(bytes),
        }
    }

    #[inline(always)]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        let run = run_before(text, end, &GBK.leads);
        match text[..end - run].last() {
            // Digits can be characters, or parts of four-byte characters: the search goes back to a
            // byte that is neither a digit nor a lead byte.
            Some(b'0'..=b'9') => end - trailing_run(Gb18030Part, &text[..end], usize::MAX),
            _ => end - run % 2,
        }
    }
}

/// The lead bytes and digits, which can be part of a multi-byte character. Second bytes that are
/// ASCII letters or signs are not included.
#[derive(Clone, Copy)]
struct Gb18030Part;

impl ByteSet for Gb18030Part {
    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        GBK.leads.contains(byte) || DIGITS.contains(byte)
    }

    #[inline(always)]
    fn members(self, bytes: u64) -> u64 {
        (&GBK.leads).members(bytes) | (&DIGITS).members(bytes)
    }
}

/// Returns `true` if the bytes at `at` of both texts are in the range, and the next bytes as well,
/// unless both texts end there.
#[inline(always)]
fn start_pairs_in(a: &[u8], b: &[u8], at: usize, range: &ByteRange) -> bool {
    are_in(range, a.get(at), b.get(at)) == Some(true) && are_in(range, a.get(at + 1), b.get(at + 1)) != Some(false)
}

/// Returns `true` if both bytes exist and are in the range; `None` if neither exists.
#[inline(always)]
fn are_in(range: &ByteRange, x: Option<&u8>, y: Option<&u8>) -> Option<bool> {
    match (x, y) {
        (Some(&x), Some(&y)) => Some(range.contains(x) && range.contains(y)),
        (None, None) => None,
        _ => Some(false),
    }
}

/// Returns the length of the run of bytes in the range that ends at `end`.
#[inline(always)]
fn run_before(text: &[u8], end: usize, range: &ByteRange) -> usize {
    /// Length up to which no vectors are used; most words are shorter. Bench: `multi_byte`,
    /// Russian.
    const NEAR: usize = 24;
    let text = &text[..end];
    if !text.last().is_some_and(|&byte| range.contains(byte)) {
        return 0;
    }
    let run = trailing_run(range, text, NEAR);
    if run < NEAR { run } else { simd::get().trailing_run(range, text) }
}
