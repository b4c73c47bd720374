//! The checks of preflight, one per file.
//!
//! A check is a function from facts, rows or the server's answers to findings. Findings of
//! [`CheckFunction::Elsewhere`] come from reading definitions, from the plan's statements or from
//! the rehearsal.

mod binary_log;
mod byte_functions;
mod check_constraint;
mod collate_index;
mod double_encoding;
mod elsewhere;
mod evaluated;
mod expression_key;
pub(crate) mod foreign_key;
mod foreign_key_partner;
mod fulltext;
mod generated_collation;
mod generated_values;
mod join_partner;
mod key_length;
mod lost_character;
mod members;
mod merge_table;
mod merges;
mod overlaps;
mod own_collation;
mod partition_key;
mod partition_rows;
mod program_charset;
mod program_collate;
mod program_mix;
mod programs;
mod question;
mod refusing_setting;
mod row_size;
mod serialized;
mod server_fault;
mod text_length;
mod trailing_spaces;
pub(crate) mod unholdable;
mod unique_key;
mod value_counter;
mod versioned;
mod wide_varchar;
mod widened;

pub use elsewhere::{BINARY_LOG, CLIENT, REHEARSAL, UNREADABLE};
pub use evaluated::refuse_to_ask;
pub use foreign_key::{ForeignKeyMatch, KeySide};
pub use generated_values::{depends_on_time_zone, plan_time_zone};
pub use partition_key::converted_partition_columns;
pub use partition_rows::describe_unchecked as describe_unchecked_partitions;
pub(crate) use program_mix::{CHECK as PROGRAM_MIX, program_finding};
pub use programs::CHECK as PROGRAMS;
pub use question::{Answer, Question};
pub use refusing_setting::{SETTINGS as REFUSING_SETTINGS, privilege_to_switch_off, refusing_settings};
pub use server_fault::find_server_fault;

use check::Severity;

use crate::Error;
use crate::finding::{Finding, column_finding};
use crate::job::{Conversion, Job, TableJob, TargetCollation};
use crate::model::Example;
use crate::row::{Fields, Row};

pub type Check = check::Check<CheckFunction>;
pub type Selection = check::Selection<CheckFunction>;

#[derive(Clone, Copy)]
pub enum CheckFunction {
    /// Reads facts and definitions, no rows.
    Facts(fn(&Job<'_>) -> Vec<Finding>),
    /// Reads the rows of one table. Returns the row checks to run while the table is read.
    Rows(for<'j> fn(&TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>>),
    /// The server answers questions about the rows of one table.
    Questions(fn(&Job<'_>, &TableJob<'_>) -> Vec<Question>),
    /// Reads the rows of both tables of a foreign key: a [`ForeignKeyMatch`] per key and target.
    ForeignKeys,
    /// Findings come from outside of the checks: from reading definitions, the plan's statements or
    /// the rehearsal.
    Elsewhere,
}

/// One pass over a table's rows.
#[derive(Clone, Copy)]
pub struct TableScan<'j> {
    pub job: &'j Job<'j>,
    pub table: &'j TableJob<'j>,
    /// Columns that are read.
    pub fields: &'j Fields,
    /// Options of each sort of this scan.
    pub sort_options: &'j extsort::Options,
}

/// State of a check while the rows of a table are read.
pub trait RowCheck: Send {
    /// True if [`RowCheck::check_row`] is called for past rows of system-versioned tables, too: for
    /// checks of what stops an ALTER.
    fn reads_history(&self) -> bool {
        false
    }

    /// Called for each row.
    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Returns the findings after the last row.
    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error>;
}

/// All checks. Findings of one severity are sorted in this order.
pub static CHECKS: &[&Check] = &[
    &unique_key::CHECK,
    &unique_key::duplicates::CHECK,
    &expression_key::CHECK,
    &check_constraint::CHECK,
    &unholdable::CHECK,
    &text_length::CHECK,
    &foreign_key::CHECK,
    &foreign_key::ORPHANS,
    &foreign_key_partner::CHECK,
    &join_partner::CHECK,
    &members::CHECK,
    &key_length::CHECK,
    &row_size::CHECK,
    &wide_varchar::CHECK,
    &fulltext::CHECK,
    &partition_key::CHECK,
    &partition_rows::CHECK,
    &server_fault::CHECK,
    &merge_table::CHECK,
    &refusing_setting::CHECK,
    &lost_character::ROWS,
    &lost_character::CHECK,
    &generated_values::CHECK,
    &generated_values::ZONE,
    &generated_collation::CHECK,
    &byte_functions::CHECK,
    &double_encoding::CHECK,
    &serialized::CHECK,
    &trailing_spaces::CHECK,
    &merges::CHECK,
    &merges::SEPARATES,
    &widened::CHECK,
    &own_collation::CHECK,
    &programs::CHECK,
    &program_collate::CHECK,
    &program_mix::CHECK,
    &collate_index::CHECK,
    &versioned::CHECK,
    &BINARY_LOG,
    &REHEARSAL,
    &CLIENT,
    &UNREADABLE,
];

/// A converted column and one of its target collations, in a scan of its table.
struct ColumnScan<'j> {
    scan: TableScan<'j>,
    /// Index into [`Conversion::targets`].
    target: usize,
    /// Index into [`TableJob::conversions`].
    conversion: usize,
    /// Index into [`Fields::columns`].
    field: usize,
}

impl<'j> ColumnScan<'j> {
    /// Returns a scan for each converted text column and each target. ENUM and SET are left out.
    fn text_columns(scan: &TableScan<'j>) -> Vec<Self> {
        let mut columns = Vec::new();
        for (index, conversion) in scan.table.conversions.iter().enumerate() {
            let field =
                scan.fields.position(&conversion.column.name).filter(|_| !crate::job::has_members(conversion.column));
            if let Some(field) = field {
                columns.extend((0..conversion.targets.len()).map(|target| Self {
                    scan: *scan,
                    target,
                    conversion: index,
                    field,
                }));
            }
        }
        columns
    }

    fn conversion(&self) -> &'j Conversion<'j> {
        &self.scan.table.conversions[self.conversion]
    }

    fn target(&self) -> &'j TargetCollation {
        &self.conversion().targets[self.target]
    }

    fn finding(&self, check: &Check, severity: Severity) -> Finding {
        column_finding(check, severity, self.scan.table, &self.conversion().column.name, &self.target().name)
    }

    /// Returns the row's key and the column's value as an example.
    fn example(&self, row: &Row<'_>) -> Example {
        Example { key: row.key(), values: vec![row.display_value(self.field)], note: None }
    }
}

/// Returns assignments for an `UPDATE` that keep columns with ON UPDATE CURRENT_TIMESTAMP as they
/// are: ``, `changed` = `changed` ``.
fn keep_updated_columns(table: &facts::Table) -> String {
    let updated = table.columns.iter().filter(|column| column.extra.to_lowercase().contains("on update"));
    updated.map(|column| sql::quote_identifier(&column.name)).map(|name| format!(", {name} = {name}")).collect()
}

/// Returns why a column's values can't be changed by an UPDATE, and what to do instead. `None` if
/// they can.
fn reason_against_updates(table: &facts::Table, column: &facts::Column) -> Option<String> {
    let is_archive = table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("archive"));
    match &column.generated {
        Some(_) => Some("the column is generated: mend the columns and the text in its expression".into()),
        // Error 1031.
        None if is_archive => Some("the engine ARCHIVE takes no UPDATE: move the rows to another table".into()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_unique_names_and_documentation() {
        for (index, check) in CHECKS.iter().enumerate() {
            assert!(CHECKS[..index].iter().all(|other| other.name != check.name), "{} twice", check.name);
            assert!(!check.title.ends_with('.') && check.doc.ends_with('.'), "{}", check.name);
            assert!(!check.reads.is_empty(), "{}", check.name);
        }
    }
}
