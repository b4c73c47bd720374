//! Plans of statements.

use std::collections::BTreeMap;

use server::Flavour;

use crate::Error;
use crate::copy::{Copy, Place, Refusal, Results};
use crate::model::{PlanFigures, TableAccess};

/// A plan with its warnings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub figures: PlanFigures,
    /// Messages 1739 of MySQL and "Cannot use key" of MariaDB.
    pub warnings: Vec<String>,
    /// True if a lookup by a unique key found no row, so that the plan has no tables.
    pub is_empty_lookup: bool,
}

impl Copy<'_> {
    /// Explains a statement in its place. The inner error is the server's refusal.
    pub fn explain(&mut self, place: &Place, statement: &str) -> Result<Result<Plan, Refusal>, Error> {
        let format = if self.flavour == Flavour::MySql { "FORMAT=TRADITIONAL " } else { "" };
        let asked = [format!("EXPLAIN {format}{statement}"), "SHOW WARNINGS".to_owned()];
        Ok(self.ask(place, &asked)?.map(|results| read_plan(&results)))
    }
}

pub(crate) fn read_plan(results: &Results) -> Plan {
    let mut plan = Plan::default();
    let mut parts: BTreeMap<String, u64> = BTreeMap::new();
    for row in results.iter().flatten() {
        let value = |name: &str| row.get(name).cloned().flatten();
        if let Some(message) = value("Message") {
            let is_index = value("Code").as_deref() == Some("1739") || message.starts_with("Cannot use key");
            if is_index && !plan.warnings.contains(&message) {
                plan.warnings.push(message);
            }
            continue;
        }
        if !row.contains_key("select_type") {
            continue;
        }
        let extra = value("Extra").unwrap_or_default();
        plan.is_empty_lookup |= extra.contains("const table");
        let rows = value("rows").and_then(|rows| rows.parse().ok());
        if let (Some(table), Some(rows)) = (value("table"), rows) {
            let product = parts.entry(value("id").unwrap_or_default()).or_insert(1);
            *product = product.saturating_mul(rows);
            plan.figures.tables.push(TableAccess {
                table,
                access: value("type").unwrap_or_default(),
                key: value("key"),
                key_len: value("key_len"),
                extra,
                rows,
            });
        }
    }
    plan.figures.rows = parts.values().fold(0, |sum: u64, rows| sum.saturating_add(*rows));
    plan
}

/// Tables that a lookup by an index reads in `after` and that were scanned, or looked up by a
/// shorter key, in `before`.
pub fn gained_lookups<'p>(before: &PlanFigures, after: &'p PlanFigures) -> Vec<&'p TableAccess> {
    let gained = |access: &&TableAccess| {
        let Some(old) = before.tables.iter().find(|old| old.table == access.table) else { return false };
        is_lookup(access) && (!is_lookup(old) || key_bytes(access) > key_bytes(old) && access.rows < old.rows)
    };
    after.tables.iter().filter(gained).collect()
}

fn is_lookup(access: &TableAccess) -> bool {
    matches!(
        access.access.as_str(),
        "const" | "eq_ref" | "ref" | "ref_or_null" | "range" | "system" | "index_subquery" | "unique_subquery"
    )
}

fn key_bytes(access: &TableAccess) -> u64 {
    let sum = |text: &String| text.split(',').filter_map(|part| part.parse::<u64>().ok()).sum();
    access.key_len.as_ref().map_or(0, sum)
}

/// True if `after` reads clearly fewer rows: at most half, and at least ten fewer.
pub fn reads_less(before: &PlanFigures, after: &PlanFigures) -> bool {
    after.rows.saturating_mul(2) <= before.rows && before.rows - after.rows >= 10
}
