//! Rows on both sides of the values that a statement compares columns with by `<` and the like, so
//! that a condition such as `created > NOW() - INTERVAL 7 DAY` does not cut all made-up rows away.

use super::value::Sample;
use super::{DIGITS, insert};
use crate::Error;
use crate::copy::Copy;
use crate::judge::MAX_ASKED;
use crate::origin::ColumnRef;
use crate::spot::Source;
use crate::syntax::{Expr, ExprKind};

/// The numbers of these rows begin with this and the table's number of rows, above those of filled
/// tables.
const FIRST: u64 = 7000;

/// A column that is compared by order with a value.
pub struct Bounded {
    pub column: ColumnRef,
    /// Text of the comparison.
    pub text: String,
    /// The value as SQL.
    value: String,
    /// True if the rows that the comparison finds have greater values.
    is_above: bool,
}

impl Copy<'_> {
    /// Columns of numbers and dates that sources compare by `<`, `>` or BETWEEN with a value.
    pub fn bounded_columns(&mut self, sources: &[&Source]) -> Result<Vec<Bounded>, Error> {
        let mut found: Vec<Bounded> = Vec::new();
        let mut asked = 0;
        for source in sources {
            for (block, content) in source.parsed.blocks.iter().enumerate() {
                let mut bounds: Vec<Bound<'_>> = Vec::new();
                for condition in &content.conditions {
                    condition.walk(&mut |part| bounds.extend(bound(part)));
                }
                let room = MAX_ASKED.saturating_sub(asked);
                asked += bounds.len();
                for bound in bounds.into_iter().take(room) {
                    let Some(bounded) = self.bounded_column(source, block, &bound)? else { continue };
                    if !found.iter().any(|known| known.column.title() == bounded.column.title()) {
                        found.push(bounded);
                    }
                }
            }
        }
        Ok(found)
    }

    fn bounded_column(&mut self, source: &Source, block: usize, bound: &Bound<'_>) -> Result<Option<Bounded>, Error> {
        let Some(column) = self.bare_column(source, block, bound.column)? else { return Ok(None) };
        let is_ordered = column.table.column(&column.column).is_some_and(|own| {
            matches!(own.data_type.as_str(), "date" | "datetime" | "timestamp" | "int" | "bigint" | "mediumint")
        });
        if !is_ordered {
            return Ok(None);
        }
        let text = source.text[bound.span.clone()].to_owned();
        let known = self.known(source, block, column, bound.value)?;
        Ok(known.map(|known| Bounded { column: known.column, text, value: known.value, is_above: bound.is_above }))
    }

    /// Adds a thousand rows to each table, which the comparisons find.
    pub fn add_rows_in_bounds(&mut self, bounded: &[Bounded]) -> Result<(), Error> {
        let mut tables: Vec<(&str, &str)> = Vec::new();
        for one in bounded {
            let table = (one.column.table.schema.as_str(), one.column.table.name.as_str());
            if !tables.contains(&table) {
                tables.push(table);
                let made = self.add_rows_of_table(table, bounded)?;
                self.count_made_up(table.0, table.1, made);
            }
        }
        Ok(())
    }

    fn add_rows_of_table(&mut self, (schema, name): (&str, &str), bounded: &[Bounded]) -> Result<u64, Error> {
        let mut columns = self.read_columns(schema, name)?;
        let before = self.count_rows(schema, name)?;
        let first = FIRST + before;
        let own = bounded.iter().filter(|one| one.column.table.schema == schema && one.column.table.name == name);
        for one in own {
            for column in columns.iter_mut().filter(|column| column.name.eq_ignore_ascii_case(&one.column.column)) {
                column.sample = Sample::Fixed(one.row_value(first));
            }
        }
        let numbers = format!(
            "(SELECT {first} + x.d * 100 + y.d * 10 + z.d AS n FROM {DIGITS} x, {DIGITS} y, {DIGITS} z) AS numbers"
        );
        let insert = insert(schema, name, &columns, None);
        self.change_rows_despite_rules(schema, name, &[format!("{insert} FROM {numbers}")])?;
        Ok(self.count_rows(schema, name)?.saturating_sub(before))
    }
}

impl Bounded {
    /// Expression for the value of a row by its number `n`, which begins with `first`.
    fn row_value(&self, first: u64) -> String {
        let data_type = self.column.table.column(&self.column.column).map(|own| own.data_type.as_str());
        let sign = if self.is_above { '+' } else { '-' };
        let distance = format!("(n - {first})");
        match data_type {
            Some("date") => format!("DATE({}) {sign} INTERVAL 1 + {distance} DIV 100 DAY", self.value),
            Some("datetime" | "timestamp") => {
                format!("CAST({} AS DATETIME) {sign} INTERVAL 1 + {distance} MINUTE", self.value)
            }
            _ => format!("{} {sign} (1 + {distance})", self.value),
        }
    }
}

/// Column and value of a comparison by order.
struct Bound<'e> {
    column: &'e Expr,
    value: &'e Expr,
    is_above: bool,
    span: std::ops::Range<usize>,
}

/// Reads `a > 1`, `1 < a` and `a BETWEEN 1 AND 9`.
fn bound(expression: &Expr) -> Option<Bound<'_>> {
    let span = expression.span.clone();
    let is_name = |part: &Expr| matches!(part.kind, ExprKind::Name(_));
    match &expression.kind {
        ExprKind::Compare { operator, operands } if operator.starts_with(['<', '>']) && !is_other(operator) => {
            let [left, right] = operands.as_slice() else { return None };
            let is_greater = operator.starts_with('>');
            match (is_name(left), is_name(right)) {
                (true, false) => Some(Bound { column: left, value: right, is_above: is_greater, span }),
                (false, true) => Some(Bound { column: right, value: left, is_above: !is_greater, span }),
                _ => None,
            }
        }
        ExprKind::Among { operator: "BETWEEN", operands } => {
            let [column, low, _] = operands.as_slice() else { return None };
            is_name(column).then_some(Bound { column, value: low, is_above: true, span })
        }
        _ => None,
    }
}

/// True for `<>` and `<=>`, which compare by no order.
fn is_other(operator: &str) -> bool {
    matches!(operator, "<>" | "<=>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_expression;

    #[test]
    fn comparisons_by_order_are_read() {
        let read = |text: &str| {
            let parsed = parse_expression(text);
            let expression = parsed.blocks.first()?.conditions.first()?;
            let found = bound(expression)?;
            Some((text[found.column.span.clone()].to_owned(), found.is_above))
        };
        assert_eq!(read("a > NOW() - INTERVAL 7 DAY"), Some(("a".into(), true)));
        assert_eq!(read("5 >= t.a"), Some(("t.a".into(), false)));
        assert_eq!(read("a BETWEEN 1 AND 9"), Some(("a".into(), true)));
        for text in ["a <> 1", "a <=> 1", "a = 1", "a < b", "a NOT LIKE 'x'"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
