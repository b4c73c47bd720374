//! Calls of functions that may do more than compute a value.
//!
//! A server can run a function to explain a statement, to open a view or to evaluate an expression
//! of a table. MySQL 8.0.22 and later have loadable functions of their own that change the server,
//! such as `asynchronous_connection_failover_add_source`. So only functions that are known to be
//! harmless may be called.

use crate::functions::{is_harmless_function, may_precede_parenthesis};
use crate::names::lacks_ascii;
use crate::nesting::closing_parenthesis;
use crate::sql_mode::SqlMode;
use crate::table_names::SELECT_MODIFIERS;
use crate::token::{Token, TokenKind, find_odd_number, tokenize};

/// Words between INSERT and the table's name.
const WORDS_OF_INSERT: [&str; 5] = ["low_priority", "high_priority", "delayed", "ignore", "into"];

/// A call of a function that may do more than compute a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspectCall {
    /// Byte offset of the function's name.
    pub offset: usize,
    /// `it calls GET_LOCK, which may do more than compute a value`
    pub reason: String,
}

/// Returns the first call of a function that is not known to be harmless or is named with a schema,
/// or the first expression that takes a value of a sequence. `tokens` are without comments and
/// hints.
pub fn find_suspect_call(tokens: &[Token<'_>]) -> Option<SuspectCall> {
    let reason = |at: usize| -> Option<String> {
        let (token, follows_dot) = (&tokens[at], follows_dot(tokens, at));
        let name = token.name()?;
        if takes_next_value(&tokens[at..]) || follows_dot && name.eq_ignore_ascii_case("nextval") {
            return Some("it takes a value of a sequence".to_owned());
        }
        if !is_call(tokens, at) {
            return None;
        }
        if follows_dot {
            return Some(format!("it calls {name} of a schema"));
        }
        (!is_harmless(token, &name)).then(|| format!("it calls {name}, which may do more than compute a value"))
    };
    (0..tokens.len()).find_map(|at| Some(SuspectCall { offset: tokens[at].start, reason: reason(at)? }))
}

/// Returns the first function that the text of a view, as servers print it, calls without a schema
/// and that is not known to be harmless, or a number that servers read in different ways. `client`
/// is the character set of its author's client. `is_exempt` is true for other functions that may be
/// called.
pub fn find_unknown_function(
    view: &str,
    client: &str,
    mode: SqlMode,
    is_exempt: impl Fn(&str) -> bool,
) -> Option<String> {
    // The printed text can have other tokens than the author's: one string may be two.
    if lacks_ascii(client) {
        return find_unknown_word(view).map(str::to_owned);
    }
    let tokens: Vec<Token<'_>> = tokenize(view, mode).filter(Token::is_content).collect();
    let unknown = |at: usize| {
        let name = tokens[at].name()?;
        let is_function = !follows_dot(&tokens, at) && is_call(&tokens, at);
        (is_function && !is_harmless(&tokens[at], &name) && !is_exempt(&name)).then_some(name)
    };
    let odd_number = find_odd_number(&tokens).map(|number| number.text.to_owned());
    odd_number.or_else(|| (0..tokens.len()).find_map(unknown))
}

/// Returns the first word directly before a parenthesis, also in strings and names, that is no
/// keyword and no function that is known to be harmless. Servers print no blank between a function
/// and its parenthesis.
pub fn find_unknown_word(text: &str) -> Option<&str> {
    let mut words = text.match_indices('(').map(|(open, _)| {
        let before = &text[..open];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        &before[before.trim_end_matches(is_word).len()..]
    });
    words.find(|word| !word.is_empty() && !is_harmless_word(word))
}

/// True for `NEXT VALUE FOR s`.
fn takes_next_value(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [next, value, of, ..]
        if next.is_keyword("next") && value.is_keyword("value") && of.is_keyword("for"))
}

fn follows_dot(tokens: &[Token<'_>], at: usize) -> bool {
    at > 0 && tokens[at - 1].is_symbol('.')
}

fn is_call(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|token| token.is_symbol('(')) && !names_columns(tokens, at)
}

fn is_harmless(token: &Token<'_>, name: &str) -> bool {
    token.kind == TokenKind::Word && is_harmless_word(name) || is_harmless_function(name)
}

fn is_harmless_word(word: &str) -> bool {
    let is_modifier = SELECT_MODIFIERS.iter().any(|modifier| modifier.eq_ignore_ascii_case(word));
    is_modifier || may_precede_parenthesis(word) || is_harmless_function(word)
}

/// Returns true for a name before a list of columns: `INSERT INTO s.t (a)`, `WITH d (a) AS (…)`,
/// `(SELECT …) AS d (a)`. A call in such a place is a syntax error.
fn names_columns(tokens: &[Token<'_>], at: usize) -> bool {
    let mut before = tokens[..at].iter().rev().peekable();
    let is_after_dot = |token: Option<&&Token<'_>>| token.is_some_and(|token| token.is_symbol('.'));
    if is_after_dot(before.peek()) {
        before.next();
        before.next();
    } else if before.peek().is_some_and(|token| token.is_symbol(')')) {
        // `(SELECT …) d (a)`: no server takes a call there.
        return true;
    } else if before.peek().is_some_and(|token| token.is_keyword("as")) {
        return !is_after_dot(before.nth(1).as_ref());
    }
    let first = before.find(|token| !token.is_any_keyword(&WORDS_OF_INSERT));
    first.is_some_and(|token| token.is_any_keyword(&["insert", "replace"])) || is_table_expression(tokens, at)
}

/// Returns true for `d` in `WITH d (a, b) AS (…)`.
fn is_table_expression(tokens: &[Token<'_>], at: usize) -> bool {
    let inside = &tokens[at + 2..];
    let Some(close) = closing_parenthesis(inside) else { return false };
    let are_names = inside[..close].iter().all(|token| token.name().is_some() || token.is_symbol(','));
    let follows = |offset: usize| inside.get(close + offset);
    are_names
        && follows(1).is_some_and(|token| token.is_keyword("as"))
        && follows(2).is_some_and(|token| token.is_symbol('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_call_known_functions_only() {
        for (view, name) in [
            ("select substr('a',get_lock(load_file('/x'),0)) AS `x`", "get_lock"),
            ("select concat('a',setval(`s`.`q`,1)) AS `x`", "setval"),
            ("select sleep 1.e(1) AS `x`", "1."),
            ("select 1 /*!50100 + audit_log_rotate() */ AS `x`", "audit_log_rotate"),
        ] {
            assert_eq!(
                find_unknown_function(view, "utf8mb4", SqlMode::default(), |name| name == "own").as_deref(),
                Some(name),
                "{view}"
            );
        }
        for view in [
            "select `s`.`f`(`t`.`a`) AS `x`,own(count(0)),'item(s)' AS `g(1)` from `s`.`t` where (`a` in ('x')) and (1 = 1)",
            "with recursive `d` (`n`) as (select 1 union all select (`d`.`n` + 1) from `d`) select `d`.`n` from `d`",
            "select cast(`a` as char(3) charset utf8mb4),rank() OVER (PARTITION BY `a` ) from `t` use index (`k`)",
        ] {
            assert_eq!(find_unknown_function(view, "latin1", SqlMode::default(), |name| name == "own"), None, "{view}");
        }
    }

    #[test]
    fn views_of_other_character_sets_name_known_functions_only() {
        // In armscii8, 0xFF is an apostrophe, which servers print like the end of a string.
        let hidden = "select concat(''',get_lock('x',1),''') AS `x`";
        let find = |view: &str, client: &str| find_unknown_function(view, client, SqlMode::default(), |_| false);
        assert_eq!(find(hidden, "armscii8").as_deref(), Some("get_lock"));
        assert_eq!(find(hidden, "latin1"), None);
        assert_eq!(find("select upper(`s`.`t`.`a`) from `s`.`t` where (1 = 1)", "swe7"), None);
    }
}
