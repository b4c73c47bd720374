//! Table names in a statement.

use std::collections::HashSet;

use crate::nesting::is_beside_dot;
use crate::token::{Token, TokenKind};

/// A table name as written in a statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// `None` if the statement names the table without a schema.
    pub schema: Option<String>,
    pub name: String,
}

/// Keywords that a table name can follow.
const TABLE_KEYWORDS: [&str; 8] = ["from", "join", "into", "insert", "replace", "update", "table", "straight_join"];
/// Keywords that can stand between a keyword of [`TABLE_KEYWORDS`] and the table name.
const MODIFIERS: [&str; 7] = ["into", "low_priority", "ignore", "quick", "delayed", "high_priority", "lateral"];

/// Keywords between `SELECT` and its list, without `STRAIGHT_JOIN`, which can also join tables.
pub const SELECT_MODIFIERS: [&str; 10] = [
    "all",
    "distinct",
    "distinctrow",
    "high_priority",
    "sql_small_result",
    "sql_big_result",
    "sql_buffer_result",
    "sql_no_cache",
    "sql_cache",
    "sql_calc_found_rows",
];

/// Returns the tables that a statement names after `FROM`, `JOIN`, `STRAIGHT_JOIN`, `INTO`,
/// `UPDATE`, `TABLE`, `INSERT` and `REPLACE`, with modifiers such as `IGNORE` between. The order is
/// the text's; each table occurs once. Left out are names that the statement defines by `WITH`, and
/// tables in parentheses that no such keyword precedes: `a` of `FROM (a JOIN b)`.
///
/// Takes tokens without comments. The time is linear in their number.
pub fn find_tables(tokens: &[Token<'_>]) -> Vec<TableName> {
    find_tables_with_offsets(tokens).into_iter().map(|(table, _)| table).collect()
}

/// Returns what [`find_tables`] does, with the byte offset at which each table is first named.
pub fn find_tables_with_offsets(tokens: &[Token<'_>]) -> Vec<(TableName, usize)> {
    let mut found: Vec<(TableName, usize)> = Vec::new();
    let mut known: HashSet<TableName> = HashSet::new();
    let cte_names = cte_names(tokens);
    let functions = enclosing_functions(tokens);
    let mut at = 0;
    while at < tokens.len() {
        let begins = tokens[at].is_any_keyword(&TABLE_KEYWORDS)
            && !is_beside_dot(tokens, at)
            && !is_other_use(tokens, at, functions[at]);
        at += 1;
        if !begins {
            continue;
        }
        loop {
            while tokens
                .get(at)
                .is_some_and(|token| token.is_any_keyword(&MODIFIERS) || token.kind == TokenKind::ConditionalComment)
            {
                at += 1;
            }
            let Some((table, length)) = parse_name(&tokens[at..]) else { break };
            let offset = tokens[at].start;
            at += length;
            let is_cte = table.schema.is_none() && cte_names.contains(&table.name.to_lowercase());
            if !is_cte && known.insert(table.clone()) {
                found.push((table, offset));
            }
            match skip_comma(tokens, at) {
                Some(after) => at = after,
                None => break,
            }
        }
    }
    found
}

/// Returns, for each token, the index of the token before the innermost parenthesis around it, such
/// as a function's name. `None` after a `SELECT` within the parenthesis: a FROM there is the
/// query's, as in `INSERT INTO mid (SELECT a FROM t)`.
fn enclosing_functions(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<Option<usize>> = Vec::new();
    let enclosing = |(at, token): (usize, &Token<'_>)| {
        if token.is_symbol('(') {
            open.push(at.checked_sub(1));
        } else if token.is_symbol(')') {
            open.pop();
        } else if token.is_keyword("select")
            && !is_beside_dot(tokens, at)
            && let Some(innermost) = open.last_mut()
        {
            *innermost = None;
        }
        open.last().copied().flatten()
    };
    tokens.iter().enumerate().map(enclosing).collect()
}

/// Returns true if no table follows the keyword: `ON DUPLICATE KEY UPDATE`, `FOR UPDATE`,
/// `ON UPDATE CASCADE`, `AFTER INSERT ON`, `BEFORE UPDATE ON`, `CREATE OR REPLACE`,
/// `EXTRACT(YEAR FROM d)`, `TRIM('x' FROM a)`, `SUBSTRING(a FROM 2)`. `function` is the index of
/// the token before the innermost parenthesis.
fn is_other_use(tokens: &[Token<'_>], at: usize, function: Option<usize>) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| tokens.get(place));
    // A trigger's `AFTER INSERT ON t` or `AFTER INSERT OR UPDATE ON t`.
    let is_event = || tokens.get(at + 1).is_some_and(|token| token.is_any_keyword(&["on", "or"]));
    if tokens[at].is_keyword("update") {
        return is_event() || before(1).is_some_and(|token| token.is_any_keyword(&["key", "for", "on"]));
    }
    if tokens[at].is_keyword("insert") {
        return is_event();
    }
    // `CREATE OR REPLACE`.
    if tokens[at].is_keyword("replace") {
        return before(1).is_some_and(|token| token.is_keyword("or"));
    }
    tokens[at].is_keyword("from")
        && function.is_some_and(|at| {
            tokens[at].is_any_keyword(&["extract", "trim", "substring", "substr", "mid", "trim_oracle"])
        })
}

/// Reads `schema.table` or `table`; returns it with its number of tokens. `None` for anything else,
/// such as a table function (`JSON_TABLE(`), a subquery, `INTO OUTFILE` or `DUAL`.
fn parse_name(tokens: &[Token<'_>]) -> Option<(TableName, usize)> {
    let first = tokens.first()?;
    if first.is_any_keyword(&["select", "outfile", "dumpfile", "dual", "values"]) {
        return None;
    }
    let is_call = tokens.get(1).is_some_and(|token| token.is_symbol('('));
    read_table_name(tokens).filter(|_| !(is_call && is_table_function(first)))
}

/// Reads `schema.table` or `table`; returns it with its number of tokens.
pub fn read_table_name(tokens: &[Token<'_>]) -> Option<(TableName, usize)> {
    let first = tokens.first()?.name()?;
    let is_qualified = tokens.get(1).is_some_and(|token| token.is_symbol('.'));
    match tokens.get(2).and_then(Token::name).filter(|_| is_qualified) {
        Some(name) => Some((TableName { schema: Some(first), name }, 3)),
        None => Some((TableName { schema: None, name: first }, 1)),
    }
}

fn is_table_function(token: &Token<'_>) -> bool {
    token.is_any_keyword(&["json_table", "unnest"])
}

/// Skips an alias; returns the index after a comma, or `None` if no comma follows.
fn skip_comma(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    if tokens.get(at).is_some_and(|token| token.is_keyword("as")) {
        at += 2;
    } else if tokens.get(at).is_some_and(|token| {
        token.kind == TokenKind::QuotedName
            || (token.kind == TokenKind::Word
                && !token.is_any_keyword(&["where", "set", "on", "join", "order", "group"]))
    }) {
        at += 1;
    }
    tokens.get(at).is_some_and(|token| token.is_symbol(',')).then_some(at + 1)
}

/// Returns the names of common table expressions in lower case: `a`, `b` in `WITH a AS (…), b (x)
/// AS (…)`.
fn cte_names(tokens: &[Token<'_>]) -> HashSet<String> {
    if !tokens.iter().any(|token| token.is_keyword("with")) {
        return HashSet::new();
    }
    let is_definition = |at: &usize| {
        let begins = at.checked_sub(1).is_some_and(|before| {
            let before = tokens[before];
            before.is_any_keyword(&["with", "recursive"]) || before.is_symbol(',')
        });
        begins && has_cte_body(&tokens[at + 1..])
    };
    (0..tokens.len()).filter(is_definition).filter_map(|at| Some(tokens[at].name()?.to_lowercase())).collect()
}

/// True for `AS (` and `(x, y) AS (`.
fn has_cte_body(mut tokens: &[Token<'_>]) -> bool {
    if tokens.first().is_some_and(|token| token.is_symbol('(')) {
        // Looks no further than the columns, so that a text of many `(` takes linear time.
        let is_column =
            |token: &Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::QuotedName) || token.is_symbol(',');
        let end = 1 + tokens[1..].iter().take_while(|token| is_column(token)).count();
        if !tokens.get(end).is_some_and(|token| token.is_symbol(')')) {
            return false;
        }
        tokens = &tokens[end + 1..];
    }
    let [first, second, ..] = tokens else { return false };
    first.is_keyword("as") && second.is_symbol('(')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqlMode, tokenize_uncommented};

    fn table_list(text: &str) -> Vec<String> {
        let tokens = tokenize_uncommented(text, SqlMode::default());
        let written =
            |table: TableName| table.schema.map_or(table.name.clone(), |schema| format!("{schema}.{}", table.name));
        find_tables(&tokens).into_iter().map(written).collect()
    }

    #[test]
    fn finds_table_names() {
        assert_eq!(
            table_list("SELECT * FROM a, `b c` x, d AS y JOIN log.e ON 1 WHERE z IN (SELECT 1 FROM f)"),
            ["a", "b c", "d", "log.e", "f"]
        );
        assert_eq!(table_list("INSERT IGNORE INTO a (x, y) VALUES (1, 2) ON DUPLICATE KEY UPDATE x = 1"), ["a"]);
        assert_eq!(table_list("INSERT log.a VALUES (1)"), ["log.a"]);
        assert_eq!(table_list("REPLACE log.a SELECT * FROM b"), ["log.a", "b"]);
        assert_eq!(table_list("SELECT INSERT(x, 1, 2, 'y'), REPLACE(x, 'a', 'b') FROM t"), ["t"]);
        assert_eq!(table_list("CREATE OR REPLACE VIEW v AS SELECT 1 FROM a"), ["a"]);
        assert_eq!(table_list("UPDATE low_priority a SET x = 1"), ["a"]);
        assert_eq!(table_list("DELETE FROM a WHERE x = 1"), ["a"]);
        assert_eq!(table_list("SELECT 1 FROM a FOR UPDATE"), ["a"]);
        assert_eq!(table_list("CREATE TRIGGER x BEFORE UPDATE ON a FOR EACH ROW DELETE FROM b"), ["b"]);
        assert_eq!(table_list("CREATE TRIGGER x AFTER UPDATE OR INSERT ON a FOR EACH ROW UPDATE b SET c = 1"), ["b"]);
    }

    #[test]
    fn ignores_aliases_and_functions() {
        assert_eq!(
            table_list("WITH x AS (SELECT 1 FROM a), y (n) AS (SELECT 2) SELECT * FROM x JOIN y JOIN b"),
            ["a", "b"]
        );
        assert_eq!(
            table_list("WITH x AS (SELECT 1 FROM a) SELECT x.i, b AS b, f(c) FROM x, b AS y, c"),
            ["a", "b", "c"]
        );
        assert_eq!(table_list("SELECT EXTRACT(YEAR FROM d), TRIM(BOTH 'x' FROM (e)) FROM (SELECT 1) t"), [""; 0]);
        assert_eq!(table_list("INSERT INTO mid (SELECT a AS b, 1 FROM b.secret)"), ["mid", "b.secret"]);
        assert_eq!(table_list("INSERT INTO mid ((SELECT 1, 2) UNION SELECT a, 1 FROM b)"), ["mid", "b"]);
        assert_eq!(table_list("SELECT a.from, from.b FROM t AS `from`"), ["t"]);
        assert_eq!(table_list("SELECT 1 INTO OUTFILE 'x'"), [""; 0]);
        assert_eq!(table_list("SELECT 1 FROM dual"), [""; 0]);
        assert_eq!(table_list("SELECT (SELECT MAX(x) FROM t) FROM u"), ["t", "u"]);
    }
}
