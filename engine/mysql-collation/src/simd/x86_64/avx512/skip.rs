//! Skips equal characters at the start of two texts: characters of equal entries, and equal bytes
//! outside contractions.
//!
//! Written by hand instead of instantiating [`generic`](super::super::super::skip) for 64 lanes:
//! entries are compared, not classes, and one instruction removes the gaps between them. Compared
//! with the generic algorithm on AVX2, on one Xeon (bench `instruction_sets`): comparisons take 1 /
//! 1.5 (German in other case) to 1 / 2.4 of the time (French with other accents).

use core::arch::x86_64::*;

use super::super::super::byte_pairs::{BytePairs, CaseVariants, PairBytes};
use super::super::super::vector::Vector;
use super::super::super::{ShortWeights, scalar};
use super::block::{
    BLOCK, Block, RowRegisters, boundary_after, bytes, contractible_ends, contractible_lanes, contractible_letters,
    look_up, next_bytes,
};
use super::{V, lanes};

/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn skip_equal(low: &ShortWeights, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    match low.pairs() {
        None => skip::<false, false, false>(low, longest, a, b, [0; 2]),
        Some(pairs) if pairs.kind == PairBytes::Letters => skip::<true, true, false>(low, longest, a, b, [0; 2]),
        Some(_) => skip::<true, false, false>(low, longest, a, b, [0; 2]),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip<const CONTRACTS: bool, const LETTERS: bool, const LONG: bool>(
    low: &ShortWeights,
    longest: u8,
    a: &[u8],
    b: &[u8],
    [mut i, mut j]: [usize; 2],
) -> [usize; 2] {
    let ascii = RowRegisters::new(low.row(0));
    let limit = (ShortWeights::DEFER >> 8) as u8;
    // The branches are predictable, because the previous iteration's outcome repeats: loading the
    // next blocks need not wait for the comparison.
    while i < a.len() && j < b.len() {
        let mut x = look_up::<CONTRACTS, false>(low.rows(), &ascii, a, i, a.len());
        let mut y = look_up::<CONTRACTS, false>(low.rows(), &ascii, b, j, b.len());
        if LONG && x.unsupported & y.unsupported != 0 {
            let here = x.unsupported & y.unsupported & lanes((x.starts ^ y.starts).trailing_zeros() as usize);
            let same = shared_long_characters(low.pairs().filter(|_| CONTRACTS), longest, here, (a, i), (b, j));
            (x.unsupported, y.unsupported) = (x.unsupported & !same, y.unsupported & !same);
        }
        let [contractible_x, contractible_y] = match low.pairs() {
            Some(pairs) if CONTRACTS => {
                // SAFETY: this backend's instruction set is there.
                unsafe { differing_lanes::<LETTERS>(pairs, low.variants(), (&x, a, i), (&y, b, j)) }
            }
            _ => [0; 2],
        };
        let stop_x = x.first_stop_lane(x.lanes_at_least(limit) | contractible_x) as usize;
        let stop_y = y.first_stop_lane(y.lanes_at_least(limit) | contractible_y) as usize;
        if stop_x.min(stop_y) == BLOCK {
            // Characters of equal lengths are compared in their lanes.
            if x.starts == y.starts && x.starts & mismatched_lanes(x.high, x.low, y.high, y.low) == 0 {
                (i, j) = (boundary_after(a, i), boundary_after(b, j));
                continue;
            }
            let (of_x, of_y) = (x.starts.count_ones(), y.starts.count_ones());
            let count = of_x.min(of_y);
            if mismatches(&x, x.starts, &y, y.starts) & lanes(count as usize) == 0 {
                i = if of_x == count { boundary_after(a, i) } else { i + nth_lane(x.starts, count) };
                j = if of_y == count { boundary_after(b, j) } else { j + nth_lane(y.starts, count) };
                continue;
            }
        }
        // The block ends early, or two characters differ.
        let (of_x, of_y) = (x.starts & lanes(stop_x), y.starts & lanes(stop_y));
        let count = mismatches(&x, of_x, &y, of_y).trailing_zeros().min(of_x.count_ones()).min(of_y.count_ones());
        let (all_x, all_y) = (count == of_x.count_ones(), count == of_y.count_ones());
        i = if all_x { end_of_characters(a, i, stop_x) } else { i + nth_lane(of_x, count) };
        j = if all_y { end_of_characters(b, j, stop_y) } else { j + nth_lane(of_y, count) };
        let stopped_x = all_x && stop_x < BLOCK;
        let stopped_y = all_y && stop_y < BLOCK;
        if stopped_x && stopped_y {
            let long = scalar::equal_long_length(longest, &a[i..], &b[j..]);
            if long > 0 {
                (i, j) = (i + long, j + long);
                let may_contract_at =
                    |pairs| scalar::may_contract_at(pairs, a, i) || scalar::may_contract_at(pairs, b, j);
                if CONTRACTS && low.pairs().is_some_and(may_contract_at) {
                    break;
                }
                if !LONG {
                    return skip_long::<CONTRACTS, LETTERS>(low, longest, a, b, [i, j]);
                }
                continue;
            }
            break;
        }
        // A text that has stopped or ended waits until the other one has skipped as many
        // characters.
        let goes_on = all_x && (all_y || !stopped_x) || all_y && !stopped_y;
        if !goes_on {
            break;
        }
    }
    [i, j]
}

/// [`skip`] with long characters. A separate instance: the code would take registers from texts
/// that have none.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip_long<const CONTRACTS: bool, const LETTERS: bool>(
    low: &ShortWeights,
    longest: u8,
    a: &[u8],
    b: &[u8],
    at: [usize; 2],
) -> [usize; 2] {
    skip::<CONTRACTS, LETTERS, true>(low, longest, a, b, at)
}

/// Lanes of the well-formed characters of three to `longest` bytes that both texts have in these
/// lanes. A character that may begin a contraction with the next one is excluded, unless the next
/// one is such a longer character too.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn shared_long_characters(
    pairs: Option<&BytePairs>,
    longest: u8,
    here: u64,
    (a, i): (&[u8], usize),
    (b, j): (&[u8], usize),
) -> u64 {
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let (x, next) = (bytes(a, i), next_bytes(a, i));
    let here = here & _mm512_cmpeq_epi8_mask(x, bytes(b, j));
    let is = |lead| _mm512_mask_cmpeq_epi8_mask(here, x, splat(lead));
    let (below, from) =
        (|byte| _mm512_cmplt_epu8_mask(next, splat(byte)), |byte| _mm512_cmpge_epu8_mask(next, splat(byte)));
    // Overlong forms, surrogates, and code points above U+10FFFF.
    let ill = is(0xE0) & below(0xA0) | is(0xED) & from(0xA0) | is(0xF0) & below(0x90) | is(0xF4) & from(0x90);
    let goes_on = here & _mm512_cmplt_epi8_mask(x, splat(0xC0));
    let from_three = here & _mm512_cmpge_epu8_mask(x, splat(0xE0));
    let leads = from_three & !ill & goes_on >> 1 & goes_on >> 2;
    let of_four = _mm512_cmpge_epu8_mask(x, splat(0xF0));
    let last = splat(if longest == 4 { 0xF4 } else { 0xEF });
    let (mut three, mut four) = (leads & !of_four, leads & of_four & goes_on >> 3 & _mm512_cmple_epu8_mask(x, last));
    if let Some(pairs) = pairs {
        let contractible = contractible_ends(pairs, x, next) & !((three | four) >> 1);
        (three, four) = (three & !(contractible >> 2), four & !(contractible >> 3));
    }
    three | three << 1 | three << 2 | four | four << 1 | four << 2 | four << 3
}

/// Lanes of each text in which a contraction may begin that may weigh differently in the other
/// text. `LETTERS`: the pairs are of [`PairBytes::Letters`].
///
/// Inlined: a call would need the blocks in memory.
///
/// # Safety
/// The machine has the instruction set of this backend.
#[inline(always)]
unsafe fn differing_lanes<const LETTERS: bool>(
    pairs: &BytePairs,
    variants: CaseVariants,
    (x, a, i): (&Block, &[u8], usize),
    (y, b, j): (&Block, &[u8], usize),
) -> [u64; 2] {
    // SAFETY: the caller guarantees it.
    unsafe {
        let (mut contractible_x, mut contractible_y, mut is_found) = (0, 0, false);
        if LETTERS || pairs.kind == PairBytes::LettersAndLeads {
            let of_x = contractible_letters::<LETTERS>(pairs, x.bytes, x.next);
            let of_y = contractible_letters::<LETTERS>(pairs, y.bytes, y.next);
            // A letter has one byte, so the lane of its byte is the lane of its character.
            (contractible_x, contractible_y) = (of_x.letters, of_y.letters);
            // A two-byte character in the last lane ends in the next block.
            let of_next = if LETTERS { 0 } else { (x.leads | y.leads) >> (BLOCK - 1) };
            is_found = of_x.beyond_ascii | of_y.beyond_ascii | of_next == 0;
        }
        if !is_found {
            (contractible_x, contractible_y) = (contractible_lanes(pairs, x, a, i), contractible_lanes(pairs, y, b, j));
        }
        if contractible_x | contractible_y == 0 {
            return [0; 2];
        }
        let differ = differing_bits([x.bytes, y.bytes], [x.next, y.next]);
        // Bits that must be equal: all but the bit of case, which must be equal, too, if the case
        // of two neighbouring letters differs.
        let decisive = match variants {
            CaseVariants::None => _mm512_set1_epi8(!0),
            CaseVariants::OtherCase => {
                let uneven = uneven_bits([x.bytes, y.bytes], [x.next, y.next]);
                _mm512_or_si512(uneven, _mm512_set1_epi8(!0x20))
            }
        };
        let mut differing = _mm512_test_epi8_mask(differ, decisive);
        if !LETTERS {
            // Equal pairs beyond ASCII may weigh differently, too.
            differing |= _mm512_movepi8_mask(_mm512_or_si512(x.bytes, x.next));
        }
        // Includes all lanes from the first one in which a character begins in one text only.
        let starts = x.starts ^ y.starts;
        let differing = differing | starts | starts.wrapping_neg();
        [contractible_x & differing, contractible_y & differing]
    }
}

/// Bits in which bytes, or the next bytes, differ between the texts.
#[inline]
#[target_feature(enable = "avx512f")]
fn differing_bits([x, y]: [__m512i; 2], [next_x, next_y]: [__m512i; 2]) -> __m512i {
    _mm512_or_si512(_mm512_xor_si512(x, y), _mm512_xor_si512(next_x, next_y))
}

/// Bit of case if a letter differs in case from the next one in either text. Other bits are
/// arbitrary.
#[inline]
#[target_feature(enable = "avx512f")]
fn uneven_bits([x, y]: [__m512i; 2], [next_x, next_y]: [__m512i; 2]) -> __m512i {
    _mm512_or_si512(_mm512_xor_si512(x, next_x), _mm512_xor_si512(y, next_y))
}

/// Lanes with entries that differ.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mismatched_lanes(high_x: __m512i, low_x: __m512i, high_y: __m512i, low_y: __m512i) -> u64 {
    _mm512_cmpneq_epi8_mask(high_x, high_y) | _mm512_cmpneq_epi8_mask(low_x, low_y)
}

/// Bit of each character whose entry differs from that of the same character in the other text.
/// `of_x` and `of_y` are the lanes of the characters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
fn mismatches(x: &Block, of_x: u64, y: &Block, of_y: u64) -> u64 {
    mismatched_lanes(
        _mm512_maskz_compress_epi8(of_x, x.high),
        _mm512_maskz_compress_epi8(of_x, x.low),
        _mm512_maskz_compress_epi8(of_y, y.high),
        _mm512_maskz_compress_epi8(of_y, y.low),
    )
}

/// Lane of the character with this number, counted from 0. `characters` has such a character.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
fn nth_lane(characters: u64, number: u32) -> usize {
    _pdep_u64(1 << number, characters).trailing_zeros() as usize
}

/// Boundary after the characters of a block at `at` that stops at this lane.
#[inline]
fn end_of_characters(text: &[u8], at: usize, stop: usize) -> usize {
    if stop == BLOCK { boundary_after(text, at) } else { at + stop }
}

/// As the generic version. If all pairs are of letters and leads, takes fewer instructions and
/// stops at a block with a byte beyond ASCII in it or right after it: [`skip_equal`] would look at
/// it again. Bench: `languages`.
///
/// # Safety
/// The machine has the instruction set of this backend.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn mismatch_contractible(pairs: &BytePairs, variants: CaseVariants, a: &[u8], b: &[u8]) -> usize {
    match pairs.kind {
        PairBytes::Letters | PairBytes::LettersAndLeads => mismatch_letters(pairs, variants, a, b),
        // SAFETY: the caller guarantees it.
        PairBytes::Any => unsafe { super::mismatch_contractible(pairs, variants, a, b) },
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn mismatch_letters(pairs: &BytePairs, variants: CaseVariants, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    while at < n {
        // Zeros after the end are equal, and in no pair.
        let [x, y] = [a, b].map(|text| bytes(text, at));
        let next = next_bytes(a, at);
        if _mm512_movepi8_mask(_mm512_or_si512(x, next)) != 0 {
            return at;
        }
        let letters = contractible_letters::<true>(pairs, x, next).letters;
        // SAFETY: this backend's instruction set is there.
        let mismatched = unsafe { _mm512_cmpneq_epi8_mask(V(x).fold().0, V(y).fold().0) };
        // The branches are predictable. If no pair decides, the result need not wait for the pairs.
        // Bench: `languages`, Croatian.
        let letters = letters & _blsmsk_u64(mismatched);
        if letters != 0 {
            let differing = letters & other_letters(variants, [x, y], [next, next_bytes(b, at)]);
            if differing != 0 {
                return at + differing.trailing_zeros() as usize;
            }
        }
        if mismatched != 0 {
            return at + mismatched.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    n
}

/// Lanes of two letters that differ between the texts by more than `variants` allows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn other_letters(variants: CaseVariants, texts: [__m512i; 2], next: [__m512i; 2]) -> u64 {
    let differ = differing_bits(texts, next);
    let strict = _mm512_set1_epi8(i8::from(variants == CaseVariants::None) << 5);
    let uneven = _mm512_or_si512(uneven_bits(texts, next), strict);
    _mm512_test_epi8_mask(differ, differ) & _mm512_test_epi8_mask(uneven, _mm512_set1_epi8(0x20))
}
