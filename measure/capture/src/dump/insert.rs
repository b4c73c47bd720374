//! Rows of INSERT and REPLACE statements.

use sql::{SqlMode, TableName, Token, TokenKind, TupleValue, read_table_name};
use workload_folder::{Cell, Column};

use crate::server_source::value_from_bytes;
use crate::source_table::SourceTable;

/// Length of a statement's start that is searched for names, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Returns the first [`MAX_HEAD_BYTES`] of a statement. Bytes that aren't UTF-8 are replaced.
pub fn head(statement: &[u8]) -> String {
    String::from_utf8_lossy(&statement[..statement.len().min(MAX_HEAD_BYTES)]).into_owned()
}

pub fn content_tokens(text: &str) -> Vec<Token<'_>> {
    let is_content = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    sql::tokenize(text, SqlMode::default()).filter(is_content).collect()
}

pub struct Insert<'s> {
    /// Schema before the table's name.
    pub schema: Option<String>,
    /// Text after `VALUES`.
    pub rows: &'s [u8],
    /// For each column of the table, its position in a tuple; `None` if the statement doesn't list
    /// it.
    positions: Vec<Option<usize>>,
    /// Number of columns of a tuple.
    columns: usize,
}

impl<'s> Insert<'s> {
    /// Reads an INSERT or REPLACE with VALUES into one of the tables. Returns the table's position,
    /// too. `None` for other statements.
    pub fn read(statement: &'s [u8], tables: &[&SourceTable]) -> Option<(usize, Self)> {
        let head = head(statement);
        let tokens = content_tokens(&head);
        let values = tokens.iter().find(|token| token.is_keyword("values") || token.is_keyword("value"))?;
        let words = ["insert", "replace", "low_priority", "delayed", "high_priority", "ignore", "into"];
        let begin = tokens.iter().position(|token| !token.is_any_keyword(&words))?;
        let (TableName { schema, name }, length) = read_table_name(&tokens[begin..])?;
        let at = tables.iter().position(|table| table.shape.name == name)?;
        let table = tables[at];
        let listed: Vec<String> = tokens[begin + length..]
            .iter()
            .take_while(|token| token.start < values.start)
            .filter_map(Token::name)
            .collect();
        // Without a list, a tuple has all columns, also generated ones (as DEFAULT).
        let all: Vec<String> = table.shape.columns.iter().map(|column| column.name.clone()).collect();
        let order = if listed.is_empty() { &all } else { &listed };
        let position = |column: &Column| order.iter().position(|name| *name == column.name);
        let positions = table.columns.iter().map(position).collect();
        Some((at, Self { schema, rows: statement.get(values.end()..)?, positions, columns: order.len() }))
    }

    /// Checks that a tuple has no more values than columns, and only literals for those of the table.
    pub fn check(&self, tuple: &[TupleValue], table: &SourceTable) -> Result<(), String> {
        let name = &table.shape.name;
        if tuple.len() > self.columns {
            return Err(format!("a row of {name} has {} values for {} columns", tuple.len(), self.columns));
        }
        let is_expression = |position: &Option<usize>| {
            position.is_some_and(|position| matches!(tuple.get(position), Some(TupleValue::Expression)))
        };
        let column = table.columns.iter().zip(&self.positions).find(|(_, position)| is_expression(position));
        column.map_or(Ok(()), |(column, _)| {
            Err(format!("a value of {name}.{} is an expression; weigh reads literals, not expressions", column.name))
        })
    }

    pub fn row(&self, tuple: &[TupleValue], table: &SourceTable) -> Vec<Cell> {
        let cell = |(column, position): (&Column, &Option<usize>)| match tuple.get((*position)?)? {
            TupleValue::Null | TupleValue::Expression => None,
            TupleValue::Text(bytes) => Some(value_from_bytes(column, bytes.clone())),
        };
        table.columns.iter().zip(&self.positions).map(cell).collect()
    }
}
