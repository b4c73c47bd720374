//! How a server runs each ALTER, found out by trying it on empty tables of the same definitions.

use std::collections::BTreeMap;

use facts::Facts;
use mysql::Conn;
use mysql::prelude::Queryable;
use server::{Flavour, Server, interrupt};

use crate::Error;
use crate::model::{Algorithm, Phase, Plan, Step};
use crate::sql::{identifier, table};

/// What is tried, the least harmful first.
const TRIED: [(&str, Algorithm); 4] = [
    (", ALGORITHM=INSTANT", Algorithm::Instant),
    (", ALGORITHM=INPLACE, LOCK=NONE", Algorithm::InPlace),
    (", ALGORITHM=INPLACE", Algorithm::InPlaceLocked),
    (", ALGORITHM=COPY", Algorithm::Copy),
];

/// Runs the plan's ALTERs on a private server, on empty tables under the same names, and writes down how each was run.
pub fn on_private_server(
    server: &Server,
    facts: &Facts,
    creates: &BTreeMap<(String, String), String>,
    plan: &mut Plan,
) -> Result<(), Error> {
    let mut conn = server.control_patient()?;
    let failures = build(&mut conn, facts, creates, &|text| text.to_owned())?;
    run(&mut conn, plan, &|text| text.to_owned())?;
    plan.algorithms_from =
        format!("tried on a private {} ({}), on empty tables{}", server.label(), server.version(), told(&failures));
    Ok(())
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
            .and_then(|failures| run(&mut conn, plan, &rename).map(|()| failures));
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

fn run(conn: &mut Conn, plan: &mut Plan, rename: &dyn Fn(&str) -> String) -> Result<(), Error> {
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
                try_step(conn, step, &sql);
            }
            _ => {}
        }
    }
    Ok(())
}

fn try_step(conn: &mut Conn, step: &mut Step, sql: &str) {
    let is_told = sql.contains("ALGORITHM=");
    let tried: &[(&str, Algorithm)] = if is_told { &[("", Algorithm::Copy)] } else { &TRIED };
    for (suffix, algorithm) in tried {
        match conn.query_drop(format!("{sql}{suffix}")) {
            Ok(()) => {
                step.algorithm = Some(*algorithm);
                return;
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
                return;
            }
        }
    }
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
