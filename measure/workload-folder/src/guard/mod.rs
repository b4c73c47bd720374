//! Allow-list of what the statements of a workload may do: read and change the tables of
//! schema.sql, in a schema that weigh makes.
//!
//! Works on tokens. A statement is checked as every supported server reads it: conditional comments
//! are resolved for each set of versions ([`sql::readings`]). What is not known is refused.

mod clauses;
mod definitions;
mod functions;
mod program;

use std::collections::HashSet;

use sql::{SqlMode, Token, TokenKind};

use clauses::{Names, Walker};
pub(crate) use definitions::check_definition;
pub(crate) use functions::is_server_function;

/// Part of a statement that reaches out of the workload's schema, or may do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfScope {
    /// Byte offset in the statement.
    pub offset: usize,
    pub reason: String,
}

type CheckResult = Result<(), OutOfScope>;

/// Checks a statement that reads or changes rows, as every supported server reads it.
///
/// # Errors
/// If the statement can reach other schemas, files or sessions, or is not understood.
pub fn check_scope(text: &str, mode: SqlMode, routines: &HashSet<String>) -> Result<(), OutOfScope> {
    let names = Names { routines: routines.clone(), is_program: false };
    for_each_reading(text, mode, |tokens| Walker::new(tokens, &names).check())
}

fn for_each_reading(text: &str, mode: SqlMode, check: impl Fn(&[Token<'_>]) -> CheckResult) -> CheckResult {
    let readings = sql::readings(text, mode)
        .map_err(|ambiguous| OutOfScope { offset: ambiguous.offset, reason: ambiguous.reason.to_owned() })?;
    for reading in &readings {
        let tokens: Vec<Token<'_>> =
            sql::tokenize(reading, mode).filter(|token| token.kind != TokenKind::Comment).collect();
        if let Some(open) = tokens.iter().find(|token| !token.is_closed) {
            return Err(OutOfScope { offset: open.start, reason: "a quote or comment is not closed".to_owned() });
        }
        check(&tokens)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
