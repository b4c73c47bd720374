//! Writing the weights of plain text, a vector at a time: of characters of one weight or none, of those of two
//! where there are some, and contractions of these.
//!
//! # Safety
//! As for [`super::generic`].

use super::block::{Block, after, joined, whole_before};
use super::contractions::ShortContraction;
use super::low::Expansions;
use super::taken::{Taken, write};
use super::vector::{Lanes, lanes};
use super::{FILL_ROOM, Filled, Low};

/// Entries whose high byte is this or above are no weights.
const LIMIT: u8 = (Low::SEVERAL >> 8) as u8;

/// Writes weights to `out`, which has room for `room` of them and need not be aligned, after the `printable` ones of [`fill_printable`]. `JOINED`
/// says whether there are contractions, `WIDE` whether the level [is wide](Low::is_wide).
#[inline(always)]
pub(super) unsafe fn fill_after<V: Lanes, const HIGH_FIRST: bool, const JOINED: bool, const WIDE: bool>(
    low: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
    printable: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 4 * V::BYTES) }
    let (mut consumed, mut produced) = (printable, printable);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        // SAFETY: the caller keeps this module's contract; `consumed` is a boundary within the text; there is room for four times as many
        // weights as a vector has lanes.
        unsafe {
            let mut weighed = Weighed::<V>::of::<WIDE>(low, text, consumed);
            let mut taken = Taken::NONE;
            if let Some(contractions) = low.contractions().filter(|_| JOINED) {
                let mut joined = weighed.block.joined(contractions.pairs(), text, consumed).into();
                let bytes = V::BYTES as u32;
                while let Some((lane, _, contraction)) = taken.next(contractions, &mut joined, text, consumed, bytes) {
                    weighed.put(lane, contraction);
                }
            }
            let Weighed { block, high, low: least, second, .. } = &weighed;
            let several = block.starts & !(taken.lanes as u32) & high.at_least(V::splat(LIMIT)).mask();
            let mut stop = block.stop(several | taken.end as u32);
            let to = out.add(2 * produced);
            match low.expansions() {
                Some(expansions) if several >> stop.min(V::BYTES - 1) & 1 == 1 => {
                    let weights = Two::of(expansions, &weighed, text, consumed);
                    let kept = weights.lanes(block.starts, taken.lanes as u32);
                    stop = block.stop(several & !kept[1] | taken.end as u32);
                    let long = taken.long_before(stop);
                    stop = long.map_or(stop, |(end, _)| end);
                    let kept = kept.map(|kept| kept & lanes::<V>(stop));
                    weights.store::<HIGH_FIRST>(kept, to);
                    produced += (kept[0].count_ones() + kept[1].count_ones()) as usize;
                    if let Some((end, beyond)) = long {
                        write::<HIGH_FIRST>(beyond, out.add(2 * produced));
                        (consumed, produced) = (consumed + end, produced + beyond.len());
                        continue;
                    }
                }
                _ => {
                    let of_weights = block.starts | second | taken.lanes as u32;
                    let kept = of_weights & high.or(*least).nonzero().mask() & lanes::<V>(stop);
                    produced += weighed.store::<HIGH_FIRST>(kept, taken.long_before(stop), to);
                }
            };
            if stop == V::BYTES {
                consumed = if WIDE { whole_before::<V>(text, consumed) } else { after::<V>(text, consumed) };
                continue;
            }
            consumed += stop;
            if !taken.is_cut_at(stop) {
                break;
            }
        }
    }
    Filled { consumed, produced }
}

/// A block and its weights.
struct Weighed<V> {
    block: Block<V>,
    /// The high byte of a weight, or of another entry, in the lane of each character's first byte, and in those of `second`.
    high: V,
    /// The low byte.
    low: V,
    /// The lanes of second bytes that have their characters' second weights.
    second: u32,
    /// All bits in the lanes of contractions.
    taken: V,
}

impl<V: Lanes> Weighed<V> {
    /// The block at `at`; of a wide level without a lead byte at its end.
    #[inline(always)]
    unsafe fn of<const WIDE: bool>(low: &Low, text: &[u8], at: usize) -> Self {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let mut block = Block::<V>::at(text, at);
            if WIDE {
                block.leave_last();
            }
            let ascii = low.row(0);
            let (mut high, mut least) = (block.bytes.choose(&ascii.high), block.bytes.choose(&ascii.low));
            let (mut rest, mut second) = (block.leads(), 0);
            while rest != 0 {
                let (number, same, others) = block.row(text, at, rest);
                let row = match low.wide_rows(number) {
                    Some([of_first, of_second]) if WIDE => {
                        let (next, indexes) = (moved_up(same), moved_up(block.indexes()));
                        high = V::select(next, indexes.choose(&of_second.high), high);
                        least = V::select(next, indexes.choose(&of_second.low), least);
                        second |= (rest & !others) << 1;
                        of_first
                    }
                    _ => low.row(number),
                };
                high = V::select(same, block.indexes().choose(&row.high), high);
                least = V::select(same, block.indexes().choose(&row.low), least);
                rest = others;
            }
            Self { block, high, low: least, second, taken: V::zero() }
        }
    }

    /// Puts the weights of a contraction in the lanes of its characters, from `lane` on.
    #[inline(always)]
    unsafe fn put(&mut self, lane: usize, contraction: &ShortContraction) {
        // SAFETY: the caller keeps this module's contract; a vector's bytes can be read from each lane of the windows on.
        unsafe {
            let [mask, high, low] = contraction.windows.each_ref().map(|window| V::load(window.at_lane(lane)));
            self.taken = self.taken.or(mask);
            self.high = V::select(mask, high, self.high);
            self.low = V::select(mask, low, self.low);
        }
    }

    /// Writes the weights of these lanes to `out`, in their place those of a contraction beyond its own lanes, the last of which is before lane
    /// `end`, and rubbish after them. Answers how many.
    #[inline(always)]
    unsafe fn store<const HIGH_FIRST: bool>(&self, kept: u32, long: Option<(usize, &[u16])>, out: *mut u8) -> usize {
        let (first, second) = if HIGH_FIRST { (self.high, self.low) } else { (self.low, self.high) };
        let count = kept.count_ones() as usize;
        // SAFETY: the caller keeps this module's contract: there is room for four times as many weights as lanes, of which a contraction has
        // no more beyond its lanes than these are.
        unsafe {
            let Some((end, beyond)) = long else {
                V::store_pairs(first, second, kept, out);
                return count;
            };
            let before = kept & lanes::<V>(end);
            V::store_pairs(first, second, before, out);
            let to = out.add(2 * before.count_ones() as usize);
            write::<HIGH_FIRST>(beyond, to);
            V::store_pairs(first, second, kept ^ before, to.add(2 * beyond.len()));
            count + beyond.len()
        }
    }
}

/// Each lane's byte in the next one, zero in the first.
#[inline(always)]
unsafe fn moved_up<V: Lanes>(vector: V) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { vector.shifted::<1>(V::zero()) }
}

/// Writes the weights of the printable ASCII at the start in which each character has one, of no contraction: nothing is counted there, nor
/// moved. How many characters, and so weights.
#[inline(always)]
pub(super) unsafe fn fill_printable<V: Lanes, const HIGH_FIRST: bool>(
    low: &Low,
    text: &[u8],
    out: *mut u8,
    room: usize,
) -> usize {
    let row = low.row(0);
    let n = text.len();
    if n < V::BYTES {
        return 0;
    }
    let pairs = low.pairs();
    let mut at = 0;
    while at < n && room - at >= FILL_ROOM {
        // The last vector overlaps the one before, and writes the same weights again.
        let from = at.min(n - V::BYTES);
        // SAFETY: the caller keeps this module's contract; there is a whole vector of text, a byte after it where it is not the last one, and
        // room for the weights of another one.
        unsafe {
            let bytes = V::load(text.as_ptr().add(from));
            if bytes.mask() != 0 {
                break;
            }
            if let Some(pairs) = pairs {
                let next = if from + V::BYTES < n { V::load(text.as_ptr().add(from + 1)) } else { bytes.moved_down() };
                if !joined(pairs, bytes, next).is_zero() {
                    break;
                }
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
    unsafe fn of(expansions: &Expansions, weighed: &Weighed<V>, text: &[u8], at: usize) -> Self {
        let block = &weighed.block;
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
            first = [V::select(weighed.taken, weighed.high, first[0]), V::select(weighed.taken, weighed.low, first[1])];
            Self { first, second }
        }
    }

    /// The lanes that have a first weight, and those that have a second one, of characters that begin in `starts` and contractions.
    #[inline(always)]
    unsafe fn lanes(&self, starts: u32, taken: u32) -> [u32; 2] {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let [first, second] = [self.first, self.second].map(|[high, low]| high.or(low).nonzero().mask());
            [(starts | taken) & first, starts & !taken & second]
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
