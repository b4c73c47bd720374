//! What a check is, and which of them are run.

use crate::checks::CHECKS;
use crate::evidence::Evidence;
use crate::finding::Finding;

/// A check.
pub struct Check {
    /// Its name, as `--check` and `--skip` take it.
    pub name: &'static str,
    /// What it finds, in a line.
    pub title: &'static str,
    /// What it reads.
    pub reads: &'static [Reading],
    /// What it looks for, why that matters, what to do, and where that is from. Markdown.
    pub doc: &'static str,
    /// From evidence to findings. Pure.
    pub run: fn(&Evidence) -> Vec<Finding>,
}

/// What checks read. Only what the chosen ones need is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// Global variables, character sets, collations.
    Settings,
    /// Sessions and replication.
    Activity,
    /// Tables, columns, indexes, keys, partitions.
    Schemas,
    /// Views, routines, triggers, events.
    Programs,
    /// Plans of joins and views, by `EXPLAIN`.
    Plans,
    /// A sample of rows.
    Rows,
    /// Statements of files.
    Statements,
    /// The target of a migration.
    Target,
}

impl Reading {
    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Reading::Settings => "settings",
            Reading::Activity => "sessions and replication",
            Reading::Schemas => "tables",
            Reading::Programs => "views and stored programs",
            Reading::Plans => "plans (EXPLAIN)",
            Reading::Rows => "a sample of rows",
            Reading::Statements => "statements of --sql and --slow-log",
            Reading::Target => "--target",
        }
    }
}

/// The checks that are run.
pub struct Selection(Vec<&'static Check>);

/// A name that no check has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no check {given}; the nearest is {nearest} (weigh audit --list names them all)")]
pub struct SelectionError {
    /// What was given.
    pub given: String,
    /// The most similar name.
    pub nearest: &'static str,
}

impl Selection {
    /// Those that are named, or all where none is, without those to skip.
    ///
    /// # Errors
    /// If a name is no check's.
    pub fn new(only: &[String], skip: &[String]) -> Result<Self, SelectionError> {
        for given in only.iter().chain(skip) {
            if !CHECKS.iter().any(|check| check.name == given) {
                let nearest = CHECKS.iter().min_by_key(|check| strsim::damerau_levenshtein(given, check.name));
                return Err(SelectionError { given: given.clone(), nearest: nearest.map_or("", |check| check.name) });
            }
        }
        let is_named = |names: &[String], check: &Check| names.iter().any(|name| name == check.name);
        let chosen =
            CHECKS.iter().copied().filter(|check| (only.is_empty() || is_named(only, check)) && !is_named(skip, check));
        Ok(Self(chosen.collect()))
    }

    /// The chosen checks, in their order.
    pub fn checks(&self) -> &[&'static Check] {
        &self.0
    }

    /// Whether a chosen check reads this.
    pub fn reads(&self, reading: Reading) -> bool {
        self.0.iter().any(|check| check.reads.contains(&reading))
    }
}
