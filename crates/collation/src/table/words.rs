//! The committed tables as words: 16 bits, little-endian, read where they stand.

/// A word of a table. Bytes, so that a file needs no alignment and no copy, whatever the machine.
pub(crate) type Word = [u8; 2];

/// The number that a word holds.
#[inline(always)]
pub(crate) const fn number(word: Word) -> u16 {
    u16::from_le_bytes(word)
}

/// The entries of 256 neighbouring code points.
pub(crate) type Page = [Word; 256];

/// Reads a file from its beginning to its end. What is not there reads as zeros: that the committed files are complete
/// is what the tests of this module's users check.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    rest: &'static [u8],
    is_short: bool,
}

impl Reader {
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { rest: bytes, is_short: false }
    }

    /// The next word.
    pub fn word(&mut self) -> u16 {
        self.words(1).first().map_or(0, |&word| number(word))
    }

    /// The next word, as a number of things.
    pub fn count(&mut self) -> usize {
        self.word().into()
    }

    /// The next `count` words.
    pub fn words(&mut self, count: usize) -> &'static [Word] {
        let Some((taken, rest)) = count.checked_mul(2).and_then(|bytes| self.rest.split_at_checked(bytes)) else {
            self.is_short = true;
            return &[];
        };
        self.rest = rest;
        taken.as_chunks().0
    }

    /// The next `count` pages.
    pub fn pages(&mut self, count: usize) -> &'static [Page] {
        self.words(count * 256).as_chunks().0
    }

    /// The next `count` words, as a file of its own.
    pub fn part(&mut self, count: usize) -> Self {
        Self { rest: self.words(count).as_flattened(), is_short: self.is_short }
    }

    /// Whether nothing is left.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many words are left.
    pub fn length(&self) -> usize {
        self.rest.len() / 2
    }

    /// Whether everything was there, and nothing is left.
    #[cfg(test)]
    pub fn is_done(&self) -> bool {
        !self.is_short && self.rest.is_empty()
    }
}
