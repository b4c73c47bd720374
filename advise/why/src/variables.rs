//! User variables that statements read and set.

use std::collections::BTreeSet;
use std::ops::Range;

use sql::{SqlMode, Token, TokenKind, tokenize};

use crate::spot::Source;
use crate::syntax::ExprKind;

/// Names of user variables in lower case, without the `@`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Variables {
    pub read: BTreeSet<String>,
    /// Set by `SET @a =`, `@a :=`, `INTO @a`, `LOAD DATA … (@a)`, `GET DIAGNOSTICS @a =` or `CALL
    /// p(@a)`.
    pub set: BTreeSet<String>,
}

/// A variable among the arguments of `CALL` counts as read and as set.
pub fn find_variables(text: &str) -> Variables {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let mut found = Variables::default();
    let Some(first) = tokens.first() else { return found };
    let is = |at: usize, symbol: char| tokens.get(at).is_some_and(|token| token.is_symbol(symbol));
    let into = into_targets(&tokens);
    let (mut depth, mut is_loaded) = (0_usize, first.is_keyword("load"));
    for (at, token) in tokens.iter().enumerate() {
        depth = if token.is_symbol('(') { depth + 1 } else { depth - usize::from(depth > 0 && token.is_symbol(')')) };
        let is_charset = at > 0 && tokens[at - 1].is_any_keyword(&["character", "char"]);
        is_loaded &= !token.is_keyword("set") || is_charset;
        let Some(name) = variable_name(token) else { continue };
        let begins_item = at == 1 || depth == 0 && at > 0 && is(at - 1, ',');
        let is_item = first.is_keyword("get") || first.is_keyword("set") && begins_item;
        let is_target = is_item && is(at + 1, '=')
            || is(at + 1, ':') && is(at + 2, '=')
            || is_loaded
            || into.binary_search(&at).is_ok();
        let is_argument = first.is_keyword("call");
        if is_target || is_argument {
            found.set.insert(name.clone());
        }
        if !is_target {
            found.read.insert(name);
        }
    }
    found
}

/// Returns the token indices of the names in `INTO @a, b`, ascending.
fn into_targets(tokens: &[Token<'_>]) -> Vec<usize> {
    let (mut found, mut is_list) = (Vec::new(), false);
    for (at, token) in tokens.iter().enumerate() {
        let follows = at > 0 && (tokens[at - 1].is_keyword("into") || tokens[at - 1].is_symbol(','));
        let is_name = matches!(token.kind, TokenKind::Variable | TokenKind::Word | TokenKind::QuotedName);
        if token.is_keyword("into") {
            is_list = true;
        } else if is_list && is_name && follows {
            found.push(at);
        } else if !token.is_symbol(',') {
            is_list = false;
        }
    }
    found
}

fn variable_name(token: &Token<'_>) -> Option<String> {
    sql::user_variable_name(token, SqlMode::default()).map(|name| name.to_lowercase())
}

/// An expression whose value a query assigns to a user variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Assignment {
    pub variable: String,
    /// Index in `parsed.blocks`.
    pub block_index: usize,
    /// Byte range of the expression in the text of the source.
    pub span: Range<usize>,
}

/// Finds the assignments by `:=`.
pub fn find_operator_assignments(source: &Source) -> Vec<Assignment> {
    let mut found = Vec::new();
    for (block_index, block) in source.parsed.blocks.iter().enumerate() {
        let items = block.items.iter().map(|item| &item.expression);
        for top in items.chain(&block.conditions).chain(&block.orders) {
            top.walk(&mut |expression| {
                let ExprKind::Other(parts) = &expression.kind else { return };
                let [value] = parts.as_slice() else { return };
                let before = &source.text[expression.span.start..value.span.start];
                let Some(name) = before.trim_end().strip_suffix(":=") else { return };
                let variable = tokenize(name, SqlMode::default()).find_map(|token| variable_name(&token));
                found.extend(variable.map(|variable| Assignment { variable, block_index, span: value.span.clone() }));
            });
        }
    }
    found
}

/// Finds the assignments by `:=` and by `INTO`.
pub fn find_assignments(source: &Source) -> Vec<Assignment> {
    let mut found = find_operator_assignments(source);
    let tokens: Vec<Token<'_>> = tokenize(&source.text, SqlMode::default()).filter(Token::is_content).collect();
    let targets = into_targets(&tokens);
    // The blocks of WITH come before the query's.
    let Some(block) = source.parsed.blocks.iter().rposition(|block| block.parent.is_none()) else { return found };
    let items = &source.parsed.blocks[block].items;
    if items.len() == targets.len() {
        let pair = |(item, at): (&crate::syntax::Item, &usize)| {
            let variable = variable_name(&tokens[*at])?;
            Some(Assignment { variable, block_index: block, span: item.expression.span.clone() })
        };
        found.extend(items.iter().zip(&targets).filter_map(pair));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::{Place, Session};

    #[test]
    fn targets_are_set_and_not_read() {
        for (text, read, set) in [
            ("SET @b = @`A`", "a", "b"),
            ("SET SESSION x = 1, @a := (SELECT @c, @d = 1), @b = f(@c := 2, @e)", "c d e", "a b c"),
            ("SELECT @a = 1, @b := @b + 1", "a b", "b"),
            ("SELECT id, n INTO @a, @b FROM t WHERE n = @c", "c", "a b"),
            ("SELECT id FROM t INTO local, @b", "", "b"),
            ("INSERT INTO t VALUES (@a, @b)", "a b", ""),
            ("LOAD DATA INFILE 'x' INTO TABLE t CHARACTER SET utf8mb4 (a, @b) SET c = @b", "b", "b"),
            ("EXECUTE s USING @a", "a", ""),
            ("PREPARE s FROM @a", "a", ""),
            ("CALL p(@a)", "a", "a"),
            ("GET DIAGNOSTICS CONDITION 1 @a = MESSAGE_TEXT, @b = RETURNED_SQLSTATE", "", "a b"),
            ("UPDATE t SET a = @a", "a", ""),
            ("SELECT '@a', @@b", "", ""),
        ] {
            let found = find_variables(text);
            let join = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
            assert_eq!((join(&found.read).as_str(), join(&found.set).as_str()), (read, set), "{text}");
        }
    }

    #[test]
    fn assigned_expressions_are_found() {
        for (text, expected) in [
            ("SELECT code, n + 1 INTO @a, @b FROM t", "a: code; b: n + 1"),
            ("WITH c AS (SELECT 1 AS x) SELECT x FROM c LIMIT 1 INTO @a", "a: x"),
            ("SELECT @a := CONCAT(x, 'y'), @b FROM t", "a: CONCAT(x, 'y')"),
            ("SELECT x, y FROM t INTO @a", ""),
        ] {
            let source = Source::statement(Place::Session(Session::default()), text, 0);
            let one = |one: Assignment| format!("{}: {}", one.variable, &text[one.span]);
            assert_eq!(
                find_assignments(&source).into_iter().map(one).collect::<Vec<_>>().join("; "),
                expected,
                "{text}"
            );
        }
    }
}
