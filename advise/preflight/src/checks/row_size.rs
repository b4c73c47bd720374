//! Rows that exceed the limit of 65,535 bytes.

use rules::rows::MAX_ROW_BYTES;

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::Job;
use crate::limits::row_bytes;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "row-size",
    title: "tables whose rows could exceed 65,535 bytes",
    reads: &[Reading::Schemas],
    doc: "The columns of a row may take 65,535 bytes at most, each VARCHAR at its full length in bytes, each TEXT or BLOB with 9 to 12 bytes. \
              ALTER TABLE ends with error 1118. InnoDB's other limit, half a page (8,126 bytes of 16 KiB) for the parts of columns that it keeps \
              there, isn't computed: only the rehearsal finds it.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in job.tables.iter().filter(|table| !table.conversions.is_empty()) {
        for (target, name) in job.targets.iter().enumerate() {
            let (before, after) = (row_bytes(job.facts, table, None), row_bytes(job.facts, table, Some(target)));
            // Tables with a column that is too long for VARCHAR are left to the check
            // `wide-varchar`.
            let has_wide =
                table.conversions.iter().any(|conversion| super::wide_varchar::is_too_wide(job, conversion, target));
            if after <= MAX_ROW_BYTES || has_wide {
                continue;
            }
            let mut finding = table_finding(&CHECK, Severity::Error, table, name);
            finding.details.count = after;
            finding.what = format!("a row could take {after} bytes (now {before}), and the limit is {MAX_ROW_BYTES}");
            finding.why = "ALTER TABLE ends with error 1118 (row size too large)".into();
            let longest = table
                .conversions
                .iter()
                .filter(|conversion| conversion.column.data_type == "varchar")
                .max_by_key(|conversion| conversion.column.characters);
            finding.action = match longest {
                Some(conversion) => {
                    format!("make the longest columns TEXT, {} first, or shorten them", conversion.column.name)
                }
                None => "make the longest columns TEXT, or shorten them".into(),
            };
            findings.push(finding);
        }
    }
    findings
}
