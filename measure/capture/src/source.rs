//! Tables and rows of a server or a dump, and the trait to read them.

use workload_folder::Cell;

use crate::error::Error;
use crate::key::WantedKeys;
use crate::source_table::SourceTable;

/// Definitions of a schema's tables and views.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Table names with `CREATE TABLE`.
    pub tables: Vec<(String, String)>,
    /// View names with `CREATE VIEW`.
    pub views: Vec<(String, String)>,
    /// Objects of other kinds: `the sequence s`.
    pub others: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Flavour and version of the server, or path of the dump.
    pub label: String,
    /// `server_uuid`, or for MariaDB, which has none, host name, port, server id and data folder.
    /// `None` for a dump.
    pub identity: Option<String>,
}

/// Rows of a table to read.
pub enum RowSelection<'k> {
    /// A sample, or all rows if the table has no more.
    Sample {
        /// Maximum number of rows.
        rows: u64,
        seed: u64,
    },
    /// Rows by the values of some columns.
    Keys {
        /// Positions of the columns in rows.
        positions: &'k [usize],
        /// Wanted values of the columns, in the order of `positions`. Several rows may have them.
        keys: &'k WantedKeys,
    },
}

/// How much of a table was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleExtent {
    /// True if all rows of the table were read. A server reports false for a selection by keys.
    pub is_complete: bool,
    /// Number of rows of the table: a server estimates it, a dump counts them. `None` if all were
    /// read or the number is unknown.
    pub estimated_rows: Option<u64>,
}

/// Receives rows one by one.
pub type RowSink<'e> = dyn FnMut(Vec<Cell>) -> Result<(), Error> + 'e;

/// A server or a dump that tables and rows are read from.
pub trait TableSource {
    fn origin(&self) -> Origin;

    /// Returns the selected tables and views of the schema, in the source's order.
    fn definitions(&mut self) -> Result<Definitions, Error>;

    /// Called before samples of these tables are read. A source that is read from end to end can
    /// sample all of them in one pass.
    fn prepare_samples(&mut self, _tables: &[SourceTable], _rows: u64, _seed: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Calls `sink` for each selected row of a table.
    fn rows(
        &mut self,
        table: &SourceTable,
        selection: &RowSelection<'_>,
        sink: &mut RowSink<'_>,
    ) -> Result<SampleExtent, Error>;
}
