//! Results: arrays with Arrow's PyCapsule interface, which Arrow libraries import without a copy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple};
use pyo3_arrow::PyArray;
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

/// A result: an Arrow array of int64, uint64, bool or large_binary.
///
/// Pass it to ``pyarrow.array``, ``polars.Series``, ``numpy.asarray`` or another consumer of
/// Arrow's PyCapsule interface, or read it as a sequence. NULL is ``None``.
///
/// >>> from mysql_collation import Collation
/// >>> order = Collation("utf8mb4_0900_ai_ci", "mysql").argsort(["b", None, "A"])
/// >>> order
/// <mysql_collation.Array of 3 Int64: [1, 2, 0]>
/// >>> order[-1], len(order), order.to_pylist()
/// (0, 3, [1, 2, 0])
#[pyclass(frozen, module = "mysql_collation")]
pub struct Array(ArrayRef);

impl Array {
    pub fn new(array: impl arrow_array::Array + 'static) -> Self {
        Self(Arc::new(array))
    }

    fn field(&self) -> Arc<Field> {
        Arc::new(Field::new("", self.0.data_type().clone(), self.0.null_count() > 0))
    }

    fn item<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        if self.0.is_null(index) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match self.0.data_type() {
            DataType::Int64 => self.0.as_primitive::<Int64Type>().value(index).into_pyobject(py)?.into_any(),
            DataType::UInt64 => self.0.as_primitive::<UInt64Type>().value(index).into_pyobject(py)?.into_any(),
            DataType::Boolean => self.0.as_boolean().value(index).into_pyobject(py)?.to_owned().into_any(),
            _ => PyBytes::new(py, self.0.as_binary::<i64>().value(index)).into_any(),
        })
    }
}

#[pymethods]
impl Array {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, self.field(), &self.0, requested_schema)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.field().as_ref())?)
    }

    /// Returns a copy as a NumPy array. The dtype is object if there are NULLs or bytes.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(pyo3::exceptions::PyValueError::new_err("a NumPy array of this can only be made by copying"));
        }
        let array = if self.0.null_count() == 0 && self.0.data_type() != &DataType::LargeBinary {
            PyArray::from_array_ref(self.0.clone()).into_pyobject(py)?.call_method0("__array__")?
        } else {
            let options = PyDict::new(py);
            options.set_item("dtype", "object")?;
            py.import("numpy")?.call_method("array", (self.to_pylist(py)?,), Some(&options))?
        };
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.0.len();
        let index = if index < 0 { index.checked_add_unsigned(length) } else { Some(index) };
        let index = index.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < length);
        self.item(py, index.ok_or_else(|| PyIndexError::new_err("index out of range"))?)
    }

    /// Returns the values as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let items = (0..self.0.len()).map(|index| self.item(py, index)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, items)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const MAX_SHOWN: usize = 10;
        let length = self.0.len();
        let items = (0..length.min(MAX_SHOWN)).map(|index| Ok(self.item(py, index)?.repr()?.to_string()));
        let mut items = items.collect::<PyResult<Vec<String>>>()?;
        if length > MAX_SHOWN {
            items.push("…".into());
        }
        Ok(format!("<mysql_collation.Array of {length} {}: [{}]>", self.0.data_type(), items.join(", ")))
    }
}
