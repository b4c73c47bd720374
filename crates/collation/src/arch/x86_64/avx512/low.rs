//! Entries of ASCII and of two-byte characters, 64 bytes of UTF-8 at a time.
//!
//! Each byte has a lane, of which those of first bytes count. The high bytes of a row of 128 entries fit two registers, from which all
//! lanes choose at once, and so do the low bytes. The entries of ASCII are one row, those of two neighbouring lead bytes another. A
//! text mostly has one such pair of leads (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1), so there is a lookup for each pair
//! that occurs, not one for each character.

use core::arch::x86_64::*;

use super::super::super::low::Expansions;
use super::super::super::rows::{Row, Table as Bytes};
use super::lanes;
use crate::table::{Classes, Pairs};

/// Bytes, and so lanes, of a block.
pub(super) const BLOCK: usize = 64;

/// A block of text as entries.
pub(super) struct Block {
    /// Its bytes, zeros after the end of the text.
    pub(super) bytes: __m512i,
    /// The byte after each, if that is wanted.
    pub(super) next: __m512i,
    /// The high byte of an entry in the lane of each first byte; other lanes mean nothing.
    pub(super) high: __m512i,
    /// The low byte.
    pub(super) low: __m512i,
    /// The lanes of first bytes.
    pub(super) starts: u64,
    /// The lanes of lead bytes of two-byte characters.
    pub(super) leads: u64,
    /// The lanes of no character of one or two bytes.
    pub(super) strange: u64,
    /// A bit for each row that was looked up, by its number, but for that of ASCII.
    pub(super) rows: u32,
}

impl Block {
    /// The lanes of entries whose high byte is `limit` or above.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn from(&self, limit: u8) -> u64 {
        self.starts & _mm512_cmpge_epu8_mask(self.high, _mm512_set1_epi8(limit.cast_signed()))
    }

    /// The first lane that is of no character of one or two bytes, or is in `others`; [`BLOCK`] if there is none.
    #[inline]
    #[target_feature(enable = "bmi1")]
    pub(super) fn stop(&self, others: u64) -> u32 {
        (self.strange | others).trailing_zeros()
    }
}

/// A row in registers.
#[derive(Clone, Copy)]
pub(super) struct Table {
    high: [__m512i; 2],
    low: [__m512i; 2],
}

impl Table {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn of(row: &Row) -> Self {
        let load = |Bytes { bytes, .. }: &Bytes| {
            // SAFETY: two times 64 bytes are the 128.
            unsafe { [_mm512_loadu_si512(bytes.as_ptr().cast()), _mm512_loadu_si512(bytes[64..].as_ptr().cast())] }
        };
        Self { high: load(&row.high), low: load(&row.low) }
    }

    /// The high bytes and the low bytes for each lane's lowest seven bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn choose(&self, indexes: __m512i) -> (__m512i, __m512i) {
        let high = _mm512_permutex2var_epi8(self.high[0], indexes, self.high[1]);
        let low = _mm512_permutex2var_epi8(self.low[0], indexes, self.low[1]);
        (high, low)
    }
}

/// The boundary after a whole block: a character may reach over its end. Asks the byte and not the lanes, so that the next block need
/// not wait for them.
#[inline]
pub(super) fn after(text: &[u8], at: usize) -> usize {
    let last = text.get(at + BLOCK - 1).copied().unwrap_or_default();
    (at + BLOCK + usize::from(last >= 0xC0)).min(text.len())
}

/// The bytes at `at`, which is within the text, zeros past its end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn bytes(text: &[u8], at: usize) -> __m512i {
    // SAFETY: `at` is within the text, and lanes past its end are masked off.
    unsafe { _mm512_maskz_loadu_epi8(lanes(text.len() - at), text.as_ptr().add(at).cast()) }
}

/// Looks up what stands at `at`, up to [`BLOCK`] bytes, of characters that begin before `end`. `at` is a boundary between characters. `NEXT`
/// says whether the bytes after them are wanted.
///
/// `CALLER` makes an instance for each caller, as one that is called in two places would not be inlined.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up<const NEXT: bool, const CALLER: bool>(
    rows: &[Row; 16],
    ascii: &Table,
    text: &[u8],
    at: usize,
    end: usize,
) -> Block {
    let loaded = Loaded { here: lanes(end - at), bytes: bytes(text, at), next: NEXT.then(|| next_bytes(text, at)) };
    look_up_loaded::<false>(rows, ascii, text, at, loaded)
}

/// The bytes of a block.
pub(super) struct Loaded {
    /// Its lanes.
    pub(super) here: u64,
    bytes: __m512i,
    /// The byte after each, if that is wanted in any case.
    next: Option<__m512i>,
}

impl Loaded {
    /// The block that [`whole_before`] ends. Its bytes are there even in lanes behind it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn whole_before(pairs: Option<&Pairs>, text: &[u8], at: usize) -> Self {
        let left = text.len() - at;
        let (here, of_bytes, of_next) = if left > BLOCK {
            (lanes(whole_before(pairs, text, at) - at), !0, !0)
        } else {
            (lanes(left), lanes(left), lanes(left) >> 1)
        };
        // SAFETY: `at` is within the text, and lanes past its end are masked off.
        let [bytes, next] = [(of_bytes, at), (of_next, at + 1)]
            .map(|(lanes, from)| unsafe { _mm512_maskz_loadu_epi8(lanes, text.as_ptr().wrapping_add(from).cast()) });
        Self { here, bytes, next: Some(next) }
    }
}

/// As [`look_up`], of a block that is loaded. `LATIN` says whether characters of two bytes are mostly letters up to U+017F: their rows need not
/// wait for the lead bytes to be known.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up_loaded<const LATIN: bool>(
    rows: &[Row; 16],
    ascii: &Table,
    text: &[u8],
    at: usize,
    Loaded { here, bytes, next }: Loaded,
) -> Block {
    let (mut high, mut low) = ascii.choose(bytes);
    let mut starts = here & !_mm512_movepi8_mask(bytes);
    let (mut leads, mut seen) = (0, 0);
    if starts != here {
        let next = next.unwrap_or_else(|| next_bytes(text, at));
        // Continuation bytes are the numbers below -64. Lanes past the end are zero, and so none.
        let goes_on = _mm512_cmplt_epi8_mask(next, _mm512_set1_epi8(-64));
        let from_c2 = _mm512_sub_epi8(bytes, _mm512_set1_epi8(0xC2_u8.cast_signed()));
        leads = goes_on & here & _mm512_cmplt_epu8_mask(from_c2, _mm512_set1_epi8(0x1E));
        let indexes = indexes(bytes, next);
        let mut left = leads;
        let mut take = |(number, same): (usize, u64)| {
            let (of_high, of_low) = Table::of(&rows[number]).choose(indexes);
            high = _mm512_mask_blend_epi8(same, high, of_high);
            low = _mm512_mask_blend_epi8(same, low, of_low);
            seen |= u32::from(same != 0) << number;
            same
        };
        if LATIN {
            for lead in [0xC2, 0xC4] {
                left &= !take(row(bytes, leads, lead));
            }
        }
        while left != 0 {
            left &= !take(first_row(bytes, left, text, at));
        }
        starts |= leads;
    }
    let next = next.unwrap_or_else(|| _mm512_setzero_si512());
    Block { bytes, next, high, low, starts, leads, strange: here & !(starts | leads << 1), rows: seen }
}

/// The boundary after a block of whole characters, and of whole contractions of two letters: neither reaches over its end. Asks bytes, as
/// [`after`] does.
#[inline]
pub(super) fn whole_before(pairs: Option<&Pairs>, text: &[u8], at: usize) -> usize {
    let [last, next] = match text[at..].get(BLOCK - 1..) {
        None | Some([]) => return text.len(),
        Some(&[last]) => [last, 0],
        Some(&[last, next, ..]) => [last, next],
    };
    let is_cut = last >= 0xC0 || last < 0x80 && pairs.is_some_and(|pairs| pairs.may_join(last, next));
    at + BLOCK - usize::from(is_cut)
}

/// Two-byte characters as indexes into their rows, in the lanes of their lead bytes: the lead's lowest bit, then the six of the second byte,
/// whose own highest bit is not looked at.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn indexes(bytes: __m512i, next: __m512i) -> __m512i {
    let lowest = _mm512_and_si512(_mm512_slli_epi16::<6>(bytes), _mm512_set1_epi8(0x40));
    _mm512_or_si512(lowest, next)
}

/// The row of the first character of `leads`, of which there is one, and the lanes of that row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn first_row(bytes: __m512i, leads: u64, text: &[u8], at: usize) -> (usize, u64) {
    row(bytes, leads, text[at + leads.trailing_zeros() as usize])
}

/// The row of characters with this lead byte, and which lanes of `leads` it has.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn row(bytes: __m512i, leads: u64, lead: u8) -> (usize, u64) {
    let even_leads = _mm512_and_si512(bytes, _mm512_set1_epi8(!1));
    let same = _mm512_mask_cmpeq_epi8_mask(leads, even_leads, _mm512_set1_epi8((lead & !1).cast_signed()));
    (usize::from(lead & 0x1F) >> 1, same)
}

/// The weights of a block whose characters have two at most.
pub(super) struct Two {
    /// High bytes and low bytes of the first weights.
    pub(super) first: [__m512i; 2],
    /// The same of the second ones.
    pub(super) second: [__m512i; 2],
}

/// Looks up the weights of the block at `at`, whose two-byte characters begin in these lanes; zeros for characters of none, and of more than
/// two.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up_two(expansions: &Expansions, leads: u64, text: &[u8], at: usize) -> Two {
    let [first, second] = expansions.rows(0).map(|row| Table::of(row));
    let bytes = bytes(text, at);
    let (mut first, mut second) = (first.choose(bytes), second.choose(bytes));
    let mut left = leads;
    if left != 0 {
        let indexes = indexes(bytes, next_bytes(text, at));
        while left != 0 {
            let (number, same) = first_row(bytes, left, text, at);
            let [one, other] = expansions.rows(number);
            for (weights, row) in [(&mut first, one), (&mut second, other)] {
                let (high, low) = Table::of(row).choose(indexes);
                weights.0 = _mm512_mask_blend_epi8(same, weights.0, high);
                weights.1 = _mm512_mask_blend_epi8(same, weights.1, low);
            }
            left &= !same;
        }
    }
    Two { first: first.into(), second: second.into() }
}

/// The bytes after those at `at`, zeros past the end of the text.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn next_bytes(text: &[u8], at: usize) -> __m512i {
    // SAFETY: lanes past the end are masked off; with none left, nothing is read.
    unsafe { _mm512_maskz_loadu_epi8(lanes(text.len() - at - 1), text.as_ptr().wrapping_add(at + 1).cast()) }
}

/// The lanes of characters of a block that may begin a contraction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn joined_lanes(pairs: &Pairs, block: &Block, text: &[u8], at: usize) -> u64 {
    let ends = joined_ends(pairs, block.bytes, block.next);
    // A character of two bytes has the lane of its first. That of the last lane ends in the next block.
    let mut of_leads = ends >> 1;
    if let [_, second, third, ..] = text[at..].get(BLOCK - 1..).unwrap_or_default() {
        of_leads |= u64::from(pairs.may_join(*second, *third)) << 63;
    }
    ends & block.starts & !block.leads | of_leads & block.leads
}

/// The lanes of the last bytes of characters that may begin a contraction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn joined_ends(pairs: &Pairs, bytes: __m512i, next: __m512i) -> u64 {
    let first = classes(&pairs.first, bytes);
    _mm512_test_epi8_mask(first, classes(&pairs.second, next))
}

/// The lanes of the first bytes of pairs that are not of [`Kind::Any`](crate::table::Kind::Any).
pub(super) struct JoinedLetters {
    /// Those of letters.
    pub(super) letters: u64,
    /// Those of bytes beyond ASCII, and some more: all before a lead byte that is in a pair with any byte.
    pub(super) others: u64,
}

/// What [`joined_ends`] tells, by fewer instructions. `LETTERS` says whether the pairs are of [`Kind::Letters`](crate::table::Kind::Letters).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn joined_letters<const LETTERS: bool>(pairs: &Pairs, bytes: __m512i, next: __m512i) -> JoinedLetters {
    let quarter = |classes: &Classes, number| table(classes.quarter(number));
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    // A lookup takes the lowest six bits of a byte. So it tells something of bytes of the other quarters, too, which is masked off.
    let first = _mm512_permutexvar_epi8(bytes, quarter(&pairs.first, 1));
    let second = _mm512_permutexvar_epi8(next, quarter(&pairs.second, 1));
    let letters = _mm512_cmpgt_epi8_mask(bytes, splat(0x3F));
    if LETTERS {
        let both = _mm512_mask_cmpgt_epi8_mask(letters, next, splat(0x3F));
        return JoinedLetters { letters: _mm512_mask_test_epi8_mask(both, first, second), others: 0 };
    }
    let leads = _mm512_cmpge_epu8_mask(next, splat(0xC0));
    let second = _mm512_mask_permutexvar_epi8(second, leads, next, quarter(&pairs.second, 3));
    // Letters and lead bytes are those that have this bit.
    let both = _mm512_mask_test_epi8_mask(letters, next, splat(0x40));
    JoinedLetters {
        letters: _mm512_mask_test_epi8_mask(both, first, second),
        others: _mm512_mask_test_epi8_mask(leads, second, second) & _mm512_movepi8_mask(bytes),
    }
}

/// Bytes to look up by six bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn table(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: there are the 64 bytes that are read; the load wants no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classes(classes: &Classes, bytes: __m512i) -> __m512i {
    let table = |table: &[u8; 16]| {
        // SAFETY: the table has the sixteen bytes that are read.
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
    };
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_shuffle_epi8(table(&classes.low), _mm512_and_si512(bytes, nibble));
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble);
    _mm512_and_si512(low, _mm512_shuffle_epi8(table(&classes.high), high))
}
