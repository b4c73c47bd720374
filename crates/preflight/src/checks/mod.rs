//! The checks: a file each, listed here. A check is a pure function from facts, or from facts and rows, to findings.

mod double_encoding;
mod faults;
mod foreign_key;
mod foreign_key_partner;
mod fulltext;
mod key_length;
mod matching;
mod members;
mod merges;
mod own_collations;
mod partitions;
mod programs;
mod row_size;
mod serialized;
mod text_length;
mod trailing_spaces;
mod unholdable;
mod unique_key;
mod wide_varchar;
mod widened;

pub use faults::fault;
pub use foreign_key::{KeyMatch, Side};
pub use partitions::converted_keys;

use crate::Error;
use crate::job::{Job, TableJob};
use crate::model::{Finding, Severity};
use crate::row::{Fields, Row};

/// A check.
pub struct Check {
    /// Its name, for `--check` and `--skip`.
    pub name: &'static str,
    /// What it looks for, in a line.
    pub summary: &'static str,
    /// What it is for, in a paragraph: what goes wrong, what the servers do, what it costs to find out.
    pub explain: &'static str,
    /// How it is run.
    pub run: Run,
}

/// What a check looks at.
pub enum Run {
    /// Facts alone.
    Facts(fn(&Job<'_>) -> Vec<Finding>),
    /// The rows of a table: gives those who watch them go by.
    Rows(for<'j> fn(&Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>>),
    /// The rows of two tables; [`KeyMatch`] is run for each foreign key.
    ForeignKeys,
}

/// What a check of rows is made from.
#[derive(Clone, Copy)]
pub struct Scan<'j> {
    /// All of the work.
    pub job: &'j Job<'j>,
    /// The table.
    pub table: &'j TableJob<'j>,
    /// What is read of it.
    pub fields: &'j Fields,
    /// How sorts of this table are to be done; the memory is for each of them.
    pub sorting: &'j extsort::Options,
}

/// Watches the rows of a table.
pub trait RowCheck: Send {
    /// Sees a row.
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Says what it found.
    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error>;
}

/// All checks, in the order in which findings of the same gravity are listed.
pub const CHECKS: [Check; 19] = [
    unique_key::CHECK,
    unholdable::CHECK,
    text_length::CHECK,
    foreign_key::CHECK,
    foreign_key_partner::CHECK,
    members::CHECK,
    key_length::CHECK,
    row_size::CHECK,
    wide_varchar::CHECK,
    fulltext::CHECK,
    partitions::CHECK,
    faults::CHECK,
    double_encoding::CHECK,
    serialized::CHECK,
    trailing_spaces::CHECK,
    merges::CHECK,
    widened::CHECK,
    own_collations::CHECK,
    programs::CHECK,
];

/// An empty finding about a table.
fn finding(check: &Check, severity: Severity, table: &TableJob<'_>, target: &str) -> Finding {
    Finding {
        check: check.name.into(),
        severity,
        object: table.name(),
        schema: table.table.schema.clone(),
        table: Some(table.table.name.clone()),
        target: target.to_owned(),
        what: String::new(),
        why: String::new(),
        todo: String::new(),
        count: 0,
        groups: Vec::new(),
        examples: Vec::new(),
        statements: Vec::new(),
        new_type: None,
        in_plan: false,
    }
}

/// Watches one converted column, for one target.
struct ColumnScan<'j> {
    scan: Scan<'j>,
    target: usize,
    conversion: usize,
    field: usize,
}

impl<'j> ColumnScan<'j> {
    /// One for each column whose values are text (those of ENUM and SET are numbers), and each target.
    fn all(scan: &Scan<'j>) -> Vec<Self> {
        let mut all = Vec::new();
        for (index, conversion) in scan.table.conversions.iter().enumerate() {
            let field =
                scan.fields.place(&conversion.column.name).filter(|_| !crate::job::has_members(conversion.column));
            if let Some(field) = field {
                all.extend((0..conversion.to.len()).map(|target| Self {
                    scan: *scan,
                    target,
                    conversion: index,
                    field,
                }));
            }
        }
        all
    }

    fn conversion(&self) -> &'j crate::job::Conversion<'j> {
        &self.scan.table.conversions[self.conversion]
    }

    fn target(&self) -> &'j crate::job::Target {
        &self.conversion().to[self.target]
    }

    /// `schema.table.column`.
    fn object(&self) -> String {
        format!("{}.{}", self.scan.table.name(), self.conversion().column.name)
    }

    fn finding(&self, check: &Check, severity: Severity) -> Finding {
        Finding { object: self.object(), ..finding(check, severity, self.scan.table, &self.target().name) }
    }

    /// The row as an example.
    fn example(&self, row: &Row<'_>) -> crate::model::Example {
        crate::model::Example { key: row.key(), values: vec![row.shown(self.field)], note: None }
    }
}
