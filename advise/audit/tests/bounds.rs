//! What one schema costs the audit of others: limits of work, counted on real servers.

mod support;

use audit::{AuditInput, CHECKS, Request, Selection, Statement, gather};
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
    let request = Request { schemas: Vec::new(), target: None, statements, sample: 0, limits: Limits::default() };
    gather(server, &[], request, &Selection::named(CHECKS, &[check]), &NoProgress).unwrap()
}

/// Returns what was not seen, each with its reason.
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
            unseen.iter().any(|one| one.contains("view v.many_clauses") && one.contains("the first 50")),
            "{name}: {unseen:?}"
        );
        assert!(
            unseen.iter().any(|one| one.contains("view v.long_text") && one.contains("64 KiB")),
            "{name}: {unseen:?}"
        );
        let count = count_statements(&mut conn) - before;
        // Two for each conversion: EXPLAIN and SHOW WARNINGS.
        assert!(count < 500, "{name}: {count} statements");
        server.stop().unwrap();
    }
}
