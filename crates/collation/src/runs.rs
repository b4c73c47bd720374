//! Spaces in the sort keys of PAD SPACE collations.
//!
//! A text counts as followed by endlessly many spaces, which a key can't hold. Wherever a run of spaces comes up, and at the end,
//! which is one, the key has the space's weight once and then what tells the run from others: 1 if what comes after the run is below
//! the space, 2 if nothing does, 3 if what comes is above. Of two runs before something below, the longer one is greater, since its
//! next space meets what is below a space; before something above it is less. So the run's length follows, ascending after 1,
//! descending after 3: one byte up to 254, else 255 and eight bytes.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// After the space's weight: a single space before something above it, as between words.
pub(crate) const SINGLE: [u8; 2] = [3, 1 ^ 0xFF];

/// After the space's weight: a run of `length` spaces, and the order of what comes after it against a space.
pub(crate) fn put(length: usize, next: Ordering, key: &mut Vec<u8>) {
    let (class, flip) = if next.is_lt() { (1, 0) } else { (3, 0xFF) };
    key.push(class);
    match u8::try_from(length) {
        Ok(short) if short < 255 => key.push(short ^ flip),
        _ => {
            key.push(255 ^ flip);
            key.extend((length as u64).to_be_bytes().map(|byte| byte ^ flip));
        }
    }
}

/// After the space's weight: the end.
pub(crate) fn put_end(key: &mut Vec<u8>) {
    key.push(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_space_is_a_run_of_one() {
        let mut key = Vec::new();
        put(1, Ordering::Greater, &mut key);
        assert_eq!(key, SINGLE);
    }
}
