//! Tables WITH SYSTEM VERSIONING (MariaDB).

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::Job;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "versioned",
    title: "system-versioned tables, whose history a conversion rewrites",
    reads: &[Reading::Schemas],
    doc: "MariaDB refuses to alter a table WITH SYSTEM VERSIONING (error 4119) unless system_versioning_alter_history is KEEP, which the \
              plan sets. Rows of the past are then converted, too: they look as if they always had the new collation. The checks unique-key, \
              text-length and unholdable read them as well, since they stop an ALTER as current ones do.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let is_affected = |table: &&crate::job::TableJob<'_>| !table.conversions.is_empty() && table.row_end.is_some();
    let finding = |table: &crate::job::TableJob<'_>| {
        let mut finding = table_finding(&CHECK, Severity::Warning, table, &job.targets[0]);
        finding.details.count = 1;
        finding.what = "its history is rewritten".into();
        finding.why = "the table is system-versioned; the plan sets system_versioning_alter_history = KEEP".into();
        finding.action = "keep a dump of the history if the old text counts as evidence".into();
        finding
    };
    job.tables.iter().filter(is_affected).map(finding).collect()
}
