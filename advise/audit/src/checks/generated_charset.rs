//! Character sets of literals in generated columns.

use facts::Column;
use rules::encoding::{EncodingVerdict, classify};

use super::Check;
use super::common::{Draft, column_name};
use crate::input::AuditInput;
use crate::mentions::{Mention, find_mentions};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "generated-charset",
    title: "generated columns whose literals have the character set of another session",
    reads: &[Reading::Schemas],
    doc: "\
A literal in a generated column's expression is stored with an introducer of the session's character set (`_latin1'x'`), and an ALTER TABLE by a session of another one changes it (tried on MySQL 8.0 and 9.7), so the expression depends on who created or last altered the table. \
A MODIFY that writes such an introducer out keeps it, and can fail with error 1267 or 3988. Reports introducers of a character set other than the column's, and double-encoded text. MariaDB doesn't keep introducers (10.11 and 11.8 print \
`concat(a,'x')` for `CONCAT(a, _latin1'x')`), so there only double-encoded text is detected. What to do: MODIFY the column in a session with SET NAMES utf8mb4, with the literal as it is meant and without an introducer. \
From: mushroom-observer #4625; MySQL bug 92741.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (table, column) in input.facts.columns() {
        let Some(LiteralFault { what, why, action }) =
            column.generated.as_ref().and_then(|generated| describe_literals(column, &generated.expression))
        else {
            continue;
        };
        findings.push(
            Draft {
                severity: Severity::Note,
                kind: ObjectKind::Column,
                name: column_name(table, column),
                what,
                why: why.into(),
                action,
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}

/// A fault of the literals in a generated column's expression.
struct LiteralFault {
    what: String,
    why: &'static str,
    action: String,
}

/// Describes the first literal whose introducer names another character set than the column's,
/// `binary` excepted. Without one, describes a double-encoded expression. `None` if the expression
/// has neither fault, or the column is not text.
fn describe_literals(column: &Column, expression: &str) -> Option<LiteralFault> {
    let own = rules::charset::current_name(column.charset.as_deref()?);
    let introduced = find_mentions(expression).into_iter().find_map(|mention| match mention {
        Mention::Introducer(charset) if charset != "binary" && rules::charset::current_name(&charset) != own => {
            Some(charset)
        }
        _ => None,
    });
    match introduced {
        Some(charset) => Some(LiteralFault {
            what: format!("its expression holds a literal in {charset}: {expression}"),
            why: "It has the character set of the session that created or last altered the table, and gets that of the next session that alters it.",
            action: format!(
                "MODIFY the column in a session with SET NAMES utf8mb4, and write the literal without _{charset}."
            ),
        }),
        None if matches!(classify(expression), EncodingVerdict::Double(_)) => Some(LiteralFault {
            what: format!("its expression holds text that is encoded twice: {expression}"),
            why: "The session that created it had another character set than its text: the column's values have the wrong characters.",
            action: "MODIFY the column in a session with SET NAMES utf8mb4, with the right text in the expression."
                .into(),
        }),
        None => None,
    }
}
