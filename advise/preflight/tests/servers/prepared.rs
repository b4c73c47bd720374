//! Statements that programs run by PREPARE and EXECUTE IMMEDIATE.

use preflight::Severity;

use crate::lab::{Lab, describe_report};
use crate::programs::{error_of, found_by, of_schema, run_unblocked};

/// Statements that a program puts together when it runs are listed as not checked.
#[test]
fn lists_statements_that_programs_put_together() {
    let mut lab = Lab::new("mariadb");
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))",
        "CREATE PROCEDURE built (x VARCHAR(20)) EXECUTE IMMEDIATE CONCAT('SELECT * FROM ', x)",
        "CREATE PROCEDURE fixed () EXECUTE IMMEDIATE 'SELECT * FROM t'",
    ];
    lab.schema("ex", "latin1", &statements.map(str::to_owned));
    let report = lab.rehearsed_report_with("ex", &of_schema("ex", "utf8mb4_unicode_ci"));
    let lines: Vec<&String> = report.unchecked.iter().filter(|line| line.contains("prepared statements")).collect();
    assert!(lines.len() == 1 && lines[0].contains("routine ex.built: "), "{:?}", report.unchecked);
}

/// Literal statements are read as the body is.
#[test]
fn prepared_literals_are_checked() {
    for server in ["mysql@8.0", "mariadb@bookworm"] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))",
            "CREATE PROCEDURE sorted () BEGIN PREPARE s FROM 'SELECT id FROM t ORDER BY name COLLATE latin1_german1_ci'; \
             EXECUTE s; END",
            "CREATE PROCEDURE hashed () BEGIN SET @q = 'SELECT MD5(name) FROM t WHERE id > ?', @id = 0; PREPARE s FROM @q; \
             EXECUTE s USING @id; END",
        ];
        lab.schema("ex", "latin1", &statements.map(str::to_owned));
        assert_eq!(error_of(&mut lab, "CALL sorted()"), 0);
        let report = lab.report("ex", "utf8mb4_unicode_ci");
        for (check, object) in [("program-collate", "ex.sorted"), ("byte-functions", "ex.hashed")] {
            let expected = [(object.to_owned(), Severity::Warning)];
            assert_eq!(found_by(&report, check), expected, "{server}: {}", describe_report(&report));
        }
        run_unblocked(&mut lab, &report);
        assert_eq!(error_of(&mut lab, "CALL sorted()"), 1253, "{server}");

        let statements = [
            "CREATE TABLE c (id INT PRIMARY KEY, code VARCHAR(20), KEY k (code)) COLLATE utf8mb4_general_ci",
            "CREATE PROCEDURE look () BEGIN PREPARE s FROM 'SELECT id FROM c WHERE code = ''x'' COLLATE utf8mb4_general_ci'; \
             EXECUTE s; END",
        ];
        lab.schema("indexed", "utf8mb4", &statements.map(str::to_owned));
        let report = lab.report("indexed", "utf8mb4_unicode_ci");
        let expected = [("indexed.look".to_owned(), Severity::Warning)];
        assert_eq!(found_by(&report, "collate-index"), expected, "{server}: {}", describe_report(&report));
    }
}
