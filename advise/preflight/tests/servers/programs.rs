//! Programs that compare converted columns with text of their own.

use mysql::prelude::Queryable;
use preflight::Severity;

use crate::lab::{Lab, describe_report, find_finding, options};

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
        let report = lab.report("ex", "utf8mb4_unicode_520_ci");
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
        let report = lab.report("ex", target);
        assert_eq!(report.plan.as_ref().unwrap().blocked, ["ex.t"], "{}", describe_report(&report));
        lab.run_plan(&report);
        let refused = lab.conn.query_drop("INSERT INTO t VALUES (2, 'a')");
        assert!(matches!(refused, Err(mysql::Error::MySqlError(error)) if error.code == 1267), "{server}");
        // As the finding says.
        lab.schema("ex", "latin1", &[table.to_owned(), trigger(&format!(" COLLATE {target}"))]);
        let report = lab.report("ex", target);
        assert_eq!(report.plan.as_ref().unwrap().blocked, [""; 0], "{}", describe_report(&report));
        lab.assert_converges("ex", target, &report);
        lab.conn.query_drop("INSERT INTO t VALUES (2, 'a')").unwrap();
    }
}

/// MySQL up to 8.0 writes CONVERT into a view of columns that differ, and again into each new
/// definition of it. The plan creates the view without it once the columns are alike.
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

/// A view of another schema is mended by the statement that its finding prints.
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
