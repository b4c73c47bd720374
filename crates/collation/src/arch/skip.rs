//! Skipping what two texts share, a vector at a time: characters of the same entries, however many bytes each has in either text.
//!
//! Where the characters of a block begin in the same lanes in both texts, the classes are compared as they stand, and closed up first
//! where they don't. What stops that (a character of three bytes, one that is marked, a mismatch) is left to the scalar version, which
//! hands back after a few characters.
//!
//! # Safety
//! As for [`super::generic`].

use super::block::{Block, after};
use super::generic::{differing_pairs, strictness};
use super::rows::{Classes, LOCAL, MARKED};
use super::vector::{Lanes, lanes};
use super::{Low, scalar};
use crate::table::Pairs;

/// Characters that the scalar version takes where the vectors stop, before they have another try. Bench: `instruction_sets`, another script with
/// every word.
const FEW: usize = 4;

#[inline(always)]
pub(super) unsafe fn skip_equal<V: Lanes>(low: &Low, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
    let Some(classes) = low.classes() else { return scalar::skip_equal(low, longest, a, b) };
    // SAFETY: the caller keeps this module's contract.
    let [mut i, mut j] = unsafe { skip_while::<V, false>(low, longest, classes, a, b) };
    loop {
        let ([of_a, of_b], goes_on) = scalar::skip_few(low, longest, &a[i..], &b[j..], FEW);
        (i, j) = (i + of_a, j + of_b);
        if !goes_on {
            return [i, j];
        }
        // Compiled by itself: what looks at longer characters would take registers from texts that have none.
        // SAFETY: the caller keeps this module's contract.
        let [of_a, of_b] = unsafe { skip_while::<V, true>(low, longest, classes, &a[i..], &b[j..]) };
        (i, j) = (i + of_a, j + of_b);
    }
}

/// The characters of a block by their classes.
struct Classified<V> {
    block: Block<V>,
    classes: V,
    /// The lanes of characters that may begin a contraction.
    joined: u32,
    /// The lanes that are looked up elsewhere.
    marked: u32,
    /// The first lane that is looked up elsewhere, or of no character.
    stop: usize,
}

impl<V: Lanes> Classified<V> {
    #[inline(always)]
    unsafe fn at(low: &Low, classes: &Classes, text: &[u8], at: usize) -> Self {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let block = Block::<V>::at(text, at);
            let mut of_lanes = if low.folds() { block.bytes.fold() } else { block.bytes };
            let mut rest = block.leads();
            while rest != 0 {
                let (number, same, others) = block.row(text, at, rest);
                of_lanes = V::select(same, block.indexes().choose(classes.row(number)), of_lanes);
                rest = others;
            }
            // NUL may be marked.
            let marked = of_lanes.equal(V::splat(MARKED)).or(block.bytes.equal(V::zero()));
            // No closure: it would be called, and the block written to memory for it.
            let joined = match low.pairs() {
                Some(pairs) => block.joined(pairs, text, at),
                None => 0,
            };
            let marked = block.starts & marked.mask();
            Self { stop: block.stop(marked), block, classes: of_lanes, joined, marked }
        }
    }

    /// No longer stops at longer characters that the other has, too.
    #[inline(always)]
    unsafe fn pass_same_long(&mut self, other: &mut Self, pairs: Option<&Pairs>, longest: u8) {
        if self.block.strange & other.block.strange == 0 {
            return;
        }
        // SAFETY: the caller keeps this module's contract.
        let same = unsafe { self.block.same_long(&other.block, pairs, longest) };
        for text in [self, other] {
            text.block.pass(same);
            text.stop = text.block.stop(text.marked);
        }
    }

    /// Stops at the first contraction that may have other weights than in the other, or that begins after lanes in which characters begin
    /// in one of the two only.
    #[inline(always)]
    unsafe fn stop_at_contractions(&mut self, other: &mut Self, strict: V) {
        if self.joined | other.joined == 0 {
            return;
        }
        let (x, y) = (&self.block, &other.block);
        // SAFETY: the caller keeps this module's contract.
        let differing = unsafe { differing_pairs(strict, [x.bytes, y.bytes], [x.next, y.next]).mask() };
        let equal = lanes::<V>((x.starts ^ y.starts).trailing_zeros() as usize) & !differing;
        for text in [self, other] {
            let stops = u64::from(text.joined & !equal) | 1 << V::BYTES;
            text.stop = text.stop.min(stops.trailing_zeros() as usize);
        }
    }

    /// The lanes of characters before the stop.
    #[inline(always)]
    fn characters(&self) -> u32 {
        self.block.starts & lanes::<V>(self.stop)
    }

    /// The lanes whose classes are not those of the other's.
    #[inline(always)]
    unsafe fn unequal(&self, other: &Self) -> u32 {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let equal = self.classes.equal(other.classes).mask();
            let one_row = self.block.even.equal(other.block.even).mask();
            !(equal & (one_row | !self.classes.mask()))
        }
    }

    /// Writes classes and rows of the characters in these lanes.
    #[inline(always)]
    unsafe fn store(&self, characters: u32, out: &mut Codes) {
        const { assert!(2 * V::BYTES <= size_of::<Codes>()) }
        // SAFETY: the caller keeps this module's contract; there is room for two bytes a lane.
        unsafe {
            let rows = self.classes.at_least(V::splat(LOCAL)).and(self.block.even);
            V::store_pairs(self.classes, rows, characters, out.as_mut_ptr().cast());
        }
    }

    /// The boundary after the characters.
    #[inline(always)]
    fn end(&self, text: &[u8], at: usize) -> usize {
        if self.stop == V::BYTES { after::<V>(text, at) } else { at + self.stop }
    }
}

/// Classes and rows of a block's characters.
type Codes = [[u8; 2]; 32];

/// How many bytes of each text are the same characters, by their classes, up to the first one that is none of one or two bytes, is
/// marked, may begin a contraction that is not the same in both, or differs.
#[inline(always)]
unsafe fn skip_while<V: Lanes, const LONG: bool>(
    low: &Low,
    longest: u8,
    classes: &Classes,
    a: &[u8],
    b: &[u8],
) -> [usize; 2] {
    // SAFETY: the caller keeps this module's contract.
    let strict = unsafe { strictness(low.variants()) };
    let (mut i, mut j) = (0, 0);
    // The branches are predictable: the previous iteration's outcome repeats. So the next blocks need not wait for classes to be compared.
    while i < a.len() && j < b.len() {
        // SAFETY: the caller keeps this module's contract; both are boundaries within their texts.
        let (mut x, mut y) =
            unsafe { (Classified::<V>::at(low, classes, a, i), Classified::<V>::at(low, classes, b, j)) };
        if LONG {
            // SAFETY: the caller keeps this module's contract.
            unsafe { x.pass_same_long(&mut y, low.pairs(), longest) };
        }
        // SAFETY: the caller keeps this module's contract.
        unsafe { x.stop_at_contractions(&mut y, strict) };
        if x.block.starts == y.block.starts {
            // Characters of the same lengths are compared in their lanes.
            // SAFETY: the caller keeps this module's contract.
            let unequal = unsafe { x.unequal(&y) } & x.block.starts;
            let stop = x.stop.min(y.stop).min((u64::from(unequal) | 1 << V::BYTES).trailing_zeros() as usize);
            if stop < V::BYTES {
                return [i + x.block.end(stop), j + y.block.end(stop)];
            }
            (i, j) = (after::<V>(a, i), after::<V>(b, j));
            continue;
        }
        let (of_x, of_y) = (x.characters(), y.characters());
        let (count_x, count_y) = (of_x.count_ones(), of_y.count_ones());
        // SAFETY: the caller keeps this module's contract; `nth` is asked for a character that is there.
        unsafe {
            let (mut codes_x, mut codes_y) = ([[0; 2]; 32], [[0; 2]; 32]);
            x.store(of_x, &mut codes_x);
            y.store(of_y, &mut codes_y);
            let count = equal_codes::<V>(&codes_x, &codes_y).min(count_x).min(count_y);
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

/// How many codes are equal before the first mismatch.
#[inline(always)]
unsafe fn equal_codes<V: Lanes>(x: &Codes, y: &Codes) -> u32 {
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
