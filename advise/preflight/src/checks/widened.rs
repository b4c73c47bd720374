//! TEXT columns that CONVERT TO would change to a larger type.

use super::{Check, CheckFunction};
use crate::finding::{Finding, column_finding};
use crate::job::Job;
use crate::limits::max_text_bytes;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "widened",
    title: "TEXT columns that CONVERT TO CHARACTER SET would make the next larger type",
    reads: &[Reading::Schemas],
    doc: "CONVERT TO makes TINYTEXT TEXT, TEXT MEDIUMTEXT and MEDIUMTEXT LONGTEXT where a character can take more bytes than before, \
              so that as many characters fit (MySQL manual, ALTER TABLE). Dumps, ORMs and replicas then disagree about the type. The plan's \
              MODIFYs keep each type; the check text-length says where values don't fit.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        let grows = |conversion: &&crate::job::Conversion<'_>| {
            let before = job
                .facts
                .server
                .charset(conversion.source_charset_name())
                .map_or(1, |charset| u64::from(charset.max_bytes));
            max_text_bytes(&conversion.column.data_type).is_some_and(|bytes| bytes < u64::from(u32::MAX))
                && conversion.planned_target().max_bytes(job.facts) > before
        };
        for conversion in table.conversions.iter().filter(grows) {
            let target = &conversion.planned_target().name;
            let mut finding = column_finding(&CHECK, Severity::Note, table, &conversion.column.name, target);
            finding.details.count = 1;
            finding.what = format!("CONVERT TO would widen this {}", conversion.column.data_type);
            finding.why = "it counts characters, and makes room for as many as before".into();
            finding.action = "use the plan's MODIFY, which keeps the type".into();
            finding.details.in_plan = true;
            findings.push(finding);
        }
    }
    findings
}
