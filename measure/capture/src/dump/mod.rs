//! Tables and rows of a dump: a file of mysqldump, or a folder of mydumper.

mod folder;
mod insert;
mod reservoir;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use sql::{InsertTuples, SqlMode, StatementReader, Token, TokenKind};
use workload_folder::Cell;

use crate::error::Error;
use crate::source::{Definitions, KeyRequest, Origin, RowSink, SampleExtent, TableRowSink, TableSource};
use crate::source_table::SourceTable;
use insert::{Insert, content_tokens};
use reservoir::Reservoir;

/// One schema of a dump.
pub struct Dump {
    path: PathBuf,
    schema: String,
    tables: Vec<String>,
    /// Tables to sample, in order.
    to_sample: Vec<SourceTable>,
    /// Samples that a pass has taken, by table.
    samples: HashMap<String, Sample>,
    /// How often the dump was read from start to end.
    #[cfg(test)]
    passes: std::cell::Cell<usize>,
}

type Sample = (Vec<Vec<Cell>>, SampleExtent);

/// Maximum number of rows that the samples of one pass may have, unless one table's sample has
/// more. They are held in memory.
const MAX_ROWS_OF_ONE_PASS: u64 = 1_000_000;

/// Number of bytes at the start of a statement that are searched for the schema's name.
const MAX_NAME_BYTES: usize = 512;

struct DumpStatement<'s> {
    /// File that has the statement.
    path: &'s Path,
    text: &'s [u8],
    /// True if a table without a schema is one of the dump's schema here.
    is_in_schema: bool,
}

type StatementSink<'e> = dyn FnMut(&DumpStatement<'_>) -> Result<(), Error> + 'e;

impl Dump {
    /// Creates a source that reads a schema from a dump: a file or a folder. Statements of other
    /// schemas are skipped. An empty `tables` selects all tables.
    pub fn new(path: &Path, schema: &str, tables: &[String]) -> Self {
        Self {
            path: path.to_owned(),
            schema: schema.to_owned(),
            tables: tables.to_vec(),
            to_sample: Vec::new(),
            samples: HashMap::new(),
            #[cfg(test)]
            passes: std::cell::Cell::default(),
        }
    }

    /// Opens a file. In a folder, only regular files are read.
    fn open(&self, path: &Path) -> Result<Box<dyn BufRead>, Error> {
        let opened = if path == self.path { File::open(path) } else { files::open_regular(path) };
        let file = opened.map_err(|source| Error::File { path: path.to_owned(), source })?;
        let reader =
            image::decompress(BufReader::new(file)).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Ok(Box::new(BufReader::with_capacity(1 << 18, reader)))
    }

    /// Calls `sink` for each statement after a USE of the schema, and for those that may name it. In
    /// a dump of one file, statements before the first USE count as the schema's; in a folder, the
    /// file's name tells the schema.
    fn for_each_statement(&self, sink: &mut StatementSink<'_>) -> Result<(), Error> {
        #[cfg(test)]
        self.passes.set(self.passes.get() + 1);
        for path in folder::sql_files(&self.path)? {
            // mydumper's files are named `schema.table….sql`.
            let schema_of_file = |name: &str| name.split('.').next().map(str::to_owned);
            let mut used = self
                .path
                .is_dir()
                .then(|| path.file_name().and_then(|name| schema_of_file(&name.to_string_lossy())))
                .flatten();
            let mut statements =
                StatementReader::with_limit(self.open(&path)?, SqlMode::default(), bounded::max_item_bytes());
            while let Some(statement) =
                statements.read().map_err(|source| Error::File { path: path.clone(), source })?
            {
                lifecycle::interrupt::check()?;
                if let Some(problem) = sql::describe_other_names(statement) {
                    return Err(Error::Content { path, problem });
                }
                if let Some(name) = sql::used_schema(statement) {
                    used = Some(name);
                    continue;
                }
                let is_in_schema = used.as_ref().is_none_or(|used| *used == self.schema);
                if is_in_schema || self.may_be_named(statement) {
                    sink(&DumpStatement { path: &path, text: statement, is_in_schema })?;
                }
            }
        }
        Ok(())
    }

    /// True if the start of a statement has the schema's name.
    fn may_be_named(&self, statement: &[u8]) -> bool {
        let name = self.schema.replace('`', "``");
        let start = &statement[..statement.len().min(MAX_NAME_BYTES)];
        !name.is_empty() && start.windows(name.len()).any(|part| part == name.as_bytes())
    }

    /// Calls `each` for each row of one of the tables. `each` gets the table's position and a
    /// function that builds the row, so that rows that are not sampled aren't built.
    fn for_each_row(
        &self,
        tables: &[&SourceTable],
        mut each: impl FnMut(usize, &dyn Fn() -> Vec<Cell>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.for_each_statement(&mut |statement| {
            let begins = |word: &[u8]| {
                statement
                    .text
                    .trim_ascii_start()
                    .get(..word.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(word))
            };
            if !begins(b"insert") && !begins(b"replace") {
                return Ok(());
            }
            let Some((at, insert)) = Insert::read(statement.text, tables) else { return Ok(()) };
            if !self.is_of_schema(insert.schema.as_deref(), statement) {
                return Ok(());
            }
            for tuple in InsertTuples::new(insert.rows) {
                let content = |problem| Error::Content { path: statement.path.to_owned(), problem };
                let tuple = tuple.map_err(content)?;
                insert.check(&tuple, tables[at]).map_err(content)?;
                each(at, &|| insert.row(&tuple, tables[at]))?;
            }
            Ok(())
        })
    }

    /// Takes the samples of a table, and of as many of the tables after it in `to_sample` as
    /// [`MAX_ROWS_OF_ONE_PASS`] allows, in one pass. Replaces the samples of the last pass.
    fn take_samples(&mut self, table: &SourceTable, rows: u64, seed: u64) -> Result<(), Error> {
        let from = self.to_sample.iter().position(|one| one.shape.name == table.shape.name);
        let following = from.map_or(&[][..], |from| &self.to_sample[from + 1..]);
        let count = (MAX_ROWS_OF_ONE_PASS / rows.max(1)).saturating_sub(1) as usize;
        let tables: Vec<&SourceTable> = std::iter::once(table).chain(following.iter().take(count)).collect();
        let mut reservoirs: Vec<Reservoir> = tables.iter().map(|_| Reservoir::new(rows, seed)).collect();
        self.for_each_row(&tables, |at, row| {
            reservoirs[at].add(row);
            Ok(())
        })?;
        let names = tables.iter().map(|table| table.shape.name.clone());
        self.samples = names.zip(reservoirs.into_iter().map(Reservoir::finish)).collect();
        Ok(())
    }

    /// True if a name in a statement, with or without a schema, is one of the dump's schema.
    fn is_of_schema(&self, named: Option<&str>, statement: &DumpStatement<'_>) -> bool {
        named.map_or(statement.is_in_schema, |named| named == self.schema)
    }

    /// Says which selected table the dump lacks, or that no table is in it or selected. `all` are
    /// the tables and views of the schema.
    fn describe_missing(&self, all: &[String], found: &Definitions) -> Option<String> {
        let schema = &self.schema;
        if let Some(unknown) = self.tables.iter().find(|name| !all.contains(name)).filter(|_| !all.is_empty()) {
            let names = all.join(", ");
            return Some(format!("the schema {schema} has no table {unknown} in the dump; it has: {names}"));
        }
        if !found.tables.is_empty() {
            return None;
        }
        Some(match found.views.as_slice() {
            [] => format!("there is no CREATE TABLE of the schema {schema}"),
            [(view, _), ..] => format!("only views of the schema {schema} are selected, such as {view}"),
        })
    }

    fn includes_table(&self, name: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|table| table == name)
    }
}

impl TableSource for Dump {
    fn origin(&self) -> Origin {
        Origin { label: self.path.display().to_string(), identity: None }
    }

    fn definitions(&mut self) -> Result<Definitions, Error> {
        let mut found = Definitions::default();
        let mut all: Vec<String> = Vec::new();
        self.for_each_statement(&mut |statement| {
            if !statement
                .text
                .trim_ascii_start()
                .get(..2)
                .is_some_and(|two| two.eq_ignore_ascii_case(b"cr") || two == b"/*")
            {
                return Ok(());
            }
            let text = String::from_utf8_lossy(statement.text).into_owned();
            let tokens = content_tokens(&text);
            let is_create = tokens.first().is_some_and(|token| token.is_keyword("create"));
            let object = tokens.iter().position(|token| {
                token.is_any_keyword(&["table", "view", "trigger", "procedure", "function", "event"])
            });
            let Some(at) = object.filter(|_| is_create) else { return Ok(()) };
            let rest = tokens[at + 1..].iter().skip_while(|token| token.is_any_keyword(&["if", "not", "exists"]));
            let rest: Vec<Token<'_>> = rest.take(3).copied().collect();
            let name = sql::read_table_name(&rest);
            let name = name.filter(|(table, _)| self.is_of_schema(table.schema.as_deref(), statement));
            // The workload folder's definitions name no schema.
            let unqualified = match (&name, rest.as_slice()) {
                (Some((sql::TableName { schema: Some(_), .. }, _)), [schema, _, table, ..]) => {
                    format!("{}{}", &text[..schema.start], &text[table.start..])
                }
                _ => text.clone(),
            };
            let Some((sql::TableName { name, .. }, _)) = name else { return Ok(()) };
            if tokens[at].is_any_keyword(&["table", "view"]) && !all.contains(&name) {
                all.push(name.clone());
            }
            if !self.includes_table(&name) {
                return Ok(());
            }
            if tokens[at].is_keyword("table") {
                found.tables.push((name, unqualified));
            } else if tokens[at].is_keyword("view") {
                // mysqldump first writes a placeholder for each view. The view itself is at the
                // end, with each line in a conditional comment.
                let create = unwrap_conditional_comments(&unqualified);
                found.views.retain(|(known, _)| *known != name);
                found.views.push((name, create));
            }
            Ok(())
        })?;
        if let Some(problem) = self.describe_missing(&all, &found) {
            return Err(Error::Content { path: self.path.clone(), problem });
        }
        // In dumps of old versions the placeholder is a table: not a table to capture.
        let views: Vec<String> = found.views.iter().map(|(name, _)| name.clone()).collect();
        found.tables.retain(|(name, _)| !views.contains(name));
        Ok(found)
    }

    fn prepare_samples(&mut self, tables: &[SourceTable]) {
        self.to_sample = tables.to_vec();
    }

    fn sample(
        &mut self,
        table: &SourceTable,
        rows: u64,
        seed: u64,
        sink: &mut RowSink<'_>,
    ) -> Result<SampleExtent, Error> {
        if !self.samples.contains_key(&table.shape.name) {
            self.take_samples(table, rows, seed)?;
        }
        let (rows, extent) = self.samples.remove(&table.shape.name).unwrap_or_default();
        rows.into_iter().try_for_each(sink)?;
        Ok(extent)
    }

    /// Reads the rows of all requests in one pass.
    fn rows_by_keys(&mut self, requests: &[KeyRequest<'_>], sink: &mut TableRowSink<'_>) -> Result<(), Error> {
        let mut tables: Vec<&SourceTable> = requests.iter().map(|request| request.table).collect();
        tables.sort_by(|one, other| one.shape.name.cmp(&other.shape.name));
        tables.dedup_by(|one, other| one.shape.name == other.shape.name);
        let own = |table: &&SourceTable| {
            let name = &table.shape.name;
            requests.iter().filter(|request| request.table.shape.name == *name).collect()
        };
        let of_table: Vec<Vec<&KeyRequest<'_>>> = tables.iter().map(own).collect();
        self.for_each_row(&tables, |at, row| {
            let row = row();
            let wanted = of_table[at].iter().find(|request| request.wants(&row));
            wanted.map_or(Ok(()), |request| sink(request.at, row))
        })
    }
}

/// Returns the statement without the delimiters of conditional comments, `/*!50001` and `*/`.
fn unwrap_conditional_comments(text: &str) -> String {
    let (mut out, mut end) = (String::new(), 0);
    for token in sql::tokenize(text, SqlMode::default()).filter(|token| token.kind == TokenKind::ConditionalComment) {
        out.push_str(text[end..token.start].trim());
        out.push(' ');
        end = token.end();
    }
    out.push_str(&text[end..]);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::WantedKeys;
    use sql::Value;

    const DUMP: &str = "-- MySQL dump\n/*!40101 SET NAMES utf8mb4 */;\nUSE `shop`;\nDROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (\n  `id` int NOT NULL,\n  `a` varchar(9) DEFAULT NULL,\n  \
         `b` blob,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\nLOCK TABLES `t` WRITE;\nINSERT INTO `t` VALUES (1,'x;\\'values (',0x41FF),(2,NULL,_binary 'z'),(3,'c',NULL);\n\
         INSERT INTO `t` (`a`, `id`) VALUES ('d',4);\nUNLOCK TABLES;\n/*!50001 CREATE VIEW `v` AS SELECT 1 AS `id`*/;\n/*!50001 DROP VIEW IF EXISTS `v`*/;\n\
         /*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select `t`.`id` AS `id` from `t` */;\n\
         USE `log`;\nCREATE TABLE `other` (`id` int);\nINSERT INTO `t` VALUES (9,'no',NULL);\n";

    fn dump(folder: &Path) -> Dump {
        let path = folder.join("dump.sql");
        std::fs::write(&path, DUMP).unwrap();
        Dump::new(&path, "shop", &[])
    }

    #[test]
    fn reads_definitions_of_one_schema() {
        let folder = tempfile::tempdir().unwrap();
        let found = dump(folder.path()).definitions().unwrap();
        let names: Vec<_> = found.tables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["t"]);
        assert_eq!(found.views.len(), 1);
        let view = &found.views[0].1;
        assert!(view.contains("from `t`") && !view.contains("/*"), "{view}");
        assert!(
            Dump::new(&folder.path().join("dump.sql"), "none", &[])
                .definitions()
                .unwrap_err()
                .to_string()
                .contains("no CREATE TABLE")
        );
    }

    #[test]
    fn reads_rows_up_to_a_number_and_by_key() {
        let folder = tempfile::tempdir().unwrap();
        let mut dump = dump(folder.path());
        let table = table_t(&mut dump);
        let mut sample = |rows: u64| {
            let mut found = Vec::new();
            let extent = dump.sample(&table, rows, 1, &mut |row| {
                found.push(row);
                Ok(())
            });
            (found, extent.unwrap())
        };
        let (rows, extent) = sample(10);
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        assert_eq!(rows[0], [Some(Value::Int(1)), text("x;'values ("), Some(Value::Bytes(vec![0x41, 0xFF]))]);
        assert_eq!(rows[1], [Some(Value::Int(2)), None, Some(Value::Bytes(b"z".to_vec()))]);
        assert_eq!(rows[3], [Some(Value::Int(4)), text("d"), None]);
        assert_eq!((rows.len(), extent), (4, SampleExtent { is_complete: true, estimated_rows: None }));
        let (rows, extent) = sample(2);
        assert_eq!((rows.len(), extent), (2, SampleExtent { is_complete: false, estimated_rows: Some(4) }));
        let mut found = Vec::new();
        let mut sink = |at: usize, row: Vec<Cell>| {
            found.push((at, row[0].clone()));
            Ok(())
        };
        dump.rows_by_keys(&[by_id(7, &table, &[3, 9])], &mut sink).unwrap();
        assert_eq!(found, [(7, Some(Value::Int(3)))], "the 9 is of another schema");
    }

    fn by_id<'t>(at: usize, table: &'t SourceTable, ids: &[i64]) -> KeyRequest<'t> {
        let key = |id: &i64| (vec![Value::Int(*id)], vec![Value::Int(*id)]);
        KeyRequest { at, table, positions: &[0], keys: WantedKeys(ids.iter().map(key).collect()) }
    }

    fn tables(dump: &mut Dump) -> Vec<SourceTable> {
        let table = |(_, create): (String, String)| {
            SourceTable::new(workload_folder::SchemaSql::parse(&create).0.tables[0].clone(), &create)
        };
        dump.definitions().unwrap().tables.into_iter().map(table).collect()
    }

    fn table_t(dump: &mut Dump) -> SourceTable {
        tables(dump).remove(0)
    }

    fn ids(dump: &mut Dump, table: &SourceTable, rows: u64, seed: u64) -> Vec<i64> {
        let mut found = Vec::new();
        let mut sink = |row: Vec<Cell>| {
            if let Some(Value::Int(id)) = row[0] {
                found.push(id);
            }
            Ok(())
        };
        dump.sample(table, rows, seed, &mut sink).unwrap();
        found
    }

    #[test]
    fn reads_qualified_names_and_replace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.sql");
        let text = "CREATE TABLE `shop`.`t` (`id` int NOT NULL, PRIMARY KEY (`id`));\nINSERT INTO `shop`.`t` VALUES (1);\n\
                    REPLACE INTO `t` VALUES (2);\nINSERT IGNORE shop.t (id) VALUES (3);\nINSERT INTO `log`.`t` VALUES (4);\n";
        std::fs::write(&path, text).unwrap();
        let mut dump = Dump::new(&path, "shop", &[]);
        let table = table_t(&mut dump);
        assert_eq!(ids(&mut dump, &table, 10, 1), [1, 2, 3]);
    }

    #[test]
    fn reads_qualified_names_after_another_schema_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.sql");
        let text = "USE log;\nCREATE TABLE shop.t (id int NOT NULL, PRIMARY KEY (id));\nINSERT INTO shop.t VALUES (5);\n\
                    CREATE TABLE u (id int);\nINSERT INTO t VALUES (6);\nINSERT INTO u VALUES ('shop');\n";
        std::fs::write(&path, text).unwrap();
        let mut dump = Dump::new(&path, "shop", &[]);
        let tables = tables(&mut dump);
        assert_eq!(tables.len(), 1);
        assert_eq!(ids(&mut dump, &tables[0], 10, 1), [5]);
    }

    #[test]
    fn names_a_selected_table_that_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        dump(folder.path());
        let error = |tables: &[&str]| {
            let tables: Vec<String> = tables.iter().map(|&name| name.to_owned()).collect();
            Dump::new(&folder.path().join("dump.sql"), "shop", &tables).definitions().unwrap_err().to_string()
        };
        for tables in [&["orderz"][..], &["t", "orderz"], &["v", "orderz"]] {
            let wanted = "the schema shop has no table orderz in the dump; it has: t, v";
            assert!(error(tables).ends_with(wanted), "{}", error(tables));
        }
        assert!(error(&["v"]).contains("only views"));
    }

    #[test]
    fn refuses_expressions_and_rows_that_are_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.sql");
        for (row, problem) in [
            ("(1, CONCAT('a', 'b'))", "a value of t.a is an expression"),
            ("(1, 'a', 2)", "a row of t has 3 values for 2 columns"),
        ] {
            let create = "CREATE TABLE `t` (`id` int NOT NULL, `a` varchar(9));\n";
            std::fs::write(&path, format!("{create}INSERT INTO t VALUES {row};\n")).unwrap();
            let mut dump = Dump::new(&path, "shop", &[]);
            let table = table_t(&mut dump);
            let error = dump.sample(&table, 9, 1, &mut |_| Ok(())).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn samples_rows_of_the_whole_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.sql");
        let rows: Vec<String> = (0..1000).map(|id| format!("({id})")).collect();
        let text = format!("CREATE TABLE t (id int NOT NULL);\nINSERT INTO t VALUES {};\n", rows.join(","));
        std::fs::write(&path, text).unwrap();
        let mut dump = Dump::new(&path, "shop", &[]);
        let table = table_t(&mut dump);
        let sample = ids(&mut dump, &table, 100, 7);
        assert!(sample.len() == 100 && sample.is_sorted() && sample.last() > Some(&800), "{sample:?}");
        assert_eq!(sample, ids(&mut dump, &table, 100, 7));
        assert_ne!(sample, ids(&mut dump, &table, 100, 8));
    }

    /// A dump of 40 tables with the rows 1 to 3.
    fn many_tables(folder: &Path) -> Dump {
        let path = folder.join("many.sql");
        let table = |at: u64| format!("CREATE TABLE t{at} (id int);\nINSERT INTO t{at} VALUES (1),(2),(3);\n");
        std::fs::write(&path, (0..40).map(table).collect::<String>()).unwrap();
        Dump::new(&path, "shop", &[])
    }

    #[test]
    fn one_pass_takes_samples_of_many_tables() {
        let folder = tempfile::tempdir().unwrap();
        let mut dump = many_tables(folder.path());
        let tables = tables(&mut dump);
        let alone: Vec<_> = tables.iter().map(|table| ids(&mut dump, table, 2, 7)).collect();
        assert_eq!(dump.passes.replace(0), 1 + tables.len());
        dump.prepare_samples(&tables);
        assert_eq!(tables.iter().map(|table| ids(&mut dump, table, 2, 7)).collect::<Vec<_>>(), alone);
        assert_eq!(dump.passes.replace(0), 1);
        // Samples of ten tables are held in memory at a time.
        let rows = MAX_ROWS_OF_ONE_PASS / 10;
        assert!(tables.iter().all(|table| ids(&mut dump, table, rows, 7) == [1, 2, 3]));
        assert_eq!(dump.passes.get(), 4);
    }

    #[test]
    fn one_pass_finds_the_parents_in_all_tables() {
        let folder = tempfile::tempdir().unwrap();
        let mut dump = many_tables(folder.path());
        let tables = tables(&mut dump);
        dump.passes.set(0);
        // Two requests for each table. No row has the key 9.
        let requests: Vec<_> = tables
            .iter()
            .enumerate()
            .flat_map(|(at, table)| [&[2, 9][..], &[3]].map(|ids| by_id(at, table, ids)))
            .collect();
        let mut found = Vec::new();
        let mut sink = |at: usize, _| {
            found.push(at);
            Ok(())
        };
        dump.rows_by_keys(&requests, &mut sink).unwrap();
        assert_eq!(found, (0..40).flat_map(|at| [at, at]).collect::<Vec<_>>());
        assert_eq!(dump.passes.get(), 1);
    }

    #[test]
    fn reads_packed_rows_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("shop.t-schema.sql"), "CREATE TABLE t (id int);").unwrap();
        std::fs::write(folder.path().join("metadata"), "").unwrap();
        let mut dump = Dump::new(folder.path(), "shop", &[]);
        let table = table_t(&mut dump);
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let packed = ruzstd::encoding::compress_to_vec(&b"INSERT INTO `t` VALUES (5);\n"[..], level);
        std::fs::write(folder.path().join("shop.t.00000.sql.zst"), packed).unwrap();
        assert_eq!(ids(&mut dump, &table, 10, 1), [5]);
    }
}
