//! Tables, views and programs of the copy.

use mysql::prelude::Queryable;
use server::{Flavour, Version};
use sql::{quote_identifier, quote_string};

use crate::Error;
use crate::copy::{Copy, Session, StoredProgram};
use crate::syntax::parse_program;

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub data_type: String,
    /// `None` for other types than text.
    pub charset: Option<String>,
    pub collation: Option<String>,
    /// Maximum length in characters, of binary types in bytes.
    pub characters: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub schema: String,
    pub name: String,
    pub is_view: bool,
    pub engine: String,
    pub row_format: String,
    /// Default of new columns.
    pub collation: Option<String>,
    pub columns: Vec<Column>,
    pub indexes: Vec<Index>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub name: String,
    /// Columns in order, with the length of a prefix. An expression has no name.
    pub parts: Vec<(String, Option<u64>)>,
    /// Expressions of a functional index: "lower(`name`)".
    pub expressions: Vec<String>,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    pub fn is_indexed(&self, column: &str) -> bool {
        self.indexes.iter().any(|index| index.parts.iter().any(|(part, _)| part.eq_ignore_ascii_case(column)))
    }

    /// True if a functional index has an expression of the column.
    pub fn is_indexed_in_expression(&self, column: &str) -> bool {
        let quoted = quote_identifier(column).to_lowercase();
        let mut expressions = self.indexes.iter().flat_map(|index| &index.expressions);
        expressions.any(|expression| expression.to_lowercase().contains(&quoted))
    }
}

/// True if a column is computed, by `EXTRA`: `VIRTUAL GENERATED`, `STORED GENERATED`; in MariaDB
/// 10.1 `VIRTUAL`, `PERSISTENT`. MySQL's `DEFAULT_GENERATED` is a default that is an expression.
pub(crate) fn is_generated(extra: &str) -> bool {
    let mut words = extra.split_whitespace();
    words.any(|word| ["GENERATED", "VIRTUAL", "PERSISTENT"].iter().any(|one| word.eq_ignore_ascii_case(one)))
}

/// Schema, name, type, engine, row format and collation of a table.
type Head = (String, String, String, Option<String>, Option<String>, Option<String>);

/// Name, type, character set, collation and length of a column.
type ColumnRow = (String, String, Option<String>, Option<String>, Option<u64>);

/// Name of an index; column, prefix and expression of a part of it.
type PartRow = (String, Option<String>, Option<u64>, Option<String>);

/// Groups the parts of indexes, which come in the order of the indexes' names.
fn group_parts(parts: Vec<PartRow>) -> Vec<Index> {
    let mut indexes: Vec<Index> = Vec::new();
    for (name, column, prefix, expression) in parts {
        if indexes.last().is_none_or(|last| last.name != name) {
            indexes.push(Index { name, parts: Vec::new(), expressions: Vec::new() });
        }
        if let Some(last) = indexes.last_mut() {
            last.parts.push((column.unwrap_or_default(), prefix));
            last.expressions.extend(expression);
        }
    }
    indexes
}

impl Copy<'_> {
    /// Reads a table or view. `None` if the name is unknown.
    pub fn table(&self, schema: &str, name: &str) -> Result<Option<Table>, Error> {
        let mut conn = self.server().connect()?;
        let (schema, name) = (quote_string(schema), quote_string(name));
        let fail = |source| self.failed("read a table's columns", source);
        let heads: Vec<Head> = conn
            .query(format!(
                "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, ROW_FORMAT, TABLE_COLLATION FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}"
            ))
            .map_err(fail)?;
        let Some((schema_name, table_name, kind, engine, row_format, collation)) = heads.into_iter().next() else {
            return Ok(None);
        };
        let columns: Vec<ColumnRow> = conn
            .query(format!(
                "SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, CHARACTER_MAXIMUM_LENGTH \
                 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} ORDER BY ORDINAL_POSITION"
            ))
            .map_err(fail)?;
        let has_expressions = self.flavour == Flavour::MySql && self.version >= Version::new(8, 0, 13);
        let parts: Vec<PartRow> = conn
            .query(format!(
                "SELECT INDEX_NAME, COLUMN_NAME, SUB_PART, {} FROM information_schema.STATISTICS \
                 WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} ORDER BY INDEX_NAME, SEQ_IN_INDEX",
                if has_expressions { "EXPRESSION" } else { "NULL" }
            ))
            .map_err(fail)?;
        let column = |(name, data_type, charset, collation, characters)| Column {
            name,
            data_type,
            charset,
            collation,
            characters,
        };
        Ok(Some(Table {
            schema: schema_name,
            name: table_name,
            is_view: kind.contains("VIEW"),
            engine: engine.unwrap_or_default(),
            row_format: row_format.unwrap_or_default(),
            collation,
            columns: columns.into_iter().map(column).collect(),
            indexes: group_parts(parts),
        }))
    }

    /// Returns the columns of a table that are not generated.
    pub fn base_columns(&self, schema: &str, name: &str) -> Result<Vec<String>, Error> {
        let query = format!(
            "SELECT COLUMN_NAME, EXTRA FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
            quote_string(schema),
            quote_string(name)
        );
        let rows: Vec<(String, String)> =
            self.server().connect()?.query(query).map_err(|source| self.failed("read a table's columns", source))?;
        Ok(rows.into_iter().filter(|(_, extra)| !is_generated(extra)).map(|(column, _)| column).collect())
    }

    /// Names of the schema's tables and views.
    pub fn table_names(&self, schema: &str) -> Result<Vec<String>, Error> {
        let query = format!(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} ORDER BY TABLE_NAME",
            quote_string(schema)
        );
        self.names(&query)
    }

    pub fn routine_names(&self, schema: &str) -> Result<Vec<String>, Error> {
        let query = format!(
            "SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = {} ORDER BY ROUTINE_NAME",
            quote_string(schema)
        );
        self.names(&query)
    }

    /// First column of a query's rows, without NULL.
    pub fn names(&self, query: &str) -> Result<Vec<String>, Error> {
        let rows: Vec<Option<String>> =
            self.server().connect()?.query(query).map_err(|source| self.failed("list names", source))?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Collations of the schema's text columns, the most frequent first.
    pub fn collations_in_use(&self, schema: &str) -> Result<Vec<String>, Error> {
        self.names(&format!(
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {} AND COLLATION_NAME IS NOT NULL \
             GROUP BY COLLATION_NAME ORDER BY COUNT(*) DESC, COLLATION_NAME",
            quote_string(schema)
        ))
    }

    /// Default collation of a schema.
    pub fn schema_collation(&self, schema: &str) -> Result<Option<String>, Error> {
        let query = format!(
            "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}",
            quote_string(schema)
        );
        Ok(self.names(&query)?.into_iter().next())
    }

    /// Collation of more than half of the schema's text columns.
    pub fn majority_collation(&self, schema: &str) -> Result<Option<String>, Error> {
        let schema = quote_string(schema);
        let query = format!(
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema} AND COLLATION_NAME IS NOT NULL \
             GROUP BY COLLATION_NAME \
             HAVING COUNT(*) * 2 > (SELECT COUNT(COLLATION_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = {schema})"
        );
        Ok(self.names(&query)?.into_iter().next())
    }

    /// Reads a procedure, function, trigger or event. `None` if there is no such program, the
    /// server doesn't show its text, or the text is not understood.
    pub fn program(&self, keyword: &'static str, schema: &str, name: &str) -> Result<Option<StoredProgram>, Error> {
        let session = Session { schema: Some(schema.to_owned()), prelude: Vec::new() };
        let mut conn = self.connect(&session)?;
        let show = format!("SHOW CREATE {keyword} {}", sql::quote_table(schema, name));
        let Ok(results) = self.results(&mut conn, &show)? else { return Ok(None) };
        let Some(row) = results.into_iter().flatten().next() else { return Ok(None) };
        let value = |names: &[&str]| {
            let found = row.iter().find(|(column, _)| names.iter().any(|name| column.eq_ignore_ascii_case(name)));
            found.and_then(|(_, value)| value.clone()).unwrap_or_default()
        };
        let create = value(&["Create Procedure", "Create Function", "Create Event", "SQL Original Statement"]);
        let Some(parsed) = parse_program(&create) else { return Ok(None) };
        let table = match keyword {
            "TRIGGER" => self
                .names(&format!(
                    "SELECT EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = {} AND TRIGGER_NAME = {}",
                    quote_string(schema),
                    quote_string(name)
                ))?
                .into_iter()
                .next(),
            _ => None,
        };
        Ok(Some(StoredProgram {
            keyword,
            schema: schema.to_owned(),
            name: name.to_owned(),
            create,
            sql_mode: value(&["sql_mode"]),
            client: value(&["character_set_client"]),
            connection: value(&["collation_connection"]),
            database: value(&["Database Collation"]),
            table,
            parsed,
        }))
    }

    /// Triggers of a table, of all events.
    pub fn triggers(&self, schema: &str, table: &str) -> Result<Vec<String>, Error> {
        self.triggers_of_events(schema, table, &["INSERT", "UPDATE", "DELETE"])
    }

    /// Triggers of a table that one of the events runs: `INSERT`, `UPDATE`, `DELETE`.
    pub fn triggers_of_events(&self, schema: &str, table: &str, events: &[&str]) -> Result<Vec<String>, Error> {
        // A trigger of several events, which MariaDB has, lists them.
        self.names(&format!(
            "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS \
             WHERE EVENT_OBJECT_SCHEMA = {} AND EVENT_OBJECT_TABLE = {} AND EVENT_MANIPULATION REGEXP {}",
            quote_string(schema),
            quote_string(table),
            quote_string(&events.join("|"))
        ))
    }

    /// Returns the statement of `SHOW CREATE TABLE`.
    pub fn create_table(&self, schema: &str, name: &str) -> Result<Option<String>, Error> {
        let mut conn = self.connect(&Session::default())?;
        let shown = self.results(&mut conn, &format!("SHOW CREATE TABLE {}", sql::quote_table(schema, name)))?;
        let row = shown.ok().and_then(|results| results.into_iter().flatten().next());
        Ok(row.and_then(|row| row.get("Create Table").cloned().flatten()))
    }

    /// Returns a `CREATE VIEW` statement, and the session of the view's creation. `None` if the
    /// name is unknown.
    pub fn view(&self, schema: &str, name: &str) -> Result<Option<(String, Session)>, Error> {
        let mut conn = self.connect(&Session::default())?;
        // Not SHOW CREATE VIEW, which fails for a view that cannot be read (all but MySQL 9).
        let query = format!(
            "SELECT VIEW_DEFINITION AS d, CHARACTER_SET_CLIENT AS s, COLLATION_CONNECTION AS c, SECURITY_TYPE AS t \
             FROM information_schema.VIEWS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
            quote_string(schema),
            quote_string(name)
        );
        let found = self.results(&mut conn, &query)?;
        let Some(row) = found.ok().and_then(|results| results.into_iter().flatten().next()) else { return Ok(None) };
        let value = |name: &str| row.get(name).cloned().flatten().unwrap_or_default();
        let prelude =
            vec![format!("SET NAMES {}", value("s")), format!("SET SESSION collation_connection = {}", value("c"))];
        let create =
            format!("CREATE SQL SECURITY {} VIEW {} AS {}", value("t"), sql::quote_table(schema, name), value("d"));
        Ok(Some((create, Session { schema: Some(schema.to_owned()), prelude })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_expressions_are_no_generated_columns() {
        for extra in
            ["", "auto_increment", "DEFAULT_GENERATED", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP", "INVISIBLE"]
        {
            assert!(!is_generated(extra), "{extra}");
        }
        for extra in ["VIRTUAL GENERATED", "STORED GENERATED", "VIRTUAL", "PERSISTENT", "STORED GENERATED INVISIBLE"] {
            assert!(is_generated(extra), "{extra}");
        }
    }
}
