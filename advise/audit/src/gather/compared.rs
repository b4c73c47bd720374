//! Columns of different collations that a statement compares.

use std::collections::HashSet;

use facts::{Facts, Index};
use server::{Conn, Error};

use super::Gatherer;
use super::pairs::{ColumnPair, column_ref, compared_collation};
use super::plans::PlanLine;
use crate::input::{IndexUse, JoinKind, JoinPlans, Statement, Warning};
use crate::text::{ComparisonKind, Operand, Scope, find_comparisons, is_compared_with_values, tokens};
use rules::joins::TableColumn;

/// Maximum number of pairs of columns of a statement that are explained one by one.
const MAX_PAIRS: usize = 50;

/// Compared columns, by whether an index on them would help.
pub(super) struct ComparedColumns<'a> {
    pairs: Vec<ColumnPair<'a>>,
    /// Columns whose index would help: the plan scans their table, and not only to look up the
    /// pair's other column by the rows.
    would_use_index: Vec<TableColumn<'a>>,
    /// Columns whose index would not help: the plan scans their table to look up the pair's other
    /// column by the rows. Columns that are also compared with a value are left out.
    driving: Vec<TableColumn<'a>>,
}

impl<'a> ComparedColumns<'a> {
    /// `lines` are the plan of the statement.
    pub fn find(facts: &'a Facts, statement: &Statement, schema: Option<&str>, lines: &[PlanLine]) -> Self {
        let tokens = tokens(&statement.text);
        let scope = Scope::from_statement(facts, &tokens, schema);
        let mut found = Self { pairs: find_pairs(&scope, &tokens), would_use_index: Vec::new(), driving: Vec::new() };
        for pair in &found.pairs {
            for (own, other) in [(pair.left, pair.right), (pair.right, pair.left)] {
                let drives = |alias: &str| {
                    scope.aliases(other.table).any(|driven| is_looked_up_from(lines, driven, other, alias))
                };
                let mut scanned = scope.aliases(own.table).filter(|alias| is_scanned(lines, alias)).peekable();
                if scanned.peek().is_none() {
                    continue;
                }
                if scanned.all(drives) { &mut found.driving } else { &mut found.would_use_index }.push(own);
            }
        }
        let is_compared_with_value = |column: &TableColumn<'_>| is_compared_with_values(&tokens, &column.column.name);
        found.driving.retain(|column| !contains(&found.would_use_index, *column) && !is_compared_with_value(column));
        found
    }

    /// True for a warning about an index of a column in `driving`: the plan doesn't need the index.
    pub fn is_needless(&self, warning: &Warning) -> bool {
        self.driving.iter().any(|TableColumn { table, column }| {
            let message = &warning.message;
            let is_index = |index: &Index| message.contains(&format!("index '{}'", index.name));
            // MySQL names index and column, MariaDB table and column.
            message.contains(&format!("`{}`.`{}`", table.name, column.name))
                || message.contains(&format!("field '{}'", column.name)) && table.indexes.iter().any(is_index)
        })
    }
}

impl Gatherer<'_> {
    /// Explains the pairs with a column in `would_use_index`, at most [`MAX_PAIRS`], each as a join
    /// of its two columns alone. Returns the joins that lose an index on such a column.
    ///
    /// A server gives no warning where it treats a table as `const`. MySQL 5.6 and 5.7 give none
    /// for a comparison of two character sets. MariaDB without `note_verbosity` gives none at all.
    pub(super) fn find_lost_indexes_without_warning(
        &mut self,
        conn: &mut Conn,
        compared: &ComparedColumns<'_>,
        place: &str,
    ) -> Result<Vec<JoinPlans>, Error> {
        let is_column_scanned = |column: TableColumn<'_>| contains(&compared.would_use_index, column);
        let scanned =
            compared.pairs.iter().filter(|pair| is_column_scanned(pair.left) || is_column_scanned(pair.right));
        let pairs: Vec<&ColumnPair<'_>> = scanned.collect();
        if pairs.len() > MAX_PAIRS {
            let what = format!("indexes that the comparisons of {place} lose without a warning");
            let why = format!(
                "it compares {} pairs of columns of different collations, with a scanned table each; the first {MAX_PAIRS} are explained",
                pairs.len()
            );
            self.add_unseen(what, why, None);
        }
        let mut joins = Vec::new();
        for pair in pairs.into_iter().take(MAX_PAIRS) {
            let mut join = self.explain_join(conn, pair)?;
            join.lookups.retain(|lookup| {
                let looked_up =
                    [pair.left, pair.right].into_iter().find(|one| column_ref(*one) == lookup.indexed_column);
                lookup.usage == IndexUse::Lost && looked_up.is_some_and(is_column_scanned)
            });
            if !join.lookups.is_empty() {
                joins.push(join);
            }
        }
        Ok(joins)
    }
}

/// Finds the pairs of columns of different collations that a statement compares, without
/// duplicates.
fn find_pairs<'a>(scope: &Scope<'a>, tokens: &[sql::Token<'_>]) -> Vec<ColumnPair<'a>> {
    let mut pairs: Vec<ColumnPair<'a>> = Vec::new();
    let mut known = HashSet::new();
    for comparison in find_comparisons(tokens).iter().filter(|one| one.kind == ComparisonKind::Compared) {
        for left in scope.find(&comparison.left) {
            for right in scope.find(&comparison.right) {
                let Some(pair) = pair(&left, &right) else { continue };
                let mut keys = [pair.left.key(), pair.right.key()];
                keys.sort_unstable();
                if known.insert(keys) {
                    pairs.push(pair);
                }
            }
        }
    }
    pairs
}

/// `None` if both are compared in the same collation, or one of them is not a column of a base
/// table.
fn pair<'a>(left: &Operand<'a>, right: &Operand<'a>) -> Option<ColumnPair<'a>> {
    let side = |operand: &Operand<'a>| operand.column.map(|(table, column)| TableColumn { table, column });
    let (left, right) = (side(left)?, side(right)?);
    let differ = compared_collation(left.column) != compared_collation(right.column);
    differ.then_some(ColumnPair { left, right, kind: JoinKind::Compared })
}

fn contains(columns: &[TableColumn<'_>], column: TableColumn<'_>) -> bool {
    columns.iter().any(|one| one.key() == column.key())
}

/// True if the plan reads a table, named by its alias, by a full table scan or index scan.
fn is_scanned(lines: &[PlanLine], alias: &str) -> bool {
    lines.iter().any(|line| line.is_of(alias) && matches!(line.access.as_deref(), Some("ALL" | "index")))
}

/// True if the plan reads `driving` before `driven`, and looks up an index of `driven` that begins
/// with the column by values of `driving`. Both tables are named by their aliases. A converted
/// value counts always, because the plan writes `func` for it and doesn't name its table.
fn is_looked_up_from(lines: &[PlanLine], driven: &str, column: TableColumn<'_>, driving: &str) -> bool {
    let mut later = lines.iter().skip_while(|line| !line.is_of(driving)).skip(1);
    later.any(|line| {
        let is_used =
            |index: &Index| Some(index.name.as_str()) == line.key.as_deref() && index.can_look_up(&column.column.name);
        let value = line.lookup.as_deref().and_then(|values| values.split(',').next());
        // A converted value is shown as `func`, an unchanged one as `shop.o.code`.
        let is_from = |value: &str| {
            let table = value.rsplit('.').nth(1);
            value == "func" || table.is_some_and(|table| table.eq_ignore_ascii_case(driving))
        };
        line.is_of(driven) && column.table.indexes.iter().any(is_used) && value.is_some_and(is_from)
    })
}
