//! Plans of statements.

use std::collections::BTreeMap;

use server::Flavour;
use sql::quote_identifier;

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
    /// True if MIN or MAX is read off an index, so that the plan has no tables.
    pub is_optimized_away: bool,
    /// Tables that are read once per row of another table.
    pub repeated: Vec<String>,
}

impl Copy<'_> {
    /// Explains a statement in its place. The inner error is the server's refusal.
    pub fn explain(&mut self, place: &Place, statement: &str) -> Result<Result<Plan, Refusal>, Error> {
        let (place, statement) = self.bind_trigger_rows(place, statement)?;
        let asked = [explain(self.flavour, &statement), "SHOW WARNINGS".to_owned()];
        Ok(self.ask(&place, &asked)?.map(|results| read_plan(&results)))
    }
}

/// Returns `EXPLAIN` of a statement, which MariaDB answers with the column `filtered` if it is
/// EXTENDED.
pub(crate) fn explain(flavour: Flavour, statement: &str) -> String {
    let format = if flavour == Flavour::MySql { "FORMAT=TRADITIONAL" } else { "EXTENDED" };
    format!("EXPLAIN {format} {statement}")
}

pub(crate) fn read_plan(results: &Results) -> Plan {
    let mut plan = Plan::default();
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
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
        plan.is_optimized_away |= extra.contains("optimized away") || extra.contains("No matching min/max row");
        let rows = value("rows").and_then(|rows| rows.split(' ').next()?.parse().ok());
        // MariaDB with a rowid filter: type `ref|filter`, key `email|created`, rows `1 (50%)`.
        let looked_up = |name: &str| Some(value(name)?.split('|').next()?.to_owned());
        if let (Some(table), Some(rows)) = (value("table"), rows) {
            let id = value("id").unwrap_or_default();
            let is_first = !parts.contains_key(&id);
            let part = parts.entry(id).or_insert(Part { rows: 1, is_repeated: false });
            part.rows = part.rows.saturating_mul(rows);
            part.is_repeated |= value("select_type").is_some_and(|kind| is_repeated(&kind));
            let filtered = value("filtered").and_then(|percent| percent.parse::<f64>().ok());
            if part.is_repeated || !is_first {
                plan.repeated.push(table.clone());
            }
            plan.figures.tables.push(TableAccess {
                table,
                access: looked_up("type").unwrap_or_default(),
                key: looked_up("key"),
                key_len: looked_up("key_len"),
                extra,
                rows,
                kept: filtered.map(|percent| (rows as f64 * percent / 100.0).round() as u64),
            });
        }
    }
    plan.figures.rows = sum_rows(&parts);
    plan
}

/// A part of a plan: the tables of one `SELECT`.
struct Part {
    /// Product of the tables' rows.
    rows: u64,
    /// True if the part runs for each row of the part around it.
    is_repeated: bool,
}

/// True for parts such as `DEPENDENT SUBQUERY`, `DEPENDENT UNION` and `UNCACHEABLE SUBQUERY`.
fn is_repeated(select_type: &str) -> bool {
    select_type.starts_with("DEPENDENT") || select_type.starts_with("UNCACHEABLE")
}

/// Sum of the parts' rows. A repeated part counts once per row of the outermost part, whose id is
/// 1: the plan does not say which part is around which.
fn sum_rows(parts: &BTreeMap<String, Part>) -> u64 {
    let outermost = parts.get("1").filter(|part| !part.is_repeated).map_or(1, |part| part.rows);
    let rows = |part: &Part| if part.is_repeated { part.rows.saturating_mul(outermost) } else { part.rows };
    parts.values().fold(0, |sum: u64, part| sum.saturating_add(rows(part)))
}

/// Tables that a lookup by an index reads in `after` and that were scanned, or looked up by a
/// shorter key, in `before`; also those that were sorted, and of which an index now has the first
/// rows; and subqueries that the server now keeps in a temporary table.
pub fn gained_lookups<'p>(before: &PlanFigures, after: &'p PlanFigures) -> Vec<&'p TableAccess> {
    let gained = |access: &&TableAccess| {
        let Some(old) = before.tables.iter().find(|old| old.table == access.table) else {
            return is_lookup(access) && is_kept_subquery(access);
        };
        is_lookup(access) && (!is_lookup(old) || key_bytes(access) > key_bytes(old) && access.rows < old.rows)
            || is_sorted(old) && has_order(access) && access.rows < old.rows
    };
    after.tables.iter().filter(gained).collect()
}

/// True for the temporary table of a subquery: `<subquery2>`. The server makes one only if the
/// collations of both sides are equal.
pub fn is_kept_subquery(access: &TableAccess) -> bool {
    access.table.starts_with("<subquery")
}

/// True if the server sorts or groups the rows by itself.
pub fn is_sorted(access: &TableAccess) -> bool {
    access.extra.contains("filesort") || access.extra.contains("Using temporary")
}

/// True if an index is read from its first row on, and its rows are not sorted.
pub fn has_order(access: &TableAccess) -> bool {
    access.access == "index" && !is_sorted(access)
}

/// True if a warning of [`Plan::warnings`] names the column: `… on field 'code'` in MySQL,
/// `` … lookup: `shop`.`orders`.`code` of collation … `` in MariaDB.
pub fn names_column(warning: &str, column: &str) -> bool {
    let warning = warning.to_lowercase();
    let column = column.to_lowercase();
    warning.ends_with(&format!("field '{column}'")) || warning.contains(&format!(".{} of", quote_identifier(&column)))
}

pub fn is_lookup(access: &TableAccess) -> bool {
    matches!(
        access.access.as_str(),
        "const" | "eq_ref" | "ref" | "ref_or_null" | "range" | "system" | "index_subquery" | "unique_subquery"
    )
}

fn key_bytes(access: &TableAccess) -> u64 {
    let sum = |text: &String| text.split(',').filter_map(|part| part.parse::<u64>().ok()).sum();
    access.key_len.as_ref().map_or(0, sum)
}

/// True for a table of which most rows are read in vain: at least half, and at least ten.
pub fn wastes_rows(access: &TableAccess) -> bool {
    access.kept.is_some_and(|kept| kept.saturating_mul(2) <= access.rows && access.rows - kept >= 10)
}

/// True if `after` reads clearly fewer rows: at most half, and at least ten fewer.
pub fn reads_less(before: &PlanFigures, after: &PlanFigures) -> bool {
    after.rows.saturating_mul(2) <= before.rows && before.rows - after.rows >= 10
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan of MariaDB 11.8.
    #[test]
    fn a_rowid_filter_is_no_part_of_the_lookup() {
        let values = [
            ("id", "1"),
            ("select_type", "SIMPLE"),
            ("table", "o"),
            ("type", "ref|filter"),
            ("key", "email|created"),
            ("key_len", "122|5"),
            ("rows", "3 (50%)"),
            ("filtered", "30.00"),
        ];
        let row = values.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).into_iter().collect();
        let plan = read_plan(&vec![vec![row]]);
        let table = &plan.figures.tables[0];
        let (key, key_len) = (table.key.as_deref(), table.key_len.as_deref());
        assert_eq!((table.access.as_str(), key, key_len, table.rows), ("ref", Some("email"), Some("122"), 3));
        assert_eq!((table.kept, wastes_rows(table)), (Some(1), false));
        assert!(wastes_rows(&TableAccess { rows: 3000, kept: Some(300), ..table.clone() }));
    }

    /// Warnings of MySQL 9.7 and MariaDB 11.8.
    #[test]
    fn warnings_name_a_column() {
        let mysql = "Cannot use ref access on index 'ix_code' due to type or collation conversion on field 'Code'";
        let mariadb =
            "Cannot use key `mail` part[0] for lookup: `app`.`o`.`code` of collation `latin1_swedish_ci` = \"x\"";
        for warning in [mysql, mariadb] {
            assert!(names_column(warning, "code") && !names_column(warning, "ode"), "{warning}");
        }
    }

    #[test]
    fn a_dependent_subquery_is_read_once_per_outer_row() {
        let row = |id: &str, kind: &str, table: &str, rows: &str| {
            let values = [("id", id), ("select_type", kind), ("table", table), ("type", "ALL"), ("rows", rows)];
            values.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).into_iter().collect()
        };
        let rows = |parts: &[(&str, &str, &str, &str)]| {
            let results = vec![parts.iter().map(|(id, kind, table, rows)| row(id, kind, table, rows)).collect()];
            read_plan(&results).figures.rows
        };
        assert_eq!(rows(&[("1", "PRIMARY", "u", "2000"), ("2", "DEPENDENT SUBQUERY", "l", "2000")]), 4_002_000);
        assert_eq!(rows(&[("1", "PRIMARY", "u", "2000"), ("2", "SUBQUERY", "l", "2000")]), 4_000);
        assert_eq!(rows(&[("2", "DEPENDENT SUBQUERY", "l", "7")]), 7);
    }
}
