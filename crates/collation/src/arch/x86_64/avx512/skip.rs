//! Skipping what two texts share: characters of the same entries, however many bytes each has in either text; and bytes, with an eye to
//! contractions.

use core::arch::x86_64::*;

use super::super::super::vector::Vector;
use super::super::super::{Low, scalar};
use super::low::{BLOCK, Block, Table, after, bytes, joined_ends, joined_lanes, joined_letters, look_up, next_bytes};
use super::{V, lanes};
use crate::table::{Kind, Pairs, Variants};

/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn skip_equal(low: &Low, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    match low.pairs() {
        None => skip::<false, false, false>(low, longest, a, b, [0; 2]),
        Some(pairs) if pairs.kind == Kind::Letters => skip::<true, true, false>(low, longest, a, b, [0; 2]),
        Some(_) => skip::<true, false, false>(low, longest, a, b, [0; 2]),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip<const JOINED: bool, const LETTERS: bool, const LONG: bool>(
    low: &Low,
    longest: u8,
    a: &[u8],
    b: &[u8],
    [mut i, mut j]: [usize; 2],
) -> [usize; 2] {
    let ascii = Table::of(low.row(0));
    let limit = (Low::MARK >> 8) as u8;
    // The branches are predictable: the previous iteration's outcome repeats. So the next blocks need not wait for entries to be
    // compared.
    while i < a.len() && j < b.len() {
        let mut x = look_up::<JOINED, false>(low.rows(), &ascii, a, i, a.len());
        let mut y = look_up::<JOINED, false>(low.rows(), &ascii, b, j, b.len());
        if LONG && x.strange & y.strange != 0 {
            let here = x.strange & y.strange & lanes((x.starts ^ y.starts).trailing_zeros() as usize);
            let same = same_long(low.pairs().filter(|_| JOINED), longest, here, (a, i), (b, j));
            (x.strange, y.strange) = (x.strange & !same, y.strange & !same);
        }
        let [joined_x, joined_y] = match low.pairs() {
            Some(pairs) if JOINED => {
                // SAFETY: this backend's instruction set is there.
                unsafe { differing_lanes::<LETTERS>(pairs, low.variants(), (&x, a, i), (&y, b, j)) }
            }
            _ => [0; 2],
        };
        let stop_x = x.stop(x.from(limit) | joined_x) as usize;
        let stop_y = y.stop(y.from(limit) | joined_y) as usize;
        if stop_x.min(stop_y) == BLOCK {
            // Characters of the same lengths are compared in their lanes.
            if x.starts == y.starts && x.starts & mismatched_lanes(x.high, x.low, y.high, y.low) == 0 {
                (i, j) = (after(a, i), after(b, j));
                continue;
            }
            let (of_x, of_y) = (x.starts.count_ones(), y.starts.count_ones());
            let count = of_x.min(of_y);
            if mismatches(&x, x.starts, &y, y.starts) & lanes(count as usize) == 0 {
                i = if of_x == count { after(a, i) } else { i + lane(x.starts, count) };
                j = if of_y == count { after(b, j) } else { j + lane(y.starts, count) };
                continue;
            }
        }
        // A character stands in the way, or two differ.
        let (of_x, of_y) = (x.starts & lanes(stop_x), y.starts & lanes(stop_y));
        let count = mismatches(&x, of_x, &y, of_y).trailing_zeros().min(of_x.count_ones()).min(of_y.count_ones());
        let (all_x, all_y) = (count == of_x.count_ones(), count == of_y.count_ones());
        i = if all_x { end(a, i, stop_x) } else { i + lane(of_x, count) };
        j = if all_y { end(b, j, stop_y) } else { j + lane(of_y, count) };
        let stopped_x = all_x && stop_x < BLOCK;
        let stopped_y = all_y && stop_y < BLOCK;
        if stopped_x && stopped_y {
            let long = scalar::long_equal(longest, &a[i..], &b[j..]);
            if long > 0 {
                (i, j) = (i + long, j + long);
                let is_joined = |pairs| scalar::is_joined(pairs, a, i) || scalar::is_joined(pairs, b, j);
                if JOINED && low.pairs().is_some_and(is_joined) {
                    break;
                }
                if !LONG {
                    return skip_long::<JOINED, LETTERS>(low, longest, a, b, [i, j]);
                }
                continue;
            }
            break;
        }
        // A text that has stopped, or ended, waits for as many characters of the other.
        let goes_on = all_x && (all_y || !stopped_x) || all_y && !stopped_y;
        if !goes_on {
            break;
        }
    }
    [i, j]
}

/// As [`skip`], compiled by itself: what looks at longer characters would take registers from texts that have none.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn skip_long<const JOINED: bool, const LETTERS: bool>(
    low: &Low,
    longest: u8,
    a: &[u8],
    b: &[u8],
    at: [usize; 2],
) -> [usize; 2] {
    skip::<JOINED, LETTERS, true>(low, longest, a, b, at)
}

/// The lanes of the characters of three to `longest` bytes that both texts have in these lanes, whole and well-formed. One that may be
/// contracted with the next is left out, but before another of these.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn same_long(pairs: Option<&Pairs>, longest: u8, here: u64, (a, i): (&[u8], usize), (b, j): (&[u8], usize)) -> u64 {
    let splat = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let (x, next) = (bytes(a, i), next_bytes(a, i));
    let here = here & _mm512_cmpeq_epi8_mask(x, bytes(b, j));
    let is = |lead| _mm512_mask_cmpeq_epi8_mask(here, x, splat(lead));
    let (below, from) =
        (|byte| _mm512_cmplt_epu8_mask(next, splat(byte)), |byte| _mm512_cmpge_epu8_mask(next, splat(byte)));
    // Longer than need be, surrogates, and beyond U+10FFFF.
    let ill = is(0xE0) & below(0xA0) | is(0xED) & from(0xA0) | is(0xF0) & below(0x90) | is(0xF4) & from(0x90);
    let goes_on = here & _mm512_cmplt_epi8_mask(x, splat(0xC0));
    // C0 and C1 are the lead bytes of nothing.
    let from_three = here & _mm512_cmpge_epu8_mask(x, splat(0xE0));
    let leads = from_three & !ill & goes_on >> 1 & goes_on >> 2;
    let of_four = _mm512_cmpge_epu8_mask(x, splat(0xF0));
    let last = splat(if longest == 4 { 0xF4 } else { 0xEF });
    let (mut three, mut four) = (leads & !of_four, leads & of_four & goes_on >> 3 & _mm512_cmple_epu8_mask(x, last));
    if let Some(pairs) = pairs {
        let joined = joined_ends(pairs, x, next) & !((three | four) >> 1);
        (three, four) = (three & !(joined >> 2), four & !(joined >> 3));
    }
    three | three << 1 | three << 2 | four | four << 1 | four << 2 | four << 3
}

/// The lanes of each text of characters that may begin a contraction, but for those in which it has the same weights in both. `LETTERS`
/// says whether the pairs are of [`Kind::Letters`].
///
/// Inlined, as blocks would have to be in memory for a call.
///
/// # Safety
/// The machine has this backend's instruction set.
#[inline(always)]
unsafe fn differing_lanes<const LETTERS: bool>(
    pairs: &Pairs,
    variants: Variants,
    (x, a, i): (&Block, &[u8], usize),
    (y, b, j): (&Block, &[u8], usize),
) -> [u64; 2] {
    // SAFETY: the caller's.
    unsafe {
        let (mut joined_x, mut joined_y, mut is_told) = (0, 0, false);
        if LETTERS || pairs.kind == Kind::LettersAndLeads {
            let of_x = joined_letters::<LETTERS>(pairs, x.bytes, x.next);
            let of_y = joined_letters::<LETTERS>(pairs, y.bytes, y.next);
            // The lane of a letter is that of its character.
            (joined_x, joined_y) = (of_x.letters, of_y.letters);
            // A character of two bytes that begins in the last lane ends in the next block.
            let of_next = if LETTERS { 0 } else { (x.leads | y.leads) >> (BLOCK - 1) };
            is_told = of_x.others | of_y.others | of_next == 0;
        }
        if !is_told {
            (joined_x, joined_y) = (joined_lanes(pairs, x, a, i), joined_lanes(pairs, y, b, j));
        }
        if joined_x | joined_y == 0 {
            return [0; 2];
        }
        let differ = differing_bits([x.bytes, y.bytes], [x.next, y.next]);
        // The bits that matter: all but that of case, and this one where it is not even.
        let telling = match variants {
            Variants::None => _mm512_set1_epi8(!0),
            Variants::OtherCase => {
                let uneven = uneven_bits([x.bytes, y.bytes], [x.next, y.next]);
                _mm512_or_si512(uneven, _mm512_set1_epi8(!0x20))
            }
        };
        let mut differing = _mm512_test_epi8_mask(differ, telling);
        if !LETTERS {
            // Those that are the same, but not of ASCII, too.
            differing |= _mm512_movepi8_mask(_mm512_or_si512(x.bytes, x.next));
        }
        // All from the first lane on that begins a character in one text only.
        let starts = x.starts ^ y.starts;
        let differing = differing | starts | starts.wrapping_neg();
        [joined_x & differing, joined_y & differing]
    }
}

/// The bits in which bytes or those after them differ between texts.
#[inline]
#[target_feature(enable = "avx512f")]
fn differing_bits([x, y]: [__m512i; 2], [next_x, next_y]: [__m512i; 2]) -> __m512i {
    _mm512_or_si512(_mm512_xor_si512(x, y), _mm512_xor_si512(next_x, next_y))
}

/// The bit of case, where a letter has another case than the next one in either text; of other bits nothing is said.
#[inline]
#[target_feature(enable = "avx512f")]
fn uneven_bits([x, y]: [__m512i; 2], [next_x, next_y]: [__m512i; 2]) -> __m512i {
    _mm512_or_si512(_mm512_xor_si512(x, next_x), _mm512_xor_si512(y, next_y))
}

/// The lanes whose entries differ.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn mismatched_lanes(high_x: __m512i, low_x: __m512i, high_y: __m512i, low_y: __m512i) -> u64 {
    _mm512_cmpneq_epi8_mask(high_x, high_y) | _mm512_cmpneq_epi8_mask(low_x, low_y)
}

/// A bit for each character whose entry isn't that of the character with the same number. `of_x` and `of_y` are the characters' lanes.
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

/// The lane of the character with this number, which is one of them.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
fn lane(characters: u64, number: u32) -> usize {
    _pdep_u64(1 << number, characters).trailing_zeros() as usize
}

/// Where the characters of a block at `at` end, which stops at this lane.
#[inline]
fn end(text: &[u8], at: usize, stop: usize) -> usize {
    if stop == BLOCK { after(text, at) } else { at + stop }
}

/// As the generic one, by fewer instructions where it is told what kind of bytes pairs are of. Then nothing is told of a block with bytes
/// beyond ASCII: of these [`skip_equal`] looks at more, and would look at the block again. Bench: `languages`.
///
/// # Safety
/// The machine has this backend's instruction set.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn mismatch_joined(pairs: &Pairs, variants: Variants, a: &[u8], b: &[u8]) -> usize {
    match pairs.kind {
        Kind::Letters | Kind::LettersAndLeads => mismatch_letters(pairs, variants, a, b),
        // SAFETY: the caller's.
        Kind::Any => unsafe { super::mismatch_joined(pairs, variants, a, b) },
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn mismatch_letters(pairs: &Pairs, variants: Variants, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    while at < n {
        // Zeros past the end are equal, and in no pair.
        let [x, y] = [a, b].map(|text| bytes(text, at));
        let next = next_bytes(a, at);
        if _mm512_movepi8_mask(_mm512_or_si512(x, next)) != 0 {
            return at;
        }
        let letters = joined_letters::<true>(pairs, x, next).letters;
        // SAFETY: this backend's instruction set is there.
        let mismatched = unsafe { _mm512_cmpneq_epi8_mask(V(x).fold().0, V(y).fold().0) };
        // The branches are predictable: where no pair decides, the lane need not wait for what is told of pairs. Bench: `languages`, Croatian.
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

/// The lanes of two letters that are not the same in both texts, nor in other case as `variants` says.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn other_letters(variants: Variants, texts: [__m512i; 2], next: [__m512i; 2]) -> u64 {
    let differ = differing_bits(texts, next);
    let strict = _mm512_set1_epi8(i8::from(variants == Variants::None) << 5);
    let uneven = _mm512_or_si512(uneven_bits(texts, next), strict);
    _mm512_test_epi8_mask(differ, differ) & _mm512_test_epi8_mask(uneven, _mm512_set1_epi8(0x20))
}
