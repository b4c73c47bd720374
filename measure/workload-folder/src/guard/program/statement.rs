//! Statements of a body that end at their `;`, and expressions.

use sql::{Token, TokenKind};

use crate::guard::clauses::{Names, Walker};
use crate::guard::{CheckResult, OutOfScope};

/// First words of statements.
const STATEMENTS: [&str; 20] = [
    "select", "insert", "update", "delete", "replace", "with", "values", "table", "set", "return", "leave", "iterate",
    "open", "fetch", "close", "call", "signal", "resignal", "get", "do",
];

/// Words of blocks and of `CASE`. They are reserved on every server, so outside of `CASE … END` no
/// expression or statement holds one.
pub(super) const BRANCHES: [&str; 4] = ["then", "else", "elseif", "when"];

/// Statements that assign columns after `SET`.
const CHANGES: [&str; 4] = ["insert", "replace", "update", "with"];

/// Settings of the session that decide what a statement means or checks, and no more.
const SESSION_SETTINGS: [&str; 8] = [
    "foreign_key_checks",
    "group_concat_max_len",
    "max_sp_recursion_depth",
    "sql_mode",
    "sql_safe_updates",
    "time_zone",
    "timestamp",
    "unique_checks",
];

/// Items of `SIGNAL … SET`.
const SIGNAL_ITEMS: [&str; 13] = [
    "class_origin",
    "subclass_origin",
    "message_text",
    "mysql_errno",
    "constraint_catalog",
    "constraint_schema",
    "constraint_name",
    "catalog_name",
    "schema_name",
    "table_name",
    "column_name",
    "cursor_name",
    "row_number",
];

fn fault(token: &Token<'_>, reason: impl Into<String>) -> CheckResult {
    Err(OutOfScope { offset: token.start, reason: reason.into() })
}

fn refuse(token: &Token<'_>) -> CheckResult {
    fault(token, format!("{} in a routine or trigger", token.text.to_uppercase()))
}

/// Checks a statement without its `;`. Takes at least one token.
pub(super) fn check(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let first = &tokens[0];
    let is_query = first.is_symbol('(');
    if !is_query && !first.is_any_keyword(&STATEMENTS) {
        return refuse(first);
    }
    if first.is_keyword("call") {
        check_call(tokens, names)?;
    }
    if first.is_keyword("set") {
        check_set(&tokens[1..], names)?;
    }
    if first.is_any_keyword(&["signal", "resignal"]) {
        check_signal(tokens)?;
    } else {
        let may_assign = first.is_any_keyword(&CHANGES);
        refuse_other_set(&tokens[1..], may_assign)?;
    }
    check_words(tokens)?;
    Walker::new(tokens, names).check()
}

/// Checks an expression, or a type with its default.
pub(super) fn check_expression(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    refuse_other_set(tokens, false)?;
    check_words(tokens)?;
    Walker::new(tokens, names).check()
}

/// Checks that the words of `CASE` are in pairs, so that no server sees the end of a condition or a
/// statement elsewhere.
fn check_words(tokens: &[Token<'_>]) -> CheckResult {
    let mut cases = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if sql::is_beside_dot(tokens, at) {
            if tokens.get(at + 1).is_some_and(|next| next.is_symbol('.'))
                && (token.is_any_keyword(&BRANCHES) || token.is_keyword("case"))
            {
                return fault(token, format!("{} before a dot; quote it if it is a name", token.text));
            }
        } else if token.is_keyword("case") {
            cases += 1;
        } else if token.is_keyword("end") {
            cases = cases.saturating_sub(1);
        } else if cases == 0 && token.is_any_keyword(&BRANCHES) {
            return refuse(token);
        }
    }
    match tokens.last().filter(|_| cases > 0) {
        Some(last) => fault(last, "CASE without END"),
        None => Ok(()),
    }
}

/// Takes a statement that begins with `CALL`.
fn check_call(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let name = tokens.get(1).and_then(Token::name).unwrap_or_default();
    let is_own = names.routines.contains(&name.to_lowercase());
    if !is_own || tokens.get(2).is_some_and(|token| token.is_symbol('.')) {
        return fault(&tokens[0], format!("CALL of {name}, which schema.sql does not create"));
    }
    Ok(())
}

/// Splits the assignments after `SET` at commas outside of parentheses.
fn split_assignments<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_usize;
    let is_separator = |token: &Token<'_>| {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && token.is_symbol(',')
    };
    tokens.split(is_separator).collect()
}

/// Checks that `SET` assigns variables of the program or the user, columns of the new row, or a
/// listed setting of the session. `SET GLOBAL`, `SET PASSWORD` and other settings outlive the
/// statement. Takes the tokens after `SET`.
fn check_set(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    for assignment in split_assignments(tokens) {
        let Some(target) = assignment.first() else {
            return tokens.first().map_or(Ok(()), |token| fault(token, "SET without a variable"));
        };
        let name = target.name().unwrap_or_default().to_lowercase();
        let is_variable = names.variables.contains(&name);
        let next = assignment.get(1);
        let is_assigned = next.is_some_and(|next| next.is_symbol('=') || next.is_symbol(':'));
        let is_row = next.is_some_and(|next| next.is_symbol('.')) && (name == "new" || is_variable);
        let is_allowed = match target.kind {
            TokenKind::Variable => !target.text.starts_with("@@"),
            // `SET PASSWORD = …` changes the account's password, also where a variable has the
            // name.
            TokenKind::Word if target.is_keyword("password") => false,
            TokenKind::Word | TokenKind::QuotedName => {
                is_row || is_assigned && (is_variable || SESSION_SETTINGS.contains(&name.as_str()))
            }
            _ => false,
        };
        if !is_allowed {
            return fault(target, format!("SET {} in a routine or trigger", target.text));
        }
    }
    Ok(())
}

/// Checks `SIGNAL … SET MESSAGE_TEXT = …`.
fn check_signal(tokens: &[Token<'_>]) -> CheckResult {
    let Some(set) = tokens.iter().position(|token| token.is_keyword("set")) else { return Ok(()) };
    for assignment in split_assignments(&tokens[set + 1..]) {
        let is_known = assignment.first().is_some_and(|item| item.is_any_keyword(&SIGNAL_ITEMS))
            && assignment.get(1).is_some_and(|token| token.is_symbol('='));
        if !is_known {
            return fault(&tokens[set], "SIGNAL … SET of something else than a condition's items");
        }
    }
    refuse_other_set(&tokens[set + 1..], false)
}

/// Refuses `SET` in the rest of a statement, except in `CHARACTER SET` and in the type
/// `SET('a','b')`. With `may_assign`, one `SET` may precede the columns of `UPDATE` or `INSERT`.
fn refuse_other_set(tokens: &[Token<'_>], may_assign: bool) -> CheckResult {
    let (mut depth, mut is_assigned) = (0_usize, !may_assign);
    for (at, token) in tokens.iter().enumerate() {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        if !token.is_keyword("set") || sql::is_beside_dot(tokens, at) {
            continue;
        }
        let is_charset = at.checked_sub(1).is_some_and(|at| tokens[at].is_any_keyword(&["character", "char"]));
        let is_type = tokens.get(at + 1).is_some_and(|next| next.is_symbol('('));
        if is_charset || is_type {
            continue;
        }
        if is_assigned || depth > 0 {
            return fault(token, "SET inside of a statement of a routine or trigger");
        }
        is_assigned = true;
    }
    Ok(())
}
