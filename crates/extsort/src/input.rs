//! What a merge reads.

use crate::Error;
use crate::run::Record;
use crate::spill::Reader;

/// Records in order, one at a time.
pub trait Input {
    /// Why it could not be read.
    type Error;

    /// Steps to the first record, or the next one; false at the end.
    ///
    /// # Errors
    /// If it can't be read.
    fn advance(&mut self) -> Result<bool, Self::Error>;

    /// The record that was stepped to.
    fn record(&self) -> Record<'_>;
}

impl Input for Reader {
    type Error = Error;

    fn advance(&mut self) -> Result<bool, Error> {
        Reader::advance(self)
    }

    fn record(&self) -> Record<'_> {
        Reader::record(self)
    }
}

/// A run of values, with keys that are made of them.
pub struct Keyed<K> {
    values: Reader,
    key: Vec<u8>,
    make: K,
}

impl<K> Keyed<K> {
    pub(crate) fn new(values: Reader, make: K) -> Self {
        Self { values, key: Vec::new(), make }
    }
}

impl<K: Fn(&[u8], &mut Vec<u8>)> Input for Keyed<K> {
    type Error = Error;

    fn advance(&mut self) -> Result<bool, Error> {
        if !self.values.advance()? {
            return Ok(false);
        }
        self.key.clear();
        (self.make)(self.values.record().value, &mut self.key);
        Ok(true)
    }

    fn record(&self) -> Record<'_> {
        Record { key: &self.key, ..self.values.record() }
    }
}
