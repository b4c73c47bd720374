use std::fmt;

use crate::{Check, Reading};

/// Checks to run, in the order of the list that they were selected from.
pub struct Selection<F: 'static>(Vec<&'static Check<F>>);

impl<F> Clone for Selection<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F> fmt::Debug for Selection<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|check| check.name)).finish()
    }
}

/// A name of `--check` or `--skip` that no check has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no check {given}; the nearest is {nearest} (--list names all checks)")]
pub struct UnknownCheck {
    pub given: String,
    /// Most similar name of a check.
    pub nearest: &'static str,
}

impl<F> Selection<F> {
    /// Selects the checks named in `only`, or all if `only` is empty, without those in `skip`.
    ///
    /// # Errors
    /// If a name is not that of a check.
    pub fn new(
        checks: &'static [&'static Check<F>],
        only: &[impl AsRef<str>],
        skip: &[impl AsRef<str>],
    ) -> Result<Self, UnknownCheck> {
        let names = || only.iter().map(AsRef::as_ref).chain(skip.iter().map(AsRef::as_ref));
        for given in names() {
            if !checks.iter().any(|check| check.name == given) {
                let nearest = message::sort_by_similarity(given, checks.iter().map(|check| check.name));
                let nearest = nearest.first().copied().unwrap_or_default();
                return Err(UnknownCheck { given: given.to_owned(), nearest });
            }
        }
        let is_selected = |check: &&'static Check<F>| {
            (only.is_empty() || only.iter().any(|name| name.as_ref() == check.name))
                && !skip.iter().any(|name| name.as_ref() == check.name)
        };
        Ok(Self(checks.iter().copied().filter(is_selected).collect()))
    }

    pub fn all(checks: &[&'static Check<F>]) -> Self {
        Self(checks.to_vec())
    }

    /// Selects the checks of these names. Names that no check has are ignored.
    pub fn named(checks: &[&'static Check<F>], names: &[&str]) -> Self {
        Self(checks.iter().copied().filter(|check| names.contains(&check.name)).collect())
    }

    pub fn checks(&self) -> &[&'static Check<F>] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|check| check.name == name)
    }

    /// True if a selected check reads this input.
    pub fn reads(&self, reading: Reading) -> bool {
        self.0.iter().any(|check| check.reads.contains(&reading))
    }
}
