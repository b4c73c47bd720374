//! Sorting slices: by the first weights of each string, eight bytes that compare as one number, and by comparison where those are
//! equal.

mod codes;

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::MaybeUninit;

use crate::bytes::Bytes;
use crate::dispatch::Work;
use crate::encoding::Encoding;
use crate::source::{LONGEST, Source};
use crate::whole::Whole;
use codes::Codes;

/// Below this, strings are compared at once.
const FEW: usize = 48;

/// Puts items into order. Those that are equal keep theirs.
pub(crate) fn sort<T>(items: &mut [T], prefixes: impl FnOnce(&[T]) -> Vec<u64>, compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < FEW || u32::try_from(items.len()).is_err() {
        return items.sort_by(compare);
    }
    let mut order: Vec<(u64, u32)> = prefixes(items).into_iter().zip(0..).collect();
    assert_eq!(order.len(), items.len());
    // The index makes it stable.
    order.sort_unstable();
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0) {
        if equal.len() > 1 {
            equal.sort_by(|a, b| compare(&items[a.1 as usize], &items[b.1 as usize]));
        }
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

/// The first weights of each string, as a number: where two numbers differ, the strings compare as they do.
pub(crate) struct Prefixes<'i, T, K> {
    pub items: &'i [T],
    pub key: K,
}

impl<T, K: Fn(&T) -> &[u8]> Work for Prefixes<'_, T, K> {
    type Output = Vec<u64>;

    fn bytes<B: Bytes>(self, weights: B, padded: bool) -> Vec<u64> {
        // Under NO PAD nothing comes after the end that is less than any weight: zero is no greater than all.
        let end = if padded { weights.weight(b' ') } else { 0 };
        let prefix = |item| {
            let text = (self.key)(item);
            let mut prefix = [end; 8];
            prefix.iter_mut().zip(text).for_each(|(slot, &byte)| *slot = weights.weight(byte));
            u64::from_be_bytes(prefix)
        };
        self.items.iter().map(prefix).collect()
    }

    /// Keys cost more than they tell: comparison decides.
    fn whole(self, _: &'static Whole, _: bool) -> Vec<u64> {
        self.items.iter().map(|_| 0).collect()
    }

    fn code_points<E: Encoding>(self, encoding: E, padded: bool) -> Vec<u64> {
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
        self.items.iter().map(prefix).collect()
    }

    fn levels<S: Source>(self, mut levels: impl Iterator<Item = S> + Clone) -> Vec<u64> {
        // The first level decides before all others.
        let Some(source) = levels.next() else { return self.items.iter().map(|_| 0).collect() };
        let texts = || self.items.iter().map(&self.key);
        // One byte a weight holds eight characters where text is ASCII; two bytes hold four of any.
        let sample = texts().step_by(self.items.len().div_ceil(64));
        let foreign = sample.clone().filter(|text| !text.iter().take(8).all(u8::is_ascii)).count();
        if 4 * foreign > sample.count() {
            return texts().map(|text| wide(source, text)).collect();
        }
        let codes = Codes::of(source);
        if codes.is_empty() {
            return texts().map(|text| wide(source, text)).collect();
        }
        texts().map(|text| codes.prefix(source, text)).collect()
    }
}

/// The first four weights.
fn wide<S: Source>(source: S, text: &[u8]) -> u64 {
    let mut prefix = 0;
    let mut count = 0;
    let mut at = 0;
    while count < 4 && at < text.len() {
        let mut weights = [0; LONGEST];
        let next = source.next(text, at, &mut weights);
        for &weight in weights[..next.weights].iter().take(4 - count) {
            prefix = prefix << 16 | u64::from(weight);
            count += 1;
        }
        at += next.bytes;
    }
    (count..4).fold(prefix, |prefix, _| prefix << 16 | u64::from(source.pad().unwrap_or_default()))
}
