//! Dumps of mysqldump and mydumper: in UTF-8, or in bytes as they are stored (`SET NAMES binary`).

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use facts::Facts;
use mysql_collation::{Charset, Flavour};
use rehearsal::Definitions;
use sql::{InsertTuples, SqlMode, StatementReader, TupleValue};

use super::contents::{Contents, Inserts};
use super::statement::InsertHead;
use super::table_file::modification_time;
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{RowSource, RowVisitor};
use crate::row::Fields;
use crate::text;

/// Lists the files of a dump: the file itself, or the `.sql` files of mydumper's folder.
fn list_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |source| Error::File { what: "read", path: path.to_owned(), source };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sql"));
    // Definitions (…-schema.sql) come first, so that rows find their table.
    files.sort_by_key(|file| (!file.to_string_lossy().ends_with("-schema.sql"), file.clone()));
    Ok(files)
}

/// Returns a file's default schema before the first `USE`: `shop` for mydumper's `shop.orders.sql`,
/// `dump` for a single file.
fn schema_name(file: &Path, is_folder: bool) -> String {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if is_folder { name.split('.').next().unwrap_or_default().to_owned() } else { "dump".into() }
}

/// Lists the files of a dump, each with the schema of its tables before the first `USE`.
pub fn list_dump_files(path: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    let with_schema = |file: PathBuf| {
        let schema = schema_name(&file, path.is_dir());
        (file, schema)
    };
    Ok(list_files(path)?.into_iter().map(with_schema).collect())
}

/// Reads the tables of a dump, their definitions, and where their rows are. A table whose CREATE
/// TABLE isn't laid out as mysqldump writes it is listed as unread, and so is one with a statement
/// that was not understood.
pub fn read_dump(path: &Path, flavour: Flavour) -> Result<(Facts, Definitions, DumpRows), Error> {
    let mut contents = Contents::new(flavour);
    for file in list_files(path)? {
        read_file(path, file, &mut contents)?;
    }
    if contents.has_no_table() {
        return Err(Error::Content { path: path.to_owned(), problem: "no CREATE TABLE is in it".into() });
    }
    let (facts, definitions, inserts) = contents.finish();
    Ok((facts, definitions, DumpRows { path: path.to_owned(), inserts: Arc::new(inserts) }))
}

/// Adds the statements of a dump's file to `contents`.
fn read_file(dump: &Path, file: PathBuf, contents: &mut Contents) -> Result<(), Error> {
    let mut schema = schema_name(&file, dump.is_dir());
    let shared: Arc<Path> = file.as_path().into();
    let failed = |source| Error::File { what: "read", path: file.clone(), source };
    let mut input = BufReader::with_capacity(1 << 18, open(&file, dump.is_dir())?);
    contents.read_head(input.fill_buf().map_err(failed)?);
    let mut statements = StatementReader::with_limit(input, SqlMode::default(), bounded::max_item_bytes());
    let mut is_stored_bytes = false;
    loop {
        lifecycle::interrupt::check()?;
        let Some(statement) = statements.read().map_err(failed)?.map(<[u8]>::to_vec) else { break };
        if let Some(name) = sql::used_schema(&statement) {
            schema = name;
        }
        if let Some(problem) = sql::describe_other_names(&statement) {
            return Err(Error::Content { path: file, problem });
        }
        if let Some(charset) = sql::names_charset(&statement) {
            is_stored_bytes = charset == "binary";
        }
        let (offset, bytes) = (statements.offset(), statement.len() as u64);
        contents.add(&schema, &statement, Place { file: shared.clone(), offset, bytes, is_stored_bytes });
    }
    Ok(())
}

/// Opens a file. Fails for a pipe, without waiting for it, if the file `must_be_regular`.
fn open(path: &Path, must_be_regular: bool) -> Result<File, Error> {
    let opened = if must_be_regular { files::open_regular(path) } else { File::open(path) };
    opened.map_err(|source| Error::File { what: "read", path: path.to_owned(), source })
}

/// Position of consecutive INSERTs into one table. A dump may have one for each row.
#[derive(Clone, Debug)]
pub struct Place {
    file: Arc<Path>,
    offset: u64,
    bytes: u64,
    /// True for values in the character sets of their columns, false for UTF-8.
    is_stored_bytes: bool,
}

impl Place {
    /// True if the INSERT at `next` is read like these.
    pub fn can_take(&self, next: &Self) -> bool {
        self.is_stored_bytes == next.is_stored_bytes && Arc::ptr_eq(&self.file, &next.file)
    }

    /// Adds the INSERT at `next`, which directly follows these.
    pub fn extend(&mut self, next: &Self) {
        self.bytes = next.offset + next.bytes - self.offset;
    }

    /// Calls `each` for each statement.
    fn for_each_statement(&self, each: &mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let failed = |source| Error::File { what: "read", path: self.file.to_path_buf(), source };
        // A dump without a folder may be a pipe, whose rows can't be read again.
        let mut file = open(&self.file, true)?;
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let run = BufReader::with_capacity(1 << 18, file.take(self.bytes));
        let mut statements = StatementReader::with_limit(run, SqlMode::default(), bounded::max_item_bytes());
        let mut read = 0;
        while let Some(statement) = statements.read().map_err(failed)? {
            lifecycle::interrupt::check()?;
            let length = statement.len() as u64;
            each(statement)?;
            read = statements.offset() + length;
        }
        // The file became shorter.
        if read < self.bytes { Err(failed(ErrorKind::UnexpectedEof.into())) } else { Ok(()) }
    }
}

/// Rows of a dump, read from each table's INSERTs.
#[derive(Clone, Debug)]
pub struct DumpRows {
    path: PathBuf,
    inserts: Arc<Inserts>,
}

impl RowSource for DumpRows {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        let primary = table.table.primary_key();
        primary.into_iter().flat_map(|key| key.parts.iter().filter_map(|part| part.column.clone())).collect()
    }

    fn read(
        &mut self,
        table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<Reading>, Error> {
        let mut reading =
            Reading { how: "from a dump".into(), chunks: 1, from: modification_time(&self.path), ..Reading::default() };
        let begin = Instant::now();
        let name = (table.table.schema.clone(), table.table.name.clone());
        for place in self.inserts.get(&name).into_iter().flatten() {
            place.for_each_statement(&mut |statement| {
                read_insert(statement, place.is_stored_bytes, table, fields, &mut reading, each).map_err(|failure| {
                    match failure {
                        Failure::Content(problem) => Error::Content { path: place.file.to_path_buf(), problem },
                        Failure::Check(error) => error,
                    }
                })
            })?;
        }
        reading.to = reading.from.clone();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

enum Failure {
    Content(String),
    Check(Error),
}

/// Passes the rows of an INSERT into the table to `each`.
fn read_insert(
    statement: &[u8],
    is_stored_bytes: bool,
    table: &TableJob<'_>,
    fields: &Fields,
    reading: &mut Reading,
    each: &mut RowVisitor<'_>,
) -> Result<(), Failure> {
    let Some(head) = InsertHead::read(statement) else { return Ok(()) };
    // Without a list, a row has all columns but the invisible ones.
    let visible = || table.table.columns.iter().filter(|column| !column.extra.contains("INVISIBLE"));
    let order: Vec<&str> = match head.columns.is_empty() {
        true => visible().map(|column| column.name.as_str()).collect(),
        false => head
            .columns
            .iter()
            .map(|name| table.table.column(name).map_or(name, |column| &column.name).as_str())
            .collect(),
    };
    let generated = visible().filter(|column| head.columns.is_empty() && column.extra.contains("GENERATED")).count();
    let position = |name: &str| order.iter().position(|column| *column == name);
    let places: Vec<Option<usize>> = fields.columns.iter().map(|field| position(&field.name)).collect();
    for tuple in InsertTuples::new(&statement[head.rows..]) {
        let tuple = tuple.map_err(Failure::Content)?;
        if tuple.len() + generated < order.len() || tuple.len() > order.len() {
            let (name, values) = (table.name(), message::count_noun(tuple.len() as u64, "value"));
            return Err(Failure::Content(format!(
                "a row of {name} has {values} for {} columns; weigh reads literals, not expressions",
                order.len()
            )));
        }
        let is_expression = |place: &&Option<usize>| {
            place.is_some_and(|place| matches!(tuple.get(place), Some(TupleValue::Expression)))
        };
        if let Some(column) = places.iter().find(is_expression).and_then(|place| order.get((*place)?)) {
            let name = table.name();
            return Err(Failure::Content(format!(
                "a value of {name}.{column} is an expression; weigh reads literals, not expressions"
            )));
        }
        let value = |(place, field): (&Option<usize>, &crate::row::Field)| match tuple.get((*place)?)? {
            TupleValue::Null | TupleValue::Expression => None,
            TupleValue::Text(bytes) if is_stored_bytes => Some(bytes.to_vec()),
            TupleValue::Text(bytes) => Some(to_column_charset(bytes, field.charset)),
        };
        let row: Vec<Option<Vec<u8>>> = places.iter().zip(&fields.columns).map(value).collect();
        each(&row).map_err(Failure::Check)?;
        reading.rows += 1;
        reading.bytes += row.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
    }
    Ok(())
}

/// Converts a value of a file, which is UTF-8, to the column's character set. A value that can't be
/// converted is returned unchanged.
pub fn to_column_charset(bytes: &[u8], charset: Option<Charset>) -> Vec<u8> {
    match charset {
        Some(charset) => text::convert(bytes, Charset::Utf8mb4, charset)
            .map_or_else(|_| bytes.to_vec(), |converted| converted.into_owned()),
        None => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;

    const DUMP: &str = "CREATE TABLE `t` (\n  `a` varchar(9) CHARACTER SET latin1\n) ENGINE=InnoDB;\nINSERT INTO `t` VALUES ('\u{fc}');\n";

    #[test]
    fn a_dump_in_another_character_set_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), format!("/*!40101 SET NAMES latin1 */;\n{DUMP}")).unwrap();
        let error = read_dump(file.path(), Flavour::MySql).unwrap_err().to_string();
        assert!(error.contains("SET NAMES latin1"), "{error}");
        for (names, is_stored_bytes) in [("utf8mb4", false), ("binary", true)] {
            fs::write(file.path(), format!("/*!40101 SET NAMES {names} */;\n{DUMP}")).unwrap();
            let (_, _, rows) = read_dump(file.path(), Flavour::MySql).unwrap();
            assert_eq!(rows.inserts.values().flatten().next().unwrap().is_stored_bytes, is_stored_bytes);
        }
    }

    #[test]
    fn programs_and_views_of_a_dump_are_named_as_unseen() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let programs = "/*!50001 CREATE VIEW `v` AS SELECT 1 AS `a`*/;\n\
            /*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `tr` BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1 */;\n\
            CREATE DEFINER=`root`@`localhost` FUNCTION `f`(a int) RETURNS int RETURN a;\n\
            /*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50001 VIEW `v` AS select 1 AS `a` */;\n";
        fs::write(file.path(), format!("{DUMP}{programs}")).unwrap();
        let (facts, _, _) = read_dump(file.path(), Flavour::MySql).unwrap();
        assert_eq!(
            facts.unseen.iter().map(|unseen| unseen.what.as_str()).collect::<Vec<_>>(),
            ["3 programs and views of the dump"]
        );
    }

    #[test]
    fn inserts_of_one_row_share_a_place() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let rows = |table: &str| "INSERT INTO `t` VALUES ('a;b');\n".replace('t', table).repeat(50);
        let create = "CREATE TABLE `u` (\n  `a` int\n) ENGINE=InnoDB;\n";
        let parts = [&rows("t"), create, &rows("t"), &rows("u"), "/*!40101 SET NAMES binary */;\n", &rows("u")];
        fs::write(file.path(), format!("{DUMP}{}", parts.concat())).unwrap();
        let (_, _, rows) = read_dump(file.path(), Flavour::MySql).unwrap();
        let count = |table: &str| {
            let places = &rows.inserts[&("dump".to_owned(), table.to_owned())];
            let mut statements = 0;
            for place in places {
                place
                    .for_each_statement(&mut |statement| {
                        assert!(statement.trim_ascii_start().starts_with(format!("INSERT INTO `{table}`").as_bytes()));
                        statements += 1;
                        Ok(())
                    })
                    .unwrap();
            }
            (places.len(), statements)
        };
        assert_eq!((count("t"), count("u")), ((2, 101), (2, 100)));
        let place = rows.inserts.values().flatten().last().unwrap().clone();
        fs::write(file.path(), DUMP).unwrap();
        assert!(place.for_each_statement(&mut |_| Ok(())).is_err(), "a shorter file");
    }

    #[test]
    fn a_file_that_became_a_pipe_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.t.sql");
        fs::write(&path, "CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB;\nINSERT INTO `t` VALUES (1);\n").unwrap();
        for dump in [folder.path(), &path] {
            let (_, _, rows) = read_dump(dump, Flavour::MySql).unwrap();
            let place = rows.inserts.values().flatten().next().unwrap().clone();
            assert!(place.for_each_statement(&mut |_| Ok(())).is_ok());
            let before = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            mknodat(CWD, &path, FileType::Fifo, 0o600.into(), 0).unwrap();
            let (send, received) = mpsc::channel();
            thread::spawn(move || {
                send.send(place.for_each_statement(&mut |_| Ok(())).map_err(|error| error.to_string()))
            });
            let read =
                received.recv_timeout(Duration::from_secs(60)).expect("the reader sends a message within a minute");
            assert!(read.unwrap_err().contains("not a regular file"));
            fs::remove_file(&path).unwrap();
            fs::write(&path, before).unwrap();
        }
    }
}
