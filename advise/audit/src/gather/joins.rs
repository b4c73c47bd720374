//! `EXPLAIN` of joins of columns with different collations: whether they keep their indexes.

use rules::joins::TableColumn;
use server::Conn;
use server::{Error, error_code};
use sql::{quote_identifier, quote_table};

use super::Gatherer;
use super::pairs::{self, ColumnPair, column_ref};
use super::plans::{self, Plan};
use crate::input::{IndexUse, JoinPlans, LookupPlan};

/// Maximum number of pairs of columns whose join is explained. An entry of
/// [`AuditInput::unseen`](crate::AuditInput::unseen) reports that there are more.
const MAX_JOINS: usize = 1000;

/// True if `EXPLAIN` was refused because a privilege is missing.
pub(super) fn is_explain_denied(code: u16) -> bool {
    error_code::is_access_denied(code) || code == error_code::VIEW_NO_EXPLAIN
}

impl Gatherer<'_> {
    /// Explains up to [`MAX_JOINS`] joins of columns with different collations.
    ///
    /// A join is explained in each direction that has an index to look up.
    pub(super) fn explain_joins(&mut self) -> Result<Vec<JoinPlans>, Error> {
        let facts = self.facts;
        let pairs = pairs::find_pairs(facts);
        if pairs.len() > MAX_JOINS {
            let why = format!(
                "{} pairs of columns have different collations; the first {MAX_JOINS} were explained",
                pairs.len()
            );
            self.add_unseen(
                "some joins of columns with different collations".into(),
                why,
                Some("name fewer schemas by --schema".into()),
            );
        }
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let mut conn = self.connect_for_explain()?;
        let mut joins = Vec::new();
        let count = pairs.len().min(MAX_JOINS);
        self.progress.step("explaining joins");
        for (index, pair) in pairs.iter().take(MAX_JOINS).enumerate() {
            lifecycle::interrupt::check()?;
            self.progress.fraction(index as f64 / count as f64);
            joins.push(self.explain_join(&mut conn, pair)?);
        }
        Ok(joins)
    }

    pub(super) fn connect_for_explain(&self) -> Result<Conn, Error> {
        let mut conn = facts::connect(self.server, &self.limits)?;
        plans::enable_index_notes(&mut conn, self.server.flavour());
        Ok(conn)
    }

    pub(super) fn explain_join(&mut self, conn: &mut Conn, pair: &ColumnPair<'_>) -> Result<JoinPlans, Error> {
        let mut lookups = Vec::new();
        for (driving, driven) in [(pair.left, pair.right), (pair.right, pair.left)] {
            if let Some(index) = driven.leading_index() {
                lookups.push(self.explain_lookup(conn, driving, driven, index)?);
            }
        }
        Ok(JoinPlans { left: column_ref(pair.left), right: column_ref(pair.right), kind: pair.kind.clone(), lookups })
    }

    /// Explains a nested-loop join that looks up `driven` by the values of `driving`.
    fn explain_lookup(
        &mut self,
        conn: &mut Conn,
        driving: TableColumn<'_>,
        driven: TableColumn<'_>,
        index: &str,
    ) -> Result<LookupPlan, Error> {
        let select = format!(
            "SELECT 1 FROM {} AS driving {} STRAIGHT_JOIN {} AS driven FORCE INDEX ({}) ON driven.{} = driving.{}",
            quote_table(&driving.table.schema, &driving.table.name),
            sql::BASE_TABLE_ONLY,
            quote_table(&driven.table.schema, &driven.table.name),
            quote_identifier(index),
            quote_identifier(&driven.column.name),
            quote_identifier(&driving.column.name)
        );
        let plan = plans::explain(conn, self.server, &select).map_err(self.statement_error("explain a join"))?;
        let (usage, warnings) = match plan {
            Plan::Refused(error) if is_explain_denied(error.code) => {
                let is_driving = names_table(&error.message, &driving.table.name)
                    && !names_table(&error.message, &driven.table.name);
                let table = if is_driving { driving.table } else { driven.table };
                let remedy = format!("GRANT SELECT ON {}.* TO the account", quote_identifier(&table.schema));
                let table = check::table_name(&table.schema, &table.name);
                self.add_unseen(format!("plans of joins with {table}"), error.message, Some(remedy));
                (IndexUse::Unknown, Vec::new())
            }
            Plan::Refused(error) if error.code == error_code::CANT_AGGREGATE_2COLLATIONS => {
                (IndexUse::Refused, vec![error])
            }
            Plan::Refused(error) => (IndexUse::Unknown, vec![error]),
            Plan::Lines(lines, warnings) => match lines.iter().find(|line| line.table.as_deref() == Some("driven")) {
                Some(line) if line.lookup.is_some() => (IndexUse::Kept, Vec::new()),
                Some(line) if line.access.as_deref().is_some_and(|access| matches!(access, "index" | "ALL")) => {
                    (IndexUse::Lost, warnings)
                }
                _ => (IndexUse::Unknown, warnings),
            },
        };
        Ok(LookupPlan { indexed_column: column_ref(driven), index: index.to_owned(), usage, warnings })
    }
}

/// True if the message of a refused SELECT names the table: `for table 'b'`, or MariaDB's `for table
/// `a`.`b``.
fn names_table(message: &str, table: &str) -> bool {
    ['\'', '`'].iter().any(|quote| message.contains(&format!("{quote}{table}{quote}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_table_of_a_refusal() {
        // As MySQL 9.7.4 and MariaDB 11.8.9 returned them.
        let messages = [
            "SELECT command denied to user 'u2'@'localhost' for table 'ledger'",
            "SELECT command denied to user 'u2'@'localhost' for table `x2`.`ledger`",
        ];
        for message in messages {
            assert!(names_table(message, "ledger") && !names_table(message, "parts"), "{message}");
        }
    }
}
