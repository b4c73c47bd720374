//! The Python module `mysql_collation._native`. The package `mysql_collation` re-exports its
//! content.
//!
//! `lookup` finds a collation, `text` encodes strings in its character set, `column` reads columns,
//! `array` returns results, `duplicates` finds rows that repeat others, and `collation` has the
//! class. The crate `mysql-collation` computes all weights.

mod array;
mod collation;
mod column;
mod duplicates;
mod lookup;
mod text;

/// Content of the package.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::array::Array;
    #[pymodule_export]
    use super::collation::Collation;
    #[pymodule_export]
    use super::lookup::collations;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("KEY_FORMAT", mysql_collation::KEY_FORMAT)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
