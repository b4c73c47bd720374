//! Tables in Parquet files, as rows of plain values. A table is one file, or a folder of files as
//! Spark writes it.
//!
//! ```text
//! Table::from_path(path) ─▶ files ─▶ columns: name and kind
//!                         └─▶ rows(names) ─▶ values, in the order of the names
//! ```
//!
//! Dates and times become text in SQL's format.

mod column;
mod int96;
mod page_limits;
mod rows;
mod table;
mod value;
mod write;

pub use column::{Column, ColumnKind};
pub use rows::Rows;
pub use table::Table;
pub use value::Value;
pub use write::{Values, to_bytes};

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A file or folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), row.map_or_else(String::new, |row| format!(", row {row}")))]
pub struct Error {
    pub path: PathBuf,
    /// Row number in the file, from 1; `None` if the error is not known to be of one row.
    pub row: Option<u64>,
    pub problem: String,
}

impl Error {
    /// Calls the Parquet library, which panics on some damaged files. Returns a panic as an error.
    fn contain<T>(path: &Path, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        contain::contain(call).unwrap_or_else(|_| Err(Error::new(path, "the file is damaged")))
    }

    /// Creates an error about a whole file. Removes the Parquet library's prefix `Parquet error: `.
    fn new(path: &Path, problem: impl Display) -> Self {
        let problem = problem.to_string();
        let problem = problem.strip_prefix("Parquet error: ").unwrap_or(&problem).to_owned();
        Self { path: path.to_owned(), row: None, problem }
    }
}
