//! Results and plans of queries on two running servers.

use facts::{Facts, RunnableNames};
use load::explain_statement;
use mysql::prelude::Queryable;
use result_diff::{PlanChange, compare_plans};
use server::{Flavour, Server};
use sql::{SessionSetting, SqlMode, Token, TokenKind, quote_identifier, read_settings, tokenize};
use workload_folder::{Effect, check_calls, statement_effect};

use super::LiveRequest;
use crate::Error;
use crate::already::set_old_error;
use crate::difference::{describe_difference, describe_renaming};
use crate::grouped::Groups;
use crate::material::Given;
use crate::model::{Finding, Kind};
use crate::script::Done;
use crate::side::{Ran, Session, failed, stop_clock};

/// Findings about queries, and the number of queries.
#[derive(Default)]
pub struct Compared {
    pub findings: Vec<Finding>,
    pub queries: u64,
}

/// Runs the queries of the scripts on both servers in read-only transactions, and compares rows,
/// order, errors and indexes.
pub fn compare(
    source: &Server,
    target: &Server,
    request: &LiveRequest,
    facts: [&Facts; 2],
    notes: &mut Vec<String>,
) -> Result<Compared, Error> {
    let mut compared = Compared::default();
    let (mut left_out, mut refused) = (0, Vec::new());
    for script in &request.scripts {
        let (mut old, mut new) = (open(source, request)?, open(target, request)?);
        stop_clocks([&mut old, &mut new]);
        let modes = [sql_mode(&mut old)?, sql_mode(&mut new)?];
        let runnable = [runnable_names(&mut old)?, runnable_names(&mut new)?];
        for given in script {
            match use_of(&given.text, modes) {
                Use::Query => {
                    if let Some(name) = runnable.iter().find_map(|names| names.find_in(&given.text)) {
                        let reason = format!(
                            "it names {name}, a stored function or a view whose functions may do more than compute"
                        );
                        refused.push((&given.place, reason));
                        continue;
                    }
                    compared.findings.extend(compare_query(&mut old, &mut new, given, facts)?);
                    compared.queries += 1;
                }
                Use::Schema(schema) => {
                    let setup = format!("USE {}", quote_identifier(&schema));
                    [&mut old, &mut new].into_iter().try_for_each(|one| one.run(&setup).map(drop))?;
                }
                Use::Settings(settings) => {
                    [&mut old, &mut new].into_iter().try_for_each(|one| apply(one, &settings))?
                }
                Use::Refused(reason) => refused.push((&given.place, reason)),
                Use::Other => left_out += 1,
            }
        }
    }
    if left_out > 0 {
        let verb = if left_out == 1 { "statement is no query, and was" } else { "statements are no queries, and were" };
        notes.push(format!("{left_out} {verb} not run"));
    }
    if let Some((place, reason)) = refused.first() {
        let count = message::count_noun(refused.len(), "statement");
        notes.push(format!(
            "{count} not run, as a function could change the server, or what the session may do: {place}: {reason}"
        ));
    }
    Ok(compared)
}

/// Opens a session whose transactions are read-only.
fn open<'s>(server: &'s Server, request: &LiveRequest) -> Result<Session<'s>, Error> {
    let conn = server.connect_with_limit(request.limit)?;
    let encoding = why::Encoding::default();
    let mut session = Session { server, conn, schema: None, prelude: Vec::new(), encoding };
    let limit = match server.flavour() {
        Flavour::MySql => format!("SET SESSION max_execution_time = {}", request.limit.as_millis()),
        Flavour::MariaDb => format!("SET SESSION max_statement_time = {}", request.limit.as_secs_f64()),
    };
    for statement in ["SET NAMES utf8mb4", "SET SESSION TRANSACTION READ ONLY"] {
        session.conn.query_drop(statement).map_err(|source| failed(server, "open a read-only session", source))?;
    }
    // MySQL before 5.7.8 lacks this setting; the connection has a limit of its own.
    let _ = session.run(&limit)?;
    if let Some(schema) = request.schemas.first() {
        let _ = session.run(&format!("USE {}", quote_identifier(schema)))?;
    }
    for statement in &request.first {
        apply(&mut session, &read_settings(statement, SqlMode::default()))?;
    }
    Ok(session)
}

fn apply(session: &mut Session<'_>, settings: &[SessionSetting]) -> Result<(), Error> {
    facts::apply_settings(&mut session.conn, settings)
        .map_err(|source| failed(session.server, "set up a session", source))
}

/// Freezes NOW() at one value on both servers. If a server refuses, the clock keeps running on
/// both.
fn stop_clocks(mut sessions: [&mut Session<'_>; 2]) {
    let stopped = sessions.each_mut().map(|session| stop_clock(&mut session.conn));
    if stopped.contains(&false) {
        for session in sessions {
            let _ = session.conn.query_drop("SET timestamp = DEFAULT");
        }
    }
}

fn sql_mode(session: &mut Session<'_>) -> Result<SqlMode, Error> {
    let mode: Option<String> = session
        .conn
        .query_first("SELECT @@SESSION.sql_mode")
        .map_err(|source| failed(session.server, "read the SQL mode", source))?;
    Ok(SqlMode::parse(&mode.unwrap_or_default()))
}

/// Names of stored functions that could end the session's read-only state, and of views that call
/// such functions.
fn runnable_names(session: &mut Session<'_>) -> Result<RunnableNames, Error> {
    let code = facts::read_user_code(&mut session.conn)
        .map_err(|source| failed(session.server, "list functions and views", source))?;
    Ok(RunnableNames::new(&code))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Use {
    Query,
    /// Schema of `USE …`.
    Schema(String),
    /// Settings of `SET …`.
    Settings(Vec<SessionSetting>),
    /// A query that isn't run, with the reason: it calls a function that may change the server.
    Refused(String),
    Other,
}

/// Returns the use of a text. It must be the same in the SQL modes of both sessions, else the text
/// is refused or left out.
fn use_of(text: &str, [one, other]: [SqlMode; 2]) -> Use {
    match [use_in_mode(text, one), use_in_mode(text, other)] {
        [first, second] if first == second => first,
        [Use::Refused(reason), Use::Query | Use::Refused(_)] | [Use::Query, Use::Refused(reason)] => {
            Use::Refused(reason)
        }
        _ => Use::Other,
    }
}

fn use_in_mode(text: &str, mode: SqlMode) -> Use {
    let is_conditional = tokenize(text, mode).any(|token| token.kind == TokenKind::ConditionalComment);
    let tokens: Vec<Token<'_>> = tokenize(text, mode).filter(Token::is_content).collect();
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any_keyword(words));
    if let [_, schema] = &tokens[..]
        && is(0, &["use"])
        && !is_conditional
    {
        return schema.name().map_or(Use::Other, Use::Schema);
    }
    let settings = read_settings(text, mode);
    if !settings.is_empty() {
        return Use::Settings(settings);
    }
    let locks = tokens.windows(2).any(|pair| {
        pair[0].is_keyword("for") && pair[1].is_any_keyword(&["update", "share"])
            || pair[0].is_keyword("lock") && pair[1].is_keyword("in")
    });
    match statement_effect(&tokens) {
        Ok(Effect::Reads) if !locks && !is_conditional => match check_calls(text, mode) {
            Ok(()) => Use::Query,
            Err(call) => Use::Refused(call.reason),
        },
        _ => Use::Other,
    }
}

fn compare_query<'s>(
    old: &mut Session<'s>,
    new: &mut Session<'s>,
    given: &Given,
    facts: [&Facts; 2],
) -> Result<Vec<Finding>, Error> {
    if let Some(schema) = &given.schema {
        for session in [&mut *old, &mut *new] {
            let _ = session.run(&format!("USE {}", quote_identifier(schema)))?;
        }
    }
    let (before, after) = (old.run(&given.text)?, new.run(&given.text)?);
    let is_repeatable = before.is_err() || old.run(&given.text)? == before;
    let finding = |kind, what| given.finding(kind, what);
    let (one, other) = match (&before, &after) {
        (Ok(one), Ok(other)) => (one, other),
        (Ok(_), Err(refusal)) => {
            let mut breaks = finding(Kind::Breaks, "runs on the old server, and the new one refuses it".into());
            breaks.error = Some(refusal.to_string());
            return Ok(vec![breaks]);
        }
        (Err(old), Err(refusal)) => {
            let mut fails = finding(Kind::FailsAlready, "fails on both servers".into());
            fails.error = Some(refusal.to_string());
            set_old_error(&mut fails, old);
            return Ok(vec![fails]);
        }
        (Err(_), Ok(_)) => return Ok(Vec::new()),
    };
    let mut all = Vec::new();
    let groups = Groups::new(old.server, &given.text);
    if let Some(what) = describe_difference(given, &done(&before, is_repeatable), one, other, groups) {
        let mut differs = finding(Kind::Differs, what);
        differs.reasons.extend(groups.reason(new.server));
        differs.reasons.extend(column_reasons(given, old.schema.as_deref(), facts));
        differs.reasons.extend(describe_renaming(one, other));
        all.push(differs);
    }
    let lost = lost_indexes(old, new, given);
    if !lost.is_empty() {
        let mut slower = finding(Kind::Slower, "loses an index on the new server".into());
        slower.reasons = lost.iter().map(PlanChange::sentence).collect();
        let missing = missing_indexes(&lost, given, facts[1]);
        if missing.is_empty() {
            slower.reasons.extend(column_reasons(given, old.schema.as_deref(), facts));
        }
        slower.reasons.extend(missing);
        all.push(slower);
    }
    Ok(all)
}

fn done(ran: &Ran, is_repeatable: bool) -> Done {
    Done { ran: ran.clone(), is_repeatable, ..Done::default() }
}

/// Names the lost indexes that no table of the query has on the new server.
fn missing_indexes(lost: &[PlanChange], given: &Given, after: &Facts) -> Vec<String> {
    let tokens: Vec<Token<'_>> = tokenize(&given.text, SqlMode::default()).collect();
    let named = sql::find_tables(&tokens);
    let is_there = |index: &str| {
        after.schemas.iter().flat_map(|schema| &schema.tables).any(|table| {
            named.iter().any(|one| one.name.eq_ignore_ascii_case(&table.name))
                && table.indexes.iter().any(|own| own.name.eq_ignore_ascii_case(index) && !own.invisible)
        })
    };
    let missing = |change: &PlanChange| match change {
        PlanChange::Index { control: Some(index), treatment: None, .. } if !is_there(index) => {
            Some(format!("The new server does not have the index {index}"))
        }
        _ => None,
    };
    lost.iter().filter_map(missing).collect()
}

/// Returns the differences of the plans, if the new server reads a table without an index that the
/// old one reads by one.
fn lost_indexes<'s>(old: &mut Session<'s>, new: &mut Session<'s>, given: &Given) -> Vec<PlanChange> {
    let plans = [old, new].map(|session| explain_statement(&mut session.conn, &given.text, &given.text));
    let [Ok(before), Ok(after)] = plans else { return Vec::new() };
    let changes = compare_plans(&before, &after);
    let is_lost = |change: &PlanChange| matches!(change, PlanChange::Index { control: Some(_), treatment: None, .. });
    if changes.iter().any(is_lost) { changes } else { Vec::new() }
}

/// Names up to five columns of a query's tables whose collation differs between the servers.
fn column_reasons(given: &Given, schema: Option<&str>, [before, after]: [&Facts; 2]) -> Vec<String> {
    let tokens: Vec<Token<'_>> = tokenize(&given.text, SqlMode::default()).collect();
    let named = sql::find_tables(&tokens);
    let is_named = |table: &facts::Table| {
        named.iter().any(|one| {
            one.name.eq_ignore_ascii_case(&table.name)
                && one.schema.as_deref().or(schema).is_none_or(|schema| schema == table.schema)
        })
    };
    let sentence = |(table, column): (&facts::Table, &facts::Column)| {
        let old = column.collation.as_ref()?;
        let new = after.table(&table.schema, &table.name)?.column(&column.name)?.collation.as_ref()?;
        (!server::is_same_collation(old, new))
            .then(|| format!("{}.{} is {new} on the new server, and {old} on the old one", table.name, column.name))
    };
    before.columns().filter(|(table, _)| is_named(table)).filter_map(sentence).take(5).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn use_of(text: &str) -> Use {
        super::use_of(text, [SqlMode::default(); 2])
    }

    #[test]
    fn the_modes_of_both_servers_decide_where_strings_end() {
        let plain = SqlMode { no_backslash_escapes: true, ..SqlMode::default() };
        let text = r#"SELECT '\' INTO OUTFILE "/x" -- ';"#;
        assert_eq!(super::use_of(text, [SqlMode::default(); 2]), Use::Query);
        for modes in [[plain; 2], [SqlMode::default(), plain], [plain, SqlMode::default()]] {
            assert_eq!(super::use_of(text, modes), Use::Other);
        }
    }

    #[test]
    fn only_queries_are_run() {
        for query in ["SELECT 1", "(SELECT 1) UNION (SELECT 2)", "WITH a AS (SELECT 1) SELECT * FROM a"] {
            assert_eq!(use_of(query), Use::Query, "{query}");
        }
        for (text, schema) in [("USE app -- x", "app"), ("use `a;``b`", "a;`b")] {
            assert_eq!(use_of(text), Use::Schema(schema.into()), "{text}");
        }
        assert!(matches!(use_of("SET NAMES latin1"), Use::Settings(_)));
        for text in ["SELECT SLEEP 1.e(5)", "SELECT LOAD_FILE('x')", "SELECT innodb_redo_log_archive_stop()"] {
            assert!(matches!(use_of(text), Use::Refused(_)), "{text}");
        }
        for other in [
            "UPDATE t SET a = 1",
            "SELECT 1 INTO OUTFILE 'x'",
            "SELECT a FROM t FOR UPDATE",
            "SELECT a FROM t LOCK IN SHARE MODE",
            "SELECT a FROM t FOR /*+ x */ UPDATE",
            "SELECT a FROM t LOCK /*+ x */ IN SHARE MODE",
            "SELECT SLEEP(5)",
            "SET GLOBAL sql_mode = ''",
            "SELECT 1 /*! INTO OUTFILE 'x' */",
            "CALL p()",
            "USE app; DROP DATABASE victim",
            "SET NAMES latin1; DROP DATABASE victim",
            "SET NAMES 'a'';'",
            "USE",
        ] {
            assert_eq!(use_of(other), Use::Other, "{other}");
        }
    }
}
