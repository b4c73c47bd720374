//! Text that went through a wrong encoding.

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::{ColumnSample, Evidence};
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "double-encoded",
    title: "UTF-8 that was taken for latin1: text stored in the wrong encoding, or encoded twice",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
Values of a sample (the first and the last rows by primary key) are classified, each by itself: clean; double-encoded (every character beyond ASCII is \
part of UTF-8 that was decoded as latin1, whether the column is latin1 or Unicode); mixed (parts of the value are); undecidable (one pair of \
letters that could be either, such as Å and š). A conversion by ALTER TABLE keeps the wrong characters, and doubles them in a latin1 column that holds UTF-8. What to do: repair before \
converting: all rows by way of BINARY where all are double-encoded, else the rows in question (`weigh preflight` names them). \
From: gh-ost #290; MySQL manual, \"Converting Between Character Sets\".",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    evidence.samples.iter().filter_map(finding).collect()
}

fn finding(sample: &ColumnSample) -> Option<Finding> {
    let counts = sample.encodings;
    let broken = counts.utf8 + counts.mixed;
    if broken == 0 {
        return None;
    }
    let keys = match sample.encoding_keys.as_slice() {
        [] => String::new(),
        keys => format!(" (rows {})", keys.join("; ")),
    };
    let what = format!(
        "of {} values in the sample {} are double-encoded, {} mixed, {} undecidable, {} clean, {} ASCII{keys}",
        sample.values, counts.utf8, counts.mixed, counts.doubtful, counts.clean, sample.ascii
    );
    let all = counts.mixed + counts.doubtful + counts.clean == 0;
    let action = if all {
        "Change the column to its binary type and then to utf8mb4, on a copy first; a clean row would break by it, so check all rows.".to_owned()
    } else {
        "Repair the rows that are double-encoded by themselves: CONVERT(BINARY CONVERT(col USING latin1) USING utf8mb4).".to_owned()
    };
    Some(
        Draft {
            severity: Severity::Error,
            kind: ObjectKind::Column,
            name: format!("{}.{}.{}", sample.schema, sample.table, sample.column),
            what,
            why: "Readers see wrong characters, comparisons and LIKE miss the rows, and ALTER TABLE … CONVERT keeps or worsens it.".into(),
            action,
        }
        .of(CHECK.name),
    )
}
