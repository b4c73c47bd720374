//! The algorithms, written once for any [`Vector`].
//!
//! # Safety
//! Call only from a function with the vector's target features enabled, on a machine that has them.
//! Reads stay within the slices: whole vectors first, then a masked load, or a last vector that
//! overlaps the one before, or the scalar version for a text shorter than a vector.

use super::block::contractible_bytes;
use super::byte_set::ByteRange;
use super::scalar;
use super::vector::{Shuffle, Vector};
use super::{BytePairs, CaseVariants};

#[inline(always)]
pub(super) unsafe fn mismatch<V: Vector>(a: &[u8], b: &[u8]) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe { first_mismatch::<V, AsIs>(a, b) }
}

#[inline(always)]
pub(super) unsafe fn mismatch_folded<V: Vector>(a: &[u8], b: &[u8]) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe { first_mismatch::<V, Folded>(a, b) }
}

#[inline(always)]
pub(super) unsafe fn mismatch_folded_ascii<V: Vector>(a: &[u8], b: &[u8]) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe { first_mismatch::<V, FoldedAscii>(a, b) }
}

/// A comparison of bytes.
///
/// A type instead of a closure: a closure has no target features, and would be called instead of
/// inlined.
trait Comparison {
    /// First lane that mismatches, or the number of lanes.
    ///
    /// # Safety
    /// The contract of this module.
    unsafe fn mismatched_lane<V: Vector>(a: V, b: V) -> usize;
    /// The scalar version, for texts shorter than a vector.
    fn compare_scalar(a: &[u8], b: &[u8]) -> usize;
}

struct AsIs;

impl Comparison for AsIs {
    #[inline(always)]
    unsafe fn mismatched_lane<V: Vector>(a: V, b: V) -> usize {
        // SAFETY: the caller keeps this module's contract.
        unsafe { a.first_mismatch(b) }
    }

    #[inline(always)]
    fn compare_scalar(a: &[u8], b: &[u8]) -> usize {
        scalar::mismatch(a, b)
    }
}

struct Folded;

impl Comparison for Folded {
    #[inline(always)]
    unsafe fn mismatched_lane<V: Vector>(a: V, b: V) -> usize {
        // SAFETY: the caller keeps this module's contract.
        unsafe { a.fold().first_mismatch(b.fold()) }
    }

    #[inline(always)]
    fn compare_scalar(a: &[u8], b: &[u8]) -> usize {
        scalar::mismatch_folded(a, b)
    }
}

struct FoldedAscii;

impl Comparison for FoldedAscii {
    #[inline(always)]
    unsafe fn mismatched_lane<V: Vector>(a: V, b: V) -> usize {
        // A byte beyond ASCII in `b` alone is a mismatch already. SAFETY: the caller keeps this
        // module's contract.
        unsafe { Folded::mismatched_lane(a, b).min(a.first_high()) }
    }

    #[inline(always)]
    fn compare_scalar(a: &[u8], b: &[u8]) -> usize {
        scalar::mismatch_folded_ascii(a, b)
    }
}

#[inline(always)]
unsafe fn first_mismatch<V: Vector, C: Comparison>(a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (pa, pb) = (a.as_ptr(), b.as_ptr());
    let mut at = 0;
    // SAFETY: `at + BYTES <= n` in the loop and for the overlapping load, `at + rest == n` for the
    // masked one.
    unsafe {
        while at + V::BYTES <= n {
            let lane = C::mismatched_lane(V::load(pa.add(at)), V::load(pb.add(at)));
            if lane < V::BYTES {
                return at + lane;
            }
            at += V::BYTES;
        }
        let rest = n - at;
        if rest == 0 {
            n
        } else if let (Some(a), Some(b)) = (V::load_partial(pa.add(at), rest), V::load_partial(pb.add(at), rest)) {
            at + C::mismatched_lane(a, b).min(rest)
        } else if n >= V::BYTES {
            let at = n - V::BYTES;
            at + C::mismatched_lane(V::load(pa.add(at)), V::load(pb.add(at)))
        } else {
            C::compare_scalar(&a[..n], &b[..n])
        }
    }
}

/// First lane at which two texts mismatch. `x` and `y` are bytes of the texts, `next_x` and
/// `next_y` the bytes after them.
///
/// Both texts have the same possible contractions up to the first mismatch, as both cases of a
/// letter have the same classes. If `strict` is zero, a contraction may be in the other case, if
/// all its letters are: `CH` and `ch`, but not `cH`.
///
/// Not a closure: closures have no target features, so each instruction would be a call.
#[inline(always)]
unsafe fn mismatched_lane_outside_contractions<V: Shuffle>(
    pairs: &BytePairs,
    strict: V,
    [x, y]: [V; 2],
    [next_x, next_y]: [V; 2],
) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe {
        let contractible = contractible_bytes(pairs, x, next_x);
        if contractible.is_zero() {
            return Folded::mismatched_lane(x, y);
        }
        let contractible = contractible.nonzero();
        let differ = x.xor(y).or(next_x.xor(next_y));
        let uneven = uneven_pairs(strict, [x, y], [next_x, next_y]);
        let in_contraction = contractible.and(differ).and(uneven).first_mismatch(V::zero());
        Folded::mismatched_lane(x, y).min(in_contraction)
    }
}

/// Mask of the letters whose case differs from that of the next letter in either text; of all
/// lanes, if `strict` is not zero.
#[inline(always)]
unsafe fn uneven_pairs<V: Shuffle>(strict: V, [x, y]: [V; 2], [next_x, next_y]: [V; 2]) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { x.xor(next_x).or(y.xor(next_y)).and(V::splat(0x20)).or(strict).nonzero() }
}

/// The `strict` argument of [`uneven_pairs`].
#[inline(always)]
pub(super) unsafe fn strict_lanes<V: Vector>(variants: CaseVariants) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { V::splat(if variants == CaseVariants::None { 1 } else { 0 }) }
}

/// Mask of the bytes that form different pairs with the next byte in the two texts, unless the
/// pairs are [`CaseVariants`], and of the bytes beyond ASCII: a contraction there may have
/// different weights.
#[inline(always)]
pub(super) unsafe fn differing_pairs<V: Shuffle>(strict: V, [x, y]: [V; 2], [next_x, next_y]: [V; 2]) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe {
        let differ = x.xor(y).or(next_x.xor(next_y));
        let uneven = uneven_pairs(strict, [x, y], [next_x, next_y]).and(differ);
        let long = x.or(next_x).or(y).or(next_y).and(V::splat(0x80));
        uneven.or(differ.and(V::splat(!0x20))).or(long).nonzero()
    }
}

/// See [`super::Backend::mismatch_contractible`].
#[inline(always)]
pub(super) unsafe fn mismatch_contractible<V: Shuffle>(
    pairs: &BytePairs,
    variants: CaseVariants,
    a: &[u8],
    b: &[u8],
) -> usize {
    let n = a.len().min(b.len());
    let (pa, pb) = (a.as_ptr(), b.as_ptr());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract.
    let strict = unsafe { strict_lanes(variants) };
    // SAFETY: `at + BYTES < n` in the loop, so that there is a byte after the vector; the masked
    // loads end at `n`, the last vector is one byte before it.
    unsafe {
        while at + V::BYTES < n {
            let here = [V::load(pa.add(at)), V::load(pb.add(at))];
            let next = [V::load(pa.add(at + 1)), V::load(pb.add(at + 1))];
            let found = mismatched_lane_outside_contractions(pairs, strict, here, next);
            if found < V::BYTES {
                return at + found;
            }
            at += V::BYTES;
        }
        let rest = n - at;
        if rest == 0 {
            return n;
        }
        if let (Some(x), Some(y), Some(next_x), Some(next_y)) = (
            V::load_partial(pa.add(at), rest),
            V::load_partial(pb.add(at), rest),
            V::load_partial(pa.add(at + 1), rest - 1),
            V::load_partial(pb.add(at + 1), rest - 1),
        ) {
            return at + mismatched_lane_outside_contractions(pairs, strict, [x, y], [next_x, next_y]).min(rest);
        }
        if n > V::BYTES {
            let last = n - V::BYTES - 1;
            let here = [V::load(pa.add(last)), V::load(pb.add(last))];
            let next = [V::load(pa.add(last + 1)), V::load(pb.add(last + 1))];
            let found = mismatched_lane_outside_contractions(pairs, strict, here, next);
            if found < V::BYTES {
                return last + found;
            }
            at = n - 1;
        }
    }
    at + scalar::mismatch_contractible(pairs, variants, &a[at..n], &b[at..n])
}

/// A search for the end of a run at the start of a text.
trait Search<V> {
    /// First lane that ends the run, or the number of lanes.
    ///
    /// # Safety
    /// The contract of this module.
    unsafe fn first_lane(&self, vector: V) -> usize;
    /// The scalar version, for texts shorter than a vector.
    fn search_scalar(&self, text: &[u8]) -> usize;
}

/// Searches for a byte other than the given one. The fields are this byte in all lanes, and as a
/// number.
struct OtherThan<V>(V, u8);

impl<V: Vector> Search<V> for OtherThan<V> {
    #[inline(always)]
    unsafe fn first_lane(&self, vector: V) -> usize {
        // SAFETY: the caller keeps this module's contract.
        unsafe { vector.first_mismatch(self.0) }
    }

    #[inline(always)]
    fn search_scalar(&self, text: &[u8]) -> usize {
        scalar::run_of(self.1, text)
    }
}

struct NonAscii;

impl<V: Vector> Search<V> for NonAscii {
    #[inline(always)]
    unsafe fn first_lane(&self, vector: V) -> usize {
        // SAFETY: the caller keeps this module's contract.
        unsafe { vector.first_high() }
    }

    #[inline(always)]
    fn search_scalar(&self, text: &[u8]) -> usize {
        scalar::ascii_prefix(text)
    }
}

#[inline(always)]
pub(super) unsafe fn run_of<V: Vector>(byte: u8, text: &[u8]) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe { find_first(text, &OtherThan(V::splat(byte), byte)) }
}

#[inline(always)]
pub(super) unsafe fn ascii_prefix<V: Vector>(text: &[u8]) -> usize {
    // SAFETY: the caller keeps this module's contract.
    unsafe { find_first::<V, NonAscii>(text, &NonAscii) }
}

#[inline(always)]
unsafe fn find_first<V: Vector, W: Search<V>>(text: &[u8], search: &W) -> usize {
    let (n, p) = (text.len(), text.as_ptr());
    let mut at = 0;
    // SAFETY: as in `first_mismatch`.
    unsafe {
        while at + V::BYTES <= n {
            let found = search.first_lane(V::load(p.add(at)));
            if found < V::BYTES {
                return at + found;
            }
            at += V::BYTES;
        }
        let rest = n - at;
        if rest == 0 {
            n
        } else if let Some(last) = V::load_partial(p.add(at), rest) {
            at + search.first_lane(last).min(rest)
        } else if n >= V::BYTES {
            n - V::BYTES + search.first_lane(V::load(p.add(n - V::BYTES)))
        } else {
            search.search_scalar(text)
        }
    }
}

#[inline(always)]
pub(super) unsafe fn trailing_run<V: Vector>(range: &ByteRange, text: &[u8]) -> usize {
    let (n, p) = (text.len(), text.as_ptr());
    let mut end = n;
    // SAFETY: `end - BYTES` is no less than zero in the loop; the masked load ends at `end`, the
    // last vector at `BYTES`, no later than `n`.
    unsafe {
        while end >= V::BYTES {
            let run = V::load(p.add(end - V::BYTES)).trailing_run(range, V::BYTES);
            if run < V::BYTES {
                return n - end + run;
            }
            end -= V::BYTES;
        }
        let run = if end == 0 {
            0
        } else if let Some(first) = V::load_partial(p, end) {
            first.trailing_run(range, end)
        } else if n >= V::BYTES {
            V::load(p).trailing_run(range, end)
        } else {
            scalar::trailing_run(range, text)
        };
        n - end + run
    }
}

#[inline(always)]
pub(super) unsafe fn is_words<V: Vector>(text: &[u8]) -> bool {
    let (n, p) = (text.len(), text.as_ptr());
    let mut at = 0;
    // SAFETY: `at + BYTES < n` in the loop, so that there is a byte after the vector; the masked
    // loads end at `n`, the last vector is one byte before it.
    unsafe {
        while at + V::BYTES < n {
            if V::load(p.add(at)).first_breaking_words(V::load(p.add(at + 1))) < V::BYTES {
                return false;
            }
            at += V::BYTES;
        }
        let rest = n - at;
        if rest == 0 {
            return true;
        }
        if let (Some(last), Some(next)) = (V::load_partial(p.add(at), rest), V::load_partial(p.add(at + 1), rest - 1)) {
            // Zeros follow the end.
            return last.first_breaking_words(next) >= rest;
        }
        if n > V::BYTES {
            let last = n - V::BYTES - 1;
            let found = V::load(p.add(last)).first_breaking_words(V::load(p.add(last + 1)));
            return found == V::BYTES && scalar::is_words(&text[n - 1..]);
        }
    }
    scalar::is_words(text)
}

#[inline(always)]
pub(super) unsafe fn utf8_starts<V: Vector>(text: &[u8]) -> usize {
    let mut chunks = text.chunks_exact(V::BYTES);
    let mut count = 0;
    for chunk in &mut chunks {
        // SAFETY: a chunk has `BYTES` bytes.
        count += unsafe { V::load(chunk.as_ptr()).starts() };
    }
    count + scalar::utf8_starts(chunks.remainder())
}

/// Backend functions that need a [`Vector`].
macro_rules! instantiate {
    ($vector:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn is_words(text: &[u8]) -> bool {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::generic::is_words::<$vector>(text) }
        }

        $crate::simd::generic::instantiate!(@ $vector, $features,
            mismatch(a: &[u8], b: &[u8]),
            mismatch_folded(a: &[u8], b: &[u8]),
            mismatch_folded_ascii(a: &[u8], b: &[u8]),
            run_of(byte: u8, text: &[u8]),
            trailing_run(range: &$crate::simd::ByteRange, text: &[u8]),
            ascii_prefix(text: &[u8]),
            utf8_starts(text: &[u8])
        );
    };
    (@ $vector:ty, $features:literal, $($name:ident($($argument:ident: $type:ty),+)),+) => {$(
        #[target_feature(enable = $features)]
        unsafe fn $name($($argument: $type),+) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::generic::$name::<$vector>($($argument),+) }
        }
    )+};
}
pub(super) use instantiate;

/// Backend functions that need a [`Shuffle`].
macro_rules! instantiate_shuffle {
    ($vector:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn utf8_prefix(text: &[u8]) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::utf8::utf8_prefix::<$vector>(text) }
        }

        #[target_feature(enable = $features)]
        unsafe fn mismatch_contractible(
            pairs: &$crate::simd::BytePairs,
            variants: $crate::simd::CaseVariants,
            a: &[u8],
            b: &[u8],
        ) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::generic::mismatch_contractible::<$vector>(pairs, variants, a, b) }
        }
    };
}
pub(super) use instantiate_shuffle;

/// Backend functions that need [`Lanes`](super::vector::Lanes).
macro_rules! instantiate_lanes {
    ($vector:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn skip_equal(low: &$crate::simd::ShortWeights, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::skip::skip_equal::<$vector>(low, longest, a, b) }
        }

        #[target_feature(enable = $features)]
        unsafe fn fill(low: &$crate::simd::ShortWeights, text: &[u8], out: &mut [u16]) -> $crate::simd::Filled {
            const HIGH_FIRST: bool = cfg!(target_endian = "big");
            // SAFETY: the features are enabled here, and the machine has them. The room is counted
            // in weights, which is what is written.
            unsafe { fill_for::<HIGH_FIRST>(low, text, out.as_mut_ptr().cast(), out.len()) }
        }

        #[target_feature(enable = $features)]
        unsafe fn fill_key(
            low: &$crate::simd::ShortWeights,
            text: &[u8],
            out: &mut [core::mem::MaybeUninit<u8>],
        ) -> $crate::simd::Filled {
            // SAFETY: the features are enabled here, and the machine has them. A weight is two
            // bytes.
            unsafe { fill_for::<true>(low, text, out.as_mut_ptr().cast(), out.len() / 2) }
        }

        /// Writes weights to `out`, which has room for `room` of them.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn fill_for<const HIGH_FIRST: bool>(
            low: &$crate::simd::ShortWeights,
            text: &[u8],
            out: *mut u8,
            room: usize,
        ) -> $crate::simd::Filled {
            use $crate::simd::fill::{fill_after, fill_printable};
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe {
                let at = fill_printable::<$vector, HIGH_FIRST>(low, text, out, room);
                match (low.contractions().is_some(), low.has_frequent_expansions()) {
                    (false, false) => fill_after::<$vector, HIGH_FIRST, false, false>(low, text, out, room, at),
                    (false, true) => fill_others::<HIGH_FIRST, false, true>(low, text, out, room, at),
                    (true, false) => fill_others::<HIGH_FIRST, true, false>(low, text, out, room, at),
                    (true, true) => fill_others::<HIGH_FIRST, true, true>(low, text, out, room, at),
                }
            }
        }

        /// Not inlined: levels without contractions and frequent expansions would wait for more
        /// registers to be saved.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn fill_others<const HIGH_FIRST: bool, const CONTRACTS: bool, const FREQUENT_EXPANSIONS: bool>(
            low: &$crate::simd::ShortWeights,
            text: &[u8],
            out: *mut u8,
            room: usize,
            at: usize,
        ) -> $crate::simd::Filled {
            // SAFETY: the caller guarantees it.
            unsafe {
                $crate::simd::fill::fill_after::<$vector, HIGH_FIRST, CONTRACTS, FREQUENT_EXPANSIONS>(
                    low, text, out, room, at,
                )
            }
        }
    };
}
pub(super) use instantiate_lanes;

/// Backend functions that need [`Keys`](super::vector::Keys).
macro_rules! instantiate_keys {
    ($vector:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn mismatch_mapped(table: &$crate::simd::ByteTable, a: &[u8], b: &[u8]) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::keys::mismatch_mapped::<$vector>(table, a, b) }
        }

        #[target_feature(enable = $features)]
        unsafe fn map_bytes(map: &[u8; 256], text: &[u8], out: &mut [core::mem::MaybeUninit<u8>]) {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::keys::map_bytes::<$vector>(map, text, out) }
        }

        #[target_feature(enable = $features)]
        unsafe fn find_marked_byte(space: u8, bytes: &[u8]) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::keys::find_marked_byte::<$vector>(space, bytes) }
        }

        #[target_feature(enable = $features)]
        unsafe fn find_marked_word(space: u16, weights: &[u8]) -> usize {
            // SAFETY: the features are enabled here, and the machine has them.
            unsafe { $crate::simd::keys::find_marked_word::<$vector>(space, weights) }
        }
    };
}
pub(super) use instantiate_keys;
