//! Programs that compare converted columns with text of their own.

use mysql::prelude::Queryable;
use preflight::{Options, Report, Severity};

use crate::lab::{Lab, describe_report, find_finding, options};

/// Returns the objects and severities of a check's findings.
pub fn found_by(report: &Report, check: &str) -> Vec<(String, Severity)> {
    let of_check = report.findings.iter().filter(|finding| finding.check == check);
    let mut found: Vec<_> = of_check.map(|finding| (finding.object.name.clone(), finding.severity)).collect();
    found.sort();
    found
}

/// Runs the steps that the plan doesn't block. All must be taken.
pub fn run_unblocked(lab: &mut Lab, report: &Report) {
    for step in report.plan.iter().flat_map(|plan| &plan.steps).filter(|step| !step.blocked) {
        lab.conn.query_drop(&step.sql).unwrap_or_else(|error| panic!("{}: {error}", step.sql));
    }
}

/// Runs a statement. Returns the error code, 0 without an error.
pub fn error_of(lab: &mut Lab, statement: &str) -> u16 {
    match lab.conn.query::<mysql::Row, _>(statement) {
        Ok(_) => 0,
        Err(mysql::Error::MySqlError(refusal)) => refusal.code,
        Err(error) => panic!("{statement}: {error}"),
    }
}

/// Servers with a target that is not the default collation of utf8mb4.
const TARGETS: [(&str, &str); 2] = [("mysql@8.0", "utf8mb4_unicode_ci"), ("mariadb@bookworm", "utf8mb4_unicode_ci")];

pub fn of_schema(schema: &str, target: &str) -> Options {
    let mut options = options(target);
    options.request.schemas = vec![schema.into()];
    options
}

/// Programs are named exactly if the server refuses them after the plan with error 1267. The target
/// is no server's default of utf8mb4.
#[test]
fn names_programs_that_fail_with_their_own_text() {
    for server in ["mysql@5.6", "mysql@sid", "mariadb@bookworm", "mariadb@trixie"] {
        let mut lab = Lab::new(server);
        let count = "SELECT COUNT(*) FROM t WHERE";
        let programs = [
            (
                "declared",
                "",
                format!("BEGIN DECLARE v VARCHAR(20) CHARACTER SET utf8mb4; SET v = 'a'; {count} name = v; END"),
            ),
            (
                "parameter",
                "v VARCHAR(20) CHARSET utf8mb4",
                format!("{count} UPPER(x.name) = v").replace(" t ", " t AS x "),
            ),
            ("collated", "v TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", format!("{count} v LIKE t.name")),
            ("literal", "", format!("{count} name = CONVERT('a' USING utf8mb4)")),
            ("casted", "", format!("{count} name IN (TRIM(CAST('a' AS CHAR(20) CHARACTER SET utf8mb4)))")),
            ("assigned", "v VARCHAR(20) CHARACTER SET utf8mb4", "UPDATE t SET name = v WHERE id = 9".to_owned()),
            (
                "explicit",
                "v VARCHAR(20) CHARACTER SET utf8mb4",
                format!("{count} name = v COLLATE utf8mb4_unicode_520_ci"),
            ),
            ("plain", "v VARCHAR(20)", format!("{count} name = v OR name = CAST('a' AS CHAR)")),
            ("binary_text", "v VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", format!("{count} name = v")),
            (
                "temporary",
                "",
                "BEGIN CREATE TEMPORARY TABLE w (a VARCHAR(9)) CHARSET=utf8mb4; SELECT COUNT(*) FROM w JOIN t ON w.a = t.name; END".to_owned(),
            ),
        ];
        let mut statements = vec!["CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))".to_owned()];
        statements.extend(
            programs.iter().map(|(name, parameters, body)| format!("CREATE PROCEDURE {name} ({parameters}) {body}")),
        );
        lab.schema("ex", "latin1", &statements);
        let run = |lab: &mut Lab, name: &str, parameters: &str| {
            let argument = if parameters.is_empty() { "" } else { "'a'" };
            let _ = lab.conn.query_drop("DROP TEMPORARY TABLE IF EXISTS w");
            match lab.conn.query_drop(format!("CALL {name}({argument})")) {
                Ok(()) => 0,
                Err(mysql::Error::MySqlError(refusal)) => refusal.code,
                Err(error) => panic!("{name}: {error}"),
            }
        };
        for (name, parameters, _) in &programs {
            assert_eq!(run(&mut lab, name, parameters), 0, "{server} {name}");
        }
        let report = lab.rehearsed_report_with("ex", &options("utf8mb4_unicode_520_ci"));
        assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
        for (name, parameters, _) in &programs {
            let is_named = report.findings.iter().any(|finding| {
                finding.check == "program-mix"
                    && finding.severity == Severity::Warning
                    && finding.object.name == format!("ex.{name}")
            });
            let expected = if is_named { 1267 } else { 0 };
            assert_eq!(run(&mut lab, name, parameters), expected, "{server} {name}: {}", describe_report(&report));
        }
        let named = report.findings.iter().filter(|finding| finding.check == "program-mix").count();
        assert_eq!(named, if server == "mariadb@trixie" { 4 } else { 6 }, "{}", describe_report(&report));
    }
}

/// A trigger that would fail at each INSERT keeps its table out of the plan.
#[test]
fn leaves_tables_of_failing_triggers_out() {
    for server in ["mysql@sid", "mariadb@trixie"] {
        let mut lab = Lab::new(server);
        let trigger = |collate: &str| {
            format!(
                "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW BEGIN DECLARE v VARCHAR(9) CHARACTER SET utf8mb4 DEFAULT 'x'; \
                 IF NEW.name = v{collate} THEN SET NEW.id = 1; END IF; END"
            )
        };
        let table = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))";
        lab.schema("ex", "latin1", &[table.to_owned(), trigger("")]);
        let target = "utf8mb4_unicode_520_ci";
        let report = lab.rehearsed_report_with("ex", &options(target));
        assert_eq!(report.plan.as_ref().unwrap().blocked, ["ex.t"], "{}", describe_report(&report));
        lab.run_plan(&report);
        let refused = lab.conn.query_drop("INSERT INTO t VALUES (2, 'a')");
        assert!(matches!(refused, Err(mysql::Error::MySqlError(error)) if error.code == 1267), "{server}");
        // As the finding says.
        lab.schema("ex", "latin1", &[table.to_owned(), trigger(&format!(" COLLATE {target}"))]);
        let report = lab.rehearsed_report_with("ex", &options(target));
        assert_eq!(report.plan.as_ref().unwrap().blocked, [""; 0], "{}", describe_report(&report));
        lab.assert_converges("ex", target, &report);
        lab.conn.query_drop("INSERT INTO t VALUES (2, 'a')").unwrap();
    }
}

/// MySQL up to 8.0 writes CONVERT into a view of columns that differ, and again into each new
/// definition of it. The plan creates the view without it after the columns have the same
/// collation.
#[test]
fn views_lose_the_conversions_that_the_server_wrote() {
    for server in ["mysql@5.6", "mysql@8.0", "mysql@sid", "mariadb@10.1"] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE l (id INT PRIMARY KEY, code VARCHAR(20), KEY (code)) CHARACTER SET latin1",
            "CREATE TABLE u (id INT PRIMARY KEY, code VARCHAR(20), KEY (code)) CHARACTER SET utf8mb4",
            "SET collation_connection = utf8mb4_unicode_520_ci",
            "CREATE VIEW v AS SELECT a.id, u.code FROM l a JOIN u ON a.code = u.code WHERE LOWER(a.code) <> CONCAT(u.code, 'x')",
            "CREATE VIEW w AS SELECT CONCAT(l.code, u.code) AS c, CONVERT(l.id USING utf8mb4) AS i FROM l, u",
            "INSERT INTO l VALUES (1, 'a')",
            "INSERT INTO u VALUES (1, 'A')",
        ];
        lab.schema("ex", "utf8mb4 COLLATE utf8mb4_unicode_520_ci", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("ex", &options("utf8mb4_unicode_520_ci"));
        let of_views = |finding: &&preflight::Finding| ["ex.v", "ex.w"].contains(&finding.object.name.as_str());
        assert_eq!(report.findings.iter().find(of_views), None, "{server}: {}", describe_report(&report));
        assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
        let rows: Vec<(u64, String)> = lab.conn.query("SELECT id, code FROM ex.v").unwrap();
        assert_eq!(rows, [(1, "A".to_owned())], "{server}");
        let texts: Vec<String> = lab
            .conn
            .query("SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'ex' ORDER BY TABLE_NAME")
            .unwrap();
        assert!(!texts[0].contains("convert(") && texts[1].matches("convert(").count() == 1, "{server}: {texts:?}");
    }
}

/// The server writes `convert(… using utf8)` for columns of utf8mb3, and the plan makes all utf8mb4.
#[test]
fn views_lose_conversions_to_a_character_set_that_goes() {
    for server in ["mysql@5.6", "mysql@8.0"] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE l (id INT PRIMARY KEY, code VARCHAR(20), KEY (code)) CHARACTER SET latin1",
            "CREATE TABLE u (id INT PRIMARY KEY, code VARCHAR(20), KEY (code)) CHARACTER SET utf8",
            "CREATE VIEW v AS SELECT l.id, u.code FROM l JOIN u ON l.code = u.code",
            "INSERT INTO l VALUES (1, 'a')",
            "INSERT INTO u VALUES (1, 'A')",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("ex", &of_schema("ex", "utf8mb4_unicode_ci"));
        assert_eq!(report.plan.as_ref().unwrap().blocked, [""; 0], "{server}: {}", describe_report(&report));
        assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
        let rows: Vec<(u64, String)> = lab.conn.query("SELECT id, code FROM ex.v").unwrap();
        assert_eq!(rows, [(1, "A".to_owned())], "{server}");
        let text: String = lab
            .conn
            .query_first("SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'ex'")
            .unwrap()
            .unwrap();
        assert!(!text.contains("convert("), "{server}: {text}");
    }
}

/// A view of another schema is fixed by the statement that its finding prints.
#[test]
fn broken_views_of_other_schemas_are_mended_after_the_plan() {
    let mut lab = Lab::new("mysql@5.7");
    let statements = [
        "CREATE TABLE l (id INT PRIMARY KEY, code VARCHAR(20)) CHARACTER SET latin1",
        "CREATE TABLE u (id INT PRIMARY KEY, code VARCHAR(20)) CHARACTER SET utf8mb4",
    ];
    lab.schema("ex", "utf8mb4", &statements.map(str::to_owned));
    let view = "CREATE VIEW v AS SELECT l.id FROM ex.l JOIN ex.u ON l.code = u.code";
    lab.schema("ex_far", "utf8mb4", &[view.to_owned()]);
    let mut options = options("utf8mb4_unicode_520_ci");
    options.request.schemas = vec!["ex".into()];
    let report = lab.rehearsed_report_of(&["ex", "ex_far"], &options);
    let finding = find_finding(&report, "rehearsal", "ex_far.v");
    assert_eq!(finding.severity, Severity::Warning, "{}", describe_report(&report));
    assert_eq!(report.plan.as_ref().unwrap().blocked, [""; 0], "{}", describe_report(&report));
    assert_eq!(lab.run_plan(&report), []);
    assert!(lab.conn.query_drop("SELECT * FROM ex_far.v").is_err());
    finding.details.statements.iter().for_each(|statement| lab.conn.query_drop(statement).unwrap());
    lab.conn.query_drop("SELECT * FROM ex_far.v").unwrap();
}

/// A routine of another schema has parameters and variables in that schema's collation.
#[test]
fn names_programs_of_other_schemas() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        let table = "CREATE TABLE customers (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL, KEY (code))";
        lab.schema("ex", "latin1", &[table.to_owned(), "INSERT INTO customers VALUES (1, 'A')".into()]);
        let far = [
            "CREATE PROCEDURE by_code (p VARCHAR(20)) SELECT * FROM ex.customers WHERE code = p",
            "CREATE FUNCTION find (p VARCHAR(20)) RETURNS INT READS SQL DATA RETURN (SELECT id FROM ex.customers WHERE code = p)",
            "CREATE PROCEDURE by_variable () BEGIN DECLARE v VARCHAR(20) DEFAULT 'A'; SELECT * FROM ex.customers WHERE code = v; END",
            "CREATE PROCEDURE by_prepared () BEGIN SET @p = 'A'; \
             PREPARE s FROM 'SELECT * FROM ex.customers WHERE code = CONVERT(? USING utf8mb4)'; EXECUTE s USING @p; END",
            "CREATE PROCEDURE fits (p VARCHAR(20)) SELECT * FROM ex.customers WHERE id = p OR code = 'x'",
        ];
        lab.schema("ex_far", "utf8mb4 COLLATE utf8mb4_spanish_ci", &far.map(str::to_owned));
        let calls = [
            ("by_code", "CALL ex_far.by_code('A')"),
            ("by_prepared", "CALL ex_far.by_prepared()"),
            ("by_variable", "CALL ex_far.by_variable()"),
            ("find", "SELECT ex_far.find('A')"),
        ];
        assert!(calls.iter().all(|(_, call)| error_of(&mut lab, call) == 0), "{server}");
        let report = lab.rehearsed_report_of(&["ex", "ex_far"], &of_schema("ex", target));
        let expected = calls.map(|(name, _)| (format!("ex_far.{name}"), Severity::Warning));
        assert_eq!(found_by(&report, "program-mix"), expected, "{server}: {}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        for (name, call) in calls {
            assert_eq!(error_of(&mut lab, call), 1267, "{server} {name}");
        }
        // As the finding says.
        let action = &find_finding(&report, "program-mix", "ex_far.by_code").action;
        assert!(action.contains("convert ex_far in the same run (--schema)"), "{action}");
    }
}

/// Literals and user variables of a program keep the collation of its creator.
#[test]
fn names_programs_that_compare_with_texts_of_their_creator() {
    for (server, target) in [("mysql@sid", "utf8mb4_unicode_ci"), ("mariadb", "utf8mb4_unicode_ci")] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE t (id INT PRIMARY KEY, mail VARCHAR(20))",
            "CREATE FUNCTION part (s VARCHAR(50)) RETURNS VARCHAR(50) DETERMINISTIC RETURN SUBSTRING_INDEX(s, '|', 1)",
        ];
        lab.schema("ex", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
        let far = [
            "SET collation_connection = utf8mb4_general_ci",
            "CREATE PROCEDURE by_result (s VARCHAR(50)) SELECT ex.part(s) = '9'",
            "CREATE PROCEDURE by_user () BEGIN SET @x = 'a'; SELECT * FROM ex.t WHERE mail = @x; END",
            "CREATE PROCEDURE fits (s VARCHAR(50)) BEGIN SET @x = 5; SELECT * FROM ex.t WHERE mail = '9' OR id = @x; END",
        ];
        lab.schema("ex_far", "utf8mb4 COLLATE utf8mb4_general_ci", &far.map(str::to_owned));
        let calls = [("by_result", "CALL ex_far.by_result('9')"), ("by_user", "CALL ex_far.by_user()")];
        assert!(calls.iter().all(|(_, call)| error_of(&mut lab, call) == 0), "{server}");
        let report = lab.rehearsed_report_of(&["ex", "ex_far"], &of_schema("ex", target));
        let expected = calls.map(|(name, _)| (format!("ex_far.{name}"), Severity::Warning));
        assert_eq!(found_by(&report, "program-mix"), expected, "{server}: {}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        for (name, call) in calls {
            assert_eq!(error_of(&mut lab, call), 1267, "{server} {name}");
        }
        assert_eq!(error_of(&mut lab, "CALL ex_far.fits('9')"), 0, "{server}");
    }
}

/// Columns of information_schema stay, whatever the parameters become.
#[test]
fn names_programs_that_compare_with_tables_of_the_server() {
    let mut lab = Lab::new("mariadb");
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))",
        "CREATE PROCEDURE table_exists (p VARCHAR(64)) SELECT COUNT(*) FROM information_schema.tables WHERE table_name = p",
    ];
    lab.schema("ex", "utf8", &statements.map(str::to_owned));
    assert_eq!(error_of(&mut lab, "CALL ex.table_exists('a')"), 0);
    let report = lab.rehearsed_report_with("ex", &of_schema("ex", "utf8mb3_unicode_ci"));
    let expected = [("ex.table_exists".to_owned(), Severity::Warning)];
    assert_eq!(found_by(&report, "program-mix"), expected, "{}", describe_report(&report));
    run_unblocked(&mut lab, &report);
    assert_eq!(error_of(&mut lab, "CALL ex.table_exists('a')"), 1267);
}

/// With --table, the schema keeps its default, and programs get it again.
#[test]
fn names_programs_that_fail_beside_single_tables() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE a (id INT PRIMARY KEY, name VARCHAR(20), KEY (name))",
            "CREATE PROCEDURE p (x VARCHAR(20)) SELECT * FROM a WHERE name = x",
            "CREATE TRIGGER ta BEFORE INSERT ON a FOR EACH ROW BEGIN DECLARE v VARCHAR(20) DEFAULT 'bad'; \
             IF NEW.name = v THEN SET NEW.name = 'good'; END IF; END",
        ];
        for column in [false, true] {
            lab.schema("ex", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
            let mut options = of_schema("ex", target);
            match column {
                true => options.request.columns = vec!["a.name".into()],
                false => options.request.tables = vec!["a".into()],
            }
            let report = lab.rehearsed_report_with("ex", &options);
            let found = found_by(&report, "program-mix");
            assert_eq!(found, [("ex.ta".to_owned(), Severity::Error)], "{server}: {}", describe_report(&report));
            let action = &find_finding(&report, "program-mix", "ex.ta").action;
            assert!(action.contains("convert the whole of ex, without --table and --column"), "{action}");
            run_unblocked(&mut lab, &report);
            assert_eq!(error_of(&mut lab, "CALL p('x')"), 0, "{server}");
            assert_eq!(error_of(&mut lab, "INSERT INTO a VALUES (3, 'x')"), 0, "{server}");
        }
        // As the finding says.
        lab.schema("ex", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("ex", &of_schema("ex", target));
        assert_eq!(found_by(&report, "program-mix"), [], "{server}: {}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        assert_eq!(error_of(&mut lab, "CALL p('x')") + error_of(&mut lab, "INSERT INTO a VALUES (3, 'x')"), 0);
    }
}

/// An error keeps the programs of a schema as they are. Tables whose triggers and views would fail
/// then stay, too, and the other programs are named.
#[test]
fn errors_keep_tables_of_programs_that_are_left_out() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE a (id INT PRIMARY KEY, name VARCHAR(20), KEY (name))",
            "CREATE TABLE b (id INT PRIMARY KEY, code VARCHAR(20) UNIQUE)",
            "CREATE TABLE c (id INT PRIMARY KEY, name VARCHAR(20))",
            "INSERT INTO a VALUES (1, 'x'), (2, 'y')",
            "INSERT INTO b VALUES (1, 'ss'), (2, 'ß')",
            "CREATE PROCEDURE p (x VARCHAR(20)) SELECT * FROM c WHERE name = x",
            "CREATE TRIGGER ta BEFORE INSERT ON a FOR EACH ROW BEGIN DECLARE v VARCHAR(20) DEFAULT 'bad'; \
             IF NEW.name = v THEN SET NEW.name = 'good'; END IF; END",
            "CREATE TRIGGER tb BEFORE UPDATE ON a FOR EACH ROW BEGIN IF EXISTS (SELECT 1 FROM b WHERE code = NEW.name) \
             THEN SET NEW.name = 'dup'; END IF; END",
            "CREATE VIEW v AS SELECT a.id FROM a JOIN b ON b.code = a.name",
        ];
        lab.schema("ex", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("ex", &of_schema("ex", target));
        let plan = report.plan.as_ref().unwrap();
        let converts = |table: &str| {
            plan.steps.iter().any(|step| step.object == table && !step.blocked && step.sql.contains("MODIFY"))
        };
        assert_eq!(["ex.a", "ex.b", "ex.c"].map(converts), [false, false, true], "{}", describe_report(&report));
        let of_program = find_finding(&report, "program-mix", "ex.p");
        assert!(of_program.action.contains("don't run the rest of the plan before"), "{}", of_program.action);
        let programs = find_finding(&report, "programs", "ex");
        assert!(!programs.details.in_plan && programs.action.contains("must not run"), "{}", programs.action);
        assert!(plan.leaves_programs_behind());
        run_unblocked(&mut lab, &report);
        for statement in ["INSERT INTO a VALUES (3, 'z')", "UPDATE a SET name = 'w' WHERE id = 1", "SELECT * FROM v"] {
            assert_eq!(error_of(&mut lab, statement), 0, "{server}: {statement}");
        }
        assert_eq!(error_of(&mut lab, "CALL p('x')"), 1267, "{server}");
        // Without the error, all are converted.
        lab.schema("ex", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
        lab.conn.query_drop("DELETE FROM b WHERE id = 2").unwrap();
        let report = lab.rehearsed_report_with("ex", &of_schema("ex", target));
        assert_eq!(found_by(&report, "program-mix"), [], "{server}: {}", describe_report(&report));
        assert!(find_finding(&report, "programs", "ex").details.in_plan);
        run_unblocked(&mut lab, &report);
        for statement in
            ["INSERT INTO a VALUES (3, 'z')", "UPDATE a SET name = 'w' WHERE id = 1", "SELECT * FROM v", "CALL p('x')"]
        {
            assert_eq!(error_of(&mut lab, statement), 0, "{server}: {statement}");
        }
    }
}

/// A view that the server refuses to create again, or to open, keeps its tables out of the plan.
#[test]
fn tables_of_broken_views_are_left_out() {
    // MySQL 8.0 writes CONVERT into the view, and takes it after the plan.
    for (server, target) in [("mysql@sid", "utf8mb4_unicode_ci"), TARGETS[1]] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE cu (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, KEY (name))",
            "CREATE TABLE other (id INT PRIMARY KEY, name VARCHAR(20))",
            "INSERT INTO cu VALUES (1, 'A')",
            "CREATE VIEW w AS SELECT * FROM cu WHERE name = CAST('A' AS CHAR(9) CHARACTER SET utf8mb4)",
            "CREATE VIEW x AS SELECT id FROM w",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        let far = "CREATE VIEW far AS SELECT * FROM ex.other WHERE name = CAST('A' AS CHAR(9) CHARACTER SET utf8mb4)";
        lab.schema("ex_far", "utf8mb4", &[far.to_owned()]);
        let report = lab.rehearsed_report_of(&["ex", "ex_far"], &of_schema("ex", target));
        for view in ["ex.w", "ex_far.far"] {
            let of_view: Vec<_> = report.findings.iter().filter(|finding| finding.object.name == view).collect();
            assert_eq!(of_view.len(), 1, "{server} {view}: {}", describe_report(&report));
            assert_eq!((of_view[0].severity, of_view[0].object.kind), (Severity::Error, preflight::ObjectKind::View));
        }
        run_unblocked(&mut lab, &report);
        for view in ["ex.w", "ex.x", "ex_far.far"] {
            assert_eq!(error_of(&mut lab, &format!("SELECT * FROM {view}")), 0, "{server} {view}");
        }
    }
}

/// A server drops an event whose time is over as soon as it is created.
#[test]
fn events_whose_time_is_over_stay() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE w (id INT PRIMARY KEY, note VARCHAR(50))",
            "CREATE EVENT at_once ON SCHEDULE AT CURRENT_TIMESTAMP + INTERVAL 1 SECOND DISABLE DO UPDATE w SET note = 'x'",
            "CREATE EVENT ended ON SCHEDULE EVERY 1 DAY STARTS CURRENT_TIMESTAMP ENDS CURRENT_TIMESTAMP + INTERVAL 1 SECOND \
             DISABLE DO UPDATE w SET note = 'y'",
            "CREATE EVENT goes_on ON SCHEDULE EVERY 1 DAY ENDS CURRENT_TIMESTAMP + INTERVAL 1 YEAR DO UPDATE w SET note = 'y'",
            "CREATE EVENT kept ON SCHEDULE AT CURRENT_TIMESTAMP + INTERVAL 1 SECOND ON COMPLETION PRESERVE DISABLE DO UPDATE w SET note = 'x'",
            "DO SLEEP(2)",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("ex", &of_schema("ex", target));
        let of_events: Vec<(String, Severity)> =
            found_by(&report, "programs").into_iter().filter(|(name, _)| name != "ex").collect();
        let expected = ["ex.at_once", "ex.ended"].map(|name| (name.to_owned(), Severity::Warning));
        assert_eq!(of_events, expected, "{server}: {}", describe_report(&report));
        assert_eq!(report.unchecked, [""; 0], "{server}");
        assert!(report.plan.as_ref().unwrap().rehearsal.is_some(), "{}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        let query = "SELECT CONCAT(EVENT_NAME, ' ', DATABASE_COLLATION) FROM information_schema.EVENTS \
                     WHERE EVENT_SCHEMA = 'ex' ORDER BY 1";
        let events: Vec<String> = lab.conn.query(query).unwrap();
        let (new, old) = (target, "latin1_swedish_ci");
        let expected = [("at_once", old), ("ended", old), ("goes_on", new), ("kept", new)];
        assert_eq!(events, expected.map(|(name, collation)| format!("{name} {collation}")), "{server}");
    }
}

/// Programs and views that hash converted text, or text that they are given.
#[test]
fn finds_programs_of_bytes() {
    for (server, target) in [("mysql@8.0", "utf8mb4_0900_ai_ci"), ("mariadb@bookworm", "utf8mb4_unicode_ci")] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE u (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(30), h CHAR(64), UNIQUE KEY (h))",
            "CREATE TRIGGER tb BEFORE INSERT ON u FOR EACH ROW SET NEW.h = SHA2(NEW.name, 256)",
            "INSERT INTO u (name) VALUES ('Müller'), ('abc')",
            "CREATE VIEW bad AS SELECT id, name FROM u WHERE h <> SHA2(name, 256)",
            "CREATE PROCEDURE find (p VARCHAR(30)) SELECT id, name FROM u WHERE h = SHA2(p, 256)",
            "CREATE PROCEDURE kept (p VARCHAR(30)) SELECT id, name FROM u WHERE h = SHA2(CONVERT(p USING latin1), 256)",
            "CREATE FUNCTION len (p VARCHAR(30)) RETURNS INT DETERMINISTIC RETURN LENGTH(p)",
            "CREATE VIEW opened AS SELECT id, AES_DECRYPT(name, 'k') AS n FROM u",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        let found = |lab: &mut Lab, call: &str| lab.conn.query::<mysql::Row, _>(call).unwrap().len();
        assert_eq!(["find", "kept"].map(|name| found(&mut lab, &format!("CALL {name}('Müller')"))), [1, 1]);
        let report = lab.report("ex", target);
        let warned = ["ex.bad", "ex.find", "ex.opened", "ex.tb"].map(|name| (name.to_owned(), Severity::Warning));
        let mut expected = warned.to_vec();
        expected.push(("ex.len".to_owned(), Severity::Note));
        expected.sort();
        assert_eq!(found_by(&report, "byte-functions"), expected, "{server}: {}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        let calls = ["find", "kept"].map(|name| found(&mut lab, &format!("CALL {name}('Müller')")));
        assert_eq!((calls, found(&mut lab, "SELECT * FROM bad")), ([0, 1], 1), "{server}");
    }
}

/// Parameters, variables and columns of logs that keep the old character set refuse new characters.
#[test]
fn names_programs_that_keep_the_old_character_set() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        lab.schema(
            "ex_log",
            "latin1",
            &["CREATE TABLE audit (id INT AUTO_INCREMENT PRIMARY KEY, who VARCHAR(40))".into()],
        );
        let statements = [
            "CREATE TABLE cust (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20))",
            "CREATE TABLE own_log (id INT AUTO_INCREMENT PRIMARY KEY, who VARCHAR(40))",
            "INSERT INTO cust (name) VALUES ('Müller')",
            "CREATE TRIGGER ti AFTER UPDATE ON cust FOR EACH ROW INSERT INTO ex_log.audit (who) VALUES (CONCAT(OLD.name, NEW.name))",
            "CREATE TRIGGER tj AFTER INSERT ON cust FOR EACH ROW INSERT INTO own_log (who) VALUES (NEW.name)",
            "CREATE PROCEDURE ren (i INT, n VARCHAR(20) CHARACTER SET latin1) UPDATE cust SET name = n WHERE id = i",
            "CREATE PROCEDURE ren_new (i INT, n VARCHAR(20)) UPDATE cust SET name = n WHERE id = i",
            "CREATE PROCEDURE other (n VARCHAR(20) CHARACTER SET latin1) SELECT n",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_of(&["ex", "ex_log"], &of_schema("ex", target));
        let expected = ["ex.ren", "ex.ti"].map(|name| (name.to_owned(), Severity::Warning));
        assert_eq!(found_by(&report, "program-mix"), expected, "{server}: {}", describe_report(&report));
        run_unblocked(&mut lab, &report);
        lab.conn.query_drop("SET SESSION sql_mode = 'STRICT_ALL_TABLES'").unwrap();
        lab.conn.query_drop("USE ex").unwrap();
        assert_eq!(error_of(&mut lab, "CALL ren(1, '日本')"), 1366, "{server}");
        assert_eq!(error_of(&mut lab, "CALL ren_new(1, '日本')"), 1366, "{server}: the trigger");
        assert_eq!(error_of(&mut lab, "INSERT INTO cust (name) VALUES ('日本')"), 0, "{server}");
    }
}

/// Grants on packages are put back under the mode in which the server reads them.
#[test]
fn grants_on_packages_are_put_back() {
    let mut lab = Lab::new("mariadb@bookworm");
    lab.conn.query_drop("CREATE USER teller@localhost").unwrap();
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
        "SET SESSION sql_mode = 'ORACLE'",
        "CREATE PACKAGE pk AS FUNCTION f (x VARCHAR(9)) RETURN INT; END",
        "CREATE PACKAGE BODY pk AS FUNCTION f (x VARCHAR(9)) RETURN INT AS BEGIN RETURN 1; END; END",
        "GRANT EXECUTE ON PACKAGE ex.pk TO teller@localhost",
        "SET SESSION sql_mode = DEFAULT",
    ];
    lab.schema("ex", "latin1", &statements.map(str::to_owned));
    let report = lab.rehearsed_report_with("ex", &of_schema("ex", "utf8mb4_unicode_ci"));
    let put_back = &report.plan.as_ref().unwrap().put_back;
    assert!(put_back.iter().any(|step| step.sql.starts_with("GRANT ")), "{}", describe_report(&report));
    for statement in ["SET SESSION sql_mode = 'ORACLE'", "DROP PACKAGE ex.pk", "SET SESSION sql_mode = DEFAULT"] {
        lab.conn.query_drop(statement).unwrap();
    }
    for step in put_back {
        lab.conn.query_drop(&step.sql).unwrap_or_else(|error| panic!("{}: {error}", step.sql));
    }
    let grants: Option<u32> = lab.conn.query_first("SELECT COUNT(*) FROM mysql.procs_priv WHERE Db = 'ex'").unwrap();
    assert_eq!(grants, Some(1));
}

/// An account that may read some columns only gets no clean report.
#[test]
fn tables_with_hidden_columns_are_named() {
    for (server, target) in TARGETS {
        let mut lab = Lab::new(server);
        lab.schema(
            "ex",
            "latin1",
            &["CREATE TABLE secret (id INT PRIMARY KEY, pub VARCHAR(9), token VARCHAR(9))".into()],
        );
        for statement in ["CREATE USER lim@localhost", "GRANT SELECT (id, pub) ON ex.secret TO lim@localhost"] {
            lab.conn.query_drop(statement).unwrap();
        }
        let limited = crate::requests::open_as(&lab, "lim");
        let own = std::mem::replace(&mut lab.server, limited);
        let report = lab.report("ex", target);
        let finding = find_finding(&report, "unreadable", "ex.secret");
        assert!(finding.action.contains("GRANT SELECT ON `ex`.`secret`"), "{finding:?}");
        assert_eq!(finding.severity, Severity::Warning, "{server}");
        lab.server = own;
    }
}
