//! Clauses that the new server's grammar lacks, and words that it reserves.

use std::ops::Range;

use check::Target;
use server::Flavour;
use sql::{SqlMode, Token, TokenKind, tokenize};
use why::splice;

use crate::grouped::order_by_instead;
use crate::mend::Rewrite;
use crate::model::Mend;
use crate::{mysql_clause, replica_words};

type Edit = (Range<usize>, String);

/// Index of the token at which the server's parser stopped.
pub fn stopped_at(text: &str, tokens: &[Token<'_>], message: &str) -> Option<usize> {
    let near = message.split_once(" near '")?.1;
    let near = near.rsplit_once("' at line").map_or(near, |(near, _)| near);
    // The server writes a question mark for a byte that is no text. Literals with such bytes were
    // sent in hexadecimal.
    let readable = near.split(['?', char::REPLACEMENT_CHARACTER]).next().unwrap_or_default();
    let readable = readable.split("X'").next().unwrap_or_default();
    let find = |part: &str| if part.is_empty() { None } else { text.find(part) };
    let rest_at = find(near).or_else(|| find(readable))?;
    tokens.iter().position(|token| token.start >= rest_at)
}

/// Returns what to try instead of a statement that the parser refuses. `is_reserved` asks the
/// server.
pub fn propose(target: &Target, text: &str, message: &str, is_reserved: &mut dyn FnMut(&str) -> bool) -> Vec<Rewrite> {
    let mut all: Vec<Rewrite> = Vec::new();
    let is_mysql = target.flavour == Flavour::MySql;
    // MySQL 8.0.13 and later have keys on expressions, and no GROUP BY … DESC.
    let is_recent = is_mysql && target.version >= (8, 0, 13);
    all.extend(if is_recent { order_by_instead(text) } else { None });
    all.extend(if is_mysql { None } else { mysql_clause::rewrite(text) });
    if is_mysql {
        all.extend(if target.version >= (8, 2, 0) { replica_words::rewrite(text) } else { None });
        all.extend(if target.version >= (8, 0, 0) { leave_out_query_cache(text) } else { None });
        all.extend(leave_out_versioning(text));
        all.extend(replace_types(text));
        all.extend(leave_out_storage_options(text));
        all.extend(leave_out_dropped_sequence(text));
    }
    all.extend(if is_recent { wrap_default_calls(text) } else { None });
    all.extend(quote_reserved_word(text, message, is_reserved));
    all.extend(if is_recent { None } else { leave_out_expression_keys(text) });
    all
}

/// Words that are reserved on every server, and are meant as they stand where the parser stops.
const ALWAYS_RESERVED: [&str; 44] = [
    "all",
    "and",
    "as",
    "between",
    "by",
    "case",
    "create",
    "cross",
    "default",
    "delete",
    "distinct",
    "else",
    "exists",
    "for",
    "from",
    "group",
    "having",
    "if",
    "in",
    "inner",
    "insert",
    "interval",
    "into",
    "is",
    "join",
    "key",
    "left",
    "like",
    "limit",
    "not",
    "null",
    "on",
    "or",
    "order",
    "primary",
    "references",
    "right",
    "select",
    "set",
    "table",
    "then",
    "union",
    "update",
    "where",
];

/// Quotes the word at which the server's parser stopped, or the word before it, if the server
/// reserves that word.
fn quote_reserved_word(text: &str, message: &str, is_reserved: &mut dyn FnMut(&str) -> bool) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let at = stopped_at(text, &tokens, message)?;
    // The parser stops at the reserved word, or at the word after it.
    let word = [Some(at), at.checked_sub(1)].into_iter().flatten().map(|at| tokens[at]).find(|token| {
        token.kind == TokenKind::Word
            && !token.is_any_keyword(&ALWAYS_RESERVED)
            && token.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && is_reserved(token.text)
    })?;
    let words = tokens.iter().filter(|token| token.is_keyword(word.text));
    let edits: Vec<Edit> = words.map(|token| (token.start..token.end(), sql::quote_identifier(token.text))).collect();
    let what = format!("Quote the name {}: it is a reserved word of the new server", word.text);
    Some(Rewrite { what, text: Some(splice(text, &edits)), ..Rewrite::default() })
}

/// Leaves out `SQL_CACHE`: MySQL 8.0 has no query cache.
pub fn leave_out_query_cache(text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let is_hint = |pair: &&[Token<'_>]| pair[0].is_keyword("select") && pair[1].is_keyword("sql_cache");
    let edits: Vec<Edit> =
        tokens.windows(2).filter(is_hint).map(|pair| (pair[0].end()..pair[1].end(), String::new())).collect();
    let what = "Leave out SQL_CACHE: the new server has no query cache".to_owned();
    (!edits.is_empty()).then(|| Rewrite {
        what,
        text: Some(splice(text, &edits)),
        is_certain: true,
        ..Rewrite::default()
    })
}

/// Leaves out keys on expressions, which MariaDB and MySQL before 8.0.13 lack.
fn leave_out_expression_keys(text: &str) -> Option<Rewrite> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    tokens.first().filter(|token| token.is_keyword("create"))?;
    let on_table = |names: Vec<String>, text: Option<String>| Rewrite {
        what: format!("Leave out the key {}: the new server has no keys on expressions", names.join(", ")),
        text,
        is_certain: true,
        effects: vec![format!(
            "Queries read without the key {}, and a unique one no longer refuses a second value. A key on a generated \
             column takes its place.",
            names.join(", ")
        )],
        ..Rewrite::default()
    };
    if let Some(index) = tokens.iter().take(3).position(|token| token.is_keyword("index")) {
        let name = tokens.get(index + 1)?.name()?;
        let open = tokens.iter().position(|token| token.is_symbol('('))?;
        return has_expression(&tokens, open).then(|| on_table(vec![name], None));
    }
    tokens.get(1).filter(|token| token.is_any_keyword(&["table", "temporary"]))?;
    let open = tokens.iter().position(|token| token.is_symbol('('))?;
    let (mut names, mut edits): (Vec<String>, Vec<Edit>) = (Vec::new(), Vec::new());
    let (mut depth, mut comma) = (0_usize, open);
    for at in open..tokens.len() {
        let token = &tokens[at];
        if token.is_symbol('(') {
            depth += 1;
        }
        let is_end = depth == 1 && (token.is_symbol(',') || token.is_symbol(')'));
        if is_end {
            if let Some(name) = expression_key(&tokens[comma + 1..at]) {
                // A comma precedes the key: in a dump, the first definition of a table is a column.
                edits.push((tokens[comma].start..token.start, String::new()));
                names.push(name);
            }
            comma = at;
        }
        if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
    }
    (!edits.is_empty()).then(|| on_table(names, Some(splice(text, &edits))))
}

/// Name of a key with an expression. `None` for other parts of a definition.
fn expression_key(part: &[Token<'_>]) -> Option<String> {
    let key = part.iter().take(2).position(|token| token.is_any_keyword(&["key", "index"]))?;
    let is_key = part[..key].iter().all(|token| token.is_any_keyword(&["unique", "fulltext", "spatial"]));
    let open = part.iter().position(|token| token.is_symbol('('))?;
    let name = part.get(key + 1)?.name().unwrap_or_else(|| "without a name".into());
    (is_key && has_expression(part, open)).then_some(name)
}

/// True if an item of the parenthesis at `open` is an expression in parentheses.
fn has_expression(tokens: &[Token<'_>], open: usize) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol('(') {
            depth += 1;
            let before = &tokens[at.saturating_sub(1)];
            if depth == 2 && (before.is_symbol('(') || before.is_symbol(',')) {
                return true;
            }
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return false;
            }
        }
    }
    false
}

/// Leaves out `WITH SYSTEM VERSIONING`, which MySQL lacks.
fn leave_out_versioning(text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let words = ["with", "system", "versioning"];
    let is_clause = |three: &&[Token<'_>]| three.iter().zip(words).all(|(token, word)| token.is_keyword(word));
    let clause = tokens.windows(3).find(is_clause)?;
    Some(Rewrite {
        what: "Leave out WITH SYSTEM VERSIONING: MySQL keeps no history of rows".into(),
        text: Some(splice(text, &[(clause[0].start..clause[2].end(), String::new())])),
        is_certain: true,
        effects: vec!["The history of the rows is lost; triggers can write one into another table.".into()],
        ..Rewrite::default()
    })
}

/// Options of tables and columns for storage engines of MariaDB, which MySQL lacks.
const STORAGE_OPTIONS: [&str; 7] = [
    "page_checksum",
    "transactional",
    "page_compressed",
    "page_compression_level",
    "encrypted",
    "encryption_key_id",
    "ietf_quotes",
];

/// Leaves out options such as `PAGE_CHECKSUM=1` and `` `PAGE_COMPRESSED`='ON' ``.
fn leave_out_storage_options(text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    tokens.first().filter(|token| token.is_any_keyword(&["create", "alter"]))?;
    let (mut edits, mut names): (Vec<Edit>, Vec<String>) = (Vec::new(), Vec::new());
    for at in 1..tokens.len().saturating_sub(2) {
        let Some(name) = tokens[at].name().map(|name| name.to_lowercase()) else { continue };
        if tokens[at + 1].is_symbol('=') && STORAGE_OPTIONS.contains(&name.as_str()) {
            edits.push((tokens[at - 1].end()..tokens[at + 2].end(), String::new()));
            names.push(name.to_uppercase());
        }
    }
    names.dedup();
    (!edits.is_empty()).then(|| Rewrite {
        what: format!("Leave out {}: MySQL has no such options of tables", names.join(", ")),
        text: Some(splice(text, &edits)),
        is_certain: true,
        ..Rewrite::default()
    })
}

/// Writes `DEFAULT uuid()` as `DEFAULT (uuid())`: MySQL takes a call in parentheses only, but for
/// `NOW()` and its synonyms.
fn wrap_default_calls(text: &str) -> Option<Rewrite> {
    const TIMES: [&str; 4] = ["now", "current_timestamp", "localtime", "localtimestamp"];
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    tokens.first().filter(|token| token.is_any_keyword(&["create", "alter"]))?;
    let mut edits: Vec<Edit> = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        if !pair[0].is_keyword("default") || pair[1].name().is_none() || pair[1].is_any_keyword(&TIMES) {
            continue;
        }
        let is_name = |index: usize| tokens.get(index).is_some_and(|token| token.name().is_some());
        // The function can have a schema: `shop`.`f`(1).
        let mut open = at + 2;
        while tokens.get(open).is_some_and(|token| token.is_symbol('.')) && is_name(open + 1) {
            open += 2;
        }
        let Some(close) = tokens.get(open).filter(|token| token.is_symbol('(')).and_then(|_| {
            sql::closing_parenthesis(&tokens[open + 1..]).and_then(|inside| tokens.get(open + 1 + inside))
        }) else {
            continue;
        };
        let call = pair[1].start..close.end();
        edits.push((call.clone(), format!("({})", &text[call])));
    }
    (!edits.is_empty()).then(|| Rewrite {
        what: "DEFAULT f() → DEFAULT (f()): MySQL takes an expression in parentheses only".into(),
        text: Some(splice(text, &edits)),
        is_certain: true,
        ..Rewrite::default()
    })
}

/// Leaves out `DROP SEQUENCE`.
fn leave_out_dropped_sequence(text: &str) -> Option<Rewrite> {
    is_about_sequence(text, "drop").then(|| Rewrite {
        what: "Leave out DROP SEQUENCE: MySQL has no sequences".into(),
        is_certain: true,
        ..Rewrite::default()
    })
}

fn is_about_sequence(text: &str, verb: &str) -> bool {
    let tokens = tokenize(text, SqlMode::default()).filter(Token::is_content).take(6);
    let mut words = tokens.skip_while(|token| !token.is_keyword(verb)).skip(1);
    words
        .find(|token| !token.is_any_keyword(&["or", "replace", "temporary"]))
        .is_some_and(|one| one.is_keyword("sequence"))
}

/// Says what takes the place of a sequence on MySQL. `None` on MariaDB, and if the statement
/// creates no sequence.
pub fn advise_sequence(target: &Target, text: &str) -> Option<Mend> {
    (target.flavour == Flavour::MySql && is_about_sequence(text, "create")).then(|| Mend {
        what: "MySQL has no sequences: take the statement out, and create a table with an AUTO_INCREMENT column that \
               begins at the sequence's value. In place of NEXTVAL(), insert a row, and read LAST_INSERT_ID()"
            .into(),
        ..Mend::default()
    })
}

/// Types of MariaDB, each with a type of MySQL that holds its values as text.
const TYPES: [(&str, &str); 3] = [
    ("uuid", "CHAR(36) CHARACTER SET ascii"),
    ("inet6", "VARCHAR(39) CHARACTER SET ascii"),
    ("inet4", "VARCHAR(15) CHARACTER SET ascii"),
];

/// Replaces column types that MySQL lacks.
fn replace_types(text: &str) -> Option<Rewrite> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    tokens.first().filter(|token| token.is_any_keyword(&["create", "alter"]))?;
    let new_type = |token: &Token<'_>| TYPES.iter().find(|(old, _)| token.is_keyword(old));
    let mut edits: Vec<Edit> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for at in 2..tokens.len() {
        let begins = tokens[at - 2].is_symbol('(')
            || tokens[at - 2].is_symbol(',')
            || tokens[at - 2].is_any_keyword(&["column", "add", "modify"]);
        let Some((old, new)) = new_type(&tokens[at]).filter(|_| begins && tokens[at - 1].name().is_some()) else {
            continue;
        };
        edits.push((tokens[at].start..tokens[at].end(), (*new).to_owned()));
        named.push(old);
    }
    named.dedup();
    let what = |old: &&str| {
        let new = TYPES.iter().find(|(name, _)| name == old).map_or("", |(_, new)| new);
        format!("{} → {new}", old.to_uppercase())
    };
    (!edits.is_empty()).then(|| Rewrite {
        what: format!("In the dump: {}", named.iter().map(what).collect::<Vec<_>>().join(", ")),
        text: Some(splice(text, &edits)),
        is_certain: true,
        effects: vec!["Values are text then: they take more bytes, and nothing checks their form.".into()],
        ..Rewrite::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(rewrite: Option<Rewrite>) -> String {
        rewrite.and_then(|one| one.text).unwrap_or_default()
    }

    #[test]
    fn keys_on_expressions_are_left_out() {
        let table =
            "CREATE TABLE t (a INT, b INT DEFAULT (1), KEY f ((LOWER(b))), KEY a (a), UNIQUE KEY g (a, (b + 1)))";
        assert_eq!(text_of(leave_out_expression_keys(table)), "CREATE TABLE t (a INT, b INT DEFAULT (1), KEY a (a))");
        let index = leave_out_expression_keys("CREATE UNIQUE INDEX f ON t ((a + 1))").unwrap();
        assert!(index.text.is_none() && index.what.contains("key f:"));
        assert!(leave_out_expression_keys("CREATE TABLE t (a INT, KEY a (a, b(3)), CHECK ((a > 1)))").is_none());
    }

    #[test]
    fn calls_as_defaults_are_put_in_parentheses() {
        let table = "CREATE TABLE t (id CHAR(36) DEFAULT uuid(), n INT DEFAULT nextval(`s`.`q`), d DATETIME DEFAULT current_timestamp())";
        assert_eq!(
            text_of(wrap_default_calls(table)),
            "CREATE TABLE t (id CHAR(36) DEFAULT (uuid()), n INT DEFAULT (nextval(`s`.`q`)), d DATETIME DEFAULT current_timestamp())"
        );
        assert!(wrap_default_calls("CREATE TABLE t (a INT DEFAULT (1), b INT DEFAULT NULL, KEY (a))").is_none());
    }

    #[test]
    fn options_of_storage_engines_are_left_out() {
        let table = "CREATE TABLE t (a INT) ENGINE=Aria PAGE_CHECKSUM=1 `PAGE_COMPRESSED`='ON' COMMENT='x'";
        let rewrite = leave_out_storage_options(table);
        assert_eq!(text_of(rewrite), "CREATE TABLE t (a INT) ENGINE=Aria COMMENT='x'");
        assert!(leave_out_storage_options("INSERT INTO t SET encrypted = 1").is_none());
    }

    #[test]
    fn sequences_are_advised_about() {
        let mysql = "mysql-9".parse().unwrap();
        assert!(advise_sequence(&mysql, "CREATE OR REPLACE SEQUENCE `s` START WITH 1").is_some());
        assert!(advise_sequence(&mysql, "CREATE TABLE sequence (a INT)").is_none());
        assert!(leave_out_dropped_sequence("DROP SEQUENCE IF EXISTS s").is_some_and(|one| one.text.is_none()));
    }

    #[test]
    fn types_of_mariadb_become_text() {
        let table = "CREATE TABLE t (id UUID PRIMARY KEY, `uuid` INT, a inet6 DEFAULT '::')";
        assert_eq!(
            text_of(replace_types(table)),
            "CREATE TABLE t (id CHAR(36) CHARACTER SET ascii PRIMARY KEY, `uuid` INT, a VARCHAR(39) CHARACTER SET ascii DEFAULT '::')"
        );
    }
}
