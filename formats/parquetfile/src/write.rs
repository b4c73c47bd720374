//! Writing of a small table: one row group, in memory.

use std::io;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

/// Values of a column to write, one per row. `None` is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text(Vec<Option<String>>),
    Int(Vec<Option<i64>>),
    Float(Vec<Option<f64>>),
}

/// Returns a Parquet file of columns with their names. Fails unless all columns have the same
/// number of values. Equal tables give equal bytes.
pub fn to_bytes(columns: &[(&str, Values)]) -> io::Result<Vec<u8>> {
    write(columns).map_err(io::Error::other)
}

fn write(columns: &[(&str, Values)]) -> Result<Vec<u8>> {
    let fields = columns.iter().map(|(name, values)| field(name, values)).collect::<Result<_>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::builder().build()))?;
    let mut group = file.next_row_group()?;
    for (_, values) in columns {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            Values::Text(values) => {
                let present = values.iter().map(|value| value.as_deref().map(ByteArray::from));
                write_column::<ByteArrayType>(&mut column, present)?;
            }
            Values::Int(values) => write_column::<Int64Type>(&mut column, values.iter().copied())?,
            Values::Float(values) => write_column::<DoubleType>(&mut column, values.iter().copied())?,
        }
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn field(name: &str, values: &Values) -> Result<TypePtr> {
    let (physical, logical) = match values {
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Int(_) => (Physical::INT64, None),
        Values::Float(_) => (Physical::DOUBLE, None),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

fn write_column<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>> + Clone,
) -> Result<()> {
    // A definition level of 0 is NULL.
    let levels: Vec<i16> = values.clone().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.flatten().collect();
    column.typed::<T>().write_batch(&present, Some(&levels), None)?;
    Ok(())
}
