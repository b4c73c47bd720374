//! Dumps of mysqldump and mydumper: definitions and rows as SQL, in UTF-8.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ::sql::{Literal, Statements, Tuples};
use facts::Facts;
use mysql_collation::{Charset, Flavour};

use super::definition::table;
use super::facts_of;
use super::table_file::modified;
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{EachRow, RowSource};
use crate::row::Fields;
use crate::text;

/// Tables of a dump's files, and their CREATE TABLE.
pub type Creates = BTreeMap<(String, String), String>;

/// The files of a dump: a file, or those of mydumper's folder that end with `.sql`.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |source| Error::File { what: "read", path: path.to_owned(), source };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sql"));
    // Definitions (…-schema.sql) first, so that rows find their table.
    files.sort_by_key(|file| (!file.to_string_lossy().ends_with("-schema.sql"), file.clone()));
    Ok(files)
}

/// mydumper's files are named `schema.table….sql`.
fn schema_of(file: &Path, is_folder: bool) -> String {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if is_folder { name.split('.').next().unwrap_or_default().to_owned() } else { "dump".into() }
}

/// The facts of a dump, and its definitions.
pub fn dumps(path: &Path, flavour: Flavour) -> Result<(Facts, Creates), Error> {
    let (mut tables, mut creates) = (Vec::new(), Creates::new());
    each_statement(path, &mut |_, schema, statement| {
        if starts_with(statement, "CREATE TABLE") {
            let create = String::from_utf8_lossy(statement).into_owned();
            if let Some(found) = table(schema, &create, flavour) {
                creates.insert((schema.to_owned(), found.name.clone()), create);
                tables.push(found);
            }
        }
        Ok(())
    })?;
    if tables.is_empty() {
        return Err(Error::Content { path: path.to_owned(), problem: "no CREATE TABLE is in it".into() });
    }
    Ok((facts_of(flavour, tables), creates))
}

/// Gets a file, the schema that is in use, and a statement.
type EachStatement<'e> = dyn FnMut(&Path, &str, &[u8]) -> Result<(), Error> + 'e;

/// Walks through the statements of a dump.
fn each_statement(path: &Path, each: &mut EachStatement<'_>) -> Result<(), Error> {
    for file in files(path)? {
        let mut schema = schema_of(&file, path.is_dir());
        let mut statements = Statements::new(BufReader::with_capacity(1 << 18, open(&file)?));
        while let Some(statement) =
            statements.read().map_err(|source| Error::File { what: "read", path: file.clone(), source })?
        {
            server::interrupt::check()?;
            if let Some(name) = used(&statement) {
                schema = name;
            }
            each(&file, &schema, &statement)?;
        }
    }
    Ok(())
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|source| Error::File { what: "read", path: path.to_owned(), source })
}

fn starts_with(statement: &[u8], words: &str) -> bool {
    statement.trim_ascii_start().get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words.as_bytes()))
}

/// The schema that `USE` names.
fn used(statement: &[u8]) -> Option<String> {
    starts_with(statement, "USE ")
        .then(|| String::from_utf8_lossy(statement.trim_ascii()).split('`').nth(1).map(str::to_owned))
        .flatten()
}

/// The rows of a dump. Each table is a pass over the files.
pub struct DumpRows {
    path: PathBuf,
}

impl DumpRows {
    /// Of this file or folder.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }
}

impl RowSource for DumpRows {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        let primary = table.table.primary_key();
        primary.into_iter().flat_map(|key| key.parts.iter().filter_map(|part| part.column.clone())).collect()
    }

    fn read(&mut self, of: &TableJob<'_>, fields: &Fields, each: &mut EachRow<'_>) -> Result<Option<Reading>, Error> {
        let mut reading =
            Reading { how: "from a dump".into(), chunks: 1, from: modified(&self.path), ..Reading::default() };
        let begin = Instant::now();
        each_statement(&self.path, &mut |file, schema, statement| {
            if schema != of.table.schema || !starts_with(statement, "INSERT") {
                return Ok(());
            }
            insert(statement, of, fields, &mut reading, each).map_err(|failure| match failure {
                Failure::Content(problem) => Error::Content { path: file.to_owned(), problem },
                Failure::Check(error) => error,
            })
        })?;
        reading.to = reading.from.clone();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

enum Failure {
    Content(String),
    Check(Error),
}

/// Gives the rows of an INSERT, where it is into the table.
fn insert(
    statement: &[u8],
    of: &TableJob<'_>,
    fields: &Fields,
    reading: &mut Reading,
    each: &mut EachRow<'_>,
) -> Result<(), Failure> {
    let Some(values) = statement.windows(7).position(|word| {
        word.eq_ignore_ascii_case(b"VALUES ")
            || word.eq_ignore_ascii_case(b"VALUES(")
            || word.eq_ignore_ascii_case(b"VALUES\n")
    }) else {
        return Ok(());
    };
    let head = String::from_utf8_lossy(&statement[..values]).into_owned();
    let (name, list) = head.split_once('(').unwrap_or((&head, ""));
    if name.split('`').skip(1).step_by(2).last() != Some(&of.table.name) {
        return Ok(());
    }
    let listed: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let place = |name: &str| {
        if listed.is_empty() {
            of.table.columns.iter().position(|column| column.name == name)
        } else {
            listed.iter().position(|listed| *listed == name)
        }
    };
    let places: Vec<Option<usize>> = fields.columns.iter().map(|field| place(&field.name)).collect();
    for tuple in Tuples::new(&statement[values + 6..]) {
        let tuple = tuple.map_err(Failure::Content)?;
        let value = |(place, field): (&Option<usize>, &crate::row::Field)| match tuple.get((*place)?)? {
            Literal::Null => None,
            Literal::Text(bytes) => Some(own(bytes, field.charset)),
        };
        let row: Vec<Option<Vec<u8>>> = places.iter().zip(&fields.columns).map(value).collect();
        each(&row).map_err(Failure::Check)?;
        reading.rows += 1;
        reading.bytes += row.iter().flatten().map(|value| value.len() as u64).sum::<u64>();
    }
    Ok(())
}

/// A value in its column's own character set: files are UTF-8.
pub fn own(bytes: &[u8], charset: Option<Charset>) -> Vec<u8> {
    match charset {
        Some(charset) => text::convert(bytes, Charset::Utf8mb4, charset)
            .map_or_else(|_| bytes.to_vec(), |converted| converted.into_owned()),
        None => bytes.to_vec(),
    }
}
