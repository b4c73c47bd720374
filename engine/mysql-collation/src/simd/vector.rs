//! Traits for the vector operations that the generic algorithms need.

use super::byte_set::ByteRange;
use super::entry_rows::Table;

/// A vector of bytes of one instruction set.
///
/// # Safety
/// Call methods only on a machine that has the instruction set, from a function with its target
/// features enabled: methods are inlined into it. `load` reads [`Vector::BYTES`] bytes,
/// `load_partial` reads `n < BYTES` bytes.
pub(super) trait Vector: Copy {
    /// Number of lanes.
    const BYTES: usize;

    unsafe fn load(from: *const u8) -> Self;
    /// Loads `n` bytes and zeros after them. `None` if the instruction set has no masked load.
    #[inline(always)]
    unsafe fn load_partial(_from: *const u8, _n: usize) -> Option<Self> {
        None
    }
    unsafe fn splat(byte: u8) -> Self;
    /// Converts `A` to `Z` to lower case.
    unsafe fn fold(self) -> Self;
    /// First lane that differs, or [`Vector::BYTES`].
    unsafe fn first_mismatch(self, other: Self) -> usize;
    /// First lane whose highest bit is set, or [`Vector::BYTES`].
    unsafe fn first_high(self) -> usize;
    /// Length of the run of lanes in the range that ends before lane `n`, which is 1 to
    /// [`Vector::BYTES`].
    unsafe fn trailing_run(self, range: &ByteRange, n: usize) -> usize;
    /// Number of lanes that are not continuation bytes of UTF-8.
    unsafe fn starts(self) -> usize;
    /// First lane that is not printable ASCII, or is a space whose next byte, in the same lane of
    /// `next`, is not 0x21 to 0x7F; [`Vector::BYTES`] if no lane is.
    unsafe fn first_breaking_words(self, next: Self) -> usize;
}

/// A vector with lookups in tables of sixteen bytes.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Shuffle: Vector {
    unsafe fn zero() -> Self;
    /// Looks each lane, which is below 16, up in `table`.
    unsafe fn lookup(self, table: &[u8; 16]) -> Self;
    /// High four bits of each lane, as a number.
    unsafe fn high_nibbles(self) -> Self;
    /// Low four bits of each lane.
    unsafe fn low_nibbles(self) -> Self;
    /// Moves bytes up by `N` lanes; the last `N` bytes of `before` come first.
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Subtracts lane by lane, with zero as the least result.
    unsafe fn saturating_sub(self, other: Self) -> Self;
    /// All bits in the lanes that are not zero.
    unsafe fn nonzero(self) -> Self;
    unsafe fn is_zero(self) -> bool;
}

/// A vector with lookups in tables of 128 bytes, blending and compaction.
///
/// Bit `i` of a lane mask is lane `i`; bits beyond the lanes are zero.
///
/// # Safety
/// As for [`Vector`]. `load_start` reads `n < BYTES` bytes, `store_pairs` writes up to twice
/// [`Vector::BYTES`] bytes.
pub(super) trait Lanes: Shuffle {
    /// Loads `n < BYTES` bytes and zeros after them.
    unsafe fn load_start(from: *const u8, n: usize) -> Self;
    /// Bit of each lane whose highest bit is set.
    unsafe fn mask(self) -> u32;
    /// All bits in the lanes that are equal.
    unsafe fn equal(self, other: Self) -> Self;
    /// All bits in the lanes that are no less than the other's, unsigned.
    unsafe fn at_least(self, other: Self) -> Self;
    /// Takes the lanes of `yes` where all bits of `mask` are set, and the lanes of `no` where they
    /// are zero.
    unsafe fn select(mask: Self, yes: Self, no: Self) -> Self;
    /// Moves each lane to the one before; the last becomes zero.
    unsafe fn shifted_down(self) -> Self;
    /// Looks each lane up in a table of 128 bytes. Lanes of 128 and more give arbitrary values.
    unsafe fn lookup_128(self, table: &Table) -> Self;
    /// Looks each lane up in two tables. Lanes below 32, and of 128 and more, give arbitrary
    /// values.
    unsafe fn lookup_printable(self, tables: [&Table; 2]) -> [Self; 2];
    /// Writes a pair of bytes for each lane of `kept`, without gaps, and arbitrary bytes after
    /// them.
    unsafe fn store_pairs(first: Self, second: Self, kept: u32, out: *mut u8);
    /// Lane of the set bit with this number, counted from 0. `mask` has such a bit.
    #[inline(always)]
    unsafe fn nth(mut mask: u32, number: u32) -> usize {
        for _ in 0..number {
            mask &= mask.wrapping_sub(1);
        }
        mask.trailing_zeros() as usize
    }
}

/// A vector whose lanes can be mapped and compared in pairs.
///
/// A pair is two neighbouring lanes, the first even, as 16 bits in the byte order of the machine.
///
/// # Safety
/// As for [`Vector`]. `store` writes [`Vector::BYTES`] bytes.
pub(super) trait Keys: Lanes {
    /// A map of bytes, in registers.
    type Map: Copy;

    unsafe fn map(map: &[u8; 256]) -> Self::Map;
    unsafe fn mapped(self, map: &Self::Map) -> Self;
    unsafe fn store(self, out: *mut u8);
    unsafe fn splat_pair(pair: u16) -> Self;
    /// All bits in the pairs that are equal.
    unsafe fn equal_pairs(self, other: Self) -> Self;
    /// All bits in the pairs that are no greater than the other's, unsigned.
    unsafe fn at_most_pairs(self, other: Self) -> Self;
    /// Swaps the two bytes of each pair.
    unsafe fn swapped(self) -> Self;
}

/// Loads the bytes at `from`, with zeros after `rest` of them.
///
/// # Safety
/// As for [`Vector`]. `rest` bytes can be read, or [`Vector::BYTES`] if that is less.
#[inline(always)]
pub(super) unsafe fn load_up_to<V: Lanes>(from: *const u8, rest: usize) -> V {
    // SAFETY: the caller guarantees the instruction set and the readable bytes.
    unsafe { if rest >= V::BYTES { V::load(from) } else { V::load_start(from, rest) } }
}

/// The lowest `n` lanes; all lanes if `n` is greater than [`Vector::BYTES`].
#[inline(always)]
pub(super) const fn lanes<V: Vector>(n: usize) -> u32 {
    if n >= V::BYTES { (u64::MAX >> (64 - V::BYTES)) as u32 } else { (1 << n) - 1 }
}

/// For each mask of eight lanes, a shuffle that removes the gaps between the pairs of bytes of
/// these lanes.
pub(super) static CLOSE_UP: [[u8; 16]; 256] = {
    let mut all = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut to) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                all[mask][to] = 2 * lane;
                all[mask][to + 1] = 2 * lane + 1;
                to += 2;
            }
            lane += 1;
        }
        mask += 1;
    }
    all
};
