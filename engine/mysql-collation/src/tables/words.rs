//! Access to the committed tables as 16-bit little-endian words, read in place.

/// A word of a table. Bytes need no alignment and no copy, on any machine.
pub(crate) type Word = [u8; 2];

#[inline(always)]
pub(crate) const fn number(word: Word) -> u16 {
    u16::from_le_bytes(word)
}

/// The entries of 256 consecutive code points.
pub(crate) type Page = [Word; 256];

/// A reader of a file from start to end. A missing word reads as zero, and a block of words that is
/// not complete reads as empty. A test verifies that the committed files of the Unicode Collation
/// Algorithm are complete.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    rest: &'static [u8],
    is_short: bool,
}

impl Reader {
    pub const fn new(bytes: &'static [u8]) -> Self {
        Self { rest: bytes, is_short: false }
    }

    pub fn word(&mut self) -> u16 {
        self.words(1).first().map_or(0, |&word| number(word))
    }

    /// Reads the next word as a count.
    pub fn count(&mut self) -> usize {
        self.word().into()
    }

    pub fn words(&mut self, count: usize) -> &'static [Word] {
        let Some((taken, rest)) = count.checked_mul(2).and_then(|bytes| self.rest.split_at_checked(bytes)) else {
            self.is_short = true;
            return &[];
        };
        self.rest = rest;
        taken.as_chunks().0
    }

    pub fn pages(&mut self, count: usize) -> &'static [Page] {
        self.words(count * 256).as_chunks().0
    }

    /// Returns a reader of the next `count` words.
    pub fn part(&mut self, count: usize) -> Self {
        Self { rest: self.words(count).as_flattened(), is_short: self.is_short }
    }

    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the number of words left.
    pub fn length(&self) -> usize {
        self.rest.len() / 2
    }

    /// Returns `true` if the reader is at the end and no read went beyond it.
    #[cfg(test)]
    pub fn is_done(&self) -> bool {
        !self.is_short && self.rest.is_empty()
    }
}
