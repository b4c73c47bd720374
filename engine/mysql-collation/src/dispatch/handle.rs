//! A reference to a descriptor.

use super::Descriptor;

/// A `&'static Descriptor` with its type erased.
///
/// A descriptor refers to tables that are read at first use, which is interior mutability. Clippy
/// would report maps with such keys (`mutable_key_type`), although reading a table changes no
/// order.
#[derive(Clone, Copy)]
pub(crate) struct Handle(*const ());

// SAFETY: a `Handle` is a `&'static Descriptor`, which is `Send` because `Descriptor` is `Sync`:
// checked below.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

const _: () = {
    const fn is_sync<T: Sync>() {}
    is_sync::<Descriptor>();
};

impl Handle {
    pub const fn new(descriptor: &'static Descriptor) -> Self {
        Self(core::ptr::from_ref(descriptor).cast())
    }

    #[inline(always)]
    pub const fn get(self) -> &'static Descriptor {
        // SAFETY: the pointer comes from a `&'static Descriptor`: `new` is the only place that
        // makes one.
        unsafe { &*self.0.cast() }
    }
}
