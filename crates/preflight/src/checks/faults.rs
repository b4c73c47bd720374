//! Known faults of the server's version that the plan would meet.

use mysql_collation::Charset;
use server::{Flavour, Version};

use super::{Check, Run, finding};
use crate::job::{Job, TableJob};
use crate::model::{Finding, Severity};
use crate::text::is_subset;

pub const CHECK: Check = Check {
    name: "server-fault",
    summary: "known faults of this version of the server that a conversion would meet",
    explain: "MDEV-26294: MariaDB before 10.4.26, 10.5.17, 10.6.9, 10.7.5, 10.8.4 and 10.9.2 converts a unique key in place without \
              noticing duplicates (versions: MariaDB's release notes). MySQL bug 97103: a unique index keeps its old order until the server is \
              restarted; reported for 8.0.17 and closed in December 2019 without naming the release that mends it, so 8.0.0 to 8.0.19 \
              are taken to have it. For both the plan asks for ALGORITHM=COPY.",
    run: Run::Facts(run),
};

/// The fault that a table's conversion would meet if it were done in place.
pub fn fault(job: &Job<'_>, table: &TableJob<'_>) -> Option<(&'static str, &'static str)> {
    let version = job.facts.server.number();
    let keeps_bytes = |conversion: &crate::job::Conversion<'_>| {
        let to = conversion.planned().charset();
        conversion.source.zip(to).is_some_and(|(from, to)| is_subset(from, to) && from != Charset::Ascii)
    };
    let in_place = table
        .unique_indexes()
        .any(|index| index.parts.iter().filter_map(|part| table.conversion(part.column.as_deref()?)).any(keeps_bytes));
    if !in_place {
        return None;
    }
    match job.facts.server.flavour {
        Flavour::MariaDb if misses_duplicates(version) => {
            Some(("MDEV-26294", "an in-place conversion of a unique key doesn't notice duplicates"))
        }
        Flavour::MySql if version >= Version::new(8, 0, 0) && version <= Version::new(8, 0, 19) => {
            Some(("MySQL bug 97103", "a unique index keeps its old order until the server is restarted"))
        }
        _ => None,
    }
}

/// MDEV-26294, by the release notes of those that mend it.
fn misses_duplicates(version: Version) -> bool {
    let fixed = [(4, 26), (5, 17), (6, 9), (7, 5), (8, 4), (9, 2)];
    version.major == 10
        && fixed.iter().any(|&(minor, patch)| version.minor == minor && version.patch < patch)
        && version >= Version::new(10, 4, 3)
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        if let Some((fault, what)) = fault(job, table) {
            let mut one = finding(&CHECK, Severity::Warning, table, &job.targets[0]);
            one.count = 1;
            one.what = format!("{fault} in {}: {what}", job.facts.server.version);
            one.why = "unique indexes could hold duplicates, or not find their rows".into();
            one.todo = "the plan asks for ALGORITHM=COPY; upgrading the server first is better".into();
            one.in_plan = true;
            found.push(one);
        }
    }
    found
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
}
