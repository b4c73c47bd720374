//! Queries, and statements with SHOW, that compare the names of character sets or collations with
//! `utf8`, which MySQL 8.0.30, MariaDB 10.6 and later versions call `utf8mb3`.

use mysql::prelude::Queryable;
use server::Server;
use sql::{SqlMode, TokenKind, tokenize};
use why::splice;

use crate::Error;
use crate::material::Given;
use crate::model::{Finding, Kind, Mend};
use crate::script::{Done, is_query};
use crate::side::{Session, failed, first_word};

/// Reports a query of information_schema that finds other rows on the new server with `utf8mb3` in
/// place of `utf8`. `None` unless only the new server has the new name.
pub fn judge((source, target): (&Server, &Server), given: &Given, after: &Done) -> Result<Option<Finding>, Error> {
    let is_read = |_: &String| is_query(&given.text) || first_word(&given.text) == "show";
    let Some(renamed) = with_new_name(&given.text).filter(is_read) else { return Ok(None) };
    if !says_utf8(source)? || says_utf8(target)? {
        return Ok(None);
    }
    let mut session = Session::open(target, after.setup.schema.as_deref(), &after.setup.prelude)?;
    let (Ok(old), Ok(new)) = (session.run(&given.text)?, session.run(&renamed)?) else { return Ok(None) };
    if old.content == new.content {
        return Ok(None);
    }
    let what = "compares names of character sets or collations with utf8, which the new server calls utf8mb3";
    let mut finding = given.finding(Kind::Differs, what.into());
    finding.mends.push(Mend {
        what: "Compare with utf8mb3".into(),
        sql: vec![renamed],
        effects: vec![
            "The old server calls it utf8: with IN ('utf8', 'utf8mb3') or LIKE 'utf8%', both are found.".into(),
        ],
        left: None,
    });
    Ok(Some(finding))
}

/// True if the server lists a character set `utf8`.
fn says_utf8(server: &Server) -> Result<bool, Error> {
    let query = "SELECT COUNT(*) FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME = 'utf8'";
    let count: Option<u64> = server
        .connect_patiently()?
        .query_first(query)
        .map_err(|source| failed(server, "list character sets", source))?;
    Ok(count.is_some_and(|count| count > 0))
}

/// Replaces `utf8` by `utf8mb3` in literals such as `'utf8'` and `'utf8_%'` of a query that reads
/// information_schema, and of SHOW. `None` if it has no such literal.
fn with_new_name(text: &str) -> Option<String> {
    let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let reads_names =
        |token: &sql::Token<'_>| token.name().is_some_and(|name| name.eq_ignore_ascii_case("information_schema"));
    tokens.iter().find(|token| reads_names(token)).or(tokens.first().filter(|token| token.is_keyword("show")))?;
    let edit = |token: &sql::Token<'_>| {
        let inside = token.text.get(1..token.text.len().checked_sub(1)?)?;
        let rest = inside.get(4..).filter(|_| inside[..4].eq_ignore_ascii_case("utf8"))?;
        let is_name = token.kind == TokenKind::StringLiteral && (rest.is_empty() || rest.starts_with(['_', '\\']));
        is_name.then(|| (token.start + 1..token.start + 5, "utf8mb3".to_owned()))
    };
    let edits: Vec<_> = tokens.iter().filter_map(edit).collect();
    (!edits.is_empty()).then(|| splice(text, &edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_utf8_are_replaced() {
        let head = "SELECT 1 FROM information_schema.TABLES WHERE TABLE_COLLATION";
        for (old, new) in [
            ("= 'utf8_bin'", Some("= 'utf8mb3_bin'")),
            ("LIKE 'utf8\\_%'", Some("LIKE 'utf8mb3\\_%'")),
            ("IN ('latin1', 'UTF8')", Some("IN ('latin1', 'utf8mb3')")),
            ("LIKE 'utf8%'", None),
            ("= 'utf8mb4_bin'", None),
            ("= 'é'", None),
        ] {
            let new = new.map(|new| format!("{head} {new}"));
            assert_eq!(with_new_name(&format!("{head} {old}")), new, "{old}");
        }
        assert_eq!(with_new_name("SELECT 1 FROM t WHERE a = 'utf8'"), None);
        let text = "SHOW TABLE STATUS WHERE Collation = 'utf8_bin'";
        assert_eq!(with_new_name(text).as_deref(), Some("SHOW TABLE STATUS WHERE Collation = 'utf8mb3_bin'"));
    }
}
