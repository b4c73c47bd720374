//! Columns and variables that a statement's names can refer to.

use std::collections::{BTreeMap, HashMap};

use facts::{Column, Facts, SystemColumn, Table};
use sql::{Token, TokenKind, find_tables};

use super::comparison::Name;
use crate::distinct::Distinct;

/// A column or a variable with its collation.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    /// `shop.orders.code`, or the variable's name.
    pub name: String,
    pub collation: String,
    /// `None` for variables, and for columns of views, of the server's own tables, and of tables
    /// that a program creates.
    pub column: Option<(&'a Table, &'a Column)>,
}

impl Operand<'_> {
    /// Returns the first usable B-tree index that begins with the column.
    pub fn index(&self) -> Option<&str> {
        let (table, column) = self.column?;
        table.indexes.iter().find(|index| index.can_look_up(&column.name)).map(|index| index.name.as_str())
    }

    /// Name without schema and table.
    fn column_name(&self) -> &str {
        let last = || self.name.rsplit('.').next().unwrap_or(&self.name);
        self.column.map_or_else(last, |(_, column)| column.name.as_str())
    }

    /// True for one column under two names. Operands of views are compared by their names.
    fn is_same(&self, other: &Self) -> bool {
        match (self.column, other.column) {
            (Some((_, own)), Some((_, other))) => std::ptr::eq(own, other),
            (None, None) => self.name == other.name && self.collation == other.collation,
            _ => false,
        }
    }
}

/// Tables of one statement, and variables of its program.
#[derive(Default)]
pub struct Scope<'a> {
    tables: Vec<ScopeTable<'a>>,
    /// Positions of the tables, by the names in lower case that refer to them.
    aliases: BTreeMap<String, Vec<usize>>,
    /// Variables, by their names in lower case.
    variables: HashMap<String, Operand<'a>>,
}

struct ScopeTable<'a> {
    /// Text columns, by their names in lower case.
    columns: HashMap<String, Operand<'a>>,
    /// True for `NEW` and `OLD`, whose columns are not named alone.
    is_row: bool,
}

impl<'a> Scope<'a> {
    /// Returns the scope of a statement. Tables that are not in `facts` are left out.
    ///
    /// `schema` is the schema of tables that are named without one.
    pub fn from_statement(facts: &'a Facts, tokens: &[Token<'_>], schema: Option<&str>) -> Self {
        let mut scope = Self::default();
        let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, name) in tokens.iter().enumerate().filter_map(|(at, token)| Some((at, token.name()?))) {
            positions.entry(name).or_default().push(at);
        }
        for named in find_tables(tokens) {
            let Some(schema) = named.schema.as_deref().or(schema) else { continue };
            let columns = text_columns(facts, schema, &named.name);
            let places = positions.get(&named.name).map_or(&[][..], Vec::as_slice);
            if !columns.is_empty() {
                scope.add(aliases(tokens, &named.name, places), columns, false);
            }
        }
        scope
    }

    /// Adds a table under the name by which statements refer to it.
    pub fn add_table(&mut self, name: &str, columns: Vec<Operand<'a>>) {
        self.add(vec![name.to_owned()], columns, false);
    }

    /// Adds the row of a trigger: `NEW` or `OLD`.
    pub fn add_row(&mut self, name: &str, columns: Vec<Operand<'a>>) {
        self.add(vec![name.to_owned()], columns, true);
    }

    fn add(&mut self, aliases: Vec<String>, columns: Vec<Operand<'a>>, is_row: bool) {
        if aliases.is_empty() {
            return;
        }
        for alias in aliases {
            self.aliases.entry(alias.to_lowercase()).or_default().push(self.tables.len());
        }
        let columns = columns.into_iter().map(|operand| (operand.column_name().to_lowercase(), operand));
        self.tables.push(ScopeTable { columns: columns.collect(), is_row });
    }

    /// Adds a parameter or variable. It takes precedence over columns and earlier variables of its
    /// name.
    pub fn add_variable(&mut self, name: &str, collation: &str) {
        let operand = Operand { name: name.to_owned(), collation: collation.to_owned(), column: None };
        self.variables.insert(name.to_lowercase(), operand);
    }

    /// Removes a variable whose collation is not known any more.
    pub fn remove_variable(&mut self, name: &str) {
        self.variables.remove(&name.to_lowercase());
    }

    pub fn has_variable(&self, name: &str) -> bool {
        self.variables.contains_key(&name.to_lowercase())
    }

    /// Returns the names, in lower case, by which the statement refers to a table.
    pub fn aliases<'s>(&'s self, table: &'s Table) -> impl Iterator<Item = &'s str> {
        let is_of = move |at: &usize| {
            let mut columns = self.tables[*at].columns.values();
            columns.any(|operand| operand.column.is_some_and(|(own, _)| std::ptr::eq(own, table)))
        };
        self.aliases.iter().filter(move |(_, tables)| tables.iter().any(is_of)).map(|(alias, _)| alias.as_str())
    }

    /// Returns what a name can refer to: several columns, if several tables of the statement have
    /// one of that name.
    pub fn find(&self, name: &Name) -> Vec<Operand<'a>> {
        self.find_within(&Self::default(), name)
    }

    /// Returns what a name can refer to in the scope of a statement and that of its program.
    pub fn find_within(&self, program: &Self, name: &Name) -> Vec<Operand<'a>> {
        let column = name.column.to_lowercase();
        let variable = || self.variables.get(&column).or_else(|| program.variables.get(&column));
        if let Some(variable) = name.table.is_none().then(variable).flatten() {
            return vec![variable.clone()];
        }
        let mut found: Vec<Operand<'a>> = Vec::new();
        for scope in [self, program] {
            for operand in scope.tables_named(name.table.as_deref()).filter_map(|table| table.columns.get(&column)) {
                if !found.iter().any(|one| one.is_same(operand)) {
                    found.push(operand.clone());
                }
            }
        }
        found
    }

    /// Returns the tables of this name or alias; without a name, all whose columns can be named
    /// alone.
    fn tables_named(&self, alias: Option<&str>) -> impl Iterator<Item = &ScopeTable<'a>> {
        let named = alias.map(|alias| self.aliases.get(&alias.to_lowercase()).into_iter().flatten());
        let all = named.is_none().then(|| self.tables.iter().filter(|table| !table.is_row));
        named.into_iter().flatten().map(|at| &self.tables[*at]).chain(all.into_iter().flatten())
    }
}

/// Returns the columns of a table or view that have a collation.
pub fn text_columns<'a>(facts: &'a Facts, schema: &str, name: &str) -> Vec<Operand<'a>> {
    let Some(schema) = facts.schemas.iter().find(|one| one.name.eq_ignore_ascii_case(schema)) else {
        let operand = |one: &SystemColumn| Operand {
            name: check::column_name(&one.schema, &one.table, &one.column),
            collation: one.collation.clone(),
            column: None,
        };
        return facts.system_columns(schema, name).map(operand).collect();
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

/// Returns a table's aliases in a statement, or its own name where it has none. `places` are the
/// positions of its name.
fn aliases(tokens: &[Token<'_>], table: &str, places: &[usize]) -> Vec<String> {
    let mut found = Distinct::default();
    for &at in places {
        let begins = at.checked_sub(1).is_none_or(|before| {
            let before = tokens[before];
            before.is_symbol(',')
                || before.is_symbol('(')
                || before.is_symbol('.')
                || before.kind == TokenKind::Word && !before.is_any_keyword(&["select", "where", "on", "and", "or"])
        });
        if !begins {
            continue;
        }
        let mut after = at + 1;
        if tokens.get(after).is_some_and(|token| token.is_keyword("as")) {
            after += 1;
        }
        let alias = tokens.get(after).filter(|token| {
            token.kind == TokenKind::QuotedName || token.kind == TokenKind::Word && !follows_table(token)
        });
        let alias = alias.and_then(Token::name).unwrap_or_else(|| table.to_owned());
        found.add(alias);
    }
    found.list
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
            let tokens = crate::text::tokens(text);
            let places: Vec<usize> =
                (0..tokens.len()).filter(|at| tokens[*at].name().is_some_and(|own| own == name)).collect();
            aliases(&tokens, name, &places)
        };
        assert_eq!(found("SELECT * FROM t JOIN t AS u ON t.a = u.a", "t"), ["t", "u"]);
        assert_eq!(found("SELECT * FROM shop.t x, `u` WHERE 1", "t"), ["x"]);
        assert_eq!(found("SELECT * FROM shop.t x, `u` WHERE 1", "u"), ["u"]);
    }
}
