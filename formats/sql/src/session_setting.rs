//! `SET` statements of scripts and logs, written anew for a running server.
//!
//! `SET NAMES gbk` makes the server read other tokens than weigh does: in gbk, `中\'` is two
//! characters and the end of a string. The session's `character_set_client` therefore stays UTF-8.
//! Of the text, only plain words, user variables' names in backticks, numbers and hexadecimal
//! digits are sent, and strings as the parameter of a prepared statement.

use crate::nesting::closing_parenthesis;
use crate::quote::{hex_literal, quote_identifier, unquote_string};
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize};

/// A setting of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSetting {
    /// A `SET` statement.
    pub statement: String,
    /// Value of the parameter in the statement. `None` for a statement without one.
    pub parameter: Option<String>,
    /// User variable that is set, in lower case, without `@`.
    pub user_variable: Option<String>,
}

/// Variables that are set: they decide about collations and plans only.
const VARIABLES: [&str; 5] = [
    "collation_connection",
    "character_set_connection",
    "character_set_collations",
    "default_collation_for_utf8mb4",
    "optimizer_switch",
];

/// Returns the settings of a `SET` statement that may be applied to a session of a running server:
/// `SET NAMES`, [`VARIABLES`], and user variables with a literal. Leaves out the other settings of
/// the statement. Empty for other statements.
pub fn read_settings(text: &str, mode: SqlMode) -> Vec<SessionSetting> {
    let is_content = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment);
    let tokens: Vec<Token<'_>> = tokenize(text, mode).filter(is_content).collect();
    let Some((first, rest)) = tokens.split_first() else { return Vec::new() };
    let is_one = rest.iter().all(|token| token.is_closed && !token.is_symbol(';'));
    if !first.is_keyword("set") || !is_one {
        return Vec::new();
    }
    let mut is_of_session = true;
    let mut found = Vec::new();
    for item in split_items(rest) {
        // A scope holds for the variables that follow without one.
        let scope =
            item.first().filter(|_| item.get(1).is_some_and(|next| !next.is_symbol(':') && !next.is_symbol('=')));
        let is_session = |token: &Token<'_>| token.is_any_keyword(&["session", "local"]);
        let is_scope = |token: &Token<'_>| token.is_any_keyword(&["global", "persist", "persist_only"]);
        let assigned = match scope {
            Some(token) if is_session(token) || is_scope(token) => {
                is_of_session = is_session(token);
                &item[1..]
            }
            _ => item,
        };
        found.extend(names(item, mode).or_else(|| user_variable(item, mode)));
        if is_of_session {
            found.extend(variable(assigned, mode));
        }
    }
    found
}

/// Splits at the commas outside of parentheses.
fn split_items<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let (mut items, mut start, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        if tokens[at].is_symbol('(') {
            at += closing_parenthesis(&tokens[at + 1..]).map_or(tokens.len(), |end| end + 1);
        } else if tokens[at].is_symbol(',') {
            items.push(&tokens[start..at]);
            start = at + 1;
        }
        at += 1;
    }
    items.push(&tokens[start.min(tokens.len())..]);
    items
}

/// Reads `NAMES charset [COLLATE collation]`.
fn names(item: &[Token<'_>], mode: SqlMode) -> Option<SessionSetting> {
    let (charset, collation) = match item {
        [names, charset] if names.is_keyword("names") => (plain_name(charset, mode)?, None),
        [names, charset, collate, collation] if names.is_keyword("names") && collate.is_keyword("collate") => {
            (plain_name(charset, mode)?, Some(plain_name(collation, mode)?))
        }
        _ => return None,
    };
    let mut statement = format!("SET NAMES '{charset}'");
    if let Some(collation) = collation {
        statement += &format!(" COLLATE '{collation}'");
    }
    if !["utf8mb4", "utf8mb3", "utf8"].iter().any(|utf8| charset.eq_ignore_ascii_case(utf8)) {
        statement += ", character_set_client = utf8mb4, character_set_results = utf8mb4";
    }
    Some(SessionSetting { statement, parameter: None, user_variable: None })
}

/// Reads an assignment to one of [`VARIABLES`].
fn variable(assigned: &[Token<'_>], mode: SqlMode) -> Option<SessionSetting> {
    let (variable, value) = split_assignment(assigned)?;
    let name = variable.text.to_ascii_lowercase();
    let name = ["@@session.", "@@local.", "@@"].iter().find_map(|scope| name.strip_prefix(scope)).unwrap_or(&name);
    let name = VARIABLES.iter().find(|own| **own == name)?;
    let [value] = value else { return None };
    let value = if value.kind == TokenKind::StringLiteral {
        unquote_string(value.text, mode)
    } else {
        plain_name(value, mode)?
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=' | b',');
    if value.is_empty() || !value.bytes().all(is_plain) {
        return None;
    }
    Some(SessionSetting { statement: format!("SET SESSION {name} = '{value}'"), parameter: None, user_variable: None })
}

/// Reads `@name = value`. The value is a literal, with or without introducer and COLLATE.
fn user_variable(item: &[Token<'_>], mode: SqlMode) -> Option<SessionSetting> {
    let (variable, value) = split_assignment(item)?;
    let name = user_variable_name(variable, mode)?;
    let (value, collation) = match value {
        [value @ .., collate, collation] if collate.is_keyword("collate") => {
            (value, format!(" COLLATE {}", plain_name(collation, mode)?))
        }
        _ => (value, String::new()),
    };
    let mut parameter = None;
    let written = match value {
        [text] if text.kind == TokenKind::StringLiteral => {
            parameter = Some(unquote_string(text.text, mode));
            "?".to_owned()
        }
        [introducer, text] if introducer.text.starts_with('_') && text.kind == TokenKind::StringLiteral => {
            format!("{} {}", plain_name(introducer, mode)?, hex_literal(unquote_string(text.text, mode).as_bytes()))
        }
        [introducer, hex] if introducer.text.starts_with('_') && is_hex(hex) => {
            format!("{} {}", plain_name(introducer, mode)?, hex.text)
        }
        [hex] if is_hex(hex) => hex.text.to_owned(),
        [word] if word.is_any_keyword(&["null", "true", "false"]) => word.text.to_owned(),
        [number] if is_number(number) => number.text.to_owned(),
        [sign, number] if sign.is_symbol('-') && is_number(number) => format!("-{}", number.text),
        _ => return None,
    };
    let statement = format!("SET @{} = {written}{collation}", quote_identifier(&name));
    Some(SessionSetting { statement, parameter, user_variable: Some(name.to_lowercase()) })
}

/// Splits `name = value` and `name := value`.
fn split_assignment<'a, 't>(item: &'a [Token<'t>]) -> Option<(&'a Token<'t>, &'a [Token<'t>])> {
    match item {
        [name, colon, equals, value @ ..] if colon.is_symbol(':') && equals.is_symbol('=') => Some((name, value)),
        [name, equals, value @ ..] if equals.is_symbol('=') => Some((name, value)),
        _ => None,
    }
}

/// Returns the name of a user variable, without `@` and quotes. `None` for other tokens.
pub fn user_variable_name(token: &Token<'_>, mode: SqlMode) -> Option<String> {
    let name = token.text.strip_prefix('@').filter(|name| !name.starts_with('@'))?;
    if token.kind != TokenKind::Variable || !token.is_closed || name.contains('\0') {
        return None;
    }
    let no_escapes = SqlMode { no_backslash_escapes: true, ..mode };
    Some(match name.chars().next()? {
        '`' => unquote_string(name, no_escapes),
        '\'' | '"' => unquote_string(name, mode),
        _ => name.to_owned(),
    })
}

/// Returns the name of a character set or collation, quoted or not. `None` for `DEFAULT`, and for a
/// name with other characters than ASCII letters, digits and underscores.
fn plain_name(token: &Token<'_>, mode: SqlMode) -> Option<String> {
    let name = if token.kind == TokenKind::StringLiteral { unquote_string(token.text, mode) } else { token.name()? };
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_plain && !token.is_keyword("default")).then_some(name)
}

fn is_number(token: &Token<'_>) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    token.kind == TokenKind::Number && token.text.bytes().all(is_part)
}

fn is_hex(token: &Token<'_>) -> bool {
    token.kind == TokenKind::HexOrBit && token.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements and parameters, separated by semicolons.
    fn written(text: &str) -> String {
        let settings = read_settings(text, SqlMode::default());
        let one = |setting: SessionSetting| match setting.parameter {
            Some(value) => format!("{} [{value}]", setting.statement),
            None => setting.statement,
        };
        settings.into_iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_client_stays_utf8() {
        let kept = ", character_set_client = utf8mb4, character_set_results = utf8mb4";
        for (text, expected) in [
            ("set names 'utf8' collate utf8_bin", "SET NAMES 'utf8' COLLATE 'utf8_bin'".to_owned()),
            ("/*!40101 SET NAMES utf8mb4 */", "SET NAMES 'utf8mb4'".to_owned()),
            ("SET NAMES gbk", format!("SET NAMES 'gbk'{kept}")),
            ("SET NAMES \"sjis\" COLLATE `sjis_bin` -- x", format!("SET NAMES 'sjis' COLLATE 'sjis_bin'{kept}")),
            ("SET character_set_client = gbk", String::new()),
            ("SET CHARACTER SET gbk", String::new()),
            ("SET CHARSET gbk", String::new()),
            ("SET NAMES DEFAULT", String::new()),
            ("SET NAMES 'a; b'", String::new()),
            ("SET NAMES utf8; DROP DATABASE d", String::new()),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn variables_of_the_session_are_set() {
        let set = "SET SESSION collation_connection = 'utf8_bin'";
        for scope in ["", "SESSION ", "LOCAL ", "@@", "@@session.", "@@LOCAL.", "sql_mode = CONCAT(@@sql_mode, ',A'), "]
        {
            assert_eq!(written(&format!("SET {scope}collation_connection = utf8_bin")), set, "{scope}");
        }
        for scope in ["GLOBAL ", "PERSIST ", "@@global.", "@@GLOBAL.", "@", "GLOBAL a = 1, "] {
            assert_eq!(written(&format!("SET {scope}collation_connection = utf8_bin")), "", "{scope}");
        }
        for text in ["SET GLOBAL a = 'b'", "SET @@a = 'b'", "SET collation_connection = 'a''b'", "SELECT 1", "SET", ""]
        {
            assert_eq!(written(text), "", "{text}");
        }
        assert_eq!(
            written("SET NAMES utf8mb4 COLLATE utf8mb4_bin, @@SESSION.sql_auto_is_null = 0"),
            "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'"
        );
    }

    #[test]
    fn user_variables_get_literals_only() {
        for (text, expected) in [
            (r"SET @a := 'b; c\''", "SET @`a` = ? [b; c']"),
            ("SET @`中` = 1, @'x`' = -2.5", "SET @`中` = 1; SET @`x``` = -2.5"),
            ("SET @a = _latin1'é' COLLATE latin1_bin", "SET @`a` = _latin1 X'C3A9' COLLATE latin1_bin"),
            ("SET @a = 'x' COLLATE utf8mb4_bin", "SET @`a` = ? COLLATE utf8mb4_bin [x]"),
            ("SET @a = 0x41, @b = NULL, @c = f(1), @d = @e", "SET @`a` = 0x41; SET @`b` = NULL"),
            ("SET @a = (SELECT 1, 2), @b = 3", "SET @`b` = 3"),
            ("SET @a = 'b", ""),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
        assert_eq!(read_settings("SET @Ab = 1", SqlMode::default())[0].user_variable.as_deref(), Some("ab"));
    }
}
