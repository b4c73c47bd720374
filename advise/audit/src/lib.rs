//! Checks of how character sets and collations are set up on a server.
//!
//! [`gather`] reads an [`AuditInput`], limited to the inputs that the selected checks read. [`run`]
//! runs the checks and returns an [`Audit`]. [`CHECKS`] lists all checks; each has a file below
//! `checks/`. CONTRIBUTING.md says how to add a check.

mod advice;
mod checks;
mod distinct;
mod fix;
mod gather;
mod input;
mod model;
mod place;
mod program_conflicts;
mod run;
mod statements;
mod text;

pub use check::{Object, ObjectKind, Reading, Severity, Target, TargetError};
pub use checks::{CHECKS, Check, DUMP_CHECK, RUNNING_SERVER_CHECKS, Selection};
pub use gather::{Request, describe_unread_statements, gather};
pub use input::{
    AuditInput, ColumnRef, ColumnSample, EncodingCounts, IncomparableColumn, IndexLoss, IndexUse, JoinKind, JoinPlans,
    LookupPlan, RefusedStatement, SerializedCounts, Statement, StatementPlan, ViewPlan, Warning,
};
pub use model::{Audit, AuditedServer, Counts, Finding, Place, Unseen};
pub use program_conflicts::{Conflict, ConflictEffect, ConflictSide, ProgramConflicts, find_program_conflicts};
pub use run::run;
pub use statements::{FileStatements, parse_slow_log, parse_sql_file};
pub use text::{Declaration, created_table, declared_parameters, declared_variables, mentions};
