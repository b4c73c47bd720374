//! Joins of columns of different collations.

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::{Evidence, IndexUse, JoinKind, JoinProof, Probe};
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "join-mismatch",
    title: "columns that are likely joined, whose collations refuse the comparison or lose an index",
    reads: &[Reading::Schemas, Reading::Plans],
    doc: "\
Columns of one name, or `customer_code` and the `code` of `customers`, of which one has an index and whose collations differ. \
Each comparison is put to the server by EXPLAIN, from each side that has an index, with the index forced: what is told is what the server answers. \
Refused: error 1267, \"Illegal mix of collations\". Lost: the index is read from end to end for every row of the other table \
(warning 1739 of MySQL, note 1105 of MariaDB). Kept where the indexed side is the wider one; MariaDB with `optimizer_switch='cset_narrowing=on'` keeps an \
utf8mb3 index under an utf8mb4 comparison, too. Columns such as `name` or `title` are left out. \
What to do: give both columns one collation. From: owncloud #41367, matomo #22536; MySQL manual, \"Collation Coercibility in Expressions\".",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let joins = evidence.joins.iter().filter(|join| join.kind == JoinKind::SameName);
    joins.filter_map(|join| finding(evidence, join)).collect()
}

fn finding(evidence: &Evidence, join: &JoinProof) -> Option<Finding> {
    let collations = collations(evidence, join)?;
    let refused = join.probes.iter().find(|probe| probe.usage == IndexUse::Refused);
    let lost: Vec<&Probe> = join.probes.iter().filter(|probe| probe.usage == IndexUse::Lost).collect();
    let (severity, what, why) = match (refused, lost.first()) {
        (Some(_), _) => (
            Severity::Error,
            format!("{collations}: the server refuses to compare them (error 1267)"),
            "Any statement that compares them fails.".to_owned(),
        ),
        (None, Some(first)) => {
            let rows = rows(evidence, first);
            let cost = match rows {
                Some(rows) => format!("Each look-up reads all of it, about {rows} entries, instead of a few."),
                None => "Each look-up reads all of it.".to_owned(),
            };
            (Severity::Warning, format!("{collations}: {}", told(&lost, "is lost")), cost)
        }
        (None, None) => {
            let kept: Vec<&Probe> = join.probes.iter().filter(|probe| probe.usage == IndexUse::Kept).collect();
            if kept.is_empty() {
                return None;
            }
            let why = "Every value of the narrower side is converted before it is compared, and the other direction has no index to use.";
            (Severity::Note, format!("{collations}: {}", told(&kept, "is used all the same")), why.to_owned())
        }
    };
    Some(
        Draft {
            severity,
            kind: ObjectKind::Columns,
            name: format!("{} = {}", join.left, join.right),
            what,
            why,
            action: "Give both columns the same character set and collation.".to_owned(),
        }
        .of(CHECK.name),
    )
}

fn collations(evidence: &Evidence, join: &JoinProof) -> Option<String> {
    let of = |column: &crate::ColumnRef| {
        let column = evidence.facts.table(&column.schema, &column.table)?.column(&column.column)?;
        Some(column.collation.clone().unwrap_or_else(|| "binary".into()))
    };
    Some(format!("{} and {}", of(&join.left)?, of(&join.right)?))
}

/// Rows of the table that a probe looks up.
fn rows(evidence: &Evidence, probe: &Probe) -> Option<u64> {
    evidence.facts.table(&probe.indexed.schema, &probe.indexed.table)?.rows
}

fn told(probes: &[&Probe], what: &str) -> String {
    let each = probes.iter().map(|probe| {
        let code = probe.warnings.first().map(|warning| format!(" ({})", warning.code)).unwrap_or_default();
        format!("index {} of {}.{} {what}{code}", probe.index, probe.indexed.schema, probe.indexed.table)
    });
    each.collect::<Vec<_>>().join(", ")
}
