//! Checks of how character sets and collations are set up on a server: facts in, findings out.
//!
//! A [`Check`] is a name, what it reads, a pure function from [`Evidence`] to [`Finding`]s, and its documentation, all in a file of its own
//! below `checks/`; [`CHECKS`] lists them. [`gather`] reads the evidence, only what the chosen checks need; [`run`] asks the checks. To add a
//! check, add its file, its line in `checks/mod.rs` and a fixture in `tests/fixtures/`.

mod check;
mod checks;
mod evidence;
mod finding;
mod gather;
pub mod mentions;
mod run;
mod statements;
mod target;

pub use check::{Check, Reading, Selection, SelectionError};
pub use checks::CHECKS;
pub use evidence::{
    ColumnRef, ColumnSample, Counts, Evidence, IndexUse, JoinKind, JoinProof, Probe, Statement, ViewProof, Warning,
};
pub use finding::{Audit, Audited, Finding, Object, ObjectKind, Severity, Unseen};
pub use gather::{Request, gather};
pub use run::run;
pub use statements::{slow_log, sql_file};
pub use target::{Target, TargetError};
