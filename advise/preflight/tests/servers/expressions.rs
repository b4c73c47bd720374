//! Generated columns, expressions and programs that depend on converted columns.

use preflight::{Options, Report, Severity, read_tied_schemas};

use crate::lab::{Lab, describe_report, find_finding, options};
use crate::requests::report_of_schemas;

/// Creates the schema `ex`, and returns its report.
fn report(lab: &mut Lab, charset: &str, statements: &[&str], options: &Options) -> Report {
    let statements: Vec<String> = statements.iter().map(|statement| (*statement).to_owned()).collect();
    lab.schema("ex", charset, &statements);
    lab.report_with("ex", options, &Default::default(), &preflight::Checkpoint::disabled()).unwrap()
}

fn all_columns(target: &str) -> Options {
    let mut options = options(target);
    options.request.all_columns = true;
    options
}

const COARSE_TO_FINE: [(&str, &str); 2] =
    [("mysql@sid", "utf8mb4_0900_as_cs"), ("mariadb@trixie", "utf8mb4_uca1400_as_cs")];

/// Values of generated columns that change with a comparison are counted. Their keys and
/// constraints are checked by a query on the server.
#[test]
fn follows_generated_columns() {
    for (server, target) in COARSE_TO_FINE {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE g (id INT PRIMARY KEY, role VARCHAR(20), a TINYINT AS (role = 'admin') STORED, v TINYINT AS (role = 'admin') VIRTUAL, \
             n INT AS (a + 1) STORED, u VARCHAR(30) AS (UPPER(role)) STORED)",
            "INSERT INTO g (id, role) VALUES (1, 'Admin'), (2, 'admin'), (3, 'ADMIN'), (4, 'x')",
            "CREATE TABLE k (id INT PRIMARY KEY, role VARCHAR(20), pos INT AS (IF(role = 'q', NULL, LOCATE('A', role))) VIRTUAL, UNIQUE KEY u (pos))",
            "INSERT INTO k (id, role) VALUES (1, 'q'), (2, 'xa'), (3, 'yyya')",
            "CREATE TABLE c (id INT PRIMARY KEY, role VARCHAR(20), a TINYINT AS (role = 'admin') STORED, CONSTRAINT ck CHECK (a = 1 OR id < 3))",
            "INSERT INTO c (id, role) VALUES (1, 'x'), (3, 'Admin')",
        ];
        let xpath = "CREATE TABLE x (id INT PRIMARY KEY, doc VARCHAR(90), role VARCHAR(20) AS (EXTRACTVALUE(doc, '//u[@r=\"admin\"]')) STORED, \
                     pos VARCHAR(90) AS (JSON_SEARCH(CONCAT('[\"', doc, '\"]'), 'one', 'admin')) VIRTUAL)";
        let mut statements = statements.to_vec();
        if server.starts_with("mariadb") {
            statements.extend([
                xpath,
                "INSERT INTO x (id, doc) VALUES (1, 'admin'), (2, 'Admin'), (3, '<u r=''Admin''>1</u>')",
            ]);
        }
        let report = report(&mut lab, "utf8mb4 COLLATE utf8mb4_general_ci", &statements, &options(target));
        let of = |check: &str, object: &str| {
            let finding = find_finding(&report, check, object);
            (finding.severity, finding.details.count)
        };
        for column in ["ex.g.a", "ex.g.v", "ex.g.n"] {
            assert_eq!(of("generated-collation", column), (Severity::Warning, 2), "{server} {column}");
        }
        if server.starts_with("mariadb") {
            assert_eq!(of("generated-collation", "ex.x.role"), (Severity::Warning, 1), "{}", describe_report(&report));
            assert_eq!(of("generated-collation", "ex.x.pos"), (Severity::Warning, 1), "{}", describe_report(&report));
        }
        assert!(!report.findings.iter().any(|finding| finding.object.name == "ex.g.u"), "{}", describe_report(&report));
        assert_eq!(of("expression-key", "ex.k: u"), (Severity::Error, 1), "{server}");
        assert_eq!(of("check-constraint", "ex.c"), (Severity::Error, 1), "{server}");
        let refused: Vec<String> = lab.run_plan(&report).into_iter().map(|(object, _)| object).collect();
        assert!(refused.contains(&"ex.k".into()) && refused.contains(&"ex.c".into()), "{server}: {refused:?}");
    }
}

/// A converted column that a comparison computes is judged by its new values, also in the key of a
/// period.
#[test]
fn follows_generated_text_in_keys() {
    for (server, target) in [("mysql@sid", "utf8mb4_0900_ai_ci"), ("mariadb@trixie", "utf8mb4_uca1400_ai_ci")] {
        let mut lab = Lab::new(server);
        let mut statements = vec![
            "CREATE TABLE k (id INT PRIMARY KEY, role VARCHAR(20), tag VARCHAR(20) AS (IF(role = 'admin', 'A', role)) STORED, UNIQUE KEY u (tag))",
            "INSERT INTO k (id, role) VALUES (1, 'admin'), (2, 'Admin'), (3, 'x')",
            "CREATE TABLE f (id INT PRIMARY KEY, role VARCHAR(20), tag VARCHAR(20) AS (CONCAT(role, '!')) STORED, UNIQUE KEY u (tag))",
            "INSERT INTO f (id, role) VALUES (1, 'a'), (2, 'A')",
        ];
        if server.starts_with("mariadb") {
            statements.extend([
                "CREATE TABLE o (id INT PRIMARY KEY, role VARCHAR(20), a INT AS (role = 'q') STORED, s DATE, e DATE, PERIOD FOR p (s, e), \
                 UNIQUE u (a, p WITHOUT OVERLAPS))",
                "INSERT INTO o (id, role, s, e) VALUES (1, 'q', '2025-01-01', '2025-03-01'), (2, 'Q', '2025-02-01', '2025-04-01')",
            ]);
        }
        let report = report(&mut lab, "utf8mb4 COLLATE utf8mb4_bin", &statements, &all_columns(target));
        let count = |check: &str, object: &str| find_finding(&report, check, object).details.count;
        assert_eq!((count("expression-key", "ex.k: u"), count("unique-key", "ex.f: u")), (1, 1), "{server}");
        let mut expected = vec!["ex.f".to_owned(), "ex.k".to_owned()];
        if server.starts_with("mariadb") {
            assert_eq!(count("expression-key", "ex.o: u"), 1, "{}", describe_report(&report));
            expected.push("ex.o".to_owned());
        }
        assert_eq!(report.plan.as_ref().unwrap().blocked, expected, "{}", describe_report(&report));
        let mut refused = lab.run_plan(&report);
        refused.sort();
        assert_eq!(refused, expected.into_iter().map(|table| (table, 1062)).collect::<Vec<_>>(), "{server}");
    }
}

/// Each of 29 columns names the one before twice: written out, the last one has 2²⁹ names.
#[test]
fn asks_nothing_of_columns_that_name_too_many() {
    let mut lab = Lab::new("mysql@sid");
    let columns: String = (1..30).map(|n| format!(", g{n} INT AS (g{0} + g{0})", n - 1)).collect();
    let table = format!(
        "CREATE TABLE d (id INT PRIMARY KEY, s VARCHAR(9), g0 INT AS (LENGTH(s)){columns}, UNIQUE KEY g29 (g29))"
    );
    let report =
        report(&mut lab, "latin1", &[&table, "INSERT INTO d (id, s) VALUES (1, 'a')"], &options("utf8mb4_bin"));
    let unchecked: Vec<_> = report.unchecked.iter().map(|one| format!("{one:?}")).collect();
    assert!(unchecked.iter().any(|one| one.contains("g29")), "{unchecked:?} {}", describe_report(&report));
}

/// In swe7, `Ö` has the byte that ASCII gives the backslash, and `ö` the byte of `|`.
#[test]
fn asks_of_expressions_in_character_sets_with_other_quotes() {
    let mut lab = Lab::new("mysql@8.0");
    let statements = [
        "CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(9), g VARCHAR(20) AS (CONCAT(_swe7 X'5C', LOWER(s), _swe7 X'277C')) STORED, \
         CONSTRAINT ck CHECK (s <> _swe7 X'27'))",
        "INSERT INTO a (id, s) VALUES (1, 'a')",
    ];
    let report = report(&mut lab, "swe7", &statements, &options("utf8mb4_0900_ai_ci"));
    assert!(!report.unchecked.iter().any(|line| line.contains("ex.a")), "{:?}", report.unchecked);
    assert!(!report.findings.iter().any(|finding| finding.check == "generated-values"), "{}", describe_report(&report));
}

/// MySQL prints `_latin1'?'` for literals beyond ASCII, and a MODIFY would store question marks.
#[test]
fn leaves_tables_with_unprintable_literals_out() {
    let mut lab = Lab::new("mysql@sid");
    let statements = [
        "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(10), g VARCHAR(20) AS (CONCAT(v, 'ü')) STORED)",
        "INSERT INTO a (id, v) VALUES (1, 'x')",
        "CREATE TABLE b (id INT PRIMARY KEY, v VARCHAR(10), KEY f ((CONCAT(v, 'é'))))",
        "CREATE TABLE d (id INT PRIMARY KEY, v VARCHAR(10), g VARCHAR(20) AS (CONCAT(v, '?')) STORED)",
        "INSERT INTO d (id, v) VALUES (1, 'x')",
    ];
    let report = report(&mut lab, "latin1", &statements, &options("utf8mb4_0900_ai_ci"));
    assert_eq!(find_finding(&report, "lost-character-rows", "ex.a.g").severity, Severity::Error);
    assert_eq!(find_finding(&report, "lost-character", "ex.b: f").severity, Severity::Error);
    assert!(!report.findings.iter().any(|finding| finding.check == "generated-values"), "{}", describe_report(&report));
    assert_eq!(report.plan.as_ref().unwrap().blocked, ["ex.a", "ex.b"], "{}", describe_report(&report));
}

/// A key WITHOUT OVERLAPS refuses rows whose periods overlap once their names are equal.
#[test]
fn finds_periods_that_overlap() {
    let mut lab = Lab::new("mariadb@trixie");
    let statements = [
        "CREATE TABLE room (id INT PRIMARY KEY, name VARCHAR(20), s DATE, e DATE, PERIOD FOR p (s, e), UNIQUE u (name, p WITHOUT OVERLAPS))",
        "INSERT INTO room VALUES (1, 'Zoe', '2025-01-01', '2025-03-01'), (2, 'zoe', '2025-02-01', '2025-04-01'), \
         (3, 'zoe', '2025-05-01', '2025-06-01'), (4, 'Bob', '2025-01-01', '2025-03-01')",
    ];
    let report = report(&mut lab, "utf8mb4 COLLATE utf8mb4_bin", &statements, &all_columns("utf8mb4_uca1400_ai_ci"));
    let finding = find_finding(&report, "expression-key", "ex.room: u");
    assert_eq!((finding.severity, finding.details.count), (Severity::Error, 1), "{}", describe_report(&report));
    assert_eq!(lab.run_plan(&report), [("ex.room".to_owned(), 1062)]);
}

/// A parameter without a character set gets the schema's new one, which its COLLATE doesn't fit.
#[test]
fn finds_collate_of_parameters() {
    for (server, target) in COARSE_TO_FINE {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))",
            "CREATE FUNCTION f (a VARCHAR(10) CHARSET latin1, b VARCHAR(10)) RETURNS INT DETERMINISTIC RETURN a = b COLLATE latin1_swedish_ci",
            "CREATE FUNCTION g (a VARCHAR(10) CHARSET latin1) RETURNS INT DETERMINISTIC RETURN a = 'x' AND a COLLATE latin1_bin = 'x'",
        ];
        let report = report(&mut lab, "latin1", &statements, &options(target));
        assert_eq!(find_finding(&report, "program-collate", "ex.f").severity, Severity::Error, "{server}");
        assert!(!report.findings.iter().any(|finding| finding.object.name == "ex.g"), "{}", describe_report(&report));
        lab.run_plan(&report);
    }
}

/// Programs and views of any schema that compare converted columns with columns that stay.
#[test]
fn names_programs_that_mix_collations() {
    for (server, target) in [("mysql@sid", "utf8mb4_0900_ai_ci"), ("mariadb@bookworm", "utf8mb4_unicode_ci")] {
        let mut lab = Lab::new(server);
        let other = [
            "CREATE TABLE dict (id INT PRIMARY KEY, title VARCHAR(50))",
            "CREATE TABLE unrelated (id INT PRIMARY KEY, memo VARCHAR(50))",
        ];
        let charset = "utf8mb4 COLLATE utf8mb4_general_ci";
        lab.schema("ex_far", charset, &["CREATE TABLE t (a VARCHAR(9))".to_owned()]);
        lab.schema("ex_other", charset, &other.map(str::to_owned));
        let own = [
            "CREATE TABLE t1 (id INT PRIMARY KEY, name VARCHAR(50), w VARCHAR(50))",
            "CREATE TABLE lg (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(80))",
            "CREATE TRIGGER tr BEFORE INSERT ON t1 FOR EACH ROW BEGIN IF EXISTS (SELECT 1 FROM ex_other.dict d WHERE d.title = NEW.name) \
             THEN INSERT INTO lg (what) VALUES (NEW.name); END IF; END",
            "CREATE TRIGGER fine BEFORE UPDATE ON t1 FOR EACH ROW SET NEW.w = NEW.name",
            "CREATE VIEW v AS SELECT t1.id FROM t1 JOIN ex_other.dict d ON d.title = t1.name",
        ];
        lab.schema("ex", charset, &own.map(str::to_owned));
        let far =
            ["USE ex_other", "CREATE PROCEDURE po () SELECT 1 FROM ex.t1 JOIN dict ON dict.title = t1.name", "USE ex"];
        far.iter().for_each(|sql| mysql::prelude::Queryable::query_drop(&mut lab.conn, sql).unwrap());
        let mut schemas = vec!["ex".to_owned()];
        schemas.extend(read_tied_schemas(&lab.server, &schemas).unwrap().names);
        assert_eq!(schemas, ["ex", "ex_other"]);
        let mut options = options(target);
        options.request.schemas = vec!["ex".into()];
        let report = report_of_schemas(&lab, schemas, &options);
        let found: Vec<&str> = report
            .findings
            .iter()
            .filter(|finding| finding.check == "program-mix")
            .map(|finding| finding.object.name.as_str())
            .collect();
        assert_eq!(found, ["ex.tr", "ex.v", "ex_other.po"], "{server}: {}", describe_report(&report));
    }
}

/// Keys of MEMORY tables take 3072 bytes, and rows of several partition columns are named as
/// unchecked.
#[test]
fn judges_memory_tables_and_names_what_it_can_not_judge() {
    for (server, target) in [("mysql@sid", "utf8mb4_0900_ai_ci"), ("mariadb@bookworm", "utf8mb4_unicode_ci")] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE m (id INT PRIMARY KEY, tok VARCHAR(400), UNIQUE KEY (tok)) ENGINE = MEMORY",
            "CREATE TABLE l (id INT, a VARCHAR(10), b INT, PRIMARY KEY (id, a, b)) PARTITION BY LIST COLUMNS (a, b) \
             (PARTITION p VALUES IN (('a', 1), ('b', 2)))",
            "INSERT INTO l VALUES (1, 'a', 1)",
        ];
        let report = report(&mut lab, "latin1", &statements, &options(target));
        assert!(!report.findings.iter().any(|finding| finding.check == "key-length"), "{}", describe_report(&report));
        assert!(
            report.unchecked.iter().any(|line| line.starts_with("ex.l: rows against its partitions")),
            "{:?}",
            report.unchecked
        );
        assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
        let prefix: Option<Option<u64>> = mysql::prelude::Queryable::query_first(
            &mut lab.conn,
            "SELECT SUB_PART FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'ex' AND INDEX_NAME = 'tok'",
        )
        .unwrap();
        assert_eq!(prefix, Some(None), "{server}");
    }
}

/// The printed trim changes the parent's key, too, which MySQL takes for equal.
#[test]
fn trims_keys_of_parents() {
    let mut lab = Lab::new("mysql@sid");
    let statements = [
        "CREATE TABLE p (code VARCHAR(20) PRIMARY KEY)",
        "CREATE TABLE c (id INT PRIMARY KEY, p VARCHAR(20), FOREIGN KEY (p) REFERENCES p (code) ON UPDATE CASCADE)",
        "INSERT INTO p VALUES ('b ')",
        "INSERT INTO c VALUES (1, 'b')",
    ];
    let report = report(&mut lab, "latin1", &statements, &options("utf8mb4_0900_ai_ci"));
    for statement in &find_finding(&report, "trailing-spaces", "ex.p.code").details.statements {
        mysql::prelude::Queryable::query_drop(&mut lab.conn, statement).unwrap();
    }
    let code: Option<String> =
        mysql::prelude::Queryable::query_first(&mut lab.conn, "SELECT HEX(code) FROM ex.p").unwrap();
    assert_eq!(code.as_deref(), Some("62"));
}

/// MySQL 8.0 stores a view anew with each ALTER, with CONVERT in the join while its sides differ.
#[test]
fn keeps_joins_of_views() {
    let mut lab = Lab::new("mysql@8.0");
    let statements = [
        "CREATE TABLE p (code VARCHAR(20) PRIMARY KEY, v INT)",
        "CREATE TABLE c (id INT PRIMARY KEY, p VARCHAR(20), KEY (p))",
        "SET collation_connection = utf8mb4_0900_ai_ci",
        "CREATE VIEW vv AS SELECT c.id, p.v FROM c JOIN p ON p.code = c.p",
    ];
    let mut options = options("utf8mb4_0900_ai_ci");
    options.request.plan_back = true;
    let report = report(&mut lab, "latin1", &statements, &options);
    let definition = |lab: &Lab| -> String {
        let query = "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'ex'";
        mysql::prelude::Queryable::query_first(&mut lab.server.connect().unwrap(), query).unwrap().unwrap()
    };
    let before = definition(&lab);
    assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
    assert_eq!(definition(&lab), before);
    for step in &report.plan.as_ref().unwrap().back {
        mysql::prelude::Queryable::query_drop(&mut lab.conn, &step.sql).unwrap();
    }
    assert_eq!(definition(&lab), before);
}

/// A COLLATE in the type of a declaration is not reported; each COLLATE on text of the old
/// character set is.
#[test]
fn tells_declared_collations_from_operands() {
    for (server, target) in COARSE_TO_FINE {
        let mut lab = Lab::new(server);
        let table = format!(
            "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), m VARCHAR(9) CHARACTER SET utf8mb3, \
             kept VARCHAR(9) CHARACTER SET utf8mb4 COLLATE {target})"
        );
        // MySQL takes no COLLATE without a character set there (error 1235).
        let of_type = if server.starts_with("mysql") { "CHARACTER SET latin1 COLLATE" } else { "COLLATE" };
        let typed = format!(
            "CREATE PROCEDURE typed () BEGIN DECLARE x TEXT {of_type} latin1_bin; DECLARE y VARCHAR(9) {of_type} latin1_bin; \
             SELECT y COLLATE latin1_general_ci; END"
        );
        let statements = [
            table.as_str(),
            "CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(9), text VARCHAR(9))",
            "CREATE TRIGGER tr BEFORE DELETE ON t FOR EACH ROW SET @x = OLD.m COLLATE utf8mb3_bin = 'x'",
            "CREATE PROCEDURE listed () BEGIN DECLARE a, b VARCHAR(9); SELECT a COLLATE latin1_bin; END",
            "CREATE PROCEDURE joined () SELECT (SELECT t.v FROM t JOIN u USING (id) LIMIT 1) COLLATE latin1_bin",
            "CREATE PROCEDURE words () SELECT id FROM u WHERE id > 0 AND text COLLATE latin1_bin = 'x'",
            typed.as_str(),
            "CREATE PROCEDURE made () BEGIN CREATE TEMPORARY TABLE made (a INT) DEFAULT CHARSET=latin1 COLLATE latin1_bin; \
             DROP TEMPORARY TABLE made; END",
            "CREATE PROCEDURE stays () SELECT id FROM t WHERE KEPT COLLATE latin1_bin = 'x'",
        ];
        let report = report(&mut lab, "latin1", &statements, &options(target));
        let mut found: Vec<(&str, Severity)> = report
            .findings
            .iter()
            .filter(|finding| finding.check == "program-collate")
            .map(|finding| (finding.object.name.as_str(), finding.severity))
            .collect();
        found.sort_unstable();
        let (error, warning) = (Severity::Error, Severity::Warning);
        let expected = [("ex.joined", warning), ("ex.listed", error), ("ex.tr", error), ("ex.words", warning)];
        assert_eq!(found, expected, "{server}: {}", describe_report(&report));
        lab.run_plan(&report);
        for call in ["CALL typed()", "CALL made()"] {
            mysql::prelude::Queryable::query_drop(&mut lab.conn, call)
                .unwrap_or_else(|error| panic!("{server}: {call}: {error}"));
        }
    }
}

/// MySQL names the character set utf8mb3, and takes its collations by their old names.
#[test]
fn old_names_of_utf8mb3_are_its_names() {
    let mut lab = Lab::new("mysql@sid");
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9) CHARACTER SET utf8mb3)",
        "CREATE TRIGGER tr BEFORE DELETE ON t FOR EACH ROW SET @x = OLD.name COLLATE utf8_bin = 'x'",
    ];
    let report = report(&mut lab, "utf8mb4", &statements, &options("utf8mb4_0900_ai_ci"));
    assert_eq!(find_finding(&report, "program-collate", "ex.tr").severity, Severity::Error);
}
