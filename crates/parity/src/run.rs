//! Two sides and more, from begin to end.

use std::time::{Duration, Instant};

use drive::{Schemas, StatementPlan, Wanted};
use mysql::Conn;
use mysql::prelude::Queryable;
use mysql_collation::Collation;
use replay::{Statement, Workload};
use server::{Progress, Server};

use crate::answer::{Answer, call};
use crate::convert::{Definition, Target, TextColumn};
use crate::difference::{add, differences};
use crate::error::Error;
use crate::model::{Called, ClassFinding, Difference, Parity, Side};
use crate::side::{AS_IS, Filled, columns_of, fill_target, name, target, wanted};
use crate::{plan, why};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The sides: the control first. `None` is the workload as it is.
    pub sides: Vec<Option<String>>,
    /// Whether columns with a collation of their own are converted as well.
    pub all: bool,
    /// Samples of each class that are called.
    pub samples: usize,
    /// How long a call may take.
    pub patience: Duration,
    /// What the schemas are named after, which no other run has.
    pub run: String,
}

/// A side that stands.
struct Standing {
    side: Side,
    conn: Conn,
    /// Collations that its converted columns have, as far as the engine knows them.
    collations: Vec<Collation>,
    /// Columns that are converted, or would be.
    columns: Vec<Column>,
}

/// A column of a side.
#[derive(Clone)]
struct Column {
    table: String,
    name: String,
    /// Its collation there, where the engine knows it.
    collation: Option<Collation>,
}

/// Fills a schema for each side, calls every class on each, and tells what differs from the first.
///
/// # Errors
/// If a side can't be made, or a connection is lost. The schemas are dropped, whatever happens.
pub fn run(server: &Server, workload: &Workload, request: &Request, progress: &dyn Progress) -> Result<Parity, Error> {
    let known = server.collations()?;
    let targets: Vec<Option<Target>> = request
        .sides
        .iter()
        .map(|side| target(server, &known, side.as_deref(), request.all))
        .collect::<Result<_, _>>()?;
    let schemas = Schemas::new(server, &request.run)?;
    let wanted = wanted(server, &known)?;
    let mut standing = Vec::new();
    for target in &targets {
        progress.step(&format!("filling a schema for {}", name(target.as_ref())));
        standing.push(stand(server, workload, &schemas, &wanted, target.as_ref(), request)?);
    }
    progress.step("calling every class of statements on each side");
    let mut parity = Parity {
        workload: workload.name(),
        server: server.label().to_owned(),
        sides: standing.iter().map(|one| one.side.clone()).collect(),
        classes: workload.statements.len() as u64,
        calls: 0,
        not_repeatable: Vec::new(),
        called: Vec::new(),
        findings: Vec::new(),
    };
    for (number, statement) in workload.statements.iter().enumerate() {
        server::interrupt::check()?;
        progress.fraction(number as f64 / workload.statements.len() as f64);
        class(server, statement, &mut standing, workload, request, &mut parity)?;
    }
    let order = |finding: &ClassFinding| parity_place(&request.sides, &finding.side);
    parity.findings.sort_by_key(order);
    drop(standing);
    schemas.remove()?;
    Ok(parity)
}

fn parity_place(sides: &[Option<String>], name: &str) -> usize {
    sides.iter().position(|side| side.as_deref().unwrap_or(AS_IS) == name).unwrap_or(usize::MAX)
}

fn stand(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    wanted: &Wanted,
    target: Option<&Target>,
    request: &Request,
) -> Result<Standing, Error> {
    let Filled { schema, definitions, .. } = fill_target(server, workload, schemas, wanted, target, request.all)?;
    let any = Target { charset: String::new(), collation: String::new(), all: request.all };
    let (changed, all) = columns_of(&definitions, target.unwrap_or(&any));
    let mut conn = server.control_within(request.patience)?;
    begin(&mut conn, &schema, workload).map_err(|source| Error::Statement {
        server: server.label().to_owned(),
        what: "set up a session".to_owned(),
        source,
    })?;
    let mut names: Vec<&str> = match target {
        Some(target) => vec![&target.collation],
        None => {
            definitions.iter().flat_map(|one| one.converted(&any)).map(|column| column.collation.as_str()).collect()
        }
    };
    names.sort_unstable();
    names.dedup();
    let side = Side {
        name: name(target),
        converted: if target.is_some() { changed } else { 0 },
        kept: if target.is_some() { all - changed } else { all },
    };
    let collations = names.into_iter().filter_map(|name| why::collation(name, server.flavour())).collect();
    let column = |table: &Definition, column: &TextColumn| Column {
        table: table.name.clone(),
        name: column.name.clone(),
        collation: why::collation(target.map_or(&column.collation, |target| &target.collation), server.flavour()),
    };
    let columns = definitions.iter().flat_map(|one| one.converted(&any).map(move |text| column(one, text))).collect();
    Ok(Standing { side, conn, collations, columns })
}

/// Answers come as utf8mb4, whatever the session speaks.
fn begin(conn: &mut Conn, schema: &str, workload: &Workload) -> mysql::Result<()> {
    let session = &workload.manifest.session;
    conn.query_drop("SET NAMES utf8mb4")?;
    if let Some(mode) = &session.sql_mode {
        conn.query_drop(format!("SET SESSION sql_mode = {}", sql::string(mode)))?;
    }
    if let Some(zone) = &session.time_zone {
        conn.query_drop(format!("SET SESSION time_zone = {}", sql::string(zone)))?;
    }
    conn.query_drop(format!("USE {}", sql::identifier(schema)))
}

/// Calls a class on all sides, and takes down what differs.
fn class(
    server: &Server,
    statement: &Statement,
    standing: &mut [Standing],
    workload: &Workload,
    request: &Request,
    parity: &mut Parity,
) -> Result<(), Error> {
    let failed = |source| Error::Statement {
        server: server.label().to_owned(),
        what: format!("call {}", statement.name),
        source,
    };
    for side in standing.iter_mut() {
        let mode = statement.head.sql_mode.as_ref().or(workload.manifest.session.sql_mode.as_ref());
        if let Some(mode) = mode {
            side.conn.query_drop(format!("SET SESSION sql_mode = {}", sql::string(mode))).map_err(failed)?;
        }
    }
    let Some((control, treatments)) = standing.split_first_mut() else { return Ok(()) };
    let samples = statement.samples.len().min(request.samples);
    let begun = Instant::now();
    let answers: Vec<Answer> = (0..samples)
        .map(|sample| call(&mut control.conn, statement, sample))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let seconds = begun.elapsed().as_secs_f64() / samples.max(1) as f64;
    let class = statement.name.clone();
    let mut called = Called { class, samples: samples as u64, seconds, failed: Vec::new(), error: None };
    for (sample, answer) in answers.iter().enumerate() {
        called.note(&control.side.name, sample, answer.error.as_ref());
    }
    parity.calls += samples as u64;
    let again = call(&mut control.conn, statement, 0).map_err(failed)?;
    let repeats =
        (again.count, again.content, &again.error) == (answers[0].count, answers[0].content, &answers[0].error);
    if !repeats {
        parity.not_repeatable.push(statement.name.clone());
    }
    let own_plan = explained(&mut control.conn, statement);
    for treatment in treatments {
        let mut found: Vec<Difference> = Vec::new();
        for (sample, answer) in answers.iter().enumerate() {
            let other = call(&mut treatment.conn, statement, sample).map_err(failed)?;
            called.note(&treatment.side.name, sample, other.error.as_ref());
            let mut more = differences(statement, sample, answer, &other);
            if !repeats {
                more.retain(|one| matches!(one, Difference::Error { .. }));
            }
            if let (Some(Difference::Rows { example, .. } | Difference::Affected { example, .. }), true) =
                (more.first_mut(), found.is_empty())
            {
                example.why = reasons(control, treatment, statement, sample, (answer, &other)).map_err(failed)?;
            }
            add(&mut found, more);
        }
        let plan = match (&own_plan, explained(&mut treatment.conn, statement)) {
            (Some(own), Some(other)) => plan::changes(own, &other),
            _ => Vec::new(),
        };
        if !found.is_empty() || !plan.is_empty() {
            parity.findings.push(ClassFinding {
                side: treatment.side.name.clone(),
                class: statement.name.clone(),
                text: statement.text.clone(),
                weight: statement.head.weight,
                differences: found,
                plan,
            });
        }
    }
    parity.called.push(called);
    Ok(())
}

/// Columns that are asked for texts that equal a value of a call.
const MOST_COLUMNS: usize = 20;

/// Why a call's rows differ: a value of its that texts of the tables equal on one side only, else texts of the rows that differ.
fn reasons(
    control: &mut Standing,
    treatment: &mut Standing,
    statement: &Statement,
    sample: usize,
    (one, other): (&Answer, &Answer),
) -> mysql::Result<Vec<String>> {
    let Some(to) = treatment.collations.first().copied() else { return Ok(Vec::new()) };
    let values = why::values(statement, sample);
    let tokens: Vec<_> = sql::tokens(&statement.text, sql::Mode::default()).collect();
    let named = sql::tables(&tokens);
    let is_named = |column: &&Column| named.iter().any(|one| one.name.eq_ignore_ascii_case(&column.table));
    let columns: Vec<Column> = control.columns.iter().filter(is_named).take(MOST_COLUMNS).cloned().collect();
    let mut reasons = Vec::new();
    for column in &columns {
        let Some(from) = column.collation else { continue };
        let mut found = Vec::new();
        for value in values.iter().take(MOST_COLUMNS) {
            // As bytes, so that DISTINCT does not take for one what the collation takes for equal.
            let name = sql::identifier(&column.name);
            let ask = format!(
                "SELECT DISTINCT CAST(CONVERT({name} USING utf8mb4) AS BINARY) FROM {} WHERE {name} = {} LIMIT 20",
                sql::identifier(&column.table),
                sql::string(value)
            );
            for side in [&mut *control, &mut *treatment] {
                match side.conn.query::<Option<Vec<u8>>, _>(&ask) {
                    Ok(texts) => found.extend(texts.into_iter().flatten()),
                    // A column that no such value can be held against.
                    Err(mysql::Error::MySqlError(_)) => {}
                    Err(lost) => return Err(lost),
                }
            }
        }
        found.sort();
        found.dedup();
        reasons.extend(why::of_values(&values, &found, from, to));
    }
    if reasons.is_empty() {
        reasons = why::of_texts(&why::of_rows(one, other), &control.collations, to);
    }
    reasons.truncate(why::MOST);
    Ok(reasons)
}

/// The plan of the first sample; none where the server explains no such statement, or it is in error.
fn explained(conn: &mut Conn, statement: &Statement) -> Option<StatementPlan> {
    drive::explain(conn, &statement.text, &statement.with_values(0)).ok()
}
