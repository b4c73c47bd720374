//! Statements that define tables: keys, columns and rows that become too long, values that become
//! equal, characters without a place, foreign keys and expressions of two collations, collations
//! that the server lacks.

mod duplicates;
mod expression;
mod foreign_key;
mod fulltext;
mod key_length;
mod lost_character;
mod members;
mod unknown;
mod value;
mod width;

use server::{collation_charset, error_code};
use sql::{SqlMode, Token, TokenKind, tokenize};

use crate::Error;
use crate::copy::{Copy, Refusal, Session};
use crate::dictionary::Table;
use crate::keep::Kept;
use crate::model::{Finding, Kind, Remedy, Scope};
use crate::name;
use crate::remedy::splice;
use crate::run::Given;

pub use value::judge_value;

/// MySQL 8 and later: "The resulting size of index … would exceed the max key length".
const KEY_TOO_LONG_AFTER_CHANGE: u16 = 3886;
/// "Cannot change column: used in a foreign key constraint".
const FK_COLUMN_CANNOT_CHANGE: u16 = 1832;
const FK_COLUMN_CANNOT_CHANGE_CHILD: u16 = 1833;
/// "ALGORITHM=COPY is not supported. Reason: Columns participating in a foreign key are renamed".
const FK_COLUMN_CANNOT_BE_COPIED: u16 = 1846;
const INVALID_DEFAULT: u16 = 1067;
const TOO_BIG_FIELD_LENGTH: u16 = 1074;
/// "Multiple definition of same constant in list partitioning".
const MULTIPLE_DEF_CONST_IN_LIST: u16 = 1495;

/// A statement that the server refuses: a definition, or one that names an unknown collation or
/// character set.
pub(crate) struct Refused<'a> {
    pub session: &'a Session,
    pub text: &'a str,
    pub refusal: &'a Refusal,
    /// Table that a definition is about, if the table existed before. `None` for other statements.
    pub table: Option<Table>,
}

/// Something to try: a sentence, its scope, and the statements in place of the refused one.
pub(crate) struct Attempt {
    pub scope: Scope,
    pub what: String,
    pub sql: Vec<String>,
    pub effects: Vec<String>,
    /// Statements that undo settings of the server.
    pub restore: Vec<String>,
    /// Other tables that are changed: schema and name.
    pub tables: Vec<(String, String)>,
}

impl Attempt {
    pub fn new(scope: Scope, what: String, sql: Vec<String>) -> Self {
        Self { scope, what, sql, effects: Vec::new(), restore: Vec::new(), tables: Vec::new() }
    }
}

/// Cause of a refusal, in sentences, and what to try.
pub(crate) struct Cause {
    pub kind: Kind,
    pub details: Vec<String>,
    pub attempts: Vec<Attempt>,
    pub max_remedies: usize,
    /// True if the refusal has another cause unless an attempt works.
    pub needs_remedy: bool,
}

impl Cause {
    pub fn new(kind: Kind) -> Self {
        Self { kind, details: Vec::new(), attempts: Vec::new(), max_remedies: 2, needs_remedy: false }
    }
}

/// True for `ALTER TABLE`, `CREATE INDEX` and `CREATE TABLE` without a query. False for `CREATE
/// TEMPORARY TABLE` and with `OR REPLACE`.
pub fn is_definition(text: &str) -> bool {
    let tokens: Vec<Token<'_>> = tokens_without_comments(text);
    let words: Vec<String> = tokens.iter().take(6).map(|token| token.text.to_lowercase()).collect();
    match words.first().map(String::as_str) {
        Some("alter") => words.iter().any(|word| word == "table"),
        Some("create") => {
            let is_table = words.get(1).is_some_and(|word| word == "table");
            let is_index = words.iter().take(3).any(|word| word == "index");
            is_index || is_table && create_query(text).is_none()
        }
        _ => false,
    }
}

/// Returns the query of `CREATE VIEW … AS SELECT` and `CREATE TABLE … SELECT`.
pub fn create_query(text: &str) -> Option<&str> {
    let tokens = tokens_without_comments(text);
    let [first, rest @ ..] = tokens.as_slice() else { return None };
    let is_program =
        rest.iter().take(8).any(|token| token.is_any_keyword(&["procedure", "function", "trigger", "event"]));
    if !first.is_keyword("create") || is_program {
        return None;
    }
    let mut depth = 0_usize;
    for token in rest {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_any_keyword(&["select", "with"]) {
            return Some(&text[token.start..]);
        }
    }
    None
}

pub(crate) fn tokens_without_comments(text: &str) -> Vec<Token<'_>> {
    tokenize(text, SqlMode::default())
        .filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment))
        .collect()
}

/// Runs a definition on the copy, where it stays in force if the server takes it. Explains a
/// refusal.
pub fn judge(copy: &mut Copy<'_>, session: &Session, given: &Given) -> Result<Vec<Finding>, Error> {
    let (schema, name) = target(session, &given.text);
    let table = copy.table(&schema, &name)?;
    let mut kept = Kept::default();
    if table.is_some() {
        kept.keep(copy, &schema, &name)?;
    }
    let Err(refusal) = copy.run(session, std::slice::from_ref(&given.text))? else {
        kept.discard(copy)?;
        return Ok(Vec::new());
    };
    kept.restore(copy)?;
    let refused = Refused { session, text: &given.text, refusal: &refusal, table };
    let cause = match refusal.code {
        error_code::TOO_LONG_KEY | KEY_TOO_LONG_AFTER_CHANGE | error_code::INDEX_COLUMN_TOO_LONG => {
            key_length::explain(copy, &refused)?
        }
        error_code::DUP_ENTRY => duplicates::explain(copy, &refused)?,
        error_code::CANNOT_ADD_FOREIGN
        | error_code::FK_INCOMPATIBLE_COLUMNS
        | error_code::CANT_CREATE_TABLE
        | FK_COLUMN_CANNOT_CHANGE
        | FK_COLUMN_CANNOT_CHANGE_CHILD
        | FK_COLUMN_CANNOT_BE_COPIED => foreign_key::explain(copy, &refused)?,
        error_code::UNKNOWN_COLLATION | error_code::UNKNOWN_CHARACTER_SET | error_code::COLLATION_CHARSET_MISMATCH => {
            unknown::explain(&refused)
        }
        error_code::CANT_AGGREGATE_2COLLATIONS
        | error_code::CANT_AGGREGATE_3COLLATIONS
        | error_code::CANT_AGGREGATE_NCOLLATIONS => expression::explain(&refused),
        TOO_BIG_FIELD_LENGTH => width::explain_column(copy, &refused)?,
        error_code::TOO_BIG_ROWSIZE => width::explain_row(copy, &refused)?,
        error_code::BAD_FT_COLUMN => fulltext::explain(copy, &refused)?,
        error_code::DUPLICATED_VALUE_IN_TYPE | MULTIPLE_DEF_CONST_IN_LIST => members::explain(copy, &refused)?,
        error_code::TRUNCATED_WRONG_VALUE_FOR_FIELD | INVALID_DEFAULT => lost_character::explain(copy, &refused)?,
        _ => None,
    };
    if let Some(cause) = cause {
        let remedies = try_attempts(copy, &refused, (&schema, &name), cause.attempts, cause.max_remedies)?;
        if !cause.needs_remedy || !remedies.is_empty() {
            return Ok(vec![finding(cause.kind, &refusal, cause.details, remedies)]);
        }
    }
    let message = name::refusal_message(copy, session, &given.text, &refusal)?;
    Err(Error::Statement { place: given.place.clone(), message })
}

fn finding(kind: Kind, refusal: &Refusal, details: Vec<String>, remedies: Vec<Remedy>) -> Finding {
    Finding {
        kind,
        error: Some(refusal.to_string()),
        sites: Vec::new(),
        details,
        plan: None,
        server_plan: None,
        depends_on_rows: false,
        remedies,
    }
}

/// Judges any statement that names a collation or character set that the server lacks, or a
/// collation of another character set. `None` if no name can replace it.
pub fn judge_unknown(
    copy: &mut Copy<'_>,
    session: &Session,
    text: &str,
    refusal: &Refusal,
) -> Result<Option<Finding>, Error> {
    let refused = Refused { session, text, refusal, table: None };
    let Some(cause) = unknown::explain(&refused) else { return Ok(None) };
    let remedies = try_attempts(copy, &refused, ("", ""), cause.attempts, cause.max_remedies)?;
    let finding = finding(cause.kind, refusal, cause.details, remedies);
    Ok((!finding.remedies.is_empty()).then_some(finding))
}

/// Collation that a statement gives: that of its COLLATE clause, or the default of its character
/// set.
pub(crate) fn target_collation(copy: &Copy<'_>, refused: &Refused<'_>) -> Result<Option<String>, Error> {
    let tokens = tokens_without_comments(refused.text);
    let value = |word: &str| {
        let at = tokens.iter().position(|token| token.is_keyword(word))?;
        let name = tokens[at + 1..].iter().find(|token| !token.is_symbol('=') && !token.is_keyword("set"))?;
        Some(name.text.trim_matches(['\'', '`', '"']).to_lowercase())
    };
    if let Some(collation) = value("collate") {
        return Ok(Some(collation));
    }
    let Some(charset) = value("character").or_else(|| value("charset")) else { return Ok(None) };
    // `ALTER TABLE … CONVERT TO` takes the session's default for the character set.
    let asked = format!("SELECT COLLATION(CONVERT('' USING {charset}))");
    let is_name = charset.bytes().all(|byte| byte.is_ascii_alphanumeric());
    Ok(if is_name { copy.names(&asked)?.into_iter().next() } else { None })
}

const TEXT_TYPES: [&str; 9] =
    ["varchar", "char", "text", "tinytext", "mediumtext", "longtext", "enum", "set", "nvarchar"];

fn is_text_type(token: &Token<'_>) -> bool {
    token.is_any_keyword(&TEXT_TYPES)
}

/// Index of the token with a column's length: 250 of `a VARCHAR(250)`.
fn length_token(tokens: &[Token<'_>], column: &str) -> Option<usize> {
    let is_type = |at: usize| {
        tokens[at].name().is_some_and(|name| name.eq_ignore_ascii_case(column))
            && tokens.get(at + 1).is_some_and(|token| token.is_any_keyword(&["varchar", "char"]))
            && tokens.get(at + 2).is_some_and(|token| token.is_symbol('('))
    };
    (0..tokens.len()).find(|at| is_type(*at)).map(|at| at + 3)
}

/// Splits the tokens of a text column's definition after its type and length. The second part ends
/// with the definition.
fn column_definition<'t, 's>(tokens: &'t [Token<'s>], column: &str) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let at = (0..tokens.len()).find(|at| {
        tokens[*at].name().is_some_and(|name| name.eq_ignore_ascii_case(column))
            && tokens.get(at + 1).is_some_and(is_text_type)
    })?;
    let mut behind = at + 2;
    if tokens.get(behind).is_some_and(|token| token.is_symbol('(')) {
        behind += 1 + tokens[behind..].iter().position(|token| token.is_symbol(')'))?;
    }
    let mut depth = 0_usize;
    let is_end = |token: &Token<'_>| {
        let is_outside = depth == 0;
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        is_outside && (token.is_symbol(',') || token.is_symbol(')'))
    };
    let attributes = &tokens[behind..];
    let end = attributes.iter().position(is_end).unwrap_or(attributes.len());
    Some((&tokens[at..behind], &attributes[..end]))
}

/// Collation that the definition of a column names after COLLATE.
fn named_collation(tokens: &[Token<'_>], column: &str) -> Option<String> {
    let (_, attributes) = column_definition(tokens, column)?;
    let at = attributes.iter().position(|token| token.is_keyword("collate"))?;
    Some(attributes.get(at + 1)?.text.trim_matches(['\'', '`', '"']).to_lowercase())
}

/// Adds character set and collation to a column of a statement, in place of its own.
fn declare(text: &str, tokens: &[Token<'_>], column: &str, collation: &str) -> Option<String> {
    let (typed, attributes) = column_definition(tokens, column)?;
    let end = typed.last()?.end();
    let mut edits = vec![(end..end, format!(" CHARACTER SET {} COLLATE {collation}", collation_charset(collation)))];
    let (mut at, mut before, mut depth) = (0, end, 0_usize);
    while let Some(token) = attributes.get(at) {
        let is_set = attributes.get(at + 1).is_some_and(|next| next.is_keyword("set"));
        let length = match depth {
            0 if is_set && token.is_any_keyword(&["character", "char"]) => 3,
            0 if token.is_any_keyword(&["charset", "collate"]) => 2,
            _ => 0,
        };
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.saturating_sub(1);
        }
        at += length.max(1);
        let after = attributes.get(at - 1)?.end();
        if length > 0 {
            edits.push((before..after, String::new()));
        }
        before = after;
    }
    Some(splice(text, &edits))
}

/// Schema and name of the table that a definition is about.
fn target(session: &Session, text: &str) -> (String, String) {
    let tokens = tokens_without_comments(text);
    let keyword = if tokens.iter().take(3).any(|token| token.is_keyword("index")) { "on" } else { "table" };
    let at = tokens.iter().position(|token| token.is_keyword(keyword)).unwrap_or(0) + 1;
    object_name(session, &tokens, at)
}

/// Kind, schema and name of the program that a statement creates.
pub(crate) fn created_program(session: &Session, text: &str) -> Option<(&'static str, String, String)> {
    let tokens = tokens_without_comments(text);
    let keyword = |token: &Token<'_>| {
        ["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT"]
            .into_iter()
            .find(|keyword| token.is_keyword(&keyword.to_lowercase()))
    };
    let (at, keyword) = tokens.iter().enumerate().find_map(|(at, token)| Some((at, keyword(token)?)))?;
    let (schema, name) = object_name(session, &tokens, at + 1);
    Some((keyword, schema, name))
}

/// Schema and name at a position, after `IF NOT EXISTS`. The schema is the session's unless it is
/// named.
fn object_name(session: &Session, tokens: &[Token<'_>], at: usize) -> (String, String) {
    let skipped = tokens[at.min(tokens.len())..]
        .iter()
        .take_while(|token| token.is_any_keyword(&["if", "not", "exists"]))
        .count();
    let name = |index: usize| tokens.get(at + skipped + index).and_then(Token::name);
    let own = session.schema.clone().unwrap_or_default();
    match (name(0), tokens.get(at + skipped + 1).is_some_and(|dot| dot.is_symbol('.'))) {
        (Some(schema), true) => (schema, name(2).unwrap_or_default()),
        (Some(table), false) => (own, table),
        (None, _) => (own, String::new()),
    }
}

fn try_attempts(
    copy: &mut Copy<'_>,
    refused: &Refused<'_>,
    (schema, name): (&str, &str),
    attempts: Vec<Attempt>,
    max_remedies: usize,
) -> Result<Vec<Remedy>, Error> {
    let mut remedies = Vec::new();
    for attempt in attempts {
        if remedies.len() == max_remedies {
            break;
        }
        let mut kept = Kept::default();
        if refused.table.is_some() {
            kept.keep(copy, schema, name)?;
        }
        for (schema, name) in &attempt.tables {
            kept.keep(copy, schema, name)?;
        }
        let result = copy.run(refused.session, &attempt.sql)?;
        kept.restore(copy)?;
        if refused.table.is_none() && !name.is_empty() {
            let _ =
                copy.run(&Session::default(), &[format!("DROP TABLE IF EXISTS {}", sql::quote_table(schema, name))])?;
        }
        for statement in &attempt.restore {
            let _ = copy.run(&Session::default(), std::slice::from_ref(statement))?;
        }
        if result.is_ok() {
            remedies.push(Remedy {
                scope: attempt.scope,
                what: attempt.what,
                sql: attempt.sql,
                plan: None,
                effects: attempt.effects,
                is_lossy: false,
            });
        }
    }
    Ok(remedies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_table_of_a_definition() {
        let session = Session { schema: Some("s".into()), prelude: Vec::new() };
        let named = |text: &str| target(&session, text);
        assert_eq!(named("ALTER TABLE `a` ADD b INT"), ("s".into(), "a".into()));
        assert_eq!(named("CREATE TABLE IF NOT EXISTS x.a (b INT)"), ("x".into(), "a".into()));
        assert_eq!(named("CREATE UNIQUE INDEX u ON a (b)"), ("s".into(), "a".into()));
    }

    #[test]
    fn finds_the_name_of_a_created_program() {
        let session = Session { schema: Some("s".into()), prelude: Vec::new() };
        let named = |text: &str| {
            let (keyword, schema, name) = created_program(&session, text).unwrap();
            format!("{keyword} {schema}.{name}")
        };
        assert_eq!(named("CREATE PROCEDURE app.p() SELECT 1"), "PROCEDURE app.p");
        assert_eq!(named("CREATE PROCEDURE IF NOT EXISTS p() SELECT 1"), "PROCEDURE s.p");
        assert_eq!(
            named("CREATE DEFINER=a@b TRIGGER `x`.`t` BEFORE INSERT ON u FOR EACH ROW CALL procedure_a()"),
            "TRIGGER x.t"
        );
        assert_eq!(named("CREATE FUNCTION f() RETURNS INT BEGIN DECLARE procedure INT; RETURN 1; END"), "FUNCTION s.f");
    }

    #[test]
    fn declares_a_column_in_place_of_its_own_collation() {
        let declared = |text: &str| declare(text, &tokens_without_comments(text), "a", "latin1_bin").unwrap();
        assert_eq!(
            declared("CREATE TABLE c (a CHAR(3) COLLATE utf8_bin NOT NULL)"),
            "CREATE TABLE c (a CHAR(3) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL)"
        );
        assert_eq!(
            declared(
                "CREATE TABLE c (a CHAR(3) NOT NULL COLLATE utf8_bin DEFAULT (CONCAT('x' COLLATE utf8_bin)), b INT)"
            ),
            "CREATE TABLE c (a CHAR(3) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT (CONCAT('x' COLLATE utf8_bin)), b INT)"
        );
        assert_eq!(
            declared("CREATE TABLE c (a ENUM('b','c') NOT NULL)"),
            "CREATE TABLE c (a ENUM('b','c') CHARACTER SET latin1 COLLATE latin1_bin NOT NULL)"
        );
    }

    #[test]
    fn a_query_in_a_definition_is_judged_as_one() {
        assert_eq!(create_query("CREATE VIEW v AS SELECT 1"), Some("SELECT 1"));
        assert!(is_definition("CREATE TABLE a (b INT)") && !is_definition("CREATE TABLE a AS SELECT 1"));
        assert!(
            !is_definition("CREATE PROCEDURE p() SELECT 1") && create_query("CREATE PROCEDURE p() SELECT 1").is_none()
        );
    }
}
