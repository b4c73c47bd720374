//! Tables and rows of a server or a dump, and the trait to read them.

use workload_folder::Cell;

use crate::error::Error;
use crate::key::{WantedKeys, key_values};
use crate::source_table::SourceTable;

/// Definitions of a schema's tables and views.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Table names with `CREATE TABLE`.
    pub tables: Vec<(String, String)>,
    /// View names with `CREATE VIEW`.
    pub views: Vec<(String, String)>,
    /// What is left out: objects of other kinds (`the sequence s`), defaults from sequences, and
    /// views that must not be opened, with the reason.
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

/// Rows of a table to read, by the values of some columns.
pub struct KeyRequest<'k> {
    /// Index of the table in the caller's list.
    pub at: usize,
    pub table: &'k SourceTable,
    /// Positions of the columns in rows.
    pub positions: &'k [usize],
    /// Wanted values of the columns, in the order of `positions`. Several rows may have them.
    pub keys: WantedKeys,
}

impl KeyRequest<'_> {
    pub fn wants(&self, row: &[Cell]) -> bool {
        let key = key_values(row, self.positions).map(|values| self.table.key(self.positions, &values));
        key.is_some_and(|key| self.keys.has(&key))
    }
}

/// How much of a table was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleExtent {
    /// True if all rows of the table were read.
    pub is_complete: bool,
    /// Number of rows of the table: a server estimates it, a dump counts them. `None` if all were
    /// read or the number is unknown.
    pub estimated_rows: Option<u64>,
}

/// Receives rows one by one.
pub type RowSink<'e> = dyn FnMut(Vec<Cell>) -> Result<(), Error> + 'e;

/// Receives rows one by one, each with its table's index in the caller's list.
pub type TableRowSink<'e> = dyn FnMut(usize, Vec<Cell>) -> Result<(), Error> + 'e;

/// A server or a dump that tables and rows are read from.
pub trait TableSource {
    fn origin(&self) -> Origin;

    /// Returns the selected tables and views of the schema, in the source's order.
    fn definitions(&mut self) -> Result<Definitions, Error>;

    /// Called before samples of these tables are read, in this order. A source that is read from
    /// end to end can sample many of them in one pass.
    fn prepare_samples(&mut self, _tables: &[SourceTable]) {}

    /// Calls `sink` for each row of a sample of at most `rows` rows: for all rows if the table has
    /// no more.
    fn sample(
        &mut self,
        table: &SourceTable,
        rows: u64,
        seed: u64,
        sink: &mut RowSink<'_>,
    ) -> Result<SampleExtent, Error>;

    /// Calls `sink` for each row that one of the requests wants.
    fn rows_by_keys(&mut self, requests: &[KeyRequest<'_>], sink: &mut TableRowSink<'_>) -> Result<(), Error>;
}
