//! Where a character begins and ends in the multi-byte character sets that are tables: by the ranges that its bytes are in, whether or
//! not a code point is assigned to it. What these ranges are was asked of servers, every byte and every pair of bytes.

use crate::arch::{self, ByteRange, ByteSet, run_back};

/// Where the characters of a multi-byte character set begin and end.
pub(crate) trait Shape: Copy {
    /// The length of the character that `bytes` begin with; `None` at the end and where they are ill-formed.
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize>;

    /// A boundary between characters no later than `end`, and near it where the character set allows.
    ///
    /// Whether a byte begins a character only the text before it tells: a byte that begins none of several bytes ends a character.
    fn boundary_near(self, text: &[u8], end: usize) -> usize;

    /// Whether letters of ASCII may be part of a character of several bytes.
    #[inline(always)]
    fn has_letters(self) -> bool {
        true
    }

    /// Whether the bytes at `at`, the first in which two texts differ, have the order of the texts, wherever the characters begin, if the
    /// weights of characters of several bytes are these bytes. To be `false` is always right.
    #[inline(always)]
    fn bytes_decide(self, _a: &[u8], _b: &[u8], _at: usize) -> bool {
        false
    }

    /// The length of the character at the beginning of a text, which is not empty, or of the ill-formed byte.
    #[inline(always)]
    fn length(self, bytes: &[u8]) -> usize {
        self.well_formed_length(bytes).unwrap_or(1)
    }

    /// The last boundary between characters, of both texts, that is no later than `at` and that `is_wanted`. The texts are equal before
    /// `at`, but for the case of letters of ASCII that are characters.
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

const ASCII: ByteRange = ByteRange::of(0x00, 0x7F);
/// The bytes of EUC's 94 by 94 planes.
const EUC: ByteRange = ByteRange::of(0xA1, 0xFE);
/// Half-width katakana: JIS X 0201.
const KATAKANA: ByteRange = ByteRange::of(0xA1, 0xDF);
/// ASCII's signs and letters from `@` on.
const FROM_AT: ByteRange = ByteRange::of(0x40, 0x7E);

/// A byte that is a character.
const SINGLE: u8 = 1;
/// The first byte of a character of two.
const LEAD: u8 = 2;
/// Its second byte.
const TRAIL: u8 = 4;

/// The bytes of a character set of one or two bytes a character.
pub(crate) struct Double {
    /// What each byte may be: [`SINGLE`], [`LEAD`], [`TRAIL`].
    roles: [u8; 256],
    /// The first bytes of characters of two: Shift JIS has two ranges, which are neighbours once a bit of each byte is flipped.
    leads: ByteRange,
    /// Whether second bytes may be letters of ASCII.
    has_letters: bool,
    /// Whether bytes beyond ASCII may be characters: half-width katakana.
    has_katakana: bool,
}

pub(crate) static BIG5: Double = Double::new([ASCII; 2], ByteRange::of(0xA1, 0xF9), [FROM_AT, EUC, EUC]);
pub(crate) static GBK: Double = {
    let beyond_ascii = ByteRange::of(0x80, 0xFE);
    Double::new([ASCII; 2], ByteRange::of(0x81, 0xFE), [FROM_AT, beyond_ascii, beyond_ascii])
};
pub(crate) static GB2312: Double = Double::new([ASCII; 2], ByteRange::of(0xA1, 0xF7), [EUC; 3]);
pub(crate) static EUCKR: Double = {
    let leads = ByteRange::of(0x81, 0xFE);
    Double::new([ASCII; 2], leads, [ByteRange::of(b'A', b'Z'), ByteRange::of(b'a', b'z'), leads])
};
pub(crate) static SHIFT_JIS: Double = {
    let beyond_ascii = ByteRange::of(0x80, 0xFC);
    Double::new([ASCII, KATAKANA], ByteRange::flipped(0x20, 0xA1, 0xDC), [FROM_AT, beyond_ascii, beyond_ascii])
};

impl Double {
    const fn new(singles: [ByteRange; 2], leads: ByteRange, trails: [ByteRange; 3]) -> Self {
        let mut all = Self { roles: [0; 256], leads, has_letters: false, has_katakana: false };
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
            all.has_letters |= is_trail && byte.is_ascii_alphabetic();
            index += 1;
        }
        all
    }

    #[inline(always)]
    fn is(&self, byte: u8, role: u8) -> bool {
        self.roles[usize::from(byte)] & role != 0
    }
}

impl Shape for &'static Double {
    #[inline(always)]
    fn well_formed_length(self, bytes: &[u8]) -> Option<usize> {
        match *bytes {
            [first, ..] if self.is(first, SINGLE) => Some(1),
            [first, second, ..] if self.is(first, LEAD) && self.is(second, TRAIL) => Some(2),
            _ => None,
        }
    }

    /// All first bytes can be second ones, too: of those right before `end` each two are a character.
    #[inline(always)]
    fn boundary_near(self, text: &[u8], end: usize) -> usize {
        end - run_before(text, end, &self.leads) % 2
    }

    #[inline(always)]
    fn has_letters(self) -> bool {
        self.has_letters
    }

    /// A first byte may be a second one, too, and never is a character. In Shift JIS most second bytes are no first ones, and to look takes
    /// longer than it saves. Bench: `multi_byte`, Japanese.
    #[inline(always)]
    fn bytes_decide(self, a: &[u8], b: &[u8], at: usize) -> bool {
        !self.has_katakana && are_both(a, b, at, &self.leads)
    }
}

const DIGITS: ByteRange = ByteRange::of(b'0', b'9');

/// EUC for Japanese: ASCII, two bytes for JIS X 0208, 8E and one for half-width katakana, 8F and two for JIS X 0212.
#[derive(Clone, Copy)]
pub(crate) struct EucJp;

impl Shape for EucJp {
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
        // A character begins with 8E or 8F wherever they are: they come second in none.
        match (text[before], run) {
            (0x8E, 1..) | (0x8F, 2..) => end - (run + 1 - self.length(&text[before..end])) % 2,
            (0x8E | 0x8F, _) => before,
            _ => end - run % 2,
        }
    }

    #[inline(always)]
    fn has_letters(self) -> bool {
        false
    }

    /// After 8E the greater ones are ill-formed, and so are after all others, too.
    #[inline(always)]
    fn bytes_decide(self, a: &[u8], b: &[u8], at: usize) -> bool {
        are_both(a, b, at, &EUC)
    }
}

/// GB 18030: as GBK, or four bytes of which the second and the last are digits.
#[derive(Clone, Copy)]
pub(crate) struct Gb18030;

impl Shape for Gb18030 {
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
            // One character, or part of one of four bytes: back to what is neither.
            Some(b'0'..=b'9') => end - run_back(Gb18030Part, &text[..end], usize::MAX),
            _ => end - run % 2,
        }
    }
}

/// The bytes that may be part of a character of several bytes, but for second ones that are letters and signs of ASCII.
#[derive(Clone, Copy)]
struct Gb18030Part;

impl ByteSet for Gb18030Part {
    #[inline(always)]
    fn has(self, byte: u8) -> bool {
        GBK.leads.contains(byte) || DIGITS.contains(byte)
    }

    #[inline(always)]
    fn which(self, bytes: u64) -> u64 {
        (&GBK.leads).which(bytes) | (&DIGITS).which(bytes)
    }
}

/// Whether the bytes at `at` of two texts are in the range, and those after them, unless both texts end there.
#[inline(always)]
fn are_both(a: &[u8], b: &[u8], at: usize, range: &ByteRange) -> bool {
    are_in(range, a.get(at), b.get(at)) == Some(true) && are_in(range, a.get(at + 1), b.get(at + 1)) != Some(false)
}

/// Whether both bytes are there and in the range; `None` if there are none.
#[inline(always)]
fn are_in(range: &ByteRange, x: Option<&u8>, y: Option<&u8>) -> Option<bool> {
    match (x, y) {
        (Some(&x), Some(&y)) => Some(range.contains(x) && range.contains(y)),
        (None, None) => None,
        _ => Some(false),
    }
}

/// How many bytes of `text` right before `end` are in the range.
#[inline(always)]
fn run_before(text: &[u8], end: usize, range: &ByteRange) -> usize {
    /// As many bytes as most words have. Bench: `multi_byte`, Russian.
    const NEAR: usize = 24;
    let text = &text[..end];
    // Mostly there is no run, or a long one.
    if !text.last().is_some_and(|&byte| range.contains(byte)) {
        return 0;
    }
    let run = run_back(range, text, NEAR);
    if run < NEAR { run } else { arch::get().run_back(range, text) }
}
