//! The shape of a check, shared by the crates that advise on a server.
//!
//! A [`Check`] has a name, its inputs, documentation, and a way to run, which returns [`Finding`]s.
//! A [`Selection`] holds the checks of one run. A [`Target`] is the server version of a migration.

mod finding;
mod name;
mod selection;
mod severity;
mod target;

pub use finding::{Finding, Members, Object, ObjectKind};
pub use name::{column_name, describe_own_schemas, index_name, table_name};
pub use selection::{Selection, UnknownCheck};
pub use severity::Severity;
pub use target::{Target, TargetError, collation_flavour};

/// A check. `F` is what runs it: in the simplest case a function from facts to findings.
pub struct Check<F: 'static> {
    /// Name for `--check` and `--skip`: `join-mismatch`.
    pub name: &'static str,
    /// Faults that the check finds, in one line without a full stop.
    pub title: &'static str,
    pub reads: &'static [Reading],
    /// When the check reports, why, and what to do about it. Markdown.
    pub doc: &'static str,
    pub run: F,
}

/// An input of checks. A command may skip inputs that no selected check reads.
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
    /// Plans of joins, views and statements, by `EXPLAIN`.
    Plans,
    /// Rows: a sample for audit, every row for preflight.
    Rows,
    /// Statements of SQL scripts and slow query logs.
    Statements,
    /// Statements of a dump.
    Dump,
    /// The server version that `--target` names.
    Target,
}

impl Reading {
    /// Name of the input in `weigh audit --list`.
    pub fn title(self) -> &'static str {
        match self {
            Reading::Settings => "settings",
            Reading::Activity => "sessions and replication",
            Reading::Schemas => "tables",
            Reading::Programs => "views and stored programs",
            Reading::Plans => "plans (EXPLAIN)",
            Reading::Rows => "a sample of rows",
            Reading::Statements => "statements of --sql and --slow-log",
            Reading::Dump => "statements of --dump",
            Reading::Target => "--target",
        }
    }
}
