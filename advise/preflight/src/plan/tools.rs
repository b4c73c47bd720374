//! Command lines of online schema change tools.

use check::Severity;
use escape::{dsn_value, shell_word};
use server::Flavour;

use crate::finding::Finding;
use crate::job::{Job, TableJob};
use crate::model::ToolPlan;

pub fn plan_tools(job: &Job<'_>, job_table: &TableJob<'_>, clauses: &[String], findings: &[Finding]) -> ToolPlan {
    let alter = clauses
        .iter()
        .filter(|clause| !clause.starts_with("ALGORITHM="))
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    let (schema, table) = (&job_table.table.schema, &job_table.table.name);
    let gh_ost = gh_ost(schema, table, &alter).unwrap_or_default();
    let pt_osc = pt_online_schema_change(schema, table, &alter).unwrap_or_default();
    let mut warnings = Vec::new();
    let collides = findings.iter().any(|finding| {
        finding.check == "unique-key"
            && finding.severity == Severity::Error
            && finding.details.schema == *schema
            && finding.details.table.as_ref() == Some(table)
    });
    if collides {
        warnings.push(
            "Rows of this table collide. pt-online-schema-change copies with INSERT IGNORE and would drop all but one row of each group; gh-ost \
             would, too, without --panic-on-warnings. Deal with the collisions first."
                .to_owned(),
        );
    }
    if job_table.unique_indexes().next().is_some() {
        warnings.push(
            "gh-ost: --panic-on-warnings came after release 1.1.7 (#1500). Rows that are written while it runs are applied by REPLACE, which deletes \
             what they collide with (#1636, mended by #1633 and #1643): take a release after 1.1.8, and look for duplicates again before the cut-over."
                .to_owned(),
        );
    }
    let has_foreign_keys = job.foreign_keys().any(|key| {
        (key.schema == *schema && key.table == *table) || (key.parent_schema == *schema && key.parent_table == *table)
    });
    if has_foreign_keys {
        warnings.push(
            "Foreign keys are on converted columns: gh-ost refuses the table, and pt-online-schema-change can't change both sides at once. Use the \
             plan's statements."
                .to_owned(),
        );
    }
    let has_triggers =
        job.facts.schema(schema).is_some_and(|schema| schema.triggers.iter().any(|trigger| trigger.table == *table));
    if has_triggers {
        warnings.push(
            "The table has triggers: gh-ost refuses it unless your release has --include-triggers, pt-online-schema-change needs --preserve-triggers."
                .to_owned(),
        );
    }
    if job.facts.server.flavour == Flavour::MariaDb {
        warnings.push(
            "gh-ost supports MariaDB from release 1.1.11; before it, take ALTER TABLE or pt-online-schema-change."
                .to_owned(),
        );
    }
    if job_table
        .conversions
        .iter()
        .any(|conversion| conversion.source_charset_name() != conversion.planned_target().charset)
    {
        warnings.push(
            "The character set changes: gh-ost 1.1.7 applies rows that are written while it runs without converting them, which fails with error 1366 \
             or writes wrong bytes (#1568, #1438; both open). Take ALTER TABLE or pt-online-schema-change, or stop writes while gh-ost runs."
                .to_owned(),
        );
    }
    ToolPlan { table: job_table.name(), gh_ost, pt_osc, warnings }
}

/// `None` if a word can't stand in a shell script.
fn gh_ost(schema: &str, table: &str, alter: &str) -> Option<String> {
    Some(format!(
        "gh-ost --database={} --table={} --alter={} --panic-on-warnings --max-load=Threads_running=25 --execute",
        shell_word(schema)?,
        shell_word(table)?,
        shell_word(alter)?
    ))
}

/// `None` if a word can't stand in a shell script.
fn pt_online_schema_change(schema: &str, table: &str, alter: &str) -> Option<String> {
    Some(format!(
        "pt-online-schema-change --alter {} --charset=utf8mb4 --max-load Threads_running=25 --execute {}",
        shell_word(alter)?,
        shell_word(&format!("D={},t={}", dsn_value(schema), dsn_value(table)))?
    ))
}
