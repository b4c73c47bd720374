//! Names in clauses: `COLLATE name`, `CHARSET=name`, `ENGINE='name'`, `SET collation_server = name`.

use std::ops::Range;

use sql::{SqlMode, Token, TokenKind, tokenize};

use crate::remedy::splice;

/// A clause that gives a name, and the server's variables with such names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    CharacterSet,
    Collation,
    Engine,
    RowFormat,
}

/// Words before an expression or an assignment, in which `engine = 'x'` names a column or a variable
/// of a program.
const COLUMN_WORDS: [&str; 10] = ["where", "and", "or", "not", "on", "when", "if", "having", "select", "set"];

/// Words before a variable that is set.
const SET_WORDS: [&str; 7] = ["set", "session", "global", "local", "persist", "persist_only", "statement"];

/// Replaces a name in its clauses, and keeps the quotes. Names of columns, other strings and
/// comments with the same text stay.
pub fn replace_in_clauses(text: &str, clause: Clause, name: &str, by: &str) -> String {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let edit = |at: usize| {
        let inside = range_in_quotes(&tokens[at])?;
        let is_replaced = text[inside.clone()].eq_ignore_ascii_case(name) && clause.gives_next(&tokens[..at]);
        is_replaced.then(|| (inside, by.to_owned()))
    };
    splice(text, &(0..tokens.len()).filter_map(edit).collect::<Vec<_>>())
}

/// Range of a name or string without its quotes. `None` for other tokens.
fn range_in_quotes(token: &Token<'_>) -> Option<Range<usize>> {
    match token.kind {
        TokenKind::Word => Some(token.start..token.end()),
        TokenKind::QuotedName | TokenKind::StringLiteral if token.is_closed && token.text.len() > 1 => {
            Some(token.start + 1..token.end() - 1)
        }
        _ => None,
    }
}

impl Clause {
    /// True if the token after `before` is the name of such a clause.
    fn gives_next(self, before: &[Token<'_>]) -> bool {
        let is_sign = |token: &Token<'_>| token.is_symbol('=') || token.is_symbol(':');
        let end = before.iter().rposition(|token| !is_sign(token)).map_or(0, |at| at + 1);
        let has_sign = end < before.len();
        let [rest @ .., word] = &before[..end] else { return false };
        let last = rest.last();
        if has_sign && self.has_variable(word) {
            return last.is_some_and(|token| token.is_symbol(',') || token.is_any_keyword(&SET_WORDS));
        }
        let follows = |words: &[&str]| last.is_some_and(|token| token.is_any_keyword(words));
        let follows_symbol = |symbol: char| last.is_some_and(|token| token.is_symbol(symbol));
        let is_column = has_sign && (follows_symbol('.') || follows_symbol('(') || follows(&COLUMN_WORDS));
        match self {
            Self::CharacterSet => {
                word.is_keyword("charset") && !is_column
                    || word.is_keyword("set") && follows(&["character", "char"])
                    || !has_sign && (word.is_keyword("using") || word.is_keyword("names") && follows(&["set"]))
            }
            Self::Collation => word.is_keyword("collate"),
            Self::Engine => word.is_keyword("engine") && !is_column,
            Self::RowFormat => word.is_keyword("row_format") && !is_column,
        }
    }

    /// True for variables such as `collation_server`, `@@SESSION.collation_server`.
    fn has_variable(self, token: &Token<'_>) -> bool {
        if !matches!(token.kind, TokenKind::Word | TokenKind::Variable) {
            return false;
        }
        let name = token.text.rsplit(['@', '.']).next().unwrap_or_default().to_lowercase();
        match self {
            Self::CharacterSet => name.starts_with("character_set_"),
            Self::Collation => name.starts_with("collation_") || name == "default_collation_for_utf8mb4",
            Self::Engine => name.ends_with("storage_engine"),
            Self::RowFormat => name == "innodb_default_row_format",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_clauses_are_replaced() {
        for (clause, name, text, replaced) in [
            (
                Clause::Collation,
                "utf8_x",
                "CREATE TABLE t (a VARCHAR(9) DEFAULT 'utf8_x' COLLATE utf8_X, utf8_x INT) COLLATE='utf8_x'",
                "CREATE TABLE t (a VARCHAR(9) DEFAULT 'utf8_x' COLLATE NEW, utf8_x INT) COLLATE='NEW'",
            ),
            (
                Clause::Collation,
                "utf8_x",
                "/*!50003 SET @@SESSION.collation_server = utf8_x, collation_connection := `utf8_x` */",
                "/*!50003 SET @@SESSION.collation_server = NEW, collation_connection := `NEW` */",
            ),
            (
                Clause::Collation,
                "utf8_x",
                "SELECT 1 FROM t WHERE a COLLATE utf8_x = 'utf8_x' AND collation_name = 'utf8_x'",
                "SELECT 1 FROM t WHERE a COLLATE NEW = 'utf8_x' AND collation_name = 'utf8_x'",
            ),
            (
                Clause::CharacterSet,
                "x",
                "SELECT CONVERT(a USING x), CAST(b AS CHAR CHARACTER SET x), x FROM t WHERE charset = 'x' AND names = 'x'",
                "SELECT CONVERT(a USING NEW), CAST(b AS CHAR CHARACTER SET NEW), x FROM t WHERE charset = 'x' AND names = 'x'",
            ),
            (
                Clause::CharacterSet,
                "x",
                "SET CHARSET x; SET NAMES 'x', character_set_results = x; SET charset = 'x'",
                "SET CHARSET NEW; SET NAMES 'NEW', character_set_results = NEW; SET charset = 'x'",
            ),
            (
                Clause::CharacterSet,
                "x",
                "CREATE TABLE t (x INT COMMENT 'x', b CHAR(1) CHARSET x) DEFAULT CHARACTER SET = x",
                "CREATE TABLE t (x INT COMMENT 'x', b CHAR(1) CHARSET NEW) DEFAULT CHARACTER SET = NEW",
            ),
            (
                Clause::Engine,
                "MyISAM",
                "CREATE TABLE t (engine CHAR(9) DEFAULT 'MyISAM', myisam INT) ENGINE=MyISAM /*!50100 PARTITION BY HASH (id) (PARTITION p ENGINE = MyISAM) */",
                "CREATE TABLE t (engine CHAR(9) DEFAULT 'MyISAM', myisam INT) ENGINE=NEW /*!50100 PARTITION BY HASH (id) (PARTITION p ENGINE = NEW) */",
            ),
            (
                Clause::Engine,
                "MyISAM",
                "CREATE TABLE t ENGINE=MyISAM AS SELECT * FROM i WHERE engine = 'MyISAM' OR i.engine = 'MyISAM'",
                "CREATE TABLE t ENGINE=NEW AS SELECT * FROM i WHERE engine = 'MyISAM' OR i.engine = 'MyISAM'",
            ),
            (Clause::Engine, "MyISAM", "SET default_storage_engine = 'MyISAM'", "SET default_storage_engine = 'NEW'"),
            (
                Clause::RowFormat,
                "COMPACT",
                "CREATE TABLE t (compact INT, a VARCHAR(9) DEFAULT 'Compact') ROW_FORMAT=COMPACT",
                "CREATE TABLE t (compact INT, a VARCHAR(9) DEFAULT 'Compact') ROW_FORMAT=NEW",
            ),
        ] {
            assert_eq!(replace_in_clauses(text, clause, name, "NEW"), replaced);
        }
    }
}
