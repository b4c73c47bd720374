//! Who comes first.

/// Has each replicate begin with another one.
pub(crate) fn rotate<T>(items: &mut [T], replicate: u32) {
    let first = replicate as usize % items.len().max(1);
    items.rotate_left(first);
}
