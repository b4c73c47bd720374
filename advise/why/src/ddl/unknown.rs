//! Collations and character sets that the server does not have, or that do not belong together.

use server::{collation_charset, error_code};
use sql::Token;

use super::{Attempt, Cause, Refused, tokens_without_comments};
use crate::clause::{Clause, replace_in_clauses};
use crate::model::{Kind, Scope};
use crate::remedy::splice;

/// Ends of collation names that may replace an unknown collation, the nearest first.
const NEAREST: [&str; 6] = ["uca1400_ai_ci", "0900_ai_ci", "unicode_520_ci", "unicode_ci", "general_ci", "bin"];

pub fn explain(refused: &Refused<'_>) -> Option<Cause> {
    let mut quoted = refused.refusal.message.split('\'').skip(1).step_by(2).map(str::to_lowercase);
    let named = quoted.next()?;
    let tokens = tokens_without_comments(refused.text);
    let mut charset = named.split('_').next().unwrap_or("utf8mb4").to_owned();
    let mut attempts = Vec::new();
    let mismatch = quoted.next().filter(|_| refused.refusal.code == error_code::COLLATION_CHARSET_MISMATCH);
    if let Some(own) = &mismatch {
        charset.clone_from(own);
        attempts.extend(fit(refused, &tokens, &named, own));
    }
    let clause = match refused.refusal.code {
        error_code::UNKNOWN_CHARACTER_SET => Clause::CharacterSet,
        _ => Clause::Collation,
    };
    let replaced = |name: &str| replace_in_clauses(refused.text, clause, &named, name);
    if let (Some(own), Some((_, suffix))) = (&mismatch, named.split_once('_')) {
        let same = format!("{own}_{suffix}");
        attempts.push(Attempt::new(Scope::Statement, format!("Name {same} instead of {named}"), vec![replaced(&same)]));
    }
    if refused.refusal.code == error_code::UNKNOWN_CHARACTER_SET {
        for other in charsets_of_alias(&named) {
            let what = format!("Name {other} instead of {named}");
            attempts.push(Attempt::new(Scope::Statement, what, vec![replaced(other)]));
        }
    }
    // `utf8` is the old name of utf8mb3, and the nearest to utf8mb4 that MySQL before 5.5.3 have.
    for other in if named == "utf8mb3" || named == "utf8mb4" { &["utf8"][..] } else { &[] } {
        let what = format!("Name {other} instead of {named}");
        attempts.push(Attempt::new(Scope::Statement, what, vec![replaced(other)]));
    }
    if let Some(rest) = named.strip_prefix("utf8mb3_") {
        let what = format!("Name utf8_{rest} instead of {named}");
        attempts.push(Attempt::new(Scope::Statement, what, vec![replaced(&format!("utf8_{rest}"))]));
    }
    for suffix in if named.ends_with("_bin") { &NEAREST[5..] } else { &NEAREST[..] } {
        let name = format!("{charset}_{suffix}");
        let sql = replaced(&name);
        if name != named && sql != refused.text {
            attempts.push(Attempt::new(Scope::Statement, format!("Name {name} instead of {named}"), vec![sql]));
        }
    }
    let kind = if mismatch.is_some() { Kind::WrongCollate } else { Kind::Unknown };
    (!attempts.is_empty()).then(|| Cause { attempts, ..Cause::new(kind) })
}

/// Character sets that a name of other programs means, such as `UTF-8` and `windows-1251`, also
/// with characters that do not belong to it: `utf8mb4;`.
fn charsets_of_alias(named: &str) -> &'static [&'static str] {
    let letters: String = named.chars().filter(char::is_ascii_alphanumeric).collect();
    match letters.as_str() {
        "utf8" | "utf8mb4" | "unicode" => &["utf8mb4", "utf8"],
        "utf8mb3" => &["utf8"],
        "utf16" | "utf16be" => &["utf16"],
        "utf32" | "ucs4" => &["utf32"],
        "iso88591" | "latin1" | "windows1252" | "cp1252" | "ansi" => &["latin1"],
        "iso88592" | "latin2" => &["latin2"],
        "iso88597" => &["greek"],
        "iso88598" => &["hebrew"],
        "iso88599" | "latin5" | "windows1254" => &["latin5"],
        "windows1250" => &["cp1250"],
        "windows1251" => &["cp1251"],
        "windows1256" => &["cp1256"],
        "windows1257" => &["cp1257"],
        "usascii" | "ascii" => &["ascii"],
        "shiftjis" => &["sjis", "cp932"],
        "windows31j" => &["cp932"],
        "eucjp" => &["ujis"],
        "euckr" => &["euckr"],
        "koi8r" => &["koi8r"],
        "koi8u" => &["koi8u"],
        _ => &[],
    }
}

/// Makes character set and collation fit: `COLLATE` is left out of a binary string, and `SET NAMES`
/// gets the collation's character set.
fn fit(refused: &Refused<'_>, tokens: &[Token<'_>], named: &str, own: &str) -> Option<Attempt> {
    let is_named = |token: &Token<'_>| token.text.trim_matches(['\'', '`', '"']).eq_ignore_ascii_case(named);
    let is_clause = |at: &usize| tokens[*at].is_keyword("collate") && tokens.get(at + 1).is_some_and(is_named);
    let at = (0..tokens.len()).find(is_clause)?;
    if own == "binary" {
        let mut of_binary: Vec<usize> =
            (0..tokens.len()).filter(is_clause).filter(|at| is_of_binary_type(&tokens[..*at])).collect();
        if of_binary.is_empty() {
            of_binary.push(at);
        }
        let edits: Vec<_> =
            of_binary.iter().map(|at| (tokens[*at].start..tokens[at + 1].end(), String::new())).collect();
        let what = "Leave COLLATE out: a binary string has no collation".to_owned();
        return Some(Attempt::new(Scope::Statement, what, vec![splice(refused.text, &edits)]));
    }
    let set = tokens[..at].windows(2).position(|pair| pair[0].is_keyword("set") && pair[1].is_keyword("names"))?;
    let charset = tokens.get(set + 2)?;
    let wanted = collation_charset(named).to_owned();
    let what = format!("Name the character set of the collation, {wanted}");
    let sql = splice(refused.text, &[(charset.start..charset.end(), wanted)]);
    Some(Attempt::new(Scope::Statement, what, vec![sql]))
}

const BINARY_TYPES: [&str; 6] = ["binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob"];

/// True if tokens end in the definition of a column of bytes: `…, a BLOB NOT NULL`.
fn is_of_binary_type(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().rev() {
        if token.is_symbol(')') {
            depth += 1;
        } else if depth == 0
            && (token.is_symbol(',') || token.is_symbol('(') || token.is_any_keyword(&["add", "modify"]))
        {
            let mut types = tokens[at..].iter().skip(2).take(2);
            return types.any(|token| token.is_any_keyword(&BINARY_TYPES));
        } else if token.is_symbol('(') {
            depth -= 1;
        }
    }
    false
}
