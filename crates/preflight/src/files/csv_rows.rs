//! A CSV file as a table: its header names the columns, all of which are text.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use facts::{Column, Facts, Index, IndexKind, IndexPart, Table};
use mysql_collation::Flavour;

use super::dump::own;
use super::facts_of;
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{EachRow, RowSource};
use crate::row::{Field, Fields};

/// A CSV file, and what is to be known of its columns.
#[derive(Clone, Debug)]
pub struct CsvFile {
    /// The file: UTF-8, with a header.
    pub path: PathBuf,
    /// The collation that its columns have now.
    pub from: String,
    /// Unique keys: lists of columns.
    pub keys: Vec<Vec<String>>,
}

/// What stands for NULL, as mysqldump and LOAD DATA write it.
const NULL: &[u8] = b"\\N";

impl CsvFile {
    fn reader(&self) -> Result<csv::Reader<File>, Error> {
        let failed = |error: csv::Error| Error::Content { path: self.path.clone(), problem: error.to_string() };
        csv::ReaderBuilder::new().flexible(false).from_path(&self.path).map_err(failed)
    }

    fn failed(&self, error: &csv::Error) -> Error {
        Error::Content { path: self.path.clone(), problem: error.to_string() }
    }

    /// The file as a table of facts.
    pub fn facts(&self, flavour: Flavour) -> Result<Facts, Error> {
        let mut reader = self.reader()?;
        let header = reader.headers().map_err(|error| self.failed(&error))?.clone();
        let charset = self.from.split('_').next().unwrap_or_default().to_owned();
        let column = |(at, name): (usize, &str)| Column {
            name: name.to_owned(),
            position: at as u32 + 1,
            data_type: "varchar".into(),
            column_type: "varchar(255)".into(),
            charset: Some(charset.clone()),
            collation: Some(self.from.clone()),
            characters: Some(255),
            nullable: true,
            ..Column::default()
        };
        let columns: Vec<Column> = header.iter().enumerate().map(column).collect();
        let mut indexes = Vec::new();
        for (at, key) in self.keys.iter().enumerate() {
            if let Some(unknown) = key.iter().find(|name| !columns.iter().any(|column| column.name == **name)) {
                let problem =
                    format!("it has no column {unknown}; it has {}", header.iter().collect::<Vec<_>>().join(", "));
                return Err(Error::Content { path: self.path.clone(), problem });
            }
            let parts =
                key.iter().map(|name| IndexPart { column: Some(name.clone()), ..IndexPart::default() }).collect();
            indexes.push(Index { name: format!("key {}", at + 1), unique: true, kind: IndexKind::Btree, parts });
        }
        let name = self.path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let table = Table {
            schema: "csv".into(),
            name,
            engine: Some("InnoDB".into()),
            columns,
            indexes,
            row_format: facts::RowFormat::Dynamic,
            ..Table::default()
        };
        Ok(facts_of(flavour, vec![table]))
    }
}

/// The rows of a CSV file.
pub struct CsvRows(pub CsvFile);

impl RowSource for CsvRows {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        // Lines are named by the first column where it is no part of a key itself.
        table.table.columns.first().map(|column| vec![column.name.clone()]).unwrap_or_default()
    }

    fn read(
        &mut self,
        _table: &TableJob<'_>,
        fields: &Fields,
        each: &mut EachRow<'_>,
    ) -> Result<Option<Reading>, Error> {
        let mut reader = self.0.reader()?;
        let header = reader.byte_headers().map_err(|error| self.0.failed(&error))?.clone();
        let place = |name: &str| header.iter().position(|column| column == name.as_bytes()).unwrap_or(usize::MAX);
        let places: Vec<usize> = fields.columns.iter().map(|field| place(&field.name)).collect();
        let mut reading =
            Reading { how: "from a file".into(), chunks: 1, from: modified(&self.0.path), ..Reading::default() };
        let begin = Instant::now();
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(|error| self.0.failed(&error))? {
            server::interrupt::check()?;
            let value = |(place, field): (&usize, &Field)| {
                record.get(*place).filter(|value| *value != NULL).map(|value| own(value, field.charset))
            };
            let values: Vec<Option<Vec<u8>>> = places.iter().zip(&fields.columns).map(value).collect();
            each(&values)?;
            reading.rows += 1;
            reading.bytes += record.as_slice().len() as u64;
        }
        reading.to = reading.from.clone();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}

/// When a file was last written, UTC.
pub fn modified(path: &Path) -> String {
    let time = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let stamp = time.and_then(|time| jiff::Timestamp::try_from(time).ok());
    stamp.map_or_else(String::new, |stamp| stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
