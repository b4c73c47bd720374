//! Columns of different collations that a statement compares.

use server::{Conn, Error};

use super::Gatherer;
use super::pairs::{ColumnPair, column_ref, compared_collation};
use super::plans::PlanLine;
use crate::input::{IndexUse, JoinKind, JoinPlans, Statement};
use crate::text::{Operand, Scope, find_comparisons, tokens};
use rules::joins::TableColumn;

impl Gatherer<'_> {
    /// Explains each join of columns that a statement compares by itself. Returns the joins that
    /// lose the index of a table that the statement reads from end to end. `lines` are the plan of
    /// the statement. The server doesn't warn of the loss where it reads a table as a constant, and
    /// MySQL 5.6 never warns.
    pub(super) fn explain_compared(
        &mut self,
        conn: &mut Conn,
        statement: &Statement,
        schema: Option<&str>,
        lines: &[PlanLine],
    ) -> Result<Vec<JoinPlans>, Error> {
        let tokens = tokens(&statement.text);
        let scope = Scope::from_statement(self.facts, &tokens, schema);
        let mut joins: Vec<JoinPlans> = Vec::new();
        for comparison in find_comparisons(&tokens) {
            for left in scope.find(&comparison.left) {
                for right in scope.find(&comparison.right) {
                    let Some(pair) = pair(&left, &right) else { continue };
                    let names = (column_ref(pair.left), column_ref(pair.right));
                    if joins.iter().any(|join| (&join.left, &join.right) == (&names.0, &names.1)) {
                        continue;
                    }
                    let mut join = self.explain_join(conn, &pair)?;
                    join.lookups.retain(|lookup| {
                        let column = &lookup.indexed_column;
                        let table = self.facts.table(&column.schema, &column.table);
                        lookup.usage == IndexUse::Lost
                            && table.is_some_and(|table| scope.aliases(table).any(|alias| is_scanned(lines, alias)))
                    });
                    if !join.lookups.is_empty() {
                        joins.push(join);
                    }
                }
            }
        }
        Ok(joins)
    }
}

/// Returns two columns of different collations. `None` for variables and columns of views.
fn pair<'a>(left: &Operand<'a>, right: &Operand<'a>) -> Option<ColumnPair<'a>> {
    let side = |operand: &Operand<'a>| operand.column.map(|(table, column)| TableColumn { table, column });
    let (left, right) = (side(left)?, side(right)?);
    let differ = compared_collation(left.column) != compared_collation(right.column);
    differ.then_some(ColumnPair { left, right, kind: JoinKind::Compared })
}

/// True if the plan reads a table, named by its alias, from end to end.
fn is_scanned(lines: &[PlanLine], alias: &str) -> bool {
    lines.iter().any(|line| {
        line.table.as_deref().is_some_and(|table| table.eq_ignore_ascii_case(alias))
            && matches!(line.access.as_deref(), Some("ALL" | "index"))
    })
}
