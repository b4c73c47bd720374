//! A collation from a name and a flavour, and Python's errors where there is none.

use mysql_collation::{Collation, Flavour, LookupError, catalogue};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

const FLAVOURS: [Flavour; 2] = [Flavour::MySql, Flavour::MariaDb];

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
    match FLAVOURS.map(|flavour| Collation::by_name(flavour, name)) {
        [Ok(mysql), Ok(mariadb)] if mysql.orders_valid_text_like(mariadb) => Ok(mysql),
        [Ok(one), Err(LookupError::Unknown { .. })] | [Err(LookupError::Unknown { .. }), Ok(one)] => Ok(one),
        [Ok(_), Ok(_)] => Err(PyValueError::new_err(format!(
            "MySQL and MariaDB order strings in different ways under {name}; say flavour='mysql' or flavour='mariadb'"
        ))),
        // Whether a collation that was left out is like the other one can't be told.
        [Ok(_), Err(_)] | [Err(_), Ok(_)] => Err(PyValueError::new_err(format!(
            "both MySQL and MariaDB have {name}, and one of the two is not enabled; say flavour='mysql' or flavour='mariadb'"
        ))),
        [Err(error), Err(LookupError::Unknown { .. })] | [_, Err(error)] => Err(failure(py, name, &FLAVOURS, &error)),
    }
}

/// The collation of this id on the wire.
pub fn by_id(id: u16, flavour: Flavour) -> PyResult<Collation> {
    Collation::by_id(flavour, id).map_err(|error| PyLookupError::new_err(error.to_string()))
}

fn failure(py: Python<'_>, name: &str, flavours: &[Flavour], error: &LookupError) -> PyErr {
    if let LookupError::NotEnabled { .. } = error {
        return PyLookupError::new_err(error.to_string());
    }
    let who = match flavours {
        [one] => format!("{one} has no collation {name}"),
        _ => format!("neither MySQL nor MariaDB has a collation {name}"),
    };
    let hint = FLAVOURS
        .into_iter()
        .find(|other| !flavours.contains(other) && Collation::by_name(*other, name).is_ok())
        .map(|other| format!(", but {other} has"))
        .or_else(|| nearest(py, name, flavours).ok().flatten().map(|near| format!("; did you mean {near}?")));
    PyLookupError::new_err(format!("{who}{}", hint.unwrap_or_default()))
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
