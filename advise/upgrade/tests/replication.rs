//! Real replication between two versions: what stops it, and which columns differ.
//!
//! The tests take minutes, and are ignored: `cargo test --workspace --test replication --
//! --ignored`.

#[path = "../../../servers/server/tests/common/forward.rs"]
mod forward;

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use forward::forward;
use mysql::prelude::Queryable;
use server::{Conn, NoProgress, Options, Server, Setting, open};
use upgrade::{Direction, Dump, Report, Request, Schema, rehearse};

/// Servers run one pair at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Longest time until a replica has run a statement.
const PATIENCE: Duration = Duration::from_secs(120);

fn start(name: &str, id: u32, ports: &[u16]) -> Server {
    let settings =
        [("server_id", id.to_string()), ("log_bin", "weigh".to_owned()), ("binlog_format", "STATEMENT".to_owned())];
    let options = Options {
        buffer_pool: Some(64 << 20),
        settings: settings.map(|(name, value)| Setting::known(name, value)).into(),
        ports: ports.to_vec(),
        ..Options::default()
    };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs the first of the statements that the server takes.
fn run_one_of(conn: &mut Conn, statements: &[&str]) -> Vec<mysql::Row> {
    let mut last = None;
    for statement in statements {
        match conn.query(*statement) {
            Ok(rows) => return rows,
            Err(error) => last = Some(error),
        }
    }
    panic!("{statements:?}: {last:?}")
}

fn text(row: &mysql::Row, names: &[&str]) -> String {
    let value = |name: &&str| row.get_opt::<Option<String>, _>(*name).and_then(Result::ok).flatten();
    names.iter().find_map(value).unwrap_or_default()
}

fn position(source: &Server) -> (String, u64) {
    let mut conn = source.connect().unwrap();
    let rows = run_one_of(&mut conn, &["SHOW BINARY LOG STATUS", "SHOW MASTER STATUS"]);
    let row = rows.first().unwrap();
    (row.get("File").unwrap(), row.get("Position").unwrap())
}

/// A source with a replica of another version.
struct Pair {
    source: Server,
    replica: Server,
    port: u16,
}

impl Pair {
    fn start(source: &str, replica: &str) -> Self {
        let source = start(source, 1, &[]);
        let port = forward(&source);
        // Landlock keeps private servers from other ports.
        let replica = start(replica, 2, &[port]);
        let mut conn = source.connect().unwrap();
        let native = "CREATE USER repl@localhost IDENTIFIED WITH mysql_native_password BY ''";
        run_one_of(&mut conn, &[native, "CREATE USER repl@localhost IDENTIFIED BY ''"]);
        conn.query_drop("GRANT REPLICATION SLAVE ON *.* TO repl@localhost").unwrap();
        Self { source, replica, port }
    }

    /// Runs statements on the source in one session. Returns the error at which the replica stops.
    fn replicate(&self, statements: &[&str]) -> Result<(), String> {
        let mut replica = self.replica.connect().unwrap();
        run_one_of(&mut replica, &["STOP REPLICA", "STOP SLAVE"]);
        run_one_of(&mut replica, &["RESET REPLICA ALL", "RESET SLAVE ALL"]);
        let (file, at) = position(&self.source);
        let port = self.port;
        let change = |from: &str| {
            format!(
                "{from}_HOST = '127.0.0.1', {from}_PORT = {port}, {from}_USER = 'repl', {from}_PASSWORD = '', {from}_SSL = 0, \
                 {from}_LOG_FILE = '{file}', {from}_LOG_POS = {at}"
            )
        };
        run_one_of(
            &mut replica,
            &[
                &format!("CHANGE REPLICATION SOURCE TO {}", change("SOURCE")),
                &format!("CHANGE MASTER TO {}", change("MASTER")),
            ],
        );
        run_one_of(&mut replica, &["START REPLICA", "START SLAVE"]);
        let mut session = self.source.connect().unwrap();
        for statement in statements {
            session.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        let end = position(&self.source);
        let begun = Instant::now();
        loop {
            let rows = run_one_of(&mut replica, &["SHOW REPLICA STATUS", "SHOW SLAVE STATUS"]);
            let row = rows.first().unwrap();
            for names in [["Last_SQL_Error", "Last_SQL_Error"], ["Last_IO_Error", "Last_IO_Error"]] {
                let error = text(row, &names);
                if !error.is_empty() {
                    return Err(error);
                }
            }
            let file = text(row, &["Relay_Source_Log_File", "Relay_Master_Log_File"]);
            let done = text(row, &["Exec_Source_Log_Pos", "Exec_Master_Log_Pos"]);
            if file == end.0 && done.parse::<u64>().is_ok_and(|done| done >= end.1) {
                return Ok(());
            }
            assert!(begun.elapsed() < PATIENCE, "{row:?}, {end:?}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn collations(&self, schema: &str, table: &str) -> [String; 2] {
        [&self.source, &self.replica].map(|server| {
            let query = format!(
                "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{table}' \
                 AND COLLATION_NAME IS NOT NULL"
            );
            server.connect().unwrap().query_first(query).unwrap().unwrap_or_else(|| "none".to_owned())
        })
    }
}

/// Rehearses an upgrade of a table whose definition names no COLLATE.
fn rehearse_upgrade(old: &str, new: &str) -> Report {
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    let [source, target] = [old, new].map(|name| open(&name.parse().unwrap(), &options, &NoProgress).unwrap());
    let text = "CREATE TABLE t (a VARCHAR(9), KEY (a)) CHARACTER SET utf8mb4;";
    let dump = Dump { name: "dump".into(), open: Box::new(move || Ok(Box::new(text.as_bytes()))) };
    let request = Request {
        schema: Schema::Dumps(vec![dump]),
        unseen: Vec::new(),
        default_schema: None,
        scripts: Vec::new(),
        migrations: 0,
        has_collation_server: false,
        first: Vec::new(),
        option_findings: None,
        rewrite: None,
    };
    let report = rehearse(&source, &target, &request, &NoProgress).unwrap();
    source.stop().unwrap();
    target.stop().unwrap();
    report
}

/// Compares what a rehearsal says of one direction with what happens.
fn check_direction(report: &Report, direction: Direction, source: &str, replica: &str) {
    let says = |words: &str| {
        let mut faults = report.replication.iter().filter(|fault| fault.direction == direction);
        faults.any(|fault| fault.what.contains(words) || fault.places.iter().any(|place| place.contains(words)))
    };
    let pair = Pair::start(source, replica);
    let place = format!("{source} to {replica}: {:#?}", report.replication);
    let in_latin1 = ["SET NAMES latin1", "SET SESSION collation_server = latin1_swedish_ci"];
    let replicate = |statements: &[&str]| pair.replicate(&[&in_latin1[..], statements].concat());
    assert_eq!(replicate(&["CREATE DATABASE d CHARACTER SET latin1", "USE d"]), Ok(()), "{place}");

    let session = replicate(&["USE d", "SET NAMES utf8mb4", "CREATE TABLE s (a INT)"]);
    assert_eq!(session.is_err(), says("of a session with utf8mb4_"), "{session:?} {place}");
    assert!(session.as_ref().err().is_none_or(|error| error.contains("Character set '#")), "{session:?} {place}");

    assert_eq!(replicate(&["USE d", "CREATE TABLE t (a VARCHAR(9)) CHARACTER SET utf8mb4"]), Ok(()), "{place}");
    let [own, other] = pair.collations("d", "t");
    let differs = format!("instead of {own}");
    assert_eq!(own != other, says(&differs), "{own} {other} {place}");

    let named = format!("CREATE TABLE u (a VARCHAR(9)) CHARACTER SET utf8mb4 COLLATE {own}");
    let named = replicate(&["USE d", &named]);
    assert_eq!(named.is_err(), says(&format!("definition that names {own}")), "{named:?} {place}");
    assert!(named.as_ref().err().is_none_or(|error| error.contains("Unknown collation")), "{named:?} {place}");

    // Rows pass, by statement and by row, although the source's column has the collation.
    if own != other {
        let insert = |format: &'static str| format!("SET SESSION binlog_format = {format}");
        for format in ["STATEMENT", "ROW"] {
            let rows = replicate(&["USE d", &insert(format), "INSERT INTO t VALUES ('a')"]);
            assert_eq!(rows, Ok(()), "{place}");
        }
    }
    pair.source.stop().unwrap();
    pair.replica.stop().unwrap();
}

fn check(old: &str, new: &str) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let report = rehearse_upgrade(old, new);
    check_direction(&report, Direction::ToNew, old, new);
    check_direction(&report, Direction::ToOld, new, old);
}

#[test]
#[ignore = "takes minutes"]
fn mysql_5_7_and_8_0() {
    check("mysql@5.7", "mysql@8.0");
}

#[test]
#[ignore = "takes minutes"]
fn mariadb_10_11_and_11_8() {
    check("mariadb@10.11", "mariadb@11.8");
}

#[test]
#[ignore = "takes minutes"]
fn mariadb_10_2_and_11_8() {
    check("mariadb@10.2", "mariadb@11.8");
}

#[test]
#[ignore = "takes minutes"]
fn mariadb_11_4_and_11_8() {
    check("mariadb@11.4", "mariadb@11.8");
}
