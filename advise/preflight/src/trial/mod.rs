//! Tries the ALTERs of a plan on empty tables in a scratch schema of the source server, to find the
//! algorithms.

use facts::{Facts, ServerFacts};
use lifecycle::interrupt;
use mysql::prelude::Queryable;
use rehearsal::{Definitions, Kind};
use server::Conn;
use server::{Flavour, Server, Version, error_code};

use crate::Error;
use crate::model::{Algorithm, Phase, Plan, Step};
use sql::{quote_identifier, quote_table};

/// Clauses that ask for an algorithm, in the order in which a server chooses.
const ALGORITHMS: [(&str, Algorithm); 5] = [
    (", ALGORITHM=INSTANT", Algorithm::Instant),
    (", ALGORITHM=INPLACE, LOCK=NONE", Algorithm::InPlace),
    (", ALGORITHM=INPLACE", Algorithm::InPlaceLocked),
    (", ALGORITHM=COPY, LOCK=NONE", Algorithm::CopyOnline),
    (", ALGORITHM=COPY", Algorithm::Copy),
];

/// Returns the clauses to try for an ALTER. A statement that names an algorithm, always COPY, only
/// gets a lock.
pub(crate) fn clauses_to_try(sql: &str, source: &ServerFacts) -> Vec<(&'static str, Algorithm)> {
    let clauses = match sql.contains("ALGORITHM=") {
        true => vec![(", LOCK=NONE", Algorithm::CopyOnline), ("", Algorithm::Copy)],
        false => ALGORITHMS.to_vec(),
    };
    clauses.into_iter().filter(|(_, algorithm)| *algorithm != Algorithm::CopyOnline || copies_online(source)).collect()
}

/// True if the server lets writes go on during a copy of most tables: MariaDB from 11.2 on. With
/// LOCK_ALTER_TABLE_COPY in `old_mode`, 11.4 and 11.8 take LOCK=NONE, but a statement without it
/// blocks writes.
fn copies_online(server: &ServerFacts) -> bool {
    let locks = server.variable("old_mode").is_some_and(|modes| modes.contains("LOCK_ALTER_TABLE_COPY"));
    server.flavour == Flavour::MariaDb && server.version_number() >= Version::new(11, 2, 0) && !locks
}

/// Rounds seconds to the precision of an estimate: `under 1 s`, `about 40 s`, `about 12 min`,
/// `about 3.5 h`.
pub fn display_seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => "under 1 s".into(),
        1.0..90.0 => format!("about {seconds:.0} s"),
        90.0..5_400.0 => format!("about {:.0} min", seconds / 60.0),
        _ => format!("about {:.1} h", seconds / 3_600.0),
    }
}

/// Runs the plan's ALTERs in a schema of the source server, and records their algorithms.
///
/// The schema must not exist. It is dropped afterwards.
pub fn run_in_scratch_schema(
    server: &Server,
    scratch: &str,
    facts: &Facts,
    definitions: &Definitions,
    plan: &mut Plan,
) -> Result<(), Error> {
    let [schema] = facts.schemas.as_slice() else {
        return Err(Error::Request("--scratch takes one schema at a time: name it by --schema".into()));
    };
    let mut conn = server.connect_patiently()?;
    let is_logged = leave_binary_log(&mut conn) && facts.server.is_on("log_bin");
    let create = format!("CREATE DATABASE {}", quote_identifier(scratch));
    conn.query_drop(create).map_err(|source| Error::Statement {
        what: format!("create the scratch schema {scratch}, which must not exist"),
        source,
    })?;
    let drop_statement = format!("DROP DATABASE {}", quote_identifier(scratch));
    let mut cleanup_conn = server.connect_patiently()?;
    leave_binary_log(&mut cleanup_conn);
    let cleanup_conn = std::sync::Mutex::new(Some(cleanup_conn));
    let statement = drop_statement.clone();
    let registration = lifecycle::cleanup::register(move || {
        if let Some(mut conn) = cleanup_conn.lock().ok().and_then(|mut conn| conn.take()) {
            let _ = conn.query_drop(statement);
        }
    });
    let (from, to) = (format!("{}.", quote_identifier(&schema.name)), format!("{}.", quote_identifier(scratch)));
    let rename = |text: &str| text.replace(&from, &to);
    let outcome = create_tables(&mut conn, facts, definitions, &|text| {
        if text == schema.name { scratch.to_owned() } else { rename(text) }
    })
    .and_then(|failures| run_steps(&mut conn, &facts.server, plan, &rename).map(|()| failures));
    let dropped = conn.query_drop(&drop_statement);
    drop(registration);
    let failures = outcome?;
    dropped.map_err(|source| Error::Statement {
        what: format!("drop the scratch schema {scratch}; drop it by hand"),
        source,
    })?;
    plan.algorithms_from =
        format!("tried on {}, on empty tables in {scratch}{}", server.label(), describe_failures(&failures));
    if is_logged {
        plan.algorithms_from +=
            "; the statements of the trial are in its binary log, as the account may not set sql_log_bin";
    }
    Ok(())
}

/// Keeps a session's statements out of the binary log: replicas would run them, and on a replica
/// they would be transactions of its own. True if the account lacks the privilege.
fn leave_binary_log(conn: &mut Conn) -> bool {
    conn.query_drop("SET SESSION sql_log_bin = 0").is_err()
}

fn describe_failures(failures: &[String]) -> String {
    if failures.is_empty() {
        String::new()
    } else {
        format!("; not tried, as they could not be created there: {}", failures.join(", "))
    }
}

/// Creates the tables without rows. Returns the names of tables that could not be created.
fn create_tables(
    conn: &mut Conn,
    facts: &Facts,
    definitions: &Definitions,
    rename: &dyn Fn(&str) -> String,
) -> Result<Vec<String>, Error> {
    let prepare = |conn: &mut Conn, statement: &str| {
        conn.query_drop(statement).map_err(|source| Error::Statement { what: "prepare the trial".into(), source })
    };
    prepare(conn, "SET SESSION foreign_key_checks = 0")?;
    prepare(conn, "SET SESSION sql_mode = ''")?;
    for schema in &facts.schemas {
        let name = rename(&schema.name);
        prepare(conn, &format!("CREATE DATABASE IF NOT EXISTS {}", quote_identifier(&name)))?;
        let defaults = format!(
            "ALTER DATABASE {} CHARACTER SET {} COLLATE {}",
            quote_identifier(&name),
            schema.charset,
            schema.collation
        );
        prepare(conn, &defaults)?;
    }
    let mut failures = Vec::new();
    for table in definitions.of_kind(Kind::Table) {
        interrupt::check()?;
        prepare(conn, &format!("USE {}", quote_identifier(&rename(&table.name.schema))))?;
        let create = rename(&table.create);
        if conn.query_drop(sql::keep_local(&create, sql::SqlMode::default()).text.as_ref()).is_err() {
            failures.push(quote_table(&table.name.schema, &table.name.name));
        }
    }
    prepare(conn, "SET SESSION foreign_key_checks = 1")?;
    Ok(failures)
}

fn run_steps(
    conn: &mut Conn,
    source: &ServerFacts,
    plan: &mut Plan,
    rename: &dyn Fn(&str) -> String,
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
                try_step(conn, source, step, &rename(&step.sql));
            }
            _ => {}
        }
    }
    Ok(())
}

/// True if the server doesn't support an algorithm or lock for the statement, or doesn't know its
/// name.
pub(crate) fn is_unsupported_algorithm(code: u16) -> bool {
    matches!(
        code,
        error_code::ALTER_OPERATION_NOT_SUPPORTED
            | error_code::ALTER_OPERATION_NOT_SUPPORTED_REASON
            | error_code::UNKNOWN_ALTER_ALGORITHM
            | error_code::UNKNOWN_ALTER_LOCK
    )
}

/// Runs a step and records its algorithm.
fn try_step(conn: &mut Conn, source: &ServerFacts, step: &mut Step, sql: &str) {
    for (clause, algorithm) in clauses_to_try(sql, source) {
        match conn.query_drop(format!("{sql}{clause}")) {
            Ok(()) => {
                step.algorithm = Some(algorithm);
                return;
            }
            Err(mysql::Error::MySqlError(refusal))
                if is_unsupported_algorithm(refusal.code) && algorithm != Algorithm::Copy => {}
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

/// Records the algorithms that the manuals give for the worst case ("Online DDL Operations";
/// "InnoDB Online DDL Operations with ALGORITHM=INPLACE").
pub fn use_documented_algorithms(facts: &Facts, plan: &mut Plan) {
    for step in plan.steps.iter_mut().filter(|step| step.sql.starts_with("ALTER TABLE")) {
        step.algorithm = match step.phase {
            Phase::DropForeignKeys | Phase::Defaults => Some(Algorithm::InPlace),
            Phase::Convert | Phase::AddForeignKeys => Some(Algorithm::Copy),
            _ => None,
        };
    }
    let online = match copies_online(&facts.server) {
        true => ", and most copies let writes go on",
        false => "",
    };
    let vendor = match facts.server.flavour {
        Flavour::MySql => "MySQL manual, Online DDL Operations",
        Flavour::MariaDb => "MariaDB manual, InnoDB Online DDL",
    };
    plan.algorithms_from = format!(
        "documentation ({vendor}), at worst: some conversions of columns without an index are instant or in place{online}. --trial or --scratch tries them"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_seconds_to_their_precision() {
        assert_eq!(
            [0.2, 40.4, 100.0, 5_000.0, 9_000.0].map(display_seconds),
            ["under 1 s", "about 40 s", "about 2 min", "about 83 min", "about 2.5 h"]
        );
    }
}
