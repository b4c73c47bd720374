//! Columns of views that the server refuses to compare.

use super::Check;
use super::common::Draft;
use crate::input::{AuditInput, IncomparableColumn, ViewPlan};
use check::{Finding, ObjectKind, Reading, Severity};
use rules::charset::current_collation_name;

pub(super) static CHECK: Check = Check {
    name: "view-column",
    title: "columns of views that cannot be compared: of two collations, or literals with the creator's collation",
    reads: &[Reading::Programs, Reading::Plans, Reading::Activity],
    doc: "\
A view's column that combines columns of two collations (COALESCE, CONCAT, CASE) has no collation (NONE). The view can be read, but WHERE and JOIN on the column fail with error 1267 unless they have COLLATE. MySQL 9.7 compares such a column by the `_bin` collation instead, and refuses it with COLLATE. A column that is a literal has the `collation_connection` of the session that created the view. Comparing it with a literal fails \
for sessions with another collation of the same character set, `_bin` aside. Each text column is compared with a literal of another collation by EXPLAIN. Literals are reported if a live session, or the server's default for new sessions, has such a collation. \
What to do: write COLLATE in the view's expression. MySQL manual, \"Collation Coercibility in Expressions\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let columns = input.views.iter().flat_map(|view| view.weak_columns.iter().map(move |column| (view, column)));
    columns.filter_map(|(view, column)| check_column(input, view, column)).collect()
}

fn check_column(input: &AuditInput, view: &ViewPlan, column: &IncomparableColumn) -> Option<Finding> {
    let has_no_collation = column.refusal.message.contains(",NONE)");
    let (severity, what, why) = if has_no_collation {
        (
            Severity::Error,
            "its expression combines two collations (NONE)".to_owned(),
            "Comparisons of the column with other texts fail with error 1267 unless they have COLLATE, although the view can be read.".to_owned(),
        )
    } else {
        let other = other_collation(input, column)?;
        (
            Severity::Warning,
            format!("a literal with the collation of the view's creator, {}", column.collation),
            format!("Sessions with {other} cannot compare it with their literals: error 1267."),
        )
    };
    let draft = Draft {
        severity,
        kind: ObjectKind::View,
        name: check::column_name(&view.schema, &view.name, &column.name),
        what,
        why,
        action: "Write COLLATE after the expression in the view's SELECT, and run it as CREATE OR REPLACE VIEW.".into(),
    };
    Some(draft.into_finding(CHECK.name))
}

/// Returns a collation of sessions that cannot compare a literal of theirs with the column, which
/// is a literal, too: another one of the character set. A `_bin` collation wins without an error.
fn other_collation<'a>(input: &'a AuditInput, column: &IncomparableColumn) -> Option<&'a str> {
    let own = current_collation_name(&column.collation);
    let charset = rules::charset::collation_charset(&own);
    let default = input.facts.server.handshake.as_ref().map(|handshake| handshake.collation.as_str());
    let live = input.facts.sessions.iter().filter_map(|session| session.collation.as_deref());
    live.chain(default).find(|name| {
        let name = current_collation_name(name);
        name != own && !name.ends_with("_bin") && rules::charset::collation_charset(&name) == charset
    })
}
