//! rows/: the rows of tables, a CSV or Parquet file each.

mod columnar;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::cell::{Cell, Column};
use crate::fault::{Fault, nearest};
use crate::schema::SchemaSql;

/// The folder of rows.
pub(crate) const FOLDER: &str = "rows";
/// How files in it are named.
pub(crate) const NAMES: &str = "TABLE.csv, TABLE.csv.gz or TABLE.parquet";
/// Faults of one file that are told; a file of a million bad lines has one message too many otherwise.
const MOST_FAULTS: usize = 20;

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsFile {
    /// Its table.
    pub table: String,
    /// Where it is; in Parquet it may be a folder of files.
    pub path: PathBuf,
    /// The columns that it gives, in its order.
    pub columns: Vec<Column>,
}

/// The rows of a file, one after the other.
pub struct RowsReader(Source);

enum Source {
    Csv { reader: csv::Reader<Box<dyn Read>>, columns: Vec<Column>, record: csv::StringRecord },
    Parquet(columnar::Rows),
}

impl RowsFile {
    /// The table that a file name is for: `orders.csv`, `orders.csv.gz`, `orders.parquet`.
    pub(crate) fn table_of(name: &str) -> Option<&str> {
        let csv = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".csv");
        csv.or_else(|| name.strip_suffix(".parquet"))
    }

    /// Reads the rows from the first on.
    ///
    /// # Errors
    /// If the file can't be opened.
    pub fn open(&self) -> io::Result<RowsReader> {
        Ok(RowsReader(if columnar::is_it(&self.path) {
            Source::Parquet(columnar::rows(&self.path, &self.columns).map_err(io::Error::other)?)
        } else {
            Source::Csv { reader: open(&self.path)?, columns: self.columns.clone(), record: csv::StringRecord::new() }
        }))
    }

    /// All files that it consists of.
    ///
    /// # Errors
    /// If its folder can't be read.
    pub(crate) fn files(&self) -> io::Result<Vec<PathBuf>> {
        if columnar::is_it(&self.path) {
            return columnar::files(&self.path).map_err(io::Error::other);
        }
        Ok(vec![self.path.clone()])
    }
}

fn open(path: &Path) -> io::Result<csv::Reader<Box<dyn Read>>> {
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let input: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    Ok(csv::ReaderBuilder::new().flexible(true).from_reader(input))
}

impl RowsReader {
    /// The next row into `row`; `false` at the end. An error names the line, of a Parquet file the row, from 1.
    ///
    /// # Errors
    /// If a row can't be read or isn't what the columns' types say.
    pub fn read(&mut self, row: &mut Vec<Cell>) -> Result<bool, (u64, String)> {
        row.clear();
        let (reader, columns, record) = match &mut self.0 {
            Source::Csv { reader, columns, record } => (reader, columns, record),
            Source::Parquet(rows) => return rows.read(row),
        };
        let before = reader.position().line();
        match reader.read_record(record) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => return Err((before, error.to_string())),
        }
        let line = record.position().map_or(before, csv::Position::line);
        cells(columns, record, row).map_err(|message| (line, message))?;
        Ok(true)
    }
}

/// The values of a record.
pub(crate) fn cells(columns: &[Column], record: &csv::StringRecord, row: &mut Vec<Cell>) -> Result<(), String> {
    if record.len() != columns.len() {
        return Err(format!("{} fields where the head has {}", record.len(), columns.len()));
    }
    for (column, field) in columns.iter().zip(record) {
        row.push(column.cell(field).map_err(|message| format!("{}: {message}", column.name))?);
    }
    Ok(())
}

/// The columns of a CSV file's head.
pub(crate) fn head(file: &str, record: &csv::StringRecord, faults: &mut Vec<Fault>) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for field in record {
        match Column::read(field) {
            Ok(column) => {
                if columns.iter().any(|one| one.name == column.name) {
                    faults.push(Fault::error(file, format!("a second column {}", column.name)).line(1));
                }
                columns.push(column);
            }
            Err(message) => faults.push(Fault::error(file, message).line(1)),
        }
    }
    columns
}

/// Checks a file of rows; returns it, where it can be used at all, and how many rows it has.
pub(crate) fn check(root: &Path, name: &str, schema: &SchemaSql, faults: &mut Vec<Fault>) -> Option<(RowsFile, u64)> {
    let file = format!("{FOLDER}/{name}");
    let table = RowsFile::table_of(name)?.to_owned();
    let path = root.join(FOLDER).join(name);
    let Some(shape) = schema.table(&table) else {
        let near = nearest(&table, schema.tables.iter().map(|table| table.name.as_str()));
        faults.push(Fault::error(&file, format!("schema.sql has no table {table}{near}")));
        return None;
    };
    let is_columnar = columnar::is_it(&path);
    let columns = if is_columnar { columnar::head(&path, &file, faults)? } else { csv_head(&path, &file, faults)? };
    for column in &columns {
        let known = shape.columns.iter().find(|one| one.name.eq_ignore_ascii_case(&column.name));
        let problem = match known {
            None if shape.columns.is_empty() => continue,
            None => {
                let near = nearest(&column.name, shape.columns.iter().map(|one| one.name.as_str()));
                format!("the table {table} has no column {}{near}", column.name)
            }
            Some(known) if known.is_generated => format!("{} is computed by the server; leave it out", column.name),
            Some(_) if column.is_list => format!("{} can't be a list", column.name),
            Some(_) => continue,
        };
        let fault = Fault::error(&file, problem);
        faults.push(if is_columnar { fault } else { fault.line(1) });
    }
    let rows_file = RowsFile { table, path, columns };
    let rows = count(&rows_file, &file, faults);
    Some((rows_file, rows))
}

/// The columns that a CSV file names.
fn csv_head(path: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<Vec<Column>> {
    let mut reader = match open(path) {
        Ok(reader) => reader,
        Err(error) => {
            faults.push(Fault::error(file, format!("it can't be read: {error}")));
            return None;
        }
    };
    match reader.headers() {
        Ok(record) => Some(head(file, &record.clone(), faults)),
        Err(error) => {
            faults.push(Fault::error(file, error.to_string()).line(1));
            None
        }
    }
}

fn count(rows_file: &RowsFile, file: &str, faults: &mut Vec<Fault>) -> u64 {
    let mut reader = match rows_file.open() {
        Ok(reader) => reader,
        Err(error) => {
            faults.push(Fault::error(file, format!("it can't be read: {error}")));
            return 0;
        }
    };
    let (mut rows, mut bad, mut row) = (0, 0, Vec::new());
    loop {
        match reader.read(&mut row) {
            Ok(true) => rows += 1,
            Ok(false) => return rows,
            Err((line, message)) => {
                faults.push(Fault::error(file, message).line(line));
                bad += 1;
                if bad == MOST_FAULTS {
                    faults.push(Fault::error(file, "more lines may be wrong").line(line));
                    return rows;
                }
            }
        }
    }
}
