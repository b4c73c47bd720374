//! Lost indexes: plans on made-up rows, with and without remedies.

use std::collections::BTreeSet;

use server::is_same_collation;

use super::{Diagnoser, finding};
use crate::Error;
use crate::copy::Place;
use crate::fill::{Bounded, ROWS, SORTED_ROWS};
use crate::judge::Judged as Spotted;
use crate::model::{Finding, Kind, PlanFigures, Side};
use crate::number;
use crate::origin::Resolved;
use crate::remedy::{self, Fault};
use crate::spot::{Source, SpotKind};
use crate::tables::TableName;
use crate::trial::Subject;
use crate::unjudged::{describe_unresolved, has_empty_lookup, unresolved_warnings, why_unjudged};

impl Diagnoser<'_, '_> {
    /// Fills the tables that the statement reads with made-up rows, so that plans differ. Returns
    /// those with too few rows for a plan.
    pub(super) fn fill(
        &mut self,
        parts: &[(Source, Vec<Spotted>)],
        subject: &Subject,
    ) -> Result<Vec<(String, u64)>, Error> {
        let has_order = parts.iter().flat_map(|(_, spots)| spots).any(|judged| judged.spot.kind == SpotKind::Order);
        let rows = if has_order { SORTED_ROWS } else { ROWS };
        let tables = self.tables(parts, subject)?;
        let short = self.copy.fill(&tables, rows)?;
        for table in tables {
            if !self.filled.contains(&table) {
                self.filled.push(table);
            }
        }
        Ok(short)
    }

    /// Tables of the columns that take part, and the others that the statement reads.
    fn tables(&self, parts: &[(Source, Vec<Spotted>)], subject: &Subject) -> Result<Vec<TableName>, Error> {
        let mut tables = taking_part(parts);
        let whole = Source::statement(Place::Session(subject.session.clone()), &subject.text, 0);
        let whole = Some(&whole).filter(|_| subject.inner.is_none());
        for table in self.copy.read_tables(parts.iter().map(|(source, _)| source).chain(whole))? {
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        Ok(tables)
    }

    pub(super) fn judge_indexes(
        &mut self,
        parts: Vec<(Source, Vec<Spotted>)>,
        subject: Subject,
    ) -> Result<Vec<Finding>, Error> {
        let short = self.fill(&parts, &subject)?;
        self.copy.add_rows_of_key_prefixes(&parts)?;
        let mut before = self.copy.evaluate(&subject)?;
        if has_empty_lookup(&before) {
            self.copy.add_rows_of_constants(&self.tables(&parts, &subject)?, &subject.text)?;
            before = self.copy.evaluate(&subject)?;
        }
        if let Some(refusal) = before.refusal.as_ref().filter(|refusal| !remedy::is_row_error(refusal.code)) {
            self.unjudged = Some(format!("the server refuses it on made-up rows: {refusal}"));
            return Ok(Vec::new());
        }
        let unjudged = why_unjudged(&before, &short);
        let warnings: Vec<String> = before.plans.iter().flat_map(|plan| plan.warnings.clone()).collect();
        let mut fault = Fault { kind: Kind::IndexLost, parts, subject, before };
        let mut remedies = remedy::find(self.copy, &fault)?;
        if !remedies.is_empty() && remedies.iter().all(|remedy| remedy.plan.is_none()) {
            // A lookup of a row that does not exist has no plan.
            self.copy.add_rows_of_constants(&self.tables(&fault.parts, &fault.subject)?, &fault.subject.text)?;
            fault.before = self.copy.evaluate(&fault.subject)?;
            remedies = remedy::find(self.copy, &fault)?;
        }
        let bounded = if remedies.is_empty() { self.add_rows_in_bounds(&mut fault)? } else { Vec::new() };
        if !bounded.is_empty() {
            remedies = remedy::find(self.copy, &fault)?;
        }
        if remedies.is_empty() {
            let (warned, is_lost) = unresolved_warnings(&fault);
            let lost = warned
                .first()
                .filter(|_| is_lost)
                .map(|warning| format!("its plan could not be judged: {}", describe_unresolved(warning)));
            self.unjudged = self.unjudged.take().or(unjudged).or(lost);
            self.warnings.extend(warned);
            let silencing = if warnings.is_empty() { Vec::new() } else { remedy::find_silencing(self.copy, &fault)? };
            self.suspects.push(finding(&fault, None, silencing, remedy::describe_folds(&fault)));
            return Ok(Vec::new());
        }
        let without_tables = PlanFigures::default();
        let plans = remedies.iter().filter_map(|remedy| remedy.plan.as_ref());
        let best = plans.min_by_key(|plan| plan.rows).unwrap_or(&without_tables);
        let before = remedy::figures(&fault.before.plans).unwrap_or_default();
        let gained: BTreeSet<&str> =
            crate::plan::gained_lookups(&before, best).into_iter().map(|access| access.table.as_str()).collect();
        // If comparisons of tables that gain a lookup take part, only these are the cause.
        for (_, spots) in &mut fault.parts {
            let is_cause = |judged: &Spotted| {
                let mut columns = judged.resolved.iter().flat_map(|one| one.column.iter().chain(&one.inner));
                columns.any(|column| gained.contains(column.alias.as_str()))
            };
            if spots.iter().any(is_cause) {
                spots.retain(is_cause);
            }
        }
        let mut costs = describe_costs(&before, best, &warnings);
        costs.extend(remedy::describe_folds(&fault));
        costs.extend(number::describe_numbers(&fault));
        let depends_on_rows = !bounded.is_empty();
        if depends_on_rows {
            let conditions: Vec<&str> = bounded.iter().map(|one| one.text.as_str()).collect();
            let conditions = conditions.join(" and ");
            costs.push(format!("It costs if many rows meet {conditions}, as half of the made-up rows do"));
        }
        Ok(vec![Finding { depends_on_rows, ..finding(&fault, None, remedies, costs) }])
    }

    /// Adds rows that the statement's comparisons by `<` and the like find, and explains the
    /// statement again. Returns the comparisons.
    fn add_rows_in_bounds(&mut self, fault: &mut Fault) -> Result<Vec<Bounded>, Error> {
        let sources: Vec<&Source> = fault.parts.iter().map(|(source, _)| source).collect();
        let bounded = self.copy.bounded_columns(&sources)?;
        if !bounded.is_empty() {
            self.copy.add_rows_in_bounds(&bounded)?;
            fault.before = self.copy.evaluate(&fault.subject)?;
        }
        Ok(bounded)
    }
}

/// Tables of the columns that take part.
fn taking_part(parts: &[(Source, Vec<Spotted>)]) -> Vec<TableName> {
    let mut tables: Vec<TableName> = Vec::new();
    let resolved = parts.iter().flat_map(|(_, spots)| spots).flat_map(|judged| &judged.resolved);
    for column in resolved.filter_map(|one| one.column.as_ref()) {
        let table = (column.table.schema.clone(), column.table.name.clone());
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tables
}

/// True for a comparison or an order that an index could serve, if the server did not convert the
/// column, or the expression of the index, or without LOWER or UPPER; also for a UNION, as a
/// condition on its result can be one on each branch.
pub(super) fn is_index_candidate(judged: &Spotted) -> bool {
    let is_kind = matches!(judged.spot.kind, SpotKind::Comparison | SpotKind::Order | SpotKind::Union);
    let is_converted = |own: &str| judged.site.winner.as_ref().is_none_or(|winner| !is_same_collation(winner, own));
    let is_comparison = judged.spot.kind == SpotKind::Comparison;
    let is_lost_column = |one: &Resolved| {
        let is_folded = one.folded_column().is_some();
        one.column.as_ref().filter(|_| is_comparison || !is_folded).is_some_and(|column| {
            column.table.is_indexed(&column.column)
                && (one.wraps_column() || is_folded || column.collation().is_some_and(is_converted))
        })
    };
    let is_lost_expression = |side: &Side, one: &Resolved| {
        let mut inner = one.inner.iter();
        is_converted(&side.collation) && inner.any(|column| column.table.is_indexed_in_expression(&column.column))
    };
    let mut sides = judged.site.sides.iter().zip(&judged.resolved);
    is_kind && sides.any(|(side, one)| is_lost_column(one) || is_lost_expression(side, one))
}

fn describe_costs(before: &PlanFigures, after: &PlanFigures, warnings: &[String]) -> Vec<String> {
    let mut costs = Vec::new();
    if after.tables.is_empty() {
        let waste = |access: &crate::model::TableAccess| match &access.key {
            Some(key) if crate::plan::is_lookup(access) => {
                format!("Index {key} of {} cannot be used in full for a lookup", access.table)
            }
            _ => format!("{} is read whole, where an index could answer", access.table),
        };
        costs.extend(before.tables.iter().map(waste));
    }
    for access in crate::plan::gained_lookups(before, after) {
        if crate::plan::is_kept_subquery(access) {
            costs.push("The rows of the subquery cannot be kept in a temporary table and looked up there".into());
            continue;
        }
        let key = access.key.as_deref().unwrap_or("an index");
        let purpose = if crate::plan::has_order(access) { "the order" } else { "a lookup" };
        costs.push(format!("Index {key} of {} cannot be used for {purpose}", access.table));
    }
    costs.extend(warnings.iter().map(|warning| format!("The server warns: {warning}")));
    costs
}
