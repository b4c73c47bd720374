//! Finds the character sets, collations and schemas that a statement names.

use std::collections::HashSet;

use crate::distinct::Distinct;
use sql::{SqlMode, Token, TokenKind};

use super::tokens_in;

/// Clause of a statement that names a character set or a collation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mention {
    /// `COLLATE name`.
    Collate(String),
    /// `_charset'…'`.
    Introducer(String),
    /// `CONVERT(… USING charset)`.
    Using(String),
    /// `CHARACTER SET charset`, `CHARSET charset`, in a definition or a `CAST`.
    Charset(String),
    /// `SET NAMES charset`.
    SetNames(String),
}

impl std::fmt::Display for Mention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mention::Collate(name) => write!(f, "COLLATE {name}"),
            Mention::Introducer(name) => write!(f, "_{name}'…'"),
            Mention::Using(name) => write!(f, "CONVERT(… USING {name})"),
            Mention::Charset(name) => write!(f, "CHARACTER SET {name}"),
            Mention::SetNames(name) => write!(f, "SET NAMES {name}"),
        }
    }
}

impl Mention {
    /// Returns the name that follows `COLLATE`. `None` for clauses that name a character set.
    pub fn collation(&self) -> Option<&str> {
        match self {
            Mention::Collate(name) => Some(name),
            _ => None,
        }
    }
}

/// Finds the clauses of a statement or an expression that name character sets and collations.
///
/// Equal clauses are returned once, in the order of the text.
pub fn find_mentions(text: &str) -> Vec<Mention> {
    find_mentions_in(text, SqlMode::default())
}

/// As [`find_mentions`], of a text that is read in an SQL mode.
pub fn find_mentions_in(text: &str, mode: SqlMode) -> Vec<Mention> {
    let tokens = tokens_in(text, mode);
    let mut mentions = Distinct::default();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
        let next = tokens.get(at + 1);
        let mention = match token.text.to_ascii_lowercase().as_str() {
            "collate" => name_after(&tokens, at).map(Mention::Collate),
            "using" if is_convert(&tokens, at) => name_after(&tokens, at).map(Mention::Using),
            "charset" => name_after(&tokens, at).map(Mention::Charset),
            "set" if is_word_at(&tokens, at.wrapping_sub(1), &["character", "char"]) => {
                name_after(&tokens, at).map(Mention::Charset)
            }
            "names" if is_word_at(&tokens, at.wrapping_sub(1), &["set"]) => {
                name_after(&tokens, at).map(Mention::SetNames)
            }
            lower if lower.starts_with('_') && is_introducer(lower, next) => {
                Some(Mention::Introducer(lower[1..].to_owned()))
            }
            _ => None,
        };
        if let Some(mention) = mention {
            mentions.add(mention);
        }
    }
    mentions.list
}

fn is_word_at(tokens: &[Token<'_>], at: usize, words: &[&str]) -> bool {
    tokens.get(at).is_some_and(|token| token.is_any_keyword(words))
}

/// Returns the name after a keyword, in lower case: `latin1` for `CHARSET = Latin1`.
fn name_after(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let mut after = tokens[at + 1..].iter().skip_while(|token| token.is_symbol('='));
    let token = after.next()?;
    match token.kind {
        TokenKind::StringLiteral => Some(token.text.trim_matches(['\'', '"']).to_lowercase()),
        _ => token.name().map(|name| name.to_lowercase()),
    }
}

/// True if `USING` belongs to `CONVERT(…)`, not to a join (`USING (id)`) or an index (`USING
/// BTREE`): a character set's name follows.
fn is_convert(tokens: &[Token<'_>], at: usize) -> bool {
    name_after(tokens, at).is_some_and(|name| rules::charset::max_bytes(&name).is_some())
}

/// True for `_utf8mb4'…'` and `_binary X'…'`, false for a column named `_utf8mb4`.
fn is_introducer(word: &str, next: Option<&Token<'_>>) -> bool {
    let is_literal = next.is_some_and(|token| matches!(token.kind, TokenKind::StringLiteral | TokenKind::HexOrBit));
    is_literal && rules::charset::max_bytes(&word[1..]).is_some()
}

/// Finds the schemas that a text names before tables, columns and programs: `log` in `FROM
/// log.entries`, `log.entries.id`, `log.f(1)` and `CALL log.add`. Tables and aliases before a dot
/// are left out.
pub fn find_schemas(text: &str, mode: SqlMode) -> Vec<String> {
    let tokens = tokens_in(text, mode);
    let tables: HashSet<usize> = sql::find_tables_with_offsets(&tokens).into_iter().map(|(_, at)| at).collect();
    let is_dot = |at: usize| tokens.get(at).is_some_and(|token| token.is_symbol('.'));
    let is_named = |at: &usize| {
        let is_object = tables.contains(&tokens[*at].start) || is_behind_object_word(&tokens[..*at]);
        let is_call = tokens.get(at + 3).is_some_and(|token| token.is_symbol('('));
        is_dot(at + 1) && !is_dot(at.wrapping_sub(1)) && (is_object || is_call || is_dot(at + 3))
    };
    (0..tokens.len()).filter(is_named).filter_map(|at| tokens[at].name()).collect::<Distinct<String>>().list
}

/// True if a table or a procedure follows: after `CALL` and `TRUNCATE`, and after `FROM` and `JOIN`
/// with parentheses, as servers print views: ``from (`log`.`a` join …)``.
fn is_behind_object_word(before: &[Token<'_>]) -> bool {
    let Some(word) = before.iter().rposition(|token| !token.is_symbol('(')) else { return false };
    match word + 1 == before.len() {
        true => before[word].is_any_keyword(&["call", "truncate"]),
        false => before[word].is_any_keyword(&["from", "join", "straight_join"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display_mentions(text: &str) -> Vec<String> {
        find_mentions(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn finds_clauses() {
        assert_eq!(
            display_mentions("SELECT a FROM t ORDER BY a COLLATE utf8_bin, `b` collate 'latin1_bin'"),
            ["COLLATE utf8_bin", "COLLATE latin1_bin"]
        );
        assert_eq!(
            display_mentions("select _utf8mb4'x', _latin1 x'E4', _binary 0xE4"),
            ["_utf8mb4'…'", "_latin1'…'", "_binary'…'"]
        );
        assert_eq!(
            display_mentions("select convert(a using latin1) from t join u using (id)"),
            ["CONVERT(… USING latin1)"]
        );
        assert_eq!(
            display_mentions("SET NAMES utf8; cast(a as char character set utf8)"),
            ["SET NAMES utf8", "CHARACTER SET utf8"]
        );
        assert_eq!(
            display_mentions("create table t (a text) default charset=latin1 collate = latin1_bin"),
            ["CHARACTER SET latin1", "COLLATE latin1_bin"]
        );
    }

    #[test]
    fn reads_expressions_as_mysql_prints_them() {
        let printed = r"(concat(`a`,_latin1\'x collate y\') collate utf8mb4_bin)";
        assert_eq!(display_mentions(printed), ["_latin1'…'", "COLLATE utf8mb4_bin"]);
    }

    #[test]
    fn ignores_text_comments_and_names() {
        for text in [
            "select 'COLLATE utf8_bin', \"it''s collate x\"",
            "-- collate utf8_bin\nselect 1 # collate x",
            "select /* collate utf8_bin */ `collate x` from _utf8",
            "select 'a\\' collate utf8_bin'",
            "select _private, _utf8 from t using (latin2x)",
        ] {
            assert_eq!(display_mentions(text), [""; 0], "{text}");
        }
        assert_eq!(display_mentions("/*!50100 collate utf8_bin */"), ["COLLATE utf8_bin"]);
    }

    #[test]
    fn finds_schemas() {
        for (text, schemas) in [
            ("insert into `log`.entries select new.id, other . x from 'a.b'", "log"),
            ("select `s`.`t`.`a` AS `a` from (`s`.`t` join (`u`.`v` join `w`) on(`v`.`b` = `w`.`b`))", "s u"),
            ("begin call tools.clean; set @a = words.count_of (x.y); truncate old.t; end", "tools words old"),
            (
                "select p.name, log.id from parcels p join entries log on log.id = p.id where trim('x' from p.a) = ''",
                "",
            ),
            ("update t, `log`.u set t.a = u.a, t.b = f(u.c)", "log"),
        ] {
            assert_eq!(find_schemas(text, SqlMode::default()).join(" "), schemas, "{text}");
        }
    }
}
