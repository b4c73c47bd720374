//! Indexes that would exceed the limits of key lengths in utf8mb4.

use facts::{Index, RowFormat, Table};
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
A part of an InnoDB index may have 767 bytes in row formats COMPACT and REDUNDANT, 3072 in DYNAMIC and COMPRESSED (on MySQL 5.6, 5.7 and MariaDB before 10.3 only with `innodb_large_prefix`, which is off by default before MySQL 5.7.7 and MariaDB 10.2.2), all parts together 3072; less with pages below 16 KiB. \
MyISAM: 1000. Aria: 2300 (2000 in MariaDB 10.5, 1000 before). A character of utf8mb4 counts four bytes: 767 bytes are at most 191 characters. Reports indexes that would not fit once their text columns, except ascii ones, are utf8mb4. \
CONVERT then fails with error 1071, 1709 or 3886; or shortens an index that is not unique to a prefix, on MySQL in non-strict mode, on MariaDB from 10.5 on in any mode; or, in InnoDB and MyISAM of MariaDB from 10.4 on, makes a unique index a hash index. \
What to do: `innodb_large_prefix` or ROW_FORMAT=DYNAMIC first (on MySQL 5.6 and MariaDB before 10.3 after `innodb_file_format` and `innodb_file_per_table`), a shorter column, or a prefix; a unique index on a prefix refuses values that differ only after the prefix. \
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
    let outcome = keys::judge_length(&input.facts.server, table, index, &then)?;
    let total: u64 = then.iter().sum();
    // Reports the first part that is too long, or else the sum of all parts.
    let too_long = then.iter().position(|bytes| *bytes > limits.max_part_bytes);
    let (before, bytes, limit, what) = match too_long {
        Some(part) => (now[part], then[part], limits.max_part_bytes, "a part"),
        None => (now.iter().sum(), total, limits.max_key_bytes, "all parts together"),
    };
    let allows_longer_parts = limits.max_part_bytes < limits.max_key_bytes && total <= limits.max_key_bytes;
    Some(
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Index,
            name: format!("{}.{}", table_name(table), index.name),
            what: format!("{what}: {before} bytes now, {bytes} in utf8mb4, {limit} are allowed"),
            why: format!("CONVERT TO CHARACTER SET utf8mb4 {}.", outcome.describe()),
            action: if allows_longer_parts {
                advise_longer_parts(input, table)
            } else {
                "Shorten the column or index a prefix; check that a unique index still tells its rows apart (weigh preflight).".into()
            },
        }
        .into_finding(CHECK.name),
    )
}

/// Advises the statements that allow parts of 3072 bytes, in an order that the server accepts. For
/// tables in DYNAMIC or COMPRESSED, `innodb_large_prefix` suffices.
fn advise_longer_parts(input: &AuditInput, table: &Table) -> String {
    let is_new_format = matches!(table.row_format, RowFormat::Dynamic | RowFormat::Compressed);
    let settings = keys::lacking_settings(&input.facts.server).into_iter();
    let settings = settings.filter(|(name, _)| !is_new_format || *name == "innodb_large_prefix");
    let mut statements: Vec<String> = settings.map(|(name, value)| format!("SET GLOBAL {name} = {value};")).collect();
    let option_file = if statements.is_empty() { "" } else { " Put the settings into the option file, too." };
    if !is_new_format {
        statements.push(format!("ALTER TABLE {} ROW_FORMAT=DYNAMIC;", quote_table(table)));
    }
    format!("First run: {}{option_file}", statements.join(" "))
}
