//! Values that the caller puts in order, spilled without their keys.

use crate::Error;
use crate::input::Keyed;
use crate::merge::Merge;
use crate::run::Record;
use crate::sorter::{Options, few_enough};
use crate::spill::Spill;

/// Runs of values, each in order already, and merged by keys that are made of the values again: for keys that take less time to make than to
/// write and to read.
pub struct Runs {
    options: Options,
    spill: Option<Spill>,
}

impl Runs {
    /// None yet. [`Options::memory`] is that of the merge.
    pub fn new(options: Options) -> Self {
        Self { options, spill: None }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spill.is_none()
    }

    /// Adds a run, behind the ones before in the order of arrival.
    ///
    /// # Errors
    /// If the spill file can't be written, or a value is longer than 4 GiB.
    pub fn append<'v>(&mut self, values: impl IntoIterator<Item = &'v [u8]>) -> Result<(), Error> {
        let spill = Spill::of(&mut self.spill, &self.options.folder)?;
        spill.append(|write| values.into_iter().try_for_each(|value| write(Record { key: &[], value })))
    }

    /// All values in the order of the keys that `key` appends to an empty vector; those of one key as [`Options::ties`] says.
    ///
    /// # Errors
    /// If the spill file can't be written or read.
    pub fn merge<K: Fn(&[u8], &mut Vec<u8>) + Copy>(self, key: K) -> Result<Merge<Keyed<K>>, Error> {
        let Self { options, spill } = self;
        let keyed = |values| Keyed::new(values, key);
        match spill {
            Some(spill) => few_enough(spill, &options, keyed, |record| Record { key: &[], ..record }),
            None => Ok(Merge::new(Vec::new(), options.order())),
        }
    }
}
