//! One vector's worth of UTF-8: the lanes in which characters begin, and the indexes of table
//! lookups.
//!
//! Each byte has a lane. The result of a table lookup is in the lane of the character's first byte.
//! A row of a table has the 128 entries of two lead bytes that differ in the lowest bit only, such
//! as C2 and C3. A block takes one lookup for ASCII and one for each other row in it, however many
//! characters it has. A text of one script has one or two such rows.
//!
//! # Safety
//! The CPU has the instruction set of `V`, and the caller is compiled for it. `at` is less than
//! `text.len()`.

use super::byte_pairs::{BytePairs, PairClasses};
use super::vector::{Lanes, Shuffle, lanes, load_up_to};

pub(super) struct Block<V> {
    /// Zeros after the end of the text.
    pub(super) bytes: V,
    /// Byte after each byte.
    pub(super) next: V,
    /// Index of each two-byte character into its row, in the lane of its lead byte.
    indexes: V,
    /// Each byte without its lowest bit: the same for all lead bytes of a row.
    pub(super) row_leads: V,
    /// Lanes of the lead bytes of two-byte characters.
    leads: u32,
    /// Lanes of the first bytes of characters of one and two bytes.
    pub(super) starts: u32,
    /// Lanes of the text that belong to no character of one or two bytes, except the lanes in
    /// `long`. They stop the block.
    pub(super) unsupported: u32,
    /// Lanes of characters of three and four bytes that both texts have in the same place.
    /// [`Block::allow_long_characters`] moves them here from `unsupported`.
    long: u32,
}

impl<V: Lanes> Block<V> {
    /// Loads the block at `at`, a character boundary before the end of the text.
    #[inline(always)]
    pub(super) unsafe fn at(text: &[u8], at: usize) -> Self {
        let rest = text.len() - at;
        // SAFETY: the CPU has the instruction set. `rest` > 0 bytes are readable at `from`; the
        // load at `from + 1` is made only if more than `V::BYTES` bytes are.
        unsafe {
            let from = text.as_ptr().add(at);
            let bytes: V = load_up_to(from, rest);
            let next = if rest > V::BYTES { V::load(from.add(1)) } else { bytes.shifted_down() };
            let here = lanes::<V>(rest);
            let ascii = here & !bytes.mask();
            let row_leads = bytes.and(V::splat(!1));
            let mut block =
                Self { bytes, next, indexes: bytes, row_leads, leads: 0, starts: ascii, unsupported: 0, long: 0 };
            if ascii != here {
                let lead = bytes.and(V::splat(0xE0)).equal(V::splat(0xC0)).and(bytes.at_least(V::splat(0xC2)));
                let continued = next.and(V::splat(0xC0)).equal(V::splat(0x80));
                block.leads = lead.and(continued).mask() & here;
                block.starts |= block.leads;
                block.unsupported = here & !(block.starts | block.leads << 1);
                // The lead's lowest bit, then the six bits of the second byte.
                let lowest = bytes.low_nibbles().lookup(&ODD);
                block.indexes = lowest.or(next.and(V::splat(0x3F)));
            }
            block
        }
    }

    /// Takes the row of the first lead off `rest`. Returns the row's number, a mask of its lanes,
    /// and `rest` without its lanes.
    ///
    /// `rest` begins as [`Block::leads`]; a loop over this function visits each row once.
    #[inline(always)]
    pub(super) unsafe fn take_row(&self, text: &[u8], at: usize, rest: u32) -> (usize, V, u32) {
        let lead = text[at + rest.trailing_zeros() as usize] & !1;
        // SAFETY: the CPU has the instruction set. No memory is read.
        unsafe {
            let same = self.row_leads.equal(V::splat(lead));
            (usize::from(lead & 0x1F) >> 1, same, rest & !same.mask())
        }
    }

    /// Excludes a two-byte character that begins in the last lane: the next block has it.
    #[inline(always)]
    pub(super) fn exclude_last_lead(&mut self) {
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

    /// First lane that is in `unsupported` or in `others`;
    /// [`Vector::BYTES`](super::vector::Vector::BYTES) if no lane is.
    #[inline(always)]
    pub(super) fn first_stop_lane(&self, others: u32) -> usize {
        let stops = u64::from(self.unsupported | others) | 1 << V::BYTES;
        stops.trailing_zeros() as usize
    }

    /// Keeps characters of three and four bytes from stopping the block. `long` is the mask of all
    /// lanes of these characters.
    #[inline(always)]
    pub(super) fn allow_long_characters(&mut self, long: u32) {
        self.unsupported &= !long;
        self.long = long;
    }

    /// Lane after the last character that begins before lane `stop`. The result is `stop + 1` if
    /// `stop` is the second lane of a character and only the other text stops there.
    #[inline(always)]
    pub(super) fn end_of_characters_before(&self, stop: usize) -> usize {
        let before = (self.starts | self.long) & lanes::<V>(stop);
        let count = (u32::BITS - before.leading_zeros()) as usize;
        count + (u64::from(self.leads) << 1 >> count & 1) as usize
    }

    /// Lanes of the well-formed characters of three to `longest` bytes that both texts have in the
    /// same place, up to the first lane in which a character begins in one text only.
    ///
    /// A character that may begin a contraction with the next one is excluded, unless the next one
    /// is such a longer character too.
    #[inline(always)]
    pub(super) unsafe fn shared_long_characters(&self, other: &Self, pairs: Option<&BytePairs>, longest: u8) -> u32 {
        // SAFETY: the CPU has the instruction set. No memory is read.
        unsafe {
            let Self { bytes, next, .. } = *self;
            // Overlong forms and surrogates; overlong forms and code points above U+10FFFF.
            let (first, last) = (bytes.equal(V::splat(0xE0)), bytes.equal(V::splat(0xED)));
            let ill_three = V::select(next.at_least(V::splat(0xA0)), last, first);
            let (first, last) = (bytes.equal(V::splat(0xF0)), bytes.equal(V::splat(0xF4)));
            let ill_four = V::select(next.at_least(V::splat(0x90)), last, first);
            let same = lanes::<V>((self.starts ^ other.starts).trailing_zeros() as usize);
            let here = same & self.unsupported & other.unsupported & bytes.equal(other.bytes).mask();
            let goes_on = here & bytes.and(V::splat(0xC0)).equal(V::splat(0x80)).mask();
            let from_three = here & bytes.at_least(V::splat(0xE0)).mask();
            let leads = from_three & !ill_three.or(ill_four).mask() & goes_on >> 1 & goes_on >> 2;
            let from_four = bytes.at_least(V::splat(0xF0)).mask();
            let longer = bytes.at_least(V::splat(if longest == 4 { 0xF5 } else { 0xF0 })).mask();
            let (mut three, mut four) = (leads & !from_four, leads & from_four & !longer & goes_on >> 3);
            if let Some(pairs) = pairs {
                let contractible = contractible_bytes(pairs, bytes, next).nonzero().mask() & !((three | four) >> 1);
                (three, four) = (three & !(contractible >> 2), four & !(contractible >> 3));
            }
            three | three << 1 | three << 2 | four | four << 1 | four << 2 | four << 3
        }
    }

    /// Lanes of the characters that may begin a contraction.
    #[inline(always)]
    pub(super) unsafe fn contraction_starts(&self, pairs: &BytePairs, text: &[u8], at: usize) -> u32 {
        // SAFETY: the CPU has the instruction set. No memory is read.
        let ends = unsafe {
            contractible_bytes(pairs, self.bytes, self.next).nonzero().mask() & lanes::<V>(text.len() - at - 1)
        };
        // A two-byte character has the lane of its first byte. One in the last lane ends in the
        // next block.
        let mut of_leads = ends >> 1;
        if let [_, second, third, ..] = text[at..].get(V::BYTES - 1..).unwrap_or_default() {
            of_leads |= u32::from(pairs.may_contract(*second, *third)) << (V::BYTES - 1);
        }
        ends & self.starts & !self.leads | of_leads & self.leads
    }
}

/// Character boundary after a block, or after the two-byte character that the block's last byte
/// begins. Reads that byte instead of lanes, so that the next block need not wait for the lanes.
#[inline(always)]
pub(super) fn boundary_after<V: Lanes>(text: &[u8], at: usize) -> usize {
    let last = text.get(at + V::BYTES - 1).copied().unwrap_or_default();
    (at + V::BYTES + usize::from(last >= 0xC0)).min(text.len())
}

/// Character boundary at the end of a block or of the text, or before the character that the
/// block's last byte begins.
#[inline(always)]
pub(super) fn boundary_before<V: Lanes>(text: &[u8], at: usize) -> usize {
    let continues = text.get(at + V::BYTES - 1).is_some_and(|&last| last >= 0xC0);
    (at + V::BYTES - usize::from(continues)).min(text.len())
}

/// Lowest bit of a nibble, moved to bit 6.
const ODD: [u8; 16] = [0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40, 0, 0x40];

/// Vector that is nonzero in the lanes of bytes that may be in one contraction with the next byte.
#[inline(always)]
pub(super) unsafe fn contractible_bytes<V: Shuffle>(pairs: &BytePairs, bytes: V, next: V) -> V {
    // SAFETY: the CPU has the instruction set. No memory is read.
    unsafe { classes(&pairs.first, bytes).and(classes(&pairs.second, next)) }
}

#[inline(always)]
unsafe fn classes<V: Shuffle>(classes: &PairClasses, bytes: V) -> V {
    // SAFETY: the CPU has the instruction set. No memory is read.
    unsafe { bytes.low_nibbles().lookup(&classes.low).and(bytes.high_nibbles().lookup(&classes.high)) }
}
