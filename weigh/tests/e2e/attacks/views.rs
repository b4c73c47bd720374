//! Views of strangers. MariaDB evaluates constant arguments as it opens or creates a view, and so
//! runs functions of the view's owner with the rights of the account that opens it.

use std::fs;

use mysql::prelude::Queryable;

use super::weigh;
use crate::attach::Foreign;
use crate::workspace::{Finished, Workspace};

/// A function with `SQL SECURITY INVOKER`, as the stranger defines it.
fn function(name: &str, body: &str) -> String {
    format!(
        "CREATE DEFINER=low@localhost FUNCTION {name}() RETURNS INT DETERMINISTIC SQL SECURITY INVOKER \
         BEGIN {body}; RETURN 1; END"
    )
}

/// A server with the table `victim.secret`, which no test may change, and seven views in the schema
/// of the account `low`. Three change data or settings by a function, one takes a lock, one reads
/// another view, two are harmless.
fn start(spec: &str) -> Foreign {
    let server = Foreign::start(spec);
    for statement in [
        "CREATE DATABASE victim",
        "CREATE TABLE victim.secret (a INT)",
        "INSERT INTO victim.secret VALUES (42)",
        "CREATE DATABASE evil CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "CREATE TABLE evil.t (id INT PRIMARY KEY, s VARCHAR(9) CHARACTER SET latin1, \
         x VARCHAR(9) CHARACTER SET latin1, KEY (s))",
        "INSERT INTO evil.t VALUES (1, 'a', 'c'), (2, 'b', 'd')",
        "CREATE USER low@localhost",
        "GRANT ALL ON evil.* TO low@localhost",
        "GRANT SELECT, SHOW VIEW, PROCESS ON *.* TO reader@localhost",
        "CREATE DEFINER=root@localhost FUNCTION evil.d() RETURNS INT DETERMINISTIC SQL SECURITY DEFINER RETURN 1",
        "CREATE DEFINER=low@localhost FUNCTION evil.e() RETURNS INT DETERMINISTIC SQL SECURITY DEFINER \
         BEGIN SET SESSION sql_select_limit = 0; RETURN 1; END",
        &function("evil.f", "SET @a = 1"),
        &function("evil.g", "SET @a = 1"),
        "CREATE SQL SECURITY INVOKER VIEW evil.settings AS SELECT SUBSTR('abc', evil.f()) AS r, s FROM evil.t",
        "CREATE SQL SECURITY INVOKER VIEW evil.a_first AS SELECT r, s FROM evil.settings",
        "CREATE SQL SECURITY INVOKER VIEW evil.writes AS SELECT SUBSTR('abc', evil.g()) AS r, s FROM evil.t",
        "CREATE VIEW evil.harmless AS SELECT SUBSTR('abc', evil.d()) AS r, s FROM evil.t",
        "CREATE VIEW evil.limits AS SELECT SUBSTR('abc', evil.e()) AS r, s FROM evil.t",
        "CREATE VIEW evil.locks AS SELECT SUBSTR('abc', GET_LOCK('x', 0)) AS r, s FROM evil.t",
        "CREATE VIEW evil.plain AS SELECT s FROM evil.t",
        "DROP FUNCTION evil.f",
        "DROP FUNCTION evil.g",
        // An INVOKER function has the rights of its caller.
        &function("evil.f", "SET SESSION TRANSACTION READ WRITE; SET GLOBAL max_connections = 55"),
        &function("evil.g", "SET SESSION TRANSACTION READ WRITE; UPDATE victim.secret SET a = 666"),
    ] {
        server.run(statement);
    }
    server
}

fn secret(server: &Foreign) -> u64 {
    server.hold_session("SET @a = 1").query_first("SELECT a FROM victim.secret").unwrap().unwrap()
}

/// Returns the queries of `information_schema.columns` at the end of a plan.
fn queries_of_information_schema(plan: &str) -> Vec<&str> {
    let queries: Vec<&str> =
        plan.split(";\n").filter(|text| text.contains("FROM information_schema.columns")).collect();
    assert!(!queries.is_empty(), "{plan}");
    queries.into_iter().map(|text| &text[text.find("SELECT table_schema").unwrap()..]).collect()
}

fn unseen(audited: &Finished) -> String {
    let document: serde_json::Value = serde_json::from_str(&audited.stdout).unwrap_or_else(|_| panic!("{audited}"));
    document["unseen"].to_string()
}

#[test]
fn views_of_running_servers_are_not_opened_where_they_run_functions() {
    for spec in ["mariadb@11.4", "mariadb@10.1"] {
        let server = start(spec);
        let limit = server.variable("max_connections");
        server.run("SHOW FIELDS FROM evil.a_first");
        server.run("SHOW CREATE VIEW evil.writes");
        assert_eq!((server.variable("max_connections"), secret(&server)), (55, 666), "{spec}: the attack works");
        server.run(&format!("SET GLOBAL max_connections = {limit}"));
        server.run("UPDATE victim.secret SET a = 42");

        let workspace = Workspace::new();
        fs::write(workspace.root().join("app.sql"), "SELECT s FROM evil.t WHERE s = 'a';\n").unwrap();
        let socket = format!("--socket={}", server.socket().display());
        let account = format!("u=root,S={}", server.socket().display());
        let check = |finished: &Finished, what: &str| {
            let found = (server.variable("max_connections"), secret(&server));
            assert_eq!(found, (limit, 42), "{spec}: {what}: {finished}");
        };
        let run = |words: &[&str]| {
            let finished = weigh(&workspace, &[&words[..1], &["-uroot", &socket], &words[1..]].concat());
            check(&finished, words[0]);
            finished
        };

        let audited = run(&["audit", "--format=json"]);
        let listed = unseen(&audited);
        assert!(
            listed.contains("columns of views: evil.a_first, evil.limits, evil.locks, evil.settings, evil.writes\""),
            "{spec}: {audited}"
        );
        // The function of `limits` would leave the session without rows.
        assert!(audited.code == Some(1) && audited.stdout.contains("\"t\""), "{spec}: {audited}");
        run(&["audit", "--schema=evil", "--sample=10"]);
        let converted = ["preflight", "--schema=evil", "--to=utf8mb4_unicode_ci", "--trial=none"];
        let planned = run(&[&converted[..], &["--all-columns", "--plan=plan.sql", "--format=json"]].concat());
        assert!(planned.stdout.contains("view evil.settings: left out"), "{spec}: {planned}");
        let plan = fs::read_to_string(workspace.root().join("plan.sql")).unwrap();
        assert!(plan.contains("VIEW `evil`.`harmless`") && !plan.contains("`evil`.`settings`"), "{spec}: {plan}");
        // The queries that verify the plan open tables only.
        for query in queries_of_information_schema(&plan) {
            server.run(query);
        }
        check(&planned, "the plan's queries");
        run(&["why", "--schema=evil", "--sql=app.sql"]);
        let both = [format!("--from={account}"), format!("--to={account}")];
        let compared = weigh(&workspace, &["upgrade", "--live", &both[0], &both[1], "--schema=evil", "--sql=app.sql"]);
        check(&compared, "upgrade --live");

        // An account that may execute nothing runs nothing.
        let reader = ["-ureader", &socket];
        check(&weigh(&workspace, &[&["audit"][..], &reader].concat()), "audit as reader");
        check(&weigh(&workspace, &[&converted[..], &reader].concat()), "preflight as reader");

        // No workload has functions, so capture refuses a schema with a view that names one.
        server.run("DROP VIEW evil.harmless");
        let captured = run(&["capture", "--schema=evil", "--sql=app.sql", "--assume-schema", "--out=w"]);
        assert!(captured.stdout.contains("the view settings"), "{spec}: {captured}");
        let schema = fs::read_to_string(workspace.root().join("w/schema.sql")).unwrap();
        assert!(schema.contains("`plain`") && !schema.contains("`settings`"), "{spec}: {schema}");
    }
}

#[test]
fn views_are_not_created_where_they_run_functions() {
    let (source, target) = (start("mariadb@11.4"), start("mariadb@11.4"));
    // The function of another schema is harmless on the source only.
    for server in [&source, &target] {
        server.run("CREATE DATABASE other");
        server.run("GRANT ALL ON other.* TO low@localhost");
        server.run(
            "CREATE DEFINER=root@localhost FUNCTION other.h() RETURNS INT DETERMINISTIC SQL SECURITY DEFINER RETURN 1",
        );
        server.run("CREATE SQL SECURITY INVOKER VIEW evil.far AS SELECT SUBSTR('abc', other.h()) AS r, s FROM evil.t");
    }
    target.run("DROP FUNCTION other.h");
    target.run(&function("other.h", "SET GLOBAL max_connections = 44"));
    let limit = target.variable("max_connections");
    let workspace = Workspace::new();
    let socket = format!("--socket={}", source.socket().display());
    let apply_to = format!("--apply-to=u=root,S={}", target.socket().display());
    let words = ["preflight", "-uroot", &socket, "--schema=evil", "--to=utf8mb4_unicode_ci", "--trial=none", &apply_to];
    let finished = weigh(&workspace, &words);
    assert_eq!((target.variable("max_connections"), secret(&target)), (limit, 42), "{finished}");
    assert!(finished.stdout.contains("was applied to"), "{finished}");
    // The plan creates `d` again, which `harmless` names.
    assert!(finished.stdout.contains("not created again") && finished.stdout.contains("evil.far"), "{finished}");
    let collation = |view: &str| -> String {
        let query = format!(
            "SELECT COLLATION_CONNECTION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'evil' AND TABLE_NAME = '{view}'"
        );
        target.hold_session("SET @a = 1").query_first(query).unwrap().unwrap()
    };
    assert_eq!(collation("plain"), "utf8mb4_unicode_ci");
    assert_ne!(collation("far"), "utf8mb4_unicode_ci");
}
