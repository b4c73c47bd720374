//! Sort keys, a vector at a time: weights of bytes, and which spaces have to be marked in them under PAD SPACE ([`crate::runs`]).
//!
//! # Safety
//! As for [`super::generic`]; there is the room that [`super::Backend`] says.

use core::mem::MaybeUninit;

use super::generic;
use super::vector::Keys;

/// The mapped bytes of `text`.
#[inline(always)]
pub(super) unsafe fn map_bytes<V: Keys>(map: &[u8; 256], text: &[u8], out: &mut [MaybeUninit<u8>]) {
    let n = text.len().min(out.len());
    let (from, to) = (text.as_ptr(), out.as_mut_ptr().cast::<u8>());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` in the loop and for the last vector, which overlaps the one before.
    unsafe {
        let map = V::map(map);
        while at + V::BYTES <= n {
            V::load(from.add(at)).mapped(&map).store(to.add(at));
            at += V::BYTES;
        }
        if at == n {
            return;
        }
        if n >= V::BYTES {
            let at = n - V::BYTES;
            V::load(from.add(at)).mapped(&map).store(to.add(at));
            return;
        }
        let mut last = [MaybeUninit::<u8>::uninit(); 32];
        V::load_start(from, n).mapped(&map).store(last.as_mut_ptr().cast());
        out[..n].copy_from_slice(&last[..n]);
    }
}

/// The first index at which mapped bytes differ, or the shorter text's length.
#[inline(always)]
pub(super) unsafe fn mismatch_mapped<V: Keys>(map: &[u8; 256], a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    // SAFETY: the caller keeps this module's contract.
    let at = if unsafe { ignores_ascii_case::<V>(map) } { unsafe { generic::mismatch_folded::<V>(a, b) } } else { 0 };
    // Laying out the map takes as long as comparing a sentence. Mostly there is nothing left for it to find, or the first bytes decide. Bench: `speed`.
    if at == n || map[usize::from(a[at])] != map[usize::from(b[at])] {
        return at;
    }
    // SAFETY: the caller keeps this module's contract.
    at + 1 + unsafe { mismatch_mapped_vectors::<V>(map, &a[at + 1..n], &b[at + 1..n]) }
}

/// Whether both cases of each letter of ASCII have the same weight.
#[inline(always)]
unsafe fn ignores_ascii_case<V: Keys>(map: &[u8; 256]) -> bool {
    const LETTERS: usize = 26;
    (0..LETTERS).step_by(V::BYTES).all(|at| {
        let [upper, lower] = [b'A', b'a'].map(|first| map[usize::from(first) + at..].as_ptr());
        // SAFETY: the caller keeps this module's contract; there are 64 bytes from `a` on, and no vector has more than 32.
        let same = unsafe { V::load(upper).first_mismatch(V::load(lower)) };
        same >= V::BYTES.min(LETTERS - at)
    })
}

/// As [`mismatch_mapped`], for texts of the same length.
#[inline(always)]
unsafe fn mismatch_mapped_vectors<V: Keys>(map: &[u8; 256], a: &[u8], b: &[u8]) -> usize {
    let n = a.len();
    let (a, b) = (a.as_ptr(), b.as_ptr());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` for whole vectors, `at + rest == n` for the last one.
    unsafe {
        let map = V::map(map);
        while at < n {
            let rest = n - at;
            let (x, y) = if rest >= V::BYTES {
                (V::load(a.add(at)), V::load(b.add(at)))
            } else {
                (V::load_start(a.add(at), rest), V::load_start(b.add(at), rest))
            };
            let lane = x.mapped(&map).first_mismatch(y.mapped(&map));
            if lane < rest.min(V::BYTES) {
                return at + lane;
            }
            at += V::BYTES;
        }
    }
    n
}

/// [`super::Backend::find_mark_of_bytes`].
#[inline(always)]
pub(super) unsafe fn find_mark_of_bytes<V: Keys>(space: u8, bytes: &[u8]) -> usize {
    let (n, from) = (bytes.len(), bytes.as_ptr());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES < n` for whole vectors, so that there is a byte after them, `at + rest == n`
    // for the last one.
    unsafe {
        let (spaces, below) = (V::splat(space), V::splat(space.saturating_sub(1)));
        while at < n {
            let rest = n - at;
            let (these, next) = if rest > V::BYTES {
                (V::load(from.add(at)), V::load(from.add(at + 1)))
            } else {
                let these = load_rest::<V>(from.add(at), rest);
                (these, these.moved_down())
            };
            let unordered = these.equal(spaces).and(spaces.at_least(next));
            let found = unordered.or(these.equal(below)).mask();
            if found != 0 {
                return n.min(at + found.trailing_zeros() as usize);
            }
            at += V::BYTES;
        }
    }
    n
}

/// [`super::Backend::find_mark_of_pairs`].
#[inline(always)]
pub(super) unsafe fn find_mark_of_pairs<V: Keys>(space: u16, weights: &[u8]) -> usize {
    let (n, from) = (weights.len(), weights.as_ptr());
    let mut at = 0;
    // SAFETY: as in `find_mark_of_bytes`; there are two bytes after a whole vector, as their number is even.
    unsafe {
        let in_key = |weight: u16| V::splat_pair(weight.swap_bytes());
        let (spaces, below, space) = (in_key(space), in_key(space.saturating_sub(1)), V::splat_pair(space));
        while at < n {
            let rest = n - at;
            let (these, next) = if rest > V::BYTES {
                (V::load(from.add(at)), V::load(from.add(at + 2)))
            } else {
                let these = load_rest::<V>(from.add(at), rest);
                (these, these.moved_down().moved_down())
            };
            let unordered = these.equal_pairs(spaces).and(next.swapped().at_most_pairs(space));
            let found = unordered.or(these.equal_pairs(below)).mask();
            if found != 0 {
                return n.min(at + found.trailing_zeros() as usize);
            }
            at += V::BYTES;
        }
    }
    n
}

/// The `rest <= BYTES` bytes at `from`, zeros after them.
#[inline(always)]
unsafe fn load_rest<V: Keys>(from: *const u8, rest: usize) -> V {
    // SAFETY: the caller's: they can be read.
    unsafe { if rest == V::BYTES { V::load(from) } else { V::load_start(from, rest) } }
}
