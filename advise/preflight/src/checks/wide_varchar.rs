//! VARCHAR columns that are too long for the new character set.

use super::{Check, CheckFunction};
use crate::finding::{Finding, column_finding};
use crate::job::Job;
use crate::limits::{is_too_wide, max_varchar_characters};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "wide-varchar",
    title: "VARCHARs of more characters than the new character set allows (utf8mb4: 16,383)",
    reads: &[Reading::Schemas],
    doc: "A VARCHAR may take 65,535 bytes: 21,845 characters of utf8mb3 (three bytes each), 16,383 of utf8mb4. ALTER TABLE ends with \
              error 1074, or, without strict mode, turns the column into MEDIUMTEXT. The plan names the type MEDIUMTEXT.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        for conversion in &table.conversions {
            for (_, target) in
                conversion.targets.iter().enumerate().filter(|(index, _)| is_too_wide(job.facts, conversion, *index))
            {
                let characters = conversion.column.characters.unwrap_or(0);
                let max_characters = max_varchar_characters(target.max_bytes(job.facts));
                let mut finding = column_finding(&CHECK, Severity::Error, table, &conversion.column.name, &target.name);
                finding.details.count = characters;
                finding.what = format!(
                    "VARCHAR({characters}) is longer than the {max_characters} characters that {} allows",
                    target.charset
                );
                finding.why = "in strict mode ALTER TABLE ends with error 1074 (column length too big); without it the column becomes MEDIUMTEXT".into();
                finding.action = "the plan makes it MEDIUMTEXT; an index on it then needs a prefix length".into();
                finding.details.new_type = Some("mediumtext".into());
                finding.details.in_plan = true;
                findings.push(finding);
            }
        }
    }
    findings
}
