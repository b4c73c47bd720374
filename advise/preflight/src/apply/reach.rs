//! Schemas that a plan's statements change. A plan quotes definitions as the server that was read
//! prints them; a program in its place could print anything.

use sql::{SqlMode, Token, TokenKind, tokenize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Sets variables of the session.
    Session,
    /// Changes an object of this schema, or uses the schema.
    Schema(String),
    /// Changes an object of the schema in use.
    SchemaInUse,
    /// Anything else.
    Beyond,
}

const PROGRAMS: [&str; 6] = ["view", "procedure", "function", "trigger", "event", "package"];

/// Words between CREATE and the kind of a program: `OR REPLACE`, `ALGORITHM=UNDEFINED`,
/// `DEFINER=…`, `SQL SECURITY DEFINER`, `AGGREGATE`.
const BEFORE_KIND: [&str; 11] = [
    "or",
    "replace",
    "algorithm",
    "undefined",
    "merge",
    "temptable",
    "definer",
    "sql",
    "security",
    "invoker",
    "aggregate",
];

/// Clauses of ALTER TABLE that move tables, or reach others.
const MOVING: [&str; 5] = ["rename", "exchange", "import", "discard", "union"];

/// Returns the part of the server that a statement changes: `Schema("shop")` for
/// ``ALTER TABLE `shop`.`orders` …``.
pub fn reach(sql: &str) -> Reach {
    let tokens: Vec<Token<'_>> = tokenize(sql, SqlMode::default())
        .filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment))
        .collect();
    let [verb, rest @ ..] = tokens.as_slice() else { return Reach::Beyond };
    let next_is = |words: &[&str]| rest.first().is_some_and(|token| token.is_any_keyword(words));
    let has = |words: &[&str]| rest.iter().any(|token| token.is_any_keyword(words));
    match verb.text.to_ascii_lowercase().as_str() {
        "set" if next_is(&["session", "names"]) && !has(&["global", "persist", "persist_only"]) => Reach::Session,
        "use" => rest.first().and_then(Token::name).map_or(Reach::Beyond, Reach::Schema),
        "update" => object(rest),
        "analyze" if next_is(&["table"]) => object(&rest[1..]),
        "alter" if next_is(&["table"]) && !has(&MOVING) => object(&rest[1..]),
        "alter" if next_is(&["database"]) => rest.get(1).and_then(Token::name).map_or(Reach::Beyond, Reach::Schema),
        "drop" if next_is(&PROGRAMS) => object(&rest[1..]),
        "create" => created_program(rest),
        "grant" => match rest.iter().position(|token| token.is_keyword("on")) {
            Some(on) if rest.get(on + 1).is_some_and(|kind| kind.is_any_keyword(&PROGRAMS)) => object(&rest[on + 2..]),
            _ => Reach::Beyond,
        },
        _ => Reach::Beyond,
    }
}

fn created_program(tokens: &[Token<'_>]) -> Reach {
    let Some(kind) = tokens.iter().position(|token| token.is_any_keyword(&PROGRAMS)) else { return Reach::Beyond };
    let is_attribute = |token: &Token<'_>| token.kind != TokenKind::Word || token.is_any_keyword(&BEFORE_KIND);
    if tokens[..kind].iter().all(is_attribute) { object(&tokens[kind + 1..]) } else { Reach::Beyond }
}

/// Returns the schema of the object whose name the tokens begin with.
fn object(tokens: &[Token<'_>]) -> Reach {
    let is_before_name = |token: &&Token<'_>| token.is_any_keyword(&["if", "not", "exists", "body"]);
    let mut tokens = tokens.iter().skip_while(is_before_name);
    match (tokens.next().and_then(Token::name), tokens.next()) {
        (Some(schema), Some(dot)) if dot.is_symbol('.') => Reach::Schema(schema),
        (Some(_), _) => Reach::SchemaInUse,
        (None, _) => Reach::Beyond,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_plans_stay_in_their_schemas() {
        for statement in ["SET NAMES utf8mb4", "SET SESSION sql_mode = 'global'", "SET SESSION foreign_key_checks = 0"]
        {
            assert_eq!(reach(statement), Reach::Session, "{statement}");
        }
        for statement in [
            "USE `a.b`",
            "ALTER TABLE `a.b`.`t`\n  MODIFY `rename` varchar(9) DEFAULT 'exchange' COMMENT 'union'",
            "ALTER TABLE `a.b`.t ADD CONSTRAINT f FOREIGN KEY (x) REFERENCES `c`.`d` (x)",
            "ALTER DATABASE `a.b` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "UPDATE `a.b`.`t` SET x = 1",
            "ANALYZE TABLE `a.b`.`t` UPDATE HISTOGRAM ON x WITH 10 BUCKETS",
            "DROP TRIGGER IF EXISTS `a.b`.`g`",
            "GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE `a.b`.`p` TO 'on'@'%'",
            "CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`user`@`localhost` SQL SECURITY DEFINER VIEW `a.b`.`v` AS select 1",
        ] {
            assert_eq!(reach(statement), Reach::Schema("a.b".into()), "{statement}");
        }
        for statement in [
            "DROP PROCEDURE IF EXISTS `p`",
            "CREATE DEFINER=`root`@`%` PROCEDURE `p`() BEGIN DROP DATABASE x; END",
            "CREATE DEFINER=`root`@`%` PACKAGE BODY `p` AS END",
        ] {
            assert_eq!(reach(statement), Reach::SchemaInUse, "{statement}");
        }
    }

    #[test]
    fn other_statements_reach_beyond() {
        for statement in [
            "",
            "DROP DATABASE other",
            "DROP TABLE t",
            "CREATE USER event",
            "CREATE /*!50000 USER evil */",
            "CREATE TABLE view (a INT)",
            "SET GLOBAL read_only = 0",
            "SET SESSION sql_mode = '', GLOBAL read_only = 0",
            "SET PASSWORD = ''",
            "GRANT ALL ON *.* TO x",
            "ALTER TABLE `a`.`t` RENAME TO other.t",
            "ALTER TABLE `a`.`t` EXCHANGE PARTITION p WITH TABLE other.t",
            "ALTER USER x",
            "INSERT INTO other.t VALUES (1)",
        ] {
            assert_eq!(reach(statement), Reach::Beyond, "{statement}");
        }
        assert_eq!(reach("UPDATE other.t SET a = 1"), Reach::Schema("other".into()));
    }
}
