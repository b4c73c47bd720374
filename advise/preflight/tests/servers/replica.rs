//! Tests that reading pauses while any connection of a replica lags.

use std::thread;
use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use preflight::{Checkpoint, ReadOptions};
use server::{NoProgress, Options, Server, Setting, open};

use crate::forward::forward;
use crate::lab::{Lab, options};

/// Longest time until the replica shows its lag.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lag above which reading pauses.
const MAX_LAG: Duration = Duration::from_secs(1);

fn start(name: &str, id: u32, ports: &[u16]) -> Server {
    let settings = [("server_id", id.to_string()), ("log_bin", "weigh".to_owned())];
    let options = Options {
        buffer_pool: Some(64 << 20),
        settings: settings.map(|(name, value)| Setting::known(name, value)).into(),
        ports: ports.to_vec(),
        ..Options::default()
    };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Statements of a replica with a connection that lags and one that never started.
struct Statements {
    start: fn(u16) -> Vec<String>,
    status: &'static str,
    lag: &'static str,
    /// Lets the lagging connection catch up.
    catch_up: &'static [&'static str],
}

const MARIADB: Statements = Statements {
    start: |port| {
        let from = |port: u16| {
            format!("MASTER_HOST = '127.0.0.1', MASTER_PORT = {port}, MASTER_USER = 'repl', MASTER_PASSWORD = ''")
        };
        vec![
            // Two connections cannot have the same source.
            format!("CHANGE MASTER 'east' TO {}", from(1)),
            format!("CHANGE MASTER 'west' TO {}, MASTER_DELAY = 3600", from(port)),
            "START SLAVE 'west'".into(),
        ]
    },
    status: "SHOW ALL SLAVES STATUS",
    lag: "Seconds_Behind_Master",
    catch_up: &["STOP SLAVE 'west'", "CHANGE MASTER 'west' TO MASTER_DELAY = 0", "START SLAVE 'west'"],
};

const MYSQL: Statements = Statements {
    start: |port| {
        let account = format!(
            "SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {port}, SOURCE_USER = 'repl', SOURCE_PASSWORD = '', GET_SOURCE_PUBLIC_KEY = 1"
        );
        vec![
            format!("CHANGE REPLICATION SOURCE TO {account} FOR CHANNEL 'east'"),
            format!("CHANGE REPLICATION SOURCE TO {account}, SOURCE_DELAY = 3600 FOR CHANNEL 'west'"),
            "START REPLICA FOR CHANNEL 'west'".into(),
        ]
    },
    status: "SHOW REPLICA STATUS",
    lag: "Seconds_Behind_Source",
    catch_up: &[
        "STOP REPLICA FOR CHANNEL 'west'",
        "CHANGE REPLICATION SOURCE TO SOURCE_DELAY = 0 FOR CHANNEL 'west'",
        "START REPLICA FOR CHANNEL 'west'",
    ],
};

/// Returns the highest lag that the replica shows.
fn lag(conn: &mut server::Conn, statements: &Statements) -> Option<u64> {
    let rows: Vec<mysql::Row> = conn.query(statements.status).unwrap();
    assert_eq!(rows.len(), 2);
    rows.iter().filter_map(|row| row.get_opt::<Option<u64>, _>(statements.lag)?.ok()?).max()
}

fn pauses_while_a_connection_lags(name: &str, target: &str, statements: &Statements) {
    let source = start(name, 1, &[]);
    let port = forward(&source);
    let server = start(name, 2, &[port]);
    let mut on_source = source.connect().unwrap();
    for statement in ["CREATE USER repl@localhost IDENTIFIED BY ''", "GRANT REPLICATION SLAVE ON *.* TO repl@localhost"]
    {
        on_source.query_drop(statement).unwrap();
    }
    let conn = server.connect().unwrap();
    let mut lab = Lab { server, conn, private: None };
    let rows = ["CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9))", "INSERT INTO t VALUES (1, 'x')"];
    lab.schema("fx_lag", "latin1", &rows.map(str::to_owned));
    for statement in (statements.start)(port) {
        lab.conn.query_drop(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    on_source.query_drop("CREATE DATABASE late").unwrap();
    let begun = Instant::now();
    while lag(&mut lab.conn, statements).is_none_or(|seconds| seconds <= MAX_LAG.as_secs()) {
        assert!(begun.elapsed() < PATIENCE, "{:?}", lab.conn.query::<mysql::Row, _>(statements.status));
        thread::sleep(Duration::from_millis(100));
    }
    let read = ReadOptions { max_lag: MAX_LAG, ..ReadOptions::default() };
    let mut conn = lab.server.connect().unwrap();
    thread::scope(|scope| {
        let report = scope.spawn(|| lab.report_with("fx_lag", &options(target), &read, &Checkpoint::disabled()));
        // Without a pause, a table of one row is read in a moment.
        thread::sleep(Duration::from_secs(5));
        let has_paused = !report.is_finished();
        for statement in statements.catch_up {
            conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        let report = report.join().unwrap().unwrap();
        assert!(has_paused, "{name}");
        assert_eq!(report.tables[0].reading.as_ref().unwrap().rows, 1);
    });
}

#[test]
fn mariadb_trixie() {
    pauses_while_a_connection_lags("mariadb@trixie", "utf8mb4_uca1400_ai_ci", &MARIADB);
}

#[test]
fn mysql() {
    pauses_while_a_connection_lags("mysql@sid", "utf8mb4_0900_ai_ci", &MYSQL);
}
