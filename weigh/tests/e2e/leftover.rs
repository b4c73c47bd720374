//! Schemas that a killed weigh left on an attached server: found by the next run, and dropped
//! without touching anything else.

use mysql::prelude::Queryable;
use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::workspace::{ENDLESS, Finished, SMALL, Workspace, eventually, send};

fn clean(foreign: &Foreign, words: &[&str]) -> Finished {
    let workspace = Workspace::new();
    let socket = foreign.socket();
    let all =
        [&["servers", "clean", "--no-defaults", "--user=bench", "--socket", socket.to_str().unwrap()], words].concat();
    let finished = workspace.wait_for_end(workspace.weigh(&all).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    finished
}

/// Creates schemas that resemble leftovers: an incomplete marker, the marker of another server, an
/// unusual name, and a view in place of the marker that runs a function of its owner.
fn create_lookalikes(foreign: &Foreign, leftovers: &str) -> Vec<String> {
    let forged = ["weigh_forged_1", "weigh_forged_2", "weigh_forged_3", "weigh_forged_4"];
    for schema in forged {
        foreign.run(&format!("CREATE DATABASE {schema}"));
    }
    foreign.run("CREATE TABLE weigh_forged_1.weigh_marker (run VARCHAR(64))");
    foreign.run("INSERT INTO weigh_forged_1.weigh_marker VALUES ('forged')");
    foreign.run(&format!("CREATE TABLE weigh_forged_2.weigh_marker SELECT * FROM {leftovers}.weigh_marker"));
    foreign.run("UPDATE weigh_forged_2.weigh_marker SET run = 'forged', server = 'replica:3306:2'");
    foreign.run(&format!("CREATE TABLE weigh_forged_3.weigh_marker SELECT * FROM {leftovers}.weigh_marker"));
    for statement in [
        &format!("CREATE TABLE weigh_forged_4.base SELECT * FROM {leftovers}.weigh_marker"),
        "UPDATE weigh_forged_4.base SET run = 'forged', held = 'forged'",
        "CREATE TABLE weigh_forged_4.called (a INT)",
        "CREATE FUNCTION weigh_forged_4.f() RETURNS INT SQL SECURITY INVOKER MODIFIES SQL DATA \
         BEGIN INSERT INTO weigh_forged_4.called VALUES (1); RETURN 1; END",
        "CREATE SQL SECURITY INVOKER VIEW weigh_forged_4.weigh_marker AS \
         SELECT * FROM weigh_forged_4.base WHERE weigh_forged_4.f() = 1",
    ] {
        foreign.run(statement);
    }
    forged.map(str::to_owned).to_vec()
}

/// Audits all schemas: none with a marker table has a finding, and one line says how to remove
/// them.
fn assert_audit_leaves_out(foreign: &Foreign, leftovers: usize) {
    let workspace = Workspace::new();
    let socket = foreign.socket();
    let audit = |format: &str| {
        let words = ["audit", "--no-defaults", "--user=bench", "--format", format, "--socket"];
        let words = [&words, &[socket.to_str().unwrap()][..]].concat();
        workspace.wait_for_end(workspace.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap())
    };
    let text = audit("text");
    let lines = text.stdout.lines().filter(|line| line.contains("that bench made")).count();
    assert!(lines == 1 && text.stdout.contains("weigh servers clean"), "{text}");
    let found: audit::Audit = serde_json::from_str(&audit("json").stdout).unwrap();
    assert!(found.server.own_schemas.len() >= leftovers, "{:?}", found.server);
    let is_own = |finding: &&audit::Finding| {
        finding.details.schema.as_ref().is_some_and(|schema| found.server.own_schemas.contains(schema))
    };
    assert_eq!(found.findings.iter().find(is_own), None);
}

fn find_and_drop_leftovers(spec: &str) {
    let foreign = Foreign::start(spec);
    let (killed, living) = (Workspace::new(), Workspace::new());
    let mut child = foreign.bench_as_account(&killed, &ENDLESS, &ONE);
    killed.wait_for_blocks(&mut child);
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    let leftovers: Vec<String> = foreign.schemas().into_iter().filter(|schema| schema != "weigh_mine").collect();
    assert!(!leftovers.is_empty(), "nobody was left to drop them");
    let forged = create_lookalikes(&foreign, &leftovers[0]);
    let mut child = foreign.bench_as_account(&living, &ENDLESS, &ONE);
    living.wait_for_blocks(&mut child);
    let alive: Vec<String> = foreign.schemas().into_iter().filter(|schema| !leftovers.contains(schema)).collect();
    assert!(alive.len() > forged.len() + 1, "{alive:?}");

    // The server takes a while to notice that the client is gone.
    let is_listed = |finished: &Finished| leftovers.iter().all(|schema| finished.stdout.contains(schema));
    eventually("what was left is found", || is_listed(&clean(&foreign, &["--dry-run"])));
    let workspace = Workspace::new();
    let later = workspace.wait_for_end(foreign.bench_as_account(&workspace, &SMALL, &ONE));
    assert!(later.code == Some(0) && later.stderr.contains(&leftovers[0]), "{later}");
    assert!(later.stderr.contains("weigh servers clean"), "{later}");

    assert_audit_leaves_out(&foreign, leftovers.len());

    let finished = clean(&foreign, &[]);
    assert!(is_listed(&finished) && finished.stdout.lines().count() == leftovers.len(), "{finished}");
    assert_eq!(foreign.schemas(), alive, "no more and no less");
    assert!(clean(&foreign, &[]).stdout.contains("no killed run of weigh left anything"));
    let called: Option<u64> =
        foreign.hold_session("SET @a = 1").query_first("SELECT COUNT(*) FROM weigh_forged_4.called").unwrap();
    assert_eq!(called, Some(0), "the view in place of a marker was read");

    let before = living.read().blocks.len();
    eventually("the other run goes on", || living.read().blocks.len() > before);
    send(Signal::INT, child.id());
    assert_eq!(living.wait_for_end(child).code, Some(130));
    for schema in forged {
        foreign.run(&format!("DROP DATABASE {schema}"));
    }
    foreign.assert_untouched();
}

#[test]
fn drops_leftovers_on_mariadb() {
    find_and_drop_leftovers("mariadb");
}

#[test]
fn drops_leftovers_on_an_old_mysql() {
    find_and_drop_leftovers("mysql@5.6");
}

#[test]
fn drops_leftovers_on_mysql() {
    find_and_drop_leftovers("mysql@sid");
}

#[test]
fn rejects_private_servers() {
    let workspace = Workspace::new();
    let refused = workspace.wait_for_end(workspace.weigh(&["servers", "clean", "--server=mariadb"]).spawn().unwrap());
    refused.refuses_with(&["keeps no schemas", "--socket"]);
}
