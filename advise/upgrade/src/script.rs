//! The application's statements and migrations, run on both servers.

use std::collections::BTreeSet;

use server::{Server, error_code};
use sql::{SqlMode, tokenize};
use why::{Copy, Refusal, diagnose};

use crate::Error;
use crate::already::set_old_error;
use crate::difference::{describe_difference, describe_renaming};
use crate::grouped::{self, Groups};
use crate::load::{Lost, created_name, mend, rewrite_until_taken};
use crate::material::Given;
use crate::model::{Area, Finding, Kind, Mend};
use crate::side::{Columns, Ran, Rows, Session, first_word};
use crate::{charset_name, column_default, date_literal, function, label, program, timestamp};

/// Outcome of a statement on a server.
#[derive(Clone, Debug)]
pub struct Done {
    pub ran: Ran,
    /// Session before the statement.
    pub setup: why::Session,
    /// False if a repeated query returned something different.
    pub is_repeatable: bool,
    /// Mends of a statement that only the new server refuses.
    pub mends: Vec<Mend>,
    pub reasons: Vec<String>,
    /// True if the statement fails only because an earlier one did.
    pub is_consequence: bool,
}

/// Errors of queries that a rewritten query can mend: names, clauses and regular expressions that
/// the server lacks, and dates that it does not read.
fn is_about_grammar(refusal: &Refusal) -> bool {
    matches!(
        refusal.code,
        error_code::PARSE_ERROR
            | error_code::BAD_FIELD_ERROR
            | error_code::SP_DOES_NOT_EXIST
            | error_code::UNKNOWN_SYSTEM_VARIABLE
            | function::NO_FUNCTION
            | date_literal::INCORRECT_LITERAL
            | 3685..=3699
    )
}

/// Runs scripts. Later statements of a script see what earlier ones did. `mending` are the objects
/// that the new server lacks, and the outcomes on the old one: statements that only the new server
/// refuses are mended.
pub fn run_scripts(
    server: &Server,
    scripts: &[Vec<Given>],
    schema: &str,
    first: &[String],
    mut mending: Option<(&mut Lost, &[Done])>,
) -> Result<Vec<Done>, Error> {
    let mut all: Vec<Done> = Vec::new();
    for script in scripts {
        let mut session = Session::open(server, Some(schema), first)?;
        for given in script {
            if let Some(schema) = given.schema.as_ref().filter(|own| session.schema.as_ref() != Some(own)) {
                let _ = session.run(&format!("USE {}", sql::quote_identifier(schema)))?;
            }
            let setup = session.setup();
            let ran = session.run(&given.text)?;
            let mut done = Done { ran, setup, ..Done::default() };
            match done.ran.clone() {
                Ok(rows) if is_query(&given.text) && mending.is_none() => {
                    done.is_repeatable = session.run(&given.text)?.is_ok_and(|again| again == rows);
                }
                Err(refusal) => {
                    if let Some((lost, before)) = &mut mending
                        && before.get(all.len()).is_none_or(|old| old.ran.is_ok())
                    {
                        mend_done(&mut session, given, &refusal, lost, &mut done)?;
                    }
                }
                _ => {}
            }
            all.push(done);
        }
    }
    Ok(all)
}

/// Mends a refused statement.
fn mend_done(
    session: &mut Session<'_>,
    given: &Given,
    refusal: &Refusal,
    lost: &mut Lost,
    done: &mut Done,
) -> Result<(), Error> {
    done.is_consequence = lost.is_consequence(refusal);
    let is_query = is_query(&given.text);
    if done.is_consequence || is_query && !is_about_grammar(refusal) {
        return Ok(());
    }
    let mut mended = match is_query {
        true => rewrite_until_taken(session, &given.text, refusal)?,
        false => mend(session, &given.text, refusal)?,
    };
    if mended.mends.is_empty() {
        lost.add(&given.text);
    }
    mended.describe_collations(session.server);
    done.reasons = std::mem::take(&mut mended.reasons);
    done.mends = mended.into_mends();
    Ok(())
}

impl Default for Done {
    fn default() -> Self {
        Self {
            ran: Ok(Rows::default()),
            setup: why::Session::default(),
            is_repeatable: true,
            mends: Vec::new(),
            reasons: Vec::new(),
            is_consequence: false,
        }
    }
}

pub fn is_query(text: &str) -> bool {
    sql::is_query(text, SqlMode::default())
}

pub fn is_explainable(text: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default()).filter(sql::Token::is_content).collect();
    let words = ["select", "table", "values", "insert", "replace", "update", "delete", "call"];
    sql::statement_verb(&tokens).is_some_and(|verb| verb.is_any_keyword(&words))
}

/// Both servers, and their text columns after the scripts.
pub struct Pair<'s> {
    pub source: &'s Server,
    pub target: &'s Server,
    pub source_columns: &'s Columns,
    pub target_columns: &'s Columns,
}

/// Judges a statement by what it did on both servers. Adds a note for a statement that only the new
/// server takes, and for one that neither takes for a reason other than collations.
pub fn judge(
    pair: &Pair<'_>,
    given: &Given,
    before: &Done,
    after: &Done,
    notes: &mut Vec<String>,
) -> Result<Vec<Finding>, Error> {
    let finding = |kind, what| given.finding(kind, what);
    if after.is_consequence || before.is_consequence {
        return Ok(Vec::new());
    }
    match (&before.ran, &after.ran) {
        (Ok(rows), Err(refusal)) => {
            let mut one = finding(Kind::Breaks, "runs on the old server, and the new one refuses it".into());
            explain(pair, given, after, refusal, &mut one)?;
            let schema = after.setup.schema.as_deref();
            one.reasons.extend(timestamp::explain(pair.source, refusal, &given.text, schema)?);
            if refusal.code == date_literal::INCORRECT_LITERAL && before.is_repeatable {
                keep_mends_with_rows(pair.target, given, after, rows, &mut one)?;
            }
            Ok(vec![one])
        }
        (Err(old), Err(refusal)) if is_conflict(refusal) => {
            let mut one = finding(Kind::FailsAlready, "fails on both servers; the upgrade is not the cause".into());
            explain(pair, given, after, refusal, &mut one)?;
            set_old_error(&mut one, old);
            Ok(vec![one])
        }
        (Err(old), Err(new)) => {
            let errors = if old == new { new.to_string() } else { format!("the old one: {old}; the new one: {new}") };
            notes.push(format!("{}: neither server takes the statement: {errors}", given.place));
            Ok(Vec::new())
        }
        (Err(refusal), Ok(_)) => {
            notes.push(format!("{}: the old server refuses it, the new one does not: {refusal}", given.place));
            Ok(Vec::new())
        }
        (Ok(_), Ok(_)) if given.text.len() > why::MAX_PARSED_BYTES => {
            let what = "it is longer than 1 MiB: both servers take it, its results and plans are not compared";
            notes.push(format!("{}: {what}", given.place));
            Ok(Vec::new())
        }
        (Ok(one), Ok(other)) => {
            let mut all = Vec::new();
            let groups = Groups::new(pair.source, &given.text);
            if let Some(what) = describe_difference(given, before, one, other, groups) {
                let mut differs = finding(Kind::Differs, what);
                if let Some(reason) = groups.reason(pair.target) {
                    differs.reasons.push(reason);
                    differs.mends.extend(grouped::mend(pair.target, given, after, one)?);
                }
                differs.reasons.extend(column_reasons(pair, &given.text, after.setup.schema.as_deref()));
                differs.reasons.extend(describe_renaming(one, other));
                all.push(differs);
            }
            all.extend(charset_name::judge((pair.source, pair.target), given, after)?);
            all.extend(label::judge(pair.target, given, after, one, other)?);
            all.extend(column_default::judge(pair.target, given, after, one, other)?);
            if let Some(refused) = refused_patterns(pair, given, before, after)? {
                all.push(refused);
            }
            if is_explainable(&given.text) {
                all.extend(judge_plan(pair, given, before, after, &finding)?);
            }
            Ok(all)
        }
    }
}

/// Drops the mends of a query that return other rows than the old server did.
fn keep_mends_with_rows(
    server: &Server,
    given: &Given,
    done: &Done,
    rows: &Rows,
    finding: &mut Finding,
) -> Result<(), Error> {
    if !is_query(&given.text) {
        return Ok(());
    }
    let mut kept = Vec::new();
    for mend in std::mem::take(&mut finding.mends) {
        let mut session = Session::open(server, done.setup.schema.as_deref(), &done.setup.prelude)?;
        let mut ran: Ran = Ok(Rows::default());
        for statement in &mend.sql {
            ran = session.run(statement)?;
        }
        if ran.is_ok_and(|new| new.content == rows.content) {
            kept.push(mend);
        }
    }
    finding.mends = kept;
    Ok(())
}

/// Finding about a regular expression that the new server refuses. The statement itself succeeded,
/// because no row was compared with the expression. `None` if the new server accepts all patterns,
/// or the old server refuses the same ones.
fn refused_patterns(pair: &Pair<'_>, given: &Given, before: &Done, after: &Done) -> Result<Option<Finding>, Error> {
    let mut copy = Copy::new(pair.target)?;
    let new = why::refused_patterns(&mut copy, &after.setup, &given.text)?;
    if new.is_empty() {
        return Ok(None);
    }
    let old = why::refused_patterns(&mut Copy::new(pair.source)?, &before.setup, &given.text)?;
    let what = "runs as long as no row is compared with its regular expression, which the new server refuses";
    let Some(one) = new.into_iter().find(|one| !old.iter().any(|other| one.is_same(other))) else { return Ok(None) };
    let mut finding = given.finding(Kind::Breaks, what.into());
    finding.error = Some(one.refusal.to_string());
    finding.mends = program::mends(&mut copy, &one)?;
    Ok(Some(finding))
}

/// True for errors that other collations of columns can cause.
fn is_of_collations(refusal: &Refusal) -> bool {
    is_conflict(refusal)
        || matches!(
            refusal.code,
            error_code::DUP_ENTRY
                | error_code::CANT_CREATE_TABLE
                | error_code::CANNOT_ADD_FOREIGN
                | error_code::FK_INCOMPATIBLE_COLUMNS
        )
}

fn is_conflict(refusal: &Refusal) -> bool {
    error_code::is_collation_conflict(refusal.code)
        || matches!(refusal.code, error_code::UNKNOWN_COLLATION | error_code::UNKNOWN_CHARACTER_SET)
}

fn request(given: &Given, done: &Done) -> why::Request {
    let one = why::Given { place: given.place.clone(), text: given.text.clone(), ..why::Given::default() };
    why::Request { given: vec![one], schema: done.setup.schema.clone(), first: done.setup.prelude.clone() }
}

/// Adds the cause of a refusal, and what mends it.
fn explain(pair: &Pair<'_>, given: &Given, done: &Done, refusal: &Refusal, finding: &mut Finding) -> Result<(), Error> {
    finding.error = Some(refusal.to_string());
    finding.reasons.clone_from(&done.reasons);
    finding.mends.clone_from(&done.mends);
    if let Some((mend, reason)) = leave_out_setting(pair.target, given, done)? {
        finding.mends.push(mend);
        finding.reasons.push(reason);
        return Ok(());
    }
    if !finding.mends.is_empty() {
        return Ok(());
    }
    let mut copy = Copy::new(pair.target)?;
    let found = match diagnose(&mut copy, &request(given, done)) {
        Ok(found) => found.statements,
        Err(why::Error::Statement { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for one in found.into_iter().flat_map(|judged| judged.findings) {
        finding.reasons.extend(site_reasons(&one));
        finding.reasons.extend(one.details);
        finding.mends.extend(one.remedies.into_iter().map(to_mend));
    }
    if is_of_collations(refusal) {
        finding.reasons.extend(column_reasons(pair, &given.text, done.setup.schema.as_deref()));
    }
    Ok(())
}

pub fn to_mend(remedy: why::Remedy) -> Mend {
    Mend { what: remedy.what, sql: remedy.sql, effects: remedy.effects, left: None }
}

/// Describes each expression of a finding with its operands, a sentence each.
pub fn site_reasons(finding: &why::Finding) -> Vec<String> {
    let side = |side: &why::Side| format!("{} is {} ({})", one_line(&side.text), side.collation, side.source);
    let sentence = |site: &why::Site| {
        let program = site.program.as_ref().map(|program| format!("{program}: ")).unwrap_or_default();
        let sides: Vec<String> = site.sides.iter().map(side).collect();
        format!("{program}{}: {}", one_line(&site.text), sides.join("; "))
    };
    finding.sites.iter().map(sentence).collect()
}

pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tries a query without each setting of its session, except SET NAMES and user variables. The
/// first setting without which it runs is the cause.
fn leave_out_setting(server: &Server, given: &Given, done: &Done) -> Result<Option<(Mend, String)>, Error> {
    let prelude = &done.setup.prelude;
    for (index, setting) in prelude.iter().enumerate() {
        let lower = setting.to_lowercase();
        if first_word(setting) != "set" || lower.contains("names") || lower.contains('@') && !lower.contains("@@") {
            continue;
        }
        let mut rest = prelude.clone();
        rest.remove(index);
        let mut session = Session::open(server, done.setup.schema.as_deref(), &rest)?;
        if !is_query(&given.text) || session.run(&given.text)?.is_err() {
            continue;
        }
        let is_sys = lower.contains("default_collation_for_utf8mb4") && given.text.to_lowercase().contains("sys.");
        let reason = if is_sys {
            "The setting default_collation_for_utf8mb4 reaches the functions of the sys schema, such as sys.format_statement, \
             which sys.statement_analysis calls: their variables get its collation, their texts have another"
        } else {
            "The statement runs without this setting of its session"
        };
        let mend = Mend {
            what: format!("Leave out: {}", one_line(setting)),
            sql: rest.iter().filter(|one| *one != "SET NAMES utf8mb4").cloned().chain([given.text.clone()]).collect(),
            ..Mend::default()
        };
        return Ok(Some((mend, reason.to_owned())));
    }
    Ok(None)
}

/// Names up to five columns of a statement's tables whose collation differs between the servers.
fn column_reasons(pair: &Pair<'_>, text: &str, schema: Option<&str>) -> Vec<String> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    let tables = sql::find_tables(&tokens);
    let names = |(own_schema, table, _): &(String, String, String)| {
        tables.iter().any(|one| {
            one.name.eq_ignore_ascii_case(table)
                && one.schema.as_deref().or(schema).is_none_or(|given| given.eq_ignore_ascii_case(own_schema))
        })
    };
    pair.target_columns
        .iter()
        .filter(|(name, _)| names(name))
        .filter_map(|(name, column)| {
            let old = pair.source_columns.get(name)?;
            (!server::is_same_collation(&old.collation, &column.collation)).then(|| {
                format!(
                    "{}.{} is {} on the new server, and {} on the old one",
                    name.1, name.2, column.collation, old.collation
                )
            })
        })
        .take(5)
        .collect()
}

/// Reports indexes that the statement loses on the new server only.
fn judge_plan(
    pair: &Pair<'_>,
    given: &Given,
    before: &Done,
    after: &Done,
    finding: &dyn Fn(Kind, String) -> Finding,
) -> Result<Vec<Finding>, Error> {
    let lost = index_findings(pair.target, &request(given, after))?;
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let known: Vec<Vec<String>> = index_findings(pair.source, &request(given, before))?.iter().map(sites).collect();
    let new = lost.into_iter().filter(|one| !known.contains(&sites(one)));
    Ok(new
        .map(|one| {
            let mut slower = finding(Kind::Slower, "loses an index on the new server".into());
            slower.reasons = one.details.clone();
            slower.reasons.extend(site_reasons(&one));
            slower.reasons.extend(column_reasons(pair, &given.text, after.setup.schema.as_deref()));
            slower.mends = one.remedies.into_iter().map(to_mend).collect();
            slower
        })
        .collect())
}

fn sites(finding: &why::Finding) -> Vec<String> {
    finding.sites.iter().map(|site| site.text.clone()).collect()
}

fn index_findings(server: &Server, request: &why::Request) -> Result<Vec<why::Finding>, Error> {
    let mut copy = Copy::new(server)?;
    match diagnose(&mut copy, request) {
        Ok(found) => Ok(found
            .statements
            .into_iter()
            .flat_map(|judged| judged.findings)
            .filter(|finding| finding.kind == why::Kind::IndexLost)
            .collect()),
        Err(why::Error::Statement { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Reports the tables in which scripts created or changed columns that got different collations on
/// the two servers.
pub fn created_columns(pair: &Pair<'_>, loaded: &Columns, given: &[&Given]) -> Vec<Finding> {
    let mut by_table: std::collections::BTreeMap<(String, String), Vec<String>> = std::collections::BTreeMap::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (name, column) in pair.target_columns {
        let Some(old) = pair.source_columns.get(name) else { continue };
        let was_there = loaded.get(name).is_some_and(|earlier| earlier.collation == column.collation);
        if was_there || server::is_same_collation(&old.collation, &column.collation) {
            continue;
        }
        named.insert(format!("{} instead of {}", column.collation, old.collation));
        by_table
            .entry((name.0.clone(), name.1.clone()))
            .or_default()
            .push(format!("{}.{}: {} instead of {}", name.1, name.2, column.collation, old.collation));
    }
    by_table
        .into_iter()
        .map(|((schema, table), columns)| {
            let statement =
                given.iter().rev().find(|one| created_name(&one.text).as_deref() == Some(&table.to_lowercase()));
            Finding {
                kind: Kind::Differs,
                area: Area::Statement,
                place: statement.map_or_else(|| format!("table {schema}.{table}"), |one| one.place.clone()),
                what: format!("the new table {table} gets a collation that it does not get on the old server"),
                statement: statement.map(|one| one.text.clone()).unwrap_or_default(),
                error: None,
                reasons: columns
                    .into_iter()
                    .chain(std::iter::once(
                        "The statement names no COLLATE: the default of its character set or schema applies".to_owned(),
                    ))
                    .collect(),
                also: Vec::new(),
                mends: Vec::new(),
            }
        })
        .collect()
}
