//! Functions of strangers. A server can run a function to optimise a statement, even for `EXPLAIN`;
//! with `SQL SECURITY INVOKER` it has the rights of the account that explains.

use std::fs;

use mysql::prelude::Queryable;

use super::{charsets, weigh};
use crate::attach::Foreign;
use crate::workspace::Workspace;

const FUNCTION: &str = "CREATE FUNCTION evil.f() RETURNS INT DETERMINISTIC SQL SECURITY INVOKER \
                        BEGIN SET SESSION TRANSACTION READ WRITE; SET GLOBAL max_connections = 55; RETURN 1; END";

/// A query that calls the function by itself, and queries of views.
const QUERIES: [&str; 4] = [
    "SELECT * FROM evil.t WHERE id = evil.f()",
    "SELECT * FROM evil.t WHERE id = `EVIL`.`F`()",
    "SELECT * FROM evil.direct",
    "SELECT * FROM evil.indirect",
];

fn start(spec: &str) -> Foreign {
    let server = Foreign::start(spec);
    for statement in [
        "CREATE DATABASE evil",
        "CREATE TABLE evil.t (id INT PRIMARY KEY, s VARCHAR(9))",
        "INSERT INTO evil.t VALUES (1, 'a'), (2, 'b')",
        FUNCTION,
        "CREATE SQL SECURITY INVOKER VIEW evil.direct AS SELECT * FROM evil.t WHERE id = evil.f()",
        "CREATE SQL SECURITY INVOKER VIEW evil.indirect AS SELECT * FROM evil.direct WHERE s = 'a'",
        "CREATE VIEW evil.harmless AS SELECT * FROM evil.t",
    ] {
        server.run(statement);
    }
    server
}

/// A query of a log that changes the server when it is explained, the query that reads the change,
/// and a statement before both.
const CHANGES: [(&str, &str, &str, &str); 2] = [
    (
        "mysql@sid",
        "DO 1",
        "SELECT * FROM evil.t WHERE 1 = LENGTH(asynchronous_connection_failover_add_source('', 'evil', 3306, '', 50))",
        "SELECT HOST FROM performance_schema.replication_asynchronous_connection_failover",
    ),
    (
        "mariadb",
        "CREATE SEQUENCE evil.s",
        "SELECT * FROM evil.t JOIN (SELECT 1 AS x) x WHERE x.x = SETVAL(evil.s, 500)",
        "SELECT 1 FROM evil.s WHERE next_not_cached_value > 500",
    ),
];

#[test]
fn functions_of_servers_that_change_them_are_not_run() {
    for (spec, before, attack, change) in CHANGES {
        let server = start(spec);
        server.run("DROP FUNCTION evil.f");
        server.run(before);
        let workspace = Workspace::new();
        fs::write(workspace.root().join("app.sql"), attack).unwrap();
        let from = format!("u=root,S={}", server.socket().display());
        let socket = format!("--socket={}", server.socket().display());
        let both = ["--live".to_owned(), format!("--from={from}"), format!("--to={from}")];
        for words in
            [&["audit", "-uroot", &socket][..], &["why", "-uroot", &socket], &["upgrade", &both[0], &both[1], &both[2]]]
        {
            let finished = weigh(&workspace, &[words, &["--schema=evil", "--sql=app.sql"]].concat());
            assert!(matches!(finished.code, Some(0..=2)), "{finished}");
            assert!(server.column(change).is_empty(), "{spec}: {finished}");
        }
        server.run(&format!("EXPLAIN {attack}"));
        assert!(!server.column(change).is_empty(), "{spec}: the attack works");
    }
}

#[test]
fn functions_of_running_servers_are_not_run() {
    for spec in ["mysql@8.0", "mariadb"] {
        let server = start(spec);
        let limit = server.variable("max_connections");
        server.run("EXPLAIN SELECT * FROM evil.indirect");
        assert_eq!(server.variable("max_connections"), 55, "{spec}: the attack works");
        server.run(&format!("SET GLOBAL max_connections = {limit}"));

        let workspace = Workspace::new();
        fs::write(workspace.root().join("app.sql"), QUERIES.join(";\n")).unwrap();
        let socket = server.socket();
        let from = format!("u=root,S={}", socket.display());
        let socket = format!("--socket={}", socket.display());
        let audited =
            weigh(&workspace, &["audit", "-uroot", &socket, "--schema=evil", "--sql=app.sql", "--format=json"]);
        let document: serde_json::Value = serde_json::from_str(&audited.stdout).unwrap();
        let unseen = document["unseen"].to_string();
        assert!(unseen.contains("evil.direct") && unseen.contains("evil.indirect"), "{spec}: {audited}");
        assert!(unseen.contains("plans of 4 statements") && !unseen.contains("harmless"), "{spec}: {audited}");
        weigh(&workspace, &["why", "-uroot", &socket, "--schema=evil", "--sql=app.sql"]);
        let both = ["--live".to_owned(), format!("--from={from}"), format!("--to={from}")];
        let words = ["upgrade", &both[0], &both[1], &both[2], "--schema=evil", "--sql=app.sql"];
        let compared = weigh(&workspace, &words);
        assert!(compared.stdout.contains("4 statements not run"), "{spec}: {compared}");
        assert_eq!(server.variable("max_connections"), limit, "{spec}");
    }
}

/// A loadable function that MySQL registers itself, and that it runs in EXPLAIN.
const ADD_SOURCE: &str = "asynchronous_connection_failover_add_source('c', '10.0.0.1', 3306, '', 50)";

#[test]
fn functions_that_mysql_registers_are_not_run() {
    let server = charsets::start("mysql@sid");
    let count = || -> u64 {
        let query = "SELECT COUNT(*) FROM performance_schema.replication_asynchronous_connection_failover";
        server.hold_session("USE shop").query_first(query).unwrap().unwrap()
    };
    let query = format!("SELECT x FROM a WHERE id = {ADD_SOURCE}");
    server.hold_session("USE shop").query_drop(format!("EXPLAIN {query}")).unwrap();
    assert_eq!(count(), 1, "the attack works");
    server.run("DO asynchronous_connection_failover_reset()");
    server.run(&format!("CREATE SQL SECURITY INVOKER VIEW shop.v AS SELECT {ADD_SOURCE} AS x"));
    assert_eq!(count(), 0);

    let workspace = Workspace::new();
    let quoted = query.replacen("_source(", "_source` (", 1).replacen("asynch", "`asynch", 1);
    let statements = [query.as_str(), &quoted, "SELECT * FROM v"];
    fs::write(workspace.root().join("app.sql"), statements.join(";\n")).unwrap();
    fs::write(workspace.root().join("slow.log"), charsets::slow_log(&statements)).unwrap();
    let socket = server.socket();
    let account = format!("u=root,S={}", socket.display());
    let (socket, from, to) =
        (format!("--socket={}", socket.display()), format!("--from={account}"), format!("--to={account}"));
    let running = ["--no-defaults", "-uroot", &socket];
    let asks = |command: &[&str], source: &str, name: &str| {
        let own: &[&str] = if command[0] == "upgrade" { &[] } else { &running };
        let finished = weigh(&workspace, &[command, own, &["--schema=shop", "--format=json", source]].concat());
        assert!(matches!(finished.code, Some(0 | 1)), "{command:?}, {source}: {finished}");
        assert!(finished.stdout.contains(&format!("it calls {name}")), "{command:?}, {source}: {finished}");
    };
    for command in [&["audit"][..], &["upgrade", "--live", &from, &to]] {
        for source in ["--sql=app.sql", "--slow-log=slow.log"] {
            asks(command, source, "asynchronous_connection_failover_add_source");
            assert_eq!(count(), 0, "{command:?}, {source}");
        }
    }
    // The private copy of `why` runs the statement more than once.
    server.hold_session("USE shop").query_drop(format!("EXPLAIN {query}")).unwrap();
    fs::write(
        workspace.root().join("reset.sql"),
        "SELECT x FROM a WHERE id = asynchronous_connection_failover_reset()",
    )
    .unwrap();
    asks(&["why"], "--sql=reset.sql", "asynchronous_connection_failover_reset");
    assert_eq!(count(), 1);
}
