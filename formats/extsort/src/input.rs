use crate::Error;
use crate::record::Record;
use crate::spill::RunReader;

/// A sorted sequence of records.
pub trait MergeInput {
    type Error;

    /// Advances to the first or next record. Returns false at the end.
    fn advance(&mut self) -> Result<bool, Self::Error>;

    fn record(&self) -> Record<'_>;
}

impl MergeInput for RunReader {
    type Error = Error;

    fn advance(&mut self) -> Result<bool, Error> {
        RunReader::advance(self)
    }

    fn record(&self) -> Record<'_> {
        RunReader::record(self)
    }
}

/// Reader of a run of values that computes their keys.
pub struct KeyedReader<K> {
    values: RunReader,
    key: Vec<u8>,
    make_key: K,
}

impl<K> KeyedReader<K> {
    pub(crate) fn new(values: RunReader, make_key: K) -> Self {
        Self { values, key: Vec::new(), make_key }
    }
}

impl<K: Fn(&[u8], &mut Vec<u8>)> MergeInput for KeyedReader<K> {
    type Error = Error;

    fn advance(&mut self) -> Result<bool, Error> {
        if !self.values.advance()? {
            return Ok(false);
        }
        self.key.clear();
        (self.make_key)(self.values.record().value, &mut self.key);
        Ok(true)
    }

    fn record(&self) -> Record<'_> {
        Record { key: &self.key, ..self.values.record() }
    }
}
