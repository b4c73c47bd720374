//! Sorting of slices by numbers that hold the first weights of each string.
//!
//! A number holds eight bytes, or sixteen bytes with two bytes per weight if many strings are not
//! ASCII or the encoding isn't, such as UTF-16. If many of the sixteen-byte numbers are equal, the
//! next eight weights refine them. Comparison decides where numbers remain equal.

mod byte_codes;

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::MaybeUninit;
use core::ops::Range;

use crate::charset::Encoding;
use crate::dispatch::Operation;
use crate::simd::FILL_ROOM;
use crate::tables::LONGEST;
use crate::weights::{ByteWeights, LevelWeights, TextWeights};
use byte_codes::ByteCodes;

/// Slices below this length are sorted by comparison.
const MIN_LENGTH: usize = 48;

/// Numbers of sixteen bytes are refined if at least one in `REFINED_SHARE` strings has the same
/// number as another string. Bench: `cargo xtask order-by`, words in eight scripts.
const REFINED_SHARE: usize = 8;

/// A number for each requested item. If two numbers of one request differ, the items compare as the
/// numbers do. Requests for the next weights assume equal first weights.
pub(crate) enum Numbers {
    Short(Vec<u64>),
    /// Numbers that [`refine`] can replace by the next weights.
    Long(Vec<u128>),
}

/// Entry of `places` for an item whose next weights are not requested.
const NOT_REQUESTED: u32 = u32::MAX;

/// Sorts items. The sort is stable.
///
/// `numbers(items, None)` returns the first weights of all items. `numbers(items, Some(places))`
/// returns the next weights of the items whose entry in `places` isn't [`NOT_REQUESTED`], in the
/// order of the items.
pub(crate) fn sort<T>(
    items: &mut [T],
    numbers: impl Fn(&[T], Option<&[u32]>) -> Numbers,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    if items.len() < MIN_LENGTH || items.len() >= NOT_REQUESTED as usize {
        return items.sort_by(compare);
    }
    match numbers(items, None) {
        Numbers::Short(first) => sort_ties(items, sort_with_indexes(first), compare),
        Numbers::Long(first) => {
            let mut order = sort_with_indexes(first);
            refine(&mut order, |places| numbers(items, Some(places)));
            sort_ties(items, order, compare);
        }
    }
}

/// Sorts numbers with their indexes. Equal numbers keep their order.
fn sort_with_indexes<N: Ord>(numbers: Vec<N>) -> Vec<(N, u32)> {
    let mut order: Vec<(N, u32)> = numbers.into_iter().zip(0..).collect();
    order.sort_unstable();
    order
}

/// Replaces equal numbers by numbers of the next weights, sorted within each run of equal numbers.
/// Does nothing if few numbers are equal ([`REFINED_SHARE`]).
///
/// The next weights are requested in the order of the items. A string's address is known only after
/// its item is loaded, and adjacent items are loaded together.
fn refine(order: &mut [(u128, u32)], next: impl FnOnce(&[u32]) -> Numbers) {
    let mut start = 0;
    let runs = order.chunk_by(|a, b| a.0 == b.0).map(|run| {
        let length = run.len() as u32;
        start += length;
        start - length..start
    });
    let equal: Vec<Range<u32>> = runs.filter(|run| run.len() > 1).collect();
    if equal.iter().map(Range::len).sum::<usize>() * REFINED_SHARE < order.len() {
        return;
    }
    let mut places = alloc::vec![NOT_REQUESTED; order.len()];
    for place in equal.iter().cloned().flatten() {
        places[order[place as usize].1 as usize] = place;
    }
    let Numbers::Long(next) = next(&places) else { return };
    for (&place, number) in places.iter().filter(|&&place| place != NOT_REQUESTED).zip(next) {
        order[place as usize].0 = number;
    }
    for run in equal {
        order[run.start as usize..run.end as usize].sort_unstable();
    }
}

/// Compares items with equal numbers, and moves all items to their final positions. Neighbours that
/// got equal numbers by chance in [`refine`] are compared, too; they are already in order.
fn sort_ties<T, N: PartialEq>(items: &mut [T], mut order: Vec<(N, u32)>, compare: impl Fn(&T, &T) -> Ordering) {
    assert_eq!(order.len(), items.len());
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
        equal.sort_by(|a, b| compare(&items[a.1 as usize], &items[b.1 as usize]));
    }
    // SAFETY: `order` has one entry per item, and its indexes were only permuted.
    unsafe { permute(items, order.into_iter().map(|(_, index)| index as usize)) };
}

/// Moves the item at `from[i]` to `i`, for each `i`, through a second slice. Following the cycles
/// of the permutation would wait for memory at each item.
///
/// # Safety
/// `from` yields each index of the slice exactly once.
unsafe fn permute<T>(items: &mut [T], from: impl Iterator<Item = usize>) {
    let mut moved: Vec<MaybeUninit<T>> = Vec::with_capacity(items.len());
    for index in from {
        // SAFETY: the item is within the slice. The copy is never dropped, and becomes an item only
        // when the original is overwritten.
        moved.push(unsafe { core::ptr::from_ref(&items[index]).cast::<MaybeUninit<T>>().read() });
    }
    assert_eq!(moved.len(), items.len());
    // SAFETY: `moved` has as many items as the slice, and holds each item once, as the caller
    // guarantees.
    unsafe { core::ptr::copy_nonoverlapping(moved.as_ptr().cast(), items.as_mut_ptr(), items.len()) };
}

/// Computes the number of each string.
pub(crate) struct Prefixes<'i, T, K> {
    pub items: &'i [T],
    pub key: K,
    /// If set, computes the next weights of the items whose entry isn't [`NOT_REQUESTED`].
    pub places: Option<&'i [u32]>,
}

impl<T, K: Fn(&T) -> &[u8]> Operation for Prefixes<'_, T, K> {
    type Output = Numbers;

    fn bytes<B: ByteWeights>(self, weights: B, padded: bool) -> Numbers {
        // Under NO PAD the end is less than or equal to every weight, so zero works.
        let end = if padded { weights.weight(b' ') } else { 0 };
        let prefix = |item| {
            let text = (self.key)(item);
            let mut prefix = [end; 8];
            prefix.iter_mut().zip(text).for_each(|(slot, &byte)| *slot = weights.weight(byte));
            u64::from_be_bytes(prefix)
        };
        Numbers::Short(self.items.iter().map(prefix).collect())
    }

    /// Returns zeros, so that comparison decides: computing keys costs more than their prefixes
    /// save.
    fn text_weights(self, _: &'static TextWeights, _: bool) -> Numbers {
        Numbers::Short(self.items.iter().map(|_| 0).collect())
    }

    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Numbers {
        let end = if padded { b' ' } else { 0 };
        let prefix = |item| {
            let text = (self.key)(item);
            let mut prefix = [end; 8];
            let mut at = 0;
            while at < text.len().min(8) {
                // Ill-formed bytes come after all characters. Comparison decides from the first
                // ill-formed byte on.
                let Some((_, length)) = encoding.decode(text, at) else {
                    prefix[at..].fill(0xFF);
                    break;
                };
                let end = (at + length).min(8);
                prefix[at..end].copy_from_slice(&text[at..end]);
                at += length;
            }
            u64::from_be_bytes(prefix)
        };
        Numbers::Short(self.items.iter().map(prefix).collect())
    }

    fn levels<L: LevelWeights>(self, mut levels: impl Iterator<Item = L> + Clone) -> Numbers {
        // The first level decides before all other levels.
        let Some(level) = levels.next() else { return Numbers::Short(self.items.iter().map(|_| 0).collect()) };
        let texts = || self.items.iter().map(&self.key);
        if let Some(places) = self.places {
            let wanted = texts().zip(places).filter(|&(_, &place)| place != NOT_REQUESTED);
            return Numbers::Long(
                wanted.map(|(text, _)| next_weights_as_number(level, text, WEIGHTS_PER_NUMBER)).collect(),
            );
        }
        // With one byte per weight, a number holds eight ASCII characters. With two bytes per
        // weight, a number holds eight weights of any text in twice the size.
        let sample = texts().step_by(self.items.len().div_ceil(64));
        let foreign = sample.clone().filter(|text| !text.iter().take(8).all(u8::is_ascii)).count();
        let codes = ByteCodes::new(level);
        if 4 * foreign > sample.count() || codes.is_empty() {
            return Numbers::Long(texts().map(|text| next_weights_as_number(level, text, 0)).collect());
        }
        Numbers::Short(texts().map(|text| codes.prefix(level, text)).collect())
    }
}

/// Number of weights in a number of sixteen bytes.
const WEIGHTS_PER_NUMBER: usize = 8;

/// Returns a number of the eight weights after the first `left_out` weights, followed by spaces
/// under PAD SPACE or by zeros.
fn next_weights_as_number<L: LevelWeights>(level: L, text: &[u8], mut left_out: usize) -> u128 {
    let (mut prefix, mut count, mut at) = (0, 0, 0);
    let mut put = |weights: &[u16]| {
        let skipped = left_out.min(weights.len());
        left_out -= skipped;
        for &weight in weights[skipped..].iter().take(WEIGHTS_PER_NUMBER - count) {
            prefix = prefix << 16 | u128::from(weight);
            count += 1;
        }
        count < WEIGHTS_PER_NUMBER
    };
    let mut goes_on = true;
    // Vectors weigh more than eight characters faster than a loop weighs eight.
    if text.iter().take(16).all(|&byte| byte < 0xE0) && level.may_fill(text, 0) {
        let mut weights = [0; FILL_ROOM];
        let filled = level.fill(text, 0, &mut weights);
        goes_on = put(&weights[..filled.produced]);
        at = filled.consumed;
    }
    while goes_on && at < text.len() {
        let mut weights = [0; LONGEST];
        let next = level.next(text, at, &mut weights);
        goes_on = put(&weights[..next.weights]);
        at += next.bytes;
    }
    let pad = level.pad().unwrap_or_default();
    (count..WEIGHTS_PER_NUMBER).fold(prefix, |prefix, _| prefix << 16 | u128::from(pad))
}
