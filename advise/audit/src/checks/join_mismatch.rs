//! Joins of columns with different collations.

use rules::charset::current_name;

use super::Check;
use super::common::{Draft, refused_key_errors};
use crate::advice::Advice;
use crate::input::{AuditInput, IndexUse, JoinKind, JoinPlans, LookupPlan};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "join-mismatch",
    title: "columns that are likely joined, whose collations refuse the comparison or lose an index",
    reads: &[Reading::Schemas, Reading::Plans],
    doc: "\
Columns of one name, or `customer_code` and the `code` of `customers`, of which one has an index and whose collations differ. \
Each join is explained in each direction that has an index, with the index forced. \
Refused: error 1267, \"Illegal mix of collations\". Lost: the index is scanned from end to end for every row, or every buffer of rows, of the other table \
(warning 1739 of MySQL, note 1105 of MariaDB). Kept: the indexed side has the wider character set, or both have one character set and a side is `_bin`; MariaDB with `optimizer_switch='cset_narrowing=on'` keeps an \
utf8mb3 index under an utf8mb4 comparison, too. Columns such as `name` or `title` are left out. If one side is a unique key, the server refuses a foreign key between the two, too (3780 of MySQL from 8.0.14 on, 1215 before, errno 150 of MariaDB). \
What to do: give both columns one collation. From: owncloud #41367, matomo #22536; MySQL manual, \"Collation Coercibility in Expressions\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let joins = input.joins.iter().filter(|join| join.kind == JoinKind::SameName);
    joins.filter_map(|join| check_join(input, &advice, join)).collect()
}

fn check_join(input: &AuditInput, advice: &Advice<'_>, join: &JoinPlans) -> Option<Finding> {
    let collations = describe_collations(input, join)?;
    let refused = join.lookups.iter().find(|lookup| lookup.usage == IndexUse::Refused);
    let lost: Vec<&LookupPlan> = join.lookups.iter().filter(|lookup| lookup.usage == IndexUse::Lost).collect();
    let (severity, what, why) = match (refused, lost.first()) {
        (Some(_), _) => (
            Severity::Error,
            format!("{collations}: the server refuses to compare them (error 1267)"),
            "Any statement that compares them fails.".to_owned(),
        ),
        (None, Some(first)) => {
            let rows = row_estimate(input, first);
            let cost = match rows {
                Some(rows) => format!(
                    "Each look-up reads all of it, about {} entries, instead of a few.",
                    message::group_thousands(rows)
                ),
                None => "Each look-up reads all of it.".to_owned(),
            };
            (Severity::Warning, format!("{collations}: {}", describe_lookups(&lost, "is lost")), cost)
        }
        (None, None) => {
            let kept: Vec<&LookupPlan> = join.lookups.iter().filter(|lookup| lookup.usage == IndexUse::Kept).collect();
            if kept.is_empty() {
                return None;
            }
            (
                Severity::Note,
                format!("{collations}: {}", describe_lookups(&kept, "is used all the same")),
                explain_kept(input, join),
            )
        }
    };
    let why = format!("{why}{}", refuse_foreign_key(input, join).unwrap_or_default());
    Some(
        Draft {
            severity,
            kind: ObjectKind::Columns,
            name: format!("{} = {}", join.left, join.right),
            what,
            why,
            action: advise(advice, join),
        }
        .into_finding(CHECK.name),
    )
}

fn advise(advice: &Advice<'_>, join: &JoinPlans) -> String {
    let Some(collation) = advice.joined(&join.left) else {
        return format!("Give {} and {} one collation, if both hold text.", join.left, join.right);
    };
    let columns: Vec<String> = advice.to_convert(&[&join.left, &join.right]).iter().map(ToString::to_string).collect();
    format!("Convert {} to {collation} (weigh preflight).", columns.join(" and "))
}

/// Says what a join costs although it keeps its index.
fn explain_kept(input: &AuditInput, join: &JoinPlans) -> String {
    let charset = |column: &crate::ColumnRef| find_column(input, column)?.charset.as_deref();
    let sides = [&join.left, &join.right].map(|column| charset(column).map(current_name));
    let looks_up_utf8mb3 = join.lookups.iter().any(|lookup| {
        lookup.usage == IndexUse::Kept && charset(&lookup.indexed_column).map(current_name) == Some("utf8mb3")
    });
    let cost = if sides[0] == sides[1] {
        "Both are compared by the collation that ends in _bin."
    } else if looks_up_utf8mb3 && sides.contains(&Some("utf8mb4")) {
        "To look up the utf8mb3 side, every value of the other is converted to utf8mb3 (cset_narrowing)."
    } else {
        "Every value of the narrower side is converted before it is compared."
    };
    let is_indexed = |column: &crate::ColumnRef| join.lookups.iter().any(|lookup| lookup.indexed_column == *column);
    let without = [&join.left, &join.right].into_iter().find(|column| !is_indexed(column));
    match without {
        Some(column) => format!("{cost} {column} has no index, so the join has one order only."),
        None => cost.to_owned(),
    }
}

/// Says that the server refuses a foreign key from one column to the other. `None` if no unique
/// index is on one of the columns alone.
fn refuse_foreign_key(input: &AuditInput, join: &JoinPlans) -> Option<String> {
    let is_key = |column: &&crate::ColumnRef| {
        input.facts.table(&column.schema, &column.table).is_some_and(|table| {
            table.indexes.iter().any(|index| {
                index.unique
                    && matches!(index.parts.as_slice(), [part] if part.column.as_deref() == Some(column.column.as_str()))
            })
        })
    };
    let parent = [&join.left, &join.right].into_iter().find(is_key)?;
    let code = refused_key_errors(&input.facts.server).create;
    Some(format!(" A foreign key to {parent} is refused, too (error {code})."))
}

fn find_column<'a>(input: &'a AuditInput, column: &crate::ColumnRef) -> Option<&'a facts::Column> {
    input.facts.table(&column.schema, &column.table)?.column(&column.column)
}

fn describe_collations(input: &AuditInput, join: &JoinPlans) -> Option<String> {
    let collation = |column: &crate::ColumnRef| {
        Some(find_column(input, column)?.collation.clone().unwrap_or_else(|| "binary".into()))
    };
    Some(format!("{} and {}", collation(&join.left)?, collation(&join.right)?))
}

/// Returns the server's estimate of the rows in the looked-up table.
fn row_estimate(input: &AuditInput, lookup: &LookupPlan) -> Option<u64> {
    input.facts.table(&lookup.indexed_column.schema, &lookup.indexed_column.table)?.rows
}

/// Returns `index by_code of shop.parts is lost (1739)` for each lookup.
fn describe_lookups(lookups: &[&LookupPlan], what: &str) -> String {
    let descriptions = lookups.iter().map(|lookup| {
        let code = lookup.warnings.first().map(|warning| format!(" ({})", warning.code)).unwrap_or_default();
        let table = check::table_name(&lookup.indexed_column.schema, &lookup.indexed_column.table);
        format!("index {} of {table} {what}{code}", lookup.index)
    });
    descriptions.collect::<Vec<_>>().join(", ")
}
