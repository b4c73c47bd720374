//! Views that lose an index to a conversion, or that the server refuses.

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};
use server::error_code;

pub(super) static CHECK: Check = Check {
    name: "view-index",
    title: "views that lose an index to a conversion of character sets, or are refused",
    reads: &[Reading::Programs, Reading::Plans],
    doc: "\
Explains every view. Reports warning 1739 of MySQL and note 1105 of MariaDB (10.6.16, 10.11.6 and later), which say that an index cannot be used because a \
column is converted, error 1267, and views that are invalid. Then explains the view's text without each CONVERT(column USING …) and COLLATE in it: the servers don't warn of an index that these lose. MySQL 5.6 writes no warning for joins, so there only refusals and these conversions are reported. What to do: give the columns that \
the view compares one collation, or write COLLATE or CONVERT on the side without index.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let plans = input.views.iter().filter(|plan| !plan.warnings.is_empty());
    let losses = input.views.iter().flat_map(|plan| plan.index_losses.iter().map(move |loss| (plan, loss)));
    let losses = losses.map(|(plan, loss)| {
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::View,
            name: check::table_name(&plan.schema, &plan.name),
            what: format!("{} in its text keeps the server from looking up an index of {}", loss.clause, loss.table),
            why: "The table is read from end to end where the index would find a few rows.".into(),
            action: "Give the columns that are compared one collation, and create the view without the conversion; or convert the other side.".into(),
        }
        .into_finding(CHECK.name)
    });
    plans
        .map(|plan| {
            let first = &plan.warnings[0];
            let refused = !matches!(first.code, error_code::WARN_INDEX_NOT_APPLICABLE | error_code::UNKNOWN_ERROR);
            let (severity, why, action) = if refused {
                (
                    Severity::Error,
                    "Every statement that uses the view fails.",
                    "Fix the comparison in the view, and create it again.",
                )
            } else {
                (
                    Severity::Warning,
                    "The table is read from end to end where the index would find a few rows.",
                    "Give the columns that are compared one collation.",
                )
            };
            Draft {
                severity,
                kind: ObjectKind::View,
                name: check::table_name(&plan.schema, &plan.name),
                what: format!("{} ({})", first.message, first.code),
                why: why.into(),
                action: action.into(),
            }
            .into_finding(CHECK.name)
        })
        .chain(losses)
        .collect()
}
