//! Columns that keep their own collation in the plan and would lose it under CONVERT TO.

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::Job;
use crate::model::Example;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "own-collation",
    title: "columns that keep their own collation in the plan, and would lose it under CONVERT TO",
    reads: &[Reading::Schemas],
    doc: "CONVERT TO CHARACTER SET gives every text column of a table the new collation: those that compare codes (_bin), ascii ones, \
              and MariaDB's JSON columns, which are LONGTEXT with utf8mb4_bin. The plan's MODIFYs name each column and keep these.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in job.tables.iter().filter(|table| !table.conversions.is_empty()) {
        // True if the conversion leaves the column `_bin`, or if the column is not converted and
        // has a `_bin` collation or is listed as kept.
        let keeps_collation = |column: &&facts::Column| {
            let is_bin = column.collation.as_deref().is_some_and(|name| name.ends_with("_bin"));
            let is_kept = |change: &crate::model::ColumnChange| change.column == column.name;
            match table.conversion(&column.name) {
                Some(conversion) => conversion.reason.is_some(),
                None => is_bin || table.kept.iter().any(is_kept),
            }
        };
        let example = |column: &facts::Column| {
            let is_json = table.table.checks.iter().any(|check| {
                check
                    .expression
                    .to_lowercase()
                    .replace('`', "")
                    .contains(&format!("json_valid({})", column.name.to_lowercase()))
            });
            Example {
                key: Vec::new(),
                values: vec![column.name.clone(), column.collation.clone().unwrap_or_default()],
                note: is_json.then(|| "a JSON column".to_owned()),
            }
        };
        let examples: Vec<Example> = table
            .table
            .columns
            .iter()
            .filter(|column| column.text_type().is_some())
            .filter(keeps_collation)
            .map(example)
            .collect();
        if !examples.is_empty() {
            let mut finding = table_finding(&CHECK, Severity::Note, table, &job.targets[0]);
            finding.details.count = examples.len() as u64;
            finding.what = match examples.len() {
                1 => "a column was given a collation on purpose".into(),
                count => format!("{count} columns were given a collation on purpose"),
            };
            finding.why = "CONVERT TO CHARACTER SET would give them the new one".into();
            finding.action = "use the plan's MODIFYs; --all-columns converts them, too".into();
            finding.details.examples = examples;
            finding.details.in_plan = true;
            findings.push(finding);
        }
    }
    findings
}
