//! Rows that a statement finds by the first columns of a key, so that the plan shows what the next
//! column of the key is worth.

use super::value::Sample;
use super::{DIGITS, insert};
use crate::Error;
use crate::copy::Copy;
use crate::dictionary::Table;
use crate::judge::{Judged, MAX_ASKED};
use crate::model::Origin;
use crate::origin::ColumnRef;
use crate::spot::{Operand, Source};
use crate::syntax::{Expr, ExprKind};

/// The numbers of these rows begin with this and the table's number of rows, above those of filled
/// tables.
const FIRST: u64 = 5000;

/// A column that the statement compares with a value, and the value as SQL.
#[derive(Clone)]
pub(super) struct Known {
    pub column: ColumnRef,
    pub value: String,
}

impl Copy<'_> {
    /// Adds a hundred rows to each table of which the statement compares the first columns of a key
    /// with values, and the next column by another collation. The rows have these values.
    pub fn add_rows_of_key_prefixes(&mut self, parts: &[(Source, Vec<Judged>)]) -> Result<(), Error> {
        for (source, spots) in parts {
            let lost: Vec<&ColumnRef> =
                spots.iter().flat_map(|judged| &judged.resolved).filter_map(|one| one.column.as_ref()).collect();
            let is_prefix_possible = |column: &&&ColumnRef| {
                let mut indexes = column.table.indexes.iter();
                indexes.any(|index| index.parts.iter().skip(1).any(|(part, _)| is_column(column, part)))
            };
            if !lost.iter().any(|column| is_prefix_possible(&column)) {
                continue;
            }
            let known = self.known_columns(source)?;
            let mut tables: Vec<&Table> = Vec::new();
            for column in lost {
                let is_known = tables.iter().any(|table| is_table(table, &column.table));
                if !is_known && has_known_prefix(column, &known) {
                    tables.push(&column.table);
                    let made = self.add_rows_of_prefix(column, &known)?;
                    self.count_made_up(&column.table.schema, &column.table.name, made);
                }
            }
        }
        Ok(())
    }

    fn add_rows_of_prefix(&mut self, lost: &ColumnRef, known: &[Known]) -> Result<u64, Error> {
        let (schema, name) = (&lost.table.schema, &lost.table.name);
        let mut columns = self.read_columns(schema, name)?;
        let own = known.iter().filter(|one| is_table(&one.column.table, &lost.table));
        for one in own.filter(|one| !is_column(lost, &one.column.column)) {
            for column in columns.iter_mut().filter(|column| is_column(&one.column, &column.name)) {
                column.sample = Sample::Fixed(one.value.clone());
            }
        }
        let before = self.count_rows(schema, name)?;
        let first = FIRST + before;
        let numbers = format!("(SELECT {first} + y.d * 10 + z.d AS n FROM {DIGITS} y, {DIGITS} z) AS numbers");
        let insert = insert(schema, name, &columns, None);
        self.change_rows_despite_rules(schema, name, &[format!("{insert} FROM {numbers}")])?;
        Ok(self.count_rows(schema, name)?.saturating_sub(before))
    }

    /// Columns that a source compares with values, also by way of other columns.
    fn known_columns(&mut self, source: &Source) -> Result<Vec<Known>, Error> {
        let mut pairs: Vec<(usize, &Expr, &Expr)> = Vec::new();
        for (block, content) in source.parsed.blocks.iter().enumerate() {
            for condition in &content.conditions {
                condition.walk(&mut |part| push_pairs(block, part, &mut pairs));
            }
        }
        pairs.truncate(MAX_ASKED);
        let mut known: Vec<Known> = Vec::new();
        let mut equal: Vec<(ColumnRef, ColumnRef)> = Vec::new();
        for (block, left, right) in pairs {
            let columns = (self.bare_column(source, block, left)?, self.bare_column(source, block, right)?);
            match columns {
                (Some(one), Some(other)) => equal.push((one, other)),
                (Some(column), None) => known.extend(self.known(source, block, column, right)?),
                (None, Some(column)) => known.extend(self.known(source, block, column, left)?),
                (None, None) => {}
            }
        }
        for _ in 0..2 {
            for (one, other) in &equal {
                let value = |of: &ColumnRef| known.iter().find(|known| is_same(&known.column, of)).cloned();
                match (value(one), value(other)) {
                    (Some(found), None) => known.push(Known { column: other.clone(), ..found }),
                    (None, Some(found)) => known.push(Known { column: one.clone(), ..found }),
                    _ => {}
                }
            }
        }
        Ok(known)
    }

    pub(super) fn bare_column(
        &mut self,
        source: &Source,
        block: usize,
        expression: &Expr,
    ) -> Result<Option<ColumnRef>, Error> {
        Ok(self.resolve(source, &operand(source, block, expression))?.bare_column().cloned())
    }

    /// Value of an expression that reads no table. `None` for others.
    pub(super) fn known(
        &mut self,
        source: &Source,
        block: usize,
        column: ColumnRef,
        expression: &Expr,
    ) -> Result<Option<Known>, Error> {
        let mut names: Vec<&Expr> = Vec::new();
        let mut reads = false;
        expression.walk(&mut |part| match part.kind {
            ExprKind::Name(_) => names.push(part),
            ExprKind::Subquery(_) | ExprKind::AmongRows { .. } => reads = true,
            _ => {}
        });
        for name in names {
            reads |= self.resolve(source, &operand(source, block, name))?.origin != Origin::Parameter;
        }
        if reads {
            return Ok(None);
        }
        let asked = format!("SELECT QUOTE({}) AS weigh_value", &source.text[expression.span.clone()]);
        let row = self.ask(&source.place, &[asked])?.ok().and_then(|results| results.into_iter().flatten().next());
        let value = row.and_then(|row| row.get("weigh_value").cloned().flatten());
        Ok(value.map(|value| Known { column, value }))
    }
}

fn operand(source: &Source, block: usize, expression: &Expr) -> Operand {
    let text = source.text[expression.span.clone()].to_owned();
    Operand { block, expression: expression.clone(), text, is_editable: false }
}

/// Pairs of `a = b`, of each column of `(a, b) = (c, d)`, and of `a IN (b, …)` the first.
fn push_pairs<'e>(block: usize, expression: &'e Expr, pairs: &mut Vec<(usize, &'e Expr, &'e Expr)>) {
    match &expression.kind {
        ExprKind::Compare { operator, operands } if operator == "=" || operator == "<=>" => {
            let [left, right] = operands.as_slice() else { return };
            match (&left.kind, &right.kind) {
                (ExprKind::Row(left), ExprKind::Row(right)) => {
                    pairs.extend(left.iter().zip(right).map(|(left, right)| (block, left, right)));
                }
                _ => pairs.push((block, left, right)),
            }
        }
        ExprKind::Among { operator: "IN", operands } => {
            if let [left, right, ..] = operands.as_slice() {
                pairs.push((block, left, right));
            }
        }
        _ => {}
    }
}

/// True if a key has columns with known values, and the column behind them.
fn has_known_prefix(column: &ColumnRef, known: &[Known]) -> bool {
    let is_known = |part: &str| {
        let mut own = known.iter().filter(|one| is_table(&one.column.table, &column.table));
        own.any(|one| is_column(&one.column, part))
    };
    column.table.indexes.iter().any(|index| {
        let at = index.parts.iter().position(|(part, _)| is_column(column, part)).unwrap_or(0);
        at > 0 && index.parts[..at].iter().all(|(part, _)| is_known(part))
    })
}

fn is_column(column: &ColumnRef, name: &str) -> bool {
    column.column.eq_ignore_ascii_case(name)
}

fn is_table(one: &Table, other: &Table) -> bool {
    one.schema == other.schema && one.name == other.name
}

fn is_same(one: &ColumnRef, other: &ColumnRef) -> bool {
    is_table(&one.table, &other.table) && one.alias == other.alias && is_column(one, &other.column)
}
