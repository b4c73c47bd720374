//! Writing the weights of plain text, a vector at a time: of characters of one weight or none, of those of two
//! where there are some, and contractions of these.
//!
//! # Safety
//! As for [`super::generic`].

use super::block::{Block, after};
use super::low::Expansions;
use super::taken::{Found, Taken};
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
    // SAFETY: the caller keeps this module's contract.
    let printable = unsafe { fill_printable::<V, HIGH_FIRST>(low, text, out, room) };
    let (mut consumed, mut produced) = (printable, printable);
    let mut found: Found = [0; _];
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
            let taken = match low.contractions() {
                Some(contractions) => {
                    let joined = block.joined(contractions.pairs(), text, consumed);
                    Taken::of(contractions, joined.into(), text, consumed, V::BYTES as u32, &mut found)
                }
                None => Taken::NONE,
            };
            let own = !(taken.lanes as u32);
            let places = taken.places.map(|places| places as u32);
            let ends = (taken.left | taken.cut) as u32;
            let several = block.starts & own & high.at_least(V::splat(LIMIT)).mask() | places[1];
            let mut stop = block.stop(several | ends);
            let to = out.add(2 * produced);
            let kept = match low.expansions() {
                Some(expansions) if several >> stop.min(V::BYTES - 1) & 1 == 1 => {
                    let weights = Two::of(expansions, &block, text, consumed);
                    let kept = weights.lanes(block.starts & own);
                    stop = block.stop(several & !(kept[1] | places[1]) | ends);
                    let kept = [0, 1].map(|which| (kept[which] | places[which]) & lanes::<V>(stop));
                    weights.store::<HIGH_FIRST>(kept, to);
                    kept
                }
                _ => {
                    let characters = block.starts & own & high.or(least).nonzero().mask();
                    let kept = (characters | places[0]) & lanes::<V>(stop);
                    let (first, second) = if HIGH_FIRST { (high, least) } else { (least, high) };
                    V::store_pairs(first, second, kept, to);
                    [kept, 0]
                }
            };
            if let Some(contractions) = low.contractions() {
                taken.write::<HIGH_FIRST>(contractions, &found, kept.map(u64::from), stop, to);
            }
            produced += (kept[0].count_ones() + kept[1].count_ones()) as usize;
            if stop < V::BYTES {
                consumed += stop;
                if (taken.cut as u32).checked_shr(stop as u32).unwrap_or_default() & 1 == 1 {
                    continue;
                }
                break;
            }
            consumed = after::<V>(text, consumed);
        }
    }
    Filled { consumed, produced }
}

/// Writes the weights of the printable ASCII at the start in which each character has one: nothing is counted there, nor moved. How many
/// characters, and so weights.
#[inline(always)]
unsafe fn fill_printable<V: Lanes, const HIGH_FIRST: bool>(low: &Low, text: &[u8], out: *mut u8, room: usize) -> usize {
    let row = low.row(0);
    let n = text.len();
    if n < V::BYTES || low.contractions().is_some() {
        return 0;
    }
    let mut at = 0;
    while at < n && room - at >= FILL_ROOM {
        // The last vector overlaps the one before, and writes the same weights again.
        let from = at.min(n - V::BYTES);
        // SAFETY: the caller keeps this module's contract; there is a whole vector of text, and room for the weights of another one.
        unsafe {
            let bytes = V::load(text.as_ptr().add(from));
            if bytes.mask() != 0 {
                break;
            }
            let [high, least] = bytes.choose_printable([&row.high, &row.low]);
            let are_weights = bytes.at_least(V::splat(b' ')).and(high.or(least).nonzero());
            if are_weights.mask() != lanes::<V>(V::BYTES) || high.at_least(V::splat(LIMIT)).mask() != 0 {
                break;
            }
            let (first, second) = if HIGH_FIRST { (high, least) } else { (least, high) };
            V::store_pairs(first, second, lanes::<V>(V::BYTES), out.add(2 * from));
        }
        at = from + V::BYTES;
    }
    at
}

/// A block of characters of two weights at most.
struct Two<V> {
    /// High bytes and low bytes of the first weights.
    first: [V; 2],
    /// The same of the second ones.
    second: [V; 2],
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
            Self { first, second }
        }
    }

    /// Those of these lanes that have a first weight, and those that have a second one.
    #[inline(always)]
    unsafe fn lanes(&self, lanes: u32) -> [u32; 2] {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let [first, second] = [self.first, self.second].map(|[high, low]| high.or(low).nonzero().mask());
            [lanes & first, lanes & second]
        }
    }

    /// Writes first and second weights of these lanes to `out`, one after the other, and rubbish after them.
    #[inline(always)]
    unsafe fn store<const HIGH_FIRST: bool>(&self, kept: [u32; 2], out: *mut u8) {
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
            let mut rest = kept[0] | kept[1];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                for (weight, kept) in [(first[lane], kept[0]), (second[lane], kept[1])] {
                    out.add(2 * count).cast::<[u8; 2]>().write(weight);
                    count += (kept >> lane & 1) as usize;
                }
                rest &= rest - 1;
            }
        }
    }
}
