//! A plan that waits for another transaction's table: it stops, and completes when it runs again.

use std::fs;

use mysql::prelude::Queryable;

use super::{Shop, run_script, try_script};

const TO: &str = "--to=utf8mb4_unicode_ci";

/// Writes the plan and the way back. Returns the plan.
fn write_plan(shop: &Shop) -> String {
    let file = |name: &str| shop.workspace.root().join(name);
    let options = [("--plan", "plan.sql"), ("--plan-back", "back.sql")];
    let options = options.map(|(option, name)| format!("{option}={}", file(name).display()));
    let text = shop.preflight(&[TO, "--trial=none", &options[0], &options[1]]);
    assert!(text.stdout.contains("error 1205"), "{text}");
    let [plan, back] = ["plan.sql", "back.sql"].map(|name| fs::read_to_string(file(name)).unwrap());
    for script in [&plan, &back] {
        assert!(script.contains("\nSET SESSION lock_wait_timeout = 10;\n"), "{script}");
        assert!(script.contains("error 1205 and has changed nothing"), "{script}");
    }
    plan
}

/// True if the query that the plan names lists a connection.
fn lists_holder(shop: &mut Shop, plan: &str, holder: u32) -> bool {
    let query = plan.lines().find_map(|line| line.strip_prefix("--   ")?.strip_suffix(';')).unwrap();
    let rows: Vec<mysql::Row> = shop.conn.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let is_holder = |value| mysql::from_value_opt::<u64>(value).is_ok_and(|id| id == u64::from(holder));
    rows.into_iter().any(|row| row.unwrap().into_iter().any(is_holder))
}

fn assert_stops_and_completes(name: &str) {
    let mut shop = Shop::on(name);
    shop.run(&["UPDATE shop.customers SET email = 'strasse2@x' WHERE name = 'Berta'"]);
    let plan = write_plan(&shop);
    let mut holder = shop.server.connect().unwrap();
    holder.query_drop("START TRANSACTION").unwrap();
    let notes: Vec<(u32, String)> = holder.query("SELECT id, note FROM shop.notes").unwrap();
    assert!(lists_holder(&mut shop, &plan, holder.connection_id()), "{name}: {plan}");

    let quick = plan.replace("lock_wait_timeout = 10", "lock_wait_timeout = 1");
    let stopped = try_script(&shop.socket, &quick);
    let message = String::from_utf8_lossy(&stopped.stderr);
    assert!(!stopped.status.success() && message.contains("ERROR 1205"), "{name}: {message}");
    assert_eq!(shop.conn.query::<(u32, String), _>("SELECT id, note FROM shop.notes").unwrap(), notes, "{name}");
    let (_, create): (String, String) = shop.conn.query_first("SHOW CREATE TABLE shop.notes").unwrap().unwrap();
    assert!(create.contains("latin1"), "{name}: {create}");

    holder.query_drop("COMMIT").unwrap();
    let is_gone = |line: &&str| line.contains("DROP FOREIGN KEY `");
    let deletes = quick.contains("delete those that are gone");
    assert_eq!(deletes, name.starts_with("mysql"), "{name}: {quick}");
    let again: Vec<&str> = quick.lines().filter(|line| !(deletes && is_gone(line))).collect();
    run_script(&shop.socket, &again.join("\n"));
    let keys = "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'shop'";
    assert_eq!(shop.conn.query_first::<u32, _>(keys).unwrap(), Some(1), "{name}");
    let after = shop.preflight(&[TO, "--trial=none"]);
    assert!(after.code == Some(0) && after.stdout.starts_with("✓ Nothing to convert"), "{name}: {after}");
    shop.server.stop().unwrap();
}

#[test]
fn plan_waits_for_a_transaction_on_mysql() {
    ["mysql@5.6", "mysql@5.7", "mysql@8.0", "mysql@sid"].into_iter().for_each(assert_stops_and_completes);
}

#[test]
fn plan_waits_for_a_transaction_on_mariadb() {
    ["mariadb@10.1", "mariadb@10.2", "mariadb@10.5", "mariadb@10.11", "mariadb@11.4", "mariadb@11.8"]
        .into_iter()
        .for_each(assert_stops_and_completes);
}
