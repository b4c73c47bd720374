//! Sorting slices: by the first weights of each string, eight bytes that compare as one number, or sixteen where text is not ASCII; where many of
//! these are equal, by the next sixteen; and by comparison where those are equal.

mod codes;

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::MaybeUninit;
use core::ops::Range;

use crate::arch::FILL_ROOM;
use crate::bytes::Bytes;
use crate::dispatch::Work;
use crate::encoding::Encoding;
use crate::source::{LONGEST, Source};
use crate::whole::Whole;
use codes::Codes;

/// Below this, strings are compared at once.
const FEW: usize = 48;

/// Where one string in so many has the first weights of another, the next ones are worth asking for. Bench: `cargo xtask order-by`, words in eight
/// scripts.
const SHARE: usize = 8;

/// A number for each item: where two numbers differ, the items compare as they do.
pub(crate) enum Numbers {
    Short(Vec<u64>),
    /// More weights come behind those of a number.
    Long(Vec<u128>),
}

/// Where an item stands whose weights are not asked for.
const NOWHERE: u32 = u32::MAX;

/// Puts items into order. Those that are equal keep theirs.
///
/// `numbers` tells the first weights; with the places of items, the weights behind those, in the order of the items that have a place.
pub(crate) fn sort<T>(
    items: &mut [T],
    numbers: impl Fn(&[T], Option<&[u32]>) -> Numbers,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    if items.len() < FEW || items.len() >= NOWHERE as usize {
        return items.sort_by(compare);
    }
    match numbers(items, None) {
        Numbers::Short(first) => finish(items, ordered(first), compare),
        Numbers::Long(first) => {
            let mut order = ordered(first);
            refine(&mut order, |places| numbers(items, Some(places)));
            finish(items, order, compare);
        }
    }
}

/// Numbers in order, with their indexes, which keep equal ones in theirs.
fn ordered<N: Ord>(numbers: Vec<N>) -> Vec<(N, u32)> {
    let mut order: Vec<(N, u32)> = numbers.into_iter().zip(0..).collect();
    order.sort_unstable();
    order
}

/// Replaces equal numbers by those of the next weights, in order within each run of equal ones. They are asked for in the order of the items:
/// where a string lies is known only when its item has come from memory, and neighbours come together.
fn refine(order: &mut [(u128, u32)], next: impl FnOnce(&[u32]) -> Numbers) {
    let mut start = 0;
    let runs = order.chunk_by(|a, b| a.0 == b.0).map(|run| {
        let length = run.len() as u32;
        start += length;
        start - length..start
    });
    let equal: Vec<Range<u32>> = runs.filter(|run| run.len() > 1).collect();
    if equal.iter().map(Range::len).sum::<usize>() * SHARE < order.len() {
        return;
    }
    let mut places = alloc::vec![NOWHERE; order.len()];
    for place in equal.iter().cloned().flatten() {
        places[order[place as usize].1 as usize] = place;
    }
    let Numbers::Long(next) = next(&places) else { return };
    for (&place, number) in places.iter().filter(|&&place| place != NOWHERE).zip(next) {
        order[place as usize].0 = number;
    }
    for run in equal {
        order[run.start as usize..run.end as usize].sort_unstable();
    }
}

/// Compares items of equal numbers, and moves all to their places. Neighbours that got equal numbers in [`refine`] and were in order are so
/// afterwards.
fn finish<T, N: PartialEq>(items: &mut [T], mut order: Vec<(N, u32)>, compare: impl Fn(&T, &T) -> Ordering) {
    assert_eq!(order.len(), items.len());
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
        equal.sort_by(|a, b| compare(&items[a.1 as usize], &items[b.1 as usize]));
    }
    // SAFETY: there was a number for each item, and the numbers only changed places.
    unsafe { permute(items, order.into_iter().map(|(_, index)| index as usize)) };
}

/// Moves the item at `from[i]` to `i`, for each `i`: into a second slice and back. Along the cycles of the permutation, each item would
/// wait for the one before it to come from memory.
///
/// # Safety
/// `from` yields each index of the slice once.
unsafe fn permute<T>(items: &mut [T], from: impl Iterator<Item = usize>) {
    let mut moved: Vec<MaybeUninit<T>> = Vec::with_capacity(items.len());
    for index in from {
        // SAFETY: the item is within the slice. The copy is never dropped, and becomes an item only when the item is overwritten.
        moved.push(unsafe { core::ptr::from_ref(&items[index]).cast::<MaybeUninit<T>>().read() });
    }
    assert_eq!(moved.len(), items.len());
    // SAFETY: as many items as there were, and each of them once, as the caller says.
    unsafe { core::ptr::copy_nonoverlapping(moved.as_ptr().cast(), items.as_mut_ptr(), items.len()) };
}

/// The first weights of each string, as a number.
pub(crate) struct Prefixes<'i, T, K> {
    pub items: &'i [T],
    pub key: K,
    /// The next weights instead, of those that have a place.
    pub places: Option<&'i [u32]>,
}

impl<T, K: Fn(&T) -> &[u8]> Work for Prefixes<'_, T, K> {
    type Output = Numbers;

    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Numbers {
        // Under NO PAD nothing comes after the end that is less than any weight: zero is no greater than all.
        let end = if padded { weights.weight(b' ') } else { 0 };
        let prefix = |item| {
            let text = (self.key)(item);
            let mut prefix = [end; 8];
            prefix.iter_mut().zip(text).for_each(|(slot, &byte)| *slot = weights.weight(byte));
            u64::from_be_bytes(prefix)
        };
        Numbers::Short(self.items.iter().map(prefix).collect())
    }

    /// Keys cost more than they tell: comparison decides.
    fn whole(self, _: &'static Whole, _: bool) -> Numbers {
        Numbers::Short(self.items.iter().map(|_| 0).collect())
    }

    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Numbers {
        let end = if padded { b' ' } else { 0 };
        let prefix = |item| {
            let text = (self.key)(item);
            let mut prefix = [end; 8];
            let mut at = 0;
            while at < text.len().min(8) {
                // From an ill-formed byte on, which comes after all characters, comparison decides.
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

    fn levels<S: Source>(self, mut levels: impl Iterator<Item = S> + Clone) -> Numbers {
        // The first level decides before all others.
        let Some(source) = levels.next() else { return Numbers::Short(self.items.iter().map(|_| 0).collect()) };
        let texts = || self.items.iter().map(&self.key);
        if let Some(places) = self.places {
            let wanted = texts().zip(places).filter(|&(_, &place)| place != NOWHERE);
            return Numbers::Long(wanted.map(|(text, _)| wide(source, text, WIDE)).collect());
        }
        // One byte a weight holds eight characters where text is ASCII; two bytes hold eight of any in twice the room.
        let sample = texts().step_by(self.items.len().div_ceil(64));
        let foreign = sample.clone().filter(|text| !text.iter().take(8).all(u8::is_ascii)).count();
        let codes = Codes::of(source);
        if 4 * foreign > sample.count() || codes.is_empty() {
            return Numbers::Long(texts().map(|text| wide(source, text, 0)).collect());
        }
        Numbers::Short(texts().map(|text| codes.prefix(source, text)).collect())
    }
}

/// Weights in a number of sixteen bytes.
const WIDE: usize = 8;

/// Eight weights, behind the first ones that are left out.
fn wide<S: Source>(source: S, text: &[u8], mut left_out: usize) -> u128 {
    let (mut prefix, mut count, mut at) = (0, 0, 0);
    let mut put = |weights: &[u16]| {
        let skipped = left_out.min(weights.len());
        left_out -= skipped;
        for &weight in weights[skipped..].iter().take(WIDE - count) {
            prefix = prefix << 16 | u128::from(weight);
            count += 1;
        }
        count < WIDE
    };
    let mut goes_on = true;
    if source.is_plain(text, 0) {
        let mut weights = [0; FILL_ROOM];
        let filled = source.fill(text, 0, &mut weights);
        goes_on = put(&weights[..filled.produced]);
        at = filled.consumed;
    }
    while goes_on && at < text.len() {
        let mut weights = [0; LONGEST];
        let next = source.next(text, at, &mut weights);
        goes_on = put(&weights[..next.weights]);
        at += next.bytes;
    }
    let pad = source.pad().unwrap_or_default();
    (count..WIDE).fold(prefix, |prefix, _| prefix << 16 | u128::from(pad))
}
