//! Reads and checks dumps: in the forms of mysqldump, mariadb-dump and phpMyAdmin, and edited by
//! hand.

use std::fs;

use check::Severity;
use mysql_collation::Flavour;

use super::read_dump;
use crate::checkpoint::Checkpoint;
use crate::checks::{CHECKS, Selection};
use crate::finding::Finding;
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
    run_with(dump, flavour, Request { targets: vec![target.to_owned()], examples: 10, ..Request::default() })
}

fn run_with(dump: &str, flavour: Flavour, request: Request) -> Result<Report, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), dump).unwrap();
    let (facts, definitions, rows) = read_dump(file.path(), flavour)?;
    let options = Options {
        request,
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

fn check_mariadb_dump(dump: &str) -> Report {
    run(dump, Flavour::MariaDb, "utf8mb4_unicode_ci").unwrap()
}

fn check_mysql_dump(dump: &str) -> Report {
    run(dump, Flavour::MySql, "utf8mb4_0900_ai_ci").unwrap()
}

/// Returns check and object of the errors.
fn errors(report: &Report) -> Vec<(&str, &str)> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| (finding.check.as_str(), finding.object.name.as_str())).collect()
}

fn find<'r>(report: &'r Report, check: &str) -> &'r Finding {
    let found = report.findings.iter().find(|finding| finding.check == check);
    found.unwrap_or_else(|| panic!("no {check}: {:?}", report.findings))
}

fn finding<'r>(report: &'r Report, check: &str) -> &'r str {
    &find(report, check).what
}

fn action<'r>(report: &'r Report, check: &str) -> &'r str {
    &find(report, check).action
}

fn is_listed_as_unchecked(report: &Report, part: &str) -> bool {
    report.unchecked.iter().any(|line| line.contains(part))
}

fn rows(report: &Report, table: &str) -> u64 {
    let found = report.tables.iter().find(|found| found.name == table);
    found.and_then(|found| found.reading.as_ref()).map_or(0, |reading| reading.rows)
}

#[test]
fn collations_in_comments_and_defaults_are_text() {
    for (column, table) in [
        ("COMMENT 'todo: COLLATE utf8mb4_unicode_ci (JIRA-123)'", ""),
        ("DEFAULT 'CHARACTER SET utf8mb4'", ""),
        ("", " COMMENT='COLLATE=utf8mb4_unicode_ci CHARSET=utf8mb4'"),
    ] {
        let report = check_mariadb_dump(&format!(
            "CREATE TABLE `u` (\n  `id` int(11) NOT NULL,\n  `b` varchar(20) DEFAULT NULL {column},\n  PRIMARY KEY (`id`),\n  \
             UNIQUE KEY `ub` (`b`)\n) {table} ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci;\n\
             INSERT INTO `u` VALUES\n(1,'ss'),\n(2,'ß');\n"
        ));
        assert_eq!(errors(&report), [("unique-key", "dump.u: ub")], "{column}{table}");
    }
}

#[test]
fn keys_within_columns_are_checked() {
    for unique in ["UNIQUE", "UNIQUE KEY NOT NULL", "NOT NULL PRIMARY KEY", "KEY"] {
        let report = check_mariadb_dump(&format!(
            "CREATE TABLE `u` (\n  `id` int(11) DEFAULT NULL,\n  `b` varchar(20) {unique}\n) ENGINE=InnoDB \
             DEFAULT CHARSET=latin1;\nINSERT INTO `u` VALUES\n(1,'ss'),\n(2,'ß');\n"
        ));
        let key = if unique.starts_with("UNIQUE") { "dump.u: b" } else { "dump.u: PRIMARY" };
        assert_eq!(errors(&report), [("unique-key", key)], "{unique}");
    }
}

#[test]
fn unique_keys_of_expressions_are_not_checked() {
    let report = check_mysql_dump(
        "CREATE TABLE `t` (\n  `a` varchar(20) DEFAULT NULL,\n  UNIQUE KEY `fy` ((md5(`a`))),\n  UNIQUE KEY `fx` ((left(`a`,2)))\n) \
         ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
         INSERT INTO `t` VALUES ('ssx'),('ßx'),('øa1'),('ea2');\n",
    );
    assert_eq!(errors(&report), []);
    for part in [
        "unique key fy of dump.t under utf8mb4_0900_ai_ci: files evaluate no expressions. To check it: SELECT",
        "unique key fx",
    ] {
        assert!(is_listed_as_unchecked(&report, part), "{part}: {:?}", report.unchecked);
    }
    assert!(finding(&report, "byte-functions").contains("MD5"));
}

#[test]
fn partitions_and_generated_columns_of_a_dump_are_checked() {
    let table = |partitions: &str| {
        format!(
            "/*!40101 SET NAMES utf8mb4 */;\nCREATE DATABASE `n3`;\nUSE `n3`;\n\
             CREATE TABLE `t` (\n  `a` varchar(10) DEFAULT NULL,\n  `h` char(64) GENERATED ALWAYS AS (sha2(`a`,256)) STORED,\n  \
             `r` int(11) GENERATED ALWAYS AS (`a` = 'ss') VIRTUAL\n) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci\n \
             {partitions};\nINSERT INTO `t` (`a`) VALUES\n('a'),\n('zebra');\n"
        )
    };
    let range = check_mariadb_dump(&table(
        "PARTITION BY RANGE  COLUMNS(`a`)\n(PARTITION `p0` VALUES LESS THAN ('n') ENGINE = InnoDB,\n PARTITION `p1` VALUES LESS THAN ('ö') ENGINE = InnoDB)",
    ));
    assert_eq!(errors(&range), [("partition-rows", "n3.t.a")]);
    assert_eq!(action(&range, "partition-rows"), "add a partition VALUES LESS THAN (MAXVALUE) before converting");
    assert!(finding(&range, "partition-key").contains("RANGE COLUMNS"));
    assert!(finding(&range, "byte-functions").contains("SHA2"));
    assert!(is_listed_as_unchecked(&range, "values of n3.t.r under utf8mb4_unicode_ci: files evaluate no expressions"));
    assert!(is_listed_as_unchecked(&range, "values of h in n3.t: a dump leaves out generated columns"));
    let other =
        check_mariadb_dump(&table("PARTITION BY RANGE COLUMNS(`a`) (PARTITION `p0` VALUES LESS THAN (concat('n')))"));
    assert!(is_listed_as_unchecked(&other, "weigh can't read concat('n')"), "{:?}", other.unchecked);
    let unknown = check_mariadb_dump(&table("PARTITION BY NEW (`a`)"));
    assert!(finding(&unknown, "unreadable").contains("PARTITION BY NEW (`a`)"));
}

/// Under the old collation `'ü'` equals `'y'`, so no server takes it as a second constant.
#[test]
fn lists_get_no_second_constant() {
    let report = check_mysql_dump(
        "CREATE TABLE `t` (\n  `a` varchar(10) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=latin1\n\
         /*!50500 PARTITION BY LIST  COLUMNS(a)\n(PARTITION p0 VALUES IN ('y') ENGINE = InnoDB) */;\n\
         INSERT INTO `t` VALUES ('y'),('ü');\n",
    );
    assert_eq!(errors(&report), [("partition-rows", "dump.t.a")]);
    let action = action(&report, "partition-rows");
    assert!(action.starts_with("write these values as") && !action.contains("DEFAULT"), "{action}");
}

#[test]
fn bytes_of_utf8mb3_stay() {
    let report = |charset: &str| {
        check_mysql_dump(&format!(
            "CREATE TABLE `t` (\n  `a` varchar(20) DEFAULT NULL,\n  `h` char(32) GENERATED ALWAYS AS (md5(`a`)) STORED\n) \
             ENGINE=InnoDB DEFAULT CHARSET={charset};\n"
        ))
    };
    let has_finding = |report: Report| report.findings.iter().any(|finding| finding.check == "byte-functions");
    assert_eq!(["latin1", "utf8mb3", "utf8"].map(|charset| has_finding(report(charset))), [true, false, false]);
}

/// `'k'` and `'K'` of the group that isn't listed are equal under a collation that tells the listed
/// `'é'` and `'e'` apart.
#[test]
fn suggested_collations_are_of_the_listed_groups() {
    let dump = "CREATE TABLE `t` (\n  `a` varchar(20) COLLATE utf8mb4_bin DEFAULT NULL,\n  UNIQUE KEY `u` (`a`)\n) \
                ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\nINSERT INTO `t` VALUES ('e'),('é'),('k'),('K');\n";
    let options = |examples| Request {
        targets: vec!["utf8mb4_0900_ai_ci".to_owned()],
        examples,
        all_columns: true,
        ..Request::default()
    };
    let actions = [1, 10].map(|examples| {
        let report = run_with(dump, Flavour::MySql, options(examples)).unwrap();
        action(&report, "unique-key").to_owned()
    });
    assert!(actions[0].contains("tells the listed ones apart: utf8mb4_0900_as_ci"), "{}", actions[0]);
    assert!(actions[1].contains("tells all of them apart") && !actions[1].contains("as_ci"), "{}", actions[1]);
}

#[test]
fn bytes_of_binary_columns_count_in_rows() {
    let report = check_mysql_dump(
        "CREATE TABLE `t` (\n  `a` varchar(10000) DEFAULT NULL,\n  `b` varbinary(30000) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n",
    );
    assert_eq!(errors(&report), [("row-size", "dump.t")]);
}

/// Form of phpMyAdmin 5.2.
const EXPORT: &str = "-- phpMyAdmin SQL Dump
-- version 5.2.1
SET SQL_MODE = \"NO_AUTO_VALUE_ON_ZERO\";
START TRANSACTION;
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE `wp_users` (
  `ID` bigint(20) UNSIGNED NOT NULL,
  `user_login` varchar(60) NOT NULL DEFAULT ''
) ENGINE=InnoDB DEFAULT CHARSET=latin1;
INSERT INTO `wp_users` (`ID`, `user_login`) VALUES
(1, 'strasse'),
(2, 'straße');
CREATE TABLE `wp_meta` (
  `id` int(11) NOT NULL,
  `login` varchar(60) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=latin1;
INSERT INTO wp_meta VALUES (1,'strasse');
ALTER TABLE `wp_users`
  ADD PRIMARY KEY (`ID`),
  ADD UNIQUE KEY `user_login_key` (`user_login`);
ALTER TABLE `wp_users`
  MODIFY `ID` bigint(20) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=3;
ALTER TABLE `wp_meta` ADD CONSTRAINT fkx FOREIGN KEY (login) REFERENCES wp_users (user_login);
COMMIT;
";

#[test]
fn keys_that_are_added_later_are_checked() {
    let report = check_mariadb_dump(EXPORT);
    assert_eq!(errors(&report), [("unique-key", "dump.wp_users: user_login_key")]);
    assert_eq!((rows(&report, "wp_users"), rows(&report, "wp_meta")), (2, 1));
    let group = &report.findings[0].details.groups[0];
    assert_eq!(group.rows[0].key, ["1"]);
    let report = check_mariadb_dump(&EXPORT.replace(
        "ALTER TABLE `wp_users`\n  ADD PRIMARY KEY (`ID`),\n  ADD UNIQUE KEY `user_login_key` (`user_login`)",
        "CREATE UNIQUE INDEX l ON wp_users (USER_LOGIN)",
    ));
    assert_eq!(errors(&report), [("unique-key", "dump.wp_users: l")]);
}

#[test]
fn rows_of_every_form_of_insert_are_read() {
    let report = check_mariadb_dump(
        "USE z;\nCREATE TABLE `q` (\n  `a` varchar(9) DEFAULT NULL,\n  `i` int(11) DEFAULT NULL INVISIBLE,\n  `b` varchar(9) DEFAULT NULL,\n  \
         UNIQUE KEY `b` (`b`)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
         REPLACE INTO `q` VALUES ('x','ss'),('y','t');\nUSE `other`;\nINSERT IGNORE INTO z.Q (B) VALUES ('ß');\n",
    );
    assert_eq!(rows(&report, "q"), 3);
    assert_eq!(errors(&report), [("unique-key", "z.q: b")]);
}

#[test]
fn statements_that_were_not_understood_are_listed() {
    let table = "CREATE TABLE `t` (\n  `a` varchar(9) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n";
    for (statement, shown) in [
        ("ALTER TABLE `t` ADD COLUMN `b` text;", "ALTER TABLE … ADD COLUMN `b` text"),
        ("INSERT INTO t SELECT 'x';", "INSERT INTO t SELECT 'x'"),
        ("INSERT INTO t VALUES ('x') ON DUPLICATE KEY UPDATE a = 'y';", "INSERT INTO t VALUES"),
        ("UPDATE t SET a = 'x';\nUPDATE t SET a = 'y';", "2 statements, the first of them UPDATE t SET a = 'x'"),
    ] {
        let report = check_mariadb_dump(&format!("{table}{statement}\n"));
        assert!(report.has_problems() && finding(&report, "unreadable").contains(shown), "{:?}", report.findings);
        assert!(is_listed_as_unchecked(&report, shown), "{:?}", report.unchecked);
    }
    let report = check_mariadb_dump(&format!("{table}INSERT INTO u VALUES (1);\nALTER TABLE u ADD KEY (b);\n"));
    let names: Vec<&str> = report.findings.iter().map(|finding| finding.object.name.as_str()).collect();
    assert_eq!(names, ["dump.u"]);
    let harmless = "LOCK TABLES `t` WRITE;\n/*!40000 ALTER TABLE `t` DISABLE KEYS */;\nINSERT INTO `t` VALUES ('x');\nUNLOCK TABLES;\n";
    let report = check_mariadb_dump(&format!("DROP TABLE IF EXISTS `t`;\n{table}{harmless}"));
    assert_eq!((report.findings.len(), report.unchecked.len()), (0, 0), "{report:?}");
}

#[test]
fn the_last_table_after_a_drop_is_checked() {
    let table = |key: &str, rows: &str| {
        format!(
            "CREATE TABLE `t` (\n  `a` varchar(9),\n  `b` varchar(9),\n  UNIQUE KEY `{key}` (`{key}`)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
                 INSERT INTO `t` VALUES {rows};\n"
        )
    };
    let (old, new) = (table("a", "('ss','x'),('ß','y')"), table("b", "('tt','x'),('u','y')"));
    let dropped = check_mariadb_dump(&format!("{old}DROP TABLE IF EXISTS `T`;\n{new}"));
    assert_eq!((errors(&dropped), rows(&dropped, "t")), (vec![], 2), "{dropped:?}");
    let replaced = check_mariadb_dump(&format!("{old}{}", new.replace("CREATE", "CREATE OR REPLACE")));
    assert_eq!((errors(&replaced), rows(&replaced, "t")), (vec![], 2), "{replaced:?}");
    let again = check_mariadb_dump(&format!("{old}{new}"));
    assert_eq!(errors(&again), [("unique-key", "dump.t: a")]);
    assert!(finding(&again, "unreadable").contains("a second CREATE TABLE without DROP TABLE"), "{again:?}");
    let kept = check_mariadb_dump(&format!("{old}{}", new.replace("TABLE `t` (", "TABLE IF NOT EXISTS `t` (")));
    assert_eq!(errors(&kept), [("unique-key", "dump.t: a")]);
    assert!(kept.findings.iter().all(|finding| finding.check != "unreadable"), "{kept:?}");
}

#[test]
fn missing_charsets_come_from_the_schema_or_the_version_in_the_header() {
    let table = |options: &str| {
        format!(
            "CREATE TABLE `t` (\n  `a` varchar(9) NOT NULL,\n  PRIMARY KEY (`a`)\n) ENGINE=InnoDB{options};\n\
                 INSERT INTO `t` VALUES ('ss'),('ß');\n"
        )
    };
    let unknown = check_mysql_dump(&format!("/*!40101 SET NAMES utf8mb4 */;\n{}", table("")));
    assert!(finding(&unknown, "unreadable").contains("character set of a is not known"), "{unknown:?}");
    let schema = "CREATE DATABASE `s` /*!40100 DEFAULT CHARACTER SET latin1 COLLATE latin1_general_ci */;\nUSE `s`;\n";
    assert_eq!(errors(&check_mysql_dump(&format!("{schema}{}", table("")))), [("unique-key", "s.t: PRIMARY")]);
    let old = table(" DEFAULT CHARSET=utf8mb4");
    let assumed = check_mysql_dump(&old);
    assert_eq!(errors(&assumed), [("unique-key", "dump.t: PRIMARY")], "general_ci becomes 0900_ai_ci");
    assert!(is_listed_as_unchecked(&assumed, "utf8mb4_general_ci is assumed"), "{:?}", assumed.unchecked);
    let said = check_mysql_dump(&format!("-- MySQL dump 10.13\n--\n-- Server version\t5.7.44-log\n\n{old}"));
    assert_eq!((errors(&said).len(), said.unchecked.len()), (1, 0), "{:?}", said.unchecked);
    let new = check_mysql_dump(&format!("-- MySQL dump 10.13\n--\n-- Server version\t8.0.36\n\n{old}"));
    assert_eq!(errors(&new), [], "the columns have 0900_ai_ci");
}

#[test]
fn rows_with_expressions_are_refused() {
    let dump = "CREATE TABLE `t` (\n  `a` varchar(9),\n  `b` varchar(9)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
                INSERT INTO `t` VALUES ";
    for (row, problem) in [
        ("(CONCAT('x','y'),'x')", "a value of dump.t.a is an expression; weigh reads literals"),
        ("('x')", "a row of dump.t has 1 value for 2 columns"),
        ("('x','y','z')", "a row of dump.t has 3 values for 2 columns"),
    ] {
        let error = run(&format!("{dump}{row};\n"), Flavour::MySql, "utf8mb4_0900_ai_ci").unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}
