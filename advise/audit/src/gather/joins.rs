//! `EXPLAIN` of joins of columns with different collations: whether they keep their indexes.

use rules::coercibility::{Coercibility, Operand, Outcome, choose_collation};
use rules::joins::TableColumn;
use server::Conn;
use server::{Error, error_code};
use sql::{quote_identifier, quote_table};

use super::Gatherer;
use super::pairs::{self, ColumnPair, column_ref};
use super::plans::{self, Plan};
use super::shares::share_out;
use crate::input::{IndexUse, JoinPlans, LookupPlan, Warning};

/// Maximum number of joins that are explained, in turns of the schemas.
const MAX_JOINS: usize = 1000;

/// True if `EXPLAIN` was refused because a privilege is missing.
pub(super) fn is_explain_denied(code: u16) -> bool {
    error_code::is_access_denied(code) || code == error_code::VIEW_NO_EXPLAIN
}

impl Gatherer<'_> {
    /// Explains up to [`MAX_JOINS`] joins of columns with different collations, in each direction
    /// that has an index to look up. Entries of [`AuditInput::unseen`](crate::AuditInput::unseen)
    /// name the schemas whose joins are left out.
    ///
    /// Joins that the server refuses by its rules of coercibility are returned without an EXPLAIN,
    /// and don't count.
    pub(super) fn explain_joins(&mut self) -> Result<Vec<JoinPlans>, Error> {
        let facts = self.facts;
        let (mut joins, mut pairs) = (Vec::new(), Vec::new());
        for pair in pairs::find_pairs(facts) {
            match self.refuse_join(&pair) {
                Some(refused) => joins.push(refused),
                None => pairs.push(pair),
            }
        }
        if pairs.is_empty() {
            return Ok(joins);
        }
        let schemas: Vec<&str> = pairs.iter().map(|pair| pair.left.table.schema.as_str()).collect();
        let shares = share_out(&schemas, MAX_JOINS);
        for (schema, count) in &shares.left_out {
            self.add_unseen(
                format!(
                    "{} of columns with different collations in schema {schema}",
                    message::count_noun(*count, "join")
                ),
                format!(
                    "{} of columns are to be explained; {MAX_JOINS} are, in turns of the schemas",
                    message::count_noun(pairs.len(), "pair")
                ),
                Some("name fewer schemas by --schema".into()),
            );
        }
        let mut conn = self.connect_for_explain()?;
        self.progress.step("explaining joins");
        let taken = pairs.iter().enumerate().filter(|(at, _)| shares.taken.contains(at)).map(|(_, pair)| pair);
        for (index, pair) in taken.enumerate() {
            lifecycle::interrupt::check()?;
            self.progress.fraction(index as f64 / shares.taken.len() as f64);
            joins.push(self.explain_join(&mut conn, pair)?);
        }
        Ok(joins)
    }

    /// Returns the plans of a join that the server refuses to compare, such as one of two
    /// collations of one character set, neither of them `_bin`. `None` for others.
    fn refuse_join(&self, pair: &ColumnPair<'_>) -> Option<JoinPlans> {
        let [left, right] = [pair.left, pair.right].map(|side| side.column.collation.as_deref());
        let (left, right) = (left?, right?);
        let implicit = |collation| Operand::new(collation, Coercibility::Implicit);
        let server = &self.facts.server;
        let outcome = choose_collation(server.flavour, server.version_number(), implicit(left), implicit(right));
        if outcome != Some(Outcome::IllegalMix) {
            return None;
        }
        let refusal = Warning {
            code: error_code::CANT_AGGREGATE_2COLLATIONS,
            message: format!("Illegal mix of collations ({left},IMPLICIT) and ({right},IMPLICIT) for operation '='"),
        };
        let lookup = |driven: TableColumn<'_>| {
            Some(LookupPlan {
                indexed_column: column_ref(driven),
                index: driven.leading_index()?.to_owned(),
                usage: IndexUse::Refused,
                warnings: vec![refusal.clone()],
            })
        };
        let lookups = [pair.right, pair.left].into_iter().filter_map(lookup).collect();
        Some(JoinPlans { left: column_ref(pair.left), right: column_ref(pair.right), kind: pair.kind.clone(), lookups })
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

/// True if the message of a refused SELECT names the table: `for table 'b'`, or MariaDB's
/// ``for table `a`.`b` ``.
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
