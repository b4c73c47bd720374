//! CSV files as tables.

use std::fs::File;
use std::time::Instant;

use bounded::{Budget, ItemReader};
use facts::Facts;
use mysql_collation::Flavour;

use super::table_file::{FileColumn, TableFile, convert_row, modification_time};
use crate::Error;
use crate::job::TableJob;
use crate::model::Reading;
use crate::read::{RowSource, RowVisitor};
use crate::row::Fields;

/// NULL, as `mysqldump --tab` and `SELECT … INTO OUTFILE` write it by default.
const NULL: &[u8] = b"\\N";

/// A CSV file in UTF-8 with a header. All columns are text.
#[derive(Clone, Debug)]
pub struct CsvRows(pub TableFile);

impl CsvRows {
    /// Describes the file as a table.
    pub fn facts(&self, flavour: Flavour) -> Result<Facts, Error> {
        let (mut reader, _) = self.reader()?;
        let header = reader.headers().map_err(|error| self.0.content_error(error))?;
        if let Some(name) =
            header.iter().enumerate().find(|(at, name)| header.iter().take(*at).any(|other| other == *name))
        {
            return Err(self.0.content_error(format!("the header has {} twice", name.1)));
        }
        if header.is_empty() {
            return Err(self.0.content_error("it is empty; the first line of a CSV file names its columns"));
        }
        let column = |name: &str| FileColumn { name: name.to_owned(), data_type: "varchar" };
        let columns: Vec<FileColumn> = header.iter().map(column).collect();
        self.0.facts("csv", flavour, &columns)
    }

    fn reader(&self) -> Result<(csv::Reader<ItemReader<File>>, Budget), Error> {
        let file = File::open(&self.0.path).map_err(|error| self.0.content_error(error))?;
        let (input, budget) = ItemReader::new(file, "a row");
        Ok((csv::ReaderBuilder::new().flexible(false).from_reader(input), budget))
    }
}

impl RowSource for CsvRows {
    fn key(&self, table: &TableJob<'_>) -> Vec<String> {
        // The first column identifies a row in findings.
        table.table.columns.first().map(|column| vec![column.name.clone()]).unwrap_or_default()
    }

    fn read(
        &mut self,
        _table: &TableJob<'_>,
        fields: &Fields,
        each: &mut RowVisitor<'_>,
    ) -> Result<Option<Reading>, Error> {
        let (mut reader, budget) = self.reader()?;
        let header = reader.byte_headers().map_err(|error| self.0.content_error(error))?.clone();
        let position = |name: &str| header.iter().position(|column| column == name.as_bytes()).unwrap_or(usize::MAX);
        let positions: Vec<usize> = fields.columns.iter().map(|field| position(&field.name)).collect();
        let mut reading = Reading {
            how: "from a file".into(),
            chunks: 1,
            from: modification_time(&self.0.path),
            ..Reading::default()
        };
        let begin = Instant::now();
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(|error| self.0.content_error(error))? {
            lifecycle::interrupt::check()?;
            budget.renew();
            let value = |position: &usize| record.get(*position).filter(|value| *value != NULL);
            let values: Vec<Option<&[u8]>> = positions.iter().map(value).collect();
            each(&convert_row(&values, fields, &mut reading))?;
            reading.rows += 1;
            reading.bytes += record.as_slice().len() as u64;
        }
        reading.to = reading.from.clone();
        reading.seconds = begin.elapsed().as_secs_f64();
        Ok(Some(reading))
    }
}
