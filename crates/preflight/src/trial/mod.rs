//! How a server runs each ALTER, found out by trying it on tables of the same definitions; and about how long it takes, from a sample of
//! their rows.

mod sample;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use facts::{Facts, Table};
use mysql::Conn;
use mysql::prelude::Queryable;
use server::{Flavour, Server, interrupt};

use crate::Error;
use crate::model::{Algorithm, AlterTime, Phase, Plan, Step};
use crate::sql::{identifier, table};
pub use sample::SampleOptions;
use sample::Sampler;

/// What is tried, the least harmful first.
const TRIED: [(&str, Algorithm); 4] = [
    (", ALGORITHM=INSTANT", Algorithm::Instant),
    (", ALGORITHM=INPLACE, LOCK=NONE", Algorithm::InPlace),
    (", ALGORITHM=INPLACE", Algorithm::InPlaceLocked),
    (", ALGORITHM=COPY", Algorithm::Copy),
];

/// Runs the plan's ALTERs on a private server, on tables under the same names, and writes down how each was run. With a sample of the rows
/// of `from`, how long that took, too; without, the tables are empty.
pub fn on_private_server(
    server: &Server,
    facts: &Facts,
    creates: &BTreeMap<(String, String), String>,
    plan: &mut Plan,
    from: Option<(&Server, SampleOptions)>,
) -> Result<(), Error> {
    let mut conn = server.control_patient()?;
    let failures = build(&mut conn, facts, creates, &|text| text.to_owned())?;
    let sampler = from.map(|(source, options)| Sampler::new(source, server, facts, options)).transpose()?;
    let mut timing = sampler.map(|sampler| Timing::new(sampler, facts, plan));
    run(&mut conn, plan, &|text| text.to_owned(), timing.as_mut())?;
    let tables =
        if timing.is_some() { "on empty tables, and the larger ones on a sample of rows" } else { "on empty tables" };
    plan.algorithms_from =
        format!("tried on a private {} ({}), {tables}{}", server.label(), server.version(), told(&failures));
    plan.advice.extend(blocked_for(plan));
    Ok(())
}

/// How many tables are timed: the largest.
const TIMED: usize = 20;

/// Which tables are timed, and since when.
struct Timing<'f> {
    sampler: Sampler<'f>,
    tables: BTreeMap<String, &'f Table>,
    begin: Instant,
}

impl<'f> Timing<'f> {
    fn new(sampler: Sampler<'f>, facts: &'f Facts, plan: &Plan) -> Self {
        let converts = |step: &&Step| step.phase == Phase::Convert && !step.blocked;
        let converted: BTreeSet<&str> = plan.steps.iter().filter(converts).map(|step| step.object.as_str()).collect();
        let mut tables: Vec<(String, &Table)> = facts
            .tables()
            .map(|of| (format!("{}.{}", of.schema, of.name), of))
            .filter(|(name, _)| converted.contains(name.as_str()))
            .collect();
        tables.sort_by_key(|(_, of)| std::cmp::Reverse(of.data_bytes));
        tables.truncate(TIMED);
        Self { sampler, tables: tables.into_iter().collect(), begin: Instant::now() }
    }

    /// The table of a step that is to be timed.
    fn table(&self, step: &Step) -> Option<&'f Table> {
        let is_due = step.phase == Phase::Convert && self.begin.elapsed() < self.sampler.time();
        self.tables.get(&step.object).filter(|_| is_due).copied()
    }

    /// Tries a step on a sample of its table's rows.
    fn step(&mut self, of: &Table, conn: &mut Conn, step: &mut Step, sql: &str) -> Result<(), Error> {
        let filled = match self.sampler.fill(of) {
            // Rows that can't be sampled leave the step untimed; the conversion itself is not in question.
            Err(Error::Statement { .. }) => None,
            filled => filled?,
        };
        let took = try_step(conn, step, sql);
        step.time = match (filled, took) {
            (Some(sample_rows), Some(took)) if sample_rows > 0 && step.algorithm != Some(Algorithm::Instant) => {
                let rows = of.rows.unwrap_or(0).max(sample_rows);
                let sample_seconds = took.as_secs_f64();
                let seconds = sample_seconds * rows as f64 / sample_rows as f64;
                Some(AlterTime { seconds, rows, sample_rows, sample_seconds })
            }
            _ => None,
        };
        self.sampler.empty(of)
    }
}

/// For how long the plan blocks writes, where that was measured.
fn blocked_for(plan: &Plan) -> Option<String> {
    let blocks = |step: &&Step| matches!(step.algorithm, Some(Algorithm::Copy | Algorithm::InPlaceLocked));
    let timed = plan.steps.iter().filter(blocks).filter_map(|step| Some((step, step.time?)));
    let (longest, time) = timed.clone().max_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds))?;
    let sum: f64 = timed.map(|(_, time)| time.seconds).sum();
    Some(format!(
        "Time: ALTERs that block writes take about {} together, the longest {} ({}). That is how long a sample of rows took on a private server of \
         this machine, times their number: with another disk, or with indexes larger than the buffer pool, it can be several times as long.",
        lasting(sum),
        lasting(time.seconds),
        longest.object
    ))
}

/// A time of which only the order is known: `40 s`, `12 min`, `3.5 h`.
pub fn lasting(seconds: f64) -> String {
    match seconds {
        ..1.0 => "1 s".into(),
        1.0..90.0 => format!("{seconds:.0} s"),
        90.0..5_400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// The same in a schema of its own on the server that is looked at. The schema must not exist, and is dropped afterwards.
pub fn in_scratch_schema(
    server: &Server,
    scratch: &str,
    facts: &Facts,
    creates: &BTreeMap<(String, String), String>,
    plan: &mut Plan,
) -> Result<(), Error> {
    let [schema] = facts.schemas.as_slice() else {
        return Err(Error::Request("--scratch takes one schema at a time: name it by --schema".into()));
    };
    let mut conn = server.control_patient()?;
    let create = format!("CREATE DATABASE {}", identifier(scratch));
    conn.query_drop(create).map_err(|source| Error::Statement {
        what: format!("create the scratch schema {scratch}, which must not be there"),
        source,
    })?;
    let drop_statement = format!("DROP DATABASE {}", identifier(scratch));
    let endpoint_server = server.control_patient()?;
    let cell = std::sync::Mutex::new(Some(endpoint_server));
    let statement = drop_statement.clone();
    let registration = server::cleanup::register(move || {
        if let Some(mut conn) = cell.lock().ok().and_then(|mut cell| cell.take()) {
            let _ = conn.query_drop(statement);
        }
    });
    let (from, to) = (format!("{}.", identifier(&schema.name)), format!("{}.", identifier(scratch)));
    let rename = |text: &str| text.replace(&from, &to);
    let outcome =
        build(&mut conn, facts, creates, &|text| if text == schema.name { scratch.to_owned() } else { rename(text) })
            .and_then(|failures| run(&mut conn, plan, &rename, None).map(|()| failures));
    let dropped = conn.query_drop(&drop_statement);
    drop(registration);
    let failures = outcome?;
    dropped.map_err(|source| Error::Statement {
        what: format!("drop the scratch schema {scratch}; drop it by hand"),
        source,
    })?;
    plan.algorithms_from = format!("tried on {}, on empty tables in {scratch}{}", server.label(), told(&failures));
    Ok(())
}

fn told(failures: &[String]) -> String {
    if failures.is_empty() {
        String::new()
    } else {
        format!("; not tried, as they could not be created there: {}", failures.join(", "))
    }
}

/// Creates the tables, empty. Gives those that could not be created.
fn build(
    conn: &mut Conn,
    facts: &Facts,
    creates: &BTreeMap<(String, String), String>,
    rename: &dyn Fn(&str) -> String,
) -> Result<Vec<String>, Error> {
    let prepare = |conn: &mut Conn, statement: &str| {
        conn.query_drop(statement).map_err(|source| Error::Statement { what: "prepare the trial".into(), source })
    };
    prepare(conn, "SET SESSION foreign_key_checks = 0")?;
    prepare(conn, "SET SESSION sql_mode = ''")?;
    for schema in &facts.schemas {
        let name = rename(&schema.name);
        prepare(conn, &format!("CREATE DATABASE IF NOT EXISTS {}", identifier(&name)))?;
        let defaults = format!(
            "ALTER DATABASE {} CHARACTER SET {} COLLATE {}",
            identifier(&name),
            schema.charset,
            schema.collation
        );
        prepare(conn, &defaults)?;
    }
    let mut failures = Vec::new();
    for ((schema, name), create) in creates {
        interrupt::check()?;
        prepare(conn, &format!("USE {}", identifier(&rename(schema))))?;
        if conn.query_drop(rename(create)).is_err() {
            failures.push(table(schema, name));
        }
    }
    prepare(conn, "SET SESSION foreign_key_checks = 1")?;
    Ok(failures)
}

fn run(
    conn: &mut Conn,
    plan: &mut Plan,
    rename: &dyn Fn(&str) -> String,
    mut timing: Option<&mut Timing<'_>>,
) -> Result<(), Error> {
    for step in &mut plan.steps {
        interrupt::check()?;
        match step.phase {
            Phase::Session => {
                let _ = conn.query_drop(&step.sql);
            }
            Phase::DropForeignKeys | Phase::Convert | Phase::Defaults | Phase::AddForeignKeys
                if step.sql.starts_with("ALTER TABLE") =>
            {
                let sql = rename(&step.sql);
                match timing.as_deref_mut().and_then(|timing| Some((timing.table(step)?, timing))) {
                    Some((of, timing)) => timing.step(of, conn, step, &sql)?,
                    None => drop(try_step(conn, step, &sql)),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes down by which algorithm a step is run; gives how long that took.
fn try_step(conn: &mut Conn, step: &mut Step, sql: &str) -> Option<Duration> {
    let is_told = sql.contains("ALGORITHM=");
    let tried: &[(&str, Algorithm)] = if is_told { &[("", Algorithm::Copy)] } else { &TRIED };
    for (suffix, algorithm) in tried {
        let begin = Instant::now();
        match conn.query_drop(format!("{sql}{suffix}")) {
            Ok(()) => {
                step.algorithm = Some(*algorithm);
                return Some(begin.elapsed());
            }
            // Not by this algorithm (1845, 1846), or not known by that name (1800, 1801).
            Err(mysql::Error::MySqlError(refusal))
                if matches!(refusal.code, 1845 | 1846 | 1800 | 1801) && *algorithm != Algorithm::Copy => {}
            Err(error) => {
                step.algorithm = Some(Algorithm::Refused);
                let reason = match error {
                    mysql::Error::MySqlError(refusal) => format!("error {}: {}", refusal.code, refusal.message),
                    other => other.to_string(),
                };
                step.note = Some(reason);
                return None;
            }
        }
    }
    None
}

/// What the manuals say, where nothing can be tried ("Online DDL Operations"; "InnoDB Online DDL Operations with ALGORITHM=INPLACE").
pub fn from_documentation(facts: &Facts, plan: &mut Plan) {
    for step in &mut plan.steps {
        step.algorithm = match step.phase {
            Phase::DropForeignKeys => Some(Algorithm::InPlace),
            Phase::AddForeignKeys => Some(Algorithm::Copy),
            Phase::Defaults if step.sql.starts_with("ALTER TABLE") => Some(Algorithm::InPlace),
            Phase::Convert => Some(Algorithm::Copy),
            _ => None,
        };
    }
    let vendor = match facts.server.flavour {
        Flavour::MySql => "MySQL manual, Online DDL Operations",
        Flavour::MariaDb => "MariaDB manual, InnoDB Online DDL",
    };
    plan.algorithms_from = format!(
        "documentation ({vendor}), at worst: some conversions of columns without an index are instant or in place. --trial or --scratch tries them"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_no_finer_than_they_are_known() {
        assert_eq!([0.2, 40.4, 100.0, 5_000.0, 9_000.0].map(lasting), ["1 s", "40 s", "2 min", "83 min", "2.5 h"]);
    }
}
