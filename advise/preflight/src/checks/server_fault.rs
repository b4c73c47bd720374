//! Bugs of a server version that affect the plan.

use mysql_collation::Charset;
use server::{Flavour, Version};

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::{Conversion, Job, TableJob};
use crate::plan::generated_targets;
use crate::text::is_subset;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "server-fault",
    title: "known faults of this version of the server that a conversion would meet",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "MDEV-26294: MariaDB from 10.4.3 on, before 10.4.26, 10.5.17, 10.6.9, 10.7.5, 10.8.4 and 10.9.2, converts a unique key in place without \
              noticing duplicates (versions: MariaDB's release notes). MySQL bug 97103: a unique index keeps its old order until the server is \
              restarted; reported for 8.0.17 and closed in December 2019 without naming the release that fixes it, so 8.0.13 to 8.0.19 \
              are taken to have it. 8.0.12 refuses to convert in place. For both the plan asks for ALGORITHM=COPY. MariaDB before 10.5 takes no COLLATE in a generated \
              column, which gets the table's default: one ALTER cannot give two of them different collations (error 1064).",
    run: CheckFunction::Facts(run),
};

/// A bug that the plan avoids by `ALGORITHM=COPY`.
pub struct ServerFault {
    /// Identifier in the bug tracker.
    pub name: &'static str,
    pub effect: &'static str,
}

/// Finds a bug that affects an in-place conversion of a table. `None` if the server's version has
/// no such bug, or if no unique index has a converted column whose bytes stay the same (ascii
/// aside).
pub fn find_server_fault(job: &Job<'_>, table: &TableJob<'_>) -> Option<ServerFault> {
    let version = job.facts.server.version_number();
    let keeps_bytes = |conversion: &Conversion<'_>| {
        let to = conversion.planned_target().charset();
        conversion.source_charset.zip(to).is_some_and(|(from, to)| is_subset(from, to) && from != Charset::Ascii)
    };
    let is_in_place = table
        .unique_indexes()
        .any(|index| index.parts.iter().filter_map(|part| table.conversion(part.column.as_deref()?)).any(keeps_bytes));
    if !is_in_place {
        return None;
    }
    match job.facts.server.flavour {
        Flavour::MariaDb if misses_duplicates(version) => Some(ServerFault {
            name: "MDEV-26294",
            effect: "an in-place conversion of a unique key doesn't notice duplicates",
        }),
        Flavour::MySql if keeps_old_order(version) => Some(ServerFault {
            name: "MySQL bug 97103",
            effect: "a unique index keeps its old order until the server is restarted",
        }),
        _ => None,
    }
}

/// True for versions with MDEV-26294: those that convert unique keys in place (from 10.4.3 on) and
/// precede a fix, according to the release notes.
fn misses_duplicates(version: Version) -> bool {
    let fixed = [(4, 26), (5, 17), (6, 9), (7, 5), (8, 4), (9, 2)];
    version.major == 10
        && fixed.iter().any(|&(minor, patch)| version.minor == minor && version.patch < patch)
        && version >= Version::new(10, 4, 3)
}

/// True for versions taken to have MySQL bug 97103. 8.0.12 refuses to convert in place.
fn keeps_old_order(version: Version) -> bool {
    version >= Version::new(8, 0, 13) && version <= Version::new(8, 0, 19)
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        findings.extend(find_unwritable_collations(job, table));
        if let Some(fault) = find_server_fault(job, table) {
            let mut finding = table_finding(&CHECK, Severity::Warning, table, &job.targets[0]);
            finding.details.count = 1;
            finding.what = format!("{} in {}: {}", fault.name, job.facts.server.version, fault.effect);
            finding.why = "unique indexes could hold duplicates, or not find their rows".into();
            finding.action = "the plan asks for ALGORITHM=COPY; upgrading the server first is better".into();
            finding.details.in_plan = true;
            findings.push(finding);
        }
    }
    findings
}

/// Returns the error of a table whose generated columns need collations that one ALTER cannot give.
fn find_unwritable_collations(job: &Job<'_>, table: &TableJob<'_>) -> Option<Finding> {
    let targets = generated_targets(job, table);
    let [first, .., last] = targets[..] else { return None };
    let mut finding = table_finding(&CHECK, Severity::Error, table, &job.targets[0]);
    finding.details.count = targets.len() as u64;
    finding.what = format!("its generated columns need {} collations, {first} and {last}", targets.len());
    finding.why =
        format!("{} takes no COLLATE for them, and ALTER TABLE ends with error 1064", job.facts.server.version);
    finding.action = "drop one of them and create it again after the conversion, under another default of the table; or --all-columns".into();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_release_notes() {
        for (version, is_faulty) in [
            ((10, 4, 2), false),
            ((10, 4, 25), true),
            ((10, 4, 26), false),
            ((10, 6, 8), true),
            ((10, 11, 0), false),
            ((11, 4, 5), false),
        ] {
            let (major, minor, patch) = version;
            assert_eq!(misses_duplicates(Version::new(major, minor, patch)), is_faulty, "{version:?}");
        }
    }

    #[test]
    fn versions_that_refuse_in_place_conversions_are_sound() {
        assert!(!keeps_old_order(Version::new(8, 0, 12)));
        assert!(keeps_old_order(Version::new(8, 0, 17)));
        assert!(!keeps_old_order(Version::new(9, 7, 4)));
    }
}
