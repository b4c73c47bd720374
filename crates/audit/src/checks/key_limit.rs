//! Indexes near the limit.

use facts::{Index, Table};
use rules::charset::max_bytes;
use rules::keys;

use super::common::{Draft, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "key-limit",
    title: "indexes whose keys would be too long in utf8mb4",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
A part of an InnoDB index may have 767 bytes in row formats COMPACT and REDUNDANT, 3072 in DYNAMIC and COMPRESSED (before MySQL 5.7.7 and MariaDB 10.2.2 only with `innodb_large_prefix`), all parts together 3072; less with smaller pages. \
MyISAM: 1000, Aria: 2300. A character of utf8mb4 counts four bytes: 191 characters are the most of 767. Told are indexes that would not fit once their text columns are utf8mb4: CONVERT fails with error 1071, or in \
non-strict mode cuts the prefix. What to do: ROW_FORMAT=DYNAMIC first, a shorter column, or a prefix; a unique index on a prefix refuses values that were different before. \
From: laravel #23189, ibexa/documentation-developer #241; MySQL manual, \"InnoDB Limits\".",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        let Some(limits) = keys::limits(&evidence.facts.server, table) else { continue };
        for index in table.indexes.iter().filter(|index| keys::has_limits(index)) {
            findings.extend(of_index(table, index, limits));
        }
    }
    findings
}

fn of_index(table: &Table, index: &Index, limits: keys::KeyLimits) -> Option<Finding> {
    let now =
        keys::part_bytes(table, index, |column| u64::from(column.charset.as_deref().and_then(max_bytes).unwrap_or(1)));
    // ascii is kept on purpose, and wider character sets stay.
    let then = keys::part_bytes(table, index, |column| match column.charset.as_deref() {
        Some("ascii" | "binary") | None => 1,
        Some(_) => 4,
    });
    let widest = then.iter().copied().max().unwrap_or(0);
    let whole: u64 = then.iter().sum();
    if widest <= limits.part && whole <= limits.whole {
        return None;
    }
    let (bytes, limit) = if widest > limits.part { (widest, limits.part) } else { (whole, limits.whole) };
    let dynamic = limits.part < limits.whole && whole <= limits.whole && widest <= limits.whole;
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Index,
            name: format!("{}.{}", table_name(table), index.name),
            what: format!("{} bytes now, {bytes} in utf8mb4, {limit} are allowed", now.iter().sum::<u64>()),
            why: "CONVERT TO CHARACTER SET utf8mb4 fails with error 1071, or shortens the index in non-strict mode.".into(),
            action: if dynamic {
                "Change the table to ROW_FORMAT=DYNAMIC first.".into()
            } else {
                "Shorten the column or index a prefix; check that a unique index still tells its rows apart (weigh preflight).".into()
            },
        }
        .of(CHECK.name),
    )
}
