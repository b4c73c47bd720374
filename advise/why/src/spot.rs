//! Expressions of a statement whose result depends on the collations of their operands.

use std::ops::Range;

use sql::{SqlMode, TokenKind, quote_identifier, tokenize};

use crate::copy::Place;
use crate::syntax::{Expr, ExprKind, Statement, parse_expression, parse_statement};

/// A statement, or an expression of a stored program, with its place.
#[derive(Clone, Debug)]
pub struct Source {
    pub place: Place,
    pub text: String,
    pub parsed: Statement,
    /// Place in the stored program's `CREATE` statement.
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

impl Source {
    pub fn statement(place: Place, text: &str, offset: usize) -> Self {
        Self { parsed: parse_statement(text), place, text: text.to_owned(), offset, is_expression: false }
    }

    pub fn expression(place: Place, text: &str, offset: usize) -> Self {
        Self { parsed: parse_expression(text), place, text: text.to_owned(), offset, is_expression: true }
    }

    /// Returns `FROM` with the tables of a block, none of which has a row, and of `levels` blocks
    /// around it. In a trigger, also `NEW` and `OLD`.
    pub fn no_rows_clause(&self, block: usize, levels: usize) -> String {
        let mut from = String::from("FROM (SELECT 1 AS weigh_one) AS weigh_none");
        let mut names: Vec<String> = Vec::new();
        let (mut at, mut left) = (Some(block), levels);
        while let Some(block) = at.and_then(|at| self.parsed.blocks.get(at)) {
            for table in &block.tables {
                let name = table.alias.to_lowercase();
                if names.contains(&name) {
                    continue;
                }
                let text = &self.text[table.span.clone()];
                from += &format!(" LEFT JOIN {text} AS {} ON FALSE", quote_identifier(&table.alias));
                names.push(name);
            }
            if left == 0 {
                break;
            }
            left -= 1;
            at = block.parent;
        }
        if let Place::Program { program, .. } = &self.place
            && let Some(table) = &program.table
        {
            for row in ["NEW", "OLD"] {
                from += &format!(" LEFT JOIN {} AS {row} ON FALSE", sql::quote_table(&program.schema, table));
            }
        }
        from
    }

    /// Returns `FROM` with the joins of a block as they are written, none of which has a row.
    pub fn joined_clause(&self, block: usize) -> Option<String> {
        let from = self.parsed.blocks.get(block)?.from.clone()?;
        Some(format!("FROM (SELECT 1 AS weigh_one) AS weigh_none LEFT JOIN ({}) ON FALSE", &self.text[from]))
    }

    pub fn with_clause(&self, block: usize) -> &str {
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
                if let [left, right] = rows.as_slice() {
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
                let Some(inner) = blocks.first().and_then(|at| self.parsed.blocks.get(*at)) else { return };
                let needles = match &needle.kind {
                    ExprKind::Row(parts) => parts.iter().collect(),
                    _ => vec![needle.as_ref()],
                };
                for (needle, item) in needles.into_iter().zip(&inner.items) {
                    let operands = vec![self.operand(block, needle), self.operand(blocks[0], &item.expression)];
                    let mut spot = self.spot(block, SpotKind::Comparison, "IN", span.clone(), operands);
                    let rows = format!(
                        "{} SELECT {} {}",
                        self.with_clause(blocks[0]),
                        spot.operands[1].text,
                        self.no_rows_clause(blocks[0], 0)
                    );
                    spot.alone = format!("{} IN ({})", spot.operands[0].text, rows.trim());
                    spots.push(spot);
                }
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
            let name = |table: usize| {
                let names = vec![content.tables[table].alias.clone(), column.clone()];
                let text = names.iter().map(|name| quote_identifier(name)).collect::<Vec<_>>().join(".");
                let expression = Expr { span: 0..0, kind: ExprKind::Name(names) };
                Operand { block, expression, text, is_editable: false }
            };
            if *right >= content.tables.len() {
                continue;
            }
            for left in 0..*right {
                let mut spot = self.pair(block, "=", name(left), name(*right));
                spot.text = format!("USING ({column})");
                spots.push(spot);
            }
        }
    }

    fn push_union(&self, branches: &[usize], spots: &mut Vec<Spot>) {
        let items = |at: &usize| self.parsed.blocks.get(*at).map_or(0, |block| block.items.len());
        let columns = branches.iter().map(items).min().unwrap_or(0);
        for column in 0..columns {
            let operand = |at: &usize| self.operand(*at, &self.parsed.blocks[*at].items[column].expression);
            let operands: Vec<Operand> = branches.iter().map(operand).collect();
            let alone: Vec<String> = operands
                .iter()
                .map(|one| {
                    format!("{} SELECT {} {}", self.with_clause(one.block), one.text, self.no_rows_clause(one.block, 0))
                })
                .collect();
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
