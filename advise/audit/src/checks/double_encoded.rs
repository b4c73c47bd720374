//! UTF-8 that was taken for latin1.

use super::Check;
use super::common::Draft;
use crate::input::{AuditInput, ColumnSample};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "double-encoded",
    title: "UTF-8 that was taken for latin1: text stored in the wrong encoding, or encoded twice",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
Values of a sample (the first and the last rows by primary key) are classified one by one: clean; double-encoded (every character beyond ASCII is \
part of UTF-8 that was decoded as latin1, whether the column is latin1 or Unicode); mixed (parts of the value are); undecidable (one pair of \
letters that could be either, such as Å and š). A conversion by ALTER TABLE keeps the wrong characters, and doubles them in a latin1 column that holds UTF-8. What to do: repair before \
converting: all rows by way of BINARY where all are double-encoded, else the rows in question (`weigh preflight` names them). \
From: gh-ost #290; MySQL manual, \"Converting Between Character Sets\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    input.samples.iter().filter_map(check_sample).collect()
}

fn check_sample(sample: &ColumnSample) -> Option<Finding> {
    let counts = sample.encodings;
    let broken = counts.double_encoded + counts.mixed;
    if broken == 0 {
        return None;
    }
    let keys = match sample.encoding_keys.as_slice() {
        [] => String::new(),
        keys => format!(" (rows {})", keys.join("; ")),
    };
    let what = format!(
        "of {} values in the sample {} are double-encoded, {} mixed, {} undecidable, {} clean, {} ASCII{keys}",
        sample.values, counts.double_encoded, counts.mixed, counts.undecidable, counts.clean, sample.ascii_values
    );
    let is_uniform = counts.mixed + counts.undecidable + counts.clean == 0;
    let action = if is_uniform {
        "Change the column to its binary type and then to utf8mb4, on a copy first; a clean row would break by it, so check all rows.".to_owned()
    } else {
        "Repair the rows that are double-encoded by themselves: CONVERT(BINARY CONVERT(col USING latin1) USING utf8mb4).".to_owned()
    };
    Some(
        Draft {
            severity: Severity::Error,
            kind: ObjectKind::Column,
            name: check::column_name(&sample.schema, &sample.table, &sample.column),
            what,
            why: "Readers see wrong characters, comparisons and LIKE miss the rows, and ALTER TABLE … CONVERT keeps or worsens it.".into(),
            action,
        }
        .into_finding(CHECK.name),
    )
}
