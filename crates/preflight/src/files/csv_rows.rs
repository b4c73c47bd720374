//! A CSV file as a table: its header names the columns, all of which are text.

use std::fs::File;
use std::time::Instant;

use facts::Facts;
use mysql_collation::Flavour;

use super::dump::own;
use super::table_file::{FileColumn, TableFile, modified};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{EachRow, RowSource};
use crate::row::{Field, Fields};

/// What stands for NULL, as mysqldump and LOAD DATA write it.
const NULL: &[u8] = b"\\N";

/// A CSV file: UTF-8, with a header.
#[derive(Clone, Debug)]
pub struct CsvRows(pub TableFile);

impl CsvRows {
    /// The file as a table of facts.
    pub fn facts(&self, flavour: Flavour) -> Result<Facts, Error> {
        let mut reader = self.reader()?;
        let header = reader.headers().map_err(|error| self.0.wrong(error))?;
        let column = |name: &str| FileColumn { name: name.to_owned(), data_type: "varchar" };
        let columns: Vec<FileColumn> = header.iter().map(column).collect();
        self.0.facts("csv", flavour, &columns)
    }

    fn reader(&self) -> Result<csv::Reader<File>, Error> {
        csv::ReaderBuilder::new().flexible(false).from_path(&self.0.path).map_err(|error| self.0.wrong(error))
    }
}

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
        let mut reader = self.reader()?;
        let header = reader.byte_headers().map_err(|error| self.0.wrong(error))?.clone();
        let place = |name: &str| header.iter().position(|column| column == name.as_bytes()).unwrap_or(usize::MAX);
        let places: Vec<usize> = fields.columns.iter().map(|field| place(&field.name)).collect();
        let mut reading =
            Reading { how: "from a file".into(), chunks: 1, from: modified(&self.0.path), ..Reading::default() };
        let begin = Instant::now();
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(|error| self.0.wrong(error))? {
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
