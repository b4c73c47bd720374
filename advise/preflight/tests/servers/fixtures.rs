//! Fixtures: a schema per problem of a conversion, and a clean one.
//!
//! Each schema is converted by its plan. The server refuses what preflight predicted, with the
//! predicted error, and accepts the rest.

use preflight::Severity;

use crate::lab::{Lab, describe_report, find_finding};

/// A schema and the expected results of its conversion.
struct Fixture {
    name: &'static str,
    charset: &'static str,
    statements: &'static [&'static str],
    findings: &'static [ExpectedFinding],
    /// Error code with which the server refuses the conversion. 0: the conversion succeeds.
    refused: u16,
}

struct ExpectedFinding {
    check: &'static str,
    /// Name of the object without its schema.
    object: &'static str,
    severity: Severity,
    count: u64,
}

const fn expect(check: &'static str, object: &'static str, severity: Severity, count: u64) -> ExpectedFinding {
    ExpectedFinding { check, object, severity, count }
}

use Severity::{Error, Note, Warning};

/// Fixtures for all servers, except `generated` on MySQL 5.6. The target is a case-insensitive
/// utf8mb4 collation with ß = ss.
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
        findings: &[expect("unique-key", "t: n", Error, 2)],
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
            expect("unique-key", "t: PRIMARY", Error, 1),
            expect("unique-key", "t: p", Error, 1),
            expect("merges", "t.a", Warning, 3),
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
        findings: &[expect("wide-varchar", "t.v", Error, 20_000)],
        refused: 0,
    },
    Fixture {
        name: "row_size",
        charset: "latin1",
        statements: &["CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9000), b VARCHAR(9000), c VARCHAR(9000))"],
        findings: &[expect("row-size", "t", Error, 108_011)],
        refused: 1118,
    },
    Fixture {
        name: "text_length",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v TINYTEXT)",
            "INSERT INTO t VALUES (1, REPEAT('é', 200)), (2, 'short')",
        ],
        findings: &[expect("text-length", "t.v", Error, 1), expect("widened", "t.v", Note, 1)],
        refused: 0,
    },
    Fixture {
        name: "members",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a', 'A', 'b') CHARACTER SET latin1 COLLATE latin1_general_cs)",
        ],
        findings: &[expect("members", "t.e", Error, 1)],
        refused: 1291,
    },
    Fixture {
        name: "double_encoding",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50))",
            "INSERT INTO t VALUES (1, _latin1 X'4DC3BC6C6C6572'), (2, 'Müller'), (3, 'plain'), (4, _latin1 X'4DC3BC6C6C657220756E6420536368E4666572')",
        ],
        findings: &[expect("double-encoding", "t.v", Warning, 2)],
        refused: 0,
    },
    Fixture {
        name: "serialized",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v TEXT)",
            "INSERT INTO t VALUES (1, 'a:1:{s:4:\"name\";s:3:\"für\";}'), (2, 'a:1:{s:4:\"name\";s:3:\"fur\";}'), (3, 'für'), (4, 'a:1:{s:4:\"name\";s:4:\"für\";}')",
        ],
        findings: &[expect("serialized", "t.v", Warning, 1), expect("widened", "t.v", Note, 1)],
        refused: 0,
    },
    Fixture {
        name: "merges",
        charset: "utf8mb4",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_general_ci, KEY (v)) COLLATE utf8mb4_general_ci",
            "INSERT INTO t VALUES (1, 'Weiß'), (2, 'weiss'), (3, 'WEISS'), (4, 'rot'), (5, 'Rot')",
        ],
        // Rot = rot and ß = s in general_ci already.
        findings: &[expect("merges", "t.v", Warning, 1)],
        refused: 0,
    },
    Fixture {
        name: "separates",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) COLLATE latin1_swedish_ci)",
            "INSERT INTO t VALUES (1, 'müller'), (2, 'myller'), (3, 'Müller')",
        ],
        // y = ü in latin1_swedish_ci.
        findings: &[expect("separates", "t.v", Warning, 1)],
        refused: 0,
    },
    Fixture {
        name: "own_collations",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), code CHAR(8) CHARACTER SET ascii, tag VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin)",
        ],
        findings: &[expect("own-collation", "t", Note, 2)],
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
        findings: &[expect("partition-key", "t", Warning, 3)],
        refused: 0,
    },
    Fixture {
        name: "partition_lists",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (c VARCHAR(10) NOT NULL, n INT, PRIMARY KEY (c)) COLLATE latin1_general_cs \
             PARTITION BY LIST COLUMNS (c) (PARTITION p0 VALUES IN ('a', 'b'), PARTITION p1 VALUES IN ('A'))",
            "INSERT INTO t VALUES ('a', 1), ('b', 2)",
        ],
        findings: &[expect("partition-key", "t", Error, 2)],
        refused: 1495,
    },
    Fixture {
        name: "partition_bounds",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (c VARCHAR(10) NOT NULL, n INT, PRIMARY KEY (c)) COLLATE latin1_general_cs \
             PARTITION BY RANGE COLUMNS (c) (PARTITION p0 VALUES LESS THAN ('A'), PARTITION p1 VALUES LESS THAN ('a'), \
             PARTITION p2 VALUES LESS THAN (MAXVALUE))",
            "INSERT INTO t VALUES ('b', 2)",
        ],
        findings: &[expect("partition-key", "t", Error, 3)],
        refused: 1493,
    },
    Fixture {
        name: "partition_constants",
        charset: "latin1",
        statements: &[
            "CREATE TABLE t (c VARCHAR(10) NOT NULL, n INT, PRIMARY KEY (c)) COLLATE latin1_general_cs \
             PARTITION BY LIST COLUMNS (c) (PARTITION p0 VALUES IN ('a', 'b'), PARTITION p1 VALUES IN ('c'))",
            "INSERT INTO t VALUES ('a', 1), ('b', 2)",
        ],
        findings: &[expect("partition-key", "t", Warning, 2)],
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

fn run_fixture(lab: &mut Lab, target: &str, fixture: &Fixture) {
    let schema = format!("fx_{}", fixture.name);
    let statements: Vec<String> = fixture.statements.iter().map(|statement| (*statement).to_owned()).collect();
    lab.schema(&schema, fixture.charset, &statements);
    let mut options = crate::lab::options(target);
    options.request.all_columns = matches!(fixture.name, "collisions" | "composite");
    let report = lab.report_with(&schema, &options, &Default::default(), &preflight::Checkpoint::disabled()).unwrap();
    let label = lab.server.label().to_owned();
    for ExpectedFinding { check, object, severity, count } in fixture.findings {
        let finding = find_finding(&report, check, &format!("{schema}.{object}"));
        assert_eq!(
            (finding.severity, finding.details.count),
            (*severity, *count),
            "{label} {schema}: {}",
            describe_report(&report)
        );
    }
    // Further findings of the expected checks are allowed.
    let expected: Vec<&str> = fixture.findings.iter().map(|expected| expected.check).collect();
    let others: Vec<_> = report.findings.iter().filter(|finding| !expected.contains(&finding.check.as_str())).collect();
    assert!(others.is_empty(), "{label} {schema}: {others:#?}");
    let plan = report.plan.as_ref().unwrap();
    assert_eq!(plan.blocked.is_empty(), fixture.refused == 0, "{label} {schema}: {}", describe_report(&report));
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

fn run_fixtures(server: &str, target: &str) -> Lab {
    let mut lab = Lab::new(server);
    for fixture in FIXTURES {
        run_fixture(&mut lab, target, fixture);
    }
    test_programs(&mut lab, target);
    test_collate_index(&mut lab, target);
    test_narrower_charset(&mut lab);
    test_partial_conversion(&mut lab, target);
    test_warnings(&mut lab, target);
    lab
}

/// Checks warnings about tools, backups and replicas, which this test can't run.
fn test_warnings(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE plain (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_general_ci)",
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin, UNIQUE KEY u (v))",
        "INSERT INTO t VALUES (1, 'a'), (2, 'A')",
    ];
    lab.schema("fx_warned", "utf8mb4", &statements.map(str::to_owned));
    let mut options = crate::lab::options(target);
    options.request.all_columns = true;
    let report =
        lab.report_with("fx_warned", &options, &Default::default(), &preflight::Checkpoint::disabled()).unwrap();
    let plan = report.plan.as_ref().unwrap();
    let tools = |table: &str| plan.tools.iter().find(|tools| tools.table == table).unwrap().warnings.join("\n");
    for warning in ["INSERT IGNORE", "--panic-on-warnings", "#1636", "#1568"] {
        assert!(tools("fx_warned.t").contains(warning), "{warning}: {}", describe_report(&report));
        assert!(!tools("fx_warned.plain").contains(warning), "{warning}: {}", describe_report(&report));
    }
    let advice = plan.advice.join("\n");
    for warning in ["mysqldump --default-character-set=utf8mb4", "MySQL bug 47673", "SET NAMES utf8mb4"] {
        assert!(advice.contains(warning), "{warning}: {}", describe_report(&report));
    }
    let is_new_id = lab.server.flavour() == server::Flavour::MySql && target.contains("_0900_");
    assert_eq!(advice.contains("MySQL bug 116834"), is_new_id, "{}", describe_report(&report));
}

/// Checks that the plan keeps the collation of MariaDB's JSON columns.
fn test_json_columns(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), kept JSON)",
        "INSERT INTO t VALUES (1, 'Zoë', '{\"a\": 1}')",
    ];
    lab.schema("fx_json", "latin1", &statements.map(str::to_owned));
    let report = lab.report("fx_json", target);
    let kept = find_finding(&report, "own-collation", "fx_json.t");
    assert_eq!(kept.details.examples[0].note.as_deref(), Some("a JSON column"), "{kept:?}");
    lab.assert_converges("fx_json", target, &report);
    let collation: Option<String> = mysql::prelude::Queryable::query_first(
        &mut lab.conn,
        "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'fx_json' AND COLUMN_NAME = 'kept'",
    )
    .unwrap();
    assert_eq!(collation.as_deref(), Some("utf8mb4_bin"));
}

/// Checks that routines, triggers and views are created again with the new collation.
fn test_programs(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), KEY (a))",
        "CREATE PROCEDURE p (x VARCHAR(10)) BEGIN DECLARE y VARCHAR(10); SET y = x; SELECT COUNT(*) FROM t WHERE a = y; END",
        "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = TRIM(NEW.a); END",
        "CREATE VIEW v AS SELECT CONCAT(a, 'x') AS ax FROM t",
    ];
    lab.schema("fx_programs", "latin1", &statements.map(str::to_owned));
    let report = lab.report("fx_programs", target);
    let finding = find_finding(&report, "programs", "fx_programs");
    assert!(finding.details.count >= 2, "{}", describe_report(&report));
    lab.assert_converges("fx_programs", target, &report);
}

/// Checks a view with a COLLATE that uses an index before the plan, and not after it.
fn test_collate_index(lab: &mut Lab, target: &str) {
    let general = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
    let statements = [
        format!("CREATE TABLE c (id INT AUTO_INCREMENT PRIMARY KEY, code VARCHAR(20) {general}, KEY k (code))"),
        "CREATE TABLE o (id INT PRIMARY KEY, code VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci)"
            .to_owned(),
        "INSERT INTO o VALUES (1, 'c1'), (2, 'c2')".to_owned(),
        format!("INSERT INTO c (code) VALUES {}", ["('c1')"; 300].join(", ")),
        "UPDATE c SET code = CONCAT('c', id)".to_owned(),
        "CREATE VIEW v AS SELECT STRAIGHT_JOIN o.id, c.id AS c FROM o JOIN c ON c.code = o.code COLLATE utf8mb4_general_ci"
            .to_owned(),
        "CREATE VIEW sorted AS SELECT code COLLATE utf8mb4_general_ci AS code FROM c".to_owned(),
    ];
    lab.schema("fx_collate_index", "utf8mb4", &statements);
    let looks_up = |lab: &mut Lab| {
        let plan: Vec<mysql::Row> = mysql::prelude::Queryable::query(
            &mut lab.conn,
            "EXPLAIN FORMAT=TRADITIONAL SELECT * FROM fx_collate_index.v",
        )
        .unwrap();
        plan.iter().any(|line| line.get::<Option<String>, _>("type").unwrap().as_deref() == Some("ref"))
    };
    assert!(looks_up(lab));
    let report = lab.report("fx_collate_index", target);
    let found: Vec<_> = report.findings.iter().filter(|finding| finding.check == "collate-index").collect();
    assert_eq!(found.len(), 1, "{}", describe_report(&report));
    assert_eq!((found[0].object.name.as_str(), found[0].severity), ("fx_collate_index.v", Warning));
    assert!(found[0].what.contains("the index fx_collate_index.c: k"), "{:?}", found[0]);
    assert_eq!(lab.run_plan(&report), []);
    assert!(!looks_up(lab));
}

/// Checks a conversion to a character set that lacks characters.
fn test_narrower_charset(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE e (id INT PRIMARY KEY, m ENUM('a', 'ж')) CHARACTER SET utf8mb4",
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20)) CHARACTER SET utf8mb4",
        "INSERT INTO t VALUES (1, 'Müller'), (2, 'Жук')",
    ];
    lab.schema("fx_narrowed", "utf8mb4", &statements.map(str::to_owned));
    let report = lab.report("fx_narrowed", "latin1_swedish_ci");
    let unholdable = find_finding(&report, "unholdable", "fx_narrowed.t.v");
    assert_eq!((unholdable.severity, unholdable.details.count), (Error, 1), "{}", describe_report(&report));
    assert!(unholdable.details.examples[0].note.as_ref().unwrap().contains("U+0416"), "{unholdable:?}");
    assert_eq!(find_finding(&report, "members", "fx_narrowed.e.m").severity, Error);
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

/// Checks conversions of one column of a FULLTEXT index and of one side of a foreign key.
fn test_partial_conversion(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE f (id INT PRIMARY KEY, a VARCHAR(50), b VARCHAR(50), FULLTEXT KEY ab (a, b)) ENGINE=InnoDB",
        "CREATE TABLE p (code VARCHAR(10) PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(10), CONSTRAINT cp FOREIGN KEY (code) REFERENCES p (code))",
    ];
    lab.schema("fx_partly", "latin1", &statements.map(str::to_owned));
    for (column, check, object, codes) in [
        ("f.a", "fulltext", "fx_partly.f", &[1283_u16][..]),
        // MariaDB, MySQL 8 and MySQL 5.6.
        ("c.code", "foreign-key-partner", "fx_partly.c", &[1005, 3780, 1215]),
    ] {
        let mut options = crate::lab::options(target);
        options.request.columns = vec![column.into()];
        let report =
            lab.report_with("fx_partly", &options, &Default::default(), &preflight::Checkpoint::disabled()).unwrap();
        let finding = report.findings.iter().find(|finding| finding.check == check);
        let finding = finding.unwrap_or_else(|| panic!("no {check}: {}", describe_report(&report)));
        assert!(finding.severity == Error && finding.object.name.starts_with(object), "{finding:?}");
        assert!(report.plan.as_ref().unwrap().blocked.contains(&object.to_owned()), "{}", describe_report(&report));
        let refused = lab.run_plan(&report);
        assert!(refused.iter().any(|(of, code)| of == object && codes.contains(code)), "{check}: {refused:?}");
    }
}

#[test]
fn mariadb() {
    let mut lab = run_fixtures("mariadb", "utf8mb4_unicode_ci");
    test_json_columns(&mut lab, "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_trixie() {
    let mut lab = run_fixtures("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
    test_json_columns(&mut lab, "utf8mb4_uca1400_ai_ci");
}

#[test]
fn mysql() {
    let mut lab = run_fixtures("mysql@sid", "utf8mb4_0900_ai_ci");
    test_trailing_spaces(&mut lab);
}

/// Checks PAD SPACE to NO PAD: trailing spaces become significant, and a child loses its parent.
fn test_trailing_spaces(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE p (code VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, CONSTRAINT cp FOREIGN KEY (code) REFERENCES p (code))",
        "INSERT INTO p VALUES ('a'), ('b')",
        "INSERT INTO c VALUES (1, 'a'), (2, 'b  ')",
    ];
    lab.schema("fx_padding", "utf8mb4", &statements.map(str::to_owned));
    let report = lab.report("fx_padding", "utf8mb4_0900_ai_ci");
    assert_eq!(find_finding(&report, "trailing-spaces", "fx_padding.c.code").details.count, 1);
    let lost = find_finding(&report, "foreign-key", "fx_padding.c: cp");
    assert_eq!(
        (lost.severity, lost.details.count, lost.details.examples[0].key.as_slice()),
        (Severity::Error, 1, &["2".to_owned()][..])
    );
    let refused = lab.run_plan(&report);
    assert_eq!(refused, [("fx_padding.c".to_owned(), 1452)], "{}", describe_report(&report));
    let wide = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET ucs2, b VARCHAR(9) CHARACTER SET utf16le)",
        "INSERT INTO t VALUES (1, 'a†', 'b'), (2, 'aĠ', 'b  ')",
    ];
    lab.schema("fx_wide_padding", "utf8mb4", &wide.map(str::to_owned));
    let report = lab.report("fx_wide_padding", "utf8mb4_0900_ai_ci");
    assert_eq!(find_finding(&report, "trailing-spaces", "fx_wide_padding.t.b").details.count, 1);
    assert!(!report.findings.iter().any(|finding| finding.object.name == "fx_wide_padding.t.a"));
}

/// Runs the fixtures, and checks the limit of 767 bytes per key part.
#[test]
fn mysql_5_6() {
    let mut lab = Lab::new("mysql@5.6");
    for fixture in FIXTURES.iter().filter(|fixture| !matches!(fixture.name, "generated")) {
        run_fixture(&mut lab, "utf8mb4_unicode_ci", fixture);
    }
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(255) NOT NULL, UNIQUE KEY u (v))",
        "INSERT INTO t VALUES (1, CONCAT(REPEAT('a', 191), 'b')), (2, CONCAT(REPEAT('a', 191), 'c')), (3, 'other')",
    ];
    lab.schema("fx_shortened", "utf8", &statements.map(str::to_owned));
    let report = lab.report("fx_shortened", "utf8mb4_unicode_ci");
    let shortened = find_finding(&report, "key-length", "fx_shortened.t: u");
    assert_eq!((shortened.severity, shortened.details.count, shortened.details.in_plan), (Warning, 1020, false));
    assert!(shortened.what.contains("shortens it to v(191)"), "{shortened:?}");
    let collision = find_finding(&report, "unique-key", "fx_shortened.t: u");
    assert!(collision.details.count == 1 && collision.what.contains("shortened"), "{collision:?}");
    assert!(lab.run_plan(&report).contains(&("fx_shortened.t".to_owned(), 1062)));
}
