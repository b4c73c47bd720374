//! What a vector of bytes has to be able to do.

use super::byte_set::ByteRange;
use super::rows::Table;

/// A vector of bytes of one instruction set.
///
/// # Safety
/// Every method may be called only where the instruction set is to be had, from a function that has its target features turned on (the
/// methods are inlined into it). `load` reads [`Vector::BYTES`] bytes, `load_partial` the `n < BYTES` first ones.
pub(super) trait Vector: Copy {
    /// Its width.
    const BYTES: usize;

    unsafe fn load(from: *const u8) -> Self;
    /// The first `n` bytes, zeros after them, where the instruction set has such a load.
    #[inline(always)]
    unsafe fn load_partial(_from: *const u8, _n: usize) -> Option<Self> {
        None
    }
    unsafe fn splat(byte: u8) -> Self;
    /// `A` to `Z` as `a` to `z`, every other byte as it is.
    unsafe fn fold(self) -> Self;
    /// The first lane that is not equal, or [`Vector::BYTES`].
    unsafe fn first_mismatch(self, other: Self) -> usize;
    /// The first lane whose highest bit is set, or [`Vector::BYTES`].
    unsafe fn first_high(self) -> usize;
    /// How many lanes right before the `n`th, one of 1 to [`Vector::BYTES`], are in the range.
    unsafe fn run_back(self, range: &ByteRange, n: usize) -> usize;
    /// How many lanes are no continuation bytes of UTF-8.
    unsafe fn starts(self) -> usize;
    /// The first lane that is not printable ASCII, or is a space of which `next` has no printable ASCII other than that, or
    /// [`Vector::BYTES`].
    unsafe fn first_between_words(self, next: Self) -> usize;
}

/// A vector that can also look bytes up in a table of sixteen, which checking UTF-8 is made of.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Shuffle: Vector {
    unsafe fn zero() -> Self;
    /// Each lane, which is below 16, as an index into `table`.
    unsafe fn lookup(self, table: &[u8; 16]) -> Self;
    /// Each lane's high four bits, as a number.
    unsafe fn high_nibbles(self) -> Self;
    /// Each lane's low four bits.
    unsafe fn low_nibbles(self) -> Self;
    /// The bytes shifted up by `N` lanes, the last `N` bytes of `before` coming in.
    unsafe fn shifted<const N: usize>(self, before: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Lane by lane, no less than zero.
    unsafe fn minus(self, other: Self) -> Self;
    /// All bits where a lane is not zero, none where it is.
    unsafe fn nonzero(self) -> Self;
    unsafe fn is_zero(self) -> bool;
}

/// A vector whose lanes can be looked up in larger tables, blended and closed up: what weights of whole blocks of text are made of.
///
/// Lanes are numbers of bits, the first one the lowest; a mask of lanes has no other bits.
///
/// # Safety
/// As for [`Vector`]. `load_start` reads the `n < BYTES` first bytes, `store_pairs` writes up to twice [`Vector::BYTES`] bytes.
pub(super) trait Lanes: Shuffle {
    /// The first `n` bytes, zeros after them; `n` is below [`Vector::BYTES`].
    unsafe fn load_start(from: *const u8, n: usize) -> Self;
    /// A bit for each lane whose highest bit is set.
    unsafe fn mask(self) -> u32;
    /// All bits where the lanes are equal, none where they aren't.
    unsafe fn equal(self, other: Self) -> Self;
    /// All bits where a lane, as a number without sign, is no less than the other's.
    unsafe fn at_least(self, other: Self) -> Self;
    /// Lanes of `yes` where `mask` has all bits, of `no` where it has none.
    unsafe fn select(mask: Self, yes: Self, no: Self) -> Self;
    /// Each lane's byte from the next one, zero in the last.
    unsafe fn moved_down(self) -> Self;
    /// Each lane as an index into the table; anything for lanes of 128 and more.
    unsafe fn choose(self, table: &Table) -> Self;
    /// Each lane as an index into both tables; anything for lanes below 32, and of 128 and more.
    unsafe fn choose_printable(self, tables: [&Table; 2]) -> [Self; 2];
    /// Writes a pair of bytes for each lane of `kept`, without gaps, and rubbish after them.
    unsafe fn store_pairs(first: Self, second: Self, kept: u32, out: *mut u8);
    /// The lane of the bit with this number, which is there.
    #[inline(always)]
    unsafe fn nth(mut mask: u32, number: u32) -> usize {
        for _ in 0..number {
            mask &= mask.wrapping_sub(1);
        }
        mask.trailing_zeros() as usize
    }
}

/// A vector whose lanes can be mapped, and compared in pairs: what sort keys of 8-bit character sets, and under PAD SPACE, are made of.
///
/// A pair is two neighbouring lanes, the first of an even number, as 16 bits in the machine's order.
///
/// # Safety
/// As for [`Vector`]. `store` writes [`Vector::BYTES`] bytes.
pub(super) trait Keys: Lanes {
    /// A map of bytes, in registers.
    type Map: Copy;

    unsafe fn map(map: &[u8; 256]) -> Self::Map;
    /// Each lane mapped.
    unsafe fn mapped(self, map: &Self::Map) -> Self;
    unsafe fn store(self, out: *mut u8);
    unsafe fn splat_pair(pair: u16) -> Self;
    /// All bits where the pairs are equal, none where they aren't.
    unsafe fn equal_pairs(self, other: Self) -> Self;
    /// All bits where a pair, as a number without sign, is no greater than the other's.
    unsafe fn at_most_pairs(self, other: Self) -> Self;
    /// The two bytes of each pair in the other order.
    unsafe fn swapped(self) -> Self;
}

/// The bytes at `from`, zeros after the `rest` of them that can be read.
///
/// # Safety
/// As for [`Vector`]; `rest` bytes can be read, or [`Vector::BYTES`] where there are more.
#[inline(always)]
pub(super) unsafe fn load_up_to<V: Lanes>(from: *const u8, rest: usize) -> V {
    // SAFETY: the caller's.
    unsafe { if rest >= V::BYTES { V::load(from) } else { V::load_start(from, rest) } }
}

/// The lowest `n` of [`Vector::BYTES`] lanes, all where `n` is greater.
#[inline(always)]
pub(super) const fn lanes<V: Vector>(n: usize) -> u32 {
    if n >= V::BYTES { (u64::MAX >> (64 - V::BYTES)) as u32 } else { (1 << n) - 1 }
}

/// Where the lanes of each mask of eight go, two bytes each, when they are closed up: an index of each byte.
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
