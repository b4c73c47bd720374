//! Statements that a script prepares: `PREPARE s FROM 'SELECT …'`, `EXECUTE IMMEDIATE @text`.

use crate::Error;
use crate::copy::{Copy, Place, Session};
use crate::ddl::tokens_without_comments;

/// Statement that a `PREPARE` or `EXECUTE IMMEDIATE` prepares, and its name, if it gets one. `None`
/// for other statements, and if the copy has no text for it.
pub fn read_prepared(
    copy: &mut Copy<'_>,
    session: &Session,
    statement: &str,
) -> Result<Option<(Option<String>, String)>, Error> {
    let tokens = tokens_without_comments(statement);
    let is_keyword = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is_keyword(word));
    let (name, at) = if is_keyword(0, "prepare") && is_keyword(2, "from") {
        (tokens[1].name(), 3)
    } else if is_keyword(0, "execute") && is_keyword(1, "immediate") {
        (None, 2)
    } else {
        return Ok(None);
    };
    let Some(first) = tokens.get(at) else { return Ok(None) };
    let end = tokens[at..].iter().find(|token| token.is_keyword("using")).map_or(statement.len(), |token| token.start);
    let asked = format!("SELECT CAST({} AS CHAR) AS weigh_text", &statement[first.start..end]);
    let answer = copy.ask(&Place::Session(session.clone()), &[asked])?;
    let row = answer.ok().and_then(|results| results.into_iter().flatten().next());
    Ok(row.and_then(|row| row.get("weigh_text").cloned().flatten()).map(|text| (name, text)))
}

/// Name of the prepared statement that `EXECUTE s`, `DEALLOCATE PREPARE s` and `DROP PREPARE s` use.
pub fn used_name(statement: &str) -> Option<String> {
    let tokens = tokens_without_comments(statement);
    let first = tokens.first()?;
    let at = match tokens.get(1) {
        Some(second) if first.is_any_keyword(&["deallocate", "drop"]) && second.is_keyword("prepare") => 2,
        Some(_) if first.is_keyword("execute") => 1,
        _ => return None,
    };
    tokens.get(at)?.name()
}
