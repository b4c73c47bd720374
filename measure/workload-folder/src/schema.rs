//! The file schema.sql.

use std::collections::{HashMap, HashSet};

use sql::{SqlMode, Token, TokenKind};

use crate::fault::{Fault, MAX_FAULTS};
use crate::guard::{self, OutOfScope};

/// Statements and tables of schema.sql.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaSql {
    /// Statements in order, without those that a copy of the schema omits: `DROP`, `LOCK TABLES`,
    /// `UNLOCK TABLES`, `CREATE EVENT`.
    pub statements: Vec<SchemaStatement>,
    /// Tables in the order of the file.
    pub tables: Vec<TableShape>,
    pub views: Vec<String>,
    /// Routines, in lower case.
    pub routines: HashSet<String>,
    /// Positions of the tables by their names.
    places: HashMap<String, usize>,
    /// Positions of the tables by the names of their files of rows.
    file_places: HashMap<String, usize>,
    view_names: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaStatement {
    /// Text without the delimiter and without a definer.
    pub text: String,
    pub kind: SchemaStatementKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaStatementKind {
    /// `CREATE TABLE`, `ALTER TABLE`, `CREATE INDEX`, `CREATE SEQUENCE`.
    Table,
    /// `INSERT`, `REPLACE`: rows that aren't in rows/.
    Rows,
    /// `CREATE VIEW`, a routine, a trigger. These need the tables.
    Program,
    Session,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    pub name: String,
    /// Columns in order; empty for `CREATE TABLE … LIKE`.
    pub columns: Vec<ColumnShape>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnShape {
    pub name: String,
    /// Type without length, in lower case.
    pub data_type: String,
    /// True for `UNSIGNED` numbers.
    pub is_unsigned: bool,
    /// True for generated columns, which rows give no value for.
    pub is_generated: bool,
}

pub(crate) const FILE: &str = "schema.sql";

impl SchemaSql {
    pub fn table(&self, name: &str) -> Option<&TableShape> {
        self.place(name).map(|place| &self.tables[place])
    }

    /// Returns the position of a table in the file.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns the table whose rows are in a file of this name, without its extension.
    pub(crate) fn table_of_file(&self, stem: &str) -> Option<&TableShape> {
        self.table(stem).or_else(|| self.file_places.get(stem).map(|place| &self.tables[*place]))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str()).chain(self.views.iter().map(String::as_str))
    }

    /// Parses the text of schema.sql; returns its faults, too.
    pub fn parse(text: &str) -> (Self, Vec<Fault>) {
        let mut faults = Vec::new();
        (Self::read(text, &mut faults), faults)
    }

    /// Parses the text of schema.sql and adds its faults.
    pub(crate) fn read(text: &str, faults: &mut Vec<Fault>) -> Self {
        let statements = || sql::split_statements(text, SqlMode::default());
        let routines = statements().filter_map(|(_, statement)| routine_name(statement)).collect();
        let mut schema = Self { routines, ..Self::default() };
        let known_faults = faults.len();
        for (start, statement) in statements() {
            if faults.len() - known_faults >= MAX_FAULTS {
                break;
            }
            if let Err(message) = schema.add_statement(statement) {
                faults.push(Fault::error(FILE, message).at(text, start));
                continue;
            }
            if let Err(OutOfScope { offset, reason }) = guard::check_definition(statement, &schema.routines) {
                let message = format!("{reason}; a workload stays in the schema that weigh makes");
                faults.push(Fault::error(FILE, message).at(text, start + offset));
            }
        }
        if schema.tables.is_empty() {
            faults.push(Fault::error(FILE, "there is no CREATE TABLE"));
        }
        schema
    }

    fn add_statement(&mut self, text: &str) -> Result<(), String> {
        let all: Vec<Token<'_>> = sql::tokenize(text, SqlMode::default()).collect();
        if let Some(open) = all.iter().find(|token| !token.is_closed) {
            return Err(format!("{} is not closed", shorten(open.text)));
        }
        let is_content = |token: &&Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
        let tokens: Vec<Token<'_>> = all.iter().filter(is_content).copied().collect();
        let Some(first) = tokens.first() else { return Ok(()) };
        if let Some(name) = find_qualified_name(&tokens) {
            return Err(format!("{name} is named with a schema; leave the schema out, as weigh creates its own"));
        }
        let kind = match first.text.to_ascii_lowercase().as_str() {
            "create" => match self.add_create(text, &tokens)? {
                Some(kind) => kind,
                None => return Ok(()),
            },
            "alter" => SchemaStatementKind::Table,
            "insert" | "replace" => SchemaStatementKind::Rows,
            "set" => SchemaStatementKind::Session,
            // The schema is new, so nothing needs to be dropped or locked.
            "drop" | "lock" | "unlock" => return Ok(()),
            "use" => return Err("USE is not allowed; weigh creates a schema for the tables".to_owned()),
            _ => return Err(format!("{} does not create a table, a view or a routine", first.text)),
        };
        let text = match kind {
            SchemaStatementKind::Program => sql::remove_definer(text),
            _ => text.to_owned(),
        };
        self.statements.push(SchemaStatement { text, kind });
        Ok(())
    }

    /// Adds a `CREATE` statement. `None` if a copy of the schema omits it.
    fn add_create(&mut self, text: &str, tokens: &[Token<'_>]) -> Result<Option<SchemaStatementKind>, String> {
        let place = guard::find_object(tokens).map_err(|out_of_scope| out_of_scope.reason)?;
        let behind = &tokens[place + 1..];
        let name = || object_name(behind).ok_or_else(|| format!("{} without a name", tokens[place].text));
        match tokens[place].text.to_ascii_lowercase().as_str() {
            "table" => {
                let name = name()?;
                if self.table(&name).is_some() {
                    return Err(format!("duplicate table {name}"));
                }
                self.places.insert(name.clone(), self.tables.len());
                self.file_places.entry(escape::file_name(&name)).or_insert(self.tables.len());
                self.tables.push(TableShape { name, columns: parse_columns(text) });
                Ok(Some(SchemaStatementKind::Table))
            }
            "view" => {
                let name = name()?;
                // mysqldump creates a stand-in for each view first, so a view can occur twice.
                if self.view_names.insert(name.clone()) {
                    self.views.push(name);
                }
                Ok(Some(SchemaStatementKind::Program))
            }
            // Events must not run in a copy.
            "event" => Ok(None),
            "database" | "schema" => {
                Err("CREATE DATABASE is not allowed; weigh creates a schema for the tables".to_owned())
            }
            "index" | "sequence" => Ok(Some(SchemaStatementKind::Table)),
            _ => Ok(Some(SchemaStatementKind::Program)),
        }
    }
}

/// Returns the name, in lower case, of the routine that a statement creates. A routine with the
/// name of a function of the server would not be called, so its name doesn't count.
fn routine_name(text: &str) -> Option<String> {
    let is_content = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    let tokens: Vec<Token<'_>> = sql::tokenize(text, SqlMode::default()).filter(is_content).take(24).collect();
    tokens.first().filter(|first| first.is_keyword("create"))?;
    let at = guard::find_object(&tokens).ok().filter(|at| tokens[*at].is_any_keyword(&["procedure", "function"]))?;
    let name = object_name(&tokens[at + 1..])?.to_lowercase();
    (!sql::is_server_function(&name)).then_some(name)
}

/// Keywords before the name of an object that a statement creates or changes.
const OBJECT_KEYWORDS: [&str; 7] = ["table", "view", "trigger", "procedure", "function", "event", "sequence"];

/// Returns the first table, view, routine or other object that is named with its schema, as
/// `schema.name`. Columns (`t.id`) don't count.
fn find_qualified_name(tokens: &[Token<'_>]) -> Option<String> {
    let written = |schema: &str, name: &str| format!("{schema}.{name}");
    let table =
        sql::find_tables(tokens).into_iter().find_map(|table| Some(written(table.schema.as_deref()?, &table.name)));
    // `on` is the first `ON` of `CREATE INDEX` or `CREATE TRIGGER`, which precedes the table's
    // name.
    let starts_with_any = |words: &[&str]| tokens.iter().take(5).any(|token| token.is_any_keyword(words));
    let (has_on, is_table) = (starts_with_any(&["index", "trigger"]), starts_with_any(&["table"]));
    let on = tokens.iter().position(|token| has_on && token.is_keyword("on"));
    let is_before = |token: &Token<'_>| {
        token.is_any_keyword(&OBJECT_KEYWORDS) || is_table && token.is_any_keyword(&["references", "like"])
    };
    let named = (0..tokens.len()).filter(|&at| is_before(&tokens[at]) || Some(at) == on);
    table.or_else(|| {
        named.into_iter().find_map(|at| match skip_if_not_exists(&tokens[at + 1..]) {
            [schema, dot, name, ..] if dot.is_symbol('.') => Some(written(&schema.name()?, &name.name()?)),
            _ => None,
        })
    })
}

/// Returns the object's name: `orders` in `orders`, `shop.orders` and `IF NOT EXISTS orders`.
fn object_name(tokens: &[Token<'_>]) -> Option<String> {
    match skip_if_not_exists(tokens) {
        [_, dot, name, ..] if dot.is_symbol('.') => name.name(),
        [name, ..] => name.name(),
        [] => None,
    }
}

fn skip_if_not_exists<'t, 's>(tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    match tokens {
        [a, b, c, rest @ ..] if a.is_keyword("if") && b.is_keyword("not") && c.is_keyword("exists") => rest,
        tokens => tokens,
    }
}

/// Keywords that begin definitions other than columns.
const NON_COLUMN_KEYWORDS: [&str; 10] =
    ["primary", "key", "index", "unique", "fulltext", "spatial", "constraint", "foreign", "check", "period"];

fn parse_columns(create: &str) -> Vec<ColumnShape> {
    let mut columns = Vec::new();
    for definition in sql::ddl::split_definitions(create) {
        let tokens = sql::tokenize_uncommented(definition, SqlMode::default());
        let [name, data_type, rest @ ..] = tokens.as_slice() else { continue };
        let Some(text) = name.name().filter(|_| !name.is_any_keyword(&NON_COLUMN_KEYWORDS)) else { continue };
        // `AS (expression)`, and `AS ROW START` of a system-versioned table (MariaDB).
        let is_computed =
            |pair: &[Token<'_>]| pair[0].is_keyword("as") && (pair[1].is_symbol('(') || pair[1].is_keyword("row"));
        columns.push(ColumnShape {
            name: text,
            data_type: data_type.text.to_ascii_lowercase(),
            is_unsigned: rest.iter().any(|token| token.is_keyword("unsigned")),
            is_generated: rest.windows(2).any(is_computed),
        });
    }
    columns
}

/// Returns true if a type, given without its length, holds bytes that aren't text.
pub fn is_binary(data_type: &str) -> bool {
    matches!(
        data_type,
        "binary"
            | "varbinary"
            | "tinyblob"
            | "blob"
            | "mediumblob"
            | "longblob"
            | "bit"
            | "geometry"
            | "point"
            | "linestring"
            | "polygon"
            | "multipoint"
            | "multilinestring"
            | "multipolygon"
            | "geometrycollection"
            | "vector"
    )
}

pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (SchemaSql, Vec<String>) {
        let mut faults = Vec::new();
        let schema = SchemaSql::read(text, &mut faults);
        (schema, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn faults_are_limited() {
        let (_, faults) = read(&"USE x;".repeat(MAX_FAULTS + 500));
        assert_eq!(faults.len(), MAX_FAULTS + 1);
        assert!(faults[MAX_FAULTS].contains("there is no CREATE TABLE"), "{:?}", faults.last());
    }

    #[test]
    fn reads_handwritten_and_dumped_tables() {
        let (schema, faults) = read(
            "/*!40101 SET NAMES utf8mb4 */;\nDROP TABLE IF EXISTS `a`;\nCREATE TABLE `a` (\n  `id` int(11) NOT NULL,\n  `b c` varbinary(9) DEFAULT NULL,\n  \
             `d` int GENERATED ALWAYS AS (`id` + 1) VIRTUAL,\n  PRIMARY KEY (`id`),\n  KEY `k` (`b c`)\n) ENGINE=InnoDB;\nLOCK TABLES `a` WRITE;\n\
             INSERT INTO `a` VALUES (1,'x;y');\nUNLOCK TABLES;\ncreate table if not exists b (id int primary key, t text as (1));\n\
             /*!50001 CREATE ALGORITHM=UNDEFINED */ /*!50001 VIEW `v` AS select 1 AS `x` */;\n",
        );
        assert_eq!(faults, [""; 0]);
        assert_eq!(schema.names().collect::<Vec<_>>(), ["a", "b", "v"]);
        let columns: Vec<_> = schema.tables[0]
            .columns
            .iter()
            .map(|one| (one.name.as_str(), is_binary(&one.data_type), one.is_generated))
            .collect();
        assert_eq!(columns, [("id", false, false), ("b c", true, false), ("d", false, true)]);
        let kinds: Vec<_> = schema.statements.iter().map(|statement| statement.kind).collect();
        use SchemaStatementKind::*;
        assert_eq!(kinds, [Session, Table, Rows, Table, Program]);
    }

    #[test]
    fn refuses_names_with_a_schema() {
        for text in [
            "CREATE TABLE shop.b (id int)",
            "create table if not exists `shop`.`b` (id int)",
            "CREATE TABLE b LIKE shop.b",
            "CREATE TABLE b (id int, FOREIGN KEY (id) REFERENCES shop.a (id))",
            "ALTER TABLE shop.a DROP COLUMN id",
            "INSERT INTO shop.a VALUES (1)",
            "INSERT shop.a VALUES (1)",
            "REPLACE shop.a VALUES (1)",
            "CREATE UNIQUE INDEX i ON shop.a (id)",
            "CREATE VIEW shop.v AS SELECT 1",
            "CREATE VIEW v AS SELECT a.id FROM shop.a",
            "CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW INSERT INTO shop.log VALUES (1)",
            "CREATE TRIGGER t AFTER INSERT ON shop.a FOR EACH ROW SET @a = 1",
            "CREATE PROCEDURE shop.p() SELECT 1",
        ] {
            let (_, faults) = read(&format!("CREATE TABLE a (id int);{text}"));
            assert!(faults.iter().any(|fault| fault.contains("is named with a schema")), "{text}: {faults:?}");
        }
        for text in [
            "CREATE VIEW v AS SELECT `a`.`id` FROM `a` JOIN b ON a.id = b.id WHERE a.name LIKE b.name",
            "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.id = 1",
        ] {
            assert_eq!(read(&format!("CREATE TABLE a (id int);{text}")).1, [""; 0], "{text}");
        }
        let (schema, faults) = read("CREATE TABLE a (id int);CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM a");
        assert_eq!((schema.statements.len(), faults.len()), (1, 0));
    }

    #[test]
    fn the_account_of_a_definer_is_no_kind_of_object() {
        let (schema, faults) = read(
            "CREATE TABLE a (id int);CREATE DEFINER=sequence FUNCTION f() RETURNS int RETURN 1;\
             CREATE DEFINER=event@localhost TRIGGER g BEFORE INSERT ON a FOR EACH ROW SET NEW.id = 1",
        );
        assert_eq!(faults, [""; 0]);
        let kinds: Vec<_> = schema.statements.iter().map(|statement| statement.kind).collect();
        use SchemaStatementKind::*;
        assert_eq!(kinds, [Table, Program, Program]);
        assert!(schema.statements[1].text.starts_with("CREATE FUNCTION f"), "{:?}", schema.statements);
        assert!(schema.routines.contains("f"));
    }

    #[test]
    fn names_the_line_of_other_statements() {
        let (_, faults) =
            read("CREATE TABLE a (id int);\nUSE shop;\n  GRANT ALL ON x TO y;\nCREATE DATABASE x;\nSELECT 'a");
        assert_eq!(faults.len(), 4, "{faults:#?}");
        assert!(faults[0].starts_with("schema.sql:2:1: error: USE is not allowed"), "{faults:#?}");
        assert!(faults[1].starts_with("schema.sql:3:3: error: GRANT does not create"), "{faults:#?}");
        assert!(faults[3].ends_with("'a is not closed"), "{faults:#?}");
        assert_eq!(read("").1, ["schema.sql: error: there is no CREATE TABLE"]);
    }
}
