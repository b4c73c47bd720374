//! Servers, and programs that play one.

use rustix::process::Signal;

use super::rogue::{self, Answer, Moment, Rogue};
use super::weigh;
use crate::attach::Foreign;
use crate::workspace::{Finished, Workspace, eventually, retry, send};

/// The answers of a rogue server.
pub const ANSWERS: [(&str, Answer); 13] = [
    ("2^40 columns", rogue::many_columns),
    ("2^64-1 columns", rogue::most_columns),
    ("10^8 columns", rogue::hundred_million_columns),
    ("endless rows", rogue::endless_rows),
    ("endless long rows", rogue::endless_long_rows),
    ("an endless row", rogue::endless_row),
    ("dripping rows", rogue::dripping_rows),
    ("endless results", rogue::endless_results),
    ("an empty packet", rogue::empty_packet),
    ("a wrong sequence number", rogue::wrong_sequence),
    ("a cut row", rogue::cut_row),
    ("NULL and invalid UTF-8", rogue::null_and_invalid_utf8),
    ("LOCAL INFILE", rogue::local_infile),
];

fn audit(workspace: &Workspace, socket: &std::path::Path) -> Finished {
    let words = ["--user=root", "--timeout=2s", "--statement-time=2s", "--no-defaults"];
    weigh(workspace, &[&["audit", "--socket", socket.to_str().unwrap()], &words[..]].concat())
}

/// Every answer ends with exit status 0, 1 or 2: no panic (101), no abort (134), and no wait
/// without an end, which the harness would report.
#[test]
fn any_answer_ends_in_order() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    for at in [2, 12] {
        for (what, answer) in ANSWERS {
            let is_reached =
                Rogue::reaches(workspace.root(), &foreign.socket(), Moment::Number(at), answer, |socket| {
                    let finished = audit(&workspace, socket);
                    assert!(matches!(finished.code, Some(0..=2)), "{what} for statement {at}: {finished}");
                    assert!(!finished.stderr.contains("panicked"), "{what}: {finished}");
                });
            assert!(is_reached, "{what}: statement {at} was not reached");
        }
    }
    assert!(!rogue::HAS_RECEIVED_FILE.load(std::sync::atomic::Ordering::SeqCst), "a file was sent");
    foreign.assert_untouched();
}

/// Largest resident memory of a process until its end, in MiB.
fn watch_memory(child: &mut std::process::Child) -> u64 {
    let file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        peak = line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(peak << 10) >> 10;
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    peak
}

/// Rows without an end are refused by their size. The time limits are too long to end them.
#[test]
fn answers_have_a_bound_in_memory() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    let text = Moment::Text("FROM information_schema.SCHEMATA");
    let answers: [(&str, Answer); 2] =
        [("endless rows", rogue::endless_rows), ("endless long rows", rogue::endless_long_rows)];
    for (what, answer) in answers {
        let rogue = Rogue::start(workspace.root(), &foreign.socket(), text, answer);
        let mut weigh = workspace.weigh(&["audit", "--socket", rogue.socket.to_str().unwrap()]);
        weigh.args(["--user=root", "--timeout=1h", "--statement-time=1h", "--no-defaults"]);
        let mut child = weigh.env("WEIGH_MAX_ITEM", "4").spawn().unwrap();
        let peak = watch_memory(&mut child);
        let finished = workspace.wait_for_end(child);
        assert!(rogue.has_answered(), "{what}: {finished}");
        assert!(peak < 160, "{what}: {peak} MiB: {finished}");
        finished.refuses_with(&["the answer is larger than 64 MiB", "WEIGH_MAX_ITEM"]);
    }
    foreign.assert_untouched();
}

/// The results that a comparison keeps have a bound: a hundred rows of a megabyte, three times.
#[test]
fn compared_results_have_a_bound_in_memory() {
    let workspace = Workspace::new();
    let rows: String = (0..100).map(|id| format!("{id}\n")).collect();
    for (name, text) in [
        ("workload.toml", "format = 1\n"),
        ("schema.sql", "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9));\n"),
        ("rows/t.csv", &format!("id:int\n{rows}")),
        ("statements/s.sql", "SELECT REPEAT('x', 1000000) FROM t\n"),
    ] {
        let path = workspace.root().join("w").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let words = ["workload", "compare", "w", "--server=mariadb", "--collation=as-is,utf8mb4_bin", "--no-defaults"];
    let mut child = workspace.weigh(&words).spawn().unwrap();
    let peak = watch_memory(&mut child);
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(peak < 120, "{peak} MiB: {finished}");
}

/// A server that freezes is reported within the timeout and the probe's timeout, even if the
/// statement's own limit is longer.
#[test]
fn frozen_server_ends_audit_in_time() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        let workspace = Workspace::new();
        fn freeze(_: &mut std::os::unix::net::UnixStream) {}
        let rogue = Rogue::start(workspace.root(), &foreign.socket(), Moment::Number(14), freeze);
        let mut weigh = workspace.weigh(&["audit", "--socket", rogue.socket.to_str().unwrap()]);
        let mut child = weigh.args(["--user=root", "--timeout=2s", "--no-defaults"]).spawn().unwrap();
        eventually("the statement is sent", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            rogue.statements() >= 14
        });
        send(Signal::STOP, foreign.pid());
        let finished = workspace.wait_for_end(child);
        send(Signal::CONT, foreign.pid());
        finished.refuses_with(&["no answer in time"]);
    });
}

/// Limits of the server's sessions would cut what is read, without an error, and another character
/// set would change where names end.
#[test]
fn limits_of_the_server_cut_nothing() {
    let foreign = Foreign::start("mariadb");
    foreign.run("CREATE DATABASE d");
    for table in 1..9 {
        foreign.run(&format!(
            "CREATE TABLE d.t{table} (a INT PRIMARY KEY, s VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin UNIQUE)"
        ));
    }
    foreign.run("INSERT INTO d.t8 VALUES (1, 'x'), (2, 'y'), (3, 'z'), (4, 'abc'), (5, 'ABC')");
    foreign.run("CREATE USER plain IDENTIFIED BY 'p'");
    foreign.run("GRANT SELECT, SHOW VIEW, PROCESS, REPLICATION CLIENT ON *.* TO plain");
    let workspace = Workspace::new();
    let socket = foreign.socket();
    let preflight = |schema: &str| {
        let schema = format!("--schema={schema}");
        let words = ["--password=p", &schema, "--all-columns", "--to=utf8mb4_general_ci", "--trial=none"];
        weigh(&workspace, &[&["preflight", "--user=plain", "--socket", socket.to_str().unwrap()], &words[..]].concat())
    };
    assert_eq!(preflight("d").code, Some(1));
    for limits in [
        &["SET GLOBAL sql_select_limit = 2"][..],
        &["SET GLOBAL sql_select_limit = DEFAULT", "SET GLOBAL init_connect = 'SET sql_select_limit = 2'"],
        &["SET GLOBAL init_connect = 'SET max_join_size = 1, sql_big_selects = 0, autocommit = 0'"],
    ] {
        limits.iter().for_each(|statement| foreign.run(statement));
        let finished = preflight("d");
        assert_eq!(finished.code, Some(1), "{limits:?}: {finished}");
    }
    // In gbk the last byte of `中` and the backslash are one character.
    let schema = r"中\' OR 1 #";
    foreign.run(&format!("CREATE DATABASE `{schema}`"));
    foreign.run(&format!("CREATE TABLE `{schema}`.t SELECT * FROM d.t8"));
    foreign.run(&format!("ALTER TABLE `{schema}`.t ADD UNIQUE (s)"));
    foreign.run("SET GLOBAL init_connect = 'SET NAMES gbk'");
    let finished = preflight(schema);
    assert!(finished.code == Some(1) && finished.stdout.contains("2 rows become equal"), "{finished}");
}
