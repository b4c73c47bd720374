//! Views that lose an index to a conversion.

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "view-index",
    title: "views that lose an index to a conversion of character sets, or are refused",
    reads: &[Reading::Programs, Reading::Plans],
    doc: "\
Every view is put to EXPLAIN. Told are warning 1739 of MySQL and note 1105 of MariaDB (10.6.16, 10.11.6 and later), which say that an index cannot be used because a \
column is converted, error 1267, and views that are invalid. MySQL 5.6 writes no warning for joins, so there only refusals are seen. What to do: give the columns that \
the view compares one collation, or write COLLATE or CONVERT on the side without index.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let proofs = evidence.views.iter().filter(|proof| !proof.warnings.is_empty());
    proofs
        .map(|proof| {
            let first = &proof.warnings[0];
            let refused = !matches!(first.code, 1739 | 1105);
            let (severity, why, action) = if refused {
                (
                    Severity::Error,
                    "Every statement that uses the view fails.",
                    "Mend what the view compares, and create it anew.",
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
                name: format!("{}.{}", proof.schema, proof.name),
                what: format!("{} ({})", first.message, first.code),
                why: why.into(),
                action: action.into(),
            }
            .of(CHECK.name)
        })
        .collect()
}
