//! Lists in which each value stands once.

use std::collections::HashSet;
use std::hash::Hash;

/// Values without duplicates, in the order in which they were added.
pub(crate) struct Distinct<T> {
    pub list: Vec<T>,
    known: HashSet<T>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { list: Vec::new(), known: HashSet::new() }
    }
}

impl<T: Clone + Eq + Hash> Distinct<T> {
    pub fn add(&mut self, value: T) {
        if self.known.insert(value.clone()) {
            self.list.push(value);
        }
    }
}

impl<T: Clone + Eq + Hash> FromIterator<T> for Distinct<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.add(value));
        all
    }
}
