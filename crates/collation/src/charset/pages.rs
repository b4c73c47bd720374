//! A table from two bytes to a 16-bit word, in pages by the first one.
//!
//! ```text
//! number of words in the pool          4 bytes
//! directory: 256 entries of            4 bytes: where in the pool the page begins (2), its first and its last second byte (1 + 1)
//! pool: the pages' words, from the first to the last index; equal pages are there once
//! ```
//! Numbers are little-endian. A page without entries has a first byte that is greater than the last one. 0 is no entry.

/// The bytes of the directory.
const DIRECTORY: usize = 4 * 256;

/// A table, as it is committed.
#[derive(Clone, Copy)]
pub(crate) struct Pages {
    directory: &'static [u8; DIRECTORY],
    pool: &'static [u8],
}

impl Pages {
    /// The table at the beginning of a file, and what comes after it. A file that is cut short does not compile.
    pub(crate) const fn split(file: &'static [u8]) -> (Self, &'static [u8]) {
        let Some((words, rest)) = file.split_first_chunk::<4>() else { panic!("no length") };
        let Some((directory, rest)) = rest.split_first_chunk::<DIRECTORY>() else { panic!("no directory") };
        let (pool, rest) = rest.split_at(2 * u32::from_le_bytes(*words) as usize);
        (Self { directory, pool }, rest)
    }

    /// The entry of two bytes; 0 if there is none.
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
