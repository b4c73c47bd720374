//! Rows of many columns at InnoDB's limit of half a page: predicted from definitions alone, and
//! converted by the server.

use mysql::prelude::Queryable;
use preflight::{Checkpoint, Phase, ReadOptions, Severity};

use crate::lab::{Lab, describe_report, options};

/// Type of a table's columns, and its row format.
const COLUMNS: [(&str, &str); 14] = [
    ("VARCHAR(10)", "DYNAMIC"),
    ("VARCHAR(20)", "DYNAMIC"),
    ("VARCHAR(20) NOT NULL", "DYNAMIC"),
    ("VARCHAR(63)", "DYNAMIC"),
    ("CHAR(30)", "DYNAMIC"),
    ("TEXT", "DYNAMIC"),
    ("VARCHAR(10)", "COMPACT"),
    ("VARCHAR(20)", "COMPACT"),
    ("VARCHAR(200)", "COMPACT"),
    ("CHAR(30)", "COMPACT"),
    ("TEXT NOT NULL", "COMPACT"),
    ("VARCHAR(20)", "REDUNDANT"),
    ("CHAR(30)", "REDUNDANT"),
    ("TEXT", "REDUNDANT"),
];

const SCHEMA: &str = "fx_pages";

fn create_sql(name: &str, count: usize, (column, format): (&str, &str), charset: &str) -> String {
    let columns: String = (0..count).map(|at| format!(", c{at} {column}")).collect();
    format!("CREATE TABLE {name} (id INT PRIMARY KEY{columns}) CHARACTER SET {charset} ROW_FORMAT={format}")
}

/// Returns the largest number of columns in utf8mb4 that the server takes.
fn max_columns(lab: &mut Lab, columns: (&str, &str)) -> usize {
    let (mut fits, mut too_many) = (0, 500);
    while fits + 1 < too_many {
        let count = usize::midpoint(fits, too_many);
        match lab.conn.query_drop(create_sql("probe", count, columns, "utf8mb4")) {
            Ok(()) => fits = count,
            Err(mysql::Error::MySqlError(error)) if error.code == 1118 => too_many = count,
            Err(error) => panic!("{}: {error}", lab.server.label()),
        }
        lab.conn.query_drop("DROP TABLE IF EXISTS probe").unwrap();
    }
    fits
}

fn predicts_refusals(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    lab.schema(SCHEMA, "latin1", &[]);
    let mut expected = Vec::new();
    for (at, columns) in COLUMNS.into_iter().enumerate() {
        let count = max_columns(&mut lab, columns);
        for (name, count) in [(format!("fits{at}"), count), (format!("long{at}"), count + 1)] {
            // A TEXT takes as much of its page in latin1, so strict mode would refuse these tables.
            lab.conn.query_drop("SET SESSION innodb_strict_mode = OFF").unwrap();
            lab.conn.query_drop(create_sql(&name, count, columns, "latin1")).unwrap();
            lab.conn.query_drop("SET SESSION innodb_strict_mode = ON").unwrap();
        }
        expected.push(format!("{SCHEMA}.long{at}"));
    }
    let mut options = options(target);
    options.read_rows = false;
    let report = lab.report_with(SCHEMA, &options, &ReadOptions::default(), &Checkpoint::disabled()).unwrap();
    let is_refused = |finding: &&preflight::Finding| finding.check == "row-size" && finding.severity == Severity::Error;
    let mut found: Vec<&str> =
        report.findings.iter().filter(is_refused).map(|finding| finding.object.name.as_str()).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{server}");
    for step in report.plan.as_ref().unwrap().steps.iter().filter(|step| step.phase == Phase::Convert) {
        match lab.conn.query_drop(&step.sql) {
            Ok(()) => assert!(!step.blocked, "{server} {}", step.object),
            Err(mysql::Error::MySqlError(error)) => {
                assert!(step.blocked && error.code == 1118, "{server} {}: {error}", step.object);
            }
            Err(error) => panic!("{}: {error}", step.sql),
        }
    }
}

#[test]
fn mysql_5_7() {
    predicts_refusals("mysql@5.7", "utf8mb4_unicode_ci");
}

#[test]
fn mysql() {
    predicts_refusals("mysql@sid", "utf8mb4_0900_ai_ci");
}

#[test]
fn mariadb_trixie() {
    predicts_refusals("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
}

/// MariaDB converts from utf8mb3 without a look at rows or their size, and then refuses long rows.
#[test]
fn instant_conversions_are_warned_of() {
    let mut lab = Lab::new("mariadb@trixie");
    let create = create_sql("t", 200, ("VARCHAR(13)", "DYNAMIC"), "utf8mb3");
    lab.schema(SCHEMA, "utf8mb3", &[create]);
    let report = lab.report(SCHEMA, "utf8mb4_uca1400_ai_ci");
    let found: Vec<_> = report.findings.iter().filter(|finding| finding.check == "row-size").collect();
    assert_eq!(found.iter().map(|finding| finding.severity).collect::<Vec<_>>(), [Severity::Warning]);
    assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
    let values = ["REPEAT('\u{1F600}', 13)"; 200].join(", ");
    let refused = lab.conn.query_drop(format!("INSERT INTO t VALUES (1, {values})")).unwrap_err().to_string();
    assert!(refused.contains("1118"), "{refused}");
}

/// A VARCHAR that becomes MEDIUMTEXT counts as a MEDIUMTEXT.
#[test]
fn measures_rows_with_varchars_that_become_mediumtext() {
    for (server, target) in [("mariadb@trixie", "utf8mb4_uca1400_ai_ci"), ("mysql@sid", "utf8mb4_0900_ai_ci")] {
        let mut lab = Lab::new(server);
        let create = |name: &str, length: usize| {
            format!("CREATE TABLE {name} (a VARCHAR(20000), b VARCHAR({length}), c VARCHAR({length}))")
        };
        lab.schema(SCHEMA, "latin1", &[create("fits", 8_000), create("wide", 12_000)]);
        let report = lab.report(SCHEMA, target);
        let found: Vec<(&str, u64)> = report
            .findings
            .iter()
            .filter(|finding| finding.check == "row-size")
            .map(|finding| (finding.object.name.as_str(), finding.details.count))
            .collect();
        assert_eq!(found, [("fx_pages.wide", 11 + 2 * (4 * 12_000 + 2) + 1)], "{server}");
        let refused = lab.run_plan(&report);
        assert_eq!(refused, [("fx_pages.wide".to_owned(), 1118)], "{server} {}", describe_report(&report));
    }
}
