//! The folder rows/: one CSV or Parquet file per table.

mod parquet;

use std::collections::HashSet;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use bounded::{Budget, ItemReader};

use crate::cell::{Cell, Column};
use crate::fault::{Fault, did_you_mean};
use crate::schema::SchemaSql;

pub(crate) const FOLDER: &str = "rows";
/// Names of the files, for messages.
pub(crate) const FILE_NAMES: &str = "TABLE.csv, TABLE.csv.gz or TABLE.parquet";
/// Maximum number of faulty rows that are reported per file.
const MAX_FAULTY_ROWS: usize = 20;

/// The file, or Parquet folder, that holds a table's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsFile {
    pub table: String,
    /// For Parquet, a file or a folder of files.
    pub path: PathBuf,
    /// Columns in the order of the file.
    pub columns: Vec<Column>,
}

/// Reader of the rows of one table, in the order of its file.
pub struct RowsReader(RowsSource);

enum RowsSource {
    Csv { input: CsvInput, columns: Vec<Column>, record: csv::StringRecord },
    Parquet(parquet::ParquetRows),
}

impl RowsFile {
    /// Returns the table's part of a file name: `orders` of `orders.csv`, `orders.csv.gz` and
    /// `orders.parquet`.
    pub(crate) fn stem(name: &str) -> Option<&str> {
        let csv = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv");
        csv.or_else(|| name.strip_suffix(".parquet"))
    }

    /// Opens the file at its first row.
    pub fn open(&self) -> io::Result<RowsReader> {
        Ok(RowsReader(if parquet::is_parquet(&self.path) {
            RowsSource::Parquet(parquet::open_rows(&self.path, &self.columns).map_err(io::Error::other)?)
        } else {
            RowsSource::Csv {
                input: open_csv(&self.path)?,
                columns: self.columns.clone(),
                record: csv::StringRecord::new(),
            }
        }))
    }

    /// Returns the files that hold the rows.
    pub(crate) fn files(&self) -> io::Result<Vec<PathBuf>> {
        if parquet::is_parquet(&self.path) {
            return parquet::list_files(&self.path).map_err(io::Error::other);
        }
        Ok(vec![self.path.clone()])
    }
}

/// A reader of CSV, and the budget of the record that it reads.
type CsvInput = (csv::Reader<ItemReader<Box<dyn Read>>>, Budget);

fn open_csv(path: &Path) -> io::Result<CsvInput> {
    let file = BufReader::with_capacity(1 << 18, files::open_regular(path)?);
    let (input, budget) = ItemReader::new(files::unpack(path, file), "a row");
    Ok((csv::ReaderBuilder::new().flexible(true).from_reader(input), budget))
}

impl RowsReader {
    /// Replaces `row` with the next row; returns `false` at the end. An error contains the line, or
    /// the row number in a Parquet file, from 1.
    ///
    /// # Errors
    /// If a row can't be read, or a value doesn't have its column's type.
    pub fn read(&mut self, row: &mut Vec<Cell>) -> Result<bool, (u64, String)> {
        row.clear();
        let ((reader, budget), columns, record) = match &mut self.0 {
            RowsSource::Csv { input, columns, record } => (input, columns, record),
            RowsSource::Parquet(rows) => return rows.read(row),
        };
        let before = reader.position().line();
        budget.renew();
        match reader.read_record(record) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => return Err((before, error.to_string())),
        }
        let line = record.position().map_or(before, csv::Position::line);
        parse_record(columns, record, row).map_err(|message| (line, message))?;
        Ok(true)
    }
}

/// Appends the values of a CSV record to `row`.
pub(crate) fn parse_record(columns: &[Column], record: &csv::StringRecord, row: &mut Vec<Cell>) -> Result<(), String> {
    if record.len() != columns.len() {
        return Err(format!("{} fields where the head has {}", record.len(), columns.len()));
    }
    for (column, field) in columns.iter().zip(record) {
        row.push(column.parse_cell(field).map_err(|message| format!("{}: {message}", column.name))?);
    }
    Ok(())
}

/// Parses the columns of a CSV head.
pub(crate) fn parse_columns(file: &str, record: &csv::StringRecord, faults: &mut Vec<Fault>) -> Vec<Column> {
    let (mut columns, mut names) = (Vec::new(), HashSet::new());
    for field in record {
        match Column::parse_head(field) {
            Ok(column) => {
                if !names.insert(column.name.clone()) {
                    faults.push(Fault::error(file, format!("duplicate column {}", column.name)).line(1));
                }
                columns.push(column);
            }
            Err(message) => faults.push(Fault::error(file, message).line(1)),
        }
    }
    columns
}

/// Checks a file of rows; returns it with the number of rows that could be read. `None` if its
/// columns can't be read, its name isn't one of [`FILE_NAMES`], or schema.sql lacks the table.
pub(crate) fn check(root: &Path, name: &str, schema: &SchemaSql, faults: &mut Vec<Fault>) -> Option<(RowsFile, u64)> {
    let file = format!("{FOLDER}/{name}");
    let stem = RowsFile::stem(name)?;
    let path = root.join(FOLDER).join(name);
    let shape = schema.table_of_file(stem);
    let table = shape.map_or(stem, |shape| shape.name.as_str()).to_owned();
    let Some(shape) = shape else {
        let near = did_you_mean(&table, schema.tables.iter().map(|table| table.name.as_str()));
        faults.push(Fault::error(&file, format!("schema.sql has no table {table}{near}")));
        return None;
    };
    let is_columnar = parquet::is_parquet(&path);
    let columns = if is_columnar {
        parquet::read_columns(&path, &file, faults)?
    } else {
        read_csv_columns(&path, &file, faults)?
    };
    for column in &columns {
        let known = shape.columns.iter().find(|one| one.name.eq_ignore_ascii_case(&column.name));
        let problem = match known {
            None if shape.columns.is_empty() => continue,
            None => {
                let near = did_you_mean(&column.name, shape.columns.iter().map(|one| one.name.as_str()));
                format!("the table {table} has no column {}{near}", column.name)
            }
            Some(known) if known.is_generated => format!("{} is a generated column; leave it out", column.name),
            Some(_) if column.is_list => format!("{} can't be a list", column.name),
            Some(_) => continue,
        };
        let fault = Fault::error(&file, problem);
        faults.push(if is_columnar { fault } else { fault.line(1) });
    }
    let rows_file = RowsFile { table, path, columns };
    let rows = count_rows(&rows_file, &file, faults);
    Some((rows_file, rows))
}

fn read_csv_columns(path: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<Vec<Column>> {
    let (mut reader, _) = match open_csv(path) {
        Ok(reader) => reader,
        Err(error) => {
            faults.push(Fault::error(file, format!("can't be read: {error}")));
            return None;
        }
    };
    match reader.headers() {
        Ok(record) => Some(parse_columns(file, &record.clone(), faults)),
        Err(error) => {
            faults.push(Fault::error(file, error.to_string()).line(1));
            None
        }
    }
}

fn count_rows(rows_file: &RowsFile, file: &str, faults: &mut Vec<Fault>) -> u64 {
    let mut reader = match rows_file.open() {
        Ok(reader) => reader,
        Err(error) => {
            faults.push(Fault::error(file, format!("can't be read: {error}")));
            return 0;
        }
    };
    let (mut rows, mut bad, mut row) = (0, 0, Vec::new());
    loop {
        match reader.read(&mut row) {
            Ok(true) => rows += 1,
            Ok(false) => return rows,
            Err((line, message)) => {
                let is_same = faults.last().is_some_and(|last| last.message == message && last.line == Some(line));
                if is_same {
                    // The input itself fails, and would fail again.
                    return rows;
                }
                faults.push(Fault::error(file, message).line(line));
                bad += 1;
                if bad == MAX_FAULTY_ROWS {
                    faults.push(Fault::error(file, "more lines may be wrong").line(line));
                    return rows;
                }
            }
        }
    }
}
