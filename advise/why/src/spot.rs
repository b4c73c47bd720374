//! Expressions of a statement whose result depends on the collations of their operands.

use std::ops::Range;

use sql::{SqlMode, TokenKind, quote_identifier, tokenize};

use crate::copy::Place;
use crate::syntax::{Expr, ExprKind, Item, Statement, parse_expression, parse_statement};
use crate::trial::is_explainable;

/// A statement, or an expression of a stored program, with its place.
#[derive(Clone, Debug)]
pub struct Source {
    pub place: Place,
    pub text: String,
    pub parsed: Statement,
    /// Byte offset of the text in the `CREATE` statement of its program or view; 0 for a statement.
    pub offset: usize,
    pub is_expression: bool,
}

/// An expression with its operands.
#[derive(Clone, Debug)]
pub struct Spot {
    pub block: usize,
    pub kind: SpotKind,
    pub operation: String,
    /// Text to show.
    pub text: String,
    /// Expression that a server can evaluate without the rest of the statement.
    pub alone: String,
    pub operands: Vec<Operand>,
    /// Place of the collation's name in a COLLATE clause.
    pub collation: Option<Range<usize>>,
}

impl Spot {
    /// True for regular expressions, such as `REGEXP`, `RLIKE` and `REGEXP_LIKE(…)`.
    pub fn is_pattern(&self) -> bool {
        let operation = self.operation.to_lowercase();
        operation.starts_with("regexp") || operation == "rlike"
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotKind {
    /// A comparison, which an index can serve.
    Comparison,
    Call,
    Collate,
    Union,
    /// `ORDER BY` or `GROUP BY` an expression with COLLATE.
    Order,
}

#[derive(Clone, Debug)]
pub struct Operand {
    pub block: usize,
    pub expression: Expr,
    pub text: String,
    /// Whether the text can be replaced at its place.
    pub is_editable: bool,
}

/// Joins of a query that has no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// The tables without their join conditions.
    None,
    /// With the joins of the statement. A column of `USING` is then one column.
    Written,
}

/// Table of one row, to which the tables of a query without rows are joined.
const NO_ROWS: &str = "FROM (SELECT 1 AS weigh_one) AS weigh_none";

/// Mark in a query for its expressions.
const EXPRESSIONS: &str = "\u{1}";

impl Source {
    pub fn statement(place: Place, text: &str, offset: usize) -> Self {
        Self { parsed: parse_statement(text), place, text: text.to_owned(), offset, is_expression: false }
    }

    pub fn expression(place: Place, text: &str, offset: usize) -> Self {
        Self { parsed: parse_expression(text), place, text: text.to_owned(), offset, is_expression: true }
    }

    /// Returns a query of one row for expressions of a block, each with a name. No table has a row.
    /// Names are looked up as in the statement: in the block's tables, then in those of each of
    /// `levels` blocks around it, at last in `NEW` and `OLD` of a trigger.
    pub fn no_rows_query(&self, block: usize, levels: usize, joins: Joins, expressions: &[(&str, &str)]) -> String {
        let mut layers = self.layers(block, levels, joins);
        let outermost = layers.pop().unwrap_or_default();
        let nest = |expression: &str| {
            let wrap = |inner: String, layer: &String| format!("({})", layer.replacen(EXPRESSIONS, &inner, 1));
            layers.iter().fold(expression.to_owned(), wrap)
        };
        let items = expressions.iter().map(|(expression, name)| format!("{} AS {name}", nest(expression)));
        outermost.replacen(EXPRESSIONS, &items.collect::<Vec<_>>().join(", "), 1)
    }

    /// True if the first word is one of `words`.
    pub fn begins_with(&self, words: &[&str]) -> bool {
        let is_comment = |token: &sql::Token<'_>| token.kind == TokenKind::Comment;
        let first = tokenize(&self.text, SqlMode::default()).find(|token| !is_comment(token));
        first.is_some_and(|token| token.is_any_keyword(words))
    }

    /// True for statements that EXPLAIN takes, for the query of a `CREATE TABLE`, and for an
    /// expression of a program with a subquery.
    pub fn has_plan(&self) -> bool {
        let text = crate::ddl::create_query(&self.text).unwrap_or(&self.text);
        if self.is_expression { self.parsed.blocks.len() > 1 } else { is_explainable(text) }
    }

    /// Replaces the aliases of a block's items by their expressions, as HAVING and ORDER BY
    /// understand them. `None` if the text names no alias.
    pub fn replace_aliases(&self, block: usize, text: &str) -> Option<String> {
        let items = &self.parsed.blocks.get(block)?.items;
        let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default()).collect();
        let is_symbol = |at: Option<usize>, symbols: &[char]| {
            let token = at.and_then(|at| tokens.get(at));
            token.is_some_and(|token| symbols.iter().any(|symbol| token.is_symbol(*symbol)))
        };
        let mut edits = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let is_part = is_symbol(at.checked_sub(1), &['.']) || is_symbol(Some(at + 1), &['.', '(']);
            let Some(name) = token.name().filter(|_| !is_part) else { continue };
            let is_meant = |item: &&Item| item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&name));
            if let Some(item) = items.iter().find(is_meant) {
                edits.push((token.start..token.end(), format!("({})", &self.text[item.expression.span.clone()])));
            }
        }
        (!edits.is_empty()).then(|| crate::remedy::splice(text, &edits))
    }

    /// Number of blocks around a block.
    pub fn depth(&self, block: usize) -> usize {
        self.around(block).count().saturating_sub(1)
    }

    /// A block and those around it, the innermost first.
    fn around(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(block), |at| self.parsed.blocks.get(*at)?.parent)
    }

    /// Queries without their expressions, the innermost first: the block's, those around it, and a
    /// trigger's rows.
    fn layers(&self, block: usize, levels: usize, joins: Joins) -> Vec<String> {
        let queries = self.around(block).take(levels + 1).map(|at| self.layer(at, joins));
        queries.chain(self.trigger_layer()).collect()
    }

    fn layer(&self, block: usize, joins: Joins) -> String {
        let from = match joins {
            Joins::None => None,
            Joins::Written => self.joined_clause(block),
        };
        let from = from.unwrap_or_else(|| self.no_rows_clause(block));
        format!("{} SELECT {EXPRESSIONS} {from}", self.with_clause(block)).trim_start().to_owned()
    }

    /// Query of `NEW` and `OLD`. `None` unless the place is a trigger.
    fn trigger_layer(&self) -> Option<String> {
        let Place::Program { program, .. } = &self.place else { return None };
        let table = sql::quote_table(&program.schema, program.table.as_ref()?);
        let rows = ["NEW", "OLD"].map(|row| format!(" LEFT JOIN {table} AS {row} ON FALSE")).concat();
        Some(format!("SELECT {EXPRESSIONS} {NO_ROWS}{rows}"))
    }

    /// Returns `FROM` with the tables of a block, none of which has a row.
    fn no_rows_clause(&self, block: usize) -> String {
        let mut from = String::from(NO_ROWS);
        let mut names: Vec<String> = Vec::new();
        for table in self.parsed.blocks.get(block).iter().flat_map(|block| &block.tables) {
            let name = table.alias.to_lowercase();
            if names.contains(&name) {
                continue;
            }
            let text = &self.text[table.span.clone()];
            from += &format!(" LEFT JOIN {text} AS {} ON FALSE", quote_identifier(&table.alias));
            names.push(name);
        }
        from
    }

    /// Returns `FROM` with the joins of a block as they are written, none of which has a row.
    /// `None` for a block without tables.
    fn joined_clause(&self, block: usize) -> Option<String> {
        let from = self.parsed.blocks.get(block)?.from.clone()?;
        Some(format!("{NO_ROWS} LEFT JOIN ({}) ON FALSE", &self.text[from]))
    }

    fn with_clause(&self, block: usize) -> &str {
        self.parsed.blocks.get(block).and_then(|block| block.with.clone()).map_or("", |with| &self.text[with])
    }

    fn operand(&self, block: usize, expression: &Expr) -> Operand {
        let text = close_comment(&self.text[expression.span.clone()]);
        Operand { block, expression: expression.clone(), text, is_editable: true }
    }

    /// Finds the spots, the inner ones first.
    pub fn spots(&self) -> Vec<Spot> {
        let mut spots = Vec::new();
        for (block, content) in self.parsed.blocks.iter().enumerate() {
            let items = content.items.iter().map(|item| &item.expression);
            for top in items.chain(&content.conditions).chain(&content.orders) {
                top.walk(&mut |expression| self.push_spots(block, expression, &mut spots));
            }
            for order in &content.orders {
                if let ExprKind::Collate { inner, .. } = &order.kind {
                    let operands = vec![self.operand(block, inner), self.operand(block, order)];
                    spots.push(self.spot(block, SpotKind::Order, "ORDER BY", order.span.clone(), operands));
                }
            }
            self.push_using(block, &mut spots);
        }
        for branches in &self.parsed.unions {
            self.push_union(branches, &mut spots);
        }
        spots
    }

    fn spot(&self, block: usize, kind: SpotKind, operation: &str, span: Range<usize>, operands: Vec<Operand>) -> Spot {
        let text = close_comment(&self.text[span]);
        Spot { block, kind, operation: operation.to_owned(), alone: text.clone(), text, operands, collation: None }
    }

    fn push_spots(&self, block: usize, expression: &Expr, spots: &mut Vec<Spot>) {
        let span = expression.span.clone();
        let all = |operands: &[Expr]| operands.iter().map(|operand| self.operand(block, operand)).collect::<Vec<_>>();
        match &expression.kind {
            ExprKind::Compare { operator, operands } => {
                let rows: Vec<&Vec<Expr>> = operands
                    .iter()
                    .filter_map(|operand| match &operand.kind {
                        ExprKind::Row(parts) => Some(parts),
                        _ => None,
                    })
                    .collect();
                if let [ExprKind::Row(needles), ExprKind::Subquery(blocks)] = [&operands[0].kind, &operands[1].kind] {
                    self.push_row_query(block, (operator, span), needles, blocks, spots);
                } else if let [left, right] = rows.as_slice() {
                    for (left, right) in left.iter().zip(*right) {
                        spots.push(self.pair(block, operator, self.operand(block, left), self.operand(block, right)));
                    }
                } else {
                    spots.push(self.spot(block, SpotKind::Comparison, operator, span, all(operands)));
                }
            }
            ExprKind::Among { operator, operands } => {
                spots.push(self.spot(block, SpotKind::Comparison, operator, span, all(operands)));
            }
            ExprKind::AmongRows { needle, blocks } => {
                let needles = match &needle.kind {
                    ExprKind::Row(parts) => parts.as_slice(),
                    _ => std::slice::from_ref(needle.as_ref()),
                };
                self.push_row_query(block, ("IN", span), needles, blocks, spots);
            }
            ExprKind::Call { name, arguments, .. } if arguments.len() > 1 => {
                spots.push(self.spot(block, SpotKind::Call, &name.to_lowercase(), span, all(arguments)));
            }
            ExprKind::Case { operand, whens, results } => {
                if let Some(operand) = operand {
                    let operands = std::iter::once(operand.as_ref()).chain(whens);
                    let operands = operands.map(|one| self.operand(block, one)).collect();
                    spots.push(self.spot(block, SpotKind::Call, "case", span.clone(), operands));
                }
                if results.len() > 1 {
                    spots.push(self.spot(block, SpotKind::Call, "case", span, all(results)));
                }
            }
            ExprKind::Collate { inner, collation } => {
                let spot = self.spot(block, SpotKind::Collate, "COLLATE", span, vec![self.operand(block, inner)]);
                spots.push(Spot { collation: Some(collation.clone()), ..spot });
            }
            _ => {}
        }
    }

    /// Compares values with the items of a subquery: `(a, b) IN (SELECT …)`, `(a, b) = (SELECT …)`.
    fn push_row_query(
        &self,
        block: usize,
        (operator, span): (&str, Range<usize>),
        needles: &[Expr],
        blocks: &[usize],
        spots: &mut Vec<Spot>,
    ) {
        let Some(inner) = blocks.first().and_then(|at| self.parsed.blocks.get(*at)) else { return };
        for (needle, item) in needles.iter().zip(&inner.items) {
            let operands = vec![self.operand(block, needle), self.operand(blocks[0], &item.expression)];
            let mut spot = self.spot(block, SpotKind::Comparison, operator, span.clone(), operands);
            let rows = self.layer(blocks[0], Joins::None).replacen(EXPRESSIONS, &spot.operands[1].text, 1);
            spot.alone = format!("{} {operator} ({rows})", spot.operands[0].text);
            spots.push(spot);
        }
    }

    fn pair(&self, block: usize, operator: &str, left: Operand, right: Operand) -> Spot {
        let text = format!("{} {operator} {}", left.text, right.text);
        let operands = vec![left, right];
        Spot {
            block,
            kind: SpotKind::Comparison,
            operation: operator.to_owned(),
            alone: text.clone(),
            text,
            operands,
            collation: None,
        }
    }

    /// `USING (a)` compares the column of the table on the right with that of each table before it.
    fn push_using(&self, block: usize, spots: &mut Vec<Spot>) {
        let content = &self.parsed.blocks[block];
        for (column, right) in &content.using {
            if *right >= content.tables.len() {
                continue;
            }
            let title = format!("USING ({column})");
            spots.extend((0..*right).map(|left| self.pair_of_tables(block, column, (left, *right), &title)));
        }
    }

    /// Comparison of two tables' columns of one name, which the statement does not write out.
    pub fn pair_of_tables(&self, block: usize, column: &str, (left, right): (usize, usize), title: &str) -> Spot {
        let operand = |table: usize| {
            let names = vec![self.parsed.blocks[block].tables[table].alias.clone(), column.to_owned()];
            let text = names.iter().map(|name| quote_identifier(name)).collect::<Vec<_>>().join(".");
            let expression = Expr { span: 0..0, kind: ExprKind::Name(names) };
            Operand { block, expression, text, is_editable: false }
        };
        Spot { text: title.to_owned(), ..self.pair(block, "=", operand(left), operand(right)) }
    }

    fn push_union(&self, branches: &[usize], spots: &mut Vec<Spot>) {
        let items = |at: &usize| self.parsed.blocks.get(*at).map_or(0, |block| block.items.len());
        let columns = branches.iter().map(items).min().unwrap_or(0);
        for column in 0..columns {
            let operand = |at: &usize| self.operand(*at, &self.parsed.blocks[*at].items[column].expression);
            let operands: Vec<Operand> = branches.iter().map(operand).collect();
            let branch = |one: &Operand| self.layer(one.block, Joins::None).replacen(EXPRESSIONS, &one.text, 1);
            let alone: Vec<String> = operands.iter().map(branch).collect();
            let text = operands.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" UNION ");
            spots.push(Spot {
                block: branches[0],
                kind: SpotKind::Union,
                operation: "UNION".into(),
                text,
                alone: alone.join(" UNION "),
                operands,
                collation: None,
            });
        }
    }
}

/// Closes a conditional comment that begins in a text and ends after it: in
/// `name /*! COLLATE utf8_bin */`, the expression ends before the mark.
fn close_comment(text: &str) -> String {
    let marks = tokenize(text, SqlMode::default()).filter(|token| token.kind == TokenKind::ConditionalComment).count();
    if marks % 2 == 1 { format!("{text} */") } else { text.to_owned() }
}
