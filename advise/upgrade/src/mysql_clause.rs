//! Operators and clauses of MySQL that MariaDB lacks: `a->>'$.b'`, CAST(… AS JSON), FOR SHARE, and the
//! alias of new rows in INSERT. The sources are the servers' manuals.

use std::ops::Range;

use sql::{SqlMode, Token, TokenKind, tokenize};
use why::splice;

use crate::mend::Rewrite;

type Edit = (Range<usize>, String);

/// Writes a statement that MariaDB's parser refuses without them. `None` if it has none.
pub fn rewrite(text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let mut edits: Vec<Edit> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    let mut effects: Vec<String> = Vec::new();
    let mut add = |name: &'static str, more: Vec<Edit>, effect: Option<&str>| {
        if !more.is_empty() {
            edits.extend(more);
            named.push(name);
            effects.extend(effect.map(str::to_owned));
        }
    };
    add("a->'$.b' → JSON_EXTRACT(), a->>'$.b' → JSON_UNQUOTE(JSON_EXTRACT())", arrows(text, &tokens), None);
    let of_json = "JSON of MariaDB is text: it is compared as text, and ORDER BY sorts it as text.";
    add("CAST(a AS JSON) → JSON_EXTRACT(a, '$')", casts(text, &tokens), Some(of_json));
    add("FOR SHARE → LOCK IN SHARE MODE", shares(&tokens), None);
    add("the alias of new rows → VALUES()", row_aliases(&tokens), None);
    edits.sort_by_key(|(range, _)| range.start);
    (!edits.is_empty()).then(|| Rewrite {
        what: format!("{}: MariaDB does not have it", named.join(", ")),
        text: Some(splice(text, &edits)),
        is_certain: true,
        effects,
        ..Rewrite::default()
    })
}

fn arrows(text: &str, tokens: &[Token<'_>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in 1..tokens.len() {
        let is_arrow = tokens[at].is_symbol('-') && tokens.get(at + 1).is_some_and(|next| next.is_symbol('>'));
        if !is_arrow {
            continue;
        }
        let unquotes = tokens.get(at + 2).is_some_and(|next| next.is_symbol('>'));
        let path = tokens.get(at + 2 + usize::from(unquotes)).filter(|path| path.kind == TokenKind::StringLiteral);
        let (Some(path), Some(begin)) = (path, column_before(tokens, at)) else { continue };
        let extracted = format!("JSON_EXTRACT({}, {})", &text[begin..tokens[at - 1].end()], path.text);
        let new = if unquotes { format!("JSON_UNQUOTE({extracted})") } else { extracted };
        edits.push((begin..path.end(), new));
    }
    edits
}

/// Beginning of the column's name before a token: `t.a`.
fn column_before(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut first = at.checked_sub(1).filter(|name| tokens[*name].name().is_some())?;
    while first >= 2 && tokens[first - 1].is_symbol('.') && tokens[first - 2].name().is_some() {
        first -= 2;
    }
    Some(tokens[first].start)
}

fn casts(text: &str, tokens: &[Token<'_>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in 0..tokens.len().saturating_sub(4) {
        if !tokens[at].is_keyword("cast") || !tokens[at + 1].is_symbol('(') {
            continue;
        }
        let inside = &tokens[at + 2..];
        let Some(close) = sql::closing_parenthesis(inside).filter(|close| *close >= 3) else { continue };
        let is_json = inside[close - 1].is_keyword("json") && inside[close - 2].is_keyword("as");
        // Parts of the expression can have edits of their own.
        let has_more = inside[..close].iter().any(|token| token.is_keyword("cast") || token.is_symbol('>'));
        if is_json && !has_more {
            let expression = &text[inside[0].start..inside[close - 3].end()];
            edits.push((tokens[at].start..inside[close].end(), format!("JSON_EXTRACT({expression}, '$')")));
        }
    }
    edits
}

fn shares(tokens: &[Token<'_>]) -> Vec<Edit> {
    let is_share = |pair: &&[Token<'_>]| pair[0].is_keyword("for") && pair[1].is_keyword("share");
    let edit = |pair: &[Token<'_>]| (pair[0].start..pair[1].end(), "LOCK IN SHARE MODE".to_owned());
    tokens.windows(2).filter(is_share).map(edit).collect()
}

fn row_aliases(tokens: &[Token<'_>]) -> Vec<Edit> {
    let is_alias = |four: &&[Token<'_>]| {
        four[0].is_keyword("as")
            && four[1].name().is_some()
            && four[2].is_keyword("on")
            && four[3].is_keyword("duplicate")
    };
    let Some(alias) = tokens.windows(4).find(is_alias) else { return Vec::new() };
    let name = alias[1].name().unwrap_or_default();
    let mut edits = vec![(alias[0].start..alias[1].end(), String::new())];
    for three in tokens.windows(3) {
        let is_of_row = three[0].name().is_some_and(|own| own.eq_ignore_ascii_case(&name)) && three[1].is_symbol('.');
        if is_of_row && three[2].name().is_some() {
            edits.push((three[0].start..three[2].end(), format!("VALUES({})", three[2].text)));
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_of_mysql_are_written_otherwise() {
        for (old, new) in [
            (
                "SELECT m.j->>'$.a', `j`->\"$.b\" FROM m WHERE j->>'$.a' > 1 - 2",
                "SELECT JSON_UNQUOTE(JSON_EXTRACT(m.j, '$.a')), JSON_EXTRACT(`j`, \"$.b\") FROM m \
                 WHERE JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')) > 1 - 2",
            ),
            ("SELECT CAST(CONCAT('[', a, ']') AS JSON)", "SELECT JSON_EXTRACT(CONCAT('[', a, ']'), '$')"),
            ("SELECT a FROM t FOR SHARE SKIP LOCKED", "SELECT a FROM t LOCK IN SHARE MODE SKIP LOCKED"),
            (
                "INSERT INTO t (a, b) VALUES (1, 2) AS new ON DUPLICATE KEY UPDATE b = new.b + t.b",
                "INSERT INTO t (a, b) VALUES (1, 2)  ON DUPLICATE KEY UPDATE b = VALUES(b) + t.b",
            ),
        ] {
            assert_eq!(rewrite(old).and_then(|one| one.text).as_deref(), Some(new));
        }
        assert_eq!(rewrite("SELECT a - b > c, CAST(a AS CHAR), '->>' FROM t AS new"), None);
    }
}
