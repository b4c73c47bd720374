//! Primitives that scan texts, with an implementation for each instruction set.
//!
//! [`vector::Vector`] is a small trait of vector operations. [`generic`], [`fill`], [`skip`],
//! [`keys`] and [`utf8`] have the algorithms, which AVX2 and NEON instantiate. SSE2 and AVX-512
//! instantiate some: SSE2 uses the scalar version for the others, and AVX-512 has its own. The
//! scalar version is always built. A [`Backend`] is a table of function pointers. The best one for
//! the machine is detected at the first call and kept in an atomic pointer. Tests run each backend
//! ([`all`]) against plain loops or the scalar version, over every alignment.
//!
//! Terms: a *block* is a vector's worth of text, a *lane* is one byte of it. A *short* character
//! has one or two bytes of UTF-8, a *long* one three or four. An *entry* is the weight of a short
//! character at one level, 0 if it has none, an identifier of several weights (equal for equal
//! weights), or [`ShortWeights::DEFER`]. `low` are the entries of a level.
//!
//! This folder imports nothing from the rest of the crate.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod block;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod block_contractions;
mod byte_pairs;
mod byte_set;
mod byte_table;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod entry_rows;
#[cfg(target_arch = "x86_64")]
mod expansion_codes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fill;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod generic;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod keys;
mod scalar;
mod short_contractions;
mod short_weights;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod skip;
#[cfg(test)]
mod tests;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod utf8;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicPtr, Ordering};

#[cfg(test)]
use byte_pairs::PairBytes;
pub(crate) use byte_pairs::{BytePairs, CaseVariants};
pub(crate) use byte_set::{ByteRange, ByteSet, trailing_run};
pub(crate) use byte_table::ByteTable;
pub(crate) use scalar::decode_short;
pub(crate) use short_contractions::ShortContractions;
pub(crate) use short_weights::ShortWeights;

/// Result of [`Backend::fill`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filled {
    /// Bytes read: whole characters.
    pub(crate) consumed: usize,
    /// Weights written.
    pub(crate) produced: usize,
}

/// Room, in weights, that [`Backend::fill`] needs to read another block of text.
pub(crate) const FILL_ROOM: usize = 128;

/// Maximum number of bytes of text for which room in a key is reserved at once. Twice this and
/// [`FILL_ROOM`] fit in a `usize` of 32 bits.
const MAX_KEY_ROOM: usize = 1 << 28;

/// Uninitialized room at the end of a sort key.
type Room<'k> = &'k mut [MaybeUninit<u8>];

/// Primitives of one instruction set.
///
/// The pointers may be called only on a machine that has the instruction set. The methods are safe:
/// [`get`] and [`all`] return no other backend.
pub(crate) struct Backend {
    /// Name of the instruction set.
    pub(crate) name: &'static str,
    mismatch: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_folded: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_folded_ascii: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_contractible: unsafe fn(&BytePairs, CaseVariants, &[u8], &[u8]) -> usize,
    mismatch_mapped: unsafe fn(&ByteTable, &[u8], &[u8]) -> usize,
    run_of: unsafe fn(u8, &[u8]) -> usize,
    trailing_run: unsafe fn(&ByteRange, &[u8]) -> usize,
    ascii_prefix: unsafe fn(&[u8]) -> usize,
    is_words: unsafe fn(&[u8]) -> bool,
    utf8_prefix: unsafe fn(&[u8]) -> usize,
    utf8_starts: unsafe fn(&[u8]) -> usize,
    skip_equal: unsafe fn(&ShortWeights, u8, &[u8], &[u8]) -> [usize; 2],
    fill: unsafe fn(&ShortWeights, &[u8], &mut [u16]) -> Filled,
    /// As `fill`, with each weight as two bytes, the high byte first. Initializes twice
    /// [`Filled::produced`] bytes at the start of the room, which is twice that of `fill`.
    fill_key: unsafe fn(&ShortWeights, &[u8], Room<'_>) -> Filled,
    /// Initializes as many bytes as the text has, if there is room.
    map_bytes: unsafe fn(&[u8; 256], &[u8], Room<'_>),
    find_marked_byte: unsafe fn(u8, &[u8]) -> usize,
    find_marked_word: unsafe fn(u16, &[u8]) -> usize,
}

impl Backend {
    /// First index at which two texts differ, or the length of the shorter one.
    #[inline]
    pub(crate) fn mismatch(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.mismatch)(a, b) }
    }

    /// As [`Backend::mismatch`], with both cases of ASCII equal.
    #[inline]
    pub(crate) fn mismatch_folded(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.mismatch_folded)(a, b) }
    }

    /// As [`Backend::mismatch_folded`], with bytes beyond ASCII as mismatches.
    #[inline]
    pub(crate) fn mismatch_folded_ascii(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.mismatch_folded_ascii)(a, b) }
    }

    /// As [`Backend::mismatch_folded`], but bytes that may be within a contraction have to be
    /// equal, or to differ as `variants` allows: `ch` and `cH` may have different weights although
    /// `h` and `H` have the same.
    ///
    /// The last byte is judged without the byte after it. May return less for texts with bytes
    /// beyond ASCII, where [`Backend::skip_equal`] is as fast.
    #[inline]
    pub(crate) fn mismatch_contractible(&self, pairs: &BytePairs, variants: CaseVariants, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.mismatch_contractible)(pairs, variants, a, b) }
    }

    /// As [`Backend::mismatch`], for the weights of bytes.
    #[inline]
    pub(crate) fn mismatch_mapped(&self, table: &ByteTable, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.mismatch_mapped)(table, a, b) }
    }

    /// Length of the run of `byte` at the start of `text`.
    #[inline]
    pub(crate) fn run_of(&self, byte: u8, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.run_of)(byte, text) }
    }

    /// Length of the run of bytes in the range at the end of `text`.
    #[inline]
    pub(crate) fn trailing_run(&self, range: &ByteRange, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.trailing_run)(range, text) }
    }

    /// Length of the ASCII at the start.
    #[inline]
    pub(crate) fn ascii_prefix(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.ascii_prefix)(text) }
    }

    /// Whether a text is printable ASCII in which a character other than a space follows each
    /// space.
    #[inline]
    pub(crate) fn is_words(&self, text: &[u8]) -> bool {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.is_words)(text) }
    }

    /// Length of the well-formed UTF-8 at the start, in bytes of whole characters.
    #[inline]
    pub(crate) fn utf8_prefix(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.utf8_prefix)(text) }
    }

    /// Number of bytes that are not continuation bytes: the number of characters of well-formed
    /// UTF-8.
    #[inline]
    pub(crate) fn utf8_starts(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.utf8_starts)(text) }
    }

    /// Lengths of the beginnings of two texts that are equal character by character: short
    /// characters have the same entry, which is not [`ShortWeights::DEFER`], and characters of
    /// three to `longest` bytes are the same.
    ///
    /// May skip less than possible. A contraction may begin before the returned lengths and end
    /// after them: a character that may begin one is skipped if it and the next one are ASCII, and
    /// both are equal in both texts or differ only as `low.variants()` allows.
    #[inline]
    pub(crate) fn skip_equal(&self, low: &ShortWeights, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.skip_equal)(low, longest, a, b) }
    }

    /// Writes the weights of characters below U+0800 with at most two weights, and of contractions
    /// of these, to the start of `out`. Stops before any other character or contraction, at the
    /// end of `text`, or when less than [`FILL_ROOM`] is left in `out`.
    #[inline]
    pub(crate) fn fill(&self, low: &ShortWeights, text: &[u8], out: &mut [u16]) -> Filled {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.fill)(low, text, out) }
    }

    /// As [`Backend::fill`], with each weight as two bytes, the high byte first, appended to a sort
    /// key.
    #[inline]
    pub(crate) fn append_key(&self, low: &ShortWeights, text: &[u8], key: &mut Vec<u8>) -> Filled {
        // A byte of text mostly has one weight at most, so one allocation is enough.
        key.reserve(2 * (text.len().min(MAX_KEY_ROOM) + FILL_ROOM));
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        let filled = unsafe { (self.fill_key)(low, text, key.spare_capacity_mut()) };
        // SAFETY: the contract of `fill_key`: it wrote that many weights of two bytes at the start
        // of the spare capacity.
        unsafe { key.set_len(key.len() + 2 * filled.produced) };
        filled
    }

    /// Appends the mapped bytes of `text` to a sort key.
    #[inline]
    pub(crate) fn append_mapped(&self, map: &[u8; 256], text: &[u8], key: &mut Vec<u8>) {
        key.reserve(text.len());
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.map_bytes)(map, text, key.spare_capacity_mut()) };
        // SAFETY: the contract of `map_bytes`: it wrote that many bytes, for which there was room.
        unsafe { key.set_len(key.len() + text.len()) };
    }

    /// Index of the first byte of a PAD SPACE key at which a mark may be needed
    /// (operations/padding.rs): a `space` without a greater byte after it, or a byte `space - 1`.
    /// The number of bytes if no mark is needed.
    #[inline]
    pub(crate) fn find_marked_byte(&self, space: u8, bytes: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.find_marked_byte)(space, bytes) }
    }

    /// As [`Backend::find_marked_byte`], for weights of two bytes, the high byte first. Returns a
    /// byte offset.
    #[inline]
    pub(crate) fn find_marked_word(&self, space: u16, weights: &[u8]) -> usize {
        // SAFETY: a `Backend` is returned only if its instruction set was detected.
        unsafe { (self.find_marked_word)(space, weights) }
    }

    /// First index at which two slices of weights differ, or the length of the shorter one.
    #[inline]
    pub(crate) fn mismatch_weights(&self, a: &[u16], b: &[u16]) -> usize {
        self.mismatch(as_bytes(a), as_bytes(b)) / 2
    }
}

/// Bytes of weights, in the byte order of the machine.
pub(crate) fn as_bytes(weights: &[u16]) -> &[u8] {
    // SAFETY: the bytes are those of a live slice, `u16` has no padding, and bytes need no
    // alignment.
    unsafe { core::slice::from_raw_parts(weights.as_ptr().cast(), size_of_val(weights)) }
}

static CHOSEN: AtomicPtr<Backend> = AtomicPtr::new(core::ptr::null_mut());

/// The best backend of this machine.
#[inline]
pub(crate) fn get() -> &'static Backend {
    let chosen = CHOSEN.load(Ordering::Relaxed);
    if chosen.is_null() {
        return detect();
    }
    // SAFETY: only `detect` and `choose` store here, and only addresses of immutable statics.
    unsafe { &*chosen }
}

#[cold]
fn detect() -> &'static Backend {
    let best = all().next().unwrap_or(&scalar::BACKEND);
    CHOSEN.store(core::ptr::from_ref(best).cast_mut(), Ordering::Relaxed);
    best
}

/// Names of the instruction sets that this machine has, the best first.
#[cfg(feature = "oracle")]
pub fn available() -> impl Iterator<Item = &'static str> {
    all().map(|backend| backend.name)
}

/// Selects an instruction set for all further calls, if the machine has it.
#[cfg(feature = "oracle")]
pub fn choose(name: &str) {
    if let Some(backend) = all().find(|backend| backend.name == name) {
        CHOSEN.store(core::ptr::from_ref(backend).cast_mut(), Ordering::Relaxed);
    }
}

/// All backends that this machine can run, the best first, the scalar one last.
pub(crate) fn all() -> impl Iterator<Item = &'static Backend> {
    #[cfg(target_arch = "x86_64")]
    let native = x86_64::available();
    #[cfg(target_arch = "aarch64")]
    let native = aarch64::available();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let native = core::iter::empty();
    native.chain(core::iter::once(&scalar::BACKEND))
}
