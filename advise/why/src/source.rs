//! The running server: statements are explained there in a session set up as theirs, and never run.

use std::collections::HashSet;

use facts::RunnableNames;
use mysql::prelude::Queryable;
use mysql::{Params, Row, Value};
use server::{Flavour, Server};
use sql::{SessionSetting, SqlMode, Token, quote_identifier, tokenize};

use crate::Error;
use crate::copy::Refusal;
use crate::judge::is_conflict;
use crate::model::{Diagnosis, Finding, Kind, PlanFigures, Side, Site, TableAccess};
use crate::plan::{Plan, gained_lookups, is_kept_subquery, is_lookup, is_sorted, wastes_rows};
use crate::run::{Given, Request, sets_up};
use crate::statistics;
use crate::trial::{is_explainable, without_into};
use crate::unjudged::describe_warning;
use crate::variables::find_variables;

/// Explains the statements on a running server, and adds its figures to the findings. Adds a
/// finding if only this server refuses a statement for its collations, or if its warnings and plan
/// show a loss that the copy only suspects. Replaces findings that this server contradicts by
/// notes.
pub fn confirm(source: &Server, request: &Request, diagnosis: &mut Diagnosis) -> Result<(), Error> {
    let mut conn = source.connect()?;
    let fail =
        |what: &'static str| move |error| Error::Driver { what, server: source.label().to_owned(), source: error };
    let code = facts::read_user_code(&mut conn).map_err(fail("list functions and views"))?;
    let runnable = RunnableNames::new(&code);
    let _ = conn.query_drop("SET NAMES utf8mb4");
    if source.flavour() == Flavour::MariaDb {
        let _ = conn.query_drop(crate::copy::UNUSABLE_KEYS);
    }
    if let Some(schema) = &request.schema {
        select_schema(&mut conn, schema).map_err(fail("select a schema"))?;
    }
    let mode: Option<String> = conn.query_first("SELECT @@SESSION.sql_mode").map_err(fail("read the SQL mode"))?;
    let mode = SqlMode::parse(&mode.unwrap_or_default());
    let mut variables = SessionVariables::default();
    for statement in &request.first {
        let settings = variables.read(statement);
        facts::apply_settings(&mut conn, &settings).map_err(fail("set up a session"))?;
    }
    for given in &request.given {
        lifecycle::interrupt::check()?;
        if let Some(schema) = &given.schema {
            select_schema(&mut conn, schema).map_err(fail("select a schema"))?;
        }
        if let Some(schema) = sql::used_schema(given.text.as_bytes()) {
            select_schema(&mut conn, &schema).map_err(fail("select a schema"))?;
            continue;
        }
        if sets_up(&given.text) {
            let settings = variables.read(&given.text);
            facts::apply_settings(&mut conn, &settings).map_err(fail("set up a session"))?;
            continue;
        }
        let missing = variables.find_missing(given);
        // As the statement is not run, the variables that it sets are unknown from here on.
        variables.read(&given.text);
        let Some(judged) =
            diagnosis.statements.iter_mut().find(|one| one.place == given.place && one.text == given.text)
        else {
            continue;
        };
        if !is_explainable(&given.text) {
            continue;
        }
        if let Err(call) = workload_folder::check_calls(&given.text, mode) {
            diagnosis.notes.push(format!("{}: not explained on the server: {}", given.place, call.reason));
            continue;
        }
        if let Some(name) = runnable.find_in(&given.text) {
            diagnosis.notes.push(format!(
                "{}: not explained on the server: it names {name}, a stored function or a view whose functions may \
                 do more than compute, which EXPLAIN can run",
                given.place
            ));
            continue;
        }
        if let Some(name) = missing {
            diagnosis.notes.push(format!("{}: not explained on the server: @{name} is not set there", given.place));
            continue;
        }
        let explain = crate::plan::explain(source.flavour(), &without_into(&given.text));
        let explained = prepared(&mut conn, &explain).map_err(fail("explain a statement"))?;
        match explained {
            Ok(rows) => {
                let warned = conn.query::<Row, _>("SHOW WARNINGS").map_err(fail("read the warnings"))?;
                let mut plan = read_plan(&[rows, warned]);
                let own = given.schema.as_ref().or(request.schema.as_ref());
                if let (Flavour::MariaDb, Some(schema)) = (source.flavour(), own) {
                    statistics::estimate_kept(&mut conn, &mut plan, &given.text, schema)
                        .map_err(fail("read the statistics of an index"))?;
                }
                let notes = &mut diagnosis.notes;
                if judged.findings.is_empty() {
                    judged.findings = judged.suspects.iter().filter_map(|suspect| shown_loss(suspect, &plan)).collect();
                    if judged.findings.is_empty() {
                        let new = plan.warnings.iter().filter(|warning| !judged.warnings.contains(warning));
                        let new: Vec<String> = new.cloned().collect();
                        notes.extend(new.iter().map(|warning| describe_warning(&given.place, warning)));
                        judged.warnings.extend(new);
                    } else {
                        // The finding says more than the copy's note on the warning.
                        let warned = std::mem::take(&mut judged.warnings);
                        let is_of_warning = |note: &String| warned.iter().any(|warning| note.contains(warning));
                        notes.retain(|note| !(note.starts_with(&format!("{}: ", given.place)) && is_of_warning(note)));
                        judged.is_unjudged = false;
                    }
                    continue;
                }
                judged.findings.retain_mut(|finding| is_shared(finding, &plan.figures, &given.place, notes));
            }
            Err(refusal) if is_conflict(refusal.code) && judged.findings.is_empty() => judged.findings.push(Finding {
                kind: Kind::Refused,
                error: Some(refusal.to_string()),
                sites: Vec::new(),
                details: Vec::new(),
                plan: None,
                server_plan: None,
                depends_on_rows: false,
                remedies: Vec::new(),
            }),
            Err(_) => {}
        }
    }
    Ok(())
}

/// Selects a schema by the text protocol, as not every server prepares `USE`. A schema that the
/// server refuses has no effect.
fn select_schema(conn: &mut server::Conn, schema: &str) -> mysql::Result<()> {
    match conn.query_drop(format!("USE {}", quote_identifier(schema))) {
        Err(mysql::Error::MySqlError(_)) => Ok(()),
        used => used,
    }
}

/// Runs a statement by the prepared protocol, which refuses several statements in one text.
fn prepared(conn: &mut server::Conn, statement: &str) -> mysql::Result<Result<Vec<Row>, Refusal>> {
    let run = conn.prep(statement).and_then(|prepared| {
        let values = vec![Value::Bytes(Vec::new()); usize::from(prepared.num_params())];
        let values = if values.is_empty() { Params::Empty } else { Params::Positional(values) };
        let rows = conn.exec(&prepared, values);
        conn.close(prepared)?;
        rows
    });
    match run {
        Ok(rows) => Ok(Ok(rows)),
        Err(mysql::Error::MySqlError(error)) => Ok(Err(Refusal::new(&error, statement))),
        Err(error) => Err(error),
    }
}

/// User variables of the server's session. Only `SET` with a literal is made there.
#[derive(Default)]
struct SessionVariables {
    set: HashSet<String>,
    /// Variables to which the statements give another value than the session has.
    unset: HashSet<String>,
}

impl SessionVariables {
    /// Reads the settings of a statement that apply to the server's session.
    fn read(&mut self, text: &str) -> Vec<SessionSetting> {
        let settings = sql::read_settings(text, SqlMode::default());
        for name in find_variables(text).set {
            self.set.remove(&name);
            self.unset.insert(name);
        }
        for name in settings.iter().filter_map(|setting| setting.user_variable.as_ref()) {
            self.unset.remove(name);
            self.set.insert(name.clone());
        }
        settings
    }

    /// Returns a variable that a statement reads and whose value is unknown. Variables of a slow
    /// log were set by statements that the log does not have.
    fn find_missing(&self, given: &Given) -> Option<String> {
        let is_of_log = given.seconds.is_some();
        let is_missing = |name: &String| self.unset.contains(name) || is_of_log && !self.set.contains(name);
        find_variables(&given.text).read.into_iter().find(is_missing)
    }
}

/// Returns a lost index of which the running server warns, if that server reads a table of the
/// comparison mostly in vain.
fn shown_loss(suspect: &Finding, plan: &Plan) -> Option<Finding> {
    let mut shown = Finding { sites: Vec::new(), server_plan: Some(plan.figures.clone()), ..suspect.clone() };
    for warning in &plan.warnings {
        let Some(column) = warned_column(warning) else { continue };
        for site in &suspect.sites {
            let Some(wasted) = find_wasted(site, &column, &plan.figures) else { continue };
            let key = wasted.key.as_ref().map(|key| format!(" by {key}")).unwrap_or_default();
            let kept = wasted.kept.unwrap_or_default();
            for detail in [
                format!("The server warns: {warning}"),
                format!("The server reads {} rows of {}{key}, and keeps about {kept}", wasted.rows, wasted.table),
            ] {
                if !shown.details.contains(&detail) {
                    shown.details.push(detail);
                }
            }
            if !shown.sites.contains(site) {
                shown.sites.push(site.clone());
            }
        }
    }
    (!shown.sites.is_empty()).then_some(shown)
}

/// Returns the column of MySQL's `… conversion on field 'code'`, and of MariaDB's ``Cannot use key
/// `k` part[0] for lookup: `shop`.`o`.`code` of collation …`` and ``Cannot use key parts with
/// `shop`.`orders`.`code` in the rewritten condition: …``.
fn warned_column(warning: &str) -> Option<String> {
    if let Some((_, field)) = warning.split_once(" on field '") {
        return field.strip_suffix('\'').map(str::to_owned);
    }
    let name = match warning.split_once(" for lookup: ") {
        Some((_, compared)) => compared.split_once(" of ")?.0,
        None => warning.split_once(" parts with ")?.1.split_once(" in the rewritten condition")?.0,
    };
    tokenize(name, SqlMode::default()).filter_map(|token| token.name()).last()
}

/// Returns the table of a column that a comparison names, if it is read mostly in vain.
fn find_wasted<'p>(site: &Site, column: &str, plan: &'p PlanFigures) -> Option<&'p TableAccess> {
    let is_wasted = |side: &Side| {
        let tokens: Vec<Token<'_>> = tokenize(&side.text, SqlMode::default()).collect();
        let is_named = |token: &Token<'_>| token.name().is_some_and(|name| name.eq_ignore_ascii_case(column));
        let at = tokens.iter().rposition(is_named)?;
        let qualifier = match &tokens[..at] {
            [.., table, dot] if dot.is_symbol('.') => table.name(),
            _ => None,
        };
        let is_meant =
            |access: &&TableAccess| qualifier.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(&access.table));
        plan.tables.iter().filter(is_meant).find(|access| wastes_rows(access))
    };
    site.sides.iter().find_map(is_wasted)
}

/// False if the running server's plan contradicts a finding; a note then says how. Otherwise the
/// finding of a lost index keeps the plan.
fn is_shared(finding: &mut Finding, plan: &PlanFigures, place: &str, notes: &mut Vec<String>) -> bool {
    if finding.kind != Kind::IndexLost {
        if finding.sites.iter().all(|site| site.program.is_none()) {
            notes.push(format!("{place}: the copy refuses it, the server itself does not"));
            return false;
        }
        return true;
    }
    let best = finding.remedies.iter().filter_map(|remedy| remedy.plan.as_ref()).min_by_key(|plan| plan.rows);
    let gained =
        best.zip(finding.plan.as_ref()).map(|(after, before)| gained_lookups(before, after)).unwrap_or_default();
    let is_there = |access: &&TableAccess| {
        // A scan of a whole index has the same key and length as a lookup, or as a read in order.
        let reads_alike = |own: &TableAccess| {
            own.access == access.access && is_sorted(own) == is_sorted(access) || is_lookup(own) && is_lookup(access)
        };
        let is_same = |own: &TableAccess| own.key == access.key && own.key_len == access.key_len && reads_alike(own);
        plan.tables.iter().any(|own| own.table == access.table && is_same(own))
    };
    if !gained.is_empty() && gained.iter().all(is_there) {
        notes.push(format!("{place}: the server itself uses the index that the copy does not"));
        return false;
    }
    let is_scanned = |access: &&TableAccess| {
        let mut own = plan.tables.iter().filter(|own| own.table == access.table);
        is_kept_subquery(access) || own.any(|own| !is_lookup(own))
    };
    if finding.depends_on_rows && !plan.tables.is_empty() && !gained.iter().any(is_scanned) {
        notes.push(format!(
            "{place}: the copy misses an index if many rows meet the statement's conditions; the server reads few of its \
             rows, by another index"
        ));
        return false;
    }
    finding.server_plan = (!plan.tables.is_empty()).then(|| plan.clone());
    true
}

fn read_plan(results: &[Vec<Row>]) -> Plan {
    let named = |rows: &Vec<Row>| rows.iter().map(crate::copy::named_values).collect();
    crate::plan::read_plan(&results.iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finding whose remedy reads an index in order; the running server's plan has `extra`.
    fn is_shared_with(extra: &str) -> bool {
        let plan = |rows: u64, extra: &str| {
            let (key, key_len) = (Some("code".to_owned()), Some("152".to_owned()));
            let (table, access, extra) = ("a".to_owned(), "index".to_owned(), extra.to_owned());
            PlanFigures { rows, tables: vec![TableAccess { table, access, key, key_len, extra, rows, kept: None }] }
        };
        let remedy = crate::model::Remedy {
            scope: crate::model::Scope::Statement,
            what: String::new(),
            sql: Vec::new(),
            plan: Some(plan(5, "Using index")),
            effects: Vec::new(),
            is_lossy: false,
        };
        let mut finding = Finding {
            kind: Kind::IndexLost,
            error: None,
            sites: Vec::new(),
            details: Vec::new(),
            plan: Some(plan(4000, "Using index; Using temporary")),
            server_plan: None,
            depends_on_rows: false,
            remedies: vec![remedy],
        };
        is_shared(&mut finding, &plan(2000, extra), "statement", &mut Vec::new())
    }

    #[test]
    fn an_index_that_is_grouped_by_the_server_is_not_in_order() {
        assert!(is_shared_with("Using index; Using temporary"));
        assert!(is_shared_with("Using index; Using filesort"));
        assert!(!is_shared_with("Using index"));
    }

    #[test]
    fn variables_without_a_literal_are_missing() {
        let mut variables = SessionVariables::default();
        let mut find_after = |text: &str| {
            variables.read(text);
            let read = |seconds| Given { text: "SELECT @`A`, @b := 1".into(), seconds, ..Given::default() };
            [None, Some(1.0)].map(|seconds| variables.find_missing(&read(seconds)))
        };
        let a = || Some("a".to_owned());
        assert_eq!(find_after("SET @b = @a"), [None, a()], "a log's variables are not known");
        assert_eq!(find_after("SET @a = CONCAT('x', 'y')"), [a(), a()]);
        assert_eq!(find_after("SET @a = 'x'"), [None, None]);
        assert_eq!(find_after("SELECT 'x' INTO @a"), [a(), a()]);
    }

    #[test]
    fn warnings_name_a_column() {
        for (warning, column) in [
            ("Cannot use ref access on index 'k' due to type or collation conversion on field 'code'", Some("code")),
            (
                "Cannot use key `k` part[0] for lookup: `shop`.`o`.`code` of collation `latin1_swedish_ci` = \"p.code\" of \
                 collation `utf8mb4_general_ci`",
                Some("code"),
            ),
            (
                "Cannot use key parts with `shop`.`orders`.`code` in the rewritten condition: `convert(``o``.``code``)`",
                Some("code"),
            ),
            ("Something else", None),
        ] {
            assert_eq!(warned_column(warning).as_deref(), column, "{warning}");
        }
    }
}
