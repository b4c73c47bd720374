//! Tables in Parquet as rows of plain values: a file, or a folder of files, as Spark and others write them.
//!
//! ```text
//! Table::at(path) ─▶ files ─▶ columns: name and kind
//!                         └─▶ rows(names) ─▶ values, in the order of the names
//! ```
//!
//! It knows nothing of servers: dates and times come as text, as SQL writes them.

mod column;
mod rows;
mod table;
mod value;

pub use column::{Column, Kind};
pub use rows::Rows;
pub use table::Table;
pub use value::Value;

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), row.map_or_else(String::new, |row| format!(", row {row}")))]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// The row, from 1; absent where the file as a whole is meant.
    pub row: Option<u64>,
    /// What is wrong.
    pub problem: String,
}

impl Error {
    /// About a file as a whole. That it is the Parquet library that says so is of no use to the reader.
    fn new(path: &Path, problem: impl Display) -> Self {
        let problem = problem.to_string();
        let problem = problem.strip_prefix("Parquet error: ").unwrap_or(&problem).to_owned();
        Self { path: path.to_owned(), row: None, problem }
    }
}
