//! Explains the statements of scripts and slow query logs.

use std::collections::HashSet;

use mysql::prelude::Queryable;
use server::{Conn, Error, Flavour, error_code};
use sql::{SqlMode, Token, quote_identifier};

use super::Gatherer;
use super::compared::ComparedColumns;
use super::plans::{self, Plan};
use super::shares::share_out;
use crate::input::{Statement, StatementPlan};
use crate::text::tokens;

/// Maximum number of statements that are explained. The default schemas of the statements take
/// turns.
const MAX_STATEMENTS: usize = 1000;

impl Gatherer<'_> {
    /// Explains up to [`MAX_STATEMENTS`] statements: those with an [`explained_part`].
    ///
    /// The [settings](sql::read_settings) of a file apply to its later statements. Entries of
    /// [`AuditInput::unseen`](crate::AuditInput::unseen) count the statements that are left out or
    /// have no plan.
    pub(super) fn explain_statements(&mut self, statements: &[Statement]) -> Result<Vec<StatementPlan>, Error> {
        let flavour = self.server.flavour();
        let has_part = |(_, statement): &(usize, &Statement)| explained_part(&statement.text, flavour).is_some();
        let (positions, schemas): (Vec<usize>, Vec<&str>) = statements
            .iter()
            .enumerate()
            .filter(has_part)
            .map(|(at, statement)| (at, statement.schema.as_deref().unwrap_or_default()))
            .unzip();
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let shares = share_out(&schemas, MAX_STATEMENTS);
        let explained: HashSet<usize> = shares.taken.iter().map(|at| positions[*at]).collect();
        for (schema, count) in &shares.left_out {
            let place = match *schema {
                "" => "without a default schema".to_owned(),
                schema => format!("in schema {schema}"),
            };
            let what = format!("plans of {} {place}", message::count_noun(*count, "statement"));
            let all = message::count_noun(positions.len(), "statement");
            self.add_unseen(
                what,
                format!("{all} read; {MAX_STATEMENTS} are explained, in turns of their schemas"),
                None,
            );
        }
        let mut conn = self.connect_for_explain()?;
        let (mut plans, mut unexplained, mut file) = (Vec::new(), Unexplained::default(), "");
        self.progress.step("explaining statements");
        for (index, statement) in statements.iter().enumerate() {
            lifecycle::interrupt::check()?;
            self.progress.fraction(index as f64 / statements.len() as f64);
            let own_file = statement.place.rsplit_once(':').map_or("", |(file, _)| file);
            if own_file != file {
                file = own_file;
                conn = self.connect_for_explain()?;
            }
            let settings = sql::read_settings(&statement.text, SqlMode::default());
            facts::apply_settings(&mut conn, &settings).map_err(self.statement_error("set up a session"))?;
            let part = explained_part(&statement.text, flavour).filter(|_| explained.contains(&index));
            let Some(part) = part else { continue };
            match self.explain_statement(&mut conn, statement, part)? {
                Ok(plan) => plans.push(StatementPlan { statement: index, ..plan }),
                Err(reason) => unexplained.add(format!("{}: {reason}", statement.place)),
            }
        }
        if let Some(first) = unexplained.first {
            let what = format!("plans of {}", message::count_noun(unexplained.count, "statement"));
            self.add_unseen(what, first, None);
        }
        Ok(plans)
    }

    /// Explains a statement. [`StatementPlan::statement`] stays 0. The inner error is the reason
    /// why the statement has no plan.
    fn explain_statement(
        &mut self,
        conn: &mut Conn,
        statement: &Statement,
        part: &str,
    ) -> Result<Result<StatementPlan, String>, Error> {
        if let Some(reason) = self.refuse_to_explain(part) {
            return Ok(Err(reason));
        }
        let schema = statement.schema.clone().or_else(|| match self.facts.schemas.as_slice() {
            [schema] => Some(schema.name.clone()),
            _ => None,
        });
        if let Some(schema) = &schema {
            match conn.query_drop(format!("USE {}", quote_identifier(schema))) {
                Err(mysql::Error::MySqlError(error)) => return Ok(Err(error.message)),
                other => other.map_err(self.statement_error("select a schema"))?,
            }
        }
        let plan =
            plans::explain_prepared(conn, self.server, part).map_err(self.statement_error("explain a statement"))?;
        Ok(match plan {
            Plan::Lines(lines, mut warnings) => {
                let compared = ComparedColumns::find(self.facts, statement, schema.as_deref(), &lines);
                warnings.retain(|warning| !compared.is_needless(warning));
                let joins = match warnings.is_empty() {
                    true => self.find_lost_indexes_without_warning(conn, &compared, &statement.place)?,
                    false => Vec::new(),
                };
                Ok(StatementPlan { schema, warnings, joins, ..StatementPlan::default() })
            }
            Plan::Refused(error) if error_code::is_collation_conflict(error.code) => {
                Ok(StatementPlan { schema, refused: Some(error), ..StatementPlan::default() })
            }
            Plan::Refused(error) => Err(error.message),
        })
    }
}

/// Statements with an [`explained_part`], but without a plan.
#[derive(Default)]
struct Unexplained {
    count: usize,
    /// Place of the first statement and the reason why it has no plan.
    first: Option<String>,
}

impl Unexplained {
    fn add(&mut self, reason: String) {
        self.count += 1;
        self.first.get_or_insert(reason);
    }
}

/// Returns the part of a statement that can be explained without writing: a `SELECT` (with `WITH`),
/// or the `SELECT` of an `INSERT … SELECT` or `REPLACE … SELECT`. `None` for other statements.
fn explained_part(text: &str, flavour: Flavour) -> Option<&str> {
    let tokens = tokens(text);
    let first = tokens.iter().position(|token| !token.is_symbol('('))?;
    let keyword = &tokens[first];
    if keyword.is_keyword("with") {
        return sql::is_query_of(&tokens).then_some(text);
    }
    if keyword.is_any_keyword(&["insert", "replace"]) {
        return inserted_query(text, &tokens[first + 1..], flavour);
    }
    keyword.is_keyword("select").then_some(text)
}

/// Returns the query of an `INSERT … SELECT`, whose tokens after `INSERT` are given. `None` for
/// `INSERT … VALUES` and `INSERT … SET`.
fn inserted_query<'t>(text: &'t str, tokens: &[Token<'_>], flavour: Flavour) -> Option<&'t str> {
    let is_query = |token: &&Token<'_>| {
        let inner = tokens.iter().skip_while(|inner| inner.start < token.start).find(|inner| !inner.is_symbol('('));
        inner.is_some_and(|inner| inner.is_any_keyword(&["select", "with"]))
    };
    let mut outer = outer_tokens(tokens).peekable();
    let begin = loop {
        let token = outer.next()?;
        if token.is_any_keyword(&["values", "value", "set"]) {
            return None;
        }
        if (token.is_symbol('(') || token.is_any_keyword(&["select", "with"])) && is_query(&token) {
            break token.start;
        }
    };
    let rest: Vec<&Token<'_>> = outer.collect();
    let is_end = |&at: &usize| {
        let is = |offset: usize, word| rest.get(at + offset).is_some_and(|token: &&Token<'_>| token.is_keyword(word));
        // MariaDB reserves RETURNING; in MySQL it may be a column.
        is(0, "on") && is(1, "duplicate") && is(2, "key") || flavour == Flavour::MariaDb && is(0, "returning")
    };
    let end = (0..rest.len()).find(is_end).map_or(text.len(), |at| rest[at].start);
    text.get(begin..end)
}

/// Returns the tokens outside of parentheses, and the outer parentheses themselves.
fn outer_tokens<'a, 't>(tokens: &'a [Token<'t>]) -> impl Iterator<Item = &'a Token<'t>> {
    let mut depth = 0_usize;
    tokens.iter().filter(move |token| {
        if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        let is_outer = depth == 0;
        depth += usize::from(token.is_symbol('('));
        is_outer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_only_what_reads() {
        let part = |text| explained_part(text, Flavour::MariaDb);
        for text in ["/* a */ (SELECT 1)", "WITH x AS (SELECT 1) SELECT 2", "(WITH x AS (SELECT 1) SELECT 2)"] {
            assert_eq!(part(text), Some(text));
        }
        for (text, query) in [
            ("INSERT INTO t SELECT a FROM u WHERE a = b ON DUPLICATE KEY UPDATE a = 1", "SELECT a FROM u WHERE a = b "),
            ("INSERT INTO t SELECT a FROM u ON /* x */ DUPLICATE KEY UPDATE a = 1", "SELECT a FROM u "),
            ("INSERT INTO t (a) (SELECT a FROM n)", "(SELECT a FROM n)"),
            ("INSERT INTO t (a) (SELECT 1) UNION (SELECT 2) RETURNING a", "(SELECT 1) UNION (SELECT 2) "),
            ("REPLACE t WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x"),
        ] {
            assert_eq!(part(text), Some(query));
        }
        let column = "SELECT returning FROM u";
        assert_eq!(explained_part(&format!("INSERT INTO t {column}"), Flavour::MySql), Some(column));
        for text in [
            "INSERT INTO t VALUES (1)",
            "INSERT INTO t (a) VALUES ((SELECT max(a) FROM n))",
            "INSERT INTO t SET a = (SELECT 1)",
            "UPDATE t SET a = (SELECT 1)",
            "WITH x AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM x)",
            "WITH x AS (SELECT 1) UPDATE t SET a = 1",
            "DROP TABLE t",
            "",
        ] {
            assert_eq!(part(text), None, "{text}");
        }
    }
}
