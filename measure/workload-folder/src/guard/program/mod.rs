//! Routines and triggers, read statement by statement.
//!
//! The head is read by its grammar. In the body, a statement begins only where it can on a server:
//! at the beginning, after `;`, `BEGIN`, `THEN`, `ELSE`, `DO`, `LOOP`, `REPEAT`, a label or a
//! handler's conditions. Each must be of a listed kind. Other statements are refused.

mod body;
mod head;
mod reader;
mod statement;

use sql::Token;

use super::CheckResult;
use super::clauses::{Names, Walker};
use body::Body;
use reader::Reader;

/// Checks a procedure or function from its name on.
pub(super) fn check_routine(tokens: &[Token<'_>], names: &Names, is_function: bool) -> CheckResult {
    let tokens = reader::split_labels(tokens)?;
    let mut reader = Reader::new(&tokens);
    let mut names = Names { is_program: true, ..names.clone() };
    names.variables = head::read_routine(&mut reader, is_function)?;
    let parameters = reader.read_so_far().iter().position(|token| token.is_symbol('(')).unwrap_or(0);
    Walker::new(&reader.read_so_far()[parameters..], &names).check()?;
    Body::new(reader, names).check()
}

/// Checks a trigger from its name on.
pub(super) fn check_trigger(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let tokens = reader::split_labels(tokens)?;
    let mut reader = Reader::new(&tokens);
    head::read_trigger(&mut reader)?;
    Body::new(reader, Names { is_program: true, ..names.clone() }).check()
}
