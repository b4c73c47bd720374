//! The primitives that touch every byte, one implementation for each instruction set.
//!
//! A small vector trait ([`vector::Vector`]), one generic algorithm for each primitive ([`generic`]), an instantiation for each
//! instruction set, and a scalar version that is always built. A [`Backend`] is a table of function pointers; which one the machine
//! runs is found out once and kept in an atomic pointer. Each backend can be taken by itself ([`all`]) and is tested so, against
//! plain loops, over every alignment.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod block;
mod byte_set;
#[cfg(target_arch = "x86_64")]
mod codes;
mod contractions;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fill;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod generic;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod keys;
#[cfg(target_arch = "x86_64")]
mod letter_pairs;
mod low;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod rows;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod skip;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod taken;
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

pub(crate) use byte_set::{ByteRange, ByteSet, run_back};
pub(crate) use contractions::ShortContractions;
pub(crate) use low::Low;
pub(crate) use scalar::short;

use crate::table::{ByteOrder, Pairs, Variants};

/// What [`Backend::fill`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filled {
    /// Bytes read: whole characters, all of them plain.
    pub(crate) consumed: usize,
    /// Weights written.
    pub(crate) produced: usize,
}

impl Filled {
    /// What both did, one after the other.
    #[cfg(target_arch = "x86_64")]
    const fn and(self, next: Self) -> Self {
        Self { consumed: self.consumed + next.consumed, produced: self.produced + next.produced }
    }
}

/// The room that [`Backend::fill`] wants before it reads another block of text.
pub(crate) const FILL_ROOM: usize = 128;

/// The most bytes of text that a key grows for at once: twice that and more never overflows.
const KEY_ROOM: usize = 1 << 28;

/// Room at the end of a sort key.
type Room<'k> = &'k mut [MaybeUninit<u8>];

/// One instruction set's primitives.
///
/// The pointers may be called only on a machine that has the instruction set; the methods may always be called, because [`get`] and
/// [`all`] hand out nothing else.
pub(crate) struct Backend {
    /// The name, as benches and tests print it.
    pub(crate) name: &'static str,
    mismatch: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_folded: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_folded_ascii: unsafe fn(&[u8], &[u8]) -> usize,
    mismatch_joined: unsafe fn(&Pairs, Variants, &[u8], &[u8]) -> usize,
    mismatch_mapped: unsafe fn(&ByteOrder, &[u8], &[u8]) -> usize,
    run_of: unsafe fn(u8, &[u8]) -> usize,
    run_back: unsafe fn(&ByteRange, &[u8]) -> usize,
    ascii_prefix: unsafe fn(&[u8]) -> usize,
    is_words: unsafe fn(&[u8]) -> bool,
    utf8_prefix: unsafe fn(&[u8]) -> usize,
    utf8_starts: unsafe fn(&[u8]) -> usize,
    skip_equal: unsafe fn(&Low, u8, &[u8], &[u8]) -> [usize; 2],
    fill: unsafe fn(&Low, &[u8], &mut [u16]) -> Filled,
    /// As `fill`, but each weight as two bytes, the high one first. Has written twice [`Filled::produced`] bytes to the start of the
    /// room, which is twice as large as what `fill` wants.
    fill_key: unsafe fn(&Low, &[u8], Room<'_>) -> Filled,
    /// Has written as many bytes as the text has, if there is room.
    map_bytes: unsafe fn(&[u8; 256], &[u8], Room<'_>),
    find_mark_of_bytes: unsafe fn(u8, &[u8]) -> usize,
    find_mark_of_pairs: unsafe fn(u16, &[u8]) -> usize,
}

impl Backend {
    /// The first index at which the two differ, or the shorter one's length.
    #[inline]
    pub(crate) fn mismatch(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.mismatch)(a, b) }
    }

    /// As [`Backend::mismatch`], ASCII's upper and lower case being one.
    #[inline]
    pub(crate) fn mismatch_folded(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.mismatch_folded)(a, b) }
    }

    /// As [`Backend::mismatch_folded`], but bytes beyond ASCII count as mismatches.
    #[inline]
    pub(crate) fn mismatch_folded_ascii(&self, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.mismatch_folded_ascii)(a, b) }
    }

    /// As [`Backend::mismatch_folded`], but bytes that may be within a contraction have to be equal, or to differ as variants may: `ch`
    /// and `cH` may differ where `c` and `C`, `h` and `H` don't. What is told of the last byte does not know of the byte after it. Less than
    /// that may be told of texts with bytes beyond ASCII, where [`Backend::skip_equal`] takes no longer.
    #[inline]
    pub(crate) fn mismatch_joined(&self, pairs: &Pairs, variants: Variants, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.mismatch_joined)(pairs, variants, a, b) }
    }

    /// As [`Backend::mismatch`], after `map` was applied to each byte.
    #[inline]
    pub(crate) fn mismatch_mapped(&self, order: &ByteOrder, a: &[u8], b: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.mismatch_mapped)(order, a, b) }
    }

    /// How many times `byte` stands at the start of `text`.
    #[inline]
    pub(crate) fn run_of(&self, byte: u8, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.run_of)(byte, text) }
    }

    /// How many bytes at the end of `text` are in the range.
    #[inline]
    pub(crate) fn run_back(&self, range: &ByteRange, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.run_back)(range, text) }
    }

    /// The length of the ASCII at the start.
    #[inline]
    pub(crate) fn ascii_prefix(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.ascii_prefix)(text) }
    }

    /// Whether a text is printable ASCII in which each space has something else after it.
    #[inline]
    pub(crate) fn is_words(&self, text: &[u8]) -> bool {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.is_words)(text) }
    }

    /// The length of the well-formed UTF-8 at the start, in whole characters.
    #[inline]
    pub(crate) fn utf8_prefix(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.utf8_prefix)(text) }
    }

    /// How many bytes are no continuation bytes: the number of characters, where the text is well-formed UTF-8.
    #[inline]
    pub(crate) fn utf8_starts(&self, text: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.utf8_starts)(text) }
    }

    /// Bytes at the start of each text that are the same number of characters, one by one with the same entries, none of which is
    /// [`Low::MARK`], or the same ones of three to `longest` bytes. One may begin a contraction if it and the next character are of ASCII and the
    /// same in both texts, or differ as variants may; so a contraction may reach over the end. May skip less than it could.
    #[inline]
    pub(crate) fn skip_equal(&self, low: &Low, longest: u8, a: &[u8], b: &[u8]) -> [usize; 2] {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.skip_equal)(low, longest, a, b) }
    }

    /// Turns the plain characters at the start of `text`, of two weights or less, and contractions of these, into weights. Stops before the
    /// first character or contraction that isn't plain, at the end of `text`, or when less than [`FILL_ROOM`] is left in `out` (what it wrote is at the start).
    #[inline]
    pub(crate) fn fill(&self, low: &Low, text: &[u8], out: &mut [u16]) -> Filled {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.fill)(low, text, out) }
    }

    /// As [`Backend::fill`], each weight as two bytes, the high one first, appended to a sort key.
    #[inline]
    pub(crate) fn append_key(&self, low: &Low, text: &[u8], key: &mut Vec<u8>) -> Filled {
        // A byte of text has one weight at most, mostly: there is one allocation.
        key.reserve(2 * (text.len().min(KEY_ROOM) + FILL_ROOM));
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        let filled = unsafe { (self.fill_key)(low, text, key.spare_capacity_mut()) };
        // SAFETY: the contract of `fill_key`: it wrote that many weights of two bytes at the start of the spare capacity.
        unsafe { key.set_len(key.len() + 2 * filled.produced) };
        filled
    }

    /// Appends the mapped bytes of `text` to a sort key.
    #[inline]
    pub(crate) fn append_mapped(&self, map: &[u8; 256], text: &[u8], key: &mut Vec<u8>) {
        key.reserve(text.len());
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.map_bytes)(map, text, key.spare_capacity_mut()) };
        // SAFETY: the contract of `map_bytes`: it wrote that many bytes, for which there was room.
        unsafe { key.set_len(key.len() + text.len()) };
    }

    /// The first index of a byte that is `space` and not followed by a greater one, or just below it; their number, if none.
    #[inline]
    pub(crate) fn find_mark_of_bytes(&self, space: u8, bytes: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.find_mark_of_bytes)(space, bytes) }
    }

    /// The same of weights of two bytes, the high one first: the index of the first byte.
    #[inline]
    pub(crate) fn find_mark_of_pairs(&self, space: u16, weights: &[u8]) -> usize {
        // SAFETY: a `Backend` is only handed out where its instruction set was detected.
        unsafe { (self.find_mark_of_pairs)(space, weights) }
    }

    /// The first index at which two slices of weights differ, or the shorter one's length.
    #[inline]
    pub(crate) fn mismatch_weights(&self, a: &[u16], b: &[u16]) -> usize {
        self.mismatch(as_bytes(a), as_bytes(b)) / 2
    }
}

/// The bytes of weights, in the machine's order.
fn as_bytes(weights: &[u16]) -> &[u8] {
    // SAFETY: the bytes are those of a live slice, `u16` has no padding, and bytes need no alignment.
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
    // SAFETY: only `detect` and `choose` store here, and only addresses of statics, which nobody writes to.
    unsafe { &*chosen }
}

#[cold]
fn detect() -> &'static Backend {
    let best = all().next().unwrap_or(&scalar::BACKEND);
    CHOSEN.store(core::ptr::from_ref(best).cast_mut(), Ordering::Relaxed);
    best
}

/// The names of the instruction sets that this machine has, the best one first.
#[cfg(feature = "oracle")]
pub fn available() -> impl Iterator<Item = &'static str> {
    all().map(|backend| backend.name)
}

/// From now on takes this instruction set, if the machine has it.
#[cfg(feature = "oracle")]
pub fn choose(name: &str) {
    if let Some(backend) = all().find(|backend| backend.name == name) {
        CHOSEN.store(core::ptr::from_ref(backend).cast_mut(), Ordering::Relaxed);
    }
}

/// Every backend that this machine can run, the best one first, the scalar one last.
pub(crate) fn all() -> impl Iterator<Item = &'static Backend> {
    #[cfg(target_arch = "x86_64")]
    let native = x86_64::available();
    #[cfg(target_arch = "aarch64")]
    let native = aarch64::available();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let native = core::iter::empty();
    native.chain(core::iter::once(&scalar::BACKEND))
}
