//! Columns and variables that a statement's names can refer to.

use facts::{Column, Facts, Table};
use sql::{Token, TokenKind, find_tables};

use super::comparison::Name;

/// A column or a variable with its collation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand<'a> {
    /// `shop.orders.code`, or the variable's name.
    pub name: String,
    pub collation: String,
    /// `None` for variables, and for columns of views and of tables that a program creates.
    pub column: Option<(&'a Table, &'a Column)>,
}

impl Operand<'_> {
    /// Returns the first usable B-tree index that begins with the column.
    pub fn index(&self) -> Option<&str> {
        let (table, column) = self.column?;
        table.indexes.iter().find(|index| index.can_look_up(&column.name)).map(|index| index.name.as_str())
    }
}

/// Tables of one statement, and variables of its program.
#[derive(Clone, Default)]
pub struct Scope<'a> {
    /// Names by which the statement refers to a table, and the table's text columns.
    tables: Vec<(String, Vec<Operand<'a>>)>,
    variables: Vec<Operand<'a>>,
}

impl<'a> Scope<'a> {
    /// Returns the scope of a statement. Tables that are not in `facts` are left out.
    ///
    /// `schema` is the schema of tables that are named without one.
    pub fn from_statement(facts: &'a Facts, tokens: &[Token<'_>], schema: Option<&str>) -> Self {
        let mut scope = Self::default();
        for named in find_tables(tokens) {
            let Some(schema) = named.schema.as_deref().or(schema) else { continue };
            let columns = text_columns(facts, schema, &named.name);
            if !columns.is_empty() {
                for alias in aliases(tokens, &named) {
                    scope.add_table(&alias, columns.clone());
                }
            }
        }
        scope
    }

    /// Adds a table under the name by which statements refer to it.
    pub fn add_table(&mut self, name: &str, columns: Vec<Operand<'a>>) {
        self.tables.push((name.to_lowercase(), columns));
    }

    /// Adds the tables and variables of another scope.
    pub fn extend(&mut self, other: &Self) {
        self.tables.extend(other.tables.iter().cloned());
        self.variables.extend(other.variables.iter().cloned());
    }

    /// Adds a parameter or variable. It takes precedence over columns and earlier variables of its
    /// name.
    pub fn add_variable(&mut self, name: &str, collation: &str) {
        let operand = Operand { name: name.to_owned(), collation: collation.to_owned(), column: None };
        self.variables.push(operand);
    }

    /// Returns the names, in lower case, by which the statement refers to a table.
    pub fn aliases<'s>(&'s self, table: &'s Table) -> impl Iterator<Item = &'s str> {
        let is_of = move |operand: &Operand<'a>| operand.column.is_some_and(|(own, _)| std::ptr::eq(own, table));
        self.tables.iter().filter(move |(_, columns)| columns.iter().any(is_of)).map(|(alias, _)| alias.as_str())
    }

    /// Returns what a name can refer to: several columns, if several tables of the statement have
    /// one of that name.
    pub fn find(&self, name: &Name) -> Vec<Operand<'a>> {
        if name.table.is_none()
            && let Some(variable) =
                self.variables.iter().rev().find(|variable| variable.name.eq_ignore_ascii_case(&name.column))
        {
            return vec![variable.clone()];
        }
        let mut found = Vec::new();
        for (alias, columns) in &self.tables {
            if name.table.as_ref().is_some_and(|table| table.to_lowercase() != *alias) {
                continue;
            }
            let has_name = |operand: &&Operand<'a>| {
                operand.name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case(&name.column))
            };
            for operand in columns.iter().filter(has_name) {
                if !found.contains(operand) {
                    found.push(operand.clone());
                }
            }
        }
        found
    }
}

/// Returns the columns of a table or view that have a collation.
pub fn text_columns<'a>(facts: &'a Facts, schema: &str, name: &str) -> Vec<Operand<'a>> {
    let Some(schema) = facts.schemas.iter().find(|one| one.name.eq_ignore_ascii_case(schema)) else {
        return Vec::new();
    };
    if let Some(table) = schema.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name)) {
        let operand = |column: &'a Column| {
            Some(Operand {
                name: check::column_name(&table.schema, &table.name, &column.name),
                collation: column.collation.clone()?,
                column: Some((table, column)),
            })
        };
        return table.columns.iter().filter_map(operand).collect();
    }
    let Some(view) = schema.views.iter().find(|view| view.program.name.eq_ignore_ascii_case(name)) else {
        return Vec::new();
    };
    let operand = |column: &Column| {
        Some(Operand {
            name: check::column_name(&schema.name, &view.program.name, &column.name),
            collation: column.collation.clone()?,
            column: None,
        })
    };
    view.columns.iter().filter_map(operand).collect()
}

/// Returns a table's aliases in a statement, or its own name where it has none.
fn aliases(tokens: &[Token<'_>], table: &sql::TableName) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let is_name = tokens[at].name().is_some_and(|name| name == table.name);
        let begins = at.checked_sub(1).is_none_or(|before| {
            let before = tokens[before];
            before.is_symbol(',')
                || before.is_symbol('(')
                || before.is_symbol('.')
                || before.kind == TokenKind::Word && !before.is_any_keyword(&["select", "where", "on", "and", "or"])
        });
        if !is_name || !begins {
            continue;
        }
        let mut after = at + 1;
        if tokens.get(after).is_some_and(|token| token.is_keyword("as")) {
            after += 1;
        }
        let alias = tokens.get(after).filter(|token| {
            token.kind == TokenKind::QuotedName || token.kind == TokenKind::Word && !follows_table(token)
        });
        let alias = alias.and_then(Token::name).unwrap_or_else(|| table.name.clone());
        if !found.contains(&alias) {
            found.push(alias);
        }
    }
    found
}

/// Keywords that follow a table name without an alias.
const WORDS_AFTER_TABLE: &str = "where on using join inner left right cross natural straight_join outer group order \
    having limit union except intersect set for lock into use force ignore partition window values value select \
    procedure then do end";

fn follows_table(token: &Token<'_>) -> bool {
    WORDS_AFTER_TABLE.split_whitespace().any(|word| token.is_keyword(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_aliases() {
        let found = |text: &str, name: &str| {
            let table = sql::TableName { schema: None, name: name.to_owned() };
            aliases(&crate::text::tokens(text), &table)
        };
        assert_eq!(found("SELECT * FROM t JOIN t AS u ON t.a = u.a", "t"), ["t", "u"]);
        assert_eq!(found("SELECT * FROM shop.t x, `u` WHERE 1", "t"), ["x"]);
        assert_eq!(found("SELECT * FROM shop.t x, `u` WHERE 1", "u"), ["u"]);
    }
}
