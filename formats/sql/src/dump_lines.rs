//! Lines of a dump on which objects are defined.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use crate::conditional::readings;
use crate::ddl::split_definitions;
use crate::outside::skip_attributes;
use crate::split::StatementReader;
use crate::sql_mode::SqlMode;
use crate::table_names::{TableName, read_table_name};
use crate::token::{Token, TokenKind, tokenize};
use crate::used_schema::used_schema;

/// Line of a file, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileLine {
    pub file: String,
    pub line: u64,
}

/// Lines on which dumps define schemas, tables, views, columns, keys and stored programs.
///
/// Names are unquoted: `shop`, `shop.orders`, `shop.orders.code` for a column, `shop.orders:
/// by_code` for a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpLines(BTreeMap<String, FileLine>);

/// Longest statement that is searched for definitions.
const MAX_DEFINITION_BYTES: usize = 1 << 20;

/// Number of a statement's first tokens that have kind and name.
const MAX_HEAD_TOKENS: usize = 64;

const KINDS: [&str; 8] = ["table", "view", "procedure", "function", "trigger", "event", "database", "schema"];

impl DumpLines {
    /// Reads a dump. `schema` is the schema of objects before the first `USE`.
    pub fn read(&mut self, file: &str, schema: &str, dump: impl BufRead, max_statement: usize) -> io::Result<()> {
        let mut schema = schema.to_owned();
        let mut statements = StatementReader::with_limit(dump, SqlMode::default(), max_statement);
        while let Some(statement) = statements.read()? {
            if !may_define(statement) {
                continue;
            }
            if let Some(name) = used_schema(statement) {
                schema = name;
                continue;
            }
            let text = String::from_utf8_lossy(statement).into_owned();
            let line = statements.line();
            for text in readings(&text, SqlMode::default()).unwrap_or_default() {
                self.add(file, &schema, line, &text);
            }
        }
        Ok(())
    }

    /// Finds a definition. Of a name that is not defined itself, such as a column of a view, finds
    /// the table or view that it is part of. Of `a.b.c = d.e.f`, finds the first.
    pub fn find(&self, name: &str) -> Option<&FileLine> {
        let name = name.split(" = ").next().unwrap_or_default();
        let parts = name.rmatch_indices(['.', ':']).map(|(at, _)| &name[..at]).filter(|part| part.contains('.'));
        std::iter::once(name).chain(parts).find_map(|name| self.0.get(name))
    }

    fn add(&mut self, file: &str, schema: &str, line: u64, create: &str) {
        let Some((kind, own_schema, name)) = defined_name(create) else { return };
        let at = |line| FileLine { file: file.to_owned(), line };
        if ["database", "schema"].contains(&kind) {
            self.0.insert(name, at(line));
            return;
        }
        let full_name = format!("{}.{name}", own_schema.as_deref().unwrap_or(schema));
        if kind == "table" {
            for definition in split_definitions(create) {
                let offset = definition.as_ptr() as usize - create.as_ptr() as usize;
                let breaks = create.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() as u64;
                if let Some(part) = part_name(definition) {
                    self.0.entry(format!("{full_name}{part}")).or_insert_with(|| at(line + breaks));
                }
            }
        }
        // mysqldump and mariadb-dump write a view of constants in the place of a view, an old
        // mysqldump a table. The view follows.
        if kind == "view" {
            self.0.insert(full_name, at(line));
        } else {
            self.0.entry(full_name).or_insert_with(|| at(line));
        }
    }
}

/// True for statements that can define an object, and for `USE`.
fn may_define(statement: &[u8]) -> bool {
    let starts_with = |word: &&[u8]| statement.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    statement.len() <= MAX_DEFINITION_BYTES && [&b"create"[..], b"use", b"/*"].iter().any(starts_with)
}

/// Returns kind, schema and name of what a CREATE statement creates.
fn defined_name(create: &str) -> Option<(&'static str, Option<String>, String)> {
    let tokens = tokenize(create, SqlMode::default()).filter(|token| token.kind != TokenKind::Comment);
    let tokens: Vec<Token<'_>> = tokens.take(MAX_HEAD_TOKENS).collect();
    let (_, rest) = tokens.split_first().filter(|(first, _)| first.is_keyword("create"))?;
    let rest = skip_attributes(rest);
    let rest = if rest.first()?.is_keyword("temporary") { &rest[1..] } else { rest };
    let (first, rest) = rest.split_first()?;
    let kind = KINDS.into_iter().find(|kind| first.is_keyword(kind))?;
    let conditions = rest.iter().take_while(|token| token.is_any_keyword(&["if", "not", "exists"])).count();
    let (TableName { schema, name }, _) = read_table_name(&rest[conditions..])?;
    Some((kind, schema, name))
}

/// Returns `.code` for a column, `: by_code` for a key or constraint.
fn part_name(definition: &str) -> Option<String> {
    const KEYS: [&str; 8] = ["primary", "unique", "key", "index", "fulltext", "spatial", "constraint", "foreign"];
    let tokens: Vec<Token<'_>> = tokenize(definition, SqlMode::default()).take(6).collect();
    let first = tokens.first()?;
    if !first.is_any_keyword(&KEYS) {
        return Some(format!(".{}", first.name()?));
    }
    if first.is_keyword("primary") {
        return Some(": PRIMARY".to_owned());
    }
    let name = tokens.iter().take_while(|token| !token.is_symbol('(')).find(|token| !token.is_any_keyword(&KEYS))?;
    Some(format!(": {}", name.name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
-- a comment
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop`;
USE `shop`;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `code` varchar(9) COMMENT 'a, b',
  PRIMARY KEY (`id`),
  UNIQUE KEY `by_code` (`code`),
  CONSTRAINT `to_parts` FOREIGN KEY (`code`) REFERENCES `parts` (`code`)
);
INSERT INTO orders VALUES (1, 'CREATE TABLE x (a int);
');
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select 1 AS `a` */;
DELIMITER ;;
CREATE DEFINER=`view`@`%` PROCEDURE `total`(x INT)
BEGIN
  SELECT 1;
END ;;
DELIMITER ;
CREATE TABLE IF NOT EXISTS other.t (a INT);
";

    #[test]
    fn finds_definitions_by_the_names_of_findings() {
        let mut lines = DumpLines::default();
        lines.read("d.sql", "app", DUMP.as_bytes(), 1 << 20).unwrap();
        for (name, line) in [
            ("shop", 2),
            ("shop.orders", 4),
            ("shop.orders.code", 6),
            ("shop.orders: PRIMARY", 7),
            ("shop.orders: by_code", 8),
            ("shop.orders: to_parts", 9),
            ("shop.orders.code = shop.parts.code", 6),
            ("shop.v.a", 13),
            ("shop.total", 17),
            ("other.t.a", 22),
        ] {
            assert_eq!(lines.find(name), Some(&FileLine { file: "d.sql".into(), line }), "{name}");
        }
        assert_eq!((lines.find("shop.x"), lines.find("collation_server")), (None, None));
    }

    #[test]
    fn finds_names_behind_attributes() {
        let defined = |create: &str| {
            let (kind, schema, name) = defined_name(create)?;
            Some(format!("{kind} {}{name}", schema.map(|schema| schema + ".").unwrap_or_default()))
        };
        for (create, expected) in [
            ("CREATE DEFINER=view@localhost PROCEDURE p()", Some("procedure p")),
            (
                "CREATE OR REPLACE ALGORITHM=MERGE DEFINER=a@b SQL SECURITY INVOKER VIEW s.v AS SELECT 1",
                Some("view s.v"),
            ),
            ("CREATE TEMPORARY TABLE IF NOT EXISTS t (a INT)", Some("table t")),
            ("CREATE AGGREGATE FUNCTION f(a INT) RETURNS INT RETURN 1", Some("function f")),
            ("CREATE INDEX event ON t (a)", None),
            ("CREATE USER view@localhost", None),
        ] {
            assert_eq!(defined(create).as_deref(), expected, "{create}");
        }
    }
}
