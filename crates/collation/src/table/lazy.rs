//! What is made when it is first asked for, and kept.

use alloc::boxed::Box;
use core::hint::spin_loop;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A value that is made once. Threads that ask while it is made wait for it: what it is made of may be kept for good, so that a second one
/// would be a leak.
pub(crate) struct Lazy<T>(AtomicPtr<T>);

/// Gives the place back when the value could not be made.
struct Making<'l, T>(&'l AtomicPtr<T>);

impl<T> Drop for Making<'_, T> {
    fn drop(&mut self) {
        let _ = self.0.compare_exchange(being_made(), null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// Stands for a value that a thread is about to make; no value has this address.
const fn being_made<T>() -> *mut T {
    core::ptr::without_provenance_mut(1)
}

impl<T> Lazy<T> {
    pub const fn new() -> Self {
        const { assert!(align_of::<T>() > 1) }
        Self(AtomicPtr::new(null_mut()))
    }

    /// The value, which `make` makes if nobody asked before.
    #[inline(always)]
    pub fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        let made = self.0.load(Ordering::Acquire);
        if made.addr() <= 1 {
            return self.make(make);
        }
        // SAFETY: it is neither null nor the mark of one being made, so `make` stored it, which leaked it: it lives forever, and is only read.
        unsafe { &*made }
    }

    #[cold]
    fn make(&'static self, make: impl FnOnce() -> T) -> &'static T {
        loop {
            match self.0.compare_exchange(null_mut(), being_made(), Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(made) if made.addr() <= 1 => spin_loop(),
                // SAFETY: as in `get`.
                Err(made) => return unsafe { &*made },
            }
        }
        let making = Making(&self.0);
        let value: &'static T = Box::leak(Box::new(make()));
        self.0.store(core::ptr::from_ref(value).cast_mut(), Ordering::Release);
        drop(making);
        value
    }
}
