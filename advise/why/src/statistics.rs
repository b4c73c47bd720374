//! Rows that an index of MariaDB would find, by the server's statistics. MySQL estimates what a
//! condition keeps of the rows that are read (`filtered`). MariaDB's estimate does not use an index
//! that a conversion makes useless.

use mysql::prelude::Queryable;
use server::Conn;
use sql::{SqlMode, Token, tokenize};

use crate::copy::{Place, Session};
use crate::model::TableAccess;
use crate::plan::Plan;
use crate::spot::Source;
use crate::syntax::TableKind;

/// Column whose indexes the server says it cannot use, and its table as the warning names it: by
/// its alias or its name.
#[derive(Debug, PartialEq)]
struct Unused {
    table: String,
    column: String,
}

/// Lowers [`TableAccess::kept`] of tables with an unused index to the rows that one value of the
/// index's first column has on average. The first table of a join is left out: how many values
/// would be looked up in it is unknown.
pub fn estimate_kept(conn: &mut Conn, plan: &mut Plan, text: &str, schema: &str) -> mysql::Result<()> {
    for unused in plan.warnings.iter().filter_map(|warning| parse_warning(warning)) {
        let Some(table) = named_table(text, &unused.table) else { continue };
        let is_table = |access: &TableAccess| access.table.eq_ignore_ascii_case(&table.alias);
        if plan.figures.tables.len() > 1 && plan.figures.tables.first().is_some_and(is_table) {
            continue;
        }
        let rows: Option<Option<u64>> = conn.exec_first(
            "SELECT CAST(MIN(CEIL(t.TABLE_ROWS / s.CARDINALITY)) AS UNSIGNED) FROM information_schema.STATISTICS s \
             JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = s.TABLE_SCHEMA AND t.TABLE_NAME = s.TABLE_NAME \
             WHERE s.TABLE_SCHEMA = ? AND s.TABLE_NAME = ? AND s.COLUMN_NAME = ? AND s.SEQ_IN_INDEX = 1",
            (table.schema.as_deref().unwrap_or(schema), &table.name, &unused.column),
        )?;
        let Some(rows) = rows.flatten() else { continue };
        for access in plan.figures.tables.iter_mut().filter(|access| is_table(access)) {
            access.kept = Some(access.kept.unwrap_or(access.rows).min(rows));
        }
    }
    Ok(())
}

/// Reads ``Cannot use key `k` part[0] for lookup: `shop`.`o`.`code` of collation …`` and ``Cannot
/// use key parts with `shop`.`orders`.`code` in the rewritten condition: …``.
fn parse_warning(warning: &str) -> Option<Unused> {
    let compared = match warning.split_once(" for lookup: ") {
        Some((_, rest)) => rest,
        None => warning.split_once(" parts with ")?.1,
    };
    let mut names = tokenize(compared, SqlMode::default()).filter_map(|token: Token<'_>| token.name());
    let (table, column) = (names.nth(1)?, names.next()?);
    Some(Unused { table, column })
}

/// A table of a statement.
#[derive(Debug, PartialEq)]
struct NamedTable {
    schema: Option<String>,
    name: String,
    alias: String,
}

/// Finds a table by its alias or its name.
fn named_table(text: &str, wanted: &str) -> Option<NamedTable> {
    let source = Source::statement(Place::Session(Session::default()), text, 0);
    let mut tables = source.parsed.blocks.iter().flat_map(|block| &block.tables);
    tables.find_map(|table| {
        let TableKind::Named { schema, name } = &table.kind else { return None };
        let is_wanted = table.alias.eq_ignore_ascii_case(wanted) || name.eq_ignore_ascii_case(wanted);
        is_wanted.then(|| NamedTable { schema: schema.clone(), name: name.clone(), alias: table.alias.clone() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warnings of MariaDB 11.8.
    #[test]
    fn warnings_name_a_table_and_a_column() {
        let lookup =
            "Cannot use key `mail` part[0] for lookup: `app`.`o`.`code` of collation `latin1_swedish_ci` = \"x\"";
        let condition = "Cannot use key parts with `app`.`orders`.`code` in the rewritten condition: `convert(``o``.``code``) = 'p'`";
        for (warning, table) in [(lookup, "o"), (condition, "orders")] {
            assert_eq!(
                parse_warning(warning),
                Some(Unused { table: table.into(), column: "code".into() }),
                "{warning}"
            );
        }
        assert_eq!(parse_warning("Something else"), None);
    }

    #[test]
    fn tables_are_found_by_alias_or_name() {
        let text = "SELECT 1 FROM parcels p JOIN shop.orders AS o ON o.code = p.code";
        let orders = NamedTable { schema: Some("shop".into()), name: "orders".into(), alias: "o".into() };
        assert_eq!(named_table(text, "O"), Some(orders));
        assert_eq!(named_table(text, "parcels").map(|table| table.alias), Some("p".into()));
        assert_eq!(named_table(text, "x"), None);
    }
}
