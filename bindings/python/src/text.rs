//! Strings in a collation's character set: `str` is brought into it, `bytes` are in it already.

use std::borrow::Cow;

use mysql_collation::{Charset, Collation};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A character that the character set lacks.
pub struct Unencodable {
    /// Its index in the string, in characters.
    pub at: usize,
    charset: Charset,
}

impl Unencodable {
    /// Python's own error for it.
    pub fn of(&self, text: &str) -> PyErr {
        let reason = format!("the character set {} lacks this character", self.charset.name());
        PyUnicodeEncodeError::new_err((self.charset.name(), text.to_owned(), self.at, self.at + 1, reason))
    }
}

/// Whether text in UTF-8 is in a character set as it is, whatever its characters. So it is in `binary`, whose strings are what was
/// sent.
pub fn takes_utf8(charset: Charset) -> bool {
    matches!(charset, Charset::Utf8mb4 | Charset::Binary)
}

/// Text in the collation's character set; borrowed where it is encoded there as in UTF-8.
pub fn encode(collation: Collation, text: &str) -> Result<Cow<'_, [u8]>, Unencodable> {
    let charset = collation.charset();
    if takes_utf8(charset) || charset == Charset::Utf8mb3 && charset.validate(text.as_bytes()).is_ok() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let flavour = collation.info().flavour;
    let lost = Charset::Utf8mb4.unconvertible(text.as_bytes(), charset, flavour).next();
    if let Some(character) = lost {
        let before = text.get(..character.bytes.start).unwrap_or_default();
        return Err(Unencodable { at: before.chars().count(), charset });
    }
    Ok(Cow::Owned(Charset::Utf8mb4.convert(text.as_bytes(), charset, flavour).bytes))
}

/// Whether an argument is one string, not a column.
pub fn is_text(argument: &Bound<'_, PyAny>) -> bool {
    argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>()
}

/// The bytes of `str` or `bytes` in the collation's character set.
pub fn bytes<'a>(collation: Collation, argument: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = argument.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let Ok(text) = argument.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("expected str or bytes, not {}", argument.get_type().name()?)));
    };
    let text = text.to_str()?;
    encode(collation, text).map_err(|error| error.of(text))
}
