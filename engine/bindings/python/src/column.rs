//! Columns of strings from Python. Lists and NumPy arrays are copied. Arrow arrays are copied only
//! if they are text and the character set is neither `utf8mb4` nor `binary`.

use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeBinaryArray};
use arrow_schema::DataType;
use mysql_collation::Collation;
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyString};
use pyo3_arrow::input::AnyArray;

use crate::text;

/// A column: consecutive arrays of strings or bytes.
pub struct Column(Vec<ArrayRef>);

impl Column {
    /// Returns the strings without copying. `None` is NULL.
    pub fn texts(&self) -> Vec<Option<&[u8]>> {
        let mut texts = Vec::with_capacity(self.0.iter().map(|chunk| chunk.len()).sum());
        self.0.iter().for_each(|chunk| push_texts(chunk.as_ref(), &mut texts));
        texts
    }

    /// Encodes the column in the collation's character set. Bytes, and text for `utf8mb4` and
    /// `binary`, are returned unchanged.
    pub fn encode(self, collation: Collation) -> PyResult<Self> {
        if text::takes_utf8(collation.charset()) {
            return Ok(self);
        }
        let mut row = 0;
        let encode = |chunk: ArrayRef| {
            let first_row = row;
            row += chunk.len();
            if is_utf8_type(chunk.data_type()) { encode_array(collation, chunk.as_ref(), first_row) } else { Ok(chunk) }
        };
        self.0.into_iter().map(encode).collect::<PyResult<_>>().map(Self)
    }
}

/// Accepts objects with Arrow's PyCapsule interface, objects with `to_numpy` or `tolist`, and
/// iterables.
impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A str would be a column of its characters.
        if text::is_text(&object) {
            return Err(PyTypeError::new_err("expected a column, not one string: put it into a list"));
        }
        if object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")? {
            match object.extract::<AnyArray>() {
                // pandas without pyarrow has the method, but raises ImportError.
                Err(error) if error.is_instance_of::<PyImportError>(object.py()) => {}
                array => return from_arrow(array?),
            }
        }
        from_objects(&object)
    }
}

fn from_arrow(array: AnyArray) -> PyResult<Column> {
    let chunks = match array {
        AnyArray::Array(array) => vec![array.into_inner().0],
        AnyArray::Stream(stream) => stream.into_chunked_array()?.into_inner().0,
    };
    chunks.into_iter().map(only_column).collect::<PyResult<Vec<_>>>().map(Column)
}

/// Returns the column of a table with one column, or an array unchanged. Fails unless the column
/// contains strings.
fn only_column(array: ArrayRef) -> PyResult<ArrayRef> {
    let array = match array.as_struct_opt().map(|table| table.columns()) {
        None => array,
        Some([column]) => column.clone(),
        Some(columns) => {
            let message = format!("a table of {} columns was given; give one of its columns", columns.len());
            return Err(PyValueError::new_err(message));
        }
    };
    if is_string_type(array.data_type()) {
        return Ok(array);
    }
    Err(PyTypeError::new_err(format!("a column of strings or bytes is needed, not of {}", array.data_type())))
}

/// True if [`push_texts`] supports the type.
fn is_string_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => is_string_type(values),
        DataType::Null => true,
        data_type => is_utf8_type(data_type),
    }
}

/// True if arrays of the type contain UTF-8.
fn is_utf8_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_utf8_type(values),
        _ => false,
    }
}

/// Appends the strings of an array.
fn push_texts<'a>(array: &'a dyn Array, texts: &mut Vec<Option<&'a [u8]>>) {
    match array.data_type() {
        DataType::Utf8 => texts.extend(array.as_string::<i32>().iter().map(|text| text.map(str::as_bytes))),
        DataType::LargeUtf8 => texts.extend(array.as_string::<i64>().iter().map(|text| text.map(str::as_bytes))),
        DataType::Utf8View => texts.extend(array.as_string_view().iter().map(|text| text.map(str::as_bytes))),
        DataType::Binary => texts.extend(array.as_binary::<i32>()),
        DataType::LargeBinary => texts.extend(array.as_binary::<i64>()),
        DataType::BinaryView => texts.extend(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => texts.extend(array.as_fixed_size_binary()),
        // A dictionary with NULLs only may have no values, so its keys are not looked up.
        DataType::Dictionary(..) if array.null_count() == array.len() => texts.resize(texts.len() + array.len(), None),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let mut values = Vec::with_capacity(dictionary.values().len());
            push_texts(dictionary.values().as_ref(), &mut values);
            let is_null = |row| dictionary.keys().is_null(row);
            let value = |(row, key): (usize, usize)| if is_null(row) { None } else { values.get(key).copied()? };
            texts.extend(dictionary.normalized_keys().into_iter().enumerate().map(value));
        }
        // DataType::Null. Columns of other types are rejected.
        _ => texts.resize(texts.len() + array.len(), None),
    }
}

/// Encodes an array of text in the collation's character set. `first` is the row of the column in
/// which the array begins.
fn encode_array(collation: Collation, array: &dyn Array, first: usize) -> PyResult<ArrayRef> {
    let mut texts = Vec::with_capacity(array.len());
    push_texts(array, &mut texts);
    let mut encoded =
        LargeBinaryBuilder::with_capacity(texts.len(), texts.iter().flatten().map(|text| text.len()).sum());
    for (row, bytes) in texts.into_iter().enumerate() {
        let Some(bytes) = bytes else {
            encoded.append_null();
            continue;
        };
        let in_row = |error: String| PyValueError::new_err(format!("row {}: {error}", first + row));
        let text = std::str::from_utf8(bytes).map_err(|error| in_row(error.to_string()))?;
        let bytes = text::encode(collation, text);
        encoded.append_value(bytes.map_err(|error| in_row(error.to_error(text).to_string()))?);
    }
    Ok(Arc::new(encoded.finish()))
}

/// Reads the strings of an iterable, a NumPy array, or a pandas Series without pyarrow. `None` and
/// NaN are NULL, and `pandas.NA` in a Series, too.
fn from_objects(object: &Bound<'_, PyAny>) -> PyResult<Column> {
    let list = if object.hasattr("to_numpy")? {
        let options = PyDict::new(object.py());
        options.set_item("dtype", "object")?;
        options.set_item("na_value", object.py().None())?;
        object.call_method("to_numpy", (), Some(&options))?.call_method0("tolist")?
    } else if object.hasattr("tolist")? {
        object.call_method0("tolist")?
    } else {
        object.clone()
    };
    let items = list.try_iter().map_err(|_| {
        let name = object.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string());
        let text = format!("a column is an Arrow array, a NumPy array or an iterable of str or bytes, not {name}");
        PyTypeError::new_err(text)
    })?;
    let mut texts = LargeBinaryBuilder::new();
    let mut has_bytes = false;
    let mut has_text = false;
    for (row, item) in items.enumerate() {
        let item = item?;
        if let Ok(text) = item.cast::<PyString>() {
            has_text = true;
            texts.append_value(text.to_str()?);
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            has_bytes = true;
            texts.append_value(bytes.as_bytes());
        } else if item.is_none() || item.cast::<PyFloat>().is_ok_and(|float| float.value().is_nan()) {
            texts.append_null();
        } else {
            let name = item.get_type().name()?;
            return Err(PyTypeError::new_err(format!("row {row}: expected str, bytes or None, not {name}")));
        }
    }
    let texts = texts.finish();
    match (has_text, has_bytes) {
        (true, true) => Err(PyTypeError::new_err("a column holds str or bytes, not both")),
        (true, false) => Ok(Column(vec![into_text_array(texts)?])),
        _ => Ok(Column(vec![Arc::new(texts)])),
    }
}

/// Converts an array of bytes to an array of text.
fn into_text_array(bytes: LargeBinaryArray) -> PyResult<ArrayRef> {
    let (offsets, values, nulls) = bytes.into_parts();
    let text = arrow_array::LargeStringArray::try_new(offsets, values, nulls);
    Ok(Arc::new(text.map_err(|error| PyValueError::new_err(error.to_string()))?))
}
