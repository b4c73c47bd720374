//! Rows that become too long.

use rules::rows::ROW_LIMIT;

use super::{Check, Run, finding};
use crate::job::Job;
use crate::limits::row_bytes;
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "row-size",
    summary: "tables whose rows could exceed 65,535 bytes",
    explain: "The columns of a row, TEXTs and BLOBs left out, may take 65,535 bytes at most, each VARCHAR at its full length in bytes. \
              ALTER TABLE ends with error 1118.",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in job.tables.iter().filter(|table| !table.conversions.is_empty()) {
        for (target, name) in job.targets.iter().enumerate() {
            let (before, after) = (row_bytes(job.facts, table, None), row_bytes(job.facts, table, Some(target)));
            // A column that is too long by itself is another finding.
            let has_wide =
                table.conversions.iter().any(|conversion| super::wide_varchar::is_too_wide(job, conversion, target));
            if after <= ROW_LIMIT || has_wide {
                continue;
            }
            let mut one = finding(&CHECK, Severity::Error, table, name);
            one.count = after;
            one.what = format!("a row could take {after} bytes (now {before}), and the limit is {ROW_LIMIT}");
            one.why = "ALTER TABLE ends with error 1118 (row size too large)".into();
            let longest = table
                .conversions
                .iter()
                .filter(|conversion| conversion.column.data_type == "varchar")
                .max_by_key(|conversion| conversion.column.characters);
            one.todo = match longest {
                Some(conversion) => {
                    format!("make the longest columns TEXT, {} first, or shorten them", conversion.column.name)
                }
                None => "make the longest columns TEXT, or shorten them".into(),
            };
            found.push(one);
        }
    }
    found
}
