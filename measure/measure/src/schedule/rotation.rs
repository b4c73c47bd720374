//! Order of items, rotated from replicate to replicate.

/// Rotates the items so that each replicate starts with the next one: replicate 0 with the first,
/// replicate 1 with the second.
pub(crate) fn rotate_for_replicate<T>(items: &mut [T], replicate: u32) {
    let first = replicate as usize % items.len().max(1);
    items.rotate_left(first);
}
