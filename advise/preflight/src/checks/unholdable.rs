//! Values that the target's character set can't represent.

use super::value_counter::ValueCounter;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::finding::{Finding, column_finding};
use crate::job::{Job, TableJob};
use crate::model::{Example, LackingValues, Reading};
use crate::row::Row;
use check::{Reading as Reads, Severity};

pub static CHECK: Check = Check {
    name: "unholdable",
    title: "values with characters that the new character set lacks, or bytes that are no characters",
    reads: &[Reads::Schemas, Reads::Rows],
    doc: "A character that the new character set lacks makes ALTER TABLE fail with error 1366 in strict mode; without strict mode it \
              becomes a question mark, for good. Ill-formed bytes, which old servers let in, are refused in the same way. Values of a CSV or Parquet file that \
              the character set of --from lacks are reported, too, and seen by no other check.",
    run: CheckFunction::Rows(checks),
};

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::text_columns(scan)
        .into_iter()
        .map(|column| ValueCounter::boxed_with_history(column, match_value, describe))
        .collect()
}

/// Returns the findings of values of a file that the collation of --from can't hold. Other checks
/// don't see such values.
pub(crate) fn lacking_findings(job: &Job<'_>, table: &TableJob<'_>, reading: &Reading) -> Vec<Finding> {
    let finding = |(column, lacking): (&String, &LackingValues)| {
        let mut finding = column_finding(&CHECK, Severity::Error, table, column, &job.targets[0]);
        let charset = table.table.column(column).and_then(|column| column.charset.as_deref()).unwrap_or_default();
        finding.what = format!("{} can't be held in {charset} now", message::count_noun(lacking.count, "value"));
        finding.why = format!(
            "a column of {charset} has no such characters, so that these values are from elsewhere; they were left out of \
             the other checks"
        );
        finding.action =
            "name the collation that the column has by --from, such as utf8mb4_bin, or write the file from \
                          the column anew"
                .into();
        finding.details.count = lacking.count;
        finding.details.examples = lacking.examples.iter().take(job.examples).cloned().collect();
        finding
    };
    reading.lacking.iter().map(finding).collect()
}

fn match_value(column: &ColumnScan<'_>, row: &Row<'_>) -> Option<Example> {
    let error = row.converted(column.target, column.field)?.err()?;
    Some(Example { note: Some(error.to_string()), ..column.example(row) })
}

fn describe(column: &ColumnScan<'_>, count: u64) -> Finding {
    Finding {
        what: format!("{} can't be held in {}", message::count_noun(count, "value"), column.target().charset),
        why: "ALTER TABLE ends with error 1366 in strict mode; without it, what is lacking becomes a question mark"
            .into(),
        action: "convert to utf8mb4, or change these values first; run the plan in strict mode".into(),
        ..column.finding(&CHECK, Severity::Error)
    }
}
