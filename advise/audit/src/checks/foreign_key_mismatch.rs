//! Foreign keys between columns of different collations.

use super::Check;
use super::common::{Draft, refused_key_errors};
use crate::advice::Advice;
use crate::input::{AuditInput, IndexUse, JoinKind};
use check::{Finding, ObjectKind, Reading, Severity};
use sql::quote_identifier;

pub(super) static CHECK: Check = Check {
    name: "foreign-key-mismatch",
    title: "foreign keys whose child and parent have different collations",
    reads: &[Reading::Schemas, Reading::Plans],
    doc: "\
A foreign key demands the same character set and collation on both sides (error 3780 of MySQL from 8.0.14 on, 1215 before, errno 150 of MariaDB). With \
`foreign_key_checks=0` the two can come to differ: MySQL lets ALTER convert one side, MariaDB lets a dump create the parent after the child. The next ALTER of either table can fail, and so can the restore of \
a dump. A join of the two may be refused or lose an index. What to do: convert both sides, the key dropped before and added after. From: mattermost #18624, \
civicrm-core #36514; MySQL manual, \"FOREIGN KEY Constraints\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let errors = refused_key_errors(&input.facts.server);
    let mut findings = Vec::new();
    for join in &input.joins {
        let JoinKind::ForeignKey(name) = &join.kind else { continue };
        let collation = |column: &crate::ColumnRef| {
            let column =
                input.facts.table(&column.schema, &column.table).and_then(|table| table.column(&column.column));
            column.and_then(|column| column.collation.clone()).unwrap_or_else(|| "binary".into())
        };
        let plan = match join.lookups.iter().find(|lookup| matches!(lookup.usage, IndexUse::Lost | IndexUse::Refused)) {
            Some(lookup) if lookup.usage == IndexUse::Refused => "; comparing them is refused (error 1267)".to_owned(),
            Some(lookup) => {
                format!("; a join of the two loses index {} of {}", lookup.index, lookup.indexed_column.table)
            }
            None => String::new(),
        };
        let table = sql::quote_table(&join.left.schema, &join.left.table);
        let target = advice.joined(&join.left).unwrap_or("one collation");
        findings.push(
            Draft {
                severity: Severity::Error,
                kind: ObjectKind::ForeignKey,
                name: format!("{}.{}.{name}", join.left.schema, join.left.table),
                what: format!(
                    "{} is {}, {} is {}{plan}",
                    join.left,
                    collation(&join.left),
                    join.right,
                    collation(&join.right)
                ),
                why: format!(
                    "The next ALTER of either table can fail (error {}), and so can the restore of a dump ({}).",
                    errors.alter, errors.create
                ),
                action: format!(
                    "ALTER TABLE {table} DROP FOREIGN KEY {}; give both columns {target}; add the key again.",
                    quote_identifier(name)
                ),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}
