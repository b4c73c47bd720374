//! A collation from a name and a flavour, and Python's errors where there is none.

use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

/// `mysql` or `mariadb`, in any case.
pub fn flavour(name: &str) -> PyResult<Flavour> {
    name.parse().map_err(|_| PyValueError::new_err(format!("a flavour is 'mysql' or 'mariadb', not {name:?}")))
}

/// The word for a flavour.
pub fn word(flavour: Flavour) -> String {
    flavour.to_string().to_lowercase()
}

/// The collation of this name. Without a flavour it must be one flavour's alone, or order well-formed strings alike in both.
pub fn by_name(py: Python<'_>, name: &str, given: Option<&str>) -> PyResult<Collation> {
    if let Some(given) = given {
        let flavour = flavour(given)?;
        return Collation::by_name(flavour, name).map_err(|error| failure(py, name, &[flavour], &error));
    }
    let found = Collation::of_name(name).and_then(Meaning::only);
    found.map_err(|error| failure(py, name, &Flavour::ALL, &error))
}

/// The collation of this id on the wire.
pub fn by_id(id: u16, flavour: Flavour) -> PyResult<Collation> {
    Collation::by_id(flavour, id).map_err(|error| PyLookupError::new_err(error.to_string()))
}

fn failure(py: Python<'_>, name: &str, flavours: &[Flavour], error: &LookupError) -> PyErr {
    match error {
        LookupError::Unknown { .. } | LookupError::UnknownToAll { .. } => {}
        LookupError::Ambiguous { .. } | LookupError::OneNotEnabled { .. } => {
            return PyValueError::new_err(format!("{error}; say flavour='mysql' or flavour='mariadb'"));
        }
        _ => return PyLookupError::new_err(error.to_string()),
    }
    let hint = Flavour::ALL
        .into_iter()
        .find(|other| !flavours.contains(other) && Collation::by_name(*other, name).is_ok())
        .map(|other| format!(", but {other} has"))
        .or_else(|| nearest(py, name, flavours).ok().flatten().map(|near| format!("; did you mean {near}?")));
    PyLookupError::new_err(format!("{error}{}", hint.unwrap_or_default()))
}

/// The name that looks most like this one, if any does.
fn nearest(py: Python<'_>, name: &str, flavours: &[Flavour]) -> PyResult<Option<String>> {
    let known: Vec<&str> = flavours.iter().flat_map(|&flavour| names(flavour)).collect();
    let near = py.import("difflib")?.call_method1("get_close_matches", (name.to_lowercase(), known, 1))?;
    Ok(near.extract::<Vec<String>>()?.into_iter().next())
}

fn names(flavour: Flavour) -> impl Iterator<Item = &'static str> {
    catalogue(flavour).iter().filter(|info| info.is_enabled()).map(|info| info.name)
}

/// The names of all collations of a flavour, in alphabetical order.
///
/// >>> from mysql_collation import collations
/// >>> [name for name in collations("mariadb") if name.startswith("utf8mb4_czech")]
/// ['utf8mb4_czech_ci']
#[pyfunction]
pub fn collations(flavour: &str) -> PyResult<Vec<&'static str>> {
    let mut all: Vec<&str> = names(self::flavour(flavour)?).collect();
    all.sort_unstable();
    Ok(all)
}
