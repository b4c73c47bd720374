//! Tables and rows of a dump: a file of mysqldump, or a folder of mydumper.

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
    /// Number of passes.
    #[cfg(test)]
    passes: std::cell::Cell<usize>,
}

type Sample = (Vec<Vec<Cell>>, SampleExtent);

/// Maximum number of rows that the samples of one pass may have, unless one table's sample has
/// more. They are held in memory.
const MAX_ROWS_OF_ONE_PASS: u64 = 1_000_000;

/// Receives a statement and the file that holds it.
type StatementSink<'e> = dyn FnMut(&Path, &[u8]) -> Result<(), Error> + 'e;

impl Dump {
    /// Creates the dump of a file or a folder. Statements of other schemas are skipped. An empty
    /// `tables` selects all tables.
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

    /// Returns the dump's file, or the folder's `.sql` files, also with `.gz`, `.zst` and `.xz`,
    /// those with definitions (`-schema`) first. Fails if the folder has files of rows in another
    /// form: the rows would be missed.
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.path.is_dir() {
            return Ok(vec![self.path.clone()]);
        }
        let read_error = |source| Error::File { path: self.path.clone(), source };
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&self.path).map_err(read_error)?.flatten().map(|entry| entry.path()).collect();
        let is_sql = |file: &PathBuf| {
            let name = file.to_string_lossy();
            unpacked_name(&name).ends_with(".sql")
        };
        let other = files.iter().filter(|file| {
            let name = file.to_string_lossy();
            !is_sql(file) && (name.contains(".sql.") || unpacked_name(&name).ends_with(".dat"))
        });
        let other: Vec<String> =
            other.filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect();
        if let Some(first) = other.first() {
            let problem = format!(
                "{} of the folder {} no .sql, .sql.gz, .sql.zst or .sql.xz, such as {first}: unpack it, or dump rows as INSERT",
                if other.len() == 1 { "1 file".to_owned() } else { format!("{} files", other.len()) },
                if other.len() == 1 { "is" } else { "are" },
            );
            return Err(Error::Content { path: self.path.clone(), problem });
        }
        files.retain(is_sql);
        let has_rows =
            |file: &PathBuf| !file.file_name().is_some_and(|name| name.to_string_lossy().contains("-schema"));
        files.sort_by_key(|file| (has_rows(file), file.clone()));
        Ok(files)
    }

    /// Opens a file. In a folder, only regular files are read.
    fn open(&self, path: &Path) -> Result<Box<dyn BufRead>, Error> {
        let opened = if path == self.path { File::open(path) } else { files::open_regular(path) };
        let file = opened.map_err(|source| Error::File { path: path.to_owned(), source })?;
        let reader =
            image::decompress(BufReader::new(file)).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Ok(Box::new(BufReader::with_capacity(1 << 18, reader)))
    }

    /// Calls `sink` for each statement of the schema. Statements before the first USE of a dump in
    /// one file belong to it.
    fn for_each_statement(&self, sink: &mut StatementSink<'_>) -> Result<(), Error> {
        #[cfg(test)]
        self.passes.set(self.passes.get() + 1);
        for path in self.files()? {
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
                match sql::used_schema(statement) {
                    Some(name) => used = Some(name),
                    None if used.as_ref().is_none_or(|used| *used == self.schema) => sink(&path, statement)?,
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Calls `each` for each row of one of the tables, with the table's position. The row is made
    /// only if it is asked for.
    fn for_each_row(
        &self,
        tables: &[&SourceTable],
        mut each: impl FnMut(usize, &dyn Fn() -> Vec<Cell>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.for_each_statement(&mut |path, statement| {
            let begins = |word: &[u8]| {
                statement.trim_ascii_start().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            };
            if !begins(b"insert") && !begins(b"replace") {
                return Ok(());
            }
            let Some((at, insert)) = Insert::read(statement, tables) else { return Ok(()) };
            if !self.is_own(insert.schema.as_deref()) {
                return Ok(());
            }
            for tuple in InsertTuples::new(insert.rows) {
                let tuple = tuple.map_err(|problem| Error::Content { path: path.to_owned(), problem })?;
                each(at, &|| insert.row(&tuple, tables[at]))?;
            }
            Ok(())
        })
    }

    /// Takes the samples of a table and of those that follow it, in one pass.
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

    /// True for a name without a schema, and for the dump's schema.
    fn is_own(&self, schema: Option<&str>) -> bool {
        schema.is_none_or(|schema| schema == self.schema)
    }

    fn includes_table(&self, name: &str) -> bool {
        self.tables.is_empty() || self.tables.iter().any(|table| table == name)
    }
}

/// Removes `.gz`, `.zst` or `.xz` from a file name.
fn unpacked_name(name: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

impl TableSource for Dump {
    fn origin(&self) -> Origin {
        Origin { label: self.path.display().to_string(), identity: None }
    }

    fn definitions(&mut self) -> Result<Definitions, Error> {
        let mut found = Definitions::default();
        self.for_each_statement(&mut |_, statement| {
            if !statement.trim_ascii_start().get(..2).is_some_and(|two| two.eq_ignore_ascii_case(b"cr") || two == b"/*")
            {
                return Ok(());
            }
            let text = String::from_utf8_lossy(statement).into_owned();
            let tokens = content_tokens(&text);
            let is_create = tokens.first().is_some_and(|token| token.is_keyword("create"));
            let object = tokens.iter().position(|token| {
                token.is_any_keyword(&["table", "view", "trigger", "procedure", "function", "event"])
            });
            let Some(at) = object.filter(|_| is_create) else { return Ok(()) };
            let rest = tokens[at + 1..].iter().skip_while(|token| token.is_any_keyword(&["if", "not", "exists"]));
            let rest: Vec<Token<'_>> = rest.take(3).copied().collect();
            let name = sql::read_table_name(&rest).filter(|(table, _)| self.is_own(table.schema.as_deref()));
            // The workload folder's definitions name no schema.
            let unqualified = match (&name, rest.as_slice()) {
                (Some((sql::TableName { schema: Some(_), .. }, _)), [schema, _, table, ..]) => {
                    format!("{}{}", &text[..schema.start], &text[table.start..])
                }
                _ => text.clone(),
            };
            let name = name.map(|(table, _)| table.name);
            let Some(name) = name.filter(|name| self.includes_table(name)) else { return Ok(()) };
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
        if found.tables.is_empty() {
            let problem = format!("there is no CREATE TABLE of the schema {}", self.schema);
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
    fn definitions_are_read_before_rows_in_any_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("x-schema-y");
        std::fs::create_dir(&folder).unwrap();
        for name in ["shop.a.sql", "shop.b-schema.sql", "shop.c.sql.gz"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let files = Dump::new(&folder, "shop", &[]).files().unwrap();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["shop.b-schema.sql", "shop.a.sql", "shop.c.sql.gz"]);
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
        // Two keys of each table, one of which no row has.
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
    fn refuses_files_of_rows_in_other_forms() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("shop.t-schema.sql"), "CREATE TABLE t (id int);").unwrap();
        std::fs::write(folder.path().join("metadata"), "").unwrap();
        let mut dump = Dump::new(folder.path(), "shop", &[]);
        let table = table_t(&mut dump);
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let packed = ruzstd::encoding::compress_to_vec(&b"INSERT INTO `t` VALUES (5);\n"[..], level);
        std::fs::write(folder.path().join("shop.t.00000.sql.zst"), packed).unwrap();
        assert_eq!(ids(&mut dump, &table, 10, 1), [5]);
        std::fs::write(folder.path().join("shop.t.00000.sql.bz2"), "").unwrap();
        let error = dump.definitions().unwrap_err().to_string();
        assert!(error.contains("shop.t.00000.sql.bz2"), "{error}");
    }
}
