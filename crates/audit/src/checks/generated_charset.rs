//! Generated columns that keep a session's character set.

use super::common::{Draft, column_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::sql::{Mention, mentions};

pub(super) static CHECK: Check = Check {
    name: "generated-charset",
    title: "generated columns that keep the character set of the session that created them",
    reads: &[Reading::Schemas],
    doc: "\
A literal in a generated column's expression is stored with an introducer of the session's character set (`_latin1'x'`), so the expression depends on who created the table, and a dump that is restored by another client differs. After a \
conversion the expression stays as it was and can fail with error 1267 or 3988. Told are introducers of a character set other than the column's. What to do: DROP and ADD the column, or MODIFY it, in a session with SET NAMES utf8mb4. \
From: mushroom-observer #4625; MySQL bug 92741.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (table, column) in evidence.facts.columns() {
        let Some(generated) = &column.generated else { continue };
        let own = column.charset.as_deref().map(rules::charset::modern);
        let unlike = mentions(&generated.expression).into_iter().find_map(|mention| match mention {
            Mention::Introducer(charset) if Some(rules::charset::modern(&charset)) != own => Some(charset),
            _ => None,
        });
        let Some(charset) = unlike.filter(|charset| charset != "binary" && own.is_some()) else { continue };
        findings.push(
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Column,
                name: column_name(table, column),
                what: format!("its expression holds a literal in {charset}: {}", generated.expression),
                why: "The literal keeps the character set of the session that created it, whatever the column becomes."
                    .into(),
                action: "MODIFY the column in a session with SET NAMES utf8mb4.".into(),
            }
            .of(CHECK.name),
        );
    }
    findings
}
