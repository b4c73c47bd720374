//! Values that are created at first use and kept forever.

use alloc::boxed::Box;
use core::hint::spin_loop;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A value that is created once. While one thread creates the value, other threads wait. Creation
/// may leak memory on purpose (tables/level.rs), so two threads must not both create the value.
pub(crate) struct Lazy<T>(AtomicPtr<T>);

/// A guard that resets the pointer if creation panics.
struct Making<'l, T>(&'l AtomicPtr<T>);

impl<T> Drop for Making<'_, T> {
    fn drop(&mut self) {
        let _ = self.0.compare_exchange(being_made(), null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// Marker for a value that a thread is creating. No value has this address.
const fn being_made<T>() -> *mut T {
    core::ptr::without_provenance_mut(1)
}

impl<T> Lazy<T> {
    pub const fn new() -> Self {
        const { assert!(align_of::<T>() > 1) }
        Self(AtomicPtr::new(null_mut()))
    }

    /// Returns the value, which `make` creates at the first call.
    #[inline(always)]
    pub fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        let made = self.0.load(Ordering::Acquire);
        if made.addr() <= 1 {
            return self.initialise(make);
        }
        // SAFETY: the pointer is neither null nor `being_made`, so `initialise` stored it. It
        // leaked the value, which therefore lives forever and is only read.
        unsafe { &*made }
    }

    #[cold]
    fn initialise(&'static self, make: impl FnOnce() -> T) -> &'static T {
        loop {
            match self.0.compare_exchange(null_mut(), being_made(), Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => break,
                Err(made) if made.addr() <= 1 => spin_loop(),
                // SAFETY: see `get`.
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
