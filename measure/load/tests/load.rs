//! Load on real servers: every workload, both protocols, accounts of two authentication plugins.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use load::{ConnectionCharset, Load, Protocol, Settings, Sharing, Tally, Target, run_block};
use mysql::prelude::Queryable;
use server::{Endpoint, NoProgress, Secret, Server};
use workload::{Call, Class, Options, Script, Workload, WorkloadKind};

const SCHEMA: &str = "weigh_load_test";
const ROWS: u32 = 300;

fn open(name: &str) -> Server {
    let options = server::Options { threads: 8, ..server::Options::default() };
    server::open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn options() -> Options {
    Options { table_size: ROWS, range_size: 10, ..Options::default() }
}

/// Loads all tables of all workloads in a charset, latin1 or utf8mb4.
fn fill(server: &Server, charset: &str) {
    let mut conn = server.connect().unwrap();
    conn.query_drop(format!("DROP DATABASE IF EXISTS {SCHEMA}")).unwrap();
    conn.query_drop(format!("CREATE DATABASE {SCHEMA} CHARACTER SET {charset}")).unwrap();
    conn.query_drop(format!("USE {SCHEMA}")).unwrap();
    let all: Vec<Workload> = WorkloadKind::ALL.iter().map(|&kind| Workload { kind, range_size: None }).collect();
    for table in workload::tables(&all, &options()) {
        conn.query_drop(table.create_sql()).unwrap();
        let mut insert = table.insert_sql();
        for id in 1..=ROWS {
            insert.push_str(if id == 1 { " " } else { "," });
            table.insert_row(id, &mut insert);
        }
        conn.query_drop(insert).unwrap();
        for index in table.index_sql() {
            conn.query_drop(index).unwrap();
        }
    }
}

fn target(server: &Server, endpoint: Endpoint) -> Target {
    Target { endpoint, ..Target::new(server, SCHEMA) }
}

fn settings(charset: &str, protocol: Protocol, threads: u32) -> Settings {
    let handshake_collation = if charset == "latin1" { 8 } else { 45 };
    let connection = ConnectionCharset { charset: charset.into(), collation: None, handshake_collation };
    Settings { protocol, ..Settings::new(threads, connection) }
}

fn start(server: &Server, kind: WorkloadKind, settings: &Settings) -> Load {
    let script = Arc::new(Workload { kind, range_size: None }.script(&options()));
    Load::start(target(server, server.endpoint().clone()), settings, &script)
        .unwrap_or_else(|error| panic!("{kind:?} on {}: {error}", server.label()))
}

fn block(loads: &[&Load]) -> Vec<Tally> {
    run_block(loads, Sharing::Together, Duration::from_millis(20), Duration::from_millis(150)).unwrap()
}

/// Runs blocks until one is as wanted. A commit on a busy disk, or a thread that does not get a
/// core, can take longer than one block.
fn find_tally(mut run: impl FnMut() -> Vec<Tally>, is_wanted: impl Fn(&Tally) -> bool) -> Option<Tally> {
    (0..100).map(|_| run().remove(0)).find(is_wanted)
}

/// Returns a block with events and with CPU time on both ends.
fn tally_with_events(load: &Load) -> Option<Tally> {
    let is_whole = |tally: &Tally| {
        let server_cpu_ns = tally.server_cpu_ns.expect("the server's threads are found");
        tally.events > 0 && tally.client_cpu_ns > 0 && server_cpu_ns > 0
    };
    find_tally(|| block(&[load]), is_whole)
}

fn every_workload_runs(name: &str) {
    let server = open(name);
    for charset in ["latin1", "utf8mb4"] {
        fill(&server, charset);
        for kind in WorkloadKind::ALL {
            for protocol in [Protocol::Prepared, Protocol::Text] {
                let load = start(&server, kind, &settings(charset, protocol, 2));
                assert_eq!(load.in_force().client, charset);
                assert_eq!(load.in_force().results.as_deref(), Some(charset));
                let tally =
                    tally_with_events(&load).unwrap_or_else(|| panic!("{name}, {kind:?}, {protocol:?}: no event"));
                assert!(tally.queries >= tally.events && tally.latency.len() == tally.events);
                let writes = Workload { kind, range_size: None }.writes();
                // Two connections that delete and insert the same row can deadlock; reads never
                // fail.
                assert!(writes || tally.errors.is_empty(), "{name}, {kind:?}, {protocol:?}: {:?}", tally.errors);
            }
        }
    }
    server.stop().unwrap();
}

#[test]
fn every_workload_runs_on_mariadb() {
    every_workload_runs("mariadb");
}

#[test]
fn every_workload_runs_on_mysql_sid() {
    every_workload_runs("mysql@sid");
}

#[test]
fn every_workload_runs_on_mysql_5_6() {
    every_workload_runs("mysql@5.6");
}

#[test]
fn rows_and_statements_are_counted_as_the_server_counts_them() {
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let load = start(&server, WorkloadKind::OltpReadOnly, &settings("utf8mb4", Protocol::Prepared, 1));
    let mut conn = server.connect().unwrap();
    let mut selects = || -> u64 {
        let row: (String, u64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Com_select'").unwrap().unwrap();
        row.1
    };
    let (mut events, mut rows) = (0, 0);
    // Enough events for a mean, however few a busy machine completes in a block.
    for _ in 0..100 {
        let before = selects();
        let tally = block(&[&load]).remove(0);
        let after = selects();
        // 14 of 16 statements are SELECTs. Events are complete, and nothing runs between blocks.
        assert_eq!((after - before) * 16, tally.all_queries * 14);
        assert_eq!(tally.queries, tally.events * 16);
        (events, rows) = (events + tally.events, rows + tally.rows);
        if events >= 100 {
            break;
        }
    }
    // Ten point selects return ten rows in total. Three of the four range statements return ten
    // rows each, the sum returns one. Ranges at the end of the table have fewer.
    let rows = rows as f64 / events as f64;
    assert!((35.0..=41.0).contains(&rows), "{rows} rows per transaction");
}

#[test]
fn statements_are_sent_in_the_connections_charset() {
    let server = open("mariadb");
    fill(&server, "latin1");
    let mut script = Workload { kind: WorkloadKind::OltpPointSelect, range_size: None }.script(&options());
    script.statements[0].sql += " AND CHAR_LENGTH('é') = 1";
    let script = Arc::new(script);
    for protocol in [Protocol::Prepared, Protocol::Text] {
        let settings = settings("latin1", protocol, 1);
        let load = Load::start(target(&server, server.endpoint().clone()), &settings, &script).unwrap();
        let tally = tally_with_events(&load).unwrap();
        assert_eq!(tally.rows, tally.queries, "{protocol:?}");
    }
    server.stop().unwrap();
}

#[test]
fn failed_transactions_are_counted_by_the_servers_error_number() {
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let ignoring =
        |text: &str| Settings { ignored_errors: text.parse().unwrap(), ..settings("utf8mb4", Protocol::Text, 1) };
    let loads = ["1146", "all", "1213"].map(|codes| start(&server, WorkloadKind::OltpPointSelect, &ignoring(codes)));
    server.connect().unwrap().query_drop(format!("DROP TABLE {SCHEMA}.sbtest1")).unwrap();
    for load in &loads[..2] {
        let tally = find_tally(|| block(&[load]), |tally| tally.events > 0 || !tally.errors.is_empty()).unwrap();
        assert_eq!(tally.events, 0);
        assert!(tally.errors[&1146] > 0, "{:?}", tally.errors);
    }
    let fail = || run_block(&[&loads[2]], Sharing::Together, Duration::ZERO, Duration::from_millis(50)).err();
    // A block that is over before its first event succeeds.
    let error = (0..100).find_map(|_| fail()).unwrap();
    assert!(error.to_string().contains("1146"));
}

#[test]
fn connections_continue_after_a_turn() {
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let many = settings("utf8mb4", Protocol::Prepared, 24);
    let loads = [(); 2].map(|()| start(&server, WorkloadKind::OltpReadOnly, &many));
    let both = [&loads[0], &loads[1]];
    let turns = Sharing::Turns(Duration::from_millis(10));
    // On a busy machine a side may count no event in a block.
    let has_events = (0..20).any(|_| {
        let done = selects(&server);
        let tallies = run_block(&both, turns, Duration::from_millis(20), Duration::from_millis(800)).unwrap();
        let done = selects(&server) - done;
        for tally in &tallies {
            assert!(tally.errors.is_empty(), "{tally:?}");
            // An event counts in proportion to its counted statements.
            let statements = tally.events as f64 * 16.0;
            assert!((tally.queries as f64 - statements).abs() < 16.0 * 24.0, "{} of {statements}", tally.queries);
            assert!(tally.events == 0 || tally.queries < tally.all_queries, "{tally:?}");
        }
        // Every transaction was completed, including its uncounted part: 14 of 16 statements are
        // SELECTs.
        let all: u64 = tallies.iter().map(|tally| tally.all_queries).sum();
        assert_eq!(done * 16, all * 14);
        tallies.iter().all(|tally| tally.events > 0 && tally.seconds > 0.0)
    });
    assert!(has_events, "no event in 20 blocks");
}

#[test]
fn names_server_that_ends_during_a_block() {
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let load = start(&server, WorkloadKind::OltpPointSelect, &settings("utf8mb4", Protocol::Prepared, 2));
    let pid = rustix::process::Pid::from_raw(server.pid().unwrap() as i32).unwrap();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    let error =
        run_block(&[&load], Sharing::Together, Duration::ZERO, Duration::from_secs(20)).unwrap_err().to_string();
    killer.join().unwrap();
    assert!(error.starts_with(server.label()), "{error}");
    let again =
        run_block(&[&load], Sharing::Together, Duration::ZERO, Duration::from_millis(10)).unwrap_err().to_string();
    assert!(again.contains("earlier block"), "{again}");
}

#[test]
fn lost_connections_are_counted_for_their_load() {
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let mut conn = server.connect().unwrap();
    let mut ids = || -> BTreeSet<u64> {
        conn.query("SELECT ID FROM information_schema.PROCESSLIST WHERE DB IS NOT NULL").unwrap().into_iter().collect()
    };
    let settings = settings("utf8mb4", Protocol::Prepared, 2);
    let kept = start(&server, WorkloadKind::OltpPointSelect, &settings);
    let before = ids();
    let killed = start(&server, WorkloadKind::OltpPointSelect, &settings);
    let new: Vec<u64> = ids().difference(&before).copied().collect();
    assert_eq!(new.len(), 2);
    new.iter().for_each(|id| server.connect().unwrap().query_drop(format!("KILL {id}")).unwrap());
    let loads = [&kept, &killed];
    match run_block(&loads, Sharing::Together, Duration::ZERO, Duration::from_millis(50)) {
        Err(load::Error::Lost { connections, .. }) => assert_eq!(connections, [0, 2]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn accounts_log_in_by_two_plugins_and_wrong_passwords_are_named() {
    for (name, plugins) in [
        ("mariadb", &["mysql_native_password"][..]),
        ("mysql@sid", &["caching_sha2_password"][..]),
        ("mysql@5.6", &["mysql_native_password"][..]),
    ] {
        let server = open(name);
        fill(&server, "utf8mb4");
        let mut conn = server.connect().unwrap();
        for plugin in plugins {
            let user = plugin.split('_').next().unwrap();
            match *plugin {
                "caching_sha2_password" => conn.query_drop(format!(
                    "CREATE USER {user}@localhost IDENTIFIED WITH caching_sha2_password BY 'se''cret'"
                )),
                _ => conn.query_drop(format!("CREATE USER {user}@localhost IDENTIFIED BY 'se''cret'")),
            }
            .unwrap();
            conn.query_drop(format!("GRANT ALL ON {SCHEMA}.* TO {user}@localhost")).unwrap();
            let mut endpoint = Endpoint { user: user.into(), ..server.endpoint().clone() };
            let script =
                Arc::new(Workload { kind: WorkloadKind::OltpPointSelect, range_size: None }.script(&options()));
            let settings = settings("utf8mb4", Protocol::Prepared, 1);
            endpoint.password = Secret::new("se'cret");
            // The second login uses the server's cached proof.
            for _ in 0..2 {
                let load = Load::start(target(&server, endpoint.clone()), &settings, &script);
                let has_events = |load: Load| find_tally(|| block(&[&load]), |tally| tally.events > 0).is_some();
                assert!(load.is_ok_and(has_events), "{name} {plugin}");
            }
            endpoint.password = Secret::new("wrong");
            let error = Load::start(target(&server, endpoint), &settings, &script).err().unwrap().to_string();
            assert!(error.contains("1045") && error.contains(server.label()) && !error.contains("wrong"), "{error}");
        }
    }
}

/// Number of SELECT statements that the server has run.
fn selects(server: &Server) -> u64 {
    let mut conn = server.connect().unwrap();
    let row: Option<(String, u64)> = conn.query_first("SHOW GLOBAL STATUS LIKE 'Com_select'").unwrap();
    row.unwrap().1
}

#[test]
fn injected_extra_work_is_done_and_not_counted() {
    let server = open("mariadb");
    fill(&server, "latin1");
    for (extra_work, in_all) in [(0.0, 1.0), (0.25, 1.25), (1.0, 2.0)] {
        let settings = Settings { extra_work, ..settings("latin1", Protocol::Text, 1) };
        let load = start(&server, WorkloadKind::OltpPointSelect, &settings);
        let before = selects(&server);
        let tally = find_tally(|| block(&[&load]), |tally| tally.all_queries > 0).unwrap();
        let done = selects(&server) - before;
        let wanted = tally.all_queries as f64 * in_all;
        assert!((done as f64 - wanted).abs() <= 1.0, "{extra_work}: {done}, not {wanted}");
    }
    server.stop().unwrap();
}

/// The pause between two counted events is part of the counted time.
#[test]
fn pauses_count_as_measured_time() {
    const PAUSE: Duration = Duration::from_millis(4);
    let server = open("mariadb");
    fill(&server, "utf8mb4");
    let class = |pause| Class {
        text: "SELECT 1".into(),
        example: "SELECT 1".into(),
        weight: 1.0,
        writes: false,
        session_setting: None,
        pause,
        effort: 0.5,
        calls: vec![Call { sql: "SELECT 1".into(), values: Vec::new() }],
    };
    let load = |pause| {
        let script = Arc::new(Script::from_classes(&[class(pause)], 1));
        let settings = settings("utf8mb4", Protocol::Prepared, 2);
        Load::start(target(&server, server.endpoint().clone()), &settings, &script).unwrap()
    };
    let (pausing, other) = (load(PAUSE), load(Duration::ZERO));
    let turns = Sharing::Turns(Duration::from_millis(10));
    for (sharing, loads) in [(Sharing::Together, &[&pausing][..]), (turns, &[&pausing, &other])] {
        let length = Duration::from_millis(400);
        let run = || run_block(loads, sharing, Duration::from_millis(20), length).unwrap();
        let tally = find_tally(run, |tally| tally.events > 0).unwrap();
        let most = 2.0 * (tally.seconds / PAUSE.as_secs_f64() + 1.0);
        assert!(tally.events as f64 <= most, "{sharing:?}: {tally:?}");
        // Each event has one statement, and all are of one class.
        assert_eq!(tally.all_effort, 0.5 * tally.all_queries as f64, "{sharing:?}: {tally:?}");
        assert!((tally.effort - 0.5 * tally.events as f64).abs() <= 0.25, "{sharing:?}: {tally:?}");
    }
}
