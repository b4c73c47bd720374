//! Tables WITH SYSTEM VERSIONING (MariaDB).

use sql::{SqlMode, Token, ddl};

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "versioned",
    title: "system-versioned tables, whose history a conversion rewrites",
    reads: &[Reading::Schemas],
    doc: "MariaDB refuses to alter a table WITH SYSTEM VERSIONING (error 4119) unless system_versioning_alter_history is KEEP, which the \
              plan sets. Rows of the past are then converted, too: they look as if they always had the new collation. The checks unique-key, \
              text-length and unholdable read them as well, since they stop an ALTER as current ones do. In a table that is partitioned BY \
              SYSTEM_TIME LIMIT, the ALTER writes the whole history into the first partition (MariaDB 10.11, 11.8): DROP PARTITION, meant \
              for the oldest rows, then deletes all of it.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let is_affected = |table: &&TableJob<'_>| !table.conversions.is_empty() && table.row_end.is_some();
    let finding = |table: &TableJob<'_>| {
        let mut finding = table_finding(&CHECK, Severity::Warning, table, &job.targets[0]);
        finding.details.count = 1;
        if is_limited(job.create_table(table)) {
            finding.what = "its history is rewritten, and moves into the first partition".into();
            finding.why =
                "the server doesn't keep rows where SYSTEM_TIME LIMIT has put them: DROP PARTITION of the oldest \
                           partition then deletes the whole history"
                    .into();
            finding.action =
                "keep a dump of the history, and drop no partition until its rows are older than you keep them".into();
        } else {
            finding.what = "its history is rewritten".into();
            finding.why = "the table is system-versioned; the plan sets system_versioning_alter_history = KEEP".into();
            finding.action = "keep a dump of the history if the old text counts as evidence".into();
        }
        finding
    };
    job.tables.iter().filter(is_affected).map(finding).collect()
}

/// True for a table `PARTITION BY SYSTEM_TIME LIMIT n`, whose history moves on to the next
/// partition once one is full.
fn is_limited(create: &str) -> bool {
    let tokens: Vec<Token<'_>> = sql::tokenize(ddl::table_options(create), SqlMode::default()).collect();
    tokens.windows(2).any(|pair| pair[0].is_keyword("system_time") && pair[1].is_keyword("limit"))
}

#[cfg(test)]
mod tests {
    use super::is_limited;

    #[test]
    fn finds_limits_of_partitions() {
        let create = |options: &str| {
            format!("CREATE TABLE `t` (\n  `a` int COMMENT 'SYSTEM_TIME LIMIT 2'\n) ENGINE=InnoDB {options}")
        };
        assert!(is_limited(&create("WITH SYSTEM VERSIONING\n PARTITION BY SYSTEM_TIME LIMIT 2 \nPARTITIONS 4")));
        assert!(!is_limited(&create("COMMENT='SYSTEM_TIME LIMIT 2' PARTITION BY SYSTEM_TIME INTERVAL 1 DAY")));
    }
}
