//! Columns that are likely joined with a converted one, and keep their collation.

use std::collections::BTreeMap;

use rules::charset::current_collation_name;
use rules::joins::{LikelyJoin, Reach, TableColumn, find_likely_joins};

use super::{Check, CheckFunction};
use crate::finding::{Finding, column_finding};
use crate::job::Job;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "join-partner",
    title: "columns that are likely joined with a converted one, and are left behind",
    reads: &[Reading::Schemas],
    doc: "Columns of one name, or `customer_code` and the `code` of `customers`, in one schema or two, of which one has an index and which \
              have one collation today. If --column, --table or --schema converts only one of them, the join is refused (error 1267) or loses \
              its index. The columns that must be converted together are listed. Foreign keys have a check of their own.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let is_left_behind = |left: TableColumn<'_>, right: TableColumn<'_>| {
        let now = |column: TableColumn<'_>| column.column.collation.as_deref().map(current_collation_name);
        let converted = [left, right].map(|one| new_collation(job, one).is_some());
        now(left) == now(right) && converted[0] != converted[1]
    };
    let joins = find_likely_joins(job.facts, Reach::AllSchemas, &is_left_behind);
    let mut by_column: BTreeMap<(&str, &str, &str), Vec<TableColumn<'_>>> = BTreeMap::new();
    for LikelyJoin { left, right, .. } in joins.into_iter().filter(|join| join.foreign_key.is_none()) {
        let (converted, kept) = if new_collation(job, left).is_some() { (left, right) } else { (right, left) };
        by_column.entry(converted.key()).or_default().push(kept);
    }
    let finding = |((schema, table, column), partners): (_, Vec<TableColumn<'_>>)| {
        let table = job.table(schema, table)?;
        let target = &table.conversion(column)?.planned_target().name;
        let names: Vec<String> =
            partners.iter().map(|one| check::column_name(one.key().0, one.key().1, one.key().2)).collect();
        let kept = partners.first()?.column.collation.clone().unwrap_or_default();
        let mut finding = column_finding(&CHECK, Severity::Warning, table, column, target);
        finding.details.count = partners.len() as u64;
        finding.what = format!("it would have {target}, and {} {kept}", names.join(", "));
        finding.why = "a join of the two is refused then (error 1267), or can lose an index".into();
        finding.action = format!("convert {} and {} together", table.column_name(column), names.join(", "));
        Some(finding)
    };
    by_column.into_iter().filter_map(finding).collect()
}

/// Returns the planned collation of a column. `None` if the plan doesn't convert it.
fn new_collation<'j>(job: &'j Job<'_>, TableColumn { table, column }: TableColumn<'_>) -> Option<&'j str> {
    let conversion = job.table(&table.schema, &table.name)?.conversion(&column.name)?;
    Some(&conversion.planned_target().name)
}
