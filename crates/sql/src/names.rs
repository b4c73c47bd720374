//! Which tables a statement names.

use crate::token::{Kind, Token};

/// A table as a statement names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableName {
    /// Schema, where it is written.
    pub schema: Option<String>,
    /// Name.
    pub name: String,
}

/// Words behind which a table is named.
const BEFORE: [&str; 8] = ["from", "join", "into", "insert", "replace", "update", "table", "straight_join"];
/// Words that may stand between those and the name.
const BETWEEN: [&str; 7] = ["into", "low_priority", "ignore", "quick", "delayed", "high_priority", "lateral"];

/// The tables that a statement names behind `FROM`, `JOIN`, `INTO`, `UPDATE`, and `INSERT` and `REPLACE` without it, in the order of the text, each once; those that it
/// defines itself by `WITH` are left out. Takes tokens without comments.
pub fn tables(tokens: &[Token<'_>]) -> Vec<TableName> {
    let mut found: Vec<TableName> = Vec::new();
    let defined = defined(tokens);
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens[at].is_any(&BEFORE) && !is_no_source(tokens, at);
        at += 1;
        if !begins {
            continue;
        }
        loop {
            while tokens.get(at).is_some_and(|token| token.is_any(&BETWEEN) || token.kind == Kind::Conditional) {
                at += 1;
            }
            let Some((table, length)) = name(&tokens[at..]) else { break };
            at += length;
            let is_defined =
                table.schema.is_none() && defined.iter().any(|name| name.eq_ignore_ascii_case(&table.name));
            if !is_defined && !found.contains(&table) {
                found.push(table);
            }
            match comma(tokens, at) {
                Some(after) => at = after,
                None => break,
            }
        }
    }
    found
}

/// `INSERT … ON DUPLICATE KEY UPDATE`, `FOR UPDATE`, `EXTRACT(YEAR FROM d)`, `TRIM('x' FROM a)`, `SUBSTRING(a FROM 2)`: no table follows.
fn is_no_source(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| tokens.get(place));
    if tokens[at].is("update") {
        return before(1).is_some_and(|token| token.is_any(&["key", "for", "on"]));
    }
    // A trigger's AFTER INSERT ON
    if tokens[at].is("insert") {
        return tokens.get(at + 1).is_some_and(|token| token.is_any(&["on", "or"]));
    }
    // CREATE OR REPLACE
    if tokens[at].is("replace") {
        return before(1).is_some_and(|token| token.is("or"));
    }
    if !tokens[at].is("from") {
        return false;
    }
    // The parenthesis around this FROM, and the function before it.
    let mut depth = 0_usize;
    for place in (0..at).rev() {
        if tokens[place].is_symbol(')') {
            depth += 1;
        } else if tokens[place].is_symbol('(') {
            if depth == 0 {
                let function = place.checked_sub(1).map(|place| tokens[place]);
                return function.is_some_and(|token| token.is_any(&["extract", "trim", "substring", "substr", "mid"]));
            }
            depth -= 1;
        }
    }
    false
}

/// `schema.table` or `table`, and how many tokens that takes. A function's name (`JSON_TABLE(`) and a subquery are none, nor is what
/// `INTO` may be followed by else.
fn name(tokens: &[Token<'_>]) -> Option<(TableName, usize)> {
    let first = tokens.first()?;
    if first.is_any(&["select", "outfile", "dumpfile", "dual", "values"]) {
        return None;
    }
    let one = first.name()?;
    let dotted = tokens.get(1).is_some_and(|token| token.is_symbol('.'));
    match tokens.get(2).and_then(Token::name).filter(|_| dotted) {
        Some(name) => Some((TableName { schema: Some(one), name }, 3)),
        None if tokens.get(1).is_some_and(|token| token.is_symbol('(')) && is_function(first) => None,
        None => Some((TableName { schema: None, name: one }, 1)),
    }
}

fn is_function(token: &Token<'_>) -> bool {
    token.is_any(&["json_table", "unnest"])
}

/// Behind a table and its alias, the place after a comma.
fn comma(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    if tokens.get(at).is_some_and(|token| token.is("as")) {
        at += 2;
    } else if tokens.get(at).is_some_and(|token| {
        token.kind == Kind::Name
            || (token.kind == Kind::Word && !token.is_any(&["where", "set", "on", "join", "order", "group"]))
    }) {
        at += 1;
    }
    tokens.get(at).is_some_and(|token| token.is_symbol(',')).then_some(at + 1)
}

/// The names of `WITH a AS (…), b (x) AS (…)`.
fn defined(tokens: &[Token<'_>]) -> Vec<String> {
    if !tokens.iter().any(|token| token.is("with")) {
        return Vec::new();
    }
    let is_definition = |at: usize| {
        let behind = tokens.get(at + 1).is_some_and(|token| token.is("as") || token.is_symbol('('));
        let before = at.checked_sub(1).map(|before| tokens[before]);
        behind && before.is_some_and(|token| token.is_any(&["with", "recursive"]) || token.is_symbol(','))
    };
    (0..tokens.len()).filter(|at| is_definition(*at)).filter_map(|at| tokens[at].name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, tokens};

    fn named(text: &str) -> Vec<String> {
        let tokens: Vec<_> = tokens(text, Mode::default()).filter(|token| token.kind != Kind::Comment).collect();
        let written =
            |table: TableName| table.schema.map_or(table.name.clone(), |schema| format!("{schema}.{}", table.name));
        tables(&tokens).into_iter().map(written).collect()
    }

    #[test]
    fn tables_are_found_where_statements_name_them() {
        assert_eq!(
            named("SELECT * FROM a, `b c` x, d AS y JOIN log.e ON 1 WHERE z IN (SELECT 1 FROM f)"),
            ["a", "b c", "d", "log.e", "f"]
        );
        assert_eq!(named("INSERT IGNORE INTO a (x, y) VALUES (1, 2) ON DUPLICATE KEY UPDATE x = 1"), ["a"]);
        assert_eq!(named("INSERT log.a VALUES (1)"), ["log.a"]);
        assert_eq!(named("REPLACE log.a SELECT * FROM b"), ["log.a", "b"]);
        assert_eq!(named("SELECT INSERT(x, 1, 2, 'y'), REPLACE(x, 'a', 'b') FROM t"), ["t"]);
        assert_eq!(named("CREATE OR REPLACE VIEW v AS SELECT 1 FROM a"), ["a"]);
        assert_eq!(named("UPDATE low_priority a SET x = 1"), ["a"]);
        assert_eq!(named("DELETE FROM a WHERE x = 1"), ["a"]);
        assert_eq!(named("SELECT 1 FROM a FOR UPDATE"), ["a"]);
    }

    #[test]
    fn what_is_no_table_is_left_out() {
        assert_eq!(named("WITH x AS (SELECT 1 FROM a), y (n) AS (SELECT 2) SELECT * FROM x JOIN y JOIN b"), ["a", "b"]);
        assert_eq!(named("SELECT EXTRACT(YEAR FROM d), TRIM(BOTH 'x' FROM (e)) FROM (SELECT 1) t"), [""; 0]);
        assert_eq!(named("SELECT 1 INTO OUTFILE 'x'"), [""; 0]);
        assert_eq!(named("SELECT 1 FROM dual"), [""; 0]);
        assert_eq!(named("SELECT (SELECT MAX(x) FROM t) FROM u"), ["t", "u"]);
    }
}
