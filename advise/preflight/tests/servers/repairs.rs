//! Repairs of double-encoded text: what they change, and what they leave.

use mysql::prelude::Queryable;
use preflight::{Options, Report, Severity};

use crate::lab::{Lab, describe_report, find_finding, options};

const SERVERS: [(&str, &str); 2] = [("mysql@sid", "utf8mb4_0900_ai_ci"), ("mariadb@bookworm", "utf8mb4_unicode_ci")];

/// Converts a schema by its plan, which must run to its end.
fn convert(lab: &mut Lab, charset: &str, statements: &[&str], options: &Options) -> Report {
    let statements: Vec<String> = statements.iter().map(|statement| (*statement).to_owned()).collect();
    lab.schema("rp", charset, &statements);
    let report = lab.report_with("rp", options, &Default::default(), &preflight::Checkpoint::disabled()).unwrap();
    assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
    report
}

fn value(lab: &mut Lab, query: &str) -> String {
    let value: Option<Option<String>> = lab.conn.query_first(query).unwrap();
    value.flatten().unwrap_or_default()
}

fn repairs(report: &Report) -> usize {
    report.plan.as_ref().unwrap().steps.iter().filter(|step| step.sql.starts_with("UPDATE")).count()
}

/// Words stay as they are if two of their characters have latin1 bytes that are UTF-8 of one
/// letter.
#[test]
fn leaves_clean_text() {
    for (server, target) in SERVERS {
        let mut lab = Lab::new(server);
        for charset in ["latin1", "utf8mb4 COLLATE utf8mb4_general_ci"] {
            let statements = [
                "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(60), w VARCHAR(30))",
                "INSERT INTO t VALUES (1, 'NESCAFÉ®', '12 Å³'), (2, 'BEYONCÉ™', '5 Å²'), (3, 'LIBERTÉ»', 'CAFÉ…'), (4, 'Viel Spaß…', 'ROSÉ”'), \
                 (5, 'plain', 'Gruß’n')",
            ];
            let report = convert(&mut lab, charset, &statements, &options(target));
            assert_eq!(repairs(&report), 0, "{}", describe_report(&report));
            let texts = value(&mut lab, "SELECT GROUP_CONCAT(v, w ORDER BY id SEPARATOR '|') FROM rp.t");
            assert_eq!(texts, "NESCAFÉ®12 Å³|BEYONCÉ™5 Å²|LIBERTÉ»CAFÉ…|Viel Spaß…ROSÉ”|plainGruß’n", "{server}");
        }
    }
}

/// A column with clean values beyond ASCII is not repaired, and the rows are listed.
#[test]
fn leaves_columns_with_clean_values_to_people() {
    let (server, target) = SERVERS[0];
    let mut lab = Lab::new(server);
    let statements =
        ["CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(60))", "INSERT INTO t VALUES (1, 'MÃ¼ller'), (2, 'Zoë')"];
    let report = convert(&mut lab, "latin1", &statements, &options(target));
    let finding = find_finding(&report, "double-encoding", "rp.t.v");
    assert_eq!((repairs(&report), finding.details.in_plan), (0, false), "{}", describe_report(&report));
    assert_eq!(finding.details.examples[0].note.as_deref(), Some("double-encoded: Müller"));
    // The statement that the finding gives.
    let assignment = finding.action.split_once("SET ").unwrap().1;
    lab.conn.query_drop(format!("UPDATE rp.t SET {assignment} WHERE id = 1")).unwrap();
    assert_eq!(value(&mut lab, "SELECT v FROM rp.t WHERE id = 1"), "Müller");
}

/// Columns of a foreign key are repaired all or not at all.
#[test]
fn keeps_foreign_keys_whole() {
    for (server, target) in SERVERS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE p (code VARCHAR(30) PRIMARY KEY, note VARCHAR(20))",
            "CREATE TABLE c (id INT PRIMARY KEY, p VARCHAR(30), CONSTRAINT f FOREIGN KEY (p) REFERENCES p (code))",
            "INSERT INTO p VALUES ('MÃ¼nchen', 'GrÃ¼n'), ('KÃ¶ln', 'x'), ('z', 'y')",
            "INSERT INTO c VALUES (1, 'MÃ¼nchen'), (2, 'MÃ¼nchen'), (3, 'KÃ¶ln'), (4, 'z')",
        ];
        let orphans = "SELECT COUNT(*) FROM rp.c LEFT JOIN rp.p ON p.code = c.p WHERE p.code IS NULL";
        for (examples, expected) in [(2, "1KÃ¶ln"), (100, "1Köln")] {
            let mut options = options(target);
            options.request.examples = examples;
            let report = convert(&mut lab, "latin1", &statements, &options);
            // The column outside of the key is repaired in either case.
            let query =
                "SELECT CONCAT((SELECT COUNT(*) FROM rp.p WHERE note = 'Grün'), (SELECT p FROM rp.c WHERE id = 3))";
            assert_eq!(value(&mut lab, query), expected, "{server}: {}", describe_report(&report));
            assert_eq!(value(&mut lab, orphans), "0", "{server}");
            let keys = "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'rp'";
            assert_eq!(value(&mut lab, keys), "1", "{server}");
        }
    }
}

/// Repairs that are cut off by --examples name the number that covers all.
#[test]
fn names_the_number_of_examples_for_all_repairs() {
    let (server, target) = SERVERS[1];
    let mut lab = Lab::new(server);
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(60))",
        "INSERT INTO t VALUES (1, 'MÃ¼ller'), (2, 'GrÃ¼n'), (3, 'KÃ¶ln')",
    ];
    for (examples, repaired) in [(2, 2), (3, 3)] {
        let mut options = options(target);
        options.request.examples = examples;
        let report = convert(&mut lab, "latin1", &statements, &options);
        let finding = find_finding(&report, "double-encoding", "rp.t.v");
        assert_eq!(repairs(&report), repaired, "{}", describe_report(&report));
        assert_eq!(finding.action.contains("--examples 3 "), examples == 2, "{}", finding.action);
    }
}

/// A repair that a unique key would refuse doesn't keep the table from its conversion.
#[test]
fn leaves_repairs_that_a_unique_key_refuses() {
    for (server, target) in SERVERS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40), UNIQUE KEY u (name))",
            "INSERT INTO t VALUES (1, 'MÃ¼ller'), (2, 'Muller'), (3, 'GrÃ¼n')",
        ];
        let report = convert(&mut lab, "latin1", &statements, &options(target));
        let finding = find_finding(&report, "double-encoding", "rp.t: u");
        assert_eq!((finding.details.count, repairs(&report)), (1, 0), "{}", describe_report(&report));
        assert!(report.findings.iter().all(|finding| finding.check != "unique-key"), "{}", describe_report(&report));
        let collation =
            "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'rp' AND COLUMN_NAME = 'name'";
        assert_eq!(value(&mut lab, collation), target);
    }
}

/// A generated column follows the columns that it is computed from.
#[test]
fn repairs_no_generated_columns() {
    for (server, target) in SERVERS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(30), g VARCHAR(30) AS (CONCAT(s, '!')) STORED, v VARCHAR(30) AS (CONCAT(s, '?')) VIRTUAL)",
            "INSERT INTO t (id, s) VALUES (1, 'GrÃ¼n')",
        ];
        let report = convert(&mut lab, "latin1", &statements, &options(target));
        assert_eq!(repairs(&report), 1, "{}", describe_report(&report));
        assert_eq!(value(&mut lab, "SELECT CONCAT(g, v) FROM rp.t"), "Grün!Grün?", "{server}");
    }
}

/// Rows are found by keys that are repaired themselves, and by BIT keys.
#[test]
fn repairs_rows_with_repaired_keys() {
    for (server, target) in SERVERS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE k (s VARCHAR(30) PRIMARY KEY, t VARCHAR(30))",
            "INSERT INTO k VALUES ('GrÃ¼n', 'GrÃ¼nz')",
            "CREATE TABLE b (b BIT(9) PRIMARY KEY, s VARCHAR(30))",
            "INSERT INTO b VALUES (257, 'GrÃ¼n')",
            "CREATE TABLE c (a VARCHAR(30), b VARCHAR(30), t VARCHAR(30), PRIMARY KEY (a, b))",
            "INSERT INTO c VALUES ('GrÃ¼n', 'SchÃ¶n', 'SpÃ¤t')",
        ];
        let report = convert(&mut lab, "latin1", &statements, &options(target));
        let query = "SELECT CONCAT_WS(' ', k.s, k.t, b.s, c.a, c.b, c.t) FROM rp.k JOIN rp.b JOIN rp.c";
        assert_eq!(
            value(&mut lab, query),
            "Grün Grünz Grün GrÃ¼n SchÃ¶n Spät",
            "{server}: {}",
            describe_report(&report)
        );
    }
}

/// The times of rows that a repair writes anew don't count as a change (MariaDB).
#[test]
fn versioned_tables_are_repaired() {
    let mut lab = Lab::new("mariadb@trixie");
    let statements = [
        "CREATE TABLE x (id INT PRIMARY KEY, v VARCHAR(50), s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, \
         e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING",
        "INSERT INTO x (id, v) VALUES (1, _latin1 X'4DC3BC6C6C6572')",
    ];
    lab.schema("fx_versions", "latin1", &statements.map(str::to_owned));
    let report = lab.rehearsed_report_with("fx_versions", &options("utf8mb4_uca1400_ai_ci"));
    assert!(report.plan.as_ref().unwrap().blocked.is_empty(), "{}", describe_report(&report));
    let finding = find_finding(&report, "double-encoding", "fx_versions.x.v");
    assert!(finding.details.in_plan && finding.action.contains("history"), "{finding:?}");
    assert_eq!(lab.run_plan(&report), []);
    let texts: Vec<String> = lab.conn.query("SELECT v FROM x FOR SYSTEM_TIME ALL ORDER BY e DESC").unwrap();
    assert_eq!(texts, ["Müller", "MÃ¼ller"]);
}

/// No UPDATE is advised for columns that take none, and members of ENUM are named.
#[test]
fn no_update_is_advised_where_none_is_taken() {
    let mut lab = Lab::new("mysql@sid");
    let statements = [
        "CREATE TABLE a (v VARCHAR(50)) ENGINE = ARCHIVE",
        "INSERT INTO a VALUES (_latin1 X'4DC3BC6C6C6572'), ('x ')",
        "CREATE TABLE g (id INT PRIMARY KEY, v VARCHAR(50), g VARCHAR(50) AS (CONCAT(v, ' ')) STORED)",
        "INSERT INTO g (id, v) VALUES (1, 'x')",
        "CREATE TABLE e (id INT PRIMARY KEY, m ENUM('MÃ¼ller', 'Meier'))",
        "INSERT INTO e VALUES (1, 1)",
    ];
    lab.schema("fx_updates", "latin1", &statements.map(str::to_owned));
    let report = lab.rehearsed_report_with("fx_updates", &options("utf8mb4_0900_ai_ci"));
    for (check, object) in [("double-encoding", "a.v"), ("trailing-spaces", "a.v"), ("trailing-spaces", "g.g")] {
        let finding = find_finding(&report, check, &format!("fx_updates.{object}"));
        assert!(finding.details.statements.is_empty(), "{finding:?}");
    }
    let members = find_finding(&report, "members", "fx_updates.e.m");
    assert_eq!((members.severity, members.details.count), (Severity::Warning, 1), "{members:?}");
    assert!(report.plan.as_ref().unwrap().blocked.is_empty(), "{}", describe_report(&report));
    assert_eq!(lab.run_plan(&report), []);
    // As the finding of the members says.
    for statement in [
        "ALTER TABLE e MODIFY m ENUM('MÃ¼ller', 'Meier', 'Müller') COLLATE utf8mb4_0900_ai_ci",
        "UPDATE e SET m = 'Müller' WHERE m = 'MÃ¼ller'",
        "ALTER TABLE e MODIFY m ENUM('Meier', 'Müller') COLLATE utf8mb4_0900_ai_ci",
    ] {
        lab.conn.query_drop(statement).unwrap();
    }
    assert_eq!(lab.conn.query_first::<String, _>("SELECT m FROM e").unwrap().as_deref(), Some("Müller"));
}
