use std::time::{Duration, Instant};

use load::{Schemas, StatementPlan};
use mysql::prelude::Queryable;
use mysql_collation::Collation;
use server::Conn;
use server::{Progress, Server};
use workload_folder::{Statement, Workload};

use crate::call::{CallResult, call_statement};
use crate::colliding::LeftOut;
use crate::convert::{ConversionTarget, TableDefinition, TextColumn};
use crate::difference::{compare_results, merge_differences};
use crate::error::Error;
use crate::model::{ClassCalls, ClassDifference, Difference, FORMAT, ResultDiff, Side};
use crate::side::{
    AS_IS, FillRequest, FilledSchema, count_columns, default_collation, fill_with_target, find_target, side_name,
};
use crate::{explanation, plan};

/// Options of a comparison.
#[derive(Clone, Debug)]
pub struct Request {
    /// Collations of the sides, the control first. `None` keeps the workload's collations.
    pub sides: Vec<Option<String>>,
    /// True if columns whose collation differs from their table's are converted, too, and those
    /// that would stay ascii or `_bin`.
    pub convert_all: bool,
    /// Maximum number of samples called per class.
    pub samples: usize,
    /// True if rows that collide on a side are left out on all.
    pub without_colliding_rows: bool,
    pub statement_timeout: Duration,
    /// Unique name of the run, part of the schemas' names.
    pub run: String,
}

/// A side with its filled schema and a connection.
struct OpenSide {
    side: Side,
    conn: Conn,
    /// Collation that the side was converted to, or the collations of `columns`, without those
    /// that mysql-collation lacks.
    collations: Vec<Collation>,
    /// Columns that a conversion converts, also on the side that isn't converted.
    columns: Vec<Column>,
}

#[derive(Clone)]
struct Column {
    table: String,
    name: String,
    /// Collation on this side; `None` if mysql-collation lacks it.
    collation: Option<Collation>,
}

/// Fills a schema for each side, calls every class on each, and returns the differences from the
/// first side.
///
/// # Errors
/// If the server lacks a collation, a side can't be filled, or a connection is lost. The schemas
/// are always dropped.
pub fn compare_sides(
    server: &Server,
    workload: &Workload,
    request: &Request,
    progress: &dyn Progress,
) -> Result<ResultDiff, Error> {
    let collations = server.read_collations()?;
    let targets: Vec<Option<ConversionTarget>> = request
        .sides
        .iter()
        .map(|side| find_target(server, &collations, side.as_deref(), request.convert_all))
        .collect::<Result<_, _>>()?;
    let default = default_collation(server, &collations)?;
    let mut left_out = LeftOut::default();
    let (schemas, mut sides) = loop {
        let schemas = Schemas::new(server, &request.run)?;
        let mut colliding = left_out.clone();
        let mut sides = Vec::new();
        for target in &targets {
            progress.step(&format!("filling a schema for {}", side_name(target.as_ref())));
            let fill = FillRequest {
                default: &default,
                target: target.as_ref(),
                all_columns: request.convert_all,
                left_out: &left_out,
            };
            let colliding = request.without_colliding_rows.then_some(&mut colliding);
            sides.push(open_side(server, workload, &schemas, &fill, colliding, request)?);
        }
        if colliding == left_out {
            break (schemas, sides);
        }
        // All sides are filled again without the colliding rows, so that they have the same rows.
        left_out = colliding;
        drop(sides);
        schemas.remove()?;
    };
    progress.step("calling every class of statements on each side");
    let mut diff = ResultDiff {
        format: FORMAT.into(),
        workload: workload.name(),
        server: server.label().to_owned(),
        sides: sides.iter().map(|one| one.side.clone()).collect(),
        classes: workload.statements.len() as u64,
        calls: 0,
        left_out: left_out.into_rows(),
        not_repeatable: Vec::new(),
        class_calls: Vec::new(),
        findings: Vec::new(),
    };
    for (number, statement) in workload.statements.iter().enumerate() {
        lifecycle::interrupt::check()?;
        progress.fraction(number as f64 / workload.statements.len() as f64);
        compare_class(server, statement, &mut sides, workload, request, &mut diff)?;
    }
    let order = |finding: &ClassDifference| side_position(&request.sides, &finding.side);
    diff.findings.sort_by_key(order);
    drop(sides);
    schemas.remove()?;
    Ok(diff)
}

fn side_position(sides: &[Option<String>], name: &str) -> usize {
    sides.iter().position(|side| side.as_deref().unwrap_or(AS_IS) == name).unwrap_or(usize::MAX)
}

fn open_side(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    fill: &FillRequest<'_>,
    colliding: Option<&mut LeftOut>,
    request: &Request,
) -> Result<OpenSide, Error> {
    let target = fill.target;
    let FilledSchema { schema, definitions, .. } = fill_with_target(server, workload, schemas, fill, colliding)?;
    let unchanged = ConversionTarget::unchanged(request.convert_all);
    let (changed, total) = count_columns(&definitions, target.unwrap_or(&unchanged));
    let mut conn = server.connect_with_limit(request.statement_timeout)?;
    set_up_session(&mut conn, &schema, workload).map_err(|source| Error::Statement {
        server: server.label().to_owned(),
        what: "set up a session".to_owned(),
        source,
    })?;
    let mut names: Vec<&str> = match target {
        Some(target) => vec![&target.collation],
        None => definitions
            .iter()
            .flat_map(|one| one.converted_columns(&unchanged))
            .map(|column| column.collation.as_str())
            .collect(),
    };
    names.sort_unstable();
    names.dedup();
    let side = Side {
        name: side_name(target),
        converted: if target.is_some() { changed } else { 0 },
        kept: if target.is_some() { total - changed } else { total },
    };
    let collations = names.into_iter().filter_map(|name| explanation::find_collation(name, server.flavour())).collect();
    let column = |table: &TableDefinition, column: &TextColumn| Column {
        table: table.name.clone(),
        name: column.name.clone(),
        collation: explanation::find_collation(
            &target.map_or_else(|| column.collation.clone(), |target| target.new_collation(column)),
            server.flavour(),
        ),
    };
    let columns = definitions
        .iter()
        .flat_map(|one| one.converted_columns(&unchanged).map(move |text| column(one, text)))
        .collect();
    Ok(OpenSide { side, conn, collations, columns })
}

/// Sets up a connection. Results come in utf8mb4, independent of the workload's connection charset.
fn set_up_session(conn: &mut Conn, schema: &str, workload: &Workload) -> mysql::Result<()> {
    let session = &workload.manifest.session;
    conn.query_drop("SET NAMES utf8mb4")?;
    if let Some(mode) = &session.sql_mode {
        conn.query_drop(format!("SET SESSION sql_mode = {}", sql::quote_string(mode)))?;
    }
    if let Some(zone) = &session.time_zone {
        conn.query_drop(format!("SET SESSION time_zone = {}", sql::quote_string(zone)))?;
    }
    conn.query_drop(format!("USE {}", sql::quote_identifier(schema)))
}

/// Calls a class on all sides and adds its differences.
fn compare_class(
    server: &Server,
    statement: &Statement,
    sides: &mut [OpenSide],
    workload: &Workload,
    request: &Request,
    diff: &mut ResultDiff,
) -> Result<(), Error> {
    let call_error = |source| Error::Statement {
        server: server.label().to_owned(),
        what: format!("call {}", statement.name),
        source,
    };
    for side in sides.iter_mut() {
        let mode = statement.header.sql_mode.as_ref().or(workload.manifest.session.sql_mode.as_ref());
        // If neither class nor workload sets a mode, the server's applies, not that of the class
        // before.
        let mode = mode.map_or_else(|| "DEFAULT".to_owned(), |mode| sql::quote_string(mode));
        side.conn.query_drop(format!("SET SESSION sql_mode = {mode}")).map_err(call_error)?;
    }
    let Some((control, treatments)) = sides.split_first_mut() else { return Ok(()) };
    let samples = statement.samples.len().min(request.samples);
    let results = call_control(&mut control.conn, statement, samples).map_err(call_error)?;
    let (class, seconds) = (statement.name.clone(), results.seconds);
    let mut calls =
        ClassCalls { class, samples: samples as u64, seconds, failed: Vec::new(), error: None, shared_error: None };
    for (sample, result) in results.calls.iter().enumerate() {
        calls.add_error(&control.side.name, sample, result.error.as_ref());
    }
    diff.calls += samples as u64;
    if !results.is_repeatable {
        diff.not_repeatable.push(statement.name.clone());
    }
    for treatment in treatments {
        let difference = compare_treatment(statement, &results, control, treatment, &mut calls).map_err(call_error)?;
        diff.findings.extend(difference);
    }
    diff.class_calls.push(calls);
    Ok(())
}

/// Results of a class on the control.
struct ControlResults {
    calls: Vec<CallResult>,
    /// Mean duration of a call in seconds.
    seconds: f64,
    /// True if a repeated call has the same rows and error.
    is_repeatable: bool,
    plan: Option<StatementPlan>,
}

/// Calls a statement with the first `samples` samples of values on the control, and with the first
/// sample once more.
fn call_control(conn: &mut Conn, statement: &Statement, samples: usize) -> mysql::Result<ControlResults> {
    let begun = Instant::now();
    let calls: Vec<CallResult> =
        (0..samples).map(|sample| call_statement(conn, statement, sample)).collect::<Result<_, _>>()?;
    let seconds = begun.elapsed().as_secs_f64() / samples.max(1) as f64;
    let again = call_statement(conn, statement, 0)?;
    let is_repeatable = calls.first().is_none_or(|first| {
        (again.count, again.content_hash, &again.error) == (first.count, first.content_hash, &first.error)
    });
    Ok(ControlResults { calls, seconds, is_repeatable, plan: explain_first_sample(conn, statement) })
}

/// Calls a class on a treatment and returns its differences; `None` if nothing differs. Errors of
/// calls are added to `calls`.
fn compare_treatment(
    statement: &Statement,
    results: &ControlResults,
    control: &mut OpenSide,
    treatment: &mut OpenSide,
    calls: &mut ClassCalls,
) -> mysql::Result<Option<ClassDifference>> {
    let mut differences: Vec<Difference> = Vec::new();
    for (sample, result) in results.calls.iter().enumerate() {
        let other = call_statement(&mut treatment.conn, statement, sample)?;
        calls.add_error(&treatment.side.name, sample, other.error.as_ref());
        if let (Some(error), Some(same)) = (&result.error, &other.error)
            && error.code == same.code
        {
            calls.shared_error.get_or_insert_with(|| error.clone());
        }
        let mut more = compare_results(statement, sample, result, &other);
        if !results.is_repeatable {
            more.retain(|one| matches!(one, Difference::Error { .. }));
        }
        if let (Some(Difference::Rows { example, .. } | Difference::Affected { example, .. }), true) =
            (more.first_mut(), differences.is_empty())
        {
            example.why = find_reasons(control, treatment, statement, sample, (result, &other))?;
        }
        merge_differences(&mut differences, more);
    }
    let plan = match (&results.plan, explain_first_sample(&mut treatment.conn, statement)) {
        (Some(control), Some(treatment)) => plan::compare_plans(control, &treatment),
        _ => Vec::new(),
    };
    let differs = !differences.is_empty() || !plan.is_empty();
    Ok(differs.then(|| ClassDifference {
        side: treatment.side.name.clone(),
        class: statement.name.clone(),
        text: statement.text.clone(),
        weight: statement.header.weight,
        differences,
        plan,
    }))
}

/// Maximum number of columns, and of values, that are searched for explanations.
const MAX_COLUMNS: usize = 20;

/// Explains different rows by a value of the call and texts that equal the value on one side only.
/// Without such texts, compares the texts of the different rows.
fn find_reasons(
    control: &mut OpenSide,
    treatment: &mut OpenSide,
    statement: &Statement,
    sample: usize,
    (one, other): (&CallResult, &CallResult),
) -> mysql::Result<Vec<String>> {
    let Some(to) = treatment.collations.first().copied() else { return Ok(Vec::new()) };
    let values = explanation::sample_texts(statement, sample);
    let tokens: Vec<_> = sql::tokenize(&statement.text, statement.mode()).collect();
    let named = sql::find_tables(&tokens);
    let is_named = |column: &&Column| named.iter().any(|one| one.name.eq_ignore_ascii_case(&column.table));
    let columns: Vec<Column> = control.columns.iter().filter(is_named).take(MAX_COLUMNS).cloned().collect();
    let mut reasons = Vec::new();
    for column in &columns {
        let is_same = |other: &&Column| (&other.table, &other.name) == (&column.table, &column.name);
        let converted = treatment.columns.iter().find(is_same).and_then(|column| column.collation);
        let (Some(from), Some(to)) = (column.collation, converted) else { continue };
        let mut found = Vec::new();
        for value in values.iter().take(MAX_COLUMNS) {
            // As bytes, so that DISTINCT doesn't merge texts that are equal under the collation.
            let name = sql::quote_identifier(&column.name);
            // A hexadecimal literal means the same in every SQL mode.
            let select = format!(
                "SELECT DISTINCT CAST(CONVERT({name} USING utf8mb4) AS BINARY) FROM {} WHERE {name} = _utf8mb4 {} LIMIT 20",
                sql::quote_identifier(&column.table),
                sql::hex_literal(value.as_bytes())
            );
            for side in [&mut *control, &mut *treatment] {
                match side.conn.query::<Option<Vec<u8>>, _>(&select) {
                    Ok(texts) => found.extend(texts.into_iter().flatten()),
                    // The column can't be compared with the value.
                    Err(mysql::Error::MySqlError(_)) => {}
                    Err(lost) => return Err(lost),
                }
            }
        }
        found.sort();
        found.dedup();
        reasons.extend(explanation::explain_values(&values, &found, from, to));
    }
    if reasons.is_empty() {
        reasons = explanation::explain_texts(&explanation::differing_texts(one, other), &control.collations, to);
    }
    reasons.truncate(explanation::MAX_REASONS);
    Ok(reasons)
}

/// Returns the plan of the first sample; `None` if the server can't explain the statement.
fn explain_first_sample(conn: &mut Conn, statement: &Statement) -> Option<StatementPlan> {
    load::explain_statement(conn, &statement.text, &statement.with_values(0)).ok()
}
