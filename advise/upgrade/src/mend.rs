//! Rewrites statements that the new server refuses.

use check::Target;
use server::{Flavour, current_collation_name, error_code};
use sql::{SqlMode, Token, TokenKind, tokenize};
use why::{Clause, Refusal, replace_in_clauses, splice};

use crate::model::Mend;
use crate::{check_constraint, date_literal, function, grammar, successor, text_default};

/// A statement in place of a refused one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewrite {
    pub what: String,
    /// Settings of the session before the statement.
    pub before: Vec<String>,
    /// `None` leaves the statement out.
    pub text: Option<String>,
    /// Collations that the new server lacks, and their substitutes.
    pub replaced: Vec<(String, String)>,
    /// Other effects, a sentence each.
    pub effects: Vec<String>,
    /// True if the rewrite is right even if another error follows.
    pub is_certain: bool,
}

const INVALID_DEFAULT: u16 = 1067;
pub const WRONG_VALUE_FOR_VARIABLE: u16 = 1231;
const UNKNOWN_ENGINE: u16 = 1286;
const INCORRECT_VALUE: u16 = 1292;
const NO_DEFAULT: u16 = 1364;
const PARTITIONS_UNSUPPORTED: u16 = 1178;

/// Errors of regular expressions of MySQL 8.0 and later.
const REGEXP_ERRORS: std::ops::RangeInclusive<u16> = 3685..=3699;

/// The `sql_mode` in place of one that has strict modes only, or none.
const LENIENT_MODE: &str = "NO_ENGINE_SUBSTITUTION";

/// Returns what to try instead of a refused statement, the nearest first. `sql_mode` is the
/// session's; `is_reserved` asks the server about a word.
pub fn propose(
    target: &Target,
    text: &str,
    refusal: &Refusal,
    sql_mode: &str,
    is_reserved: &mut dyn FnMut(&str) -> bool,
) -> Vec<Rewrite> {
    let quoted = refusal.message.split('\'').nth(1).unwrap_or_default();
    match refusal.code {
        error_code::UNKNOWN_COLLATION => replace_collation(target, text, quoted),
        error_code::UNKNOWN_CHARACTER_SET => {
            let known = match quoted {
                "utf8mb3" => "utf8",
                _ => "utf8mb4",
            };
            vec![replacing_rewrite(text, Clause::CharacterSet, quoted, known)]
        }
        error_code::PARSE_ERROR => grammar::propose(target, text, &refusal.message, is_reserved),
        error_code::BAD_FIELD_ERROR if quoted.eq_ignore_ascii_case("sql_cache") => {
            grammar::leave_out_query_cache(text).into_iter().collect()
        }
        error_code::SP_DOES_NOT_EXIST | function::NO_FUNCTION => function::rename(text, refusal).into_iter().collect(),
        code if REGEXP_ERRORS.contains(&code) => replace_word_boundaries(text, sql_mode).into_iter().collect(),
        INVALID_DEFAULT
        | INCORRECT_VALUE
        | NO_DEFAULT
        | error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD
        | error_code::DATA_TOO_LONG => vec![Rewrite {
            what: "Load it without strict mode".into(),
            before: vec![format!("SET SESSION sql_mode = '{}'", without_strict_modes(sql_mode))],
            text: Some(text.to_owned()),
            ..Rewrite::default()
        }],
        WRONG_VALUE_FOR_VARIABLE => remove_mode(text, &refusal.message),
        error_code::UNKNOWN_SYSTEM_VARIABLE => replace_variable(target, text, quoted),
        UNKNOWN_ENGINE => vec![replacing_rewrite(text, Clause::Engine, quoted, "InnoDB")],
        PARTITIONS_UNSUPPORTED => vec![replacing_rewrite(text, Clause::Engine, "MyISAM", "InnoDB")],
        error_code::TOO_LONG_KEY | error_code::INDEX_COLUMN_TOO_LONG => ["COMPACT", "REDUNDANT"]
            .map(|format| replacing_rewrite(text, Clause::RowFormat, format, "DYNAMIC"))
            .to_vec(),
        text_default::NO_DEFAULT_OF_TEXT if target.flavour == Flavour::MySql => {
            text_default::rewrite(target, text).into_iter().collect()
        }
        date_literal::INCORRECT_LITERAL => date_literal::propose(text, refusal),
        _ => check_constraint::propose(text, refusal),
    }
    .into_iter()
    .filter(|rewrite| rewrite.text.as_deref() != Some(text) || !rewrite.before.is_empty())
    .collect()
}

/// Names the variable's successor, or leaves a statement that only sets it out.
fn replace_variable(target: &Target, text: &str, variable: &str) -> Vec<Rewrite> {
    let rename = |new: String| {
        let is_it = |token: &Token<'_>| {
            let name = token.text.trim_start_matches('@').rsplit('.').next().unwrap_or_default();
            matches!(token.kind, TokenKind::Word | TokenKind::Variable) && name.eq_ignore_ascii_case(variable)
        };
        let edits: Vec<_> = tokenize(text, SqlMode::default())
            .filter(is_it)
            .map(|token| (token.end() - variable.len()..token.end(), new.clone()))
            .collect();
        let what = format!("{variable} → {new}: the new server's name of the variable");
        Rewrite { what, text: Some(splice(text, &edits)), is_certain: true, ..Rewrite::default() }
    };
    let mut all: Vec<Rewrite> = successor::new_variable(target.flavour, variable).into_iter().map(rename).collect();
    if !sql::is_query(text, SqlMode::default()) {
        all.push(Rewrite {
            what: format!("Leave it out: the new server has no variable {variable}"),
            is_certain: true,
            ..Rewrite::default()
        });
    }
    all
}

/// Says what takes the place of a variable that the new server lacks. `None` if nothing is known, or
/// the refusal is about something else.
pub fn advise_variable(target: &Target, refusal: &Refusal) -> Option<Mend> {
    let variable =
        refusal.message.split('\'').nth(1).filter(|_| refusal.code == error_code::UNKNOWN_SYSTEM_VARIABLE)?;
    let note = successor::explain(target.flavour, variable)?;
    Some(Mend { what: format!("Write the statement without {variable}: {note}"), ..Mend::default() })
}

fn without_strict_modes(sql_mode: &str) -> String {
    let strict = ["STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "TRADITIONAL"];
    let kept: Vec<&str> = sql_mode.split(',').filter(|mode| !mode.is_empty() && !strict.contains(mode)).collect();
    if kept.is_empty() { LENIENT_MODE.to_owned() } else { kept.join(",") }
}

fn replace_collation(target: &Target, text: &str, unknown: &str) -> Vec<Rewrite> {
    // MariaDB's names such as `uca1400_ai_ci` don't tell the character set.
    let full = match unknown.to_lowercase().starts_with("uca1400_") {
        true => vec![format!("utf8mb4_{unknown}"), format!("utf8mb3_{unknown}")],
        false => vec![unknown.to_owned()],
    };
    let mut names: Vec<String> = full.iter().flat_map(|full| substitutes(target, full, unknown)).collect();
    names.dedup();
    let rewrite = |name: &String| Rewrite {
        replaced: vec![(unknown.to_owned(), name.clone())],
        ..replacing_rewrite(text, Clause::Collation, unknown, name)
    };
    names.iter().map(rewrite).collect()
}

/// Collations in place of an unknown one, the nearest first. `written` is the unknown collation's
/// name in the text.
fn substitutes(target: &Target, full: &str, written: &str) -> Vec<String> {
    let current = current_collation_name(full);
    let own = target.written_collation(&current);
    let mut names: Vec<String> = Vec::new();
    if target.collation(&current).is_some() && own != written {
        names.push(own);
    }
    names.extend(target.nearest(full).map(|info| target.written_collation(info.name)));
    let charset = server::collation_charset(&current);
    for rest in ["unicode_520_ci", "unicode_ci", "general_ci", "bin"] {
        names.push(target.written_collation(&format!("{charset}_{rest}")));
    }
    names
}

/// Replaces the collations after COLLATE that the new server lacks. `None` if it lacks none.
pub fn replace_unknown_collations(target: &Target, text: &str) -> Option<Rewrite> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let mut names: Vec<String> = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is_keyword("collate")) {
        let behind = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token.is_symbol('=')));
        let name = tokens.get(behind).and_then(Token::name);
        names.extend(name.filter(|name| target.collation(&current_collation_name(name)).is_none()));
    }
    let mut changed: Option<Rewrite> = None;
    for name in names {
        let current = changed.as_ref().and_then(|one| one.text.as_deref()).unwrap_or(text);
        let Some(next) = replace_collation(target, current, &name).into_iter().next() else { continue };
        if next.text.as_deref() != Some(current) {
            let (what, mut replaced) =
                changed.map_or_else(Default::default, |one| (format!("{}; ", one.what), one.replaced));
            replaced.extend(next.replaced);
            changed = Some(Rewrite { what: what + &next.what, replaced, ..next });
        }
    }
    changed
}

fn replacing_rewrite(text: &str, clause: Clause, name: &str, by: &str) -> Rewrite {
    Rewrite {
        what: format!("In the dump: {name} → {by}"),
        text: Some(replace_in_clauses(text, clause, name, by)),
        is_certain: true,
        ..Rewrite::default()
    }
}

/// Replaces the word boundaries of the old library for regular expressions, which MySQL 8.0 and
/// later don't use. `None` if the statement has none.
pub fn replace_word_boundaries(text: &str, sql_mode: &str) -> Option<Rewrite> {
    let boundary = if sql_mode.contains("NO_BACKSLASH_ESCAPES") { "\\b" } else { "\\\\b" };
    let edit = |token: Token<'_>| {
        let new = token.text.replace("[[:<:]]", boundary).replace("[[:>:]]", boundary);
        (token.kind == TokenKind::StringLiteral && new != token.text).then(|| (token.start..token.end(), new))
    };
    let edits: Vec<_> = tokenize(text, SqlMode::default()).filter_map(edit).collect();
    let what = "In the regular expression: [[:<:]] and [[:>:]] → \\b".to_owned();
    (!edits.is_empty()).then(|| Rewrite {
        what,
        text: Some(splice(text, &edits)),
        is_certain: true,
        ..Rewrite::default()
    })
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
        text: Some(without),
        is_certain: true,
        ..Rewrite::default()
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
        let first = propose(&"mariadb-10.11".parse().unwrap(), text, &error, "", &mut |_| true).remove(0);
        assert_eq!(
            first.text.unwrap(),
            "CREATE TABLE a (b INT COMMENT 'utf8mb4_0900_ai_ci is fine') COLLATE=utf8mb4_uca1400_nopad_ai_ci"
        );
    }

    #[test]
    fn each_unknown_collation_has_its_substitute() {
        let text = "CREATE TABLE a (b CHAR(9) COLLATE utf8mb4_0900_as_ci, c CHAR(9) COLLATE utf8mb4_0900_ai_ci)";
        let rewrite = replace_unknown_collations(&"mariadb-10.2".parse().unwrap(), text).unwrap();
        let replaced: Vec<&str> = rewrite.replaced.iter().map(|(old, _)| old.as_str()).collect();
        assert_eq!(replaced, ["utf8mb4_0900_as_ci", "utf8mb4_0900_ai_ci"]);
    }

    #[test]
    fn other_engines_keep_the_values_of_columns() {
        let text = "CREATE TABLE a (b CHAR(9) DEFAULT 'MyISAM', myisam INT) ENGINE=MyISAM PARTITION BY HASH (myisam)";
        let error = refusal(1178, "The storage engine for the table doesn't support native partitioning");
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| true).remove(0);
        assert_eq!(
            first.text.unwrap(),
            "CREATE TABLE a (b CHAR(9) DEFAULT 'MyISAM', myisam INT) ENGINE=InnoDB PARTITION BY HASH (myisam)"
        );
    }

    #[test]
    fn names_without_a_character_set_become_whole() {
        let text = "CREATE PROCEDURE p(q VARCHAR(9) CHARACTER SET utf8mb4 COLLATE uca1400_as_ci) SELECT 1";
        let error = refusal(1273, "Unknown collation: 'uca1400_as_ci'");
        let all = propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| true);
        assert!(all[0].text.as_ref().unwrap().contains("COLLATE utf8mb4_0900_as_ci)"), "{all:?}");
        assert!(all.iter().all(|one| !one.what.contains("→ uca1400")), "{all:?}");
    }

    #[test]
    fn quotes_reserved_words() {
        let text = "CREATE TABLE a (rank INT, b INT, KEY (rank))";
        let error = refusal(1064, "You have an error … near 'rank INT, b INT, KEY (rank))' at line 1");
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| true).remove(0);
        assert_eq!(first.text.unwrap(), "CREATE TABLE a (`rank` INT, b INT, KEY (`rank`))");
    }

    #[test]
    fn words_that_are_not_reserved_are_not_quoted() {
        let text = "CREATE PROCEDURE p() SELECT PASSWORD('x')";
        let error = refusal(1064, "You have an error … near '('x')' at line 1");
        assert_eq!(propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| false), Vec::new());
    }

    #[test]
    fn word_boundaries_are_those_of_icu() {
        let error = refusal(3685, "Illegal argument to a regular expression.");
        let text = "SELECT a REGEXP '[[:<:]]x[[:>:]]'";
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| true).remove(0);
        assert_eq!(first.text.unwrap(), r"SELECT a REGEXP '\\bx\\b'");
    }

    #[test]
    fn removes_modes() {
        let text = "/*!50003 SET sql_mode = 'NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */";
        let error = refusal(1231, "Variable 'sql_mode' can't be set to the value of 'NO_AUTO_CREATE_USER'");
        let first = propose(&"mysql-9".parse().unwrap(), text, &error, "", &mut |_| true).remove(0);
        assert_eq!(first.text.unwrap(), "/*!50003 SET sql_mode = 'NO_ENGINE_SUBSTITUTION' */");
    }
}
