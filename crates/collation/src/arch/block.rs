//! A vector's worth of UTF-8: where its characters begin, and which bytes tables are asked with.
//!
//! Each byte has a lane, of which those of first bytes count. A two-byte character is looked up in the row of its lead byte: a text of one
//! script has one such row or two, so there is a lookup for each row that occurs, not one for each character.
//!
//! # Safety
//! As for [`super::generic`].

use super::vector::{Lanes, Shuffle, lanes, load_up_to};
use crate::table::{Classes, Pairs};

/// A vector's worth of text.
pub(super) struct Block<V> {
    /// Zeros after the end of the text.
    pub(super) bytes: V,
    /// The byte after each.
    pub(super) next: V,
    /// Two-byte characters as indexes into their rows, in the lanes of their lead bytes.
    indexes: V,
    /// Lead bytes without their lowest bit, which numbers the row; anything in other lanes.
    pub(super) even: V,
    /// The lanes of lead bytes of two-byte characters.
    leads: u32,
    /// The lanes of first bytes of characters of one and two bytes.
    pub(super) starts: u32,
    /// The lanes of no character of one or two bytes.
    pub(super) strange: u32,
    /// Of those, the lanes of longer characters that are taken for granted.
    long: u32,
}

impl<V: Lanes> Block<V> {
    /// What stands at `at`, a boundary between characters before the end of the text.
    #[inline(always)]
    pub(super) unsafe fn at(text: &[u8], at: usize) -> Self {
        let rest = text.len() - at;
        // SAFETY: the caller keeps this module's contract; `rest` bytes can be read at `at`.
        unsafe {
            let from = text.as_ptr().add(at);
            let bytes: V = load_up_to(from, rest);
            let next = if rest > V::BYTES { V::load(from.add(1)) } else { bytes.moved_down() };
            let here = lanes::<V>(rest);
            let ascii = here & !bytes.mask();
            let even = bytes.and(V::splat(!1));
            let mut block = Self { bytes, next, indexes: bytes, even, leads: 0, starts: ascii, strange: 0, long: 0 };
            if ascii != here {
                let lead = bytes.and(V::splat(0xE0)).equal(V::splat(0xC0)).and(bytes.at_least(V::splat(0xC2)));
                let continued = next.and(V::splat(0xC0)).equal(V::splat(0x80));
                block.leads = lead.and(continued).mask() & here;
                block.starts |= block.leads;
                block.strange = here & !(block.starts | block.leads << 1);
                // The lead's lowest bit, then six of the second byte.
                let lowest = bytes.low_nibbles().lookup(&ODD);
                block.indexes = lowest.or(next.and(V::splat(0x3F)));
            }
            block
        }
    }

    /// The rows of the two-byte characters, each once: the lanes of `rest` that are left to be looked up, which at first are
    /// [`Block::leads`]. Answers the row's number, all bits in its lanes, and what is left then.
    #[inline(always)]
    pub(super) unsafe fn row(&self, text: &[u8], at: usize, rest: u32) -> (usize, V, u32) {
        let lead = text[at + rest.trailing_zeros() as usize] & !1;
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let same = self.even.equal(V::splat(lead));
            (usize::from(lead & 0x1F) >> 1, same, rest & !same.mask())
        }
    }

    /// Leaves a character of two bytes that begins in the last lane to the next block.
    #[inline(always)]
    pub(super) fn leave_last(&mut self) {
        let others = !(self.leads & 1 << (V::BYTES - 1));
        (self.leads, self.starts) = (self.leads & others, self.starts & others);
    }

    #[inline(always)]
    pub(super) fn leads(&self) -> u32 {
        self.leads
    }

    #[inline(always)]
    pub(super) fn indexes(&self) -> V {
        self.indexes
    }

    /// The first lane that is of no character of one or two bytes, or is in `others`; [`Vector::BYTES`](super::vector::Vector::BYTES)
    /// if there is none.
    #[inline(always)]
    pub(super) fn stop(&self, others: u32) -> usize {
        let stops = u64::from(self.strange | others) | 1 << V::BYTES;
        stops.trailing_zeros() as usize
    }

    /// Takes these lanes of longer characters for granted: they no longer stop anything.
    #[inline(always)]
    pub(super) fn pass(&mut self, long: u32) {
        self.strange &= !long;
        self.long = long;
    }

    /// The lane after the last character that begins before lane `stop`, with no lane before that that is of no character. It is another one
    /// than `stop` where that is the second lane of a character here, and ends one in the other text.
    #[inline(always)]
    pub(super) fn end(&self, stop: usize) -> usize {
        let before = (self.starts | self.long) & lanes::<V>(stop);
        let count = (u32::BITS - before.leading_zeros()) as usize;
        count + (u64::from(self.leads) << 1 >> count & 1) as usize
    }

    /// The lanes of the characters of three to `longest` bytes that both texts have there, whole and well-formed, after characters that begin
    /// in the same lanes. One that may be contracted with the next is left out, but before another of these.
    #[inline(always)]
    pub(super) unsafe fn same_long(&self, other: &Self, pairs: Option<&Pairs>, longest: u8) -> u32 {
        // SAFETY: the caller keeps this module's contract.
        unsafe {
            let Self { bytes, next, .. } = *self;
            // Surrogates and what is longer than need be; what is beyond U+10FFFF, and the same.
            let (first, last) = (bytes.equal(V::splat(0xE0)), bytes.equal(V::splat(0xED)));
            let ill_three = V::select(next.at_least(V::splat(0xA0)), last, first);
            let (first, last) = (bytes.equal(V::splat(0xF0)), bytes.equal(V::splat(0xF4)));
            let ill_four = V::select(next.at_least(V::splat(0x90)), last, first);
            let same = lanes::<V>((self.starts ^ other.starts).trailing_zeros() as usize);
            let here = same & self.strange & other.strange & bytes.equal(other.bytes).mask();
            let goes_on = here & bytes.and(V::splat(0xC0)).equal(V::splat(0x80)).mask();
            // C0 and C1 are the lead bytes of nothing.
            let from_three = here & bytes.at_least(V::splat(0xE0)).mask();
            let leads = from_three & !ill_three.or(ill_four).mask() & goes_on >> 1 & goes_on >> 2;
            let from_four = bytes.at_least(V::splat(0xF0)).mask();
            let longer = bytes.at_least(V::splat(if longest == 4 { 0xF5 } else { 0xF0 })).mask();
            let (mut three, mut four) = (leads & !from_four, leads & from_four & !longer & goes_on >> 3);
            if let Some(pairs) = pairs {
                let joined = joined(pairs, bytes, next).nonzero().mask() & !((three | four) >> 1);
                (three, four) = (three & !(joined >> 2), four & !(joined >> 3));
            }
            three | three << 1 | three << 2 | four | four << 1 | four << 2 | four << 3
        }
    }

    /// The lanes of characters that may begin a contraction.
    #[inline(always)]
    pub(super) unsafe fn joined(&self, pairs: &Pairs, text: &[u8], at: usize) -> u32 {
        // SAFETY: the caller keeps this module's contract.
        let ends = unsafe { joined(pairs, self.bytes, self.next).nonzero().mask() & lanes::<V>(text.len() - at - 1) };
        // A character of two bytes has the lane of its first. That of the last lane ends in the next block.
        let mut of_leads = ends >> 1;
        if let [_, second, third, ..] = text[at..].get(V::BYTES - 1..).unwrap_or_default() {
            of_leads |= u32::from(pairs.may_join(*second, *third)) << (V::BYTES - 1);
        }
        ends & self.starts & !self.leads | of_leads & self.leads
    }
}

/// The boundary after a whole block: a character may reach over its end. Asks the byte and not the lanes, so that the next block need not
/// wait for them.
#[inline(always)]
pub(super) fn after<V: Lanes>(text: &[u8], at: usize) -> usize {
    let last = text.get(at + V::BYTES - 1).copied().unwrap_or_default();
    (at + V::BYTES + usize::from(last >= 0xC0)).min(text.len())
}

/// The boundary after a block of which no character reaches over the end.
#[inline(always)]
pub(super) fn whole_before<V: Lanes>(text: &[u8], at: usize) -> usize {
    let is_cut = text.get(at + V::BYTES - 1).is_some_and(|&last| last >= 0xC0);
    (at + V::BYTES - usize::from(is_cut)).min(text.len())
}

/// The lowest bit of a nibble, as bit 6.
const ODD: [u8; 16] = [0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40];

/// Not zero in the lanes of bytes that may be within a contraction with the next ones.
#[inline(always)]
pub(super) unsafe fn joined<V: Shuffle>(pairs: &Pairs, bytes: V, next: V) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { classes(&pairs.first, bytes).and(classes(&pairs.second, next)) }
}

/// The classes of each lane's byte.
#[inline(always)]
unsafe fn classes<V: Shuffle>(classes: &Classes, bytes: V) -> V {
    // SAFETY: the caller keeps this module's contract.
    unsafe { bytes.low_nibbles().lookup(&classes.low).and(bytes.high_nibbles().lookup(&classes.high)) }
}
