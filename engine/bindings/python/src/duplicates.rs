//! Duplicate rows.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Occurrence of a string that `duplicates` does not report.
pub enum Keep {
    First,
    Last,
    None,
}

impl FromPyObject<'_, '_> for Keep {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.cast::<PyBool>().is_ok_and(|keep| !keep.is_true()) {
            return Ok(Self::None);
        }
        match object.extract::<&str>().ok() {
            Some("first") => Ok(Self::First),
            Some("last") => Ok(Self::Last),
            _ => Err(PyValueError::new_err(format!("keep is 'first', 'last' or False, not {}", object.repr()?))),
        }
    }
}

/// Returns whether each row of `count` groups repeats another row.
pub fn find_duplicates(groups: &[usize], count: usize, keep: &Keep) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut flags = vec![false; groups.len()];
    let mut visit = |row: usize| flags[row] = std::mem::replace(&mut seen[groups[row]], true);
    match keep {
        Keep::First => (0..groups.len()).for_each(visit),
        Keep::Last => (0..groups.len()).rev().for_each(&mut visit),
        Keep::None => {
            let mut sizes = vec![0_usize; count];
            groups.iter().for_each(|&group| sizes[group] += 1);
            return groups.iter().map(|&group| sizes[group] > 1).collect();
        }
    }
    flags
}
