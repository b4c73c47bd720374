//! Default values with `?`, which servers print for characters beyond U+FFFF, too.

use server::Flavour;

use super::Check;
use super::common::{Draft, column_name};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "four-byte-default",
    title: "defaults that the server prints with a question mark: a character beyond U+FFFF doesn't survive a dump",
    reads: &[Reading::Schemas],
    doc: "\
Servers keep and print metadata in utf8mb3. A DEFAULT with an emoji works, but information_schema shows `?` for it, and so do SHOW CREATE TABLE and dumps. MySQL 8 and later prints the bytes of plain defaults there (tried on MySQL 5.6 and 9.7, MariaDB 10.11 and 11.8). \
A restored table, or one whose MODIFY was written from that output, has a question mark for a default. A `?` may be meant, so this is a note. Expressions (generated columns, CHECK, functional indexes) and members of ENUM and SET are printed with `?` on all servers; they aren't checked here. Comments lose such characters when they are \
written, so there is nothing left to find. What to do: look at DEFAULT(column) of a row; set the default again after a dump or a MODIFY. From: MySQL bug 110291.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let source = match input.facts.server.flavour {
        Flavour::MySql if input.facts.server.version_number().major >= 8 => "information_schema shows",
        _ => "information_schema and SHOW CREATE TABLE show",
    };
    let columns = input.facts.columns().filter(|(_, column)| column.charset.is_some());
    let doubtful = columns.filter(|(_, column)| column.default.as_deref().is_some_and(|default| default.contains('?')));
    doubtful
        .map(|(table, column)| {
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Column,
                name: column_name(table, column),
                what: format!("its default prints as {}", column.default.as_deref().unwrap_or("")),
                why: format!(
                    "{source} ? for a character beyond U+FFFF; a dump or a MODIFY made from it loses the character."
                ),
                action: "Compare with DEFAULT(column) of a row; set the default again after a dump or a MODIFY.".into(),
            }
            .into_finding(CHECK.name)
        })
        .collect()
}
