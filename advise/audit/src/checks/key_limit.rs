//! Indexes that exceed the limit of key lengths in utf8mb4.

use facts::{Index, Table};
use rules::charset::max_bytes;
use rules::keys;

use super::Check;
use super::common::{Draft, quote_table, table_name};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "key-limit",
    title: "indexes whose keys would be too long in utf8mb4",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
A part of an InnoDB index may have 767 bytes in row formats COMPACT and REDUNDANT, 3072 in DYNAMIC and COMPRESSED (before MySQL 5.7.7 and MariaDB 10.2.2 only with `innodb_large_prefix`), all parts together 3072; less with smaller pages. \
MyISAM: 1000, Aria: 2300. A character of utf8mb4 counts four bytes: 767 bytes are at most 191 characters. Reports indexes that would not fit once their text columns are utf8mb4: CONVERT fails with error 1071, or in \
non-strict mode shortens the prefix; InnoDB and MyISAM of MariaDB 10.4 make a unique index a hash index. What to do: ROW_FORMAT=DYNAMIC first (on MySQL 5.6, 5.7 and MariaDB before 10.3 after `innodb_file_format`, `innodb_file_per_table` and `innodb_large_prefix`), a shorter column, or a prefix; a unique index on a prefix refuses values that were different before. \
From: laravel #23189, ibexa/documentation-developer #241; MySQL manual, \"InnoDB Limits\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        let Some(limits) = keys::find_limits(&input.facts.server, table) else { continue };
        for index in table.indexes.iter().filter(|index| keys::has_limits(index)) {
            findings.extend(check_index(input, table, index, limits));
        }
    }
    findings
}

fn check_index(input: &AuditInput, table: &Table, index: &Index, limits: keys::KeyLimits) -> Option<Finding> {
    let now =
        keys::part_bytes(table, index, |column| u64::from(column.charset.as_deref().and_then(max_bytes).unwrap_or(1)));
    // ascii columns count 1 byte per character: `weigh preflight` keeps them in ascii by default.
    let then = keys::part_bytes(table, index, |column| match column.charset.as_deref() {
        Some("ascii" | "binary") | None => 1,
        Some(_) => 4,
    });
    let widest = then.iter().copied().max().unwrap_or(0);
    let total: u64 = then.iter().sum();
    if widest <= limits.max_part_bytes && total <= limits.max_key_bytes {
        return None;
    }
    // Reports the first part that is too long, or else the sum of all parts.
    let too_long = then.iter().position(|bytes| *bytes > limits.max_part_bytes);
    let (before, bytes, limit, what) = match too_long {
        Some(part) => (now[part], then[part], limits.max_part_bytes, "a part"),
        None => (now.iter().sum(), total, limits.max_key_bytes, "all parts together"),
    };
    let dynamic_helps = limits.max_part_bytes < limits.max_key_bytes && total <= limits.max_key_bytes;
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Index,
            name: format!("{}.{}", table_name(table), index.name),
            what: format!("{what}: {before} bytes now, {bytes} in utf8mb4, {limit} are allowed"),
            why: if keys::becomes_hash(&input.facts.server, table, index) {
                "CONVERT TO CHARACTER SET utf8mb4 makes it a hash index, which keeps values unique and serves no search."
                    .into()
            } else {
                "CONVERT TO CHARACTER SET utf8mb4 fails with error 1071, or shortens the index in non-strict mode.".into()
            },
            action: if dynamic_helps {
                longer_keys(input, table)
            } else {
                "Shorten the column or index a prefix; check that a unique index still tells its rows apart (weigh preflight).".into()
            },
        }
        .into_finding(CHECK.name),
    )
}

/// Returns the statements that allow parts of 3072 bytes, in the order that works. Without the
/// settings, MySQL 5.6 and 5.7 and MariaDB before 10.3 refuse ROW_FORMAT=DYNAMIC or make the table
/// COMPACT.
fn longer_keys(input: &AuditInput, table: &Table) -> String {
    let server = &input.facts.server;
    let mut statements = Vec::new();
    if server.variable("innodb_file_format").is_some_and(|format| !format.eq_ignore_ascii_case("barracuda")) {
        statements.push("SET GLOBAL innodb_file_format = Barracuda;".to_owned());
    }
    for name in ["innodb_file_per_table", "innodb_large_prefix"] {
        if server.variable(name).is_some() && !server.is_on(name) {
            statements.push(format!("SET GLOBAL {name} = ON;"));
        }
    }
    let kept = if statements.is_empty() { "" } else { " Put the settings into the option file, too." };
    statements.push(format!("ALTER TABLE {} ROW_FORMAT=DYNAMIC;", quote_table(table)));
    format!("First run: {}{kept}", statements.join(" "))
}
