//! The Python module `mysql_collation._native`: the package `mysql_collation` re-exports all of it.
//!
//! `lookup` finds a collation · `text` brings strings into its character set · `column` takes columns in · `array` hands results
//! out · `collation` is the class that joins them. All weighing is the crate `mysql-collation`'s.

mod array;
mod collation;
mod column;
mod lookup;
mod text;

/// What the package re-exports.
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
