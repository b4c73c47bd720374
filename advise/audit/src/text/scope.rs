//! Columns and variables that a statement's names can refer to.

use std::collections::{BTreeMap, HashMap};

use facts::{Column, Facts, Schema, SystemColumn, Table, View};
use sql::{TableName, Token, TokenKind, find_tables};

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
    /// Returns the name of the first usable B-tree index that begins with the column.
    pub fn index_name(&self) -> Option<&str> {
        let (table, column) = self.column?;
        table.indexes.iter().find(|index| index.can_look_up(&column.name)).map(|index| index.name.as_str())
    }

    /// Name without schema and table.
    fn column_name(&self) -> &str {
        let last = || self.name.rsplit('.').next().unwrap_or(&self.name);
        self.column.map_or_else(last, |(_, column)| column.name.as_str())
    }

    /// True for one column under two names. Operands without `column` are compared by name and
    /// collation.
    fn is_same(&self, other: &Self) -> bool {
        match (self.column, other.column) {
            (Some((_, own)), Some((_, other))) => std::ptr::eq(own, other),
            (None, None) => self.name == other.name && self.collation == other.collation,
            _ => false,
        }
    }
}

/// Tables and variables that names in one statement, or anywhere in its program, can refer to.
#[derive(Default)]
pub struct Scope<'a> {
    tables: Vec<ScopeTable<'a>>,
    /// Positions of the tables, by the names in lower case that refer to them.
    tables_by_alias: BTreeMap<String, Vec<usize>>,
    /// Variables, by their names in lower case.
    variables: HashMap<String, Operand<'a>>,
}

struct ScopeTable<'a> {
    /// `None` for `NEW` and `OLD`, and for tables that a program creates.
    schema: Option<String>,
    /// Text columns, by their names in lower case.
    columns: HashMap<String, Operand<'a>>,
    /// True for `NEW` and `OLD`, whose columns are not named alone.
    is_row: bool,
}

impl<'a> Scope<'a> {
    /// Returns the scope of a statement. Tables that are not in `facts`, and those without a text
    /// column, are left out.
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
                let table = ScopeTable::new(Some(schema.to_owned()), columns, false);
                scope.add(aliases(tokens, &named, places), table);
            }
        }
        scope
    }

    /// Adds a table under the name by which statements refer to it.
    pub fn add_table(&mut self, name: &str, columns: Vec<Operand<'a>>) {
        self.add(vec![name.to_owned()], ScopeTable::new(None, columns, false));
    }

    /// Adds the row of a trigger: `NEW` or `OLD`.
    pub fn add_row(&mut self, name: &str, columns: Vec<Operand<'a>>) {
        self.add(vec![name.to_owned()], ScopeTable::new(None, columns, true));
    }

    fn add(&mut self, aliases: Vec<String>, table: ScopeTable<'a>) {
        if aliases.is_empty() {
            return;
        }
        for alias in aliases {
            self.tables_by_alias.entry(alias.to_lowercase()).or_default().push(self.tables.len());
        }
        self.tables.push(table);
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
        let aliases = self.tables_by_alias.iter().filter(move |(_, tables)| tables.iter().any(is_of));
        aliases.map(|(alias, _)| alias.as_str())
    }

    /// Returns what a name can refer to: several columns, if several tables of the statement have
    /// one of that name.
    pub fn find(&self, name: &Name) -> Vec<Operand<'a>> {
        self.find_here_or_in(&Self::default(), name)
    }

    /// Returns what a name can refer to in the scope of a statement and that of its program.
    pub fn find_here_or_in(&self, program: &Self, name: &Name) -> Vec<Operand<'a>> {
        let column = name.column.to_lowercase();
        let variable = || self.variables.get(&column).or_else(|| program.variables.get(&column));
        if let Some(variable) = name.table.is_none().then(variable).flatten() {
            return vec![variable.clone()];
        }
        let mut found: Vec<Operand<'a>> = Vec::new();
        for scope in [self, program] {
            for operand in scope.tables_named(name).filter_map(|table| table.columns.get(&column)) {
                if !found.iter().any(|one| one.is_same(operand)) {
                    found.push(operand.clone());
                }
            }
        }
        found
    }

    /// Returns the tables of a column's name: those of its schema and its table or alias. Without a
    /// table, all whose columns can be named alone.
    fn tables_named<'s>(&'s self, column: &'s Name) -> impl Iterator<Item = &'s ScopeTable<'a>> {
        let alias = column.table.as_deref();
        let named = alias.map(|alias| self.tables_by_alias.get(&alias.to_lowercase()).into_iter().flatten());
        let all = named.is_none().then(|| self.tables.iter().filter(|table| !table.is_row));
        let found = named.into_iter().flatten().map(|at| &self.tables[*at]).chain(all.into_iter().flatten());
        found.filter(|table| table.is_in(column.schema.as_deref()))
    }
}

impl<'a> ScopeTable<'a> {
    fn new(schema: Option<String>, columns: Vec<Operand<'a>>, is_row: bool) -> Self {
        let columns = columns.into_iter().map(|operand| (operand.column_name().to_lowercase(), operand));
        Self { schema, columns: columns.collect(), is_row }
    }

    /// True if one of the schemas is not known, or both are the same.
    fn is_in(&self, schema: Option<&str>) -> bool {
        let (Some(own), Some(schema)) = (self.schema.as_deref(), schema) else { return true };
        own.eq_ignore_ascii_case(schema)
    }
}

/// Finds an object by its name: of several that differ in case only, the one with this very name.
/// Servers with `lower_case_table_names=0` can have both `T` and `t`.
fn find_named<'o, T>(objects: &'o [T], name: &str, name_of: impl Fn(&T) -> &str) -> Option<&'o T> {
    let exact = objects.iter().find(|object| name_of(object) == name);
    exact.or_else(|| objects.iter().find(|object| name_of(object).eq_ignore_ascii_case(name)))
}

/// Returns the columns of a table or view that have a collation.
pub fn text_columns<'a>(facts: &'a Facts, schema: &str, name: &str) -> Vec<Operand<'a>> {
    let Some(schema) = find_named(&facts.schemas, schema, |one| &one.name) else {
        let operand = |one: &SystemColumn| Operand {
            name: check::column_name(&one.schema, &one.table, &one.column),
            collation: one.collation.clone(),
            column: None,
        };
        return facts.system_columns(schema, name).map(operand).collect();
    };
    let table = find_named(&schema.tables, name, |table| &table.name);
    let view = find_named(&schema.views, name, |view| &view.program.name);
    match (table, view) {
        (Some(table), None) => table_columns(table),
        // Only one of them can have this very name.
        (Some(table), Some(view)) if view.program.name != name => table_columns(table),
        (_, Some(view)) => view_columns(schema, view),
        (None, None) => Vec::new(),
    }
}

fn table_columns(table: &Table) -> Vec<Operand<'_>> {
    let operand = |column| {
        let Column { name, collation, .. }: &Column = column;
        Some(Operand {
            name: check::column_name(&table.schema, &table.name, name),
            collation: collation.clone()?,
            column: Some((table, column)),
        })
    };
    table.columns.iter().filter_map(operand).collect()
}

fn view_columns<'a>(schema: &Schema, view: &View) -> Vec<Operand<'a>> {
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
/// positions of its name without the schema.
fn aliases(tokens: &[Token<'_>], table: &TableName, places: &[usize]) -> Vec<String> {
    let mut found = Distinct::default();
    let is_dot = |at: usize| tokens.get(at).is_some_and(|token| token.is_symbol('.'));
    for &at in places {
        let schema = (at > 1 && is_dot(at - 1)).then(|| tokens[at - 2].name()).flatten();
        if schema != table.schema || is_dot(at + 1) {
            continue;
        }
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
            token.kind == TokenKind::QuotedName || token.kind == TokenKind::Word && !follows_table(tokens, after)
        });
        let alias = alias.and_then(Token::name).unwrap_or_else(|| table.name.clone());
        found.add(alias);
    }
    found.list
}

/// Keywords that follow a table name without an alias.
const WORDS_AFTER_TABLE: &str = "where on using join inner left right cross natural straight_join outer group order \
    having limit union except intersect set for lock into use force ignore partition window values value select \
    procedure fetch then do end";

/// Keywords of MariaDB that begin a clause after a table name, and names in MySQL: `OFFSET 1 ROWS`,
/// `RETURNING a`.
const CLAUSES_OR_NAMES: [&str; 2] = ["offset", "returning"];

/// True if the word at `at` follows a table name and is no alias of it.
fn follows_table(tokens: &[Token<'_>], at: usize) -> bool {
    let is_after_table = |token: &Token<'_>| WORDS_AFTER_TABLE.split_whitespace().any(|word| token.is_keyword(word));
    let ends = |token: &Token<'_>| is_after_table(token) || [',', ')', ';'].iter().any(|one| token.is_symbol(*one));
    let has_operand = || tokens.get(at + 1).is_some_and(|next| !ends(next));
    is_after_table(&tokens[at]) || tokens[at].is_any_keyword(&CLAUSES_OR_NAMES) && has_operand()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_aliases() {
        let of_schema = |text: &str, schema: Option<&str>, name: &str| {
            let tokens = crate::text::tokens(text);
            let places: Vec<usize> =
                (0..tokens.len()).filter(|at| tokens[*at].name().is_some_and(|own| own == name)).collect();
            aliases(&tokens, &TableName { schema: schema.map(str::to_owned), name: name.to_owned() }, &places)
        };
        let found = |text: &str, name: &str| of_schema(text, None, name);
        assert_eq!(found("SELECT * FROM t JOIN t AS u ON t.a = u.a", "t"), ["t", "u"]);
        assert_eq!(of_schema("SELECT * FROM shop.t x, `u` WHERE 1", Some("shop"), "t"), ["x"]);
        assert_eq!(found("SELECT * FROM shop.t x, `u` WHERE 1", "u"), ["u"]);
        let two = "SELECT t.a, archive.t.a FROM t JOIN archive.t o ON t.a = o.a";
        assert_eq!((found(two, "t"), of_schema(two, Some("archive"), "t")), (vec!["t".into()], vec!["o".into()]));
        for end in ["FETCH FIRST 1 ROWS ONLY", "OFFSET 1 ROWS", "RETURNING a", "PROCEDURE ANALYSE()"] {
            assert_eq!(found(&format!("SELECT 1 FROM t {end}"), "t"), ["t"], "{end}");
        }
        assert_eq!(found("SELECT offset.a FROM t offset WHERE 1", "t"), ["offset"]);
    }
}
