//! A schema for each way in which a conversion hurts, and one in which nothing does. Each is converted by its plan: what was predicted to
//! be refused is refused, with the error that was named; the rest succeeds.

use preflight::Severity;

use crate::lab::{Lab, found, told};

/// What a conversion of a schema is expected to do.
struct Fixture {
    name: &'static str,
    /// Default character set of the schema.
    charset: &'static str,
    statements: &'static [&'static str],
    /// Check, object behind the schema's name, severity, count.
    findings: &'static [(&'static str, &'static str, Severity, u64)],
    /// The error with which the plan's conversion is refused; 0 where it succeeds.
    refused: u16,
}

use Severity::{Error, Notice, Warning};

/// What holds on every server. TARGET stands for the collation that it is converted to: utf8mb4, case-insensitive, ß = ss.
const FIXTURES: &[Fixture] = &[
    Fixture {
        name: "clean",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL DEFAULT 'none' COMMENT 'it''s, (a) name', note VARCHAR(150), UNIQUE KEY n (name), KEY (note))",
            "INSERT INTO t VALUES (1, 'Anna', 'first'), (2, 'Bert', 'second'), (3, 'Zoë', NULL)",
        ],
        findings: &[],
        refused: 0,
    },
    Fixture {
        name: "collisions",
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE KEY n (name)) COLLATE utf8mb4_bin",
            "INSERT INTO t VALUES (1, 'Straße'), (2, 'STRASSE'), (3, 'résumé'), (4, 'Resume'), (5, 'plain'), (6, NULL), (7, NULL)",
        ],
        // A _bin column keeps comparing codes unless it is asked for.
        findings: &[("unique-key", "t: n", Error, 2)],
        refused: 1062,
    },
    Fixture {
        name: "composite",
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (a VARCHAR(20) COLLATE utf8mb4_bin NOT NULL, b VARCHAR(20) COLLATE utf8mb4_bin, n INT NOT NULL, PRIMARY KEY (a, n), UNIQUE KEY ab (a, b), UNIQUE KEY p (n, b(3)))",
            "INSERT INTO t VALUES ('x', 'Abc', 1), ('X', 'abd', 2), ('y', 'äbc1', 3), ('Y', 'ÄBC2', 3), ('z', NULL, 3), ('Z', NULL, 4)",
        ],
        findings: &[
            ("unique-key", "t: PRIMARY", Error, 1),
            ("unique-key", "t: p", Error, 1),
            ("merges", "t.a", Warning, 3),
        ],
        refused: 1062,
    },
    Fixture {
        name: "wide_varchar",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20000))",
            "INSERT INTO t VALUES (1, REPEAT('é', 17000))",
        ],
        findings: &[("wide-varchar", "t.v", Error, 20_000)],
        refused: 0,
    },
    Fixture {
        name: "row_size",
        charset: "latin1",
        statements: &["CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9000), b VARCHAR(9000), c VARCHAR(9000))"],
        findings: &[("row-size", "t", Error, 108_011)],
        refused: 1118,
    },
    Fixture {
        name: "text_length",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v TINYTEXT)",
            "INSERT INTO t VALUES (1, REPEAT('é', 200)), (2, 'short')",
        ],
        findings: &[("text-length", "t.v", Error, 1), ("widened", "t.v", Notice, 1)],
        refused: 0,
    },
    Fixture {
        name: "members",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', 'A', 'b') CHARACTER SET latin1 COLLATE latin1_general_cs)",
        ],
        findings: &[("members", "t.e", Error, 1)],
        refused: 1291,
    },
    Fixture {
        name: "double_encoding",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50))",
            "INSERT INTO t VALUES (1, _latin1 X'4DC3BC6C6C6572'), (2, 'Müller'), (3, 'plain'), (4, _latin1 X'4DC3BC6C6C657220756E6420536368E4666572')",
        ],
        findings: &[("double-encoding", "t.v", Warning, 2)],
        refused: 0,
    },
    Fixture {
        name: "serialized",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v TEXT)",
            "INSERT INTO t VALUES (1, 'a:1:{s:4:\"name\";s:3:\"für\";}'), (2, 'a:1:{s:4:\"name\";s:3:\"fur\";}'), (3, 'für')",
        ],
        findings: &[("serialized", "t.v", Warning, 1), ("widened", "t.v", Notice, 1)],
        refused: 0,
    },
    Fixture {
        name: "merges",
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_general_ci, KEY (v)) COLLATE utf8mb4_general_ci",
            "INSERT INTO t VALUES (1, 'Weiß'), (2, 'weiss'), (3, 'WEISS'), (4, 'rot'), (5, 'Rot')",
        ],
        // general_ci takes ROT for rot already, and ß for s.
        findings: &[("merges", "t.v", Warning, 1)],
        refused: 0,
    },
    Fixture {
        name: "own_collations",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), code CHAR(8) CHARACTER SET ascii, tag VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin)",
        ],
        findings: &[("own-collation", "t", Notice, 2)],
        refused: 0,
    },
    Fixture {
        name: "foreign_keys",
        charset: "latin1",
        statements: &[
            "CREATE TABLE p (code VARCHAR(10) PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(10), CONSTRAINT cp FOREIGN KEY (code) REFERENCES p (code) ON DELETE CASCADE ON UPDATE SET NULL)",
            "INSERT INTO p VALUES ('a'), ('b')",
            "INSERT INTO c VALUES (1, 'a'), (2, 'B'), (3, NULL)",
        ],
        findings: &[],
        refused: 0,
    },
    Fixture {
        name: "partitions",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (c VARCHAR(10) NOT NULL, n INT, PRIMARY KEY (c)) PARTITION BY KEY (c) PARTITIONS 3",
            "INSERT INTO t VALUES ('a', 1), ('b', 2), ('ä1', 3), ('zz', 4)",
        ],
        findings: &[("partition-key", "t", Warning, 3)],
        refused: 0,
    },
    Fixture {
        name: "generated",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), b VARCHAR(10), g VARCHAR(21) GENERATED ALWAYS AS (CONCAT(a, '-', b)) STORED, v VARCHAR(10) GENERATED ALWAYS AS (UPPER(a)) VIRTUAL)",
            "INSERT INTO t (id, a, b) VALUES (1, 'é', 'x'), (2, NULL, 'y')",
        ],
        findings: &[],
        refused: 0,
    },
];

fn run(lab: &mut Lab, target: &str, fixture: &Fixture) {
    let schema = format!("fx_{}", fixture.name);
    let statements: Vec<String> = fixture.statements.iter().map(|statement| (*statement).to_owned()).collect();
    lab.schema(&schema, fixture.charset, &statements);
    let mut options = crate::lab::options(target);
    // Fixtures whose collisions come from _bin columns ask for them.
    options.request.all_columns = matches!(fixture.name, "collisions" | "composite");
    let report = lab.report_with(&schema, &options, &Default::default(), &preflight::Checkpoint::none()).unwrap();
    let label = lab.server.label().to_owned();
    for (check, object, severity, count) in fixture.findings {
        let finding = found(&report, check, &format!("{schema}.{object}"));
        assert_eq!((finding.severity, finding.count), (*severity, *count), "{label} {schema}: {}", told(&report));
    }
    // The charset of a schema's own tables may be what only some servers have as their default.
    let expected: Vec<&str> = fixture.findings.iter().map(|(check, ..)| *check).collect();
    let others: Vec<_> = report.findings.iter().filter(|finding| !expected.contains(&finding.check.as_str())).collect();
    assert!(others.is_empty(), "{label} {schema}: {others:#?}");
    let plan = report.plan.as_ref().unwrap();
    assert_eq!(plan.blocked.is_empty(), fixture.refused == 0, "{label} {schema}: {}", told(&report));
    if fixture.refused == 0 {
        if options.request.all_columns {
            assert_eq!(lab.run_plan(&report), []);
        } else {
            lab.assert_converges(&schema, target, &report);
        }
    } else {
        let refused = lab.run_plan(&report);
        assert!(refused.iter().any(|(_, code)| *code == fixture.refused), "{label} {schema}: {refused:?}");
    }
}

fn all(server: &str, target: &str) -> Lab {
    let mut lab = Lab::new(server);
    for fixture in FIXTURES {
        run(&mut lab, target, fixture);
    }
    programs(&mut lab, target);
    narrowed(&mut lab);
    partly(&mut lab, target);
    warned(&mut lab, target);
    lab
}

/// What other programs, backups and replicas make of a conversion can't be tried here: the plan warns of it and names the source.
fn warned(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE plain (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_general_ci)",
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin, UNIQUE KEY u (v))",
        "INSERT INTO t VALUES (1, 'a'), (2, 'A')",
    ];
    lab.schema("fx_warned", "utf8mb4", &statements.map(str::to_owned));
    let mut options = crate::lab::options(target);
    options.request.all_columns = true;
    let report = lab.report_with("fx_warned", &options, &Default::default(), &preflight::Checkpoint::none()).unwrap();
    let plan = report.plan.as_ref().unwrap();
    let tools = |table: &str| plan.tools.iter().find(|tools| tools.table == table).unwrap().warnings.join("\n");
    for warning in ["INSERT IGNORE", "--panic-on-warnings", "#1636", "#1568"] {
        assert!(tools("fx_warned.t").contains(warning), "{warning}: {}", told(&report));
        assert!(!tools("fx_warned.plain").contains(warning), "{warning}: {}", told(&report));
    }
    let advice = plan.advice.join("\n");
    for warning in ["mysqldump --default-character-set=utf8mb4", "MySQL bug 47673", "SET NAMES utf8mb4"] {
        assert!(advice.contains(warning), "{warning}: {}", told(&report));
    }
    let is_new_id = lab.server.flavour() == server::Flavour::MySql && target.contains("_0900_");
    assert_eq!(advice.contains("MySQL bug 116834"), is_new_id, "{}", told(&report));
}

/// MariaDB's JSON is LONGTEXT with utf8mb4_bin, which CONVERT TO would take from it; the plan leaves it.
fn json(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), kept JSON)",
        "INSERT INTO t VALUES (1, 'Zoë', '{\"a\": 1}')",
    ];
    lab.schema("fx_json", "latin1", &statements.map(str::to_owned));
    let report = lab.report("fx_json", target);
    let kept = found(&report, "own-collation", "fx_json.t");
    assert_eq!(kept.examples[0].note.as_deref(), Some("a JSON column"), "{kept:?}");
    lab.assert_converges("fx_json", target, &report);
    let collation: Option<String> = mysql::prelude::Queryable::query_first(
        &mut lab.conn,
        "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'fx_json' AND COLUMN_NAME = 'kept'",
    )
    .unwrap();
    assert_eq!(collation.as_deref(), Some("utf8mb4_bin"));
}

/// Routines, triggers and views are created again with the new collation.
fn programs(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), KEY (a))",
        "CREATE PROCEDURE p (x VARCHAR(10)) BEGIN DECLARE y VARCHAR(10); SET y = x; SELECT COUNT(*) FROM t WHERE a = y; END",
        "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = TRIM(NEW.a); END",
        "CREATE VIEW v AS SELECT CONCAT(a, 'x') AS ax FROM t",
    ];
    lab.schema("fx_programs", "latin1", &statements.map(str::to_owned));
    let report = lab.report("fx_programs", target);
    let finding = found(&report, "programs", "fx_programs");
    assert!(finding.count >= 2, "{}", told(&report));
    lab.assert_converges("fx_programs", target, &report);
}

/// To a character set that lacks characters: rows are refused, and an ENUM is refused or loses its member.
fn narrowed(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE e (id INT PRIMARY KEY, m ENUM('a', 'ж')) CHARACTER SET utf8mb4",
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20)) CHARACTER SET utf8mb4",
        "INSERT INTO t VALUES (1, 'Müller'), (2, 'Жук')",
    ];
    lab.schema("fx_narrowed", "utf8mb4", &statements.map(str::to_owned));
    let report = lab.report("fx_narrowed", "latin1_swedish_ci");
    let lacking = found(&report, "unholdable", "fx_narrowed.t.v");
    assert_eq!((lacking.severity, lacking.count), (Error, 1), "{}", told(&report));
    assert!(lacking.examples[0].note.as_ref().unwrap().contains("U+0416"), "{lacking:?}");
    assert_eq!(found(&report, "members", "fx_narrowed.e.m").severity, Error);
    let refused = lab.run_plan(&report);
    assert!(refused.contains(&("fx_narrowed.t".to_owned(), 1366)), "{refused:?}");
    let members: Option<String> = mysql::prelude::Queryable::query_first(
        &mut lab.conn,
        "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'fx_narrowed' AND COLUMN_NAME = 'm'",
    )
    .unwrap();
    let is_refused = refused.iter().any(|(object, _)| object == "fx_narrowed.e");
    assert!(is_refused || !members.as_ref().unwrap().contains('ж'), "{members:?}");
}

/// Some columns of what belongs together: a FULLTEXT index over two collations, a foreign key of which only one side is converted.
fn partly(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE f (id INT PRIMARY KEY, a VARCHAR(50), b VARCHAR(50), FULLTEXT KEY ab (a, b)) ENGINE=InnoDB",
        "CREATE TABLE p (code VARCHAR(10) PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(10), CONSTRAINT cp FOREIGN KEY (code) REFERENCES p (code))",
    ];
    lab.schema("fx_partly", "latin1", &statements.map(str::to_owned));
    for (column, check, object, codes) in [
        ("f.a", "fulltext", "fx_partly.f", &[1283_u16][..]),
        // As MariaDB, MySQL 8 and MySQL 5.6 say it.
        ("c.code", "foreign-key-partner", "fx_partly.c", &[1005, 3780, 1215]),
    ] {
        let mut options = crate::lab::options(target);
        options.request.columns = vec![column.into()];
        let report =
            lab.report_with("fx_partly", &options, &Default::default(), &preflight::Checkpoint::none()).unwrap();
        let finding = report.findings.iter().find(|finding| finding.check == check);
        let finding = finding.unwrap_or_else(|| panic!("no {check}: {}", told(&report)));
        assert!(finding.severity == Error && finding.object.starts_with(object), "{finding:?}");
        assert!(report.plan.as_ref().unwrap().blocked.contains(&object.to_owned()), "{}", told(&report));
        let refused = lab.run_plan(&report);
        assert!(refused.iter().any(|(of, code)| of == object && codes.contains(code)), "{check}: {refused:?}");
    }
}

#[test]
fn mariadb() {
    let mut lab = all("mariadb", "utf8mb4_unicode_ci");
    json(&mut lab, "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_trixie() {
    let mut lab = all("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
    json(&mut lab, "utf8mb4_uca1400_ai_ci");
}

#[test]
fn mysql() {
    let mut lab = all("mysql@sid", "utf8mb4_0900_ai_ci");
    trailing_spaces(&mut lab);
}

/// PAD SPACE to NO PAD: spaces come to count, and a child parts from its parent.
fn trailing_spaces(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE p (code VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, CONSTRAINT cp FOREIGN KEY (code) REFERENCES p (code))",
        "INSERT INTO p VALUES ('a'), ('b')",
        "INSERT INTO c VALUES (1, 'a'), (2, 'b  ')",
    ];
    lab.schema("fx_padding", "utf8mb4", &statements.map(str::to_owned));
    let report = lab.report("fx_padding", "utf8mb4_0900_ai_ci");
    assert_eq!(found(&report, "trailing-spaces", "fx_padding.c.code").count, 1);
    let lost = found(&report, "foreign-key", "fx_padding.c: cp");
    assert_eq!(
        (lost.severity, lost.count, lost.examples[0].key.as_slice()),
        (Severity::Error, 1, &["2".to_owned()][..])
    );
    let refused = lab.run_plan(&report);
    assert_eq!(refused, [("fx_padding.c".to_owned(), 1452)], "{}", told(&report));
}

/// Old limits: 767 bytes a key part, and a row format that lifts them only where the server is set to it.
#[test]
fn mysql_5_6() {
    let mut lab = Lab::new("mysql@5.6");
    for fixture in FIXTURES.iter().filter(|fixture| !matches!(fixture.name, "generated")) {
        run(&mut lab, "utf8mb4_unicode_ci", fixture);
    }
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255) NOT NULL, UNIQUE KEY u (v))",
        "INSERT INTO t VALUES (1, CONCAT(REPEAT('a', 191), 'b')), (2, CONCAT(REPEAT('a', 191), 'c')), (3, 'other')",
    ];
    lab.schema("fx_shortened", "utf8", &statements.map(str::to_owned));
    let report = lab.report("fx_shortened", "utf8mb4_unicode_ci");
    assert_eq!(found(&report, "key-length", "fx_shortened.t: u").count, 1020);
    let collision = found(&report, "unique-key", "fx_shortened.t: u");
    assert!(collision.count == 1 && collision.what.contains("shortened"), "{collision:?}");
    assert!(lab.run_plan(&report).contains(&("fx_shortened.t".to_owned(), 1062)));
}
