//! Tables and rows of a dump: a file of mysqldump's, or the files of mydumper's folder.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use replay::{Cell, Column};
use sql::{Kind, Literal, Mode, Statements, Token, Tuples};

use crate::create::Table;
use crate::error::Error;
use crate::server_source::of_bytes;
use crate::source::{Definitions, Each, Extent, Origin, Source, Take};

/// A dump of one schema, or one schema of a dump.
pub struct Dump {
    path: PathBuf,
    schema: String,
    tables: Vec<String>,
}

/// Gets a file and a statement of it.
type EachStatement<'e> = dyn FnMut(&Path, &[u8]) -> Result<(), Error> + 'e;

/// Bytes in front of an INSERT's rows that are looked at for names.
const HEAD: usize = 64 << 10;

impl Dump {
    /// Of a file or a folder. Where it says which schemas it is of (`USE`), only this one's tables are taken.
    pub fn new(path: &Path, schema: &str, tables: &[String]) -> Self {
        Self { path: path.to_owned(), schema: schema.to_owned(), tables: tables.to_vec() }
    }

    /// Its files, those with definitions first.
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.path.is_dir() {
            return Ok(vec![self.path.clone()]);
        }
        let failed = |source| Error::File { path: self.path.clone(), source };
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&self.path).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
        let is_sql = |file: &PathBuf| file.to_string_lossy().trim_end_matches(".gz").ends_with(".sql");
        files.retain(is_sql);
        files.sort_by_key(|file| (!file.to_string_lossy().contains("-schema"), file.clone()));
        Ok(files)
    }

    fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let packed = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn std::io::Read> = if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        Ok(Box::new(BufReader::with_capacity(1 << 18, reader)))
    }

    /// Walks over the statements of the schema.
    fn each(&self, each: &mut EachStatement<'_>) -> Result<(), Error> {
        for path in self.files()? {
            // mydumper's files are named `schema.table….sql`.
            let of_name = |name: &str| name.split('.').next().map(str::to_owned);
            let mut used = self
                .path
                .is_dir()
                .then(|| path.file_name().and_then(|name| of_name(&name.to_string_lossy())))
                .flatten();
            let mut statements = Statements::new(Self::open(&path)?);
            while let Some(statement) =
                statements.read().map_err(|source| Error::File { path: path.clone(), source })?
            {
                server::interrupt::check().map_err(Error::Server)?;
                match schema_used(&statement) {
                    Some(name) => used = Some(name),
                    None if used.as_ref().is_none_or(|used| *used == self.schema) => each(&path, &statement)?,
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|table| table == name)
    }
}

/// The tokens of a statement's head, without comments and the marks of conditional ones.
fn head(statement: &[u8]) -> String {
    String::from_utf8_lossy(&statement[..statement.len().min(HEAD)]).into_owned()
}

fn words(text: &str) -> Vec<Token<'_>> {
    let is_content = |token: &Token<'_>| !matches!(token.kind, Kind::Comment | Kind::Conditional);
    sql::tokens(text, Mode::default()).filter(is_content).collect()
}

fn schema_used(statement: &[u8]) -> Option<String> {
    let start = statement.trim_ascii_start().get(..4)?;
    if !start.eq_ignore_ascii_case(b"use ") {
        return None;
    }
    words(&head(statement)).get(1).and_then(Token::name)
}

impl Source for Dump {
    fn origin(&self) -> Origin {
        Origin { label: self.path.display().to_string(), identity: None }
    }

    fn definitions(&mut self) -> Result<Definitions, Error> {
        let mut found = Definitions::default();
        self.each(&mut |_, statement| {
            if !statement.trim_ascii_start().get(..2).is_some_and(|two| two.eq_ignore_ascii_case(b"cr") || two == b"/*")
            {
                return Ok(());
            }
            let text = String::from_utf8_lossy(statement).into_owned();
            let tokens = words(&text);
            let is_create = tokens.first().is_some_and(|token| token.is("create"));
            let object = tokens
                .iter()
                .position(|token| token.is_any(&["table", "view", "trigger", "procedure", "function", "event"]));
            let Some(at) = object.filter(|_| is_create) else { return Ok(()) };
            let name =
                tokens[at + 1..].iter().find(|token| !token.is_any(&["if", "not", "exists"])).and_then(Token::name);
            let Some(name) = name.filter(|name| self.wants(name)) else { return Ok(()) };
            if tokens[at].is("table") {
                found.tables.push((name, text));
            } else if tokens[at].is("view") {
                // mysqldump writes a stand-in first, the view itself at the end: in conditional comments, each line one.
                let plain = plain(&text);
                found.views.retain(|(known, _)| *known != name);
                found.views.push((name, plain));
            }
            Ok(())
        })?;
        if found.tables.is_empty() {
            let problem = format!("no CREATE TABLE of the schema {} is in it", self.schema);
            return Err(Error::Content { path: self.path.clone(), problem });
        }
        // Old mysqldumps make the stand-in a table.
        let views: Vec<String> = found.views.iter().map(|(name, _)| name.clone()).collect();
        found.tables.retain(|(name, _)| !views.contains(name));
        Ok(found)
    }

    fn rows(&mut self, table: &Table, take: &Take<'_>, each: &mut Each<'_>) -> Result<Extent, Error> {
        let (mut seen, mut taken) = (0, 0);
        self.each(&mut |path, statement| {
            if !statement.trim_ascii_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"insert")) {
                return Ok(());
            }
            let Some(insert) = Insert::read(statement, table) else { return Ok(()) };
            for tuple in Tuples::new(insert.rows) {
                let tuple = tuple.map_err(|problem| Error::Content { path: path.to_owned(), problem })?;
                seen += 1;
                let wanted = match take {
                    Take::Sample { rows, .. } => taken < *rows,
                    Take::Keys { .. } => true,
                };
                if !wanted {
                    continue;
                }
                let row = insert.row(&tuple, table);
                if let Take::Keys { places, keys } = take {
                    let key: Option<Vec<_>> = places.iter().map(|place| row[*place].clone()).collect();
                    if !key.is_some_and(|key| keys.contains(&key)) {
                        continue;
                    }
                }
                taken += 1;
                each(row)?;
            }
            Ok(())
        })?;
        let all = seen == taken;
        Ok(Extent { all, of: (!all).then_some(seen) })
    }
}

/// An `INSERT` into a table.
struct Insert<'s> {
    /// What stands behind VALUES.
    rows: &'s [u8],
    /// For each column of the table, its place in a tuple.
    places: Vec<Option<usize>>,
}

impl<'s> Insert<'s> {
    fn read(statement: &'s [u8], table: &Table) -> Option<Self> {
        let head = head(statement);
        let tokens = words(&head);
        let values = tokens.iter().find(|token| token.is("values") || token.is("value"))?;
        let into = tokens.iter().position(|token| token.is("into"))?;
        if tokens.get(into + 1)?.name()? != table.shape.name {
            return None;
        }
        let listed: Vec<String> =
            tokens[into + 2..].iter().take_while(|token| token.start < values.start).filter_map(Token::name).collect();
        // Without a list, a tuple has all columns, computed ones too (as DEFAULT).
        let all: Vec<String> = table.shape.columns.iter().map(|column| column.name.clone()).collect();
        let order = if listed.is_empty() { &all } else { &listed };
        let place = |column: &Column| order.iter().position(|name| *name == column.name);
        Some(Self { rows: statement.get(values.end()..)?, places: table.columns.iter().map(place).collect() })
    }

    fn row(&self, tuple: &[Literal], table: &Table) -> Vec<Cell> {
        let cell = |(column, place): (&Column, &Option<usize>)| match tuple.get((*place)?)? {
            Literal::Null => None,
            Literal::Text(bytes) => Some(of_bytes(column, bytes.clone())),
        };
        table.columns.iter().zip(&self.places).map(cell).collect()
    }
}

/// The content of conditional comments as a statement of its own.
fn plain(text: &str) -> String {
    let (mut out, mut end) = (String::new(), 0);
    for token in sql::tokens(text, Mode::default()).filter(|token| token.kind == Kind::Conditional) {
        out.push_str(text[end..token.start].trim());
        out.push(' ');
        end = token.end();
    }
    out.push_str(&text[end..]);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use sql::Value;

    const DUMP: &str = "-- MySQL dump\n/*!40101 SET NAMES utf8mb4 */;\nUSE `shop`;\nDROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (\n  `id` int NOT NULL,\n  `a` varchar(9) DEFAULT NULL,\n  \
         `b` blob,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\nLOCK TABLES `t` WRITE;\nINSERT INTO `t` VALUES (1,'x;\\'values (',0x41FF),(2,NULL,_binary 'z'),(3,'c',NULL);\n\
         INSERT INTO `t` (`a`, `id`) VALUES ('d',4);\nUNLOCK TABLES;\n/*!50001 CREATE VIEW `v` AS SELECT 1 AS `id`*/;\n/*!50001 DROP VIEW IF EXISTS `v`*/;\n\
         /*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select `t`.`id` AS `id` from `t` */;\n\
         USE `log`;\nCREATE TABLE `other` (`id` int);\nINSERT INTO `t` VALUES (9,'no',NULL);\n";

    fn dump(place: &Path) -> Dump {
        let path = place.join("dump.sql");
        std::fs::write(&path, DUMP).unwrap();
        Dump::new(&path, "shop", &[])
    }

    #[test]
    fn definitions_are_those_of_the_schema() {
        let place = tempfile::tempdir().unwrap();
        let found = dump(place.path()).definitions().unwrap();
        let names: Vec<_> = found.tables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["t"]);
        assert_eq!(found.views.len(), 1);
        let view = &found.views[0].1;
        assert!(view.contains("from `t`") && !view.contains("/*"), "{view}");
        assert!(
            Dump::new(&place.path().join("dump.sql"), "none", &[])
                .definitions()
                .unwrap_err()
                .to_string()
                .contains("no CREATE TABLE")
        );
    }

    #[test]
    fn rows_are_taken_up_to_a_number_and_by_key() {
        let place = tempfile::tempdir().unwrap();
        let mut dump = dump(place.path());
        let create = dump.definitions().unwrap().tables.remove(0).1;
        let table = Table::new(replay::SchemaSql::parse(&create).0.tables[0].clone(), &create);
        let mut read = |take: &Take<'_>| {
            let mut rows = Vec::new();
            let extent = dump.rows(&table, take, &mut |row| {
                rows.push(row);
                Ok(())
            });
            (rows, extent.unwrap())
        };
        let (rows, extent) = read(&Take::Sample { rows: 10, seed: 1 });
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        assert_eq!(rows[0], [Some(Value::Int(1)), text("x;'values ("), Some(Value::Bytes(vec![0x41, 0xFF]))]);
        assert_eq!(rows[1], [Some(Value::Int(2)), None, Some(Value::Bytes(b"z".to_vec()))]);
        assert_eq!(rows[3], [Some(Value::Int(4)), text("d"), None]);
        assert_eq!((rows.len(), extent), (4, Extent { all: true, of: None }));
        let (rows, extent) = read(&Take::Sample { rows: 2, seed: 1 });
        assert_eq!((rows.len(), extent), (2, Extent { all: false, of: Some(4) }));
        let keys = HashSet::from([vec![Value::Int(3)], vec![Value::Int(9)]]);
        assert_eq!(read(&Take::Keys { places: &[0], keys: &keys }).0.len(), 1, "the 9 is of another schema");
    }
}
