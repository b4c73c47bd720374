//! Sorts records by a byte key in bounded memory. Records that fill the memory are sorted and
//! spilled to a file as one run. At the end, the runs are merged.
//!
//! ```text
//! push ──▶ Buffer (arena + entries) ──sort──▶ run ──▶ Spill (unlinked file) ──▶ Merge ──▶ next
//!               └──────────── all records, if they fit the memory ─────────────────────▶ next
//! ```
//!
//! [`ValueRuns`] spills sorted values without keys, for keys that are faster to compute than to
//! read back. [`Merge`] merges any [`MergeInput`]s.
//!
//! The spill file has no name and only its owner can read it: it is opened with `O_TMPFILE`, or
//! unlinked right after creation. The kernel frees it when the process ends, so nothing needs
//! cleaning up.
//!
//! ```
//! let mut sorter = extsort::Sorter::new(extsort::Options::default());
//! for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
//!     sorter.push(key.as_bytes(), value.as_bytes())?;
//! }
//! let mut sorted = sorter.finish()?;
//! let mut values = String::new();
//! while let Some(record) = sorted.next()? {
//!     values.push_str(std::str::from_utf8(record.value).unwrap());
//! }
//! assert_eq!(values, "213");
//! # Ok::<(), extsort::Error>(())
//! ```

mod buffer;
mod input;
mod merge;
mod record;
mod sorter;
mod spill;
mod value_runs;

pub use input::{KeyedReader, MergeInput};
pub use merge::Merge;
pub use record::Record;
pub use sorter::{Options, Order, SortedRecords, Sorter, Ties};
pub use value_runs::ValueRuns;

use std::path::PathBuf;

/// The spill file could not be created, written or read, or a key or value has 4 GiB or more.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} a temporary file in {}: {source}", folder.display())]
pub struct Error {
    /// The failed action: "create", "write" or "read".
    pub what: &'static str,
    /// Folder of the spill file.
    pub folder: PathBuf,
    pub source: std::io::Error,
}
