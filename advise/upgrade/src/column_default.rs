//! Queries of `COLUMN_DEFAULT` in information_schema: from MariaDB 10.2.7 on, a text has its quotes
//! there, and a default NULL is the text `NULL`.

use server::{Flavour, Server};
use sql::{SqlMode, Token, tokenize};
use why::splice;

use crate::Error;
use crate::material::Given;
use crate::model::{Finding, Kind, Mend};
use crate::script::{Done, is_query};
use crate::side::{Rows, Session};

/// Reports a query that returns on MariaDB what it returned before only without quotes.
pub fn judge(target: &Server, given: &Given, after: &Done, one: &Rows, other: &Rows) -> Result<Option<Finding>, Error> {
    if target.flavour() != Flavour::MariaDb || one.content == other.content || !is_query(&given.text) {
        return Ok(None);
    }
    let Some(text) = without_quotes(&given.text) else { return Ok(None) };
    let mut session = Session::open(target, after.setup.schema.as_deref(), &after.setup.prelude)?;
    if !session.run(&text)?.is_ok_and(|rows| rows.content == one.content) {
        return Ok(None);
    }
    let what = "reads COLUMN_DEFAULT, in which the new server writes texts with quotes, and NULL as a text";
    let mut finding = given.finding(Kind::Differs, what.into());
    finding.mends.push(Mend {
        what: "Read it without quotes".into(),
        sql: vec![text],
        effects: vec![
            "A default that is the text NULL then looks like none. SHOW COLUMNS has no quotes either.".into(),
        ],
        left: None,
    });
    Ok(Some(finding))
}

/// Reads `COLUMN_DEFAULT` without quotes. `None` if the query does not read it.
fn without_quotes(text: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let is_name = |token: &Token<'_>, name: &str| token.name().is_some_and(|own| own.eq_ignore_ascii_case(name));
    tokens.iter().find(|token| is_name(token, "information_schema"))?;
    let mut edits = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_name(&tokens[*at], "column_default")) {
        let is_qualified = at >= 2 && tokens[at - 1].is_symbol('.');
        let begin = tokens[if is_qualified { at - 2 } else { at }].start;
        let own = &text[begin..tokens[at].end()];
        let next = tokens.get(at + 1);
        let is_item = next.is_some_and(|next| next.is_symbol(',') || next.is_keyword("from"));
        let alias = if is_item { format!(" AS {}", tokens[at].text) } else { String::new() };
        edits.push((begin..tokens[at].end(), format!("NULLIF(TRIM(BOTH '''' FROM {own}), 'NULL'){alias}")));
    }
    (!edits.is_empty()).then(|| splice(text, &edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_read_without_quotes() {
        let text = "SELECT c.COLUMN_DEFAULT, 1 FROM information_schema.COLUMNS c WHERE COLUMN_DEFAULT IS NULL";
        let new = "SELECT NULLIF(TRIM(BOTH '''' FROM c.COLUMN_DEFAULT), 'NULL') AS COLUMN_DEFAULT, 1 \
                   FROM information_schema.COLUMNS c WHERE NULLIF(TRIM(BOTH '''' FROM COLUMN_DEFAULT), 'NULL') IS NULL";
        assert_eq!(without_quotes(text).as_deref(), Some(new));
        assert_eq!(without_quotes("SELECT column_default FROM t"), None);
    }
}
