//! Sorts records by a byte key in bounded memory: runs that fill the memory are sorted and spilled to a file, then merged.
//!
//! ```text
//! push ──▶ Buffer (arena + entries) ──sort──▶ run ──▶ Spill (one unlinked file) ──▶ Merge (k-way) ──▶ next
//!                     └───────────── all of it, where it fits the memory ─────────────────────────────▶ next
//! ```
//!
//! Who has sorted values already, and makes their keys in less time than the disk takes for them, spills the values alone ([`Runs`]); what is in
//! order already is merged as it is ([`Merge`], of any [`Input`]).
//!
//! The spill file has no name: it is opened with `O_TMPFILE`, or unlinked right after it was created, and readable by its owner only.
//! The kernel frees it when the process ends, in whatever way, so there is nothing to clean up.
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
mod run;
mod runs;
mod sorter;
mod spill;

pub use input::{Input, Keyed};
pub use merge::Merge;
pub use run::Record;
pub use runs::Runs;
pub use sorter::{Options, Order, Sorted, Sorter, Ties};

use std::path::PathBuf;

/// The spill file could not be written or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} a temporary file in {}: {source}", folder.display())]
pub struct Error {
    /// What was tried: "create", "write", "read".
    pub what: &'static str,
    /// The folder that holds the file.
    pub folder: PathBuf,
    /// The operating system's answer.
    pub source: std::io::Error,
}
