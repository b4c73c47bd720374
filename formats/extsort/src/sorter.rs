use std::cmp::Ordering;
use std::ops::Range;
use std::path::PathBuf;

use crate::buffer::Buffer;
use crate::input::MergeInput;
use crate::merge::Merge;
use crate::spill::{RunReader, Spill, too_long};
use crate::{Error, Record};

/// Smallest read buffer of a run while merging, in bytes. Below 64 KiB, system calls cost more than
/// comparisons.
const MIN_READ_BYTES: usize = 1 << 16;
/// Largest read buffer of a run, in bytes. Larger buffers are evicted from the CPU cache before
/// they are merged.
const MAX_READ_BYTES: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for records, in bytes; writing a run takes 256 KiB more. A record that is larger than
    /// this is still held in memory; while merging, one such record of each run is. Merging two
    /// runs takes 128 KiB, even if this value is smaller.
    pub memory: usize,
    /// Folder of the spill file.
    pub folder: PathBuf,
    pub ties: Ties,
    /// Sorts the greatest key first, and the greatest value first if ties are ordered by value. The
    /// order of arrival is not reversed.
    pub descending: bool,
}

/// Order of records with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Order of arrival: the sort is stable.
    Arrival,
    /// By value, bytewise.
    Value,
    /// By value, without duplicates of key and value.
    Distinct,
}

impl Options {
    pub fn order(&self) -> Order {
        Order { ties: self.ties, descending: self.descending }
    }
}

/// Order of records by key, and by value unless ties keep the order of arrival.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub ties: Ties,
    /// True if the greatest key comes first.
    pub descending: bool,
}

impl Order {
    pub(crate) fn compare(self, a: Record<'_>, b: Record<'_>) -> Ordering {
        let by_value = || if self.ties == Ties::Arrival { Ordering::Equal } else { a.value.cmp(b.value) };
        self.directed(a.key.cmp(b.key).then_with(by_value))
    }

    pub(crate) fn directed(self, ordering: Ordering) -> Ordering {
        if self.descending { ordering.reverse() } else { ordering }
    }
}

impl Default for Options {
    /// 64 MiB of memory, the system's temporary folder, and a stable, ascending sort.
    fn default() -> Self {
        Self { memory: 64 << 20, folder: std::env::temp_dir(), ties: Ties::Arrival, descending: false }
    }
}

/// Sorts records that are added in any order.
pub struct Sorter {
    options: Options,
    buffer: Buffer,
    spill: Option<Spill>,
    count: u64,
}

impl Sorter {
    /// Creates an empty sorter. The spill file is created when [`Options::memory`] is used up.
    pub fn new(options: Options) -> Self {
        Self { options, buffer: Buffer::default(), spill: None, count: 0 }
    }

    /// # Errors
    /// If memory is full and the spill file can't be written, or a key or value has 4 GiB or more.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        if key.len().max(value.len()) > u32::MAX as usize {
            return Err(too_long(&self.options.folder));
        }
        if !self.buffer.is_empty() && self.buffer.used_bytes() + Buffer::record_bytes(key, value) > self.options.memory
        {
            self.spill()?;
        }
        self.buffer.push(key, value);
        self.count += 1;
        Ok(())
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns true if records were spilled to a file.
    pub fn has_spilled(&self) -> bool {
        self.spill.is_some()
    }

    /// Returns the records in the order of their keys. [`Options::ties`] orders records with equal
    /// keys, and may remove duplicates.
    pub fn finish(mut self) -> Result<SortedRecords, Error> {
        if self.spill.is_none() {
            self.buffer.sort(self.options.order());
            return Ok(SortedRecords(SortedSource::Memory { buffer: self.buffer, next: 0 }));
        }
        if !self.buffer.is_empty() {
            self.spill()?;
        }
        let Self { options, spill, buffer, .. } = self;
        drop(buffer);
        let Some(spill) = spill else { unreachable!("it was there above") };
        Ok(SortedRecords(SortedSource::File(merge_runs(spill, &options, |run| run, |record| record)?)))
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.buffer.sort(self.options.order());
        let spill = Spill::get_or_create(&mut self.spill, &self.options.folder)?;
        spill.append(|write| self.buffer.records().try_for_each(write))?;
        self.buffer.clear();
        Ok(())
    }
}

/// Returns the maximum number of runs that are merged at a time, at least 2.
fn fan_in(options: &Options) -> usize {
    (options.memory / MIN_READ_BYTES).max(2)
}

/// Returns the merge of all runs; `open` turns the reader of a run into an input. If there are more
/// runs than [`fan_in`], groups of them are first merged into longer runs. `strip` removes computed
/// keys and the like, which longer runs don't store.
pub(crate) fn merge_runs<I: MergeInput<Error = Error>>(
    mut spill: Spill,
    options: &Options,
    open: impl Fn(RunReader) -> I,
    strip: impl Fn(Record<'_>) -> Record<'_>,
) -> Result<Merge<I>, Error> {
    while spill.runs.len() > fan_in(options) {
        let mut longer = Spill::create(&options.folder)?;
        let count = spill.runs.len();
        for begin in (0..count).step_by(fan_in(options)) {
            let mut merge = merge(&spill, begin..(begin + fan_in(options)).min(count), options, &open);
            longer.append(|write| {
                while let Some(record) = merge.next()? {
                    write(strip(record))?;
                }
                Ok::<(), Error>(())
            })?;
        }
        spill = longer;
    }
    let runs = 0..spill.runs.len();
    Ok(merge(&spill, runs, options, open))
}

/// Returns the merge of a range of runs. Their read buffers share the memory, with 64 KiB to 1 MiB
/// each.
fn merge<I: MergeInput>(
    spill: &Spill,
    runs: Range<usize>,
    options: &Options,
    open: impl Fn(RunReader) -> I,
) -> Merge<I> {
    let memory = (options.memory / runs.len().max(1)).clamp(MIN_READ_BYTES, MAX_READ_BYTES);
    Merge::new(spill.readers(runs, memory).into_iter().map(open).collect(), options.order())
}

/// Iterator over sorted records. It lends each record until the next call.
pub struct SortedRecords(SortedSource);

enum SortedSource {
    Memory { buffer: Buffer, next: usize },
    File(Merge<RunReader>),
}

impl SortedRecords {
    /// Returns the next record; `None` at the end.
    #[expect(clippy::should_implement_trait, reason = "a record is borrowed until the next one is asked for")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, Error> {
        match &mut self.0 {
            SortedSource::Memory { buffer, next } => {
                *next += 1;
                Ok(buffer.get(*next - 1))
            }
            SortedSource::File(merge) => merge.next(),
        }
    }
}
