//! Writes the weights of text, a vector at a time: characters of no weight, one weight or two, and
//! contractions.
//!
//! # Safety
//! Call only from a function with the vector's target features enabled, on a machine that has them.
//! `out` has room for the weights that are written.

use super::block::{Block, boundary_after, boundary_before, contractible_bytes};
use super::block_contractions::{BlockContractions, write};
use super::short_contractions::ShortContraction;
use super::short_weights::Expansions;
use super::vector::{Lanes, lanes};
use super::{FILL_ROOM, Filled, ShortWeights};

/// Entries with this high byte or a greater one are not single weights.
const LIMIT: u8 = (ShortWeights::MULTIPLE >> 8) as u8;

/// Writes to `out` the weights after the `printable` characters that [`fill_printable`] wrote.
/// `out` has room for `room` weights and may be unaligned. `CONTRACTS`: the level has contractions.
/// `FREQUENT_EXPANSIONS`: [`ShortWeights::has_frequent_expansions`].
#[inline(always)]
pub(super) unsafe fn fill_after<
    V: Lanes,
    const HIGH_FIRST: bool,
    const CONTRACTS: bool,
    const FREQUENT_EXPANSIONS: bool,
>(
    low: &ShortWeights,
    text: &[u8],
    out: *mut u8,
    room: usize,
    printable: usize,
) -> Filled {
    const { assert!(FILL_ROOM >= 4 * V::BYTES) }
    let (mut consumed, mut produced) = (printable, printable);
    while consumed < text.len() && room - produced >= FILL_ROOM {
        // SAFETY: the caller keeps this module's contract; `consumed` is a boundary within the
        // text; there is room for four times as many weights as a vector has lanes.
        unsafe {
            let mut weighted = WeightedBlock::<V>::new::<FREQUENT_EXPANSIONS>(low, text, consumed);
            let mut contracted = BlockContractions::NONE;
            if let Some(contractions) = low.contractions().filter(|_| CONTRACTS) {
                let mut contractible = weighted.block.contraction_starts(contractions.pairs(), text, consumed).into();
                let bytes = V::BYTES as u32;
                while let Some((lane, _, contraction)) =
                    contracted.next(contractions, &mut contractible, text, consumed, bytes)
                {
                    weighted.put(lane, contraction);
                }
            }
            let WeightedBlock { block, high, low: least, second, .. } = &weighted;
            let several = block.starts & !(contracted.lanes as u32) & high.at_least(V::splat(LIMIT)).mask();
            let mut stop = block.first_stop_lane(several | contracted.stop_bit as u32);
            let to = out.add(2 * produced);
            match low.expansions() {
                Some(expansions) if several >> stop.min(V::BYTES - 1) & 1 == 1 => {
                    let weights = TwoWeights::new(expansions, &weighted, text, consumed);
                    let kept = weights.lanes(block.starts, contracted.lanes as u32);
                    stop = block.first_stop_lane(several & !kept[1] | contracted.stop_bit as u32);
                    let long = contracted.surplus_before(stop);
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
                    let of_weights = block.starts | second | contracted.lanes as u32;
                    let kept = of_weights & high.or(*least).nonzero().mask() & lanes::<V>(stop);
                    produced += weighted.store::<HIGH_FIRST>(kept, contracted.surplus_before(stop), to);
                }
            };
            if stop == V::BYTES {
                consumed = if FREQUENT_EXPANSIONS {
                    boundary_before::<V>(text, consumed)
                } else {
                    boundary_after::<V>(text, consumed)
                };
                continue;
            }
            consumed += stop;
            if !contracted.continues_at(stop) {
                break;
            }
        }
    }
    Filled { consumed, produced }
}

/// A block and its weights.
struct WeightedBlock<V> {
    block: Block<V>,
    /// High byte of each entry, in the lane of the character's first byte, and of second weights in
    /// the lanes `second`.
    high: V,
    /// Low byte of each entry.
    low: V,
    /// Lanes of second bytes that hold the second weight of their character.
    second: u32,
    /// Mask of the lanes of contractions.
    contracted: V,
}

impl<V: Lanes> WeightedBlock<V> {
    /// Looks up the block at `at`. With `FREQUENT_EXPANSIONS`, a lead byte in the last lane is left
    /// to the next block.
    #[inline(always)]
    unsafe fn new<const FREQUENT_EXPANSIONS: bool>(low: &ShortWeights, text: &[u8], at: usize) -> Self {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let mut block = Block::<V>::at(text, at);
            if FREQUENT_EXPANSIONS {
                block.exclude_last_lead();
            }
            let ascii = low.row(0);
            let (mut high, mut least) = (block.bytes.lookup_128(&ascii.high), block.bytes.lookup_128(&ascii.low));
            let (mut rest, mut second) = (block.leads(), 0);
            while rest != 0 {
                let (number, same, others) = block.take_row(text, at, rest);
                let row = match low.frequent_expansion_rows(number) {
                    Some([of_first, of_second]) if FREQUENT_EXPANSIONS => {
                        let (next, indexes) = (shifted_up(same), shifted_up(block.indexes()));
                        high = V::select(next, indexes.lookup_128(&of_second.high), high);
                        least = V::select(next, indexes.lookup_128(&of_second.low), least);
                        second |= (rest & !others) << 1;
                        of_first
                    }
                    _ => low.row(number),
                };
                high = V::select(same, block.indexes().lookup_128(&row.high), high);
                least = V::select(same, block.indexes().lookup_128(&row.low), least);
                rest = others;
            }
            Self { block, high, low: least, second, contracted: V::zero() }
        }
    }

    /// Puts the weights of a contraction in the lanes of its characters, from `lane` on.
    #[inline(always)]
    unsafe fn put(&mut self, lane: usize, contraction: &ShortContraction) {
        // SAFETY: the caller keeps this module's contract; `at_lane` returns the address of a whole
        // vector within the window.
        unsafe {
            let [mask, high, low] = contraction.windows.each_ref().map(|window| V::load(window.at_lane(lane)));
            self.contracted = self.contracted.or(mask);
            self.high = V::select(mask, high, self.high);
            self.low = V::select(mask, low, self.low);
        }
    }

    /// Writes the weights of the lanes `kept` to `out`, without gaps, and arbitrary bytes after
    /// them. Inserts the surplus weights of a contraction before lane `end`. Returns the number of
    /// weights.
    #[inline(always)]
    unsafe fn store<const HIGH_FIRST: bool>(&self, kept: u32, long: Option<(usize, &[u16])>, out: *mut u8) -> usize {
        let (first, second) = if HIGH_FIRST { (self.high, self.low) } else { (self.low, self.high) };
        let count = kept.count_ones() as usize;
        // SAFETY: the caller keeps this module's contract: there is room for four times as many
        // weights as lanes, and the surplus weights of a contraction are at most as many as its
        // lanes.
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

/// Moves each byte to the next lane; the first becomes zero.
#[inline(always)]
unsafe fn shifted_up<V: Lanes>(vector: V) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { vector.shifted::<1>(V::zero()) }
}

/// Writes the weights of the leading printable ASCII, in whole vectors. Stops before the first
/// vector with a character that isn't ASCII from the space on with one weight, or may begin a
/// contraction. Writes nothing for a text shorter than a vector. Returns the number of characters,
/// which is the number of weights.
#[inline(always)]
pub(super) unsafe fn fill_printable<V: Lanes, const HIGH_FIRST: bool>(
    low: &ShortWeights,
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
        // The last vector overlaps the one before it and writes the same weights again.
        let from = at.min(n - V::BYTES);
        // SAFETY: the caller keeps this module's contract; there is a whole vector of text, a byte
        // after it where it is not the last one, and room for the weights of another one.
        unsafe {
            let bytes = V::load(text.as_ptr().add(from));
            if bytes.mask() != 0 {
                break;
            }
            if let Some(pairs) = pairs {
                let next =
                    if from + V::BYTES < n { V::load(text.as_ptr().add(from + 1)) } else { bytes.shifted_down() };
                if !contractible_bytes(pairs, bytes, next).is_zero() {
                    break;
                }
            }
            let [high, least] = bytes.lookup_printable([&row.high, &row.low]);
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

/// First and second weights of the characters of a block. For a character that has not exactly two
/// weights, its entry and zero.
struct TwoWeights<V> {
    /// High bytes and low bytes of the first weights.
    first: [V; 2],
    /// High bytes and low bytes of the second weights.
    second: [V; 2],
}

impl<V: Lanes> TwoWeights<V> {
    #[inline(always)]
    unsafe fn new(expansions: &Expansions, weighted: &WeightedBlock<V>, text: &[u8], at: usize) -> Self {
        let block = &weighted.block;
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let [one, other] = expansions.rows(0);
            let mut first = [block.bytes.lookup_128(&one.high), block.bytes.lookup_128(&one.low)];
            let mut second = [block.bytes.lookup_128(&other.high), block.bytes.lookup_128(&other.low)];
            let mut rest = block.leads();
            while rest != 0 {
                let (number, same, others) = block.take_row(text, at, rest);
                let [one, other] = expansions.rows(number);
                first = [
                    V::select(same, block.indexes().lookup_128(&one.high), first[0]),
                    V::select(same, block.indexes().lookup_128(&one.low), first[1]),
                ];
                second = [
                    V::select(same, block.indexes().lookup_128(&other.high), second[0]),
                    V::select(same, block.indexes().lookup_128(&other.low), second[1]),
                ];
                rest = others;
            }
            first = [
                V::select(weighted.contracted, weighted.high, first[0]),
                V::select(weighted.contracted, weighted.low, first[1]),
            ];
            Self { first, second }
        }
    }

    /// Lanes with a first weight, and lanes with a second weight.
    #[inline(always)]
    unsafe fn lanes(&self, starts: u32, contracted: u32) -> [u32; 2] {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let [first, second] = [self.first, self.second].map(|[high, low]| high.or(low).nonzero().mask());
            [(starts | contracted) & first, starts & !contracted & second]
        }
    }

    /// Writes the first and second weights of these lanes to `out`, lane by lane, and arbitrary
    /// bytes after them.
    #[inline(always)]
    unsafe fn store<const HIGH_FIRST: bool>(&self, kept: [u32; 2], out: *mut u8) {
        const { assert!(V::BYTES <= 32) }
        let (mut first, mut second) = ([[0_u8; 2]; 32], [[0_u8; 2]; 32]);
        let mut count = 0;
        // SAFETY: the caller keeps this module's contract: there is room for two bytes a lane in
        // the arrays, and for two weights a lane at `out`.
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
