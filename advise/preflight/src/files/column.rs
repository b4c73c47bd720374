//! Parses columns of CREATE TABLE statements.

use facts::{Column, Generated, Table};
use sql::{SqlMode, Token, TokenKind, closing_parenthesis, tokenize};

use super::origin::Origin;

/// Returns the tokens that servers execute: without comments and the marks of conditional ones.
pub fn content_tokens(text: &str) -> Vec<Token<'_>> {
    tokenize(text, SqlMode::default()).filter(Token::is_content).collect()
}

/// Returns the tokens outside of parentheses.
pub fn outer_tokens<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let (mut outer, mut depth) = (Vec::new(), 0_usize);
    for token in tokens {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            outer.push(*token);
        }
    }
    outer
}

/// True if the words follow each other.
pub fn has_words(tokens: &[Token<'_>], words: &[&str]) -> bool {
    find_words(tokens, words).is_some()
}

fn find_words(tokens: &[Token<'_>], words: &[&str]) -> Option<usize> {
    tokens.windows(words.len()).position(|window| window.iter().zip(words).all(|(token, word)| token.is_keyword(word)))
}

/// Returns the value after the words of an option, such as COLLATE, in lower case.
pub fn find_option(outer: &[Token<'_>], words: &[&str]) -> Option<String> {
    let after = find_words(outer, words)? + words.len();
    let value = outer[after..].iter().find(|token| !token.is_symbol('='))?;
    Some(value.text.trim_matches(['\'', '"', '`']).to_lowercase())
}

/// Returns the character set that a column or table names, in lower case.
pub fn find_charset(outer: &[Token<'_>]) -> Option<String> {
    find_option(outer, &["CHARACTER", "SET"]).or_else(|| find_option(outer, &["CHARSET"]))
}

/// True for a text type under a name that the servers don't print, or with an attribute that they
/// print as a character set or collation: `nchar(9)`, `varchar(9) ascii`.
pub fn is_other_text(definition: &str) -> bool {
    let tokens = content_tokens(definition);
    let other_types =
        ["NATIONAL", "NCHAR", "NVARCHAR", "NVARCHAR2", "VARCHAR2", "VARCHARACTER", "CHARACTER", "LONG", "CLOB"];
    let has_type = |words: &[&str]| tokens.first().is_some_and(|token| token.is_any_keyword(words));
    let is_value = |word: &Token<'_>| word.is_any_keyword(&["SET", "CHARSET", "COLLATE"]) || word.is_symbol('=');
    let has_attribute = || {
        outer_tokens(&tokens)
            .windows(2)
            .any(|pair| pair[1].is_any_keyword(&["BINARY", "ASCII", "UNICODE", "BYTE"]) && !is_value(&pair[0]))
    };
    has_type(&other_types) || (has_type(&TEXT_TYPES) && has_attribute())
}

pub const TEXT_TYPES: [&str; 8] = ["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"];

/// Parses a column's definition, without the name.
pub fn parse_column(table: &Table, name: &str, definition: &str, origin: Origin) -> Column {
    let tokens = content_tokens(definition);
    let outer = outer_tokens(&tokens);
    let data_type = tokens.first().map_or(String::new(), |token| token.text.to_lowercase());
    let is_text = TEXT_TYPES.contains(&data_type.as_str());
    let collation = find_option(&outer, &["COLLATE"]).or_else(|| match find_charset(&outer) {
        Some(charset) => origin.default_collation(&charset),
        None => table.collation.clone(),
    });
    let charset = collation.as_deref().map(|name| name.split('_').next().unwrap_or(name).to_owned());
    let numbers = type_numbers(&tokens);
    let length = numbers.first().copied();
    let is_bytes = matches!(data_type.as_str(), "binary" | "varbinary" | "vector");
    let is_number = matches!(data_type.as_str(), "decimal" | "bit" | "time" | "timestamp" | "datetime");
    let default_length = crate::limits::max_text_bytes(&data_type)
        .or_else(|| matches!(data_type.as_str(), "char" | "binary").then_some(1));
    Column {
        name: name.to_owned(),
        position: table.columns.len() as u32 + 1,
        column_type: definition.to_owned(),
        charset: charset.filter(|_| is_text),
        collation: collation.filter(|_| is_text),
        characters: length.or(default_length).filter(|_| is_text || is_bytes),
        bytes: length,
        precision: length.filter(|_| is_number),
        scale: numbers.get(1).copied(),
        generated: find_generated(definition, &tokens),
        extra: describe_extra(&outer),
        nullable: !has_words(&outer, &["NOT", "NULL"]),
        data_type,
        ..Column::default()
    }
}

/// Returns the numbers in parentheses after the type: 9 for `varchar(9)`, 10 and 2 for
/// `decimal(10,2)`. Empty without parentheses.
fn type_numbers(tokens: &[Token<'_>]) -> Vec<u64> {
    match tokens {
        [_, open, inside @ ..] if open.is_symbol('(') => inside
            .iter()
            .take_while(|token| token.kind == TokenKind::Number || token.is_symbol(','))
            .filter_map(|token| token.text.parse().ok())
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the expression of `AS (…)`. `None` for columns that are not generated, and for those of
/// a row's time, `AS ROW START`.
fn find_generated(definition: &str, tokens: &[Token<'_>]) -> Option<Generated> {
    let mut depth = 0_usize;
    let at = tokens.windows(2).position(|pair| {
        if pair[0].is_symbol('(') {
            depth += 1;
        } else if pair[0].is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && pair[0].is_keyword("AS") && pair[1].is_symbol('(')
    })?;
    let (open, inside) = (tokens[at + 1], &tokens[at + 2..]);
    let close = closing_parenthesis(inside)?;
    Some(Generated {
        expression: definition[open.end()..inside[close].start].to_owned(),
        stored: inside[close..].iter().any(|token| token.is_any_keyword(&["STORED", "PERSISTENT"])),
    })
}

/// Returns words as in `EXTRA` of `information_schema`: how the column is generated, and INVISIBLE.
fn describe_extra(outer: &[Token<'_>]) -> String {
    let is_stored = outer.iter().any(|token| token.is_any_keyword(&["STORED", "PERSISTENT", "ROW"]));
    let is_generated = outer.iter().any(|token| token.is_keyword("AS"));
    let mut words = Vec::new();
    if is_generated {
        words.push(if is_stored { "STORED GENERATED" } else { "VIRTUAL GENERATED" });
    }
    if outer.iter().any(|token| token.is_keyword("INVISIBLE")) {
        words.push("INVISIBLE");
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use mysql_collation::Flavour;

    use super::*;

    fn origin() -> Origin {
        Origin::unknown(Flavour::MySql)
    }

    fn collation(definition: &str) -> Option<String> {
        let table = Table { collation: Some("latin1_swedish_ci".into()), ..Table::default() };
        parse_column(&table, "a", definition, origin()).collation
    }

    #[test]
    fn options_are_not_read_from_strings_and_expressions() {
        for definition in [
            "varchar(20) DEFAULT NULL COMMENT 'todo: COLLATE utf8mb4_unicode_ci (JIRA-123)'",
            "varchar(20) DEFAULT 'COLLATE latin1_bin'",
            "varchar(20) COMMENT 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'",
            "enum('a','COLLATE latin1_bin')",
            "varchar(20) /* COLLATE latin1_bin */ NOT NULL",
            "varchar(20) GENERATED ALWAYS AS (`b` COLLATE latin1_bin) STORED",
            "varchar(20) CHECK (`a` <> 'x' COLLATE latin1_bin)",
        ] {
            assert_eq!(collation(definition).as_deref(), Some("latin1_swedish_ci"), "{definition}");
        }
        for (definition, name) in [
            (
                "varchar(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL COMMENT 'COLLATE utf8mb4_bin'",
                "latin1_bin",
            ),
            ("varchar(20) /*!40101 CHARACTER SET utf8mb3 */ NOT NULL", "utf8mb3_general_ci"),
            ("varchar(20) NOT NULL COLLATE 'latin1_bin'", "latin1_bin"),
            ("varchar(20) CHARSET utf8", "utf8mb3_general_ci"),
        ] {
            assert_eq!(collation(definition).as_deref(), Some(name), "{definition}");
        }
    }

    #[test]
    fn lengths_and_nulls_are_not_read_from_strings() {
        let column = parse_column(&Table::default(), "a", "text COMMENT 'NOT NULL (5)'", origin());
        assert_eq!((column.nullable, column.characters), (true, Some(65_535)));
    }

    #[test]
    fn generated_columns_have_expressions() {
        let column = |definition: &str| parse_column(&Table::default(), "h", definition, origin());
        let stored = column("char(64) GENERATED ALWAYS AS (sha2(`a`,256)) STORED NOT NULL");
        assert_eq!(stored.generated, Some(Generated { expression: "sha2(`a`,256)".into(), stored: true }));
        assert!(!column("int AS ((`a` = _latin1'ss')) VIRTUAL").generated.unwrap().stored);
        for other in [
            "timestamp(6) GENERATED ALWAYS AS ROW START",
            "int CHECK (cast(`a` as char(2)) > 1)",
            "int COMMENT 'AS (1)'",
        ] {
            assert_eq!(column(other).generated, None, "{other}");
        }
    }

    #[test]
    fn lengths_of_all_types_are_read() {
        let column = |definition: &str| parse_column(&Table::default(), "h", definition, origin());
        assert_eq!((column("varbinary(9)").characters, column("char").characters), (Some(9), Some(1)));
        let decimal = column("decimal(10,2) NOT NULL");
        assert_eq!((decimal.precision, decimal.scale), (Some(10), Some(2)));
        assert_eq!((column("enum('a','b')").characters, column("datetime(6)").precision), (None, Some(6)));
    }

    #[test]
    fn other_names_of_text_types_are_recognised() {
        for definition in ["nchar(9)", "national varchar(9)", "varchar(9) ascii", "char(9) NOT NULL binary"] {
            assert!(is_other_text(definition), "{definition}");
        }
        for definition in ["varchar(9) CHARACTER SET ascii", "char(9) COLLATE binary", "int", "text COMMENT 'ascii'"] {
            assert!(!is_other_text(definition), "{definition}");
        }
    }
}
