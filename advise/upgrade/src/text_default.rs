//! Defaults of TEXT, BLOB, JSON and GEOMETRY columns. MariaDB takes literals from 10.2.1 on, MySQL
//! expressions in parentheses from 8.0.13 on.

use check::Target;
use sql::{SqlMode, Token, TokenKind, tokenize};
use why::splice;

use crate::mend::Rewrite;

pub const NO_DEFAULT_OF_TEXT: u16 = 1101;

const TYPES: [&str; 18] = [
    "tinytext",
    "text",
    "mediumtext",
    "longtext",
    "long",
    "tinyblob",
    "blob",
    "mediumblob",
    "longblob",
    "json",
    "geometry",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
];

/// Puts the defaults of such columns in parentheses, or leaves them out where the server takes none.
pub fn rewrite(target: &Target, text: &str) -> Option<Rewrite> {
    let takes_expressions = target.version >= (8, 0, 13);
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
    let mut edits = Vec::new();
    for at in 1..tokens.len().saturating_sub(1) {
        let value = tokens[at + 1];
        let is_literal = matches!(value.kind, TokenKind::StringLiteral | TokenKind::Number | TokenKind::HexOrBit);
        if !tokens[at].is_keyword("default") || !is_literal || !is_of_text(&tokens[..at]) {
            continue;
        }
        edits.push(match takes_expressions {
            true => (value.start..value.end(), format!("({})", value.text)),
            false => (tokens[at - 1].end()..value.end(), String::new()),
        });
    }
    let (what, effects) = match takes_expressions {
        true => {
            ("DEFAULT 'x' → DEFAULT ('x'): MySQL takes the default of such a column in parentheses only", Vec::new())
        }
        false => (
            "Leave out the defaults of TEXT, BLOB and JSON columns: the new server takes none",
            vec![
                "In strict mode, an INSERT that leaves out such a column with NOT NULL fails (error 1364).".to_owned(),
            ],
        ),
    };
    (!edits.is_empty()).then(|| Rewrite {
        what: what.into(),
        text: Some(splice(text, &edits)),
        is_certain: true,
        effects,
        ..Rewrite::default()
    })
}

/// True if the definition that these tokens end with is one of a column of [`TYPES`].
fn is_of_text(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    let begin = tokens.iter().rposition(|token| {
        if token.is_symbol(')') {
            depth += 1;
        } else if token.is_symbol('(') && depth > 0 {
            depth -= 1;
            return false;
        }
        let begins = token.is_symbol('(') || token.is_symbol(',');
        depth == 0 && (begins || token.is_any_keyword(&["add", "modify", "change", "column"]))
    });
    let definition = begin.map_or(tokens, |begin| &tokens[begin + 1..]);
    // The name comes first; `CHANGE a b TEXT` has two.
    definition.iter().skip(1).take(2).any(|token| token.is_any_keyword(&TYPES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(target: &str, text: &str) -> Option<String> {
        rewrite(&target.parse().unwrap(), text).and_then(|one| one.text)
    }

    #[test]
    fn defaults_of_texts_are_in_parentheses() {
        let text = "CREATE TABLE t (n VARCHAR(9) DEFAULT '', d DECIMAL(3,1) DEFAULT 1, b TEXT NOT NULL DEFAULT 'a,b', \
                    o longtext CHARACTER SET utf8mb4 DEFAULT '[]' CHECK (json_valid(o)), e ENUM('text') DEFAULT 'text')";
        let new = "CREATE TABLE t (n VARCHAR(9) DEFAULT '', d DECIMAL(3,1) DEFAULT 1, b TEXT NOT NULL DEFAULT ('a,b'), \
                   o longtext CHARACTER SET utf8mb4 DEFAULT ('[]') CHECK (json_valid(o)), e ENUM('text') DEFAULT 'text')";
        assert_eq!(rewritten("mysql-9", text).as_deref(), Some(new));
        let new = "CREATE TABLE t (n VARCHAR(9) DEFAULT '', d DECIMAL(3,1) DEFAULT 1, b TEXT NOT NULL, \
                   o longtext CHARACTER SET utf8mb4 CHECK (json_valid(o)), e ENUM('text') DEFAULT 'text')";
        assert_eq!(rewritten("mysql-5.7", text).as_deref(), Some(new));
        let text = "ALTER TABLE t ADD COLUMN b TEXT DEFAULT '', CHANGE a c JSON DEFAULT '{}'";
        let new = "ALTER TABLE t ADD COLUMN b TEXT DEFAULT (''), CHANGE a c JSON DEFAULT ('{}')";
        assert_eq!(rewritten("mysql-9", text).as_deref(), Some(new));
        assert_eq!(rewritten("mysql-9", "CREATE TABLE t (a TEXT DEFAULT NULL, b INT DEFAULT 1)"), None);
    }
}
