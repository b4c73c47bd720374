//! Explains views, and comparisons with their columns.

use facts::{Column, View};
use mysql::prelude::Queryable;
use server::Conn;
use server::{Error, error_code};
use sql::{quote_identifier, quote_table};

use super::Gatherer;
use super::joins::is_explain_denied;
use super::plans::{self, Plan};
use crate::input::{IncomparableColumn, IndexLoss, ViewPlan, Warning};
use crate::text::find_conversions;

/// Maximum number of a view's conversions that are tried: for each, the text is explained without
/// it.
const MAX_CONVERSIONS: usize = 50;

/// Longest text of a view that is explained, in bytes.
const MAX_TEXT: usize = 64 << 10;

impl Gatherer<'_> {
    /// Explains a `SELECT *` from each view.
    pub(super) fn explain_views(&mut self) -> Result<Vec<ViewPlan>, Error> {
        let facts = self.facts;
        let views: Vec<_> = facts.schemas.iter().flat_map(|schema| &schema.views).collect();
        if views.is_empty() {
            return Ok(Vec::new());
        }
        let mut conn = self.connect_for_explain()?;
        let mut plans = Vec::new();
        self.progress.step("explaining views");
        for (index, view) in views.iter().enumerate() {
            lifecycle::interrupt::check()?;
            self.progress.fraction(index as f64 / views.len() as f64);
            let (schema, name) = (&view.program.schema, &view.program.name);
            let select = format!("SELECT * FROM {}", quote_table(schema, name));
            if let Some(reason) = self.refuse_to_explain(&select) {
                self.add_unseen(format!("the plan of view {schema}.{name}"), reason, None);
                continue;
            }
            let plan =
                plans::explain(&mut conn, self.server, &select).map_err(self.statement_error("explain a view"))?;
            let warnings: Vec<Warning> = match plan {
                Plan::Lines(_, warnings) => warnings,
                Plan::Refused(error) if is_explain_denied(error.code) => {
                    let remedy = format!("GRANT SELECT, SHOW VIEW ON {}.* TO the account", quote_identifier(schema));
                    self.add_unseen(format!("the plan of view {schema}.{name}"), error.message, Some(remedy));
                    continue;
                }
                Plan::Refused(error) => vec![error],
            };
            let weak_columns = self.find_incomparable_columns(&mut conn, view)?;
            let index_losses = if warnings.is_empty() { self.find_index_losses(&mut conn, view)? } else { Vec::new() };
            plans.push(ViewPlan { schema: schema.clone(), name: name.clone(), warnings, weak_columns, index_losses });
        }
        Ok(plans)
    }

    /// Explains the text of a view as it is, and without each conversion of a column. No warning of
    /// the servers names an index that a written conversion loses. An entry of
    /// [`AuditInput::unseen`](crate::AuditInput::unseen) names a view with a longer text than
    /// [`MAX_TEXT`], or with more conversions than [`MAX_CONVERSIONS`].
    fn find_index_losses(&mut self, conn: &mut Conn, view: &View) -> Result<Vec<IndexLoss>, Error> {
        let body = view.program.body.as_deref().unwrap_or_default();
        let table = check::table_name(&view.program.schema, &view.program.name);
        let what = format!("indexes that conversions in the text of view {table} lose");
        if body.len() > MAX_TEXT {
            let [length, max] = [body.len(), MAX_TEXT].map(message::group_thousands);
            let why = format!("the text has {length} bytes; texts of up to {max} are explained");
            self.add_unseen(what, why, None);
            return Ok(Vec::new());
        }
        let conversions = find_conversions(body);
        if conversions.is_empty() {
            return Ok(Vec::new());
        }
        if conversions.len() > MAX_CONVERSIONS {
            let why = format!("the text has {} conversions; the first {MAX_CONVERSIONS} are tried", conversions.len());
            self.add_unseen(what, why, None);
        }
        let Some(before) = self.explain_lookups(conn, body)? else { return Ok(Vec::new()) };
        let mut losses: Vec<IndexLoss> = Vec::new();
        for conversion in conversions.iter().take(MAX_CONVERSIONS) {
            lifecycle::interrupt::check()?;
            let Some(after) = self.explain_lookups(conn, &conversion.remove_from(body))? else { continue };
            if let Some(table) = after.into_iter().find(|table| !before.contains(table)) {
                losses.push(IndexLoss { clause: conversion.clause(body).to_owned(), table });
            }
        }
        Ok(losses)
    }

    /// Returns the tables that a `SELECT` reads by an index lookup. `None` if the server refuses
    /// the statement.
    fn explain_lookups(&self, conn: &mut Conn, select: &str) -> Result<Option<Vec<String>>, Error> {
        let plan =
            plans::explain(conn, self.server, select).map_err(self.statement_error("explain the text of a view"))?;
        let Plan::Lines(lines, _) = plan else { return Ok(None) };
        Ok(Some(lines.into_iter().filter(|line| line.lookup.is_some()).filter_map(|line| line.table).collect()))
    }

    /// Returns the text columns of a view that the server refuses to compare with a literal of
    /// another collation of utf8mb4. Such columns are a literal or combine two collations.
    fn find_incomparable_columns(&mut self, conn: &mut Conn, view: &View) -> Result<Vec<IncomparableColumn>, Error> {
        let mut weak = Vec::new();
        for (literal, other) in [("utf8mb4_general_ci", "utf8mb4_unicode_ci"), ("utf8mb4_unicode_ci", "")] {
            let collation = |column: &&Column| column.collation.as_deref().map(rules::charset::current_collation_name);
            let columns: Vec<&Column> = view
                .columns
                .iter()
                .filter(|column| match collation(column) {
                    Some(own) if own == "utf8mb4_general_ci" => literal == "utf8mb4_unicode_ci",
                    Some(_) => !other.is_empty(),
                    None => false,
                })
                .collect();
            if columns.is_empty() {
                continue;
            }
            let names = format!("SET NAMES utf8mb4 COLLATE {literal}");
            conn.query_drop(names).map_err(self.statement_error("set the collation of the session"))?;
            if self.explain_comparison(conn, view, &columns)?.is_none() {
                continue;
            }
            for column in columns {
                if let Some(refusal) = self.explain_comparison(conn, view, &[column])? {
                    let collation = column.collation.clone().unwrap_or_default();
                    weak.push(IncomparableColumn { name: column.name.clone(), collation, refusal });
                }
            }
        }
        Ok(weak)
    }

    /// Returns the error with which the server refuses to compare the columns with a literal.
    /// `None` if it explains the comparison, or refuses it for a reason other than collations.
    fn explain_comparison(&self, conn: &mut Conn, view: &View, columns: &[&Column]) -> Result<Option<Warning>, Error> {
        let comparisons: Vec<String> =
            columns.iter().map(|column| format!("{} = 'a'", quote_identifier(&column.name))).collect();
        let table = quote_table(&view.program.schema, &view.program.name);
        let select = format!("SELECT 1 FROM {table} WHERE {}", comparisons.join(" OR "));
        let plan = plans::explain(conn, self.server, &select)
            .map_err(self.statement_error("explain a comparison with a view"))?;
        Ok(match plan {
            Plan::Refused(error) if error.code == error_code::CANT_AGGREGATE_2COLLATIONS => Some(error),
            Plan::Refused(_) | Plan::Lines(..) => None,
        })
    }
}
