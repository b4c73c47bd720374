//! Dumps as mysqldump, mariadb-dump, mydumper and phpMyAdmin write them, read and checked.

use std::fs;

use check::Severity;
use mysql_collation::Flavour;

use super::read_dump;
use crate::checkpoint::Checkpoint;
use crate::checks::{CHECKS, Selection};
use crate::job::Request;
use crate::model::Report;
use crate::read::RowSource;
use crate::scan::ScanProgress;
use crate::{Error, Options, Source};

struct NoProgress;

impl ScanProgress for NoProgress {
    fn rows_read(&self, _table: &str, _done: u64, _expected: u64) {}
}

fn run(dump: &str, flavour: Flavour, target: &str) -> Result<Report, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), dump).unwrap();
    let (facts, definitions, rows) = read_dump(file.path(), flavour)?;
    let options = Options {
        request: Request { targets: vec![target.to_owned()], examples: 10, ..Request::default() },
        selection: Selection::all(CHECKS),
        parallel: 1,
        memory: 16 << 20,
        folder: std::env::temp_dir(),
        read_rows: true,
    };
    let open = || -> Result<Box<dyn RowSource>, Error> { Ok(Box::new(rows.clone())) };
    let source =
        Source { label: "dump".into(), facts: &facts, definitions: &definitions, open: &open, is_server: false };
    crate::run(&source, &options, &Checkpoint::disabled(), &NoProgress)
}

fn mariadb(dump: &str) -> Report {
    run(dump, Flavour::MariaDb, "utf8mb4_unicode_ci").unwrap()
}

fn mysql(dump: &str) -> Report {
    run(dump, Flavour::MySql, "utf8mb4_0900_ai_ci").unwrap()
}

/// Returns check and object of the errors.
fn errors(report: &Report) -> Vec<(&str, &str)> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| (finding.check.as_str(), finding.object.name.as_str())).collect()
}

fn unchecked(report: &Report, part: &str) -> bool {
    report.unchecked.iter().any(|line| line.contains(part))
}

#[test]
fn collations_in_comments_and_defaults_are_text() {
    for (column, table) in [
        ("COMMENT 'todo: COLLATE utf8mb4_unicode_ci (JIRA-123)'", ""),
        ("DEFAULT 'CHARACTER SET utf8mb4'", ""),
        ("", " COMMENT='COLLATE=utf8mb4_unicode_ci CHARSET=utf8mb4'"),
    ] {
        let report = mariadb(&format!(
            "CREATE TABLE `u` (\n  `id` int(11) NOT NULL,\n  `b` varchar(20) DEFAULT NULL {column},\n  PRIMARY KEY (`id`),\n  \
             UNIQUE KEY `ub` (`b`)\n) {table} ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci;\n\
             INSERT INTO `u` VALUES\n(1,'ss'),\n(2,'ß');\n"
        ));
        assert_eq!(errors(&report), [("unique-key", "dump.u: ub")], "{column}{table}");
    }
}

#[test]
fn unique_keys_of_expressions_are_not_checked() {
    let report = mysql(
        "CREATE TABLE `t` (\n  `a` varchar(20) DEFAULT NULL,\n  UNIQUE KEY `fy` ((md5(`a`))),\n  UNIQUE KEY `fx` ((left(`a`,2)))\n) \
         ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
         INSERT INTO `t` VALUES ('ssx'),('ßx'),('øa1'),('ea2');\n",
    );
    assert_eq!(errors(&report), []);
    for part in [
        "unique key fy of dump.t under utf8mb4_0900_ai_ci: files evaluate no expressions. To check it: SELECT",
        "unique key fx",
    ] {
        assert!(unchecked(&report, part), "{part}: {:?}", report.unchecked);
    }
    let found = report.findings.iter().any(|finding| finding.check == "byte-functions");
    assert!(found, "{:?}", report.findings);
}
