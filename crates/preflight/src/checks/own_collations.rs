//! Columns that CONVERT TO would take along.

use super::{Check, Run, finding};
use crate::job::Job;
use crate::model::{Example, Finding, Severity};

pub const CHECK: Check = Check {
    name: "own-collation",
    summary: "columns that keep their own collation in the plan, and would lose it under CONVERT TO",
    explain: "CONVERT TO CHARACTER SET gives every text column of a table the new collation: those that compare codes (_bin), ascii ones, \
              and MariaDB's JSON columns, which are LONGTEXT with utf8mb4_bin. The plan's MODIFYs name each column and keep these.",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in job.tables.iter().filter(|table| !table.conversions.is_empty()) {
        // Kept, or converted to the _bin of the new character set, or _bin of it already.
        let stays = |column: &&facts::Column| {
            let is_bin = column.collation.as_deref().is_some_and(|name| name.ends_with("_bin"));
            let keeps = |change: &crate::model::ColumnChange| change.column == column.name;
            match table.conversion(&column.name) {
                Some(conversion) => conversion.reason.is_some(),
                None => is_bin || table.kept.iter().any(keeps),
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
            .filter(stays)
            .map(example)
            .collect();
        if !examples.is_empty() {
            let mut one = finding(&CHECK, Severity::Notice, table, &job.targets[0]);
            one.count = examples.len() as u64;
            one.what = match examples.len() {
                1 => "a column was given a collation on purpose".into(),
                count => format!("{count} columns were given a collation on purpose"),
            };
            one.why = "CONVERT TO CHARACTER SET would give them the new one".into();
            one.todo = "use the plan's MODIFYs; --all-columns converts them, too".into();
            one.examples = examples;
            one.in_plan = true;
            found.push(one);
        }
    }
    found
}
