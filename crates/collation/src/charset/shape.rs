//! Where a character begins and ends in the multi-byte character sets that are tables: by the ranges that its bytes are in, whether or
//! not a code point is assigned to it. What these ranges are was asked of servers, every byte and every pair of bytes.

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

/// A range of byte values, both ends included.
type Bytes = (u8, u8);

const ASCII: Bytes = (0x00, 0x7F);
/// The bytes of EUC's 94 by 94 planes.
const EUC: Bytes = (0xA1, 0xFE);
/// Half-width katakana: JIS X 0201.
const KATAKANA: Bytes = (0xA1, 0xDF);

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
    leads: Leads,
    /// Whether second bytes may be letters of ASCII.
    has_letters: bool,
    /// Whether bytes beyond ASCII may be characters: half-width katakana.
    has_katakana: bool,
}

/// The first bytes of characters of two, as one range: Shift JIS has two, which are neighbours once a bit of each byte is flipped.
struct Leads {
    flip: u8,
    first: u8,
    count: u8,
}

impl Leads {
    /// The bytes that are in this range once these bits are flipped.
    const fn flipped(flip: u8, (first, last): Bytes) -> Self {
        Self { flip, first, count: last - first + 1 }
    }

    #[inline(always)]
    const fn has(&self, byte: u8) -> bool {
        (byte ^ self.flip).wrapping_sub(self.first) < self.count
    }
}

pub(crate) static BIG5: Double =
    Double::new([ASCII; 2], Leads::flipped(0, (0xA1, 0xF9)), [(0x40, 0x7E), (0xA1, 0xFE), (0xA1, 0xFE)]);
pub(crate) static GBK: Double =
    Double::new([ASCII; 2], Leads::flipped(0, (0x81, 0xFE)), [(0x40, 0x7E), (0x80, 0xFE), (0x80, 0xFE)]);
pub(crate) static GB2312: Double = Double::new([ASCII; 2], Leads::flipped(0, (0xA1, 0xF7)), [EUC; 3]);
pub(crate) static EUCKR: Double =
    Double::new([ASCII; 2], Leads::flipped(0, (0x81, 0xFE)), [(0x41, 0x5A), (0x61, 0x7A), (0x81, 0xFE)]);
pub(crate) static SHIFT_JIS: Double =
    Double::new([ASCII, KATAKANA], Leads::flipped(0x20, (0xA1, 0xDC)), [(0x40, 0x7E), (0x80, 0xFC), (0x80, 0xFC)]);

const fn is_in(byte: u8, (first, last): Bytes) -> bool {
    byte.wrapping_sub(first) <= last - first
}

impl Double {
    const fn new(singles: [Bytes; 2], leads: Leads, trails: [Bytes; 3]) -> Self {
        let mut all = Self { roles: [0; 256], leads, has_letters: false, has_katakana: false };
        let mut index = 0;
        while index < 256 {
            let byte = index as u8;
            let is_trail = is_in(byte, trails[0]) || is_in(byte, trails[1]) || is_in(byte, trails[2]);
            if is_in(byte, singles[0]) || is_in(byte, singles[1]) {
                all.roles[index] |= SINGLE;
            }
            if is_trail {
                all.roles[index] |= TRAIL;
            }
            if all.leads.has(byte) {
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
        end - run_before(text, end, |byte| self.leads.has(byte)) % 2
    }

    #[inline(always)]
    fn has_letters(self) -> bool {
        self.has_letters
    }

    /// A first byte may be a second one, too, and never is a character. In Shift JIS most second bytes are no first ones, and to look takes
    /// longer than it saves. Bench: `multi_byte`, Japanese.
    #[inline(always)]
    fn bytes_decide(self, a: &[u8], b: &[u8], at: usize) -> bool {
        !self.has_katakana && are_both(a, b, at, |byte| self.leads.has(byte))
    }
}

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
        let run = run_before(text, end, |byte| is_in(byte, EUC));
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
        are_both(a, b, at, |byte| is_in(byte, EUC))
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
        let run = run_before(text, end, |byte| GBK.leads.has(byte));
        match text[..end - run].last() {
            // One character, or part of one of four bytes: back to what is neither.
            Some(b'0'..=b'9') => {
                let is_part = |byte: u8| GBK.leads.has(byte) || byte.is_ascii_digit();
                end - run_before(text, end, is_part)
            }
            _ => end - run % 2,
        }
    }
}

/// Whether the bytes at `at` of two texts are such ones, and those after them, unless both texts end there.
#[inline(always)]
fn are_both(a: &[u8], b: &[u8], at: usize, is_such: impl Fn(u8) -> bool) -> bool {
    let both = |at: usize| match (a.get(at), b.get(at)) {
        (Some(&x), Some(&y)) => Some(is_such(x) && is_such(y)),
        (None, None) => None,
        _ => Some(false),
    };
    both(at) == Some(true) && both(at + 1) != Some(false)
}

/// How many bytes of `text` right before `end` are such ones.
#[inline(always)]
fn run_before(text: &[u8], end: usize, is_such: impl Fn(u8) -> bool + Copy) -> usize {
    /// Bytes that are looked at one by one: as many as a word has. Bench: `multi_byte`, Russian.
    const NEAR: usize = 16;
    let run = text[..end].iter().rev().take(NEAR).take_while(|&&byte| is_such(byte)).count();
    if run < NEAR { run } else { run + long_run_before(text, end - run, is_such) }
}

/// As [`run_before`].
#[inline(never)]
fn long_run_before(text: &[u8], end: usize, is_such: impl Fn(u8) -> bool + Copy) -> usize {
    let mut start = end - whole_chunks::<32>(text, end, is_such);
    start -= whole_chunks::<8>(text, start, is_such);
    end - start + text[..start].iter().rev().take_while(|&&byte| is_such(byte)).count()
}

/// As [`run_before`], in chunks that compilers look at by vectors. Bench: `multi_byte`, Chinese.
#[inline(always)]
fn whole_chunks<const CHUNK: usize>(text: &[u8], end: usize, is_such: impl Fn(u8) -> bool) -> usize {
    let mut start = end;
    while let Some(chunk) = text[..start].last_chunk::<CHUNK>()
        && chunk.iter().fold(true, |all, &byte| all & is_such(byte))
    {
        start -= CHUNK;
    }
    end - start
}
