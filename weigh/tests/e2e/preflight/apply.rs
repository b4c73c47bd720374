//! `--apply-to`: the plan runs on a copy on another server, and nowhere else.

use mysql::prelude::Queryable;

use super::Shop;

/// Returns tables and text columns of a server's schemas `shop` and `other`, with their collations.
fn collations(shop: &mut Shop) -> Vec<String> {
    let query = "SELECT CONCAT_WS(' ', TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLLATION_NAME) FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA IN ('shop', 'other') AND COLLATION_NAME IS NOT NULL ORDER BY 1";
    shop.conn.query(query).unwrap()
}

fn apply(name: &str, target: &str) {
    let (mut shop, mut scratch) = (Shop::on(name), Shop::on(name));
    let other = ["CREATE DATABASE other", "CREATE TABLE other.t (a VARCHAR(9)) CHARACTER SET latin1"];
    let distinct = "DELETE FROM shop.customers WHERE email = 'strasse@x'";
    for one in [&mut shop, &mut scratch] {
        one.run(&other);
        one.run(&[distinct]);
    }
    let before = collations(&mut shop);
    assert_eq!(collations(&mut scratch), before);
    let to = format!("--to={target}");
    let apply_to = format!("--apply-to=u=root,S={}", scratch.socket.display());
    let words = [&to[..], &apply_to, "--fail-on=error"];

    // A row that only the copy has stops the plan.
    scratch.run(&["INSERT INTO shop.customers VALUES ('strasse@x', 'Berta', 'at')"]);
    let stopped = shop.preflight(&words);
    assert_eq!(stopped.code, Some(1), "{stopped}");
    let text = stopped.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["the plan stopped on", "is refused: error 1062", "ALTER TABLE `shop`.`customers`"] {
        assert!(text.contains(part), "{part}: {stopped}");
    }
    assert_eq!(collations(&mut shop), before);

    // Loaded again, the whole plan runs.
    scratch.run(&["DROP DATABASE shop", "DROP USER reader@localhost"]);
    shop.preflight(&words).refuses_with(&["has no schema shop", "nothing was applied"]);
    scratch.run(&super::SHOP);
    scratch.run(&[distinct]);
    let report = shop.report(&words);
    assert!(report.notes.iter().any(|note| note.contains("ran without an error")), "{report:#?}");
    assert_eq!(collations(&mut shop), before);
    let (mut converted, mut kept) = (0, 0);
    for (now, before) in collations(&mut scratch).iter().zip(&before) {
        match now.starts_with("shop ") {
            true => converted += usize::from(now.ends_with(target)),
            false => kept += usize::from(now == before),
        }
    }
    assert_eq!((converted, kept), (before.len() - 1, 1), "{:?}", collations(&mut scratch));
    assert_eq!(scratch.report(&[&to, "--fail-on=error"]).plan, None);
    shop.server.stop().unwrap();
    scratch.server.stop().unwrap();
}

#[test]
fn applies_the_plan_to_a_copy_on_mariadb() {
    apply("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn applies_the_plan_to_a_copy_on_mysql() {
    apply("mysql@sid", "utf8mb4_0900_ai_ci");
}

#[test]
fn applies_nothing_to_the_server_that_is_read() {
    for name in ["mariadb", "mysql@sid"] {
        let mut shop = Shop::on(name);
        let before = collations(&mut shop);
        let own = format!("--apply-to=u=root,S={}", shop.socket.display());
        shop.preflight(&["--to=utf8mb4_bin", &own]).refuses_with(&["is the server that is read"]);
        for (spec, words) in [("mariadb", "a running server"), ("u=root", "name its host or socket")] {
            shop.preflight(&["--to=utf8mb4_bin", &format!("--apply-to={spec}")]).refuses_with(&[words]);
        }
        assert_eq!(collations(&mut shop), before);
        shop.server.stop().unwrap();
    }
}
