//! Tables from two bytes to a 16-bit word, in pages by the first byte.
//!
//! ```text
//! 4 bytes         number of words in the pool
//! 256 × 4 bytes   directory: start of the page in the pool (2), least second byte (1),
//!                 greatest second byte (1)
//! 2 bytes each    pool: the words of the pages; equal pages are stored once
//! ```
//!
//! Numbers are little-endian. A page without entries has a least second byte greater than the
//! greatest. The word 0 means no entry.

/// Size of the directory in bytes.
const DIRECTORY: usize = 4 * 256;

/// A table in its committed form.
#[derive(Clone, Copy)]
pub(crate) struct Pages {
    directory: &'static [u8; DIRECTORY],
    pool: &'static [u8],
}

impl Pages {
    /// Splits the table from the start of a file and returns the rest. A truncated file doesn't
    /// compile.
    pub(crate) const fn split(file: &'static [u8]) -> (Self, &'static [u8]) {
        let Some((words, rest)) = file.split_first_chunk::<4>() else { panic!("no length") };
        let Some((directory, rest)) = rest.split_first_chunk::<DIRECTORY>() else { panic!("no directory") };
        let (pool, rest) = rest.split_at(2 * u32::from_le_bytes(*words) as usize);
        (Self { directory, pool }, rest)
    }

    /// Returns the entry of two bytes; 0 without an entry.
    #[inline]
    pub(crate) fn get(&self, first: u8, second: u8) -> u16 {
        let [low, high, from, to] = self.directory.as_chunks::<4>().0[usize::from(first)];
        if !(from..=to).contains(&second) {
            return 0;
        }
        let index = usize::from(u16::from_le_bytes([low, high])) + usize::from(second - from);
        self.pool.as_chunks::<2>().0.get(index).map_or(0, |&word| u16::from_le_bytes(word))
    }
}
