//! schema.sql: what the tables are.

use sql::{Kind, Mode, Token};

use crate::fault::Fault;

/// schema.sql, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaSql {
    /// Its statements in their order, but for those that have no place in a new schema (`DROP`, `LOCK TABLES`).
    pub statements: Vec<SchemaStatement>,
    /// Tables, in the order of the file.
    pub tables: Vec<TableShape>,
    /// Names of views.
    pub views: Vec<String>,
}

/// A statement of schema.sql.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaStatement {
    /// Its text, without the delimiter.
    pub text: String,
    /// What it is.
    pub kind: SchemaKind,
}

/// What a statement of schema.sql does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaKind {
    /// `CREATE TABLE`, `ALTER TABLE`, `CREATE INDEX`.
    Table,
    /// `INSERT`, `REPLACE`: rows that are not in rows/.
    Rows,
    /// `CREATE VIEW`, a routine, a trigger: what needs the tables to be there.
    Program,
    /// `SET`.
    Session,
}

/// A table's name and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// Name.
    pub name: String,
    /// Columns in their order; none where the statement doesn't tell (`CREATE TABLE … LIKE`).
    pub columns: Vec<ColumnShape>,
}

/// A column's name and type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnShape {
    /// Name.
    pub name: String,
    /// Type without length, in lower case.
    pub data_type: String,
    /// Whether it is a number without a sign.
    pub is_unsigned: bool,
    /// Whether it is computed, so that no row gives a value for it.
    pub is_generated: bool,
}

pub(crate) const FILE: &str = "schema.sql";

impl SchemaSql {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&TableShape> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Names of tables and views.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str()).chain(self.views.iter().map(String::as_str))
    }

    /// Reads a text, and tells what is wrong with it.
    pub fn parse(text: &str) -> (Self, Vec<Fault>) {
        let mut faults = Vec::new();
        (Self::read(text, &mut faults), faults)
    }

    /// Reads the file's text.
    pub(crate) fn read(text: &str, faults: &mut Vec<Fault>) -> Self {
        let mut schema = Self::default();
        for (start, statement) in sql::split(text, Mode::default()) {
            if let Err(message) = schema.add(statement) {
                faults.push(Fault::error(FILE, message).at(text, start));
            }
        }
        if schema.tables.is_empty() {
            faults.push(Fault::error(FILE, "no CREATE TABLE is in it"));
        }
        schema
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        let all: Vec<Token<'_>> = sql::tokens(text, Mode::default()).collect();
        if let Some(open) = all.iter().find(|token| !token.closed) {
            return Err(format!("{} has no end", shortened(open.text)));
        }
        let is_content = |token: &&Token<'_>| !matches!(token.kind, Kind::Comment | Kind::Conditional);
        let tokens: Vec<Token<'_>> = all.iter().filter(is_content).copied().collect();
        let Some(first) = tokens.first() else { return Ok(()) };
        if let Some(name) = of_a_schema(&tokens) {
            return Err(format!(
                "{name} is named with a schema, and all that is made here is made in one of weigh's own: leave it out"
            ));
        }
        let kind = match first.text.to_ascii_lowercase().as_str() {
            "create" => match self.create(text, &tokens)? {
                Some(kind) => kind,
                None => return Ok(()),
            },
            "alter" => SchemaKind::Table,
            "insert" | "replace" => SchemaKind::Rows,
            "set" => SchemaKind::Session,
            // The schema is new.
            "drop" | "lock" | "unlock" => return Ok(()),
            "use" => return Err("USE has no place here: the tables get a schema of weigh's own".to_owned()),
            _ => return Err(format!("{} is no statement that makes a table, a view or a routine", first.text)),
        };
        self.statements.push(SchemaStatement { text: text.to_owned(), kind });
        Ok(())
    }

    /// `None` for what has no place in a copy of tables.
    fn create(&mut self, text: &str, tokens: &[Token<'_>]) -> Result<Option<SchemaKind>, String> {
        let objects =
            ["table", "view", "trigger", "procedure", "function", "event", "index", "database", "schema", "sequence"];
        let found = tokens.iter().position(|token| token.is_any(&objects));
        let Some(place) = found else { return Err("CREATE of what is not told".to_owned()) };
        let behind = &tokens[place + 1..];
        let name = || name_of(behind).ok_or_else(|| format!("{} without a name", tokens[place].text));
        match tokens[place].text.to_ascii_lowercase().as_str() {
            "table" => {
                let name = name()?;
                if self.table(&name).is_some() {
                    return Err(format!("a second table {name}"));
                }
                self.tables.push(TableShape { name, columns: columns(text) });
                Ok(Some(SchemaKind::Table))
            }
            "view" => {
                let name = name()?;
                // mysqldump makes a stand-in of each view first.
                if !self.views.contains(&name) {
                    self.views.push(name);
                }
                Ok(Some(SchemaKind::Program))
            }
            // Nothing runs by itself in a copy.
            "event" => Ok(None),
            "database" | "schema" => {
                Err("CREATE DATABASE has no place here: the tables get a schema of weigh's own".to_owned())
            }
            "index" | "sequence" => Ok(Some(SchemaKind::Table)),
            _ => Ok(Some(SchemaKind::Program)),
        }
    }
}

/// What stands before the name of what a statement makes or changes, beside what tells a table in any statement.
const BEFORE_NAMES: [&str; 7] = ["table", "view", "trigger", "procedure", "function", "event", "sequence"];

/// The first table, view, routine or other object that a statement names with its schema. Names of columns (`t.id`) are none.
fn of_a_schema(tokens: &[Token<'_>]) -> Option<String> {
    let written = |schema: &str, name: &str| format!("{schema}.{name}");
    let table = sql::tables(tokens).into_iter().find_map(|table| Some(written(table.schema.as_deref()?, &table.name)));
    // `ON` of an index and of a trigger, which stands before all else that may have one.
    let is_of = |words: &[&str]| tokens.iter().take(5).any(|token| token.is_any(words));
    let (has_on, is_table) = (is_of(&["index", "trigger"]), is_of(&["table"]));
    let on = tokens.iter().position(|token| has_on && token.is("on"));
    let is_before =
        |token: &Token<'_>| token.is_any(&BEFORE_NAMES) || is_table && token.is_any(&["references", "like"]);
    let named = (0..tokens.len()).filter(|&at| is_before(&tokens[at]) || Some(at) == on);
    table.or_else(|| {
        named.into_iter().find_map(|at| match after_if_not_exists(&tokens[at + 1..]) {
            [schema, dot, name, ..] if dot.is_symbol('.') => Some(written(&schema.name()?, &name.name()?)),
            _ => None,
        })
    })
}

/// `IF NOT EXISTS name`, `schema.name`.
fn name_of(tokens: &[Token<'_>]) -> Option<String> {
    match after_if_not_exists(tokens) {
        [_, dot, name, ..] if dot.is_symbol('.') => name.name(),
        [name, ..] => name.name(),
        [] => None,
    }
}

fn after_if_not_exists<'t, 's>(tokens: &'t [Token<'s>]) -> &'t [Token<'s>] {
    match tokens {
        [a, b, c, rest @ ..] if a.is("if") && b.is("not") && c.is("exists") => rest,
        tokens => tokens,
    }
}

/// Words that begin a definition of what is no column.
const NO_COLUMN: [&str; 10] =
    ["primary", "key", "index", "unique", "fulltext", "spatial", "constraint", "foreign", "check", "period"];

fn columns(create: &str) -> Vec<ColumnShape> {
    let mut columns = Vec::new();
    for definition in sql::ddl::definitions(create) {
        let tokens: Vec<Token<'_>> =
            sql::tokens(definition, Mode::default()).filter(|token| token.kind != Kind::Comment).collect();
        let [name, data_type, rest @ ..] = tokens.as_slice() else { continue };
        let Some(text) = name.name().filter(|_| !name.is_any(&NO_COLUMN)) else { continue };
        let is_computed = |pair: &[Token<'_>]| pair[0].is("as") && pair[1].is_symbol('(');
        columns.push(ColumnShape {
            name: text,
            data_type: data_type.text.to_ascii_lowercase(),
            is_unsigned: rest.iter().any(|token| token.is("unsigned")),
            is_generated: rest.windows(2).any(is_computed),
        });
    }
    columns
}

/// Whether a type, given without its length, holds bytes that are no text.
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

pub(crate) fn shortened(text: &str) -> String {
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
    fn tables_are_read_as_people_and_as_dumps_write_them() {
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
        use SchemaKind::*;
        assert_eq!(kinds, [Session, Table, Rows, Table, Program]);
    }

    #[test]
    fn nothing_is_made_in_a_schema_that_is_named() {
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
    fn what_has_no_place_is_told_with_its_line() {
        let (_, faults) =
            read("CREATE TABLE a (id int);\nUSE shop;\n  GRANT ALL ON x TO y;\nCREATE DATABASE x;\nSELECT 'a");
        assert_eq!(faults.len(), 4, "{faults:#?}");
        assert!(faults[0].starts_with("schema.sql:2:1: error: USE has no place"), "{faults:#?}");
        assert!(faults[1].starts_with("schema.sql:3:3: error: GRANT is no statement"), "{faults:#?}");
        assert!(faults[3].ends_with("'a has no end"), "{faults:#?}");
        assert_eq!(read("").1, ["schema.sql: error: no CREATE TABLE is in it"]);
    }
}
