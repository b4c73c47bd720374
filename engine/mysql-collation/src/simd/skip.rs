//! Skips characters of equal entries at the start of two texts, a vector at a time. The characters
//! may have different lengths.
//!
//! If the characters of both blocks begin in the same lanes, classes are compared lane by lane;
//! else the gaps between them are removed first. A mismatch, a long character and a deferred
//! character stop the vectors. The scalar version then skips a few characters, and vectors try
//! again. From then on they accept long characters that both texts have in the same lanes.
//!
//! # Safety
//! Call only from a function with the vector's target features enabled, on a machine that has them.

use super::BytePairs;
use super::block::{Block, boundary_after};
use super::entry_rows::{EntryClasses, LOCAL, MARKED};
use super::generic::{differing_pairs, strict_lanes};
use super::vector::{Lanes, lanes};
use super::{ShortWeights, scalar};

/// Characters that the scalar version skips before vectors try again. Bench: `instruction_sets`, a
/// text whose script changes with every word.
const SCALAR_CHARACTERS: usize = 4;

#[inline(always)]
pub(super) unsafe fn skip_equal<V: Lanes>(low: &ShortWeights, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    let Some(classes) = low.classes() else { return scalar::skip_equal(low, longest, a, b) };
    // SAFETY: the caller keeps this module's contract.
    let [mut i, mut j] = unsafe { skip_while::<V, false>(low, longest, classes, a, b) };
    loop {
        let ([of_a, of_b], goes_on) = scalar::skip_characters(low, longest, &a[i..], &b[j..], SCALAR_CHARACTERS);
        (i, j) = (i + of_a, j + of_b);
        if !goes_on {
            return [i, j];
        }
        // A separate instance: the code for long characters would take registers from texts that
        // have none. SAFETY: the caller keeps this module's contract.
        let [of_a, of_b] = unsafe { skip_while::<V, true>(low, longest, classes, &a[i..], &b[j..]) };
        (i, j) = (i + of_a, j + of_b);
    }
}

/// A block and the classes of its characters.
struct Classified<V> {
    block: Block<V>,
    classes: V,
    /// Lanes of characters that may begin a contraction.
    contractible: u32,
    /// Lanes of NUL, and of characters that are deferred to the full table.
    marked: u32,
    /// First lane that stops the block: of a deferred character, of a byte of no short character,
    /// or of a contraction that may differ.
    stop: usize,
}

impl<V: Lanes> Classified<V> {
    #[inline(always)]
    unsafe fn at(low: &ShortWeights, classes: &EntryClasses, text: &[u8], at: usize) -> Self {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let block = Block::<V>::at(text, at);
            let mut of_lanes = if low.folds() { block.bytes.fold() } else { block.bytes };
            let mut rest = block.leads();
            while rest != 0 {
                let (number, same, others) = block.take_row(text, at, rest);
                of_lanes = V::select(same, block.indexes().lookup_128(classes.row(number)), of_lanes);
                rest = others;
            }
            // The class of NUL can't be `MARKED`, although NUL may be deferred.
            let marked = of_lanes.equal(V::splat(MARKED)).or(block.bytes.equal(V::zero()));
            // Not a closure: it would be called, with the block in memory.
            let contractible = match low.pairs() {
                Some(pairs) => block.contraction_starts(pairs, text, at),
                None => 0,
            };
            let marked = block.starts & marked.mask();
            Self { stop: block.first_stop_lane(marked), block, classes: of_lanes, contractible, marked }
        }
    }

    /// Keeps long characters that both blocks have from stopping them.
    #[inline(always)]
    unsafe fn accept_equal_long(&mut self, other: &mut Self, pairs: Option<&BytePairs>, longest: u8) {
        if self.block.unsupported & other.block.unsupported == 0 {
            return;
        }
        // SAFETY: the caller keeps this module's contract.
        let same = unsafe { self.block.shared_long_characters(&other.block, pairs, longest) };
        for text in [self, other] {
            text.block.allow_long_characters(same);
            text.stop = text.block.first_stop_lane(text.marked);
        }
    }

    /// Stops at the first contraction that may weigh differently in the other text, or that follows
    /// a lane in which a character begins in one text only.
    #[inline(always)]
    unsafe fn stop_at_contractions(&mut self, other: &mut Self, strict: V) {
        if self.contractible | other.contractible == 0 {
            return;
        }
        let (x, y) = (&self.block, &other.block);
        // SAFETY: the caller keeps this module's contract.
        let differing = unsafe { differing_pairs(strict, [x.bytes, y.bytes], [x.next, y.next]).mask() };
        let equal = lanes::<V>((x.starts ^ y.starts).trailing_zeros() as usize) & !differing;
        for text in [self, other] {
            let stops = u64::from(text.contractible & !equal) | 1 << V::BYTES;
            text.stop = text.stop.min(stops.trailing_zeros() as usize);
        }
    }

    /// Lanes of the characters before the stop.
    #[inline(always)]
    fn characters(&self) -> u32 {
        self.block.starts & lanes::<V>(self.stop)
    }

    /// Lanes whose classes differ, or are valid in different rows.
    #[inline(always)]
    unsafe fn lanes_with_different_classes(&self, other: &Self) -> u32 {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let equal = self.classes.equal(other.classes).mask();
            let one_row = self.block.row_leads.equal(other.block.row_leads).mask();
            !(equal & (one_row | !self.classes.mask()))
        }
    }

    /// Writes the class and row of each of these characters.
    #[inline(always)]
    unsafe fn store(&self, characters: u32, out: &mut CharacterClasses) {
        const { assert!(2 * V::BYTES <= size_of::<CharacterClasses>()) }
        // SAFETY: the caller keeps this module's contract; there is room for two bytes a lane.
        unsafe {
            let rows = self.classes.at_least(V::splat(LOCAL)).and(self.block.row_leads);
            V::store_pairs(self.classes, rows, characters, out.as_mut_ptr().cast());
        }
    }

    /// Boundary after the characters.
    #[inline(always)]
    fn end(&self, text: &[u8], at: usize) -> usize {
        if self.stop == V::BYTES { boundary_after::<V>(text, at) } else { at + self.stop }
    }
}

/// Class and row of each character of a block.
type CharacterClasses = [[u8; 2]; 32];

/// Lengths of the beginnings of both texts that are equal by class. Stops at a mismatch, a deferred
/// or longer character, and a contraction that may differ. With `LONG`, longer characters in the
/// same lanes of both texts don't stop it.
#[inline(always)]
unsafe fn skip_while<V: Lanes, const LONG: bool>(
    low: &ShortWeights,
    longest: u8,
    classes: &EntryClasses,
    a: &[u8],
    b: &[u8],
) -> [usize; 2] {
    // SAFETY: the caller keeps this module's contract.
    let strict = unsafe { strict_lanes(low.variants()) };
    let (mut i, mut j) = (0, 0);
    // The branches are predictable, because the previous iteration's outcome repeats: loading the
    // next blocks need not wait for the comparison.
    while i < a.len() && j < b.len() {
        // SAFETY: the caller keeps this module's contract; both are boundaries within their texts.
        let (mut x, mut y) =
            unsafe { (Classified::<V>::at(low, classes, a, i), Classified::<V>::at(low, classes, b, j)) };
        if LONG {
            // SAFETY: the caller keeps this module's contract.
            unsafe { x.accept_equal_long(&mut y, low.pairs(), longest) };
        }
        // SAFETY: the caller keeps this module's contract.
        unsafe { x.stop_at_contractions(&mut y, strict) };
        if x.block.starts == y.block.starts {
            // Characters of equal lengths are compared in their lanes.
            // SAFETY: the caller keeps this module's contract.
            let unequal = unsafe { x.lanes_with_different_classes(&y) } & x.block.starts;
            let stop = x.stop.min(y.stop).min((u64::from(unequal) | 1 << V::BYTES).trailing_zeros() as usize);
            if stop < V::BYTES {
                return [i + x.block.end_of_characters_before(stop), j + y.block.end_of_characters_before(stop)];
            }
            (i, j) = (boundary_after::<V>(a, i), boundary_after::<V>(b, j));
            continue;
        }
        let (of_x, of_y) = (x.characters(), y.characters());
        let (count_x, count_y) = (of_x.count_ones(), of_y.count_ones());
        // SAFETY: the caller keeps this module's contract; `nth` gets a number below that of the
        // characters.
        unsafe {
            let (mut classes_x, mut classes_y) = ([[0; 2]; 32], [[0; 2]; 32]);
            x.store(of_x, &mut classes_x);
            y.store(of_y, &mut classes_y);
            let count = count_equal::<V>(&classes_x, &classes_y).min(count_x).min(count_y);
            i = if count == count_x { x.end(a, i) } else { i + V::nth(of_x, count) };
            j = if count == count_y { y.end(b, j) } else { j + V::nth(of_y, count) };
            let stops = count == count_x && x.stop < V::BYTES || count == count_y && y.stop < V::BYTES;
            if stops || count < count_x.min(count_y) {
                return [i, j];
            }
        }
    }
    [i, j]
}

/// Number of equal classes before the first mismatch.
#[inline(always)]
unsafe fn count_equal<V: Lanes>(x: &CharacterClasses, y: &CharacterClasses) -> u32 {
    let mut bytes = 0;
    // SAFETY: the caller keeps this module's contract; there are two bytes a lane, two vectors.
    unsafe {
        let (x, y) = (x.as_ptr().cast::<u8>(), y.as_ptr().cast::<u8>());
        for half in 0..2 {
            let lane = V::load(x.add(half * V::BYTES)).first_mismatch(V::load(y.add(half * V::BYTES)));
            bytes += lane;
            if lane < V::BYTES {
                break;
            }
        }
    }
    (bytes / 2) as u32
}
