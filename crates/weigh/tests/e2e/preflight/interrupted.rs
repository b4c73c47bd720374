//! Ended in the middle, by a signal or with the server, and what becomes of the report.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use ::preflight::{Finding, Report, Step};
use rustix::process::Signal;

use super::{Shop, read};
use crate::place::{eventually, send};

const TO: &str = "--to=utf8mb4_unicode_ci";

/// A shop with a table whose sort doesn't fit in the least memory, and one behind it that nobody can read while it is locked.
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
    /// Begins, and returns when all but the locked table is finished.
    fn begun(&self) -> Child {
        let words = ["--user=root", TO, "--trial=none", "--resume=done", "--memory=4", "--format=json"];
        let mut child = self.command(&words).spawn().unwrap();
        let done = self.place.root().join("done");
        eventually("a table is finished", || {
            assert!(child.try_wait().unwrap().is_none(), "weigh ended before its time");
            fs::read_to_string(&done).is_ok_and(|text| text.lines().count() == 4 && text.ends_with('\n'))
        });
        child
    }

    fn resumed(&self) -> Report {
        self.report(&[TO, "--trial=none", "--resume=done", "--memory=4"])
    }
}

/// What of a report doesn't depend on when it was made. Sizes of tables, which are estimates, stand in the plan's advice.
fn timeless(report: &Report) -> (&[Finding], &[Step], &[String]) {
    (&report.findings, &report.plan.as_ref().unwrap().steps, &report.unchecked)
}

#[test]
fn killed_and_resumed_the_report_is_the_same() {
    let mut shop = big_shop();
    let whole = shop.report(&[TO, "--trial=none"]);
    assert!(whole.findings.iter().any(|finding| finding.object == "shop.a_big: name"), "{whole:#?}");
    for (signal, code) in [(Signal::TERM, Some(143)), (Signal::KILL, None)] {
        shop.run(&["LOCK TABLES z_last WRITE"]);
        let child = shop.begun();
        send(signal, child.id());
        // The folder of temporary files is empty then, whatever the signal.
        let done = shop.place.end(child);
        assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{done}");
        shop.run(&["UNLOCK TABLES"]);
        let first = fs::read_to_string(shop.place.root().join("done")).unwrap();
        let resumed = shop.resumed();
        assert_eq!(timeless(&resumed), timeless(&whole));
        let of_big =
            |report: &Report| report.tables.iter().find(|table| table.name == "a_big").unwrap().reading.clone();
        let from = of_big(&resumed).unwrap();
        assert!(first.contains(&serde_json::to_string(&from).unwrap()), "it was read again: {from:?}");
        fs::remove_file(shop.place.root().join("done")).unwrap();
    }
    shop.server.stop().unwrap();
}

#[test]
fn a_server_that_is_restarted_is_waited_for() {
    let mut shop = big_shop();
    let whole = shop.report(&[TO, "--trial=none"]);
    shop.run(&["LOCK TABLES z_last WRITE"]);
    let child = shop.begun();
    let pid = shop.server.pid().unwrap();
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let words: Vec<&str> = std::str::from_utf8(&line).unwrap().trim_end_matches('\0').split('\0').collect();
    send(Signal::KILL, pid);
    eventually("the server is gone", || !shop.socket.exists() || shop.server.control().is_err());
    let mut again = Command::new(words[0]);
    // By root it is run as an account of its own, which owns its folder.
    let owner = fs::metadata(shop.socket.with_file_name("data")).unwrap();
    again.uid(owner.uid()).gid(owner.gid());
    again.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut again = again.spawn().unwrap();
    let done = shop.place.end(child);
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""), "{done}");
    assert_eq!(timeless(&read(&done)), timeless(&whole));
}
