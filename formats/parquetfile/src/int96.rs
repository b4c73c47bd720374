//! Timestamps of 12 bytes (INT96), which Impala, Hive and Spark write: nanoseconds of a day, and
//! the Julian day. The Parquet library's rows have them in milliseconds only, so their columns are
//! read by themselves.

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

use jiff::Timestamp;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{Int96, Int96Type};
use parquet::errors::Result;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::Error;
use crate::table::open_file;
use crate::value::{Value, format_timestamp};

/// Values that are read at a time.
const BATCH: usize = 1024;

/// Julian day of 1970-01-01.
const EPOCH_DAY: i128 = 2_440_588;

const NANOS_PER_DAY: i128 = 86_400_000_000_000;

pub(crate) struct Int96Column {
    file: SerializedFileReader<File>,
    /// Index among the columns without fields.
    leaf: usize,
    next_group: usize,
    group: Option<ColumnReaderImpl<Int96Type>>,
    values: VecDeque<Option<Int96>>,
}

impl Int96Column {
    pub(crate) fn open(path: &Path, name: &str) -> std::result::Result<Self, Error> {
        let file = open_file(path)?;
        let leaves = file.metadata().file_metadata().schema_descr().columns();
        let leaf = leaves.iter().position(|leaf| leaf.path().parts() == [name]);
        let leaf = leaf.ok_or_else(|| Error::new(path, format!("there is no column {name}")))?;
        Ok(Self { file, leaf, next_group: 0, group: None, values: VecDeque::new() })
    }

    /// Returns the next row's value; `None` for NULL.
    pub(crate) fn read(&mut self) -> std::result::Result<Option<Value>, String> {
        while self.values.is_empty() {
            if !self.read_batch().map_err(|error| error.to_string())? {
                return Err("the column has fewer values than other columns".to_owned());
            }
        }
        let value = self.values.pop_front().flatten();
        value.map(|value| Ok(Value::Text(format_timestamp(Timestamp::from_nanosecond(nanos(&value)))?))).transpose()
    }

    /// Reads values of the current row group, or opens the next one. `false` after the last.
    fn read_batch(&mut self) -> Result<bool> {
        let Some(group) = &mut self.group else {
            if self.next_group == self.file.num_row_groups() {
                return Ok(false);
            }
            if let ColumnReader::Int96ColumnReader(group) =
                self.file.get_row_group(self.next_group)?.get_column_reader(self.leaf)?
            {
                self.group = Some(group);
            }
            self.next_group += 1;
            return Ok(true);
        };
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let (rows, ..) = group.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        if rows == 0 {
            self.group = None;
        }
        // A column that can't be NULL has no levels.
        let mut values = values.into_iter();
        if levels.is_empty() {
            self.values.extend(values.map(Some));
        } else {
            self.values.extend(levels.into_iter().map(|level| if level > 0 { values.next() } else { None }));
        }
        Ok(true)
    }
}

/// Nanoseconds since 1970-01-01 00:00:00 UTC.
fn nanos(value: &Int96) -> i128 {
    let [low, high, day] = value.data() else { return 0 };
    (i128::from(*day) - EPOCH_DAY) * NANOS_PER_DAY + (i128::from(*high) << 32) + i128::from(*low)
}
