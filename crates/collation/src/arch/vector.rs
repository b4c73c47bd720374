//! What a vector of bytes has to be able to do.

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
    /// How many lanes are no continuation bytes of UTF-8.
    unsafe fn starts(self) -> usize;
}

/// A vector that can also look bytes up in a table of sixteen, which checking UTF-8 is made of.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Shuffle: Vector {
    unsafe fn zero() -> Self;
    /// Each lane's low four bits as an index into `table`.
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
