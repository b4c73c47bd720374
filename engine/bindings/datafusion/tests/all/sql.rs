//! Runs the SQL of `tests/sql/*.slt`. The files in `every_type/` run for Arrow's string types of
//! variable length and for dictionaries, in batches of one, three and all rows.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, Int64Array, StringArray, new_empty_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use tokio::runtime::{self, Runtime};

type Outcome = Result<(), Box<dyn Error>>;

/// DataFusion, as a database for sqllogictest.
struct Engine {
    context: SessionContext,
    runtime: Runtime,
}

/// Error message in one line, which the files match.
#[derive(Debug)]
struct QueryError(String);

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for QueryError {}

impl From<DataFusionError> for QueryError {
    fn from(error: DataFusionError) -> Self {
        Self(error.strip_backtrace())
    }
}

impl Engine {
    fn new(batch_size: usize) -> Result<Self, QueryError> {
        let config =
            SessionConfig::new().with_batch_size(batch_size).with_target_partitions(2).with_information_schema(true);
        let mut context = SessionContext::new_with_config(config);
        datafusion_mysql_collation::register_all(&mut context)?;
        let runtime = runtime::Builder::new_current_thread().build();
        Ok(Self { context, runtime: runtime.map_err(|error| QueryError(error.to_string()))? })
    }
}

impl DB for Engine {
    type Error = QueryError;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, QueryError> {
        let batches = self.runtime.block_on(async { self.context.sql(sql).await?.collect().await })?;
        let Some(first) = batches.first() else { return Ok(DBOutput::StatementComplete(0)) };
        let types = first.schema().fields().iter().map(|field| column_type(field.data_type())).collect();
        let mut rows = Vec::new();
        for batch in &batches {
            rows.extend(format_rows(batch)?);
        }
        Ok(DBOutput::Rows { types, rows })
    }
}

fn column_type(data_type: &DataType) -> DefaultColumnType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DefaultColumnType::Text,
        data_type if data_type.is_integer() => DefaultColumnType::Integer,
        _ => DefaultColumnType::Any,
    }
}

/// Returns the values of a batch as text. Bytes are hexadecimal.
fn format_rows(batch: &RecordBatch) -> Result<Vec<Vec<String>>, DataFusionError> {
    let options = FormatOptions::default().with_null("NULL");
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let value = |column: &ArrayFormatter<'_>, row| match column.value(row).to_string() {
        empty if empty.is_empty() => "(empty)".to_owned(),
        value => value,
    };
    Ok((0..batch.num_rows()).map(|row| columns.iter().map(|column| value(column, row)).collect()).collect())
}

/// Runs all files of a folder, each with a new engine.
fn run(folder: &str, engine: impl Fn() -> Result<Engine, QueryError> + Copy) -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(folder);
    let mut files =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "slt"));
    assert!(!files.is_empty(), "no files in {}", folder.display());
    for file in files {
        Runner::new(|| async move { engine() }).run_file(&file)?;
    }
    Ok(())
}

#[test]
fn sql_files_pass() -> Outcome {
    run("", || Engine::new(8192))
}

/// Table for the files in `every_type/`: short texts in several scripts, NULLs, an empty text, and
/// repetitions.
const NAMES: [Option<&str>; 12] = [
    Some("Straße"),
    Some("STRASSE"),
    None,
    Some("strasse "),
    Some(""),
    Some("Ähre"),
    Some("ahre"),
    Some("Zug"),
    None,
    Some("Жук"),
    Some("жук"),
    Some("Straße"),
];

fn string_types() -> Vec<DataType> {
    let dictionary = |key: DataType, value: DataType| DataType::Dictionary(Box::new(key), Box::new(value));
    vec![
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        dictionary(DataType::Int32, DataType::Utf8),
        dictionary(DataType::UInt8, DataType::LargeUtf8),
        dictionary(DataType::Int64, DataType::Binary),
    ]
}

#[test]
fn all_types_and_batch_sizes_pass() -> Outcome {
    for data_type in string_types() {
        for size in [1, 3, NAMES.len()] {
            let names = cast(&StringArray::from(NAMES.to_vec()), &data_type)?;
            let outcome = run("every_type", || engine_with_names(&names, size));
            outcome.map_err(|error| format!("{data_type} in batches of {size}: {error}"))?;
        }
    }
    Ok(())
}

/// Returns an engine with the table `names` of `id` and `name`, in batches of `size` rows. The
/// first and the last batch are empty.
fn engine_with_names(names: &ArrayRef, size: usize) -> Result<Engine, QueryError> {
    let engine = Engine::new(size)?;
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..names.len() as i64));
    let fields = vec![Field::new("id", DataType::Int64, false), Field::new("name", names.data_type().clone(), true)];
    let schema = Arc::new(Schema::new(fields));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), vec![ids, Arc::clone(names)]).map_err(DataFusionError::from)?;
    let slice = |start: usize| batch.slice(start, size.min(names.len() - start));
    let empty = || RecordBatch::new_empty(Arc::clone(&schema));
    let batches = [empty()].into_iter().chain((0..names.len()).step_by(size).map(slice)).chain([empty()]);
    let table = MemTable::try_new(Arc::clone(&schema), vec![batches.collect()])?;
    engine.context.register_table("names", Arc::new(table))?;
    Ok(engine)
}

#[test]
fn dictionary_without_values_is_null() -> Outcome {
    let values: ArrayRef = new_empty_array(&DataType::Utf8);
    let keys = datafusion::arrow::array::PrimitiveArray::<Int32Type>::from(vec![None, None]);
    let names: ArrayRef = Arc::new(DictionaryArray::try_new(keys, values)?);
    let mut engine = engine_with_names(&names, 2)?;
    let sql = "SELECT mysql_sort_key(name, 'utf8mb4_bin'), mysql_equal(name, name, 'utf8mb4_bin') FROM names";
    let DBOutput::Rows { rows, .. } = engine.run(sql)? else { panic!("rows") };
    assert_eq!(rows, [["NULL", "NULL"], ["NULL", "NULL"]]);
    Ok(())
}

#[test]
fn ignores_dictionary_values_without_a_row() -> Outcome {
    // No row has the value 'x'. The third value is NULL itself.
    let keys = datafusion::arrow::array::PrimitiveArray::<Int32Type>::from(vec![Some(1), Some(2), None, Some(1)]);
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("ä"), None]));
    let names: ArrayRef = Arc::new(DictionaryArray::try_new(keys, values)?);
    assert_eq!(names.as_dictionary::<Int32Type>().len(), 4);
    for size in [1, 4] {
        let mut engine = engine_with_names(&names, size)?;
        let sql = "SELECT id, mysql_compare(name, 'A', 'utf8mb4_general_ci') FROM names ORDER BY id";
        let DBOutput::Rows { rows, .. } = engine.run(sql)? else { panic!("rows") };
        assert_eq!(rows, [["0", "0"], ["1", "NULL"], ["2", "NULL"], ["3", "0"]]);
    }
    Ok(())
}
