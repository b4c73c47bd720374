//! What is made when it is first asked for, and kept.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A value that is made once. Two threads that ask at the same time may both make it; one of the two values is kept.
pub(crate) struct Lazy<T>(AtomicPtr<T>);

impl<T> Lazy<T> {
    pub const fn new() -> Self {
        Self(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// The value, which `make` makes if nobody asked before.
    #[inline(always)]
    pub fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        let made = self.0.load(Ordering::Acquire);
        if made.is_null() {
            return self.make(make());
        }
        // SAFETY: only `make` stores here, and only what it leaked: it lives forever, and is only read.
        unsafe { &*made }
    }

    #[cold]
    fn make(&'static self, value: T) -> &'static T {
        let ours = Box::into_raw(Box::new(value));
        let kept = self.0.compare_exchange(core::ptr::null_mut(), ours, Ordering::AcqRel, Ordering::Acquire);
        match kept {
            // SAFETY: it came from a box a moment ago, and nobody frees it: it was stored for good.
            Ok(_) => unsafe { &*ours },
            Err(theirs) => {
                // SAFETY: `ours` came from a box a moment ago and was not stored, so nobody else has it. `theirs` is not
                // null, and was leaked by the thread that came first.
                unsafe {
                    drop(Box::from_raw(ours));
                    &*theirs
                }
            }
        }
    }
}
