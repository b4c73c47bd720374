//! The class `Collation`.

use std::cmp::Ordering;

use arrow_array::{BooleanArray, Int64Array, LargeBinaryArray, UInt64Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use mysql_collation::{Alphabet, Collation as Engine, KeyRange, Pad};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::array::Array;
use crate::column::Column;
use crate::duplicates::{Keep, find_duplicates};
use crate::{lookup, text};

/// A collation of MySQL or MariaDB, by name.
///
/// ``flavour`` is ``"mysql"`` or ``"mariadb"``. It is optional if only one flavour has the name, or
/// if the name has the same order in both. Strings are ``str``, or ``bytes`` in the collation's
/// character set.
///
/// Raises ``LookupError`` for an unknown name, and ``ValueError`` for a name with two meanings.
///
/// >>> from mysql_collation import Collation
/// >>> collation = Collation("utf8mb4_0900_ai_ci", flavour="mysql")
/// >>> collation.equal("Straße", "STRASSE")
/// True
/// >>> sorted(["Zug", "Ähre", "Apfel"], key=collation.sort_key)
/// ['Ähre', 'Apfel', 'Zug']
#[pyclass(frozen, eq, hash, module = "mysql_collation")]
#[derive(Clone, PartialEq, Hash)]
pub struct Collation(Engine);

impl Collation {
    /// Returns the alphabet of these characters; without them, [`Alphabet::new`].
    fn alphabet(&self, characters: Option<&str>) -> Alphabet {
        characters.map_or_else(|| Alphabet::new(self.0), |characters| Alphabet::from_chars(self.0, characters.chars()))
    }

    fn column(&self, column: &Bound<'_, PyAny>) -> PyResult<Column> {
        column.extract::<Column>()?.encode(self.0)
    }
}

#[pymethods]
impl Collation {
    #[new]
    #[pyo3(signature = (name, flavour=None))]
    fn new(py: Python<'_>, name: &str, flavour: Option<&str>) -> PyResult<Self> {
        lookup::by_name(py, name, flavour).map(Self)
    }

    /// Returns the collation with this id in binary logs and result sets.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> Collation.by_id(255, "mysql").name
    /// 'utf8mb4_0900_ai_ci'
    #[staticmethod]
    fn by_id(id: u16, flavour: &str) -> PyResult<Self> {
        lookup::by_id(id, lookup::parse_flavour(flavour)?).map(Self)
    }

    /// Full name of the collation.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Flavour: ``"mysql"`` or ``"mariadb"``.
    #[getter]
    fn flavour(&self) -> String {
        lookup::lower_case_name(self.0.info().flavour)
    }

    /// Id in the protocol and in binary logs.
    #[getter]
    fn id(&self) -> u16 {
        self.0.id()
    }

    /// Name of the character set.
    #[getter]
    fn charset(&self) -> &'static str {
        self.0.charset().name()
    }

    /// True if comparisons ignore trailing spaces (PAD SPACE).
    #[getter]
    fn pad_space(&self) -> bool {
        self.0.info().pad == Pad::PadSpace
    }

    /// Returns -1, 0 or 1: ``a`` sorts before ``b``, equals ``b``, or sorts after ``b``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> Collation("utf8mb4_czech_ci").compare("hrad", "chata")
    /// -1
    fn compare(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<i8> {
        let order = self.0.compare(&text::bytes(self.0, a)?, &text::bytes(self.0, b)?);
        Ok(match order {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    }

    /// Returns whether two strings are equal. If an argument is a column, returns an array with a
    /// result per row. A result is ``None`` if a string is NULL.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.equal(["Müller", "Maier", None], "MULLER").to_pylist()
    /// [True, False, None]
    fn equal<'py>(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        let (column, other) = match (text::is_text(a), text::is_text(b)) {
            (true, true) => {
                let equal = self.0.equals(&text::bytes(self.0, a)?, &text::bytes(self.0, b)?);
                return Ok(equal.into_pyobject(py)?.to_owned().into_any());
            }
            (false, _) => (self.column(a)?, b),
            (true, false) => (self.column(b)?, a),
        };
        let equal = if text::is_text(other) {
            let other = text::bytes(self.0, other)?;
            py.detach(|| self.0.column_equals(column.texts(), &other))
        } else {
            let other = self.column(other)?;
            let (one, other) = (column.texts(), other.texts());
            if one.len() != other.len() {
                let message = format!("columns of {} and {} rows can't be compared", one.len(), other.len());
                return Err(PyValueError::new_err(message));
            }
            py.detach(|| self.0.columns_equal(one, other))
        };
        Ok(Array::new(BooleanArray::from(equal)).into_pyobject(py)?.into_any())
    }

    /// Returns whether a string matches a LIKE pattern. For a column, returns an array with a
    /// result per row, ``None`` for NULL.
    ///
    /// ``escape`` is one character, or ``None`` for no escape.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> Collation("utf8mb4_0900_ai_ci", "mysql").like("Müllerin", "m_ller%")
    /// True
    #[pyo3(signature = (text, pattern, escape=Some('\\')))]
    fn like<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        pattern: &Bound<'py, PyAny>,
        escape: Option<char>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let pattern = text::bytes(self.0, pattern)?;
        if text::is_text(text) {
            let matches = self.0.like(&text::bytes(self.0, text)?, &pattern, escape);
            return Ok(matches.into_pyobject(py)?.to_owned().into_any());
        }
        let column = self.column(text)?;
        let matches = py.detach(|| self.0.like_pattern(&pattern, escape).matches_column(column.texts()));
        Ok(Array::new(BooleanArray::from(matches)).into_pyobject(py)?.into_any())
    }

    /// Returns the sort key. Keys compare bytewise as their strings compare. Compare stored keys
    /// only with keys of the same ``KEY_FORMAT``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> key = Collation("utf8mb4_0900_ai_ci", "mysql").sort_key
    /// >>> key("a") == key("Á") < key("b")
    /// True
    fn sort_key<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(text.py(), &self.0.sort_key(&text::bytes(self.0, text)?)))
    }

    /// Returns a 64-bit hash. Equal strings have equal hashes. Versions of the library may have
    /// different hashes.
    fn hash(&self, text: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(self.0.hash_one(&text::bytes(self.0, text)?))
    }

    /// Returns the server's ``WEIGHT_STRING(text)``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> Collation("utf8mb4_general_ci").weight_string("ä").hex()
    /// '0041'
    fn weight_string<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(text.py(), &self.0.weight_string(&text::bytes(self.0, text)?)))
    }

    /// Returns a range that contains the sort keys of all strings that begin with ``prefix``: the
    /// least bytes in the range, and the least bytes after it, or ``None`` if it has no end. Keys
    /// of other strings can be in the range: check them with ``starts_with``. The key of the prefix
    /// itself is no bound.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> start, end = collation.prefix_range("mü")
    /// >>> start <= collation.sort_key("MULLER") < end
    /// True
    fn prefix_range<'py>(&self, prefix: &Bound<'py, PyAny>) -> PyResult<Range<'py>> {
        Ok(to_range(prefix.py(), &self.0.prefix_range(&text::bytes(self.0, prefix)?)))
    }

    /// Returns the range of ``prefix_range`` for the strings that match a LIKE pattern, from its
    /// characters before the first wildcard.
    #[pyo3(signature = (pattern, escape=Some('\\')), text_signature = r"($self, pattern, escape='\\')")]
    fn like_range<'py>(&self, pattern: &Bound<'py, PyAny>, escape: Option<char>) -> PyResult<Range<'py>> {
        Ok(to_range(pattern.py(), &self.0.like_range(&text::bytes(self.0, pattern)?, escape)))
    }

    /// Returns whether ``text LIKE 'prefix%'`` with all characters of ``prefix`` taken literally.
    fn starts_with(&self, text: &Bound<'_, PyAny>, prefix: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.starts_with(&text::bytes(self.0, text)?, &text::bytes(self.0, prefix)?))
    }

    /// Returns the index of the first occurrence, or -1: ``LOCATE(searched, text) - 1``. Counts
    /// characters of ``str``, and bytes of ``bytes``.
    ///
    /// MySQL's collations of Unicode character sets, and ``gb18030_unicode_520_ci``, find equal
    /// weights: under ``utf8mb4_0900_ai_ci``, ``"e"`` finds ``"é"``. Others find strings of equal
    /// length in bytes. With ``equal_length=True`` all do, as in MySQL up to 8.0.12.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.find("Große STRASSE", "straße"), collation.find("é", "e", equal_length=True)
    /// (6, -1)
    #[pyo3(signature = (text, searched, *, equal_length=false))]
    fn find(&self, text: &Bound<'_, PyAny>, searched: &Bound<'_, PyAny>, equal_length: bool) -> PyResult<isize> {
        let (bytes, searched) = (text::bytes(self.0, text)?, text::bytes(self.0, searched)?);
        let found =
            if equal_length { self.0.find_equal_length(&bytes, &searched) } else { self.0.find(&bytes, &searched) };
        let index = found.map(|at| if text::is_str(text) { text::characters(self.0, &bytes[..at]) } else { at });
        Ok(index.map_or(-1, |index| index as isize))
    }

    /// Returns the text with each occurrence of ``old`` replaced by ``new``, as ``REPLACE``:
    /// occurrences have equal bytes. The result has the type of ``text``.
    fn replace<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        old: &Bound<'py, PyAny>,
        new: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (old, new) = (text::bytes(self.0, old)?, text::bytes(self.0, new)?);
        text::map(self.0, text, |bytes| self.0.replace(bytes, &old, &new))
    }

    /// Returns the text in upper case, as ``UPPER``. The result has the type of ``text``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> Collation("utf8mb4_0900_ai_ci", "mysql").upper("straße")
    /// 'STRAßE'
    fn upper<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        text::map(self.0, text, |bytes| self.0.to_upper(bytes))
    }

    /// Returns the text in lower case, as ``LOWER``. The result has the type of ``text``.
    fn lower<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        text::map(self.0, text, |bytes| self.0.to_lower(bytes))
    }

    /// Returns a 64-bit hash that no version of the library changes, for partitions and stored
    /// values: XXH64 of the weights. Equal strings have equal hashes.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> hex(Collation("utf8mb4_0900_ai_ci", "mysql").stable_hash("abc"))
    /// '0xb5d57e1d2acc8e09'
    #[pyo3(signature = (text, seed=0))]
    fn stable_hash(&self, text: &Bound<'_, PyAny>, seed: u64) -> PyResult<u64> {
        Ok(self.0.stable_hash(&text::bytes(self.0, text)?, seed))
    }

    /// Returns a key for the group of a string in ``GROUP BY``, ``DISTINCT`` and ``UNION`` of a
    /// temporary table. Keys are not ordered.
    fn group_key<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(text.py(), &self.0.group_key(&text::bytes(self.0, text)?)))
    }

    /// Returns the sort key of the first characters of a string, as ``KEY (name(10))`` has it.
    fn prefix_index_key<'py>(&self, text: &Bound<'py, PyAny>, characters: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(text.py(), &self.0.prefix_index_key(&text::bytes(self.0, text)?, characters)))
    }

    /// Returns up to ``parts - 1`` strings in ascending order, each greater than ``low`` and less
    /// than ``high``, which divide the range into parts of about the same size. They consist of
    /// ``characters``: give those that occur in the rows. The results have the type of ``low``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.split("a", "z", 4, "abcdefghijklmnopqrstuvwxyz")
    /// ['g', 'm', 's']
    #[pyo3(signature = (low, high, parts, characters=None))]
    fn split<'py>(
        &self,
        low: &Bound<'py, PyAny>,
        high: &Bound<'py, PyAny>,
        parts: usize,
        characters: Option<&str>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let found = self.alphabet(characters).split(&text::bytes(self.0, low)?, &text::bytes(self.0, high)?, parts);
        found.into_iter().map(|bytes| text::of_type(self.0, low, bytes)).collect()
    }

    /// Returns a string that is greater than every string that begins with ``prefix``: a beginning
    /// of ``prefix`` and one of ``characters``. ``None`` if no such string exists. The result has
    /// the type of ``prefix``.
    #[pyo3(signature = (prefix, characters=None))]
    fn prefix_upper_bound<'py>(
        &self,
        prefix: &Bound<'py, PyAny>,
        characters: Option<&str>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let bound = self.alphabet(characters).prefix_upper_bound(&text::bytes(self.0, prefix)?);
        bound.map(|bytes| text::of_type(self.0, prefix, bytes)).transpose()
    }

    /// Returns the sort key of each string (large_binary). NULL for NULL.
    fn sort_keys(&self, py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<Array> {
        let column = self.column(column)?;
        let keys = py.detach(|| {
            let texts = column.texts();
            let keys = self.0.column_keys(texts.iter().copied());
            let offsets: Vec<i64> = keys.offsets.into_iter().map(|offset| offset as i64).collect();
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            LargeBinaryArray::try_new(offsets, Buffer::from_vec(keys.values), validity(&texts))
        });
        keys.map(Array::new).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the hash of each string (uint64). NULL for NULL.
    fn hashes(&self, py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<Array> {
        let column = self.column(column)?;
        Ok(Array::new(py.detach(|| {
            let texts = column.texts();
            UInt64Array::new(self.0.column_hashes(texts.iter().copied()).into(), validity(&texts))
        })))
    }

    /// Returns the row numbers in the order of ``ORDER BY`` (int64). NULLs come first, or last with
    /// ``descending``. The order is stable.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.argsort(["b", None, "A", "á"], descending=True).to_pylist()
    /// [0, 2, 3, 1]
    #[pyo3(signature = (column, *, descending=false))]
    fn argsort(&self, py: Python<'_>, column: &Bound<'_, PyAny>, descending: bool) -> PyResult<Array> {
        let column = self.column(column)?;
        Ok(Array::new(py.detach(|| {
            let texts = column.texts();
            let last = texts.len().saturating_sub(1);
            let order = if descending {
                // Sorting the reversed rows and reversing the result keeps equal strings in order.
                let mut order = self.0.column_argsort(texts.iter().rev().copied());
                order.reverse();
                order.into_iter().map(|index| (last - index) as i64).collect()
            } else {
                to_int64(self.0.column_argsort(texts.iter().copied()))
            };
            Int64Array::from(order)
        })))
    }

    /// Returns a group number per row (int64), counted from 0 in the order of first occurrence.
    /// Equal strings have equal numbers, and all NULLs are one group. MySQL's ``GROUP BY`` can make
    /// more groups under a few collations: see ``group_key``.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.group_ids(["a", None, "Á", "b", None]).to_pylist()
    /// [0, 1, 0, 2, 1]
    fn group_ids(&self, py: Python<'_>, column: &Bound<'_, PyAny>) -> PyResult<Array> {
        let column = self.column(column)?;
        let groups = py.detach(|| self.0.column_groups(column.texts()).0);
        Ok(Array::new(Int64Array::from(to_int64(groups))))
    }

    /// Returns whether each row repeats another row (bool), like pandas' ``duplicated``.
    /// ``keep="first"`` does not report the first of equal rows, ``"last"`` not the last. ``False``
    /// reports all of them.
    ///
    /// NULLs are equal as in ``SELECT DISTINCT``. With ``nulls_equal=False`` they are distinct as
    /// in a unique key.
    ///
    /// >>> from mysql_collation import Collation
    /// >>> collation = Collation("utf8mb4_0900_ai_ci", "mysql")
    /// >>> collation.duplicates(["a", "b", "Á"]).to_pylist()
    /// [False, False, True]
    /// >>> collation.duplicates(["a", "b", "Á"], keep=False).to_pylist()
    /// [True, False, True]
    #[pyo3(signature = (column, *, keep=Keep::First, nulls_equal=true), text_signature = "($self, column, *, keep='first', nulls_equal=True)")]
    fn duplicates(&self, py: Python<'_>, column: &Bound<'_, PyAny>, keep: Keep, nulls_equal: bool) -> PyResult<Array> {
        let column = self.column(column)?;
        let flags = py.detach(|| {
            let texts = column.texts();
            let (groups, count) = self.0.column_groups(texts.iter().copied());
            let mut flags = find_duplicates(&groups, count, &keep);
            if !nulls_equal {
                flags.iter_mut().zip(&texts).for_each(|(flag, text)| *flag &= text.is_some());
            }
            BooleanArray::from(flags)
        });
        Ok(Array::new(flags))
    }

    fn __repr__(&self) -> String {
        format!("Collation('{}', '{}')", self.0.name(), self.flavour())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let arguments = (slf.get().0.name(), slf.get().flavour()).into_pyobject(slf.py())?;
        Ok((slf.get_type().into_any(), arguments))
    }
}

/// A range of keys: its start and its end.
type Range<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);

fn to_range<'py>(py: Python<'py>, range: &KeyRange) -> Range<'py> {
    (PyBytes::new(py, &range.start), range.end.as_ref().map(|end| PyBytes::new(py, end)))
}

/// Returns the validity of the strings. `None` if no string is NULL.
fn validity(texts: &[Option<&[u8]>]) -> Option<NullBuffer> {
    texts.contains(&None).then(|| texts.iter().map(Option::is_some).collect())
}

/// Converts indexes to Arrow's int64.
fn to_int64(indexes: Vec<usize>) -> Vec<i64> {
    indexes.into_iter().map(|index| index as i64).collect()
}
