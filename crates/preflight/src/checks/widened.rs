//! Types that CONVERT TO would widen.

use super::{Check, Run, finding};
use crate::job::Job;
use crate::limits::text_bytes;
use crate::model::{Finding, Severity};

pub const CHECK: Check = Check {
    name: "widened",
    summary: "TEXT columns that CONVERT TO CHARACTER SET would make the next larger type",
    explain: "CONVERT TO makes TINYTEXT TEXT, TEXT MEDIUMTEXT and MEDIUMTEXT LONGTEXT where a character can take more bytes than before, \
              so that as many characters fit (MySQL manual, ALTER TABLE). Dumps, ORMs and replicas then disagree about the type. The plan's \
              MODIFYs keep each type; the check text-length says where values don't fit.",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        let grows = |conversion: &&crate::job::Conversion<'_>| {
            let before =
                job.facts.server.charset(conversion.old_charset()).map_or(1, |charset| u64::from(charset.max_bytes));
            text_bytes(&conversion.column.data_type).is_some_and(|bytes| bytes < u64::from(u32::MAX))
                && conversion.planned().max_bytes(job.facts) > before
        };
        for conversion in table.conversions.iter().filter(grows) {
            let mut one = finding(&CHECK, Severity::Notice, table, &conversion.planned().name);
            one.object = format!("{}.{}", one.object, conversion.column.name);
            one.count = 1;
            one.what = format!("CONVERT TO would widen this {}", conversion.column.data_type);
            one.why = "it counts characters, and makes room for as many as before".into();
            one.todo = "use the plan's MODIFY, which keeps the type".into();
            one.in_plan = true;
            found.push(one);
        }
    }
    found
}
