//! Rewrites statements that the new server refuses.

use check::Target;
use server::{current_collation_name, error_code};
use sql::{SqlMode, Token, TokenKind, tokenize};
use why::Refusal;

/// A statement in place of a refused one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    pub what: String,
    /// Settings of the session before the statement.
    pub before: Vec<String>,
    /// `None` leaves the statement out.
    pub text: Option<String>,
    /// A collation that the new server lacks, and its substitute.
    pub replaced: Option<(String, String)>,
}

const SYNTAX: u16 = 1064;
const INVALID_DEFAULT: u16 = 1067;
pub const WRONG_VALUE_FOR_VARIABLE: u16 = 1231;
const UNKNOWN_ENGINE: u16 = 1286;
const INCORRECT_VALUE: u16 = 1292;
const NO_DEFAULT: u16 = 1364;
const PARTITIONS_UNSUPPORTED: u16 = 1178;
const INDEX_COLUMN_TOO_LONG: u16 = 1709;

/// Replaces an `sql_mode` that consists of strict modes only.
const LENIENT_MODE: &str = "NO_ENGINE_SUBSTITUTION";

/// Returns what to try instead of a refused statement, the nearest first. `sql_mode` is the
/// session's.
pub fn propose(target: &Target, text: &str, refusal: &Refusal, sql_mode: &str) -> Vec<Rewrite> {
    let quoted = refusal.message.split('\'').nth(1).unwrap_or_default();
    match refusal.code {
        error_code::UNKNOWN_COLLATION => replace_collation(target, text, quoted),
        error_code::UNKNOWN_CHARACTER_SET => {
            let known = match quoted {
                "utf8mb3" => "utf8",
                _ => "utf8mb4",
            };
            vec![replacing_rewrite(text, quoted, known)]
        }
        SYNTAX => quote_reserved_word(text, &refusal.message).into_iter().collect(),
        INVALID_DEFAULT
        | INCORRECT_VALUE
        | NO_DEFAULT
        | error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD
        | error_code::DATA_TOO_LONG => vec![Rewrite {
            what: "Load it without strict mode".into(),
            before: vec![format!("SET SESSION sql_mode = '{}'", without_strict_modes(sql_mode))],
            text: Some(text.to_owned()),
            replaced: None,
        }],
        WRONG_VALUE_FOR_VARIABLE => remove_mode(text, &refusal.message),
        error_code::UNKNOWN_SYSTEM_VARIABLE => vec![Rewrite {
            what: format!("Leave it out: the new server has no variable {quoted}"),
            before: Vec::new(),
            text: None,
            replaced: None,
        }],
        UNKNOWN_ENGINE => vec![replacing_rewrite(text, quoted, "InnoDB")],
        PARTITIONS_UNSUPPORTED => vec![replacing_rewrite(text, "MyISAM", "InnoDB")],
        error_code::TOO_LONG_KEY | INDEX_COLUMN_TOO_LONG => {
            ["COMPACT", "REDUNDANT"].map(|format| replacing_rewrite(text, format, "DYNAMIC")).to_vec()
        }
        _ => Vec::new(),
    }
    .into_iter()
    .filter(|rewrite| rewrite.text.as_deref() != Some(text) || !rewrite.before.is_empty())
    .collect()
}

fn without_strict_modes(sql_mode: &str) -> String {
    let strict = ["STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "TRADITIONAL"];
    let kept: Vec<&str> = sql_mode.split(',').filter(|mode| !mode.is_empty() && !strict.contains(mode)).collect();
    if kept.is_empty() { LENIENT_MODE.to_owned() } else { kept.join(",") }
}

fn replace_collation(target: &Target, text: &str, unknown: &str) -> Vec<Rewrite> {
    let current = current_collation_name(unknown);
    let own = target.written_collation(&current);
    let mut names: Vec<String> = Vec::new();
    if target.collation(&current).is_some() && own != unknown {
        names.push(own);
    }
    names.extend(target.nearest(unknown).map(|info| target.written_collation(info.name)));
    let charset = server::collation_charset(&current);
    for rest in ["unicode_520_ci", "unicode_ci", "general_ci", "bin"] {
        names.push(target.written_collation(&format!("{charset}_{rest}")));
    }
    names.dedup();
    let rewrite = |name: &String| Rewrite {
        replaced: Some((unknown.to_owned(), name.clone())),
        ..replacing_rewrite(text, unknown, name)
    };
    names.iter().map(rewrite).collect()
}

/// Replaces a name wherever it stands as a word, quoted or not.
pub fn replace_name(text: &str, name: &str, by: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for token in tokenize(text, SqlMode::default()) {
        if is_name(&token, name) {
            out += &text[at..token.start];
            out += &token.text.to_lowercase().replace(&name.to_lowercase(), by);
            at = token.end();
        }
    }
    out + &text[at..]
}

fn is_name(token: &Token<'_>, name: &str) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::QuotedName | TokenKind::StringLiteral)
        && token.text.trim_matches(['\'', '`', '"']).eq_ignore_ascii_case(name)
}

fn replacing_rewrite(text: &str, name: &str, by: &str) -> Rewrite {
    Rewrite {
        what: format!("In the dump: {name} → {by}"),
        before: Vec::new(),
        text: Some(replace_name(text, name, by)),
        replaced: None,
    }
}

/// Quotes the name at which the server's parser stopped.
fn quote_reserved_word(text: &str, message: &str) -> Option<Rewrite> {
    let near = message.split_once(" near '")?.1;
    let near = near.rsplit_once("' at line").map_or(near, |(near, _)| near);
    let rest_at = if near.is_empty() { None } else { text.find(near) }?;
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let at = tokens.iter().position(|token| token.start >= rest_at)?;
    // The parser stops at the reserved word, or at the word after it.
    let word = [Some(at), at.checked_sub(1)].into_iter().flatten().find(|at| {
        tokens[*at].kind == TokenKind::Word && tokens[*at].text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })?;
    let word = tokens[word];
    let mut out = String::new();
    let mut from = 0;
    for token in tokens.iter().filter(|token| token.is_keyword(word.text)) {
        out += &text[from..token.start];
        out += &sql::quote_identifier(token.text);
        from = token.end();
    }
    let what = format!("Quote the name {}: it is a reserved word of the new server", word.text);
    Some(Rewrite { what, before: Vec::new(), text: Some(out + &text[from..]), replaced: None })
}

/// Removes a mode that the server no longer has from `SET sql_mode = …`.
fn remove_mode(text: &str, message: &str) -> Vec<Rewrite> {
    // The message itself has an apostrophe ("can't"), so the mode is the last quoted word.
    let Some(mode) = message.rsplit('\'').nth(1).filter(|mode| !mode.is_empty()) else { return Vec::new() };
    let lower = text.to_lowercase();
    if !lower.contains("sql_mode") {
        return Vec::new();
    }
    let without = text.replace(&format!(",{mode}"), "").replace(&format!("{mode},"), "").replace(mode, "");
    vec![Rewrite {
        what: format!("Leave out the mode {mode}"),
        before: Vec::new(),
        text: Some(without),
        replaced: None,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: u16, message: &str) -> Refusal {
        Refusal { code, message: message.into() }
    }

    #[test]
    fn replaces_collations_by_the_nearest() {
        let text = "CREATE TABLE a (b INT COMMENT 'utf8mb4_0900_ai_ci is fine') COLLATE=utf8mb4_0900_ai_ci";
        let error = refusal(1273, "Unknown collation: 'utf8mb4_0900_ai_ci'");
        let first = propose(&"mariadb-10.11".parse().unwrap(), text, &error, "").remove(0);
        assert_eq!(
            first.text.unwrap(),
            "CREATE TABLE a (b INT COMMENT 'utf8mb4_0900_ai_ci is fine') COLLATE=utf8mb4_uca1400_nopad_ai_ci"
        );
    }

    #[test]
    fn quotes_reserved_words() {
        let text = "CREATE TABLE a (rank INT, b INT, KEY (rank))";
        let error = refusal(1064, "You have an error … near 'rank INT, b INT, KEY (rank))' at line 1");
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "").remove(0);
        assert_eq!(first.text.unwrap(), "CREATE TABLE a (`rank` INT, b INT, KEY (`rank`))");
    }

    #[test]
    fn removes_modes() {
        let text = "/*!50003 SET sql_mode = 'NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */";
        let error = refusal(1231, "Variable 'sql_mode' can't be set to the value of 'NO_AUTO_CREATE_USER'");
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "").remove(0);
        assert_eq!(first.text.unwrap(), "/*!50003 SET sql_mode = 'NO_ENGINE_SUBSTITUTION' */");
    }
}
