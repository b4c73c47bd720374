//! Looks up the entries of ASCII and two-byte characters, 64 bytes of UTF-8 at a time.
//!
//! The entry of a character (see [`crate::simd::ShortWeights`]) is in the lane of its first byte.
//! The high bytes of a row of 128 entries fit in two registers, and so do the low bytes: one
//! permute looks up all lanes. ASCII is one row, the characters of two neighbouring lead bytes
//! another (Latin C2 and C3, Greek CE and CF, Cyrillic D0 and D1). A block takes one lookup for
//! ASCII and one for each other row in it, however many characters it has.
//!
//! Written by hand for [`fill`](super::fill) and [`skip`](super::skip), which say what that gains.

use core::arch::x86_64::*;

use super::super::super::byte_pairs::{BytePairs, PairClasses};
use super::super::super::entry_rows::{Row, Table as Bytes};
use super::super::super::short_weights::Expansions;
use super::lanes;

/// Number of bytes, and of lanes, of a block.
pub(super) const BLOCK: usize = 64;

/// A block of text and its entries.
pub(super) struct Block {
    /// Zeros after the end of the text.
    pub(super) bytes: __m512i,
    /// Byte after each byte; zeros if not requested.
    pub(super) next: __m512i,
    /// High byte of each entry, in the lane of the first byte. Other lanes hold ASCII's entry for
    /// the lowest seven bits of their byte.
    pub(super) high: __m512i,
    /// Low byte of each entry.
    pub(super) low: __m512i,
    /// Lanes of the first bytes of characters of one or two bytes.
    pub(super) starts: u64,
    /// Lanes of the lead bytes of two-byte characters.
    pub(super) leads: u64,
    /// Lanes up to the end that belong to no character of one or two bytes.
    pub(super) unsupported: u64,
}

impl Block {
    /// Lanes of characters of whose entry the high byte is `limit` or greater.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn lanes_at_least(&self, limit: u8) -> u64 {
        self.starts & _mm512_cmpge_epu8_mask(self.high, _mm512_set1_epi8(limit.cast_signed()))
    }

    /// First lane that belongs to no character of one or two bytes or is in `others`; [`BLOCK`] if
    /// no lane does.
    #[inline]
    #[target_feature(enable = "bmi1")]
    pub(super) fn first_stop_lane(&self, others: u64) -> u32 {
        (self.unsupported | others).trailing_zeros()
    }
}

/// A row in registers.
#[derive(Clone, Copy)]
pub(super) struct RowRegisters {
    high: [__m512i; 2],
    low: [__m512i; 2],
}

impl RowRegisters {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(row: &Row) -> Self {
        let load = |Bytes { bytes, .. }: &Bytes| {
            // SAFETY: two times 64 bytes are the 128.
            unsafe { [_mm512_loadu_si512(bytes.as_ptr().cast()), _mm512_loadu_si512(bytes[64..].as_ptr().cast())] }
        };
        Self { high: load(&row.high), low: load(&row.low) }
    }

    /// High and low bytes for the lowest seven bits of each lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn lookup_128(&self, indexes: __m512i) -> (__m512i, __m512i) {
        let high = _mm512_permutex2var_epi8(self.high[0], indexes, self.high[1]);
        let low = _mm512_permutex2var_epi8(self.low[0], indexes, self.low[1]);
        (high, low)
    }
}

/// Character boundary after a block, or after the two-byte character that the block's last byte
/// begins. Reads that byte instead of lanes, so that the next block need not wait for the lanes.
#[inline]
pub(super) fn boundary_after(text: &[u8], at: usize) -> usize {
    let last = text.get(at + BLOCK - 1).copied().unwrap_or_default();
    (at + BLOCK + usize::from(last >= 0xC0)).min(text.len())
}

/// Bytes at `at`, which is within the text; zeros after its end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn bytes(text: &[u8], at: usize) -> __m512i {
    // SAFETY: `at` is within the text, and lanes past its end are masked off.
    unsafe { _mm512_maskz_loadu_epi8(lanes(text.len() - at), text.as_ptr().add(at).cast()) }
}

/// Looks up the characters that begin from `at` to `end`, at most [`BLOCK`] bytes. `at` is a
/// character boundary. `NEXT`: the bytes after each byte are requested.
///
/// `IS_SORT_KEY` separates the instance of sort keys from that of other callers: with more callers,
/// it would not be inlined.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up<const NEXT: bool, const IS_SORT_KEY: bool>(
    rows: &[Row; 16],
    ascii: &RowRegisters,
    text: &[u8],
    at: usize,
    end: usize,
) -> Block {
    let here = lanes(end - at);
    let bytes = bytes(text, at);
    let next = NEXT.then(|| next_bytes(text, at));
    let (mut high, mut low) = ascii.lookup_128(bytes);
    let mut starts = here & !_mm512_movepi8_mask(bytes);
    let mut leads = 0;
    if starts != here {
        let next = next.unwrap_or_else(|| next_bytes(text, at));
        // Continuation bytes are the numbers below -64. Lanes after the end are zero.
        let goes_on = _mm512_cmplt_epi8_mask(next, _mm512_set1_epi8(-64));
        let from_c2 = _mm512_sub_epi8(bytes, _mm512_set1_epi8(0xC2_u8.cast_signed()));
        leads = goes_on & here & _mm512_cmplt_epu8_mask(from_c2, _mm512_set1_epi8(0x1E));
        let indexes = indexes(bytes, next);
        let mut left = leads;
        while left != 0 {
            let (number, same) = first_row(bytes, left, text, at);
            let (of_high, of_low) = RowRegisters::new(&rows[number]).lookup_128(indexes);
            high = _mm512_mask_blend_epi8(same, high, of_high);
            low = _mm512_mask_blend_epi8(same, low, of_low);
            left &= !same;
        }
        starts |= leads;
    }
    let next = next.unwrap_or_else(|| _mm512_setzero_si512());
    Block { bytes, next, high, low, starts, leads, unsupported: here & !(starts | leads << 1) }
}

/// End of a block, or one byte before it if the last byte begins a longer character, or is ASCII
/// and may contract with the next byte. The end of the text if that comes first. Reads bytes
/// instead of lanes, as [`boundary_after`].
#[inline]
pub(super) fn boundary_before(pairs: Option<&BytePairs>, text: &[u8], at: usize) -> usize {
    let [last, next] = match text[at..].get(BLOCK - 1..) {
        None | Some([]) => return text.len(),
        Some(&[last]) => [last, 0],
        Some(&[last, next, ..]) => [last, next],
    };
    let continues = last >= 0xC0 || last < 0x80 && pairs.is_some_and(|pairs| pairs.may_contract(last, next));
    at + BLOCK - usize::from(continues)
}

/// Index of each two-byte character into its row, in the lane of its lead byte: the lead's lowest
/// bit, then six bits of the second byte. The highest bit is ignored.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn indexes(bytes: __m512i, next: __m512i) -> __m512i {
    let lowest = _mm512_and_si512(_mm512_slli_epi16::<6>(bytes), _mm512_set1_epi8(0x40));
    _mm512_or_si512(lowest, next)
}

/// Number and lanes of the row of the first of `leads`, which is not empty.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn first_row(bytes: __m512i, leads: u64, text: &[u8], at: usize) -> (usize, u64) {
    let lead = text[at + leads.trailing_zeros() as usize];
    let even_leads = _mm512_and_si512(bytes, _mm512_set1_epi8(!1));
    let same = _mm512_mask_cmpeq_epi8_mask(leads, even_leads, _mm512_set1_epi8((lead & !1).cast_signed()));
    (usize::from(lead & 0x1F) >> 1, same)
}

/// First and second weights of a block's characters ([`look_up_two`]).
pub(super) struct TwoWeights {
    /// High bytes and low bytes of the first weights.
    pub(super) first: [__m512i; 2],
    /// High bytes and low bytes of the second weights.
    pub(super) second: [__m512i; 2],
}

/// Looks up both weights of each character of the block at `at`. For a character without two
/// weights, these are its entry and zero. `leads` are the lanes of two-byte characters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn look_up_two(expansions: &Expansions, leads: u64, text: &[u8], at: usize) -> TwoWeights {
    let [first, second] = expansions.rows(0).map(|row| RowRegisters::new(row));
    let bytes = bytes(text, at);
    let (mut first, mut second) = (first.lookup_128(bytes), second.lookup_128(bytes));
    let mut left = leads;
    if left != 0 {
        let indexes = indexes(bytes, next_bytes(text, at));
        while left != 0 {
            let (number, same) = first_row(bytes, left, text, at);
            let [one, other] = expansions.rows(number);
            for (weights, row) in [(&mut first, one), (&mut second, other)] {
                let (high, low) = RowRegisters::new(row).lookup_128(indexes);
                weights.0 = _mm512_mask_blend_epi8(same, weights.0, high);
                weights.1 = _mm512_mask_blend_epi8(same, weights.1, low);
            }
            left &= !same;
        }
    }
    TwoWeights { first: first.into(), second: second.into() }
}

/// Bytes after those at `at`; zeros after the end of the text.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn next_bytes(text: &[u8], at: usize) -> __m512i {
    // SAFETY: lanes past the end are masked off; with none left, nothing is read.
    unsafe { _mm512_maskz_loadu_epi8(lanes(text.len() - at - 1), text.as_ptr().wrapping_add(at + 1).cast()) }
}

/// Lanes of the characters that may begin a contraction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn contractible_lanes(pairs: &BytePairs, block: &Block, text: &[u8], at: usize) -> u64 {
    let ends = contractible_ends(pairs, block.bytes, block.next);
    // A two-byte character has the lane of its first byte. One in the last lane ends in the next
    // block.
    let mut of_leads = ends >> 1;
    if let [_, second, third, ..] = text[at..].get(BLOCK - 1..).unwrap_or_default() {
        of_leads |= u64::from(pairs.may_contract(*second, *third)) << 63;
    }
    ends & block.starts & !block.leads | of_leads & block.leads
}

/// Lanes of the last bytes of characters that may begin a contraction.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn contractible_ends(pairs: &BytePairs, bytes: __m512i, next: __m512i) -> u64 {
    let first = classes(&pairs.first, bytes);
    _mm512_test_epi8_mask(first, classes(&pairs.second, next))
}

/// Lanes of the first bytes of pairs, if the pairs are not of kind
/// [`PairBytes::Any`](crate::simd::PairBytes::Any).
pub(super) struct ContractibleLetters {
    /// Lanes of letters that are the first byte of a pair.
    pub(super) letters: u64,
    /// Lanes of bytes beyond ASCII before a lead byte that is in any pair.
    pub(super) beyond_ascii: u64,
}

/// As [`contractible_ends`], with fewer instructions. `LETTERS`: only pairs of two letters are
/// wanted, and `beyond_ascii` is 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn contractible_letters<const LETTERS: bool>(
    pairs: &BytePairs,
    bytes: __m512i,
    next: __m512i,
) -> ContractibleLetters {
    let quarter = |classes: &PairClasses, number| load_64(classes.quarter(number));
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    // A lookup takes the lowest six bits of a byte. Results for bytes of other quarters are masked
    // off.
    let first = _mm512_permutexvar_epi8(bytes, quarter(&pairs.first, 1));
    let second = _mm512_permutexvar_epi8(next, quarter(&pairs.second, 1));
    let letters = _mm512_cmpgt_epi8_mask(bytes, splat(0x3F));
    if LETTERS {
        let both = _mm512_mask_cmpgt_epi8_mask(letters, next, splat(0x3F));
        return ContractibleLetters { letters: _mm512_mask_test_epi8_mask(both, first, second), beyond_ascii: 0 };
    }
    let leads = _mm512_cmpge_epu8_mask(next, splat(0xC0));
    let second = _mm512_mask_permutexvar_epi8(second, leads, next, quarter(&pairs.second, 3));
    // Letters and lead bytes have this bit.
    let both = _mm512_mask_test_epi8_mask(letters, next, splat(0x40));
    ContractibleLetters {
        letters: _mm512_mask_test_epi8_mask(both, first, second),
        beyond_ascii: _mm512_mask_test_epi8_mask(leads, second, second) & _mm512_movepi8_mask(bytes),
    }
}

/// Loads a table for lookups by six bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read; the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classes(classes: &PairClasses, bytes: __m512i) -> __m512i {
    let table = |table: &[u8; 16]| {
        // SAFETY: the table has the sixteen bytes that are read.
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
    };
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_shuffle_epi8(table(&classes.low), _mm512_and_si512(bytes, nibble));
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble);
    _mm512_and_si512(low, _mm512_shuffle_epi8(table(&classes.high), high))
}
