//! Looks up collations by name and flavour, and raises Python's errors.

use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

/// Parses `mysql` or `mariadb`, case-insensitively.
pub fn parse_flavour(name: &str) -> PyResult<Flavour> {
    name.parse().map_err(|_| PyValueError::new_err(format!("a flavour is 'mysql' or 'mariadb', not {name:?}")))
}

/// Returns a flavour in lower case.
pub fn lower_case_name(flavour: Flavour) -> String {
    flavour.to_string().to_lowercase()
}

/// Looks up a collation. Without a flavour the name must exist in one flavour only, or have the
/// same order of well-formed strings in both.
pub fn by_name(py: Python<'_>, name: &str, given: Option<&str>) -> PyResult<Collation> {
    if let Some(given) = given {
        let flavour = parse_flavour(given)?;
        return Collation::by_name(flavour, name).map_err(|error| lookup_error(py, name, &[flavour], &error));
    }
    let found = Collation::of_name(name).and_then(Meaning::only);
    found.map_err(|error| lookup_error(py, name, &Flavour::ALL, &error))
}

/// Looks up a collation by its id in the protocol.
pub fn by_id(id: u16, flavour: Flavour) -> PyResult<Collation> {
    Collation::by_id(flavour, id).map_err(|error| PyLookupError::new_err(error.to_string()))
}

fn lookup_error(py: Python<'_>, name: &str, flavours: &[Flavour], error: &LookupError) -> PyErr {
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
        .or_else(|| {
            most_similar_name(py, name, flavours).ok().flatten().map(|similar| format!("; did you mean {similar}?"))
        });
    PyLookupError::new_err(format!("{error}{}", hint.unwrap_or_default()))
}

/// Returns the most similar name, if a name is similar enough for `difflib`.
fn most_similar_name(py: Python<'_>, name: &str, flavours: &[Flavour]) -> PyResult<Option<String>> {
    let known: Vec<&str> = flavours.iter().flat_map(|&flavour| names(flavour)).collect();
    let similar = py.import("difflib")?.call_method1("get_close_matches", (name.to_lowercase(), known, 1))?;
    Ok(similar.extract::<Vec<String>>()?.into_iter().next())
}

fn names(flavour: Flavour) -> impl Iterator<Item = &'static str> {
    catalogue(flavour).iter().filter(|info| info.is_enabled()).map(|info| info.name)
}

/// Returns the names of all collations of a flavour, in alphabetical order.
///
/// >>> from mysql_collation import collations
/// >>> [name for name in collations("mariadb") if name.startswith("utf8mb4_czech")]
/// ['utf8mb4_czech_ci']
#[pyfunction]
pub fn collations(flavour: &str) -> PyResult<Vec<&'static str>> {
    let mut all: Vec<&str> = names(self::parse_flavour(flavour)?).collect();
    all.sort_unstable();
    Ok(all)
}
