//! Advice on backups, replication and connections.

use std::collections::BTreeSet;

use check::table_name;
use rehearsal::Kind;
use server::{Flavour, Version};

use super::programs::ChosenProgram;
use crate::job::{Job, TableJob};
use crate::model::Step;

pub fn write_advice(
    job: &Job<'_>,
    converted: &[&TableJob<'_>],
    programs: &[ChosenProgram<'_>],
    steps: &[Step],
) -> Vec<String> {
    if steps.is_empty() {
        return Vec::new();
    }
    let mut advice = if converted.is_empty() { Vec::new() } else { describe_conversion(job, converted) };
    advice.extend(describe_program_rights(job, programs));
    advice.extend(describe_program_gap(programs));
    if !converted.is_empty() {
        advice.push(
            "Check again: rows that were written while preflight read may have been missed. Run preflight again shortly before the conversion."
                .to_owned(),
        );
    }
    advice
}

fn describe_conversion(job: &Job<'_>, converted: &[&TableJob<'_>]) -> Vec<String> {
    let mut advice = Vec::new();
    let target = &job.targets[0];
    let bytes: u64 = converted
        .iter()
        .map(|table| table.table.data_bytes.unwrap_or(0) + table.table.index_bytes.unwrap_or(0))
        .max()
        .unwrap_or(0);
    advice.push(format!(
        "Disk: a table that is copied needs room for a second one while it is converted; the largest here takes {} MiB now.",
        bytes.div_ceil(1 << 20)
    ));
    advice.push(
        "Going back: keep a dump of these tables (mysqldump --default-character-set=utf8mb4, or mydumper), taken before; --plan-back FILE writes \
         statements that restore the definitions. Where the character set was narrower, going back can lose characters that were written since."
            .to_owned(),
    );
    let changes_charset = converted
        .iter()
        .flat_map(|table| &table.conversions)
        .any(|conversion| conversion.source_charset_name() != conversion.planned_target().charset);
    if changes_charset {
        advice.push(format!(
            "Connections: the application may send SET NAMES {} before or after the conversion, as the server converts on the way. After it is the \
             safe order: then every character that is sent can be stored.",
            job.facts.server.charset("utf8mb4").map_or("utf8", |_| "utf8mb4")
        ));
        advice.push(
            "Replication: row-based replication doesn't convert character sets (MySQL bug 47673). Where replicas are converted first, a source's rows \
             in the old character set are refused (error 1677) or misread. Let the statements replicate, or convert with writes stopped."
                .to_owned(),
        );
    } else {
        advice.push(
            "Replication: only the collation changes, so rows keep their bytes. Replicas may be converted first, one by one, and the source last; a \
             replica with the coarser collation stops at a duplicate that its source takes."
                .to_owned(),
        );
    }
    if job.facts.replication.binlog_format.as_deref().is_some_and(|format| format.eq_ignore_ascii_case("statement")) {
        advice.push("Replication is by statement: comparisons in UPDATE and DELETE may hit other rows where the two sides' collations differ.".to_owned());
    }
    if job.facts.server.flavour == Flavour::MySql && target.contains("_0900_") {
        advice.push("MySQL 5.7 replicas lack this collation (its id is 255 or above on the wire, MySQL bug 116834): upgrade them first.".to_owned());
    }
    advice
}

/// Describes what happens between the DROP of a trigger and its CREATE.
fn describe_program_gap(programs: &[ChosenProgram<'_>]) -> Option<String> {
    let is_trigger = |program: &&ChosenProgram<'_>| program.object.name.kind == Kind::Trigger;
    let tables: BTreeSet<String> = programs
        .iter()
        .filter(is_trigger)
        .filter_map(|program| Some(table_name(&program.object.name.schema, program.object.table.as_deref()?)))
        .collect();
    (!tables.is_empty()).then(|| {
        format!(
            "Triggers: from the DROP of a trigger to its CREATE at the end of the plan, rows are written without it, and without an error. \
             Stop writes to {} meanwhile.",
            tables.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}

/// Describes the privileges without which the server refuses to create programs again, after the
/// old ones are gone.
fn describe_program_rights(job: &Job<'_>, programs: &[ChosenProgram<'_>]) -> Vec<String> {
    let server = &job.facts.server;
    let definers: BTreeSet<&str> = programs.iter().filter_map(|program| find_definer(&program.object.create)).collect();
    let mut advice = Vec::new();
    if !definers.is_empty() {
        let version = server.version_number();
        let privilege = match server.flavour {
            Flavour::MySql if version >= Version::new(8, 2, 0) => {
                "SET_ANY_DEFINER, SYSTEM_USER where the definer has it (as root has), and ALLOW_NONEXISTENT_DEFINER for a definer that is gone"
            }
            Flavour::MySql if version >= Version::new(8, 0, 16) => {
                "SET_USER_ID or SUPER, and SYSTEM_USER where the definer has it (as root has)"
            }
            Flavour::MySql if version >= Version::new(8, 0, 0) => "SET_USER_ID or SUPER",
            Flavour::MariaDb if version >= Version::new(10, 5, 2) => "SET USER",
            _ => "SUPER",
        };
        advice.push(format!(
            "Programs: unless it is their definer ({}), the account that runs the plan needs {privilege}. Otherwise the server refuses to create \
             them again (error 1227).",
            definers.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    let is_logged = |program: &ChosenProgram<'_>| matches!(program.object.name.kind, Kind::Function | Kind::Trigger);
    if server.is_on("log_bin") && !server.is_on("log_bin_trust_function_creators") && programs.iter().any(is_logged) {
        advice.push(
            "Binary log: while it is on, creating functions and triggers takes SUPER, or log_bin_trust_function_creators = 1 (error 1419)."
                .to_owned(),
        );
    }
    advice
}

/// Returns the definer of a program, as the server prints it: `` `root`@`localhost` ``.
fn find_definer(create: &str) -> Option<&str> {
    let (_, rest) = create.split_once("DEFINER=")?;
    rest.split(' ').next()
}
