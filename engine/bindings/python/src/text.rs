//! Encodes strings in a collation's character set. `bytes` must be in that character set already.

use std::borrow::Cow;

use mysql_collation::{Charset, Collation};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A character that the character set lacks.
pub struct Unencodable {
    /// Index in the string, in characters.
    pub index: usize,
    charset: Charset,
}

impl Unencodable {
    /// Returns the `UnicodeEncodeError` for the character.
    pub fn to_error(&self, text: &str) -> PyErr {
        let reason = format!("the character set {} lacks this character", self.charset.name());
        PyUnicodeEncodeError::new_err((self.charset.name(), text.to_owned(), self.index, self.index + 1, reason))
    }
}

/// True if UTF-8 text needs no conversion. The character set `binary` does not convert strings
/// either.
pub fn takes_utf8(charset: Charset) -> bool {
    matches!(charset, Charset::Utf8mb4 | Charset::Binary)
}

/// Encodes text in the collation's character set. Borrows text that needs no conversion.
pub fn encode(collation: Collation, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
    let charset = collation.charset();
    if takes_utf8(charset) || charset == Charset::Utf8mb3 && charset.validate(text.as_bytes()).is_ok() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let flavour = collation.info().flavour;
    let first_lost = Charset::Utf8mb4.unconvertible(text.as_bytes(), charset, flavour).next();
    if let Some(character) = first_lost {
        let before = text.get(..character.bytes.start).unwrap_or_default();
        return Err(Unencodable { index: before.chars().count(), charset });
    }
    Ok(Cow::Owned(Charset::Utf8mb4.convert(text.as_bytes(), charset, flavour).bytes))
}

/// True if an argument is a single string rather than a column.
pub fn is_text(argument: &Bound<'_, PyAny>) -> bool {
    argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>()
}

/// True if an argument is `str`.
pub fn is_str(argument: &Bound<'_, PyAny>) -> bool {
    argument.is_instance_of::<PyString>()
}

/// Returns the length in characters of text that was `str`.
pub fn characters(collation: Collation, bytes: &[u8]) -> usize {
    let charset = collation.charset();
    if charset == Charset::Binary { Charset::Utf8mb4.char_len(bytes) } else { charset.char_len(bytes) }
}

/// Applies a function to text. The result has the argument's type.
pub fn map<'py>(
    collation: Collation,
    argument: &Bound<'py, PyAny>,
    apply: impl FnOnce(&[u8]) -> Vec<u8>,
) -> PyResult<Bound<'py, PyAny>> {
    let converted = apply(&bytes(collation, argument)?);
    of_type(collation, argument, converted)
}

/// Returns bytes in the collation's character set as `str` if `model` is `str`, else as `bytes`.
pub fn of_type<'py>(collation: Collation, model: &Bound<'py, PyAny>, bytes: Vec<u8>) -> PyResult<Bound<'py, PyAny>> {
    if !is_str(model) {
        return Ok(PyBytes::new(model.py(), &bytes).into_any());
    }
    let charset = collation.charset();
    let utf8 = if takes_utf8(charset) {
        bytes
    } else {
        charset.convert(&bytes, Charset::Utf8mb4, collation.info().flavour).bytes
    };
    Ok(PyString::new(model.py(), &String::from_utf8_lossy(&utf8)).into_any())
}

/// Returns the bytes of `str` or `bytes` in the collation's character set.
pub fn bytes<'a>(collation: Collation, argument: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = argument.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let Ok(text) = argument.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("expected str or bytes, not {}", argument.get_type().name()?)));
    };
    let text = text.to_str()?;
    encode(collation, text).map_err(|error| error.to_error(text))
}
