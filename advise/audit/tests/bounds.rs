//! Limits of an audit's work, on real servers.

mod support;

use audit::{AuditInput, CHECKS, Request, Selection, Severity, Statement, gather, run};
use facts::Limits;
use mysql::prelude::Queryable;
use server::{Conn, NoProgress, Server};
use support::start_private;

fn execute(conn: &mut Conn, statements: &str) {
    for text in statements.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        conn.query_drop(text).unwrap_or_else(|error| panic!("{text:.200}: {error}"));
    }
}

fn gather_all(server: &Server, check: &str, statements: Vec<Statement>) -> AuditInput {
    let limits = Limits::default();
    let request = Request { schemas: Vec::new(), target: None, statements, sample: 0, limits, source: Vec::new() };
    gather(server, &[], request, &Selection::named(CHECKS, &[check]), &NoProgress).unwrap()
}

/// Returns the objects that were not read, with the reasons.
fn unseen(input: &AuditInput) -> Vec<String> {
    input.unseen.iter().map(|unseen| format!("{}: {}", unseen.what, unseen.why)).collect()
}

/// Number of statements that the server has run.
fn count_statements(conn: &mut Conn) -> u64 {
    let (_, count): (String, u64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Questions'").unwrap().unwrap();
    count
}

#[test]
fn conversions_of_views_are_bounded() {
    for name in ["mariadb", "mysql@sid"] {
        let server = start_private(name, &[]);
        let mut conn = server.connect().unwrap();
        execute(
            &mut conn,
            "CREATE DATABASE v; USE v; CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) COLLATE utf8mb4_general_ci, KEY (a)) CHARACTER SET utf8mb4",
        );
        for (view, count) in [("many_clauses", 400), ("long_text", 3000), ("few_clauses", 1)] {
            let clauses = vec!["a COLLATE utf8mb4_bin"; count].join(", ");
            execute(&mut conn, &format!("CREATE VIEW {view} AS SELECT id FROM t WHERE COALESCE({clauses}, 'y') = 'x'"));
        }
        let before = count_statements(&mut conn);
        let input = gather_all(&server, "view-index", Vec::new());
        let unseen = unseen(&input);
        assert_eq!(unseen.len(), 2, "{name}: {unseen:?}");
        assert!(
            unseen.iter().any(|one| one.contains("view v.many_clauses") && one.contains("conversions; the first 50")),
            "{name}: {unseen:?}"
        );
        assert!(
            unseen
                .iter()
                .any(|one| one.contains("view v.long_text") && one.contains("bytes; texts of up to 65,536 are")),
            "{name}: {unseen:?}"
        );
        let count = count_statements(&mut conn) - before;
        // Two for each conversion: EXPLAIN and SHOW WARNINGS.
        assert!(count < 500, "{name}: {count} statements");
        server.stop().unwrap();
    }
}

/// Two tables whose indexed columns have the names of columns in twelve latin1 tables: 1,440 joins.
fn many_joins() -> String {
    let columns = |rest: &str| (0..60).map(|at| format!("k{at} VARCHAR(9){rest}")).collect::<Vec<_>>().join(", ");
    let keys: Vec<String> = (0..60).map(|at| format!("KEY (k{at})")).collect();
    let mut text = "CREATE DATABASE aaa; USE aaa;".to_owned();
    for at in 0..2 {
        text += &format!("CREATE TABLE i{at} ({}, {}) CHARACTER SET utf8mb4;", columns(""), keys.join(", "));
    }
    for at in 0..12 {
        text += &format!("CREATE TABLE l{at} ({}) CHARACTER SET latin1;", columns(""));
    }
    text
}

#[test]
fn a_large_schema_hides_no_joins_of_others() {
    for name in ["mariadb", "mysql@sid"] {
        let server = start_private(name, &[]);
        let mut conn = server.connect().unwrap();
        execute(&mut conn, &many_joins());
        execute(
            &mut conn,
            "CREATE DATABASE shop; USE shop;
            CREATE TABLE a (x VARCHAR(9) COLLATE utf8mb4_general_ci, y VARCHAR(9), KEY (x), KEY (y)) CHARACTER SET utf8mb4;
            CREATE TABLE b (x VARCHAR(9) COLLATE utf8mb4_unicode_ci, y VARCHAR(9) CHARACTER SET latin1, KEY (x), KEY (y)) CHARACTER SET utf8mb4",
        );
        let input = gather_all(&server, "join-mismatch", Vec::new());
        let unseen = unseen(&input);
        assert_eq!(unseen.len(), 1, "{name}: {unseen:?}");
        assert!(unseen[0].contains("in schema aaa") && !unseen[0].contains("shop"), "{name}: {unseen:?}");
        let audit = run(&input, &Selection::named(CHECKS, &["join-mismatch"]), Severity::Warning, "test");
        let found: Vec<String> = audit.findings.iter().map(|one| format!("{} {}", one.severity, one.object)).collect();
        for expected in ["error columns shop.a.x = shop.b.x", "warning columns shop.a.y = shop.b.y"] {
            assert!(found.iter().any(|one| one == expected), "{name}: {expected} is not in {found:?}");
        }
        let refused = conn.query_drop("SELECT 1 FROM shop.a JOIN shop.b ON a.x = b.x");
        assert!(refused.unwrap_err().to_string().contains("1267"), "{name}");
        server.stop().unwrap();
    }
}

#[test]
fn a_log_of_one_schema_hides_no_statements_of_others() {
    let server = start_private("mariadb", &[]);
    let mut conn = server.connect().unwrap();
    execute(&mut conn, "CREATE DATABASE aaa; CREATE TABLE aaa.t (a INT); CREATE DATABASE shop; USE shop;
        CREATE TABLE t (x VARCHAR(9) COLLATE utf8mb4_general_ci, y VARCHAR(9) COLLATE utf8mb4_unicode_ci) CHARACTER SET utf8mb4");
    let statement = |at: usize, schema: &str, text: String| Statement {
        place: format!("slow.log:{at}"),
        text,
        schema: Some(schema.to_owned()),
    };
    let mut statements: Vec<Statement> =
        (0..1100).map(|at| statement(at, "aaa", format!("SELECT a AS a{at} FROM t"))).collect();
    statements.push(statement(1100, "shop", "SELECT 1 FROM t WHERE x = y".into()));
    let input = gather_all(&server, "statement-plan", statements);
    let unseen = unseen(&input);
    assert_eq!(unseen.len(), 1, "{unseen:?}");
    assert!(unseen[0].starts_with("plans of 101 statements in schema aaa"), "{unseen:?}");
    assert!(input.statement_plans.iter().any(|plan| plan.statement == 1100 && plan.refused.is_some()));
    server.stop().unwrap();
}
