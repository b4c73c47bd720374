//! Bodies of routines and triggers.

use sql::{Token, TokenKind};

use super::clauses::{Names, Walker};
use super::{CheckResult, OutOfScope};

/// Words that can begin a statement of a body.
const STATEMENTS: [&str; 29] = [
    "begin", "end", "select", "insert", "update", "delete", "replace", "with", "values", "table", "set", "declare",
    "if", "elseif", "else", "case", "when", "while", "repeat", "loop", "until", "for", "return", "leave", "iterate",
    "open", "fetch", "close", "call",
];
/// More words that can stand there: of `SIGNAL`, `GET DIAGNOSTICS`, `DO`, `BEGIN NOT ATOMIC` and
/// `FOR EACH ROW FOLLOWS`.
const MORE_STATEMENTS: [&str; 7] = ["signal", "resignal", "get", "do", "not", "follows", "precedes"];

/// Statements of replication and administration, by their first two words.
const REFUSED_PAIRS: [(&[&str], &[&str]); 2] = [
    (
        &["start", "stop", "change"],
        &["slave", "slaves", "replica", "all", "group_replication", "master", "replication"],
    ),
    (&["cache", "lock", "unlock"], &["index", "tables", "table", "instance"]),
];

/// Words that no body of a workload may use, except in names before or after a dot.
const REFUSED_VERBS: [&str; 28] = [
    "create",
    "alter",
    "drop",
    "grant",
    "revoke",
    "prepare",
    "execute",
    "load",
    "flush",
    "kill",
    "rename",
    "truncate",
    "install",
    "uninstall",
    "shutdown",
    "purge",
    "reset",
    "binlog",
    "optimize",
    "repair",
    "analyze",
    "import",
    "xa",
    "outfile",
    "dumpfile",
    "restart",
    "clone",
    "backup",
];

/// Checks a trigger from its name on, or a routine from its parameters on.
pub(super) fn check(tokens: &[Token<'_>], names: &Names) -> CheckResult {
    let mut begins = false;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let is_name = before.is_some_and(|token| token.is_symbol('.'))
            || tokens.get(at + 1).is_some_and(|token| token.is_symbol('.'));
        let fault = |reason: String| Err(OutOfScope { offset: token.start, reason });
        if token.is_any_keyword(&REFUSED_VERBS) && !is_name {
            return fault(format!("{} in a routine or trigger", token.text.to_uppercase()));
        }
        if begins && token.kind == TokenKind::Word && !is_name {
            let is_label =
                tokens.get(at + 1).is_some_and(|token| token.is_symbol(':') || token.kind == TokenKind::Parameter);
            if !token.is_any_keyword(&STATEMENTS) && !token.is_any_keyword(&MORE_STATEMENTS) && !is_label {
                return fault(format!("{} in a routine or trigger", token.text.to_uppercase()));
            }
        }
        if token.is_keyword("call") && !is_name {
            check_call(tokens, at, names)?;
        }
        let is_pair = |(first, second): &(&[&str], &[&str])| {
            token.is_any_keyword(first) && tokens.get(at + 1).is_some_and(|next| next.is_any_keyword(second))
        };
        if REFUSED_PAIRS.iter().any(is_pair) {
            return fault(format!("{} {} in a routine or trigger", token.text, tokens[at + 1].text));
        }
        // After a name, SET is no statement: `UPDATE t SET a = 1`.
        let is_after_name = before.is_some_and(|before| {
            before.kind == TokenKind::QuotedName
                || before.kind == TokenKind::Word
                    && !before.is_any_keyword(&[
                        "begin",
                        "then",
                        "else",
                        "do",
                        "row",
                        "loop",
                        "repeat",
                        "sql",
                        "data",
                        "deterministic",
                    ])
        });
        if token.is_keyword("set") && !is_name && !is_after_name {
            check_set(&tokens[at + 1..])?;
        }
        begins = token.is_symbol(';')
            || token.is_any_keyword(&["begin", "loop", "repeat", "do"])
            || (token.is_keyword("row") && before.is_some_and(|before| before.is_keyword("each")));
    }
    Walker::new(tokens, names).check()
}

fn check_call(tokens: &[Token<'_>], at: usize, names: &Names) -> CheckResult {
    let name = tokens.get(at + 1).and_then(Token::name).unwrap_or_default();
    let is_own = names.routines.contains(&name.to_lowercase());
    let is_qualified = tokens.get(at + 2).is_some_and(|token| token.is_symbol('.'));
    match is_own && !is_qualified {
        true => Ok(()),
        false => Err(OutOfScope {
            offset: tokens[at].start,
            reason: format!("CALL of {name}, which schema.sql does not create"),
        }),
    }
}

/// Refuses `SET GLOBAL`, `SET PASSWORD`, `SET @@global.…` and other settings that outlive the
/// statement. Variables of the program and of the user are allowed. Takes the tokens after `SET`.
fn check_set(tokens: &[Token<'_>]) -> CheckResult {
    let scopes = [
        "global",
        "persist",
        "persist_only",
        "session",
        "local",
        "role",
        "default",
        "resource",
        "statement",
        "transaction",
        "names",
        "character",
        "charset",
    ];
    let (mut depth, mut begins) = (0_usize, true);
    for (at, token) in tokens.iter().enumerate() {
        if token.is_symbol(';') {
            break;
        }
        let is_assigned =
            tokens.get(at + 1).is_some_and(|next| next.is_symbol('=') || next.is_symbol(':') || next.is_symbol('.'));
        let is_setting = (token.is_any_keyword(&scopes) && !is_assigned)
            || token.is_keyword("password")
            || (token.kind == TokenKind::Variable && token.text.starts_with("@@"));
        if begins && is_setting {
            return Err(OutOfScope {
                offset: token.start,
                reason: format!("SET {} in a routine or trigger", token.text),
            });
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        begins = depth == 0 && token.is_symbol(',');
    }
    Ok(())
}
