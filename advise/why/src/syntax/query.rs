//! Query blocks: their tables, selected items and conditions.

use std::ops::Range;

use super::cursor::{Cursor, MAX_DEPTH};
use super::expression::Expr;

/// A statement as query blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    pub blocks: Vec<Block>,
    /// Blocks of each `UNION`, `INTERSECT` or `EXCEPT`.
    pub unions: Vec<Vec<usize>>,
}

/// A `SELECT`, or the tables and expressions of another statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The block around it.
    pub parent: Option<usize>,
    /// Place of the `WITH` clause in effect.
    pub with: Option<Range<usize>>,
    pub tables: Vec<TableRef>,
    pub items: Vec<Item>,
    /// Conditions and other expressions that are neither in `items` nor in `orders`.
    pub conditions: Vec<Expr>,
    /// Expressions of `GROUP BY` and `ORDER BY`.
    pub orders: Vec<Expr>,
    /// Columns of `USING`, with the index of the table on the right.
    pub using: Vec<(String, usize)>,
    /// Indexes of the tables on the right of `NATURAL JOIN`.
    pub natural: Vec<usize>,
    /// Columns left of `=` in `SET` and `ON DUPLICATE KEY UPDATE`: `a`, `t.a`, `shop.t.a`.
    pub assigned: Vec<Vec<String>>,
    /// Tables that a `DELETE` of several tables names before its joins: `t`, `shop.t`.
    pub deleted: Vec<Vec<String>>,
    /// Place of the tables, from the first to the last join.
    pub from: Option<Range<usize>>,
}

/// An expression of a `SELECT` list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub expression: Expr,
    pub alias: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableRef {
    /// Place of the table or the parenthesis, without the alias.
    pub span: Range<usize>,
    /// Name by which the statement refers to the table. Empty without one.
    pub alias: String,
    pub kind: TableKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableKind {
    Named {
        schema: Option<String>,
        name: String,
    },
    /// A subquery with its blocks.
    Derived(Vec<usize>),
    JsonTable,
}

/// Longest statement that is parsed, in bytes: a literal of 3 bytes takes some 1000 bytes of memory
/// where its list is judged.
pub const MAX_PARSED_BYTES: usize = 1 << 20;

/// Reads a statement. Statements other than queries, `INSERT`, `REPLACE`, `UPDATE`, `DELETE`, also
/// behind `EXPLAIN`, `SET`, `DO`, `CALL`, and `CREATE` and `ALTER` with a query have no blocks. Nor
/// have those longer than [`MAX_PARSED_BYTES`].
pub fn parse_statement(text: &str) -> Statement {
    if text.len() > MAX_PARSED_BYTES {
        return Statement::default();
    }
    let mut parser = Parser::new(text);
    parser.statement();
    parser.found
}

/// Reads an expression by itself, as a block without tables.
pub fn parse_expression(text: &str) -> Statement {
    let mut parser = Parser::new(text);
    let block = parser.open_block(None);
    let expression = parser.expression();
    parser.found.blocks[block].conditions.extend(expression);
    parser.found
}

pub(super) struct Parser<'s> {
    pub cursor: Cursor<'s>,
    pub found: Statement,
    /// Blocks around the position.
    open: Vec<usize>,
    with: Option<Range<usize>>,
}

/// Keywords after a table that are not its alias.
const AFTER_TABLE: &str = "where on using join inner left right cross natural straight_join outer group order having \
    limit union except intersect set for lock into use force ignore partition window values select procedure value";

impl<'s> Parser<'s> {
    pub fn new(text: &'s str) -> Self {
        Self { cursor: Cursor::new(text), found: Statement::default(), open: Vec::new(), with: None }
    }

    fn open_block(&mut self, parent: Option<usize>) -> usize {
        self.found.blocks.push(Block { parent, with: self.with.clone(), ..Block::default() });
        self.found.blocks.len() - 1
    }

    /// True before `SELECT`, `WITH` or `VALUES`, behind any number of parentheses.
    pub fn begins_query(&self) -> bool {
        let mut ahead = 0;
        while self.cursor.peek_after(ahead).is_some_and(|token| token.is_symbol('(')) {
            ahead += 1;
        }
        self.cursor.peek_after(ahead).is_some_and(|token| token.is_any_keyword(&["select", "with", "values"]))
    }

    fn statement(&mut self) {
        let Some(first) = self.cursor.peek() else { return };
        if self.begins_query() && !first.is_keyword("values") {
            self.query();
            return;
        }
        match first.text.to_lowercase().as_str() {
            "insert" | "replace" => self.insert(),
            "update" => self.update(),
            "delete" => self.delete(),
            "set" => self.settings(),
            "do" | "call" => self.expressions_only(),
            "explain" | "describe" | "desc" | "analyze" => self.explained(),
            "create" | "alter" => self.definition(),
            _ => {}
        }
    }

    /// Reads the `SELECT` of `CREATE TABLE … AS SELECT` and `CREATE VIEW … AS SELECT`.
    fn definition(&mut self) {
        while self.cursor.peek().is_some() {
            if self.begins_query() && !self.cursor.is_keyword("values") {
                // `GENERATED ALWAYS AS (SELECT …)` does not exist: a query here is the statement's.
                self.query();
                return;
            }
            self.cursor.skip_one();
        }
    }

    /// Reads the statement of `EXPLAIN FORMAT = JSON SELECT …`.
    fn explained(&mut self) {
        self.cursor.at += 1;
        while self.cursor.peek().is_some() {
            if self.begins_query() || self.cursor.is_any(&["insert", "replace", "update", "delete"]) {
                self.statement();
                return;
            }
            self.cursor.at += 1;
        }
    }

    /// Reads the values of `SET @a = x, b := y`. The targets are not compared.
    fn settings(&mut self) {
        let block = self.open_block(None);
        self.open.push(block);
        while self.cursor.peek().is_some() {
            let is_assigned = self.cursor.take_symbol('=');
            self.cursor.at += usize::from(!is_assigned);
            if is_assigned {
                let value = self.expression();
                self.found.blocks[block].conditions.extend(value);
            }
        }
        self.open.pop();
    }

    fn expressions_only(&mut self) {
        let block = self.open_block(None);
        self.open.push(block);
        self.cursor.at += 1;
        while self.cursor.peek().is_some() {
            self.one_condition(block);
        }
        self.open.pop();
    }

    fn one_condition(&mut self, block: usize) {
        let before = self.cursor.at;
        let expression = self.expression();
        self.found.blocks[block].conditions.extend(expression);
        if self.cursor.at == before {
            self.cursor.at += 1;
        }
    }

    fn insert(&mut self) {
        let block = self.open_block(None);
        self.open.push(block);
        self.cursor.at += 1;
        while self.cursor.take_any(&["low_priority", "delayed", "high_priority", "ignore", "into"]) {}
        self.table(block);
        while let Some(token) = self.cursor.peek() {
            if self.begins_query() && !token.is_keyword("values") {
                let branches = self.query();
                if self.begins_on_duplicate() {
                    // Its expressions can name the columns of the query's tables.
                    let tables = branches.first().map(|first| self.found.blocks[*first].tables.clone());
                    self.found.blocks[block].tables.extend(tables.unwrap_or_default());
                }
            } else if token.is_any_keyword(&["values", "value", "set", "update"]) {
                self.cursor.at += 1;
                self.assignments(block);
            } else {
                self.cursor.skip_one();
            }
        }
        self.open.pop();
    }

    fn begins_on_duplicate(&self) -> bool {
        self.cursor.is_keyword("on") && self.cursor.peek_after(1).is_some_and(|next| next.is_keyword("duplicate"))
    }

    /// Reads `a = x, b = y` or `(x, y), (z)`. The target left of `=` is not compared.
    fn assignments(&mut self, block: usize) {
        loop {
            let place = self.cursor.at;
            let target = self.dotted_name();
            if !target.is_empty() && (self.cursor.take_symbol('=') || self.cursor.is_operator(":=")) {
                self.found.blocks[block].assigned.push(target);
            } else {
                self.cursor.at = place;
            }
            self.cursor.at += if self.cursor.is_operator(":=") { 2 } else { 0 };
            let expression = self.expression();
            self.found.blocks[block].conditions.extend(expression);
            if !self.cursor.take_symbol(',') {
                return;
            }
        }
    }

    /// Reads `a`, `t.a` or `t.*`, of which it returns `t`. Returns nothing for other tokens.
    fn dotted_name(&mut self) -> Vec<String> {
        let mut names: Vec<String> = self.cursor.name().into_iter().collect();
        while !names.is_empty() && self.cursor.take_symbol('.') && !self.cursor.take_symbol('*') {
            match self.cursor.name() {
                Some(name) => names.push(name),
                None => break,
            }
        }
        names
    }

    fn update(&mut self) {
        let block = self.open_block(None);
        self.open.push(block);
        self.cursor.at += 1;
        while self.cursor.take_any(&["low_priority", "ignore"]) {}
        self.tables(block);
        if self.cursor.take_keyword("set") {
            self.assignments(block);
        }
        self.clauses(block);
        self.open.pop();
    }

    fn delete(&mut self) {
        let block = self.open_block(None);
        self.open.push(block);
        // Joined tables follow FROM in `DELETE a FROM …`, and USING in `DELETE FROM a USING …`.
        let mut tables = self.cursor.tokens.iter().take_while(|token| !token.is_any_keyword(&["where", "join"]));
        let has_using = tables.any(|token| token.is_keyword("using"));
        self.cursor.at += 1;
        while self.cursor.take_any(&["low_priority", "quick", "ignore"]) {}
        if has_using {
            self.cursor.take_keyword("from");
        }
        let word = if has_using { "using" } else { "from" };
        while self.cursor.peek().is_some() && !self.cursor.take_keyword(word) {
            let target = self.dotted_name();
            if target.is_empty() {
                self.cursor.at += 1;
            } else {
                self.found.blocks[block].deleted.push(target);
            }
        }
        self.tables(block);
        self.clauses(block);
        self.open.pop();
    }

    /// Reads a query with its `WITH` clause and the branches of its unions. Returns the blocks of
    /// the branches.
    pub fn query(&mut self) -> Vec<usize> {
        if self.cursor.depth > MAX_DEPTH {
            return Vec::new();
        }
        self.cursor.depth += 1;
        let outer_with = self.with.clone();
        if self.cursor.is_keyword("with") {
            self.with_clause();
        }
        let mut branches = Vec::new();
        loop {
            if self.cursor.is_symbol('(') && self.begins_query() {
                self.cursor.at += 1;
                branches.extend(self.query());
                self.cursor.take_symbol(')');
            } else if self.cursor.take_keyword("select") {
                branches.push(self.select());
            } else {
                break;
            }
            if !self.cursor.take_any(&["union", "except", "intersect"]) {
                break;
            }
            self.cursor.take_any(&["all", "distinct"]);
        }
        // ORDER BY and LIMIT behind a parenthesis.
        if let Some(&last) = branches.last() {
            self.clauses(last);
        }
        if branches.len() > 1 {
            self.found.unions.push(branches.clone());
        }
        self.with = outer_with;
        self.cursor.depth -= 1;
        branches
    }

    fn with_clause(&mut self) {
        let begin = self.cursor.start();
        self.cursor.at += 1;
        self.cursor.take_keyword("recursive");
        loop {
            self.cursor.name();
            if self.cursor.is_symbol('(') {
                self.cursor.skip_one();
            }
            self.cursor.take_keyword("as");
            if self.cursor.take_symbol('(') {
                self.query();
                self.cursor.take_symbol(')');
            }
            self.with = Some(begin..self.cursor.end());
            if !self.cursor.take_symbol(',') {
                return;
            }
        }
    }

    fn select(&mut self) -> usize {
        let block = self.open_block(self.open.last().copied());
        self.open.push(block);
        while self.cursor.take_any(&sql::SELECT_MODIFIERS) || self.cursor.take_any(&["straight_join"]) {}
        loop {
            let before = self.cursor.at;
            if self.cursor.take_symbol('*') {
            } else if let Some(expression) = self.expression() {
                let alias = self.item_alias();
                self.found.blocks[block].items.push(Item { expression, alias });
            }
            if !self.cursor.take_symbol(',') {
                break;
            }
            if self.cursor.at == before {
                break;
            }
        }
        self.clauses(block);
        self.open.pop();
        block
    }

    fn item_alias(&mut self) -> Option<String> {
        let explicit = self.cursor.take_keyword("as");
        let token = self.cursor.peek()?;
        let is_clause = token.is_any_keyword(&[
            "from",
            "into",
            "where",
            "group",
            "having",
            "order",
            "limit",
            "union",
            "except",
            "intersect",
            "for",
            "lock",
            "window",
            "procedure",
        ]);
        if !explicit && is_clause {
            return None;
        }
        if token.kind == sql::TokenKind::StringLiteral {
            self.cursor.at += 1;
            return Some(token.text.trim_matches(['\'', '"']).to_owned());
        }
        self.cursor.name()
    }

    /// Reads the clauses behind a list, up to the end of the block.
    fn clauses(&mut self, block: usize) {
        while let Some(token) = self.cursor.peek() {
            let ends = token.is_symbol(')') || token.is_any_keyword(&["union", "except", "intersect"]);
            if ends || self.begins_on_duplicate() {
                return;
            }
            self.cursor.at += 1;
            if token.is_keyword("from") {
                self.tables(block);
            } else if token.is_any_keyword(&["where", "having", "on"]) {
                let expression = self.expression();
                self.found.blocks[block].conditions.extend(expression);
            } else if token.is_any_keyword(&["group", "order"]) {
                self.cursor.take_keyword("by");
                self.order_list(block);
            } else if token.is_symbol('(') {
                self.cursor.skip_parenthesis();
            }
        }
    }

    fn order_list(&mut self, block: usize) {
        loop {
            let expression = self.expression();
            self.found.blocks[block].orders.extend(expression);
            self.cursor.take_any(&["asc", "desc"]);
            if !self.cursor.take_symbol(',') {
                return;
            }
        }
    }

    /// Reads joined tables with their conditions.
    fn tables(&mut self, block: usize) {
        let begin = self.cursor.start();
        self.table(block);
        loop {
            let before = self.cursor.at;
            let is_natural = self.cursor.take_keyword("natural");
            while self.cursor.take_any(&["inner", "cross", "left", "right", "full", "outer"]) {}
            let joins = self.cursor.take_any(&["join", "straight_join"]) || self.cursor.take_symbol(',');
            if joins {
                let count = self.found.blocks[block].tables.len();
                self.table(block);
                if is_natural && self.found.blocks[block].tables.len() > count {
                    self.found.blocks[block].natural.push(count);
                }
            } else if is_natural {
                self.cursor.at = before;
            }
            self.join_condition(block);
            if self.cursor.at == before {
                break;
            }
        }
        let end = self.cursor.end();
        let from = &mut self.found.blocks[block].from;
        *from = Some(from.as_ref().map_or(begin, |from| from.start.min(begin))..end);
    }

    fn join_condition(&mut self, block: usize) {
        if self.begins_on_duplicate() {
            return;
        }
        if self.cursor.take_keyword("on") {
            let condition = self.expression();
            self.found.blocks[block].conditions.extend(condition);
        } else if self.cursor.is_keyword("using") && self.cursor.peek_after(1).is_some_and(|next| next.is_symbol('(')) {
            self.cursor.at += 2;
            let right = self.found.blocks[block].tables.len().saturating_sub(1);
            while let Some(name) = self.cursor.name() {
                self.found.blocks[block].using.push((name, right));
                self.cursor.take_symbol(',');
            }
            self.cursor.take_symbol(')');
        }
    }

    fn table(&mut self, block: usize) {
        let begin = self.cursor.start();
        self.cursor.take_keyword("lateral");
        let kind = if self.cursor.is_symbol('(') {
            self.cursor.at += 1;
            if self.begins_query() {
                let blocks = self.query();
                self.cursor.take_symbol(')');
                TableKind::Derived(blocks)
            } else if self.cursor.depth > MAX_DEPTH {
                self.cursor.skip_parenthesis();
                return;
            } else {
                self.cursor.depth += 1;
                self.tables(block);
                self.cursor.depth -= 1;
                self.cursor.take_symbol(')');
                return;
            }
        } else if self.cursor.is_keyword("json_table") {
            self.cursor.at += 1;
            self.cursor.skip_one();
            TableKind::JsonTable
        } else {
            let Some(name) = self.cursor.name() else { return };
            if self.cursor.take_symbol('.') {
                let Some(table) = self.cursor.name() else { return };
                TableKind::Named { schema: Some(name), name: table }
            } else {
                TableKind::Named { schema: None, name }
            }
        };
        let span = begin..self.cursor.end();
        if self.cursor.take_keyword("partition") {
            self.cursor.skip_one();
        }
        let alias = self.table_alias().or_else(|| match &kind {
            TableKind::Named { name, .. } => Some(name.clone()),
            _ => None,
        });
        self.index_hints();
        self.found.blocks[block].tables.push(TableRef { span, alias: alias.unwrap_or_default(), kind });
    }

    fn table_alias(&mut self) -> Option<String> {
        let explicit = self.cursor.take_keyword("as");
        let token = self.cursor.peek()?;
        let follows =
            token.kind == sql::TokenKind::Word && AFTER_TABLE.split_whitespace().any(|word| token.is_keyword(word));
        if !explicit && follows {
            return None;
        }
        self.cursor.name()
    }

    fn index_hints(&mut self) {
        while self.cursor.is_any(&["use", "force", "ignore"])
            && self.cursor.peek_after(1).is_some_and(|next| next.is_any_keyword(&["index", "key"]))
        {
            self.cursor.at += 2;
            if self.cursor.take_keyword("for") {
                self.cursor.take_any(&["join", "order", "group"]);
                self.cursor.take_keyword("by");
            }
            self.cursor.skip_one();
            self.cursor.take_symbol(',');
        }
    }
}

#[cfg(test)]
mod tests;
