//! Loads a schema statement by statement, and mends statements that the new server refuses.

use std::collections::{BTreeMap, BTreeSet};

use mysql::prelude::Queryable;
use server::{Conn, Server, error_code};
use sql::{SqlMode, quote_identifier, tokenize};
use why::{Copy, Refusal, create_definers, diagnose};

use crate::Error;
use crate::collation::describe_substitute;
use crate::grammar::advise_sequence;
use crate::material::{Schema, Statement};
use crate::mend::{WRONG_VALUE_FOR_VARIABLE, advise_variable, propose, replace_unknown_collations};
use crate::model::{Area, Finding, Kind, Mend};
use crate::script::to_mend;
use crate::side::{Session, failed, first_word, version};
use crate::{check_constraint, function, text_default};

/// Schema for the tables of a dump that names none.
pub const DEFAULT_SCHEMA: &str = "app";

/// Maximum number of successive rewrites of one statement, which can name several unknown
/// collations or reserved words.
const MAX_REWRITES: usize = 12;

/// Longest statement that is rewritten. INSERTs of dumps can be longer, and are loaded as they are.
const MAX_REWRITTEN_BYTES: usize = 1 << 20;

/// Longest part of a refused statement that its finding keeps. A dump can have many of them.
const MAX_FOUND_BYTES: usize = 64 << 10;

/// A loaded schema.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Schema in use at the end.
    pub schema: String,
    /// Refused statements by place.
    pub refused: BTreeMap<String, Refusal>,
    pub findings: Vec<Finding>,
    /// Options of tables that were left out.
    pub left_out: Vec<String>,
    /// True if a statement creates a table with text columns, and its options have no COLLATE.
    pub omits_collations: bool,
    /// True if a statement creates or alters a schema.
    pub defines_schema: bool,
    /// True if a statement selects a schema.
    pub has_use: bool,
    pub statements: u64,
    /// Mends of refused statements, by the statements' numbers.
    pub mends: BTreeMap<usize, Mend>,
    pub lost: Lost,
}

/// Objects that the new server lacks, as their statements were refused.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// Names in lower case.
    names: BTreeSet<String>,
    /// Counts of statements that were refused because an object is missing, by the object's name.
    untried: BTreeMap<String, u64>,
}

impl Lost {
    /// Adds the object of a refused statement.
    pub fn add(&mut self, text: &str) {
        self.names.extend(created_name(text));
    }

    /// True for errors of statements about an object that was not created. Counts the statement.
    pub fn is_consequence(&mut self, refusal: &Refusal) -> bool {
        let missing = [1051, error_code::NO_SUCH_TABLE, error_code::SP_DOES_NOT_EXIST, 1347, 1356, 1360, 1824];
        if !missing.contains(&refusal.code) {
            return false;
        }
        let message = refusal.message.to_lowercase();
        let is_named = |name: &&String| {
            message.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').any(|word| word == **name)
        };
        let Some(name) = self.names.iter().find(is_named) else { return false };
        *self.untried.entry(name.clone()).or_default() += 1;
        true
    }

    /// Says how many statements could not be tried, a sentence for each missing object.
    pub fn describe(&self) -> Vec<String> {
        let line = |(name, count): (&String, &u64)| {
            format!("{} not tried: the new server refuses to create {name}", message::count_noun(*count, "statement"))
        };
        self.untried.iter().map(line).collect()
    }
}

/// A mend of a refused statement.
#[derive(Debug, Default)]
pub struct Mended {
    /// Mends that work. The first one was run.
    pub mends: Vec<Mend>,
    /// A mend of one fault of several, with which the statement still fails.
    pub partial: Option<Mend>,
    /// Substitute for missing functions or a sequence, without statements to run.
    pub advice: Option<Mend>,
    pub reasons: Vec<String>,
    /// Collations that the first mend, or else the partial one, replaces, and their substitutes.
    pub replaced: Vec<(String, String)>,
}

impl Mended {
    /// Adds what the substitute collations change to the effects of the first mend.
    pub fn describe_collations(&mut self, server: &Server) {
        if let Some(mend) = self.mends.first_mut().or(self.partial.as_mut()) {
            mend.effects.extend(self.replaced.iter().filter_map(|(old, new)| describe_substitute(server, old, new)));
        }
    }

    /// Mends to report: those that work, else what is known.
    pub fn into_mends(self) -> Vec<Mend> {
        if self.mends.is_empty() { self.partial.into_iter().chain(self.advice).collect() } else { self.mends }
    }
}

/// Loads a schema on the old server. Refused statements are left out.
pub fn load_source(server: &Server, schema: &Schema, into: Option<&str>) -> Result<Loaded, Error> {
    load(server, schema, into, &mut |_, _, _| Ok(()))
}

/// Loads a schema on the new server. A refused statement runs in a mended form if one works, so
/// that later statements find its object. `known` are refusals of the old server.
pub fn load_target(
    server: &Server,
    schema: &Schema,
    into: Option<&str>,
    known: &BTreeMap<String, Refusal>,
    area: Area,
) -> Result<Loaded, Error> {
    let mut lost = Lost::default();
    let mut findings: Vec<Finding> = Vec::new();
    let mut by_number: BTreeMap<usize, Mend> = BTreeMap::new();
    let mut loaded = load(server, schema, into, &mut |session, statement, refusal| {
        if lost.is_consequence(&refusal) {
            return Ok(());
        }
        let mut mended = mend(session, &statement.text, &refusal)?;
        if mended.mends.is_empty() {
            lost.add(&statement.text);
        }
        if let Some(mend) = mended.mends.first().or(mended.partial.as_ref()) {
            by_number.insert(statement.number, mend.clone());
        }
        if find_same(&mut findings, &refusal).is_none() {
            mended.describe_collations(server);
        }
        let reasons = std::mem::take(&mut mended.reasons);
        let mends = mended.into_mends();
        let kind = if known.contains_key(&statement.place) { Kind::FailsAlready } else { Kind::Breaks };
        push_finding(
            &mut findings,
            Finding {
                kind,
                area,
                place: statement.place.clone(),
                what: what_fails(&refusal, area),
                statement: shorten(&statement.text),
                error: Some(refusal.to_string()),
                reasons,
                also: Vec::new(),
                mends,
            },
            &refusal,
        );
        Ok(())
    })?;
    loaded.findings = findings;
    loaded.mends = by_number;
    loaded.lost = lost;
    Ok(loaded)
}

/// Cuts a long statement, with a mark.
fn shorten(text: &str) -> String {
    if text.len() <= MAX_FOUND_BYTES {
        return text.to_owned();
    }
    let end = (0..=MAX_FOUND_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{} …", &text[..end])
}

fn what_fails(refusal: &Refusal, area: Area) -> String {
    let what = match refusal.code {
        error_code::UNKNOWN_COLLATION => "a collation that the new server does not have",
        error_code::UNKNOWN_CHARACTER_SET => "a character set that the new server does not have",
        error_code::TOO_LONG_KEY | 1709 | 3886 => "a key that is too long for the new server",
        error_code::CANT_CREATE_TABLE | error_code::CANNOT_ADD_FOREIGN | error_code::FK_INCOMPATIBLE_COLUMNS => {
            "a foreign key that the new server refuses"
        }
        error_code::DUP_ENTRY => "values that are equal on the new server",
        error_code::SP_DOES_NOT_EXIST | function::NO_FUNCTION => "a function that the new server does not have",
        1064 => "a word that the new server's grammar reserves, or a clause that it lacks",
        1067 | text_default::NO_DEFAULT_OF_TEXT => "a default that the new server refuses",
        check_constraint::DUPLICATE_CHECK => "a CHECK constraint with a name that another table's has",
        1231 => "a value that the new server's variable does not take",
        error_code::UNKNOWN_SYSTEM_VARIABLE => "a variable that the new server does not have",
        _ => "a statement that the new server refuses",
    };
    match area {
        Area::Dump => format!("a dump that the old server writes does not load: {what}"),
        _ => format!("does not load: {what}"),
    }
}

/// Adds a finding. Equal errors about an unknown collation, character set or variable, or about a
/// variable's value, become one finding with several places.
fn push_finding(findings: &mut Vec<Finding>, finding: Finding, refusal: &Refusal) {
    match find_same(findings, refusal) {
        Some(one) if one.kind == finding.kind => one.also.push(finding.place),
        _ => findings.push(finding),
    }
}

/// Finds the finding with this error, if [`push_finding`] adds further places to it.
fn find_same<'f>(findings: &'f mut [Finding], refusal: &Refusal) -> Option<&'f mut Finding> {
    let is_shared = matches!(
        refusal.code,
        error_code::UNKNOWN_COLLATION
            | error_code::UNKNOWN_CHARACTER_SET
            | error_code::UNKNOWN_SYSTEM_VARIABLE
            | WRONG_VALUE_FOR_VARIABLE
    );
    let error = refusal.to_string();
    findings.iter_mut().find(|one| is_shared && one.error.as_ref() == Some(&error))
}

/// Function that receives a refused statement, its session and the error.
type OnRefusal<'a> = dyn FnMut(&mut Session<'_>, &Statement, Refusal) -> Result<(), Error> + 'a;

fn load(server: &Server, schema: &Schema, into: Option<&str>, on_refusal: &mut OnRefusal<'_>) -> Result<Loaded, Error> {
    let mut setup = server.connect_patiently()?;
    // Events would run meanwhile, and a binary log would make the server refuse functions.
    for setting in ["log_bin_trust_function_creators = 1", "event_scheduler = OFF"] {
        let _ = setup.query_drop(format!("SET GLOBAL {setting}"));
    }
    let mut session = Session::open(server, None, &[])?;
    let mut loaded = Loaded::default();
    if matches!(schema, Schema::Dumps(_)) {
        let name = into.unwrap_or(DEFAULT_SCHEMA);
        let create = format!("CREATE DATABASE IF NOT EXISTS {}", quote_identifier(name));
        setup.query_drop(create).map_err(|source| failed(server, "create a schema", source))?;
        let _ = session.run(&format!("USE {}", quote_identifier(name)))?;
    }
    let mut later: Vec<(Statement, Option<String>)> = Vec::new();
    let is_dump = matches!(schema, Schema::Dumps(_));
    schema.each(&mut |statement| {
        loaded.statements += 1;
        if statement.text.len() < MAX_REWRITTEN_BYTES {
            loaded.omits_collations |= omits_collation(&statement.text);
            loaded.defines_schema |= defines_schema(&statement.text);
            create_definers(&mut setup, &statement.text);
            let removed = sql::keep_local(&statement.text, SqlMode::default()).removed;
            loaded.left_out.extend(why::describe_left_out(&statement.place, &removed));
        }
        match session.run(&statement.text)? {
            Ok(_) => loaded.has_use |= first_word(&statement.text) == "use",
            // A view can read one that is created later, so it is tried again.
            Err(refusal) if refusal.code == error_code::NO_SUCH_TABLE && !is_dump => {
                later.push((statement.clone(), session.schema.clone()));
            }
            Err(refusal) => {
                on_refusal(&mut session, statement, refusal.clone())?;
                loaded.refused.insert(statement.place.clone(), refusal);
            }
        }
        Ok(())
    })?;
    loop {
        let before = later.len();
        let mut again = Vec::new();
        for (statement, schema) in later {
            if let Some(schema) = &schema {
                let _ = session.run(&format!("USE {}", quote_identifier(schema)))?;
            }
            if let Err(refusal) = session.run(&statement.text)? {
                again.push((statement, schema, refusal));
            }
        }
        if again.len() == before || again.is_empty() {
            for (statement, _, refusal) in again {
                on_refusal(&mut session, &statement, refusal.clone())?;
                loaded.refused.insert(statement.place.clone(), refusal);
            }
            break;
        }
        later = again.into_iter().map(|(statement, schema, _)| (statement, schema)).collect();
    }
    let default = into.unwrap_or(DEFAULT_SCHEMA);
    loaded.schema = session.schema.clone().unwrap_or_else(|| default.to_owned());
    if is_dump && loaded.schema != default {
        drop_unused(&mut setup, default).map_err(|source| failed(server, "drop a schema", source))?;
    }
    Ok(loaded)
}

/// Drops a schema of a private server if a dump with schemas of its own put nothing into it.
fn drop_unused(conn: &mut Conn, schema: &str) -> Result<(), mysql::Error> {
    for (table, column) in [("TABLES", "TABLE_SCHEMA"), ("ROUTINES", "ROUTINE_SCHEMA"), ("EVENTS", "EVENT_SCHEMA")] {
        let query = format!("SELECT 1 FROM information_schema.{table} WHERE {column} = ? LIMIT 1");
        if conn.exec_first::<u8, _, _>(query, (schema,))?.is_some() {
            return Ok(());
        }
    }
    conn.query_drop(format!("DROP DATABASE IF EXISTS {}", quote_identifier(schema)))
}

/// Runs rewritten forms of a refused statement until one works, else remedies of `why`.
pub fn mend(session: &mut Session<'_>, text: &str, refusal: &Refusal) -> Result<Mended, Error> {
    if text.len() > MAX_REWRITTEN_BYTES {
        return Ok(Mended::default());
    }
    let mut mended = rewrite_until_taken(session, text, refusal)?;
    if !mended.mends.is_empty() {
        return Ok(mended);
    }
    let by_why = mend_by_why(session, text)?;
    (mended.mends, mended.reasons) = (by_why.mends, by_why.reasons);
    if let (true, Some(partial)) = (mended.mends.is_empty(), &mended.partial)
        && let Some(text) = partial.sql.last()
    {
        let by_why = mend_by_why(session, text)?;
        mended.reasons.extend(by_why.reasons);
        let both = |mend: Mend| Mend {
            what: format!("{}; {}", partial.what, mend.what),
            effects: [partial.effects.clone(), mend.effects].concat(),
            ..mend
        };
        mended.mends.extend(by_why.mends.into_iter().map(both));
    }
    Ok(mended)
}

/// Runs rewritten forms of a refused statement until one works. If none does, keeps the part that
/// is right in any case.
pub fn rewrite_until_taken(session: &mut Session<'_>, text: &str, refusal: &Refusal) -> Result<Mended, Error> {
    let target = version(session.server);
    let (mut current, mut last) = (text.to_owned(), refusal.clone());
    let mut done = Mend::default();
    let mut partial: Option<Mend> = None;
    let mut replaced = Vec::new();
    let mut replaced_in_part = Vec::new();
    let mut is_certain = true;
    'rewrites: for _ in 0..MAX_REWRITES {
        let mode: Option<String> = session
            .conn
            .query_first("SELECT @@sql_mode")
            .map_err(|source| failed(session.server, "read sql_mode", source))?;
        let mode = mode.unwrap_or_default();
        let conn = &mut session.conn;
        let mut is_reserved = |word: &str| conn.query_drop(format!("SELECT 1 AS {word}")).is_err();
        for rewrite in propose(&target, &current, &last, &mode, &mut is_reserved) {
            for statement in &rewrite.before {
                let _ = session.run(statement)?;
            }
            let ran = match &rewrite.text {
                Some(text) => session.run(text)?,
                None => Ok(crate::side::Rows::default()),
            };
            if !rewrite.before.is_empty() {
                let _ = session.run(&format!("SET SESSION sql_mode = {}", sql::quote_string(&mode)))?;
            }
            let is_other = ran.as_ref().err().is_some_and(|other| *other != last);
            if ran.is_ok() || is_other {
                let join = if done.what.is_empty() { "" } else { "; " };
                done.what += &format!("{join}{}", rewrite.what);
                done.sql.extend(rewrite.before);
                done.effects.extend(rewrite.effects);
                replaced.extend(rewrite.replaced);
                current = rewrite.text.clone().unwrap_or_default();
            }
            match ran {
                Ok(_) => {
                    done.sql.extend((!current.is_empty()).then_some(current));
                    return Ok(Mended { mends: vec![done], replaced, ..Mended::default() });
                }
                Err(other) if is_other => {
                    is_certain &= rewrite.is_certain;
                    if is_certain {
                        let sql = vec![current.clone()];
                        partial = Some(Mend { sql, left: Some(other.to_string()), ..done.clone() });
                        replaced_in_part.clone_from(&replaced);
                    }
                    last = other;
                    continue 'rewrites;
                }
                Err(_) => {}
            }
        }
        break;
    }
    if let (error_code::PARSE_ERROR, true, Some(rewrite)) =
        (last.code, is_certain, replace_unknown_collations(&target, &current))
    {
        // The parser did not come to the collations.
        let what = [done.what.as_str(), &rewrite.what].into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>();
        let sql = rewrite.text.into_iter().collect();
        partial = Some(Mend { what: what.join("; "), sql, left: Some(last.to_string()), ..done });
        replaced_in_part.extend(rewrite.replaced);
    }
    let missing = function::find_all_missing(&mut session.conn, &current);
    let advice = function::advise(&current, &last, &missing)
        .or_else(|| function::advise(text, refusal, &missing))
        .or_else(|| advise_sequence(&target, text))
        .or_else(|| advise_variable(&target, &last));
    Ok(Mended { partial, advice, replaced: replaced_in_part, ..Mended::default() })
}

/// Asks `why` about a refused CREATE or ALTER, such as one with a key that is too long.
fn mend_by_why(session: &mut Session<'_>, text: &str) -> Result<Mended, Error> {
    let mut mended = Mended::default();
    if !matches!(first_word(text).as_str(), "create" | "alter") {
        return Ok(mended);
    }
    let setup = session.setup();
    let mut copy = Copy::new(session.server)?;
    let given = why::Given { place: "dump".into(), text: text.to_owned(), ..why::Given::default() };
    let request = why::Request { given: vec![given], schema: setup.schema, first: setup.prelude };
    let found = match diagnose(&mut copy, &request) {
        Ok(found) => found,
        Err(why::Error::Statement { .. }) => return Ok(mended),
        Err(error) => return Err(error.into()),
    };
    let findings: Vec<why::Finding> = found.statements.into_iter().flat_map(|judged| judged.findings).collect();
    mended.reasons = findings.iter().flat_map(|finding| finding.details.clone()).collect();
    for remedy in findings.into_iter().flat_map(|finding| finding.remedies) {
        if mended.mends.is_empty() {
            let mut is_done = true;
            for statement in &remedy.sql {
                is_done &= session.run(statement)?.is_ok();
            }
            if !is_done {
                continue;
            }
        }
        mended.mends.push(to_mend(remedy));
    }
    Ok(mended)
}

/// Name of the object that a statement creates or alters, in lower case.
pub fn created_name(text: &str) -> Option<String> {
    let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default())
        .filter(|token| !matches!(token.kind, sql::TokenKind::Comment | sql::TokenKind::ConditionalComment))
        .take(60)
        .collect();
    tokens.first().filter(|token| token.is_any_keyword(&["create", "alter"]))?;
    let words = ["table", "view", "procedure", "function", "trigger", "event", "sequence"];
    let mut at = tokens.iter().position(|token| token.is_any_keyword(&words))? + 1;
    while tokens.get(at).is_some_and(|token| token.is_any_keyword(&["if", "not", "exists"])) {
        at += 1;
    }
    if tokens.get(at + 1).is_some_and(|dot| dot.is_symbol('.')) {
        at += 2;
    }
    tokens.get(at)?.name().map(|name| name.to_lowercase())
}

/// True for `CREATE DATABASE`, `ALTER SCHEMA` and the like.
fn defines_schema(text: &str) -> bool {
    let mut tokens = tokenize(text, SqlMode::default()).filter(sql::Token::is_content);
    tokens.next().is_some_and(|word| word.is_any_keyword(&["create", "alter"]))
        && tokens.take(3).any(|word| word.is_any_keyword(&["database", "schema"]))
}

/// True if a statement creates a table with text columns, and its table options have no COLLATE.
pub fn omits_collation(text: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let creates = tokens.first().is_some_and(|token| token.is_keyword("create"))
        && tokens.iter().take(4).any(|token| token.is_keyword("table"));
    let is_text = |token: &sql::Token<'_>| {
        token.is_any_keyword(&["varchar", "char", "text", "tinytext", "mediumtext", "longtext", "enum", "set"])
    };
    if !creates || !tokens.iter().any(is_text) {
        return false;
    }
    let options: Vec<sql::Token<'_>> = tokenize(sql::ddl::table_options(text), SqlMode::default()).collect();
    !options.iter().any(|token| token.is_keyword("collate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_of_created_objects() {
        assert_eq!(created_name("CREATE TABLE IF NOT EXISTS `a`.`B` (c INT)").as_deref(), Some("b"));
        assert_eq!(created_name("CREATE DEFINER=`x`@`%` PROCEDURE p() SELECT 1").as_deref(), Some("p"));
        assert_eq!(created_name("INSERT INTO a VALUES (1)"), None);
    }

    #[test]
    fn findings_keep_the_beginning_of_long_statements() {
        assert_eq!(shorten("INSERT"), "INSERT");
        let long = shorten(&"é".repeat(MAX_FOUND_BYTES));
        assert!(long.ends_with("é …") && long.len() < MAX_FOUND_BYTES + 8);
    }

    #[test]
    fn recognizes_definitions_of_schemas() {
        assert!(defines_schema(
            "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `a` /*!40100 DEFAULT CHARACTER SET latin1 */"
        ));
        assert!(defines_schema("ALTER SCHEMA CHARACTER SET utf8mb4"));
        assert!(!defines_schema("CREATE TABLE `schema` (a INT)") && !defines_schema("USE a"));
    }

    #[test]
    fn recognizes_tables_without_a_collation() {
        assert!(omits_collation("CREATE TABLE a (b VARCHAR(3)) DEFAULT CHARSET=utf8mb4"));
        assert!(!omits_collation("CREATE TABLE a (b VARCHAR(3)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"));
        assert!(!omits_collation("CREATE TABLE a (b INT) DEFAULT CHARSET=utf8mb4"));
    }
}
