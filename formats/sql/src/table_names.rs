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

/// Keywords that a list of tables follows: `FROM a, (b JOIN c)`, `UPDATE a, b SET …`.
const LIST_KEYWORDS: [&str; 2] = ["from", "update"];
/// Keywords that a table or a list in parentheses follows.
const JOIN_KEYWORDS: [&str; 2] = ["join", "straight_join"];
/// Keywords that table names follow, without parentheses.
const NAME_KEYWORDS: [&str; 4] = ["into", "insert", "replace", "table"];
/// Keywords that end a list of tables.
const LIST_ENDS: [&str; 14] = [
    "where",
    "group",
    "having",
    "order",
    "limit",
    "window",
    "union",
    "except",
    "intersect",
    "select",
    "set",
    "values",
    "returning",
    // `ON DUPLICATE KEY UPDATE`.
    "duplicate",
];
/// Keywords that can stand between one of the keywords above and the table name.
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

/// Returns the tables that a statement names in lists after `FROM` and `UPDATE`, and after `JOIN`,
/// `STRAIGHT_JOIN`, `INTO`, `TABLE`, `INSERT` and `REPLACE`, with modifiers such as `IGNORE`
/// between. The order is the text's; each table occurs once. Names that the statement defines by
/// `WITH` are omitted.
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
    let mut add = |at: usize, table: TableName| {
        let is_cte = table.schema.is_none() && cte_names.contains(&table.name.to_lowercase());
        if !is_cte && known.insert(table.clone()) {
            found.push((table, tokens[at].start));
        }
    };
    let mut lists = TableLists::default();
    let mut at = 0;
    while at < tokens.len() {
        let place = lists.place_after(tokens, at, functions[at]);
        at += 1;
        if place == Place::Other {
            continue;
        }
        loop {
            while tokens
                .get(at)
                .is_some_and(|token| token.is_any_keyword(&MODIFIERS) || token.kind == TokenKind::ConditionalComment)
            {
                at += 1;
            }
            if place == Place::Factor && tokens.get(at).is_some_and(|token| token.is_symbol('(')) {
                lists.open(true);
                at += 1;
                continue;
            }
            let Some((table, length)) = parse_name(&tokens[at..]) else { break };
            add(at, table);
            at += length;
            match skip_comma(tokens, at).filter(|_| place == Place::Name) {
                Some(after) => at = after,
                None => break,
            }
        }
    }
    found
}

/// What can follow a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A table, or a list of tables in parentheses.
    Factor,
    /// Names of tables, with commas between.
    Name,
    Other,
}

/// Lists of tables around a token.
#[derive(Default)]
struct TableLists {
    /// True if the statement is in a list of tables outside of parentheses: a table follows a
    /// comma.
    is_outer_list: bool,
    /// The same for each open parenthesis.
    within: Vec<bool>,
}

impl TableLists {
    fn open(&mut self, is_list: bool) {
        self.within.push(is_list);
    }

    fn is_list(&mut self) -> &mut bool {
        self.within.last_mut().unwrap_or(&mut self.is_outer_list)
    }

    /// Reads the next token. `function` is the index of the token before the innermost parenthesis.
    fn place_after(&mut self, tokens: &[Token<'_>], at: usize, function: Option<usize>) -> Place {
        let token = &tokens[at];
        if token.is_symbol('(') {
            self.open(false);
        } else if token.is_symbol(')') {
            self.within.pop();
        } else if token.is_symbol(';') {
            *self.is_list() = false;
        } else if token.is_symbol(',') {
            return if *self.is_list() { Place::Factor } else { Place::Other };
        } else if !is_beside_dot(tokens, at) {
            return self.place_after_word(tokens, at, function);
        }
        Place::Other
    }

    fn place_after_word(&mut self, tokens: &[Token<'_>], at: usize, function: Option<usize>) -> Place {
        let token = &tokens[at];
        let is_next = |words: &[&str]| tokens.get(at + 1).is_some_and(|token| token.is_any_keyword(words));
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is_symbol('('));
        // `USE INDEX FOR JOIN (k)`.
        let is_hint = token.is_any_keyword(&["join", "order", "group"])
            && at.checked_sub(1).is_some_and(|before| tokens[before].is_keyword("for"));
        let begins_list = token.is_any_keyword(&LIST_KEYWORDS);
        // `DELETE FROM a USING b`, but not `a JOIN b USING (k)`.
        let is_using = token.is_keyword("using") && *self.is_list();
        if is_using && !is_call {
            return Place::Factor;
        }
        if begins_list || token.is_any_keyword(&JOIN_KEYWORDS) || token.is_any_keyword(&NAME_KEYWORDS) {
            // `REPLACE(a, 'x', 'y')`.
            let is_name = token.is_any_keyword(&NAME_KEYWORDS);
            if is_other_use(tokens, at, function) || is_hint || is_name && is_call {
                return Place::Other;
            }
            if is_name {
                *self.is_list() = false;
                return Place::Name;
            }
            *self.is_list() |= begins_list;
            return Place::Factor;
        }
        let ends = token.is_any_keyword(&LIST_ENDS) && !is_hint;
        if ends || token.is_keyword("for") && is_next(&["update", "share"]) {
            *self.is_list() = false;
        }
        Place::Other
    }
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
/// `EXTRACT(YEAR FROM d)`, `TRIM('x' FROM a)`, `SUBSTRING(a FROM 2)`, `SELECT STRAIGHT_JOIN a`,
/// `GRANT UPDATE (a)`. `function` is the index of the token before the innermost parenthesis.
fn is_other_use(tokens: &[Token<'_>], at: usize, function: Option<usize>) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| tokens.get(place));
    // A trigger's `AFTER INSERT ON t` or `AFTER INSERT OR UPDATE ON t`.
    let is_event = || tokens.get(at + 1).is_some_and(|token| token.is_any_keyword(&["on", "or"]));
    if tokens[at].is_keyword("straight_join") {
        return before(1).is_some_and(|token| token.is_keyword("select") || token.is_any_keyword(&SELECT_MODIFIERS));
    }
    if tokens[at].is_keyword("update") {
        let is_privilege = || tokens.first().is_some_and(|first| first.is_any_keyword(&["grant", "revoke"]));
        return is_event()
            || is_privilege()
            || before(1).is_some_and(|token| token.is_any_keyword(&["key", "for", "on"]));
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
    if first.is_any_keyword(&["select", "outfile", "dumpfile", "dual", "values", "table", "with"]) {
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
    fn finds_tables_of_nested_lists() {
        for (text, tables) in [
            ("SELECT * FROM (a, b)", "a b"),
            ("SELECT * FROM ((a JOIN b ON a.x = b.x) LEFT JOIN (c, d AS y) USING (k)), e", "a b c d e"),
            ("SELECT * FROM a USE INDEX FOR JOIN (k) IGNORE KEY FOR ORDER BY (l), b", "a b"),
            ("SELECT * FROM a PARTITION (p0, p1) x, b", "a b"),
            ("SELECT * FROM a JOIN b ON a.x IN (1, 2), c WHERE a.y IN (b.x, c.x) ORDER BY d, e", "a b c"),
            ("SELECT * FROM (SELECT x, y FROM a) d, b", "a b"),
            ("SELECT * FROM a, JSON_TABLE(a.j, '$' COLUMNS (x INT PATH '$', y INT PATH '$')) j, b", "a b"),
            ("SELECT * FROM (VALUES ROW(1, x), ROW(2, y)) v, (TABLE a) w, b", "a b"),
            ("SELECT * FROM (WITH x AS (SELECT 1 FROM a) SELECT m, n FROM x, b) v", "a b"),
            ("SELECT x FROM a JOIN b ON REPLACE(a.x, '-', '') = b.x, c FOR UPDATE OF y, z", "a b c"),
            ("SELECT STRAIGHT_JOIN (x + 1), y FROM a STRAIGHT_JOIN b", "a b"),
            ("UPDATE (a, b) JOIN c SET a.x = 1, b.y = 2", "a b c"),
            ("DELETE FROM a, b USING a JOIN c, d WHERE a.x = c.x", "a b c d"),
            ("INSERT INTO a (x, y) SELECT m, n FROM b ON DUPLICATE KEY UPDATE x = 1, y = 2", "a b"),
            ("DELETE FROM a WHERE x = 1 RETURNING x, y", "a"),
            ("GRANT UPDATE (x, y) ON a TO me", ""),
            ("BEGIN SELECT x FROM a; SIGNAL SQLSTATE '45000'; SELECT m, n FROM (b, c); END", "a b c"),
            ("LOAD DATA INFILE 'x' INTO TABLE a (m, n)", "a"),
        ] {
            assert_eq!(table_list(text).join(" "), tables, "{text}");
        }
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
