//! Writing the weights of plain text, a vector at a time.
//!
//! # Safety
//! As for [`super::generic`].

use super::block::{Block, after};
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
    const { assert!(FILL_ROOM >= V::BYTES) }
    let ascii = low.row(0);
    let (mut consumed, mut produced) = (0, 0);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        // SAFETY: the caller keeps this module's contract; `consumed` is a boundary within the text; there is room for as many weights as
        // a vector has lanes.
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
            let stop = block.stop(block.starts & high.at_least(V::splat(LIMIT)).mask() | joined);
            let kept = block.starts & lanes::<V>(stop) & high.or(least).nonzero().mask();
            let (first, second) = if HIGH_FIRST { (high, least) } else { (least, high) };
            V::store_pairs(first, second, kept, out.add(2 * produced));
            produced += kept.count_ones() as usize;
            if stop < V::BYTES {
                consumed += stop;
                break;
            }
            consumed = after::<V>(text, consumed);
        }
    }
    Filled { consumed, produced }
}
