//! Dumps of mysqldump and mydumper: in UTF-8, or in bytes as they are stored (`SET NAMES binary`).

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use facts::{Facts, Unseen};
use mysql_collation::{Charset, Flavour};
use rehearsal::{Definitions, Kind, Object, ObjectName, Unread};
use sql::{InsertTuples, SqlMode, StatementReader, TupleValue};

use super::build_facts;
use super::definition::parse_table;
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

/// Code of [`Unread`] for a definition that `weigh` can't parse. Not an error code of a server.
pub const NOT_UNDERSTOOD: u16 = u16::MAX;

/// Reads the tables of a dump, their definitions, and where their rows are. A table whose CREATE
/// TABLE isn't laid out as mysqldump writes it is listed as unread.
pub fn read_dump(path: &Path, flavour: Flavour) -> Result<(Facts, Definitions, DumpRows), Error> {
    let (mut tables, mut definitions) = (Vec::new(), Definitions::default());
    let mut inserts = Inserts::new();
    let mut programs = BTreeSet::new();
    // Table of the statement before, if it was an INSERT.
    let mut last: Option<(String, String)> = None;
    for_each_statement(path, &mut |file, schema, offset, statement, is_stored_bytes| {
        let before = last.take();
        if starts_with_words(statement, "INSERT") {
            if let Some(head) = InsertHead::read(statement) {
                let table = (schema.to_owned(), head.table);
                let place = Place { file: file.clone(), offset, bytes: statement.len() as u64, is_stored_bytes };
                let places = inserts.entry(table.clone()).or_default();
                match places.last_mut().filter(|_| before.as_ref() == Some(&table)) {
                    Some(run) if run.can_take(&place) => run.bytes = offset + place.bytes - run.offset,
                    _ => places.push(place),
                }
                last = Some(table);
            }
        } else if starts_with_words(statement, "CREATE TABLE") {
            let create = String::from_utf8_lossy(statement).into_owned();
            match parse_table(schema, &create, flavour) {
                Ok(table) => {
                    definitions.objects.push(Object::new(Kind::Table, schema, &table.name, create));
                    tables.push(table);
                }
                Err(unparsed) => definitions.unread.push(Unread {
                    name: ObjectName { kind: Kind::Table, schema: schema.to_owned(), name: unparsed.name },
                    code: NOT_UNDERSTOOD,
                    message: unparsed.problem,
                }),
            }
        } else if let Some(program) = find_program(statement) {
            programs.insert((schema.to_owned(), program));
        }
        Ok(())
    })?;
    if tables.is_empty() && definitions.unread.is_empty() {
        return Err(Error::Content { path: path.to_owned(), problem: "no CREATE TABLE is in it".into() });
    }
    let rows = DumpRows { path: path.to_owned(), inserts: Arc::new(inserts) };
    let mut facts = build_facts(flavour, tables);
    facts.unseen.extend((!programs.is_empty()).then(|| Unseen {
        what: match programs.len() {
            1 => "a program or view of the dump".into(),
            count => format!("{count} programs and views of the dump"),
        },
        why: "programs and views are checked on a server only".into(),
        remedy: None,
    }));
    Ok((facts, definitions, rows))
}

/// Returns kind and name of the program or view that a statement creates, such as `` TRIGGER `t` ``.
/// Dumps write its parts in comments of versions.
fn find_program(statement: &[u8]) -> Option<String> {
    const MAX_HEAD_BYTES: usize = 1_000;
    let head = statement.trim_ascii_start();
    let head = String::from_utf8_lossy(&head[..head.len().min(MAX_HEAD_BYTES)]).replace("*/", " ");
    let mut words = head.split_whitespace().map(|word| match word.strip_prefix("/*!") {
        Some(word) => word.trim_start_matches(|character: char| character.is_ascii_digit()),
        None => word,
    });
    if !words.by_ref().find(|word| !word.is_empty())?.eq_ignore_ascii_case("create") {
        return None;
    }
    let kinds = ["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "VIEW"];
    let kind = words
        .by_ref()
        .take_while(|word| !word.eq_ignore_ascii_case("table") && !word.eq_ignore_ascii_case("as"))
        .find(|word| kinds.iter().any(|kind| word.eq_ignore_ascii_case(kind)))?;
    let name = words.next()?.split(['(', ' ']).next()?;
    Some(format!("{} {name}", kind.to_uppercase()))
}

/// Function that receives a file, the default schema, the offset and text of a statement, and
/// whether its values are bytes as they are stored.
type StatementVisitor<'e> = dyn FnMut(&Arc<Path>, &str, u64, &[u8], bool) -> Result<(), Error> + 'e;

/// Calls `each` for each statement of a dump.
fn for_each_statement(path: &Path, each: &mut StatementVisitor<'_>) -> Result<(), Error> {
    for file in list_files(path)? {
        let mut schema = schema_name(&file, path.is_dir());
        let shared: Arc<Path> = file.as_path().into();
        let mut statements = StatementReader::with_limit(
            BufReader::with_capacity(1 << 18, open(&file, path.is_dir())?),
            SqlMode::default(),
            bounded::max_item_bytes(),
        );
        let mut is_stored_bytes = false;
        loop {
            lifecycle::interrupt::check()?;
            let failed = |source| Error::File { what: "read", path: file.clone(), source };
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
            each(&shared, &schema, statements.offset(), &statement, is_stored_bytes)?;
        }
    }
    Ok(())
}

/// Opens a file. Fails for a pipe, without waiting for it, if the file `must_be_regular`.
fn open(path: &Path, must_be_regular: bool) -> Result<File, Error> {
    let opened = if must_be_regular { files::open_regular(path) } else { File::open(path) };
    opened.map_err(|source| Error::File { what: "read", path: path.to_owned(), source })
}

fn starts_with_words(statement: &[u8], words: &str) -> bool {
    statement.trim_ascii_start().get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words.as_bytes()))
}

/// Places of rows, by schema and table.
type Inserts = HashMap<(String, String), Vec<Place>>;

/// Position of INSERTs into one table that directly follow each other. A dump may have one for each row.
#[derive(Clone, Debug)]
struct Place {
    file: Arc<Path>,
    offset: u64,
    bytes: u64,
    /// True for values in the character sets of their columns, false for UTF-8.
    is_stored_bytes: bool,
}

impl Place {
    /// True if the INSERT at `next` is read like these.
    fn can_take(&self, next: &Self) -> bool {
        self.is_stored_bytes == next.is_stored_bytes && Arc::ptr_eq(&self.file, &next.file)
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

/// Beginning of an INSERT, as mysqldump and mydumper write it.
struct InsertHead {
    table: String,
    /// Empty if the statement lists no columns.
    columns: Vec<String>,
    /// Offset of `VALUES`.
    values: usize,
}

impl InsertHead {
    fn read(statement: &[u8]) -> Option<Self> {
        let values = statement.windows(7).position(|word| {
            word.eq_ignore_ascii_case(b"VALUES ")
                || word.eq_ignore_ascii_case(b"VALUES(")
                || word.eq_ignore_ascii_case(b"VALUES\n")
        })?;
        let head = String::from_utf8_lossy(&statement[..values]);
        let (name, list) = head.split_once('(').unwrap_or((&head, ""));
        let quoted = |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        Some(Self { table: quoted(name).pop()?, columns: quoted(list), values })
    }
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
    let position = |name: &str| {
        if head.columns.is_empty() {
            table.table.columns.iter().position(|column| column.name == name)
        } else {
            head.columns.iter().position(|column| *column == name)
        }
    };
    let places: Vec<Option<usize>> = fields.columns.iter().map(|field| position(&field.name)).collect();
    for tuple in InsertTuples::new(&statement[head.values + 6..]) {
        let tuple = tuple.map_err(Failure::Content)?;
        let value = |(place, field): (&Option<usize>, &crate::row::Field)| match tuple.get((*place)?)? {
            TupleValue::Null => None,
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
            let read = received.recv_timeout(Duration::from_secs(60)).expect("it waits for the pipe");
            assert!(read.unwrap_err().contains("not a regular file"));
            fs::remove_file(&path).unwrap();
            fs::write(&path, before).unwrap();
        }
    }
}
