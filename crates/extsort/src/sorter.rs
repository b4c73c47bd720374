//! Records in, records out in order.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::PathBuf;

use crate::buffer::Buffer;
use crate::input::Input;
use crate::merge::Merge;
use crate::spill::{Reader, Spill, too_long};
use crate::{Error, Record};

/// The least memory that a run is read with while merging: less costs more system calls than comparisons.
const READ: usize = 1 << 16;
/// The most: more of it leaves the processor's cache before it is merged.
const MOST_READ: usize = 1 << 20;

/// How to sort.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory to use, in bytes. A record that is larger is held all the same, alone.
    pub memory: usize,
    /// Where to spill to.
    pub folder: PathBuf,
    /// How records of one key are ordered.
    pub ties: Ties,
    /// The other way round: the greatest key first, and the greatest value where ties go by value. Order of arrival is not turned round.
    pub descending: bool,
}

/// How records of one key are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// As they were added: the sort is stable.
    Arrival,
    /// By value, bytewise.
    Value,
    /// By value, and of records that are equal in key and value only one.
    Distinct,
}

impl Options {
    /// The order of records.
    pub fn order(&self) -> Order {
        Order { ties: self.ties, descending: self.descending }
    }
}

/// The order of records, arrival apart.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// How records of one key are ordered.
    pub ties: Ties,
    /// The other way round.
    pub descending: bool,
}

impl Order {
    pub(crate) fn compare(self, a: Record<'_>, b: Record<'_>) -> Ordering {
        let by_value = || if self.ties == Ties::Arrival { Ordering::Equal } else { a.value.cmp(b.value) };
        self.turned(a.key.cmp(b.key).then_with(by_value))
    }

    pub(crate) fn turned(self, ordering: Ordering) -> Ordering {
        if self.descending { ordering.reverse() } else { ordering }
    }
}

impl Default for Options {
    /// 64 MiB, and the system's temporary folder.
    fn default() -> Self {
        Self { memory: 64 << 20, folder: std::env::temp_dir(), ties: Ties::Arrival, descending: false }
    }
}

/// Takes records in any order.
pub struct Sorter {
    options: Options,
    buffer: Buffer,
    spill: Option<Spill>,
    count: u64,
}

impl Sorter {
    /// An empty one. Nothing is created before memory runs out.
    pub fn new(options: Options) -> Self {
        Self { options, buffer: Buffer::default(), spill: None, count: 0 }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If memory is full and the spill file can't be written, or a key or value is longer than 4 GiB.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        if key.len().max(value.len()) > u32::MAX as usize {
            return Err(too_long(&self.options.folder));
        }
        if !self.buffer.is_empty() && self.buffer.size() + Buffer::cost(key, value) > self.options.memory {
            self.spill()?;
        }
        self.buffer.push(key, value);
        self.count += 1;
        Ok(())
    }

    /// How many records were added.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether memory was not enough.
    pub fn has_spilled(&self) -> bool {
        self.spill.is_some()
    }

    /// All records in the order of their keys; those of one key as [`Options::ties`] says.
    ///
    /// # Errors
    /// If the spill file can't be written or read.
    pub fn finish(mut self) -> Result<Sorted, Error> {
        if self.spill.is_none() {
            self.buffer.sort(self.options.order());
            return Ok(Sorted(Source::Memory { buffer: self.buffer, next: 0 }));
        }
        if !self.buffer.is_empty() {
            self.spill()?;
        }
        let Self { options, spill, buffer, .. } = self;
        drop(buffer);
        let Some(spill) = spill else { unreachable!("it was there above") };
        Ok(Sorted(Source::File(few_enough(spill, &options, |run| run, |record| record)?)))
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.buffer.sort(self.options.order());
        let spill = Spill::of(&mut self.spill, &self.options.folder)?;
        spill.append(|write| self.buffer.records().try_for_each(write))?;
        self.buffer.clear();
        Ok(())
    }
}

/// How many runs are merged at a time.
fn fan_in(options: &Options) -> usize {
    (options.memory / READ).max(2)
}

/// A merge of all runs: of what `open` makes of a run. Where they are too many to be merged at once, they are merged into fewer before, which
/// hold of each record what `stored` leaves.
pub(crate) fn few_enough<I: Input<Error = Error>>(
    mut spill: Spill,
    options: &Options,
    open: impl Fn(Reader) -> I,
    stored: impl Fn(Record<'_>) -> Record<'_>,
) -> Result<Merge<I>, Error> {
    while spill.runs.len() > fan_in(options) {
        let mut longer = Spill::create(&options.folder)?;
        let count = spill.runs.len();
        for begin in (0..count).step_by(fan_in(options)) {
            let mut merge = merge(&spill, begin..(begin + fan_in(options)).min(count), options, &open);
            longer.append(|write| {
                while let Some(record) = merge.next()? {
                    write(stored(record))?;
                }
                Ok::<(), Error>(())
            })?;
        }
        spill = longer;
    }
    let runs = 0..spill.runs.len();
    Ok(merge(&spill, runs, options, open))
}

/// A merge of some runs, which share the memory.
fn merge<I: Input>(spill: &Spill, runs: Range<usize>, options: &Options, open: impl Fn(Reader) -> I) -> Merge<I> {
    let memory = (options.memory / runs.len().max(1)).clamp(READ, MOST_READ);
    Merge::new(spill.readers(runs, memory).into_iter().map(open).collect(), options.order())
}

/// Records in order.
pub struct Sorted(Source);

enum Source {
    Memory { buffer: Buffer, next: usize },
    File(Merge<Reader>),
}

impl Sorted {
    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// If the spill file can't be read.
    #[expect(clippy::should_implement_trait, reason = "a record is borrowed until the next one is asked for")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, Error> {
        match &mut self.0 {
            Source::Memory { buffer, next } => {
                *next += 1;
                Ok(buffer.get(*next - 1))
            }
            Source::File(merge) => merge.next(),
        }
    }
}
