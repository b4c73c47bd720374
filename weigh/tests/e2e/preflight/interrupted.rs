//! Preflight interrupted by a signal or a server restart, and the resumed report.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use ::preflight::{Finding, Report, Step};
use rustix::process::Signal;

use super::{Shop, read};
use crate::workspace::{eventually, send};

const TO: &str = "--to=utf8mb4_unicode_ci";

/// A shop with a table whose sort exceeds the smallest memory, and a small table after it.
fn big_shop() -> Shop {
    let mut shop = Shop::on("mariadb");
    shop.run(&[
        "CREATE TABLE a_big (id INT PRIMARY KEY, name VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, UNIQUE KEY (name)) ENGINE=InnoDB",
        "INSERT INTO a_big SELECT seq, CONCAT(REPEAT('longer ', 5), seq) FROM seq_1_to_40000",
        "INSERT INTO a_big VALUES (50001, 'Straße'), (50002, 'Strasse')",
        "CREATE TABLE z_last (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL, UNIQUE KEY (name))",
        "INSERT INTO z_last VALUES (1, 'Straße'), (2, 'Strasse')",
    ]);
    shop
}

impl Shop {
    /// Starts preflight, and returns when all but the locked table are finished.
    fn begin(&self) -> Child {
        let words = ["--user=root", TO, "--trial=none", "--resume=done", "--memory=4", "--format=json"];
        let mut child = self.command(&words).spawn().unwrap();
        let finished = self.workspace.root().join("done");
        eventually("a table is finished", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            fs::read_to_string(&finished).is_ok_and(|text| text.lines().count() == 4 && text.ends_with('\n'))
        });
        child
    }

    fn resume(&self) -> Report {
        self.report(&[TO, "--trial=none", "--resume=done", "--memory=4"])
    }
}

/// Returns the parts of a report that don't depend on the time it was made. The plan's advice isn't
/// among them: it has estimates of table sizes.
fn timeless_parts(report: &Report) -> (&[Finding], &[Step], &[String]) {
    (&report.findings, &report.plan.as_ref().unwrap().steps, &report.unchecked)
}

#[test]
fn resumed_report_equals_an_uninterrupted_one() {
    let mut shop = big_shop();
    let uninterrupted = shop.report(&[TO, "--trial=none"]);
    assert!(
        uninterrupted.findings.iter().any(|finding| finding.object.name == "shop.a_big: name"),
        "{uninterrupted:#?}"
    );
    for (signal, code) in [(Signal::TERM, Some(143)), (Signal::KILL, None)] {
        shop.run(&["LOCK TABLES z_last WRITE"]);
        let child = shop.begin();
        send(signal, child.id());
        // The folder of temporary files is empty after any signal.
        let finished = shop.workspace.wait_for_end(child);
        assert_eq!((finished.code, finished.stdout.as_str()), (code, ""), "{finished}");
        shop.run(&["UNLOCK TABLES"]);
        let first = fs::read_to_string(shop.workspace.root().join("done")).unwrap();
        let resumed = shop.resume();
        assert_eq!(timeless_parts(&resumed), timeless_parts(&uninterrupted));
        let of_big =
            |report: &Report| report.tables.iter().find(|table| table.name == "a_big").unwrap().reading.clone();
        let from = of_big(&resumed).unwrap();
        assert!(first.contains(&serde_json::to_string(&from).unwrap()), "it was read again: {from:?}");
        fs::remove_file(shop.workspace.root().join("done")).unwrap();
    }
    shop.server.stop().unwrap();
}

#[test]
fn waits_for_a_restarted_server() {
    let mut shop = big_shop();
    let uninterrupted = shop.report(&[TO, "--trial=none"]);
    shop.run(&["LOCK TABLES z_last WRITE"]);
    let child = shop.begin();
    let pid = shop.server.pid().unwrap();
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let words: Vec<&str> = std::str::from_utf8(&line).unwrap().trim_end_matches('\0').split('\0').collect();
    send(Signal::KILL, pid);
    eventually("the server is gone", || shop.server.connect().is_err());
    // Left by the killed server.
    let _ = fs::remove_file(shop.socket.with_file_name("run").join("mysqld.sock"));
    let mut again = Command::new(words[0]);
    // A server started by root runs as another account, which owns its folder.
    let owner = fs::metadata(shop.socket.with_file_name("data")).unwrap();
    again.uid(owner.uid()).gid(owner.gid());
    again.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut again = again.spawn().unwrap();
    // The server that was started by weigh had its socket moved there.
    let created = shop.socket.with_file_name("run").join("mysqld.sock");
    eventually("the server listens again", || fs::rename(&created, &shop.socket).is_ok());
    let finished = shop.workspace.wait_for_end(child);
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), ""), "{finished}");
    assert_eq!(timeless_parts(&read(&finished)), timeless_parts(&uninterrupted));
}
