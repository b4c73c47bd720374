//! Runs of values without keys, sorted by the caller.

use crate::Error;
use crate::input::KeyedReader;
use crate::merge::Merge;
use crate::record::Record;
use crate::sorter::{Options, merge_runs};
use crate::spill::Spill;

/// Sorted runs of values. The merge computes the keys again: faster for keys that take less time to
/// compute than to write and read.
pub struct ValueRuns {
    options: Options,
    spill: Option<Spill>,
}

impl ValueRuns {
    /// Creates an empty set of runs. [`Options::memory`] bounds the memory of the merge.
    pub fn new(options: Options) -> Self {
        Self { options, spill: None }
    }

    pub fn is_empty(&self) -> bool {
        self.spill.is_none()
    }

    /// Adds a run of values that the caller has sorted by key, and by value unless ties keep the
    /// order of arrival. With [`Ties::Arrival`](crate::Ties::Arrival), values of this run come
    /// after values of earlier runs with an equal key.
    ///
    /// # Errors
    /// If the spill file can't be written, or a value has 4 GiB or more.
    pub fn append<'v>(&mut self, values: impl IntoIterator<Item = &'v [u8]>) -> Result<(), Error> {
        let spill = Spill::get_or_create(&mut self.spill, &self.options.folder)?;
        spill.append(|write| values.into_iter().try_for_each(|value| write(Record { key: &[], value })))
    }

    /// Merges all values in the order of the keys that `key` appends to an empty vector.
    /// [`Options::ties`] orders values with equal keys, and may remove duplicates.
    pub fn merge<K: Fn(&[u8], &mut Vec<u8>) + Copy>(self, key: K) -> Result<Merge<KeyedReader<K>>, Error> {
        let Self { options, spill } = self;
        let keyed = |values| KeyedReader::new(values, key);
        match spill {
            Some(spill) => merge_runs(spill, &options, keyed, |record| Record { key: &[], ..record }),
            None => Ok(Merge::new(Vec::new(), options.order())),
        }
    }
}
