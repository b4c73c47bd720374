//! Writing the weights of plain text, a vector at a time: of characters of one weight or none, and of those of two where there are some.
//!
//! # Safety
//! As for [`super::generic`].

use super::block::{Block, after};
use super::low::Expansions;
use super::vector::{Lanes, lanes};
use super::{FILL_ROOM, Filled, Low};

/// Entries whose high byte is this or above are no weights.
const LIMIT: u8 = (Low::SEVERAL >> 8) as u8;

/// Writes weights to `out`, which has room for `room` of them and need not be aligned.
#[inline(always)]
pub(super) unsafe fn fill<V: Lanes, const HIGH_FIRST: bool>(
    low: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 2 * V::BYTES) }
    let ascii = low.row(0);
    let (mut consumed, mut produced) = (0, 0);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        // SAFETY: the caller keeps this module's contract; `consumed` is a boundary within the text; there is room for twice as many weights
        // as a vector has lanes.
        unsafe {
            let block = Block::<V>::at(text, consumed);
            let (mut high, mut least) = (block.bytes.choose(&ascii.high), block.bytes.choose(&ascii.low));
            let mut rest = block.leads();
            while rest != 0 {
                let (number, same, others) = block.row(text, consumed, rest);
                let row = low.row(number);
                high = V::select(same, block.indexes().choose(&row.high), high);
                least = V::select(same, block.indexes().choose(&row.low), least);
                rest = others;
            }
            // No closure: it would be called, and the block written to memory for it.
            let joined = match low.pairs() {
                Some(pairs) => block.joined(pairs, text, consumed),
                None => 0,
            };
            let several = block.starts & high.at_least(V::splat(LIMIT)).mask();
            let mut stop = block.stop(several | joined);
            match low.expansions() {
                Some(expansions) if several >> stop.min(V::BYTES - 1) & 1 == 1 => {
                    let weights = Two::of(expansions, &block, text, consumed);
                    stop = block.stop(several & !weights.expanded | joined);
                    produced += weights.store::<HIGH_FIRST>(block.starts & lanes::<V>(stop), out.add(2 * produced));
                }
                _ => {
                    let kept = block.starts & lanes::<V>(stop) & high.or(least).nonzero().mask();
                    let (first, second) = if HIGH_FIRST { (high, least) } else { (least, high) };
                    V::store_pairs(first, second, kept, out.add(2 * produced));
                    produced += kept.count_ones() as usize;
                }
            }
            if stop < V::BYTES {
                consumed += stop;
                break;
            }
            consumed = after::<V>(text, consumed);
        }
    }
    Filled { consumed, produced }
}

/// A block of characters of two weights at most.
struct Two<V> {
    /// High bytes and low bytes of the first weights.
    first: [V; 2],
    /// The same of the second ones.
    second: [V; 2],
    /// The lanes of characters of two weights.
    expanded: u32,
}

impl<V: Lanes> Two<V> {
    #[inline(always)]
    unsafe fn of(expansions: &Expansions, block: &Block<V>, text: &[u8], at: usize) -> Self {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let [one, other] = expansions.rows(0);
            let mut first = [block.bytes.choose(&one.high), block.bytes.choose(&one.low)];
            let mut second = [block.bytes.choose(&other.high), block.bytes.choose(&other.low)];
            let mut rest = block.leads();
            while rest != 0 {
                let (number, same, others) = block.row(text, at, rest);
                let [one, other] = expansions.rows(number);
                first = [
                    V::select(same, block.indexes().choose(&one.high), first[0]),
                    V::select(same, block.indexes().choose(&one.low), first[1]),
                ];
                second = [
                    V::select(same, block.indexes().choose(&other.high), second[0]),
                    V::select(same, block.indexes().choose(&other.low), second[1]),
                ];
                rest = others;
            }
            let expanded = block.starts & second[0].or(second[1]).nonzero().mask();
            Self { first, second, expanded }
        }
    }

    /// Writes the weights of these characters to `out`, and says how many there are.
    #[inline(always)]
    unsafe fn store<const HIGH_FIRST: bool>(&self, characters: u32, out: *mut u8) -> usize {
        const { assert!(V::BYTES <= 32) }
        let (mut first, mut second) = ([[0_u8; 2]; 32], [[0_u8; 2]; 32]);
        let mut count = 0;
        // SAFETY: the caller keeps this module's contract: there is room for two bytes a lane in the arrays, and for two weights a lane at
        // `out`.
        unsafe {
            for ([high, low], to) in [(self.first, &mut first), (self.second, &mut second)] {
                let (one, other) = if HIGH_FIRST { (high, low) } else { (low, high) };
                V::store_pairs(one, other, lanes::<V>(V::BYTES), to.as_mut_ptr().cast());
            }
            let mut rest = characters;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                for weight in [first[lane], second[lane]] {
                    out.add(2 * count).cast::<[u8; 2]>().write(weight);
                    count += usize::from(weight != [0; 2]);
                }
                rest &= rest - 1;
            }
        }
        count
    }
}
