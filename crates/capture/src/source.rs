//! Where tables and rows come from.

use std::collections::HashSet;

use replay::Cell;
use sql::Value;

use crate::create::Table;
use crate::error::Error;

/// The definitions of a schema.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// `CREATE TABLE`, each with the table's name.
    pub tables: Vec<(String, String)>,
    /// `CREATE VIEW`, each with the view's name.
    pub views: Vec<(String, String)>,
}

/// What is to be known of where a workload is from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The server's name and version, or the dump's file.
    pub label: String,
    /// What tells a server from others.
    pub identity: Option<String>,
}

/// Which rows of a table.
pub enum Take<'k> {
    /// So many, all where there are no more.
    Sample {
        /// The most rows.
        rows: u64,
        /// What they are drawn by.
        seed: u64,
    },
    /// Those whose columns have these values.
    Keys {
        /// Places of the columns.
        places: &'k [usize],
        /// Their values.
        keys: &'k HashSet<Vec<Value>>,
    },
}

/// Whether a sample is the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Whether it is.
    pub all: bool,
    /// Rows of the table by estimate, where it isn't.
    pub of: Option<u64>,
}

/// Takes a row.
pub type Each<'e> = dyn FnMut(Vec<Cell>) -> Result<(), Error> + 'e;

/// Where tables and rows come from.
pub trait Source {
    /// What it is.
    fn origin(&self) -> Origin;

    /// The tables and views of the schema, in the source's order.
    fn definitions(&mut self) -> Result<Definitions, Error>;

    /// Rows of a table.
    fn rows(&mut self, table: &Table, take: &Take<'_>, each: &mut Each<'_>) -> Result<Extent, Error>;
}
