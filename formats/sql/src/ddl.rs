//! Parts of `SHOW CREATE TABLE`. It is the only source of complete column definitions.

mod reference;

use crate::quote::unquote_string;
use crate::sql_mode::SqlMode;
use crate::token::{Token, TokenKind, tokenize, tokenize_uncommented};
pub use reference::{Reference, find_references};

/// Returns the members of `enum('a','b')` or `set(…)`; nothing for other types. A DEFAULT or
/// COMMENT may follow. The servers print members with backslash escapes in every `sql_mode` (seen
/// on MySQL 5.6 to 9.7 and MariaDB 10.1 to 11.8).
pub fn parse_members(column_type: &str) -> Vec<String> {
    let mut tokens = tokenize(column_type, SqlMode::default());
    if !tokens.next().is_some_and(|token| token.is_any_keyword(&["enum", "set"])) {
        return Vec::new();
    }
    tokens
        .take_while(|token| !token.is_symbol(')'))
        .filter(|token| token.kind == TokenKind::StringLiteral)
        .map(|token| unquote_string(token.text, SqlMode::default()))
        .collect()
}

/// Splits the outermost parentheses of `CREATE TABLE` into definitions: columns, indexes,
/// constraints. Returns nothing for a text without parentheses.
pub fn split_definitions(create: &str) -> Vec<&str> {
    split_create(create).0
}

/// Returns the text behind the definitions: ` ENGINE=InnoDB …`, with partitions.
pub fn table_options(create: &str) -> &str {
    split_create(create).1
}

fn split_create(create: &str) -> (Vec<&str>, &str) {
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    for token in tokenize(create, SqlMode::default()) {
        if token.is_symbol('(') {
            depth += 1;
            if depth == 1 {
                begin = token.end();
            }
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                found.push(create[begin..token.start].trim());
                return (found, &create[token.end()..]);
            }
        } else if token.is_symbol(',') && depth == 1 {
            found.push(create[begin..token.start].trim());
            begin = token.end();
        }
    }
    (found, "")
}

/// Returns a column's definition without the name: `int NOT NULL` of `` `id` int NOT NULL``.
pub fn find_column<'c>(create: &'c str, name: &str) -> Option<&'c str> {
    let quoted = crate::quote_identifier(name);
    split_definitions(create)
        .into_iter()
        .find_map(|definition| definition.strip_prefix(quoted.as_str())?.strip_prefix(' '))
}

/// Returns the three pieces of an index's definition: ``UNIQUE KEY `name` ``, the columns or
/// expressions within the parentheses, and what follows them. `PRIMARY` is the primary key.
pub fn find_index<'c>(create: &'c str, name: &str) -> Option<(&'c str, &'c str, &'c str)> {
    let definition = split_definitions(create).into_iter().find(|definition| defines_index(definition, name))?;
    let (mut depth, mut begin) = (0_usize, 0);
    for token in tokenize(definition, SqlMode::default()) {
        if token.is_symbol('(') {
            depth += 1;
            if depth == 1 {
                begin = token.start;
            }
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                let parts = &definition[begin + 1..token.start];
                return Some((definition[..begin].trim_end(), parts, &definition[token.end()..]));
            }
        }
    }
    None
}

/// Returns the position of an index among the definitions of `SHOW CREATE TABLE`.
pub fn index_position(create: &str, name: &str) -> Option<usize> {
    split_definitions(create).iter().position(|definition| defines_index(definition, name))
}

fn defines_index(definition: &str, name: &str) -> bool {
    let quoted = crate::quote_identifier(name);
    let kinds = ["KEY ", "UNIQUE KEY ", "FULLTEXT KEY ", "SPATIAL KEY "];
    match name {
        "PRIMARY" => definition.starts_with("PRIMARY KEY"),
        _ => kinds.iter().any(|kind| {
            definition
                .strip_prefix(kind)
                .and_then(|rest| rest.strip_prefix(&quoted))
                .is_some_and(|rest| rest.starts_with(' '))
        }),
    }
}

/// Returns the foreign keys, each with its quoted name and its definition:
/// ``CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`b`)``.
pub fn find_foreign_keys(create: &str) -> Vec<(&str, &str)> {
    let name_of = |definition| {
        let mut tokens = tokenize(definition, SqlMode::default());
        let begins = tokens.next().is_some_and(|token| token.is_keyword("CONSTRAINT"));
        let name = tokens.next().filter(|_| begins)?;
        tokens.next().is_some_and(|token| token.is_keyword("FOREIGN")).then_some(name.text)
    };
    split_definitions(create).into_iter().filter_map(|one| Some((name_of(one)?, one))).collect()
}

/// Returns what a foreign key does ON an event, `UPDATE` or `DELETE`: RESTRICT, CASCADE, SET NULL
/// or NO ACTION. Empty without such a clause.
pub fn referential_action(definition: &str, event: &str) -> &'static str {
    let tokens = tokenize_uncommented(definition, SqlMode::default());
    let clause = tokens.windows(3).find(|words| words[0].is_keyword("ON") && words[1].is_keyword(event));
    match clause.map(|words| words[2].text.to_uppercase()).as_deref() {
        Some("CASCADE") => "CASCADE",
        Some("RESTRICT") => "RESTRICT",
        // SET DEFAULT is refused by InnoDB.
        Some("SET") => "SET NULL",
        Some(_) => "NO ACTION",
        None => "",
    }
}

/// Splits a column definition into the text before `DEFAULT`, the default, and the text after it:
/// `varchar(9) `, `'x'`, ` COMMENT 'y'`. `None` without DEFAULT.
pub fn split_default(definition: &str) -> Option<(&str, &str, &str)> {
    let mut tokens = tokenize(definition, SqlMode::default());
    let mut outer_depth = 0_usize;
    let keyword = tokens.find(|token| {
        outer_depth = depth_after(outer_depth, token);
        outer_depth == 0 && token.is_keyword("DEFAULT")
    })?;
    let (mut depth, mut begin, mut end) = (0_usize, None, definition.len());
    let mut last_end = 0;
    for token in tokens {
        // The value ends at the first gap outside of parentheses.
        if begin.is_some() && depth == 0 && token.start > last_end {
            end = last_end;
            break;
        }
        begin.get_or_insert(token.start);
        depth = depth_after(depth, &token);
        last_end = token.end();
    }
    Some((&definition[..keyword.start], &definition[begin?..end], &definition[end..]))
}

/// Returns the number of open parentheses after a token.
fn depth_after(depth: usize, token: &Token<'_>) -> usize {
    if token.is_symbol('(') {
        depth + 1
    } else if token.is_symbol(')') {
        depth.saturating_sub(1)
    } else {
        depth
    }
}

/// Returns a column definition with another character set and collation, and with another type if
/// one is given.
pub fn with_collation(definition: &str, charset: &str, collation: &str, new_type: Option<&str>) -> String {
    let (own_type, rest) = split_around_collation(definition);
    format!("{} CHARACTER SET {charset} COLLATE {collation}{rest}", new_type.unwrap_or(own_type))
}

/// Returns a column definition without its character set and collation.
pub fn without_collation(definition: &str) -> String {
    let (own_type, rest) = split_around_collation(definition);
    format!("{own_type}{rest}")
}

/// Splits a column definition around its character set and collation: the type, and the attributes
/// after them (empty, or with a space in front).
fn split_around_collation(definition: &str) -> (&str, &str) {
    let (own_type, mut rest) = split_type(definition);
    loop {
        let trimmed = rest.trim_start();
        let clause =
            ["CHARACTER SET ", "CHARSET ", "COLLATE "].into_iter().find_map(|clause| trimmed.strip_prefix(clause));
        match clause {
            Some(value) => rest = &value[value.find(' ').unwrap_or(value.len())..],
            None => return (own_type, rest),
        }
    }
}

/// Splits a definition after the type with its length or members, and MariaDB's attribute
/// COMPRESSED, which belongs to the type: `varchar(9)`, ` NOT NULL`.
fn split_type(definition: &str) -> (&str, &str) {
    let (mut depth, mut end) = (0_usize, 0);
    for token in tokenize(definition, SqlMode::default()) {
        if depth == 0 && end > 0 && token.start > end {
            break;
        }
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        end = token.end();
    }
    let rest = &definition[end..];
    let compressed = rest.starts_with(" /*M!").then(|| rest.find("COMPRESSED*/")).flatten();
    let compressed = compressed.filter(|&at| !rest[..at].contains("*/")).map_or(0, |at| at + "COMPRESSED*/".len());
    definition.split_at(end + compressed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  `a,b` varchar(20) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'x,)''(' COMMENT 'it\\'s',\n  \
                          `e` enum('a','b)','it''s') NOT NULL,\n  `g` varchar(9) COLLATE utf8mb4_bin GENERATED ALWAYS AS (concat(`e`,_utf8mb4')')) VIRTUAL,\n  \
                          PRIMARY KEY (`id`),\n  KEY `k` (`a,b`(5))\n) ENGINE=InnoDB";

    #[test]
    fn finds_definitions_despite_quotes() {
        assert_eq!(split_definitions(CREATE).len(), 6);
        assert_eq!(find_column(CREATE, "id"), Some("int(11) NOT NULL"));
        assert_eq!(find_column(CREATE, "none"), None);
        let defined = find_column(CREATE, "a,b").unwrap();
        assert_eq!(
            with_collation(defined, "utf8mb4", "utf8mb4_bin", None),
            "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'x,)''(' COMMENT 'it\\'s'"
        );
        assert_eq!(
            with_collation(find_column(CREATE, "e").unwrap(), "utf8mb4", "utf8mb4_bin", None),
            "enum('a','b)','it''s') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
        );
        assert_eq!(
            with_collation(find_column(CREATE, "g").unwrap(), "utf8mb4", "utf8mb4_general_ci", Some("text")),
            "text CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci GENERATED ALWAYS AS (concat(`e`,_utf8mb4')')) VIRTUAL"
        );
    }

    #[test]
    fn names_and_comments_may_hold_brackets_and_quotes() {
        let create = "CREATE TABLE `a(b,'` (\n  `s'x(` varchar(20) DEFAULT 'x' COMMENT ') ENGINE, (',\n  -- it's (\n  `e` enum('a)b','c''d') /* ) */ NOT NULL,\n  KEY `k,(` (`s'x(`)\n) COMMENT='('";
        assert_eq!(
            split_definitions(create),
            [
                "`s'x(` varchar(20) DEFAULT 'x' COMMENT ') ENGINE, ('",
                "-- it's (\n  `e` enum('a)b','c''d') /* ) */ NOT NULL",
                "KEY `k,(` (`s'x(`)"
            ]
        );
        assert_eq!(split_type("enum('a)b','c d') NOT NULL"), ("enum('a)b','c d')", " NOT NULL"));
        assert_eq!(split_type("int"), ("int", ""));
    }

    #[test]
    fn parentheses_in_names_are_text() {
        let create = "CREATE TABLE `t(1` (\n  `a)` varchar(9) /*M!100301 COMPRESSED*/ NOT NULL COMMENT 'a(b'\n) ENGINE=InnoDB COMMENT='(x'";
        assert_eq!(split_definitions(create).len(), 1);
        assert_eq!(table_options(create), " ENGINE=InnoDB COMMENT='(x'");
        let defined = find_column(create, "a)").unwrap();
        assert_eq!(
            with_collation(defined, "utf8mb4", "utf8mb4_bin", None),
            "varchar(9) /*M!100301 COMPRESSED*/ CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a(b'"
        );
        assert_eq!(without_collation("varchar(9) CHARACTER SET latin1 COLLATE latin1_bin"), "varchar(9)");
    }

    #[test]
    fn indexes_are_split_around_their_parts() {
        let create = "CREATE TABLE `t` (\n  `a` int,\n  PRIMARY KEY (`a`),\n  UNIQUE KEY `u(` (`a`(5),(upper(`b`))) USING BTREE COMMENT '(x)' /*!80000 INVISIBLE */\n)";
        assert_eq!(
            find_index(create, "u("),
            Some(("UNIQUE KEY `u(`", "`a`(5),(upper(`b`))", " USING BTREE COMMENT '(x)' /*!80000 INVISIBLE */"))
        );
        assert_eq!(find_index(create, "PRIMARY"), Some(("PRIMARY KEY", "`a`", "")));
        assert_eq!(find_index(create, "u"), None);
    }

    #[test]
    fn foreign_keys_are_no_checks_or_columns() {
        let create = "CREATE TABLE `t` (\n  `foreign` int COMMENT 'CONSTRAINT x FOREIGN KEY',\n  KEY `k` (`foreign`),\n  \
                      CONSTRAINT `a``) FOREIGN KEY (b` FOREIGN KEY (`foreign`) REFERENCES `p` (`id`) ON DELETE CASCADE,\n  \
                      CONSTRAINT `c` CHECK (`foreign` > 0)\n) ENGINE=InnoDB";
        assert_eq!(
            find_foreign_keys(create),
            [(
                "`a``) FOREIGN KEY (b`",
                "CONSTRAINT `a``) FOREIGN KEY (b` FOREIGN KEY (`foreign`) REFERENCES `p` (`id`) ON DELETE CASCADE"
            )]
        );
    }

    #[test]
    fn defaults_are_found_outside_of_strings() {
        assert_eq!(
            split_default("text NOT NULL DEFAULT 'it''s a' COMMENT ' DEFAULT 1'"),
            Some(("text NOT NULL ", "'it''s a'", " COMMENT ' DEFAULT 1'"))
        );
        assert_eq!(split_default("text COMMENT ' DEFAULT 1'"), None);
    }

    #[test]
    fn members_are_unquoted() {
        assert_eq!(parse_members("enum('a','b)','it''s','')"), ["a", "b)", "it's", ""]);
        assert_eq!(parse_members(r"enum('a\\b','\\','n\nl','it\'s','c')"), [r"a\b", r"\", "n\nl", "it's", "c"]);
        assert_eq!(parse_members("enum('a','b') CHARACTER SET latin1 NOT NULL DEFAULT 'a' COMMENT 'c'"), ["a", "b"]);
        for other in ["int", "int DEFAULT '5'", "text COMMENT 'x'"] {
            assert_eq!(parse_members(other), [""; 0], "{other}");
        }
    }
}
