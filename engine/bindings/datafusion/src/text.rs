//! Reads strings from arrays and encodes them in a collation's character set.

use std::sync::Arc;

use datafusion_common::arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{DataFusionError, Result, exec_datafusion_err};
use mysql_collation::{Charset, Collation, Content};

/// Strings of an array. `None` is NULL.
pub(crate) type Texts<'a> = [Option<&'a [u8]>];

/// True if [`texts`] supports the type.
pub(crate) fn is_string_type(data_type: &DataType) -> bool {
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

/// Returns the strings of an array without copying.
pub(crate) fn texts(array: &dyn Array) -> Vec<Option<&[u8]>> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::Binary => array.as_binary::<i32>().iter().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().collect(),
        DataType::BinaryView => array.as_binary_view().iter().collect(),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().collect(),
        // A dictionary with NULLs only may have no values, so its keys are not looked up.
        DataType::Dictionary(..) if array.null_count() == array.len() => vec![None; array.len()],
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = texts(dictionary.values());
            let is_null = |row| dictionary.keys().is_null(row);
            let value = |(row, key): (usize, usize)| if is_null(row) { None } else { values.get(key).copied()? };
            dictionary.normalized_keys().into_iter().enumerate().map(value).collect()
        }
        // DataType::Null. The planner rejects other types.
        _ => vec![None; array.len()],
    }
}

/// Returns the string in the first row of an array.
pub(crate) fn first_string(array: &ArrayRef) -> Option<&[u8]> {
    texts(array).first().copied().flatten()
}

/// Encodes an array in the collation's character set. Arrays that need no conversion are returned
/// unchanged.
pub(crate) fn encode_array(collation: Collation, array: &ArrayRef) -> Result<ArrayRef> {
    let charset = collation.charset();
    // Strings in the character set `binary` are not converted.
    if !is_utf8_type(array.data_type()) || matches!(charset, Charset::Utf8mb4 | Charset::Binary) {
        return Ok(Arc::clone(array));
    }
    let texts = texts(array);
    if charset == Charset::Utf8mb3 && texts.iter().flatten().all(|text| charset.validate(text).is_ok()) {
        return Ok(Arc::clone(array));
    }
    let mut encoded = BinaryBuilder::with_capacity(texts.len(), texts.iter().flatten().map(|text| text.len()).sum());
    for text in texts {
        match text {
            Some(text) => encoded.append_value(encode_text(collation, text)?),
            None => encoded.append_null(),
        }
    }
    Ok(Arc::new(encoded.finish()))
}

fn encode_text(collation: Collation, text: &[u8]) -> Result<Vec<u8>> {
    let (charset, flavour) = (collation.charset(), collation.info().flavour);
    match Charset::Utf8mb4.unconvertible(text, charset, flavour).next() {
        None => Ok(Charset::Utf8mb4.convert(text, charset, flavour).bytes),
        Some(character) => Err(describe_unconvertible(collation, character.content)),
    }
}

fn describe_unconvertible(collation: Collation, content: Content) -> DataFusionError {
    let what = match content {
        Content::CodePoint(code_point) => match char::from_u32(code_point) {
            Some(character) => format!("'{}' (U+{code_point:04X})", character.escape_debug()),
            None => format!("U+{code_point:04X}"),
        },
        _ => "a character".to_owned(),
    };
    exec_datafusion_err!("{what} is not in {}, the character set of {collation}", collation.charset().name())
}
