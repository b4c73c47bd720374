//! Weights of bytes, and the first weight of a sort key that needs a mark, a vector at a time.
//!
//! # Safety
//! Call only from a function with the vector's target features enabled, on a machine that has them.
//! The output has the room that [`super::Backend`] requires.

use core::mem::MaybeUninit;

use super::ByteTable;
use super::vector::{Keys, load_up_to};

/// Maps each byte of `text`.
#[inline(always)]
pub(super) unsafe fn map_bytes<V: Keys>(map: &[u8; 256], text: &[u8], out: &mut [MaybeUninit<u8>]) {
    let n = text.len().min(out.len());
    let (from, to) = (text.as_ptr(), out.as_mut_ptr().cast::<u8>());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` in the loop and for the
    // last vector, which overlaps the one before.
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

/// First index at which mapped bytes differ, or the length of the shorter text.
///
/// A vector finds the bytes that differ by more than the case of a letter. These few are looked up
/// one at a time: looking up a whole vector in 256 weights takes longer. Bench: `instruction_sets`.
#[inline(always)]
pub(super) unsafe fn mismatch_mapped<V: Keys>(table: &ByteTable, a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    while at < n {
        let rest = n - at;
        // SAFETY: the caller keeps this module's contract; `at + BYTES <= n` for whole vectors, `at
        // + rest == n` for the last one.
        let mut found = unsafe {
            let (x, y) = (load_up_to::<V>(a.as_ptr().add(at), rest), load_up_to::<V>(b.as_ptr().add(at), rest));
            differences(table, x, y).nonzero().mask()
        };
        while found != 0 {
            let lane = at + found.trailing_zeros() as usize;
            if table.weight(a[lane]) != table.weight(b[lane]) {
                return lane;
            }
            found &= found - 1;
        }
        at += V::BYTES;
    }
    n
}

/// Zero in the lanes of equal bytes, and of two cases of a letter that weigh the same.
#[inline(always)]
unsafe fn differences<V: Keys>(table: &ByteTable, x: V, y: V) -> V {
    // SAFETY: the caller keeps this module's contract; nibbles are indexes of both tables.
    unsafe {
        let row = x.high_nibbles().lookup(&ByteTable::ROW);
        let has_cases = x.low_nibbles().lookup(&table.cases).and(row).equal(row);
        let differ = x.xor(y);
        differ.xor(differ.and(has_cases).and(V::splat(ByteTable::CASE)))
    }
}

/// See [`super::Backend::find_marked_byte`].
#[inline(always)]
pub(super) unsafe fn find_marked_byte<V: Keys>(space: u8, bytes: &[u8]) -> usize {
    let (n, from) = (bytes.len(), bytes.as_ptr());
    let mut at = 0;
    // SAFETY: the caller keeps this module's contract; `at + BYTES < n` for whole vectors, so that
    // there is a byte after them, `at + rest == n` for the last one.
    unsafe {
        let (spaces, below) = (V::splat(space), V::splat(space.saturating_sub(1)));
        while at < n {
            let rest = n - at;
            let (these, next) = if rest > V::BYTES {
                (V::load(from.add(at)), V::load(from.add(at + 1)))
            } else {
                let these = load_up_to::<V>(from.add(at), rest);
                (these, these.shifted_down())
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

/// See [`super::Backend::find_marked_word`].
#[inline(always)]
pub(super) unsafe fn find_marked_word<V: Keys>(space: u16, weights: &[u8]) -> usize {
    let (n, from) = (weights.len(), weights.as_ptr());
    let mut at = 0;
    // SAFETY: as in `find_marked_byte`; two bytes follow a whole vector, as the number of bytes
    // is even.
    unsafe {
        let in_key = |weight: u16| V::splat_pair(weight.swap_bytes());
        let (spaces, below, space) = (in_key(space), in_key(space.saturating_sub(1)), V::splat_pair(space));
        while at < n {
            let rest = n - at;
            let (these, next) = if rest > V::BYTES {
                (V::load(from.add(at)), V::load(from.add(at + 2)))
            } else {
                let these = load_up_to::<V>(from.add(at), rest);
                (these, these.shifted_down().shifted_down())
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
