//! Schemas that a plan's statements change. A plan quotes definitions as the server that was read
//! prints them; a program in that server's place could print anything.

use sql::{SqlMode, Token, TokenKind, tokenize};

use crate::plan::NO_ACCOUNTS;

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

/// Words behind the name of a view, function or package.
const BEHIND_NAME: [&str; 8] = ["as", "is", "return", "returns", "authid", "deterministic", "sql", "comment"];

const PROGRAMS: [&str; 6] = ["view", "procedure", "function", "trigger", "event", "package"];

/// Variables that plans set.
const SETTINGS: [&str; 13] = [
    "sql_mode",
    "lock_wait_timeout",
    "system_versioning_alter_history",
    "collation_connection",
    "time_zone",
    "foreign_key_checks",
    "autocommit",
    "max_statement_time",
    "alter_algorithm",
    "sql_require_primary_key",
    "restrict_fk_on_non_standard_key",
    "histogram_type",
    "histogram_size",
];

/// Clauses of ALTER TABLE that move tables, or reach other tables or files. Plans write none.
const MOVING: [&str; 10] = [
    "rename",
    "exchange",
    "import",
    "discard",
    "union",
    "partition",
    "directory",
    "tablespace",
    "engine",
    "connection",
];

/// Returns the part of the server that a statement changes: `Schema("shop")` for
/// ``ALTER TABLE `shop`.`orders` …``. `Beyond` if servers read conditional comments in it in
/// different ways that matter. `mode` is the SQL mode of the session.
pub fn reach(sql: &str, mode: SqlMode) -> Reach {
    if sql == NO_ACCOUNTS {
        return Reach::Session;
    }
    let mut reaches = readings(sql, mode).into_iter().map(|reading| reach_of_reading(&reading, mode));
    let first = reaches.next().unwrap_or(Reach::Beyond);
    let is_setting = first == Reach::Session;
    // Plans write no comments in settings.
    if reaches.all(|other| other == first) && !(is_setting && sql.contains("/*")) { first } else { Reach::Beyond }
}

/// True if the statement creates an event that the server may run by itself.
pub fn creates_running_event(sql: &str, mode: SqlMode) -> bool {
    readings(sql, mode).iter().any(|reading| {
        let tokens = content(reading, mode);
        let Some((_, rest)) = tokens.split_first().filter(|(verb, _)| verb.is_keyword("create")) else {
            return false;
        };
        let rest = sql::skip_attributes(rest);
        let body = rest.iter().position(|token| token.is_keyword("do")).unwrap_or(rest.len());
        // SHOW CREATE prints `ON COMPLETION NOT PRESERVE DISABLE`, and `DISABLE ON SLAVE`.
        let is_disabled =
            rest[..body].windows(2).any(|pair| pair[0].is_keyword("preserve") && pair[1].is_keyword("disable"));
        rest.first().is_some_and(|kind| kind.is_keyword("event")) && !is_disabled
    })
}

/// Returns kind and name of the view or program that the statement creates, in each reading:
/// `("view", "v")`.
pub fn created_programs(sql: &str, mode: SqlMode) -> Vec<(String, String)> {
    readings(sql, mode).iter().filter_map(|reading| created_name(&content(reading, mode))).collect()
}

fn created_name(tokens: &[Token<'_>]) -> Option<(String, String)> {
    let (_, rest) = tokens.split_first().filter(|(verb, _)| verb.is_keyword("create"))?;
    let (kind, rest) = sql::skip_attributes(rest).split_first().filter(|(kind, _)| kind.is_any_keyword(&PROGRAMS))?;
    let ends_name = |at: &usize| {
        let ends = rest[*at].is_symbol('(') || rest[*at].is_any_keyword(&BEHIND_NAME);
        ends && !rest[*at - 1].is_symbol('.')
    };
    let end = (1..rest.len()).find(ends_name).unwrap_or(rest.len());
    Some((kind.text.to_lowercase(), rest[..end].last()?.name()?))
}

/// Returns the text as the supported servers read it. Empty if they may end a comment in different
/// ways, unless the text is a `CREATE`.
fn readings(text: &str, mode: SqlMode) -> Vec<String> {
    let is_create = text.trim_start().to_lowercase().starts_with("create");
    if is_create { sql::definition_readings(text, mode) } else { sql::readings(text, mode).unwrap_or_default() }
}

fn content(text: &str, mode: SqlMode) -> Vec<Token<'_>> {
    tokenize(text, mode).filter(Token::is_content).collect()
}

fn reach_of_reading(sql: &str, mode: SqlMode) -> Reach {
    let tokens = content(sql, mode);
    let [verb, rest @ ..] = tokens.as_slice() else { return Reach::Beyond };
    let next_is = |words: &[&str]| rest.first().is_some_and(|token| token.is_any_keyword(words));
    let has = |words: &[&str]| rest.iter().any(|token| token.is_any_keyword(words));
    let verb = verb.text.to_ascii_lowercase();
    // Bodies of programs are not searched for open quotes and odd numbers.
    if verb != "create" && (tokens.iter().any(|token| !token.is_closed) || sql::find_odd_number(&tokens).is_some()) {
        return Reach::Beyond;
    }
    match verb.as_str() {
        "set" if is_own_setting(rest) => Reach::Session,
        "use" => match rest {
            [schema] => schema.name().map_or(Reach::Beyond, Reach::Schema),
            _ => Reach::Beyond,
        },
        "update" => object(rest, |behind| behind.first().is_some_and(|token| token.is_keyword("set"))),
        "analyze" if next_is(&["table"]) => object(&rest[1..], |behind| !lists_more(behind)),
        "alter" if next_is(&["table"]) && !has(&MOVING) => object(&rest[1..], |_| true),
        "alter" if next_is(&["database"]) => rest.get(1).and_then(Token::name).map_or(Reach::Beyond, Reach::Schema),
        "drop" if next_is(&PROGRAMS) => object(&rest[1..], |behind| behind.is_empty()),
        "create" => created_program(rest),
        "grant" => match rest.iter().position(|token| token.is_keyword("on")) {
            Some(on) if rest.get(on + 1).is_some_and(|kind| kind.is_any_keyword(&PROGRAMS)) => {
                object(&rest[on + 2..], grants_to_one_account)
            }
            _ => Reach::Beyond,
        },
        _ => Reach::Beyond,
    }
}

/// True for the settings that plans write, one in a statement: `NAMES utf8mb4`, and
/// `SESSION sql_mode = '…'`.
fn is_own_setting(tokens: &[Token<'_>]) -> bool {
    match tokens {
        [names, charset] => names.is_keyword("names") && charset.kind == TokenKind::Word,
        [session, name, equals, value] => {
            session.is_keyword("session")
                && name.is_any_keyword(&SETTINGS)
                && equals.is_symbol('=')
                && matches!(value.kind, TokenKind::Word | TokenKind::Number | TokenKind::StringLiteral)
        }
        _ => false,
    }
}

/// True for `TO 'a'@'b' [WITH GRANT OPTION]`, and for `TO 'role'`.
fn grants_to_one_account(tokens: &[Token<'_>]) -> bool {
    let Some((_, account)) = tokens.split_first().filter(|(to, _)| to.is_keyword("to")) else { return false };
    let length = sql::account_length(account);
    match &account[length..] {
        _ if length == 0 => false,
        [] => true,
        [with, grant, option] => with.is_keyword("with") && grant.is_keyword("grant") && option.is_keyword("option"),
        _ => false,
    }
}

/// Returns the account that a GRANT of a plan names: `'a'@'b'`.
pub fn granted_account(sql: &str, mode: SqlMode) -> Option<&str> {
    let tokens = content(sql, mode);
    tokens.first().filter(|verb| verb.is_keyword("grant"))?;
    let to = tokens.iter().rposition(|token| token.is_keyword("to"))?;
    let account = tokens.get(to + 1..)?;
    let last = account.get(sql::account_length(account).checked_sub(1)?)?;
    Some(&sql[account[0].start..last.end()])
}

/// True if a comma stands outside of parentheses: `ANALYZE TABLE a, b`.
fn lists_more(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    tokens.iter().any(|token| {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && token.is_symbol(',')
    })
}

fn created_program(tokens: &[Token<'_>]) -> Reach {
    match sql::skip_attributes(tokens) {
        [kind, rest @ ..] if kind.is_any_keyword(&PROGRAMS) => {
            object(rest, |behind| sql::may_follow_program_name(kind.text, behind))
        }
        _ => Reach::Beyond,
    }
}

/// Returns the schema of the object whose name the tokens begin with. `Beyond` unless what stands
/// behind the name may stand there.
fn object(tokens: &[Token<'_>], may_follow: impl Fn(&[Token<'_>]) -> bool) -> Reach {
    let is_before_name = |token: &Token<'_>| token.is_any_keyword(&["if", "not", "exists", "body"]);
    let begin = tokens.iter().position(|token| !is_before_name(token)).unwrap_or(tokens.len());
    let (found, behind) = match &tokens[begin..] {
        [schema, dot, name, behind @ ..] if dot.is_symbol('.') && name.is_closed && name.name().is_some() => {
            (schema.name().map(Reach::Schema), behind)
        }
        // `other.1` is a word and a number. MySQL 8.0 reads `other 1.e.t` as `other.t`.
        [name, behind @ ..] if name.is_closed && behind.first().is_none_or(|next| next.kind != TokenKind::Number) => {
            (name.name().map(|_| Reach::SchemaInUse), behind)
        }
        _ => return Reach::Beyond,
    };
    found.filter(|_| may_follow(behind)).unwrap_or(Reach::Beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(sql: &str) -> Reach {
        super::reach(sql, SqlMode::default())
    }

    #[test]
    fn statements_of_plans_stay_in_their_schemas() {
        for statement in
            [NO_ACCOUNTS, "SET NAMES utf8mb4", "SET SESSION sql_mode = 'global'", "SET SESSION foreign_key_checks = 0"]
        {
            assert_eq!(reach(statement), Reach::Session, "{statement}");
        }
        for statement in [
            "USE `a.b`",
            "ALTER TABLE `a.b`.`t`\n  MODIFY `rename` varchar(9) DEFAULT 'exchange' COMMENT 'union'",
            "ALTER TABLE `a.b`.t ADD CONSTRAINT f FOREIGN KEY (x) REFERENCES `c`.`d` (x)",
            "ALTER DATABASE `a.b` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "UPDATE `a.b`.`t` SET x = 1",
            "UPDATE `a.b`.`t` SET `x` = _utf8mb4 0xE4, `y` = `y` WHERE `id` = 1 AND CAST(`x` AS BINARY) = 0xC3",
            "ANALYZE TABLE `a.b`.`t` PERSISTENT FOR COLUMNS (`x`) INDEXES ()",
            "CREATE VIEW `a.b`.`v` AS select /*!80000 1 + */ 1",
            "ANALYZE TABLE `a.b`.`t` UPDATE HISTOGRAM ON x WITH 10 BUCKETS",
            "DROP TRIGGER IF EXISTS `a.b`.`g`",
            "GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE `a.b`.`p` TO 'on'@'%'",
            "GRANT EXECUTE ON FUNCTION `a.b`.`p` TO 'role' WITH GRANT OPTION",
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
            "DROP /*M!100100 VIEW shop.pr AS */ DATABASE victim",
            "CREATE /*M!100100 VIEW shop.pr AS */ USER evil@'%' IDENTIFIED BY 'x'",
            "CREATE /*!50100 VIEW shop.pr AS ' */ ' */ USER evil",
            "CREATE DEFINER=view USER evil",
            "CREATE FUNCTION f RETURNS STRING SONAME 'x.so'",
            "CREATE VIEW other.1v AS select 1",
            "SET NAMES utf8mb4, @@global.max_connections = 77",
            "SET SESSION sql_mode = '', @@global.max_connections = 77",
            "SET SESSION sql_mode = (SELECT 1)",
            "SET SESSION sql_mode = @@global.sql_mode",
            "SET SESSION sql_log_bin = 0",
            "SET SESSION sql_mode = /*!80000 '' */ 'ANSI'",
            "UPDATE shop.tab1, other.o SET other.o.a = 666",
            "UPDATE shop.tab1 JOIN other.o SET other.o.a = 666",
            "DROP VIEW shop.vw, other.ov",
            "ANALYZE TABLE shop.a, other.b",
            "ANALYZE TABLE shop.a PERSISTENT FOR COLUMNS (x) INDEXES (), other.b",
            "GRANT EXECUTE ON PROCEDURE shop.p, x TO y",
            "GRANT EXECUTE ON PROCEDURE shop.p TO 'a'@'%' IDENTIFIED BY 'x'",
            "GRANT EXECUTE ON PROCEDURE shop.p TO 'a'@'%', 'b'@'%'",
            "CREATE VIEW shop.v",
            "CREATE VIEW shop.victim/*!50100.v*/ AS select 1",
            "CREATE VIEW shop.victim 1.e.v AS select 1",
            "CREATE FUNCTION shop.f /*!50100x*/ RETURNS STRING SONAME 'x.so'",
            "ALTER TABLE shop.t MODIFY a INT COMMENT 'x' PARTITION BY HASH(id) (PARTITION p0 DATA DIRECTORY='/dir')",
            "ALTER TABLE shop.t MODIFY a INT, ENGINE=FEDERATED CONNECTION='x'",
            "USE shop other",
            "ALTER TABLE shop.a COMMENT 'x",
        ] {
            assert_eq!(reach(statement), Reach::Beyond, "{statement}");
        }
        assert_eq!(reach("UPDATE other.t SET a = 1"), Reach::Schema("other".into()));
    }

    #[test]
    fn finds_the_account_of_a_grant() {
        let of = |sql| granted_account(sql, SqlMode::default());
        assert_eq!(of("GRANT EXECUTE ON PROCEDURE `to`.`p` TO 'o\\'n'@'%' WITH GRANT OPTION"), Some("'o\\'n'@'%'"));
        assert_eq!(of("GRANT EXECUTE ON FUNCTION `a`.`p` TO 'role'"), Some("'role'"));
        assert_eq!(of("DROP PROCEDURE `grant`"), None);
    }

    #[test]
    fn the_mode_decides_where_strings_end() {
        let ansi = SqlMode { ansi_quotes: true, ..SqlMode::default() };
        let plain = SqlMode { no_backslash_escapes: true, ..SqlMode::default() };
        assert_eq!(super::reach("DROP VIEW \"a.b\".\"v\"", ansi), Reach::Schema("a.b".into()));
        assert_eq!(reach("DROP VIEW \"a.b\".\"v\""), Reach::Beyond);
        let renamed = "ALTER TABLE shop.a COMMENT '\\', RENAME TO other.a, COMMENT ''";
        assert_eq!(super::reach(renamed, plain), Reach::Beyond);
    }

    #[test]
    fn names_of_created_programs_are_found() {
        for (statement, kind, name) in [
            ("CREATE OR REPLACE DEFINER=`a`@`%` SQL SECURITY INVOKER VIEW `s`.`v` AS select 1", "view", "v"),
            ("CREATE OR REPLACE DEFINER=`a`@`%` FUNCTION `f`() RETURNS int return 1", "function", "f"),
            ("CREATE AGGREGATE FUNCTION IF NOT EXISTS `s`.`f`(a int) RETURNS int return 1", "function", "f"),
            ("CREATE DEFINER=`a`@`%` PACKAGE BODY `p` AS END", "package", "p"),
            ("CREATE FUNCTION exists(a int) RETURNS int return 1", "function", "exists"),
            ("CREATE FUNCTION s.sql RETURN INT AS BEGIN END", "function", "sql"),
        ] {
            let found = created_programs(statement, SqlMode::default());
            assert!(!found.is_empty() && found.iter().all(|one| *one == (kind.into(), name.into())), "{statement}");
        }
        assert_eq!(created_programs("ALTER TABLE view MODIFY a INT", SqlMode::default()), []);
    }

    #[test]
    fn enabled_events_run_by_themselves() {
        let runs = |sql| creates_running_event(sql, SqlMode::default());
        for event in [
            "CREATE EVENT shop.ev ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO DROP DATABASE victim",
            "CREATE DEFINER=`a`@`%` EVENT `e` ON SCHEDULE EVERY 1 DAY ON COMPLETION NOT PRESERVE ENABLE COMMENT 'PRESERVE DISABLE' DO SET @a = 1",
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY ON COMPLETION PRESERVE /*!80000 DISABLE */ DO SET @a = 1",
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT preserve disable",
        ] {
            assert!(runs(event), "{event}");
        }
        for other in [
            "CREATE DEFINER=`a`@`%` EVENT `e` ON SCHEDULE EVERY 1 DAY ON COMPLETION NOT PRESERVE DISABLE DO SET @a = 1",
            "CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY ON COMPLETION PRESERVE DISABLE ON SLAVE COMMENT 'x' DO SET @a = 1",
            "CREATE DEFINER=event PROCEDURE p() SELECT 1",
            "DROP EVENT e",
        ] {
            assert!(!runs(other), "{other}");
        }
    }
}
