//! VARCHARs that are too long for the new character set.

use super::{Check, Run, finding};
use crate::job::{Conversion, Job};
use crate::limits::varchar_characters;
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "wide-varchar",
    summary: "VARCHARs of more characters than the new character set allows (utf8mb4: 16,383)",
    explain: "A VARCHAR may take 65,535 bytes: 21,844 characters of utf8mb3 (three bytes each), 16,383 of utf8mb4. ALTER TABLE ends with \
              error 1074, or, without strict mode, turns the column into MEDIUMTEXT. The plan makes it TEXT or MEDIUMTEXT, which say so.",
    run: Run::Facts(run),
};

/// Whether a column is longer than its target allows.
pub fn is_too_wide(job: &Job<'_>, conversion: &Conversion<'_>, target: usize) -> bool {
    let column = conversion.column;
    let most = varchar_characters(conversion.to[target].max_bytes(job.facts));
    column.data_type == "varchar" && column.characters.unwrap_or(0) > most.min(65_532)
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        for conversion in &table.conversions {
            for (_, to) in conversion.to.iter().enumerate().filter(|(target, _)| is_too_wide(job, conversion, *target))
            {
                let characters = conversion.column.characters.unwrap_or(0);
                let most = varchar_characters(to.max_bytes(job.facts));
                let mut one = finding(&CHECK, Severity::Error, table, &to.name);
                one.object = format!("{}.{}", one.object, conversion.column.name);
                one.count = characters;
                one.what =
                    format!("VARCHAR({characters}) is longer than the {most} characters that {} allows", to.charset);
                one.why = "ALTER TABLE ends with error 1074 (column length too big)".into();
                one.todo = "the plan makes it MEDIUMTEXT; an index on it then needs a prefix length".into();
                one.new_type = Some("mediumtext".into());
                one.in_plan = true;
                found.push(one);
            }
        }
    }
    found
}
