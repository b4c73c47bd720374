//! Allow-list of what the statements of a workload may do: read and change the tables of
//! schema.sql, in a schema that weigh makes.
//!
//! Works on tokens. A statement is checked as every supported server reads it: conditional comments
//! are resolved for each set of versions ([`sql::readings`]). What is not known is refused.

mod calls;
mod clauses;
mod definitions;
mod program;

use std::collections::HashSet;

use sql::{SqlMode, Token, TokenKind};

pub use calls::check_calls;
use clauses::{Names, Walker};
pub(crate) use definitions::{check_definition, find_object};

/// Part of a statement that reaches out of the workload's schema, or may do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfScope {
    /// Byte offset in the statement.
    pub offset: usize,
    pub reason: String,
}

/// Table by which weigh knows the schemas that it made.
const MARKER: &str = "weigh_marker";

type CheckResult = Result<(), OutOfScope>;

/// Checks a statement that reads or changes rows, as every supported server reads it.
///
/// # Errors
/// If the statement can reach other schemas, files or sessions, or is not understood.
pub fn check_scope(text: &str, mode: SqlMode, routines: &HashSet<String>) -> Result<(), OutOfScope> {
    let names = Names { routines: routines.clone(), ..Names::default() };
    for_each_reading(text, mode, |tokens| Walker::new(tokens, &names).check())
}

/// Checks every reading, and that all have one verb: the caller decides by the verb of the whole
/// text what it does with the statement.
fn for_each_reading(text: &str, mode: SqlMode, check: impl Fn(&[Token<'_>]) -> CheckResult) -> CheckResult {
    refuse_control_characters(text, mode)?;
    let readings = sql::readings(text, mode)
        .map_err(|ambiguous| OutOfScope { offset: ambiguous.offset, reason: ambiguous.reason.to_owned() })?;
    let verb = find_verb(&content(text, mode));
    for reading in &readings {
        let tokens = content(reading, mode);
        if let Some(first) = tokens.first().filter(|_| find_verb(&tokens) != verb) {
            let reason = "servers that skip a conditional comment read another statement";
            return Err(OutOfScope { offset: first.start, reason: reason.to_owned() });
        }
        if let Some(open) = tokens.iter().find(|token| !token.is_closed) {
            return Err(OutOfScope { offset: open.start, reason: "a quote or comment is not closed".to_owned() });
        }
        let is_marker = |token: &&Token<'_>| token.name().is_some_and(|name| name.eq_ignore_ascii_case(MARKER));
        if let Some(marker) = tokens.iter().find(is_marker) {
            return Err(OutOfScope { offset: marker.start, reason: format!("{MARKER} is weigh's own table") });
        }
        if let Some(number) = sql::find_odd_number(&tokens) {
            let reason = format!("{} directly beside a name: servers skip it, or read it as a name", number.text);
            return Err(OutOfScope { offset: number.start, reason });
        }
        check(&without_hints(tokens)?)?;
    }
    Ok(())
}

/// Removes optimizer hints. Refuses quotes and comments in them: they could make servers end the
/// hint in different places.
fn without_hints(mut tokens: Vec<Token<'_>>) -> Result<Vec<Token<'_>>, OutOfScope> {
    for hint in tokens.iter().filter(|token| token.kind == TokenKind::Hint) {
        let inner = hint.text.get(3..hint.text.len() - 2).unwrap_or_default();
        if inner.contains(['`', '\'', '"', '/', '*', '#', ';']) || inner.contains("--") {
            return Err(OutOfScope {
                offset: hint.start,
                reason: "quotes or comments in an optimizer hint".to_owned(),
            });
        }
    }
    tokens.retain(|token| token.kind != TokenKind::Hint);
    Ok(tokens)
}

/// Refuses control characters outside of quotes, except tabs and ends of lines. Servers read some
/// as white space, some as the end of a comment or of the statement.
fn refuse_control_characters(text: &str, mode: SqlMode) -> CheckResult {
    let is_refused = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    if !text.bytes().any(is_refused) {
        return Ok(());
    }
    let is_quoted = |token: &Token<'_>| matches!(token.kind, TokenKind::StringLiteral | TokenKind::QuotedName);
    let quoted = sql::tokenize(text, mode).filter(is_quoted).map(|token| (token.start, token.end()));
    let mut outside = 0;
    for (start, end) in quoted.chain([(text.len(), text.len())]) {
        if let Some(at) = text.as_bytes()[outside..start].iter().position(|byte| is_refused(*byte)) {
            let offset = outside + at;
            let reason = format!("a control character (0x{:02X})", text.as_bytes()[offset]);
            return Err(OutOfScope { offset, reason });
        }
        outside = end;
    }
    Ok(())
}

/// Returns the tokens without comments and without the marks of conditional comments.
fn content(text: &str, mode: SqlMode) -> Vec<Token<'_>> {
    let is_comment = |token: &Token<'_>| matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    sql::tokenize(text, mode).filter(|token| !is_comment(token)).collect()
}

fn find_verb(tokens: &[Token<'_>]) -> Option<String> {
    tokens.iter().find(|token| !token.is_symbol('(')).map(|token| token.text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
