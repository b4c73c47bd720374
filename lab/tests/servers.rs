//! Verification and timing on real servers.

use lab::charsets::verify::verify_server;
use lab::operations::{Amount, verify_operations};
use lab::order_by::rows::Rows;
use lab::order_by::values::Values;
use lab::order_by::{SortedValues, figures, measure, resolve_collations, weigh};
use lab::servers::Source;
use lab::verify::{ServerOutcome, verify_briefly};
use mysql::prelude::Queryable;

fn assert_collations_agree(spec: &str, collations: usize) {
    let mut log = Vec::new();
    let outcome = verify_briefly(spec, &mut log).unwrap();
    assert_eq!(outcome, ServerOutcome { collations, differences: 0 }, "{}", String::from_utf8_lossy(&log));
}

#[test]
fn collations_agree_with_mariadb() {
    assert_collations_agree("mariadb@trixie", 1288);
}

#[test]
fn collations_agree_with_mysql() {
    assert_collations_agree("mysql@sid", 286);
}

fn assert_charsets_agree(spec: &str) {
    let mut log = Vec::new();
    let differences = verify_server(spec, false, 20_261_121, &mut log).unwrap();
    assert_eq!(differences, 0, "{}", String::from_utf8_lossy(&log));
}

#[test]
fn charsets_agree_with_mariadb() {
    assert_charsets_agree("mariadb@trixie");
}

#[test]
fn charsets_agree_with_mysql() {
    assert_charsets_agree("mysql@sid");
}

fn assert_operations_agree(spec: &str) {
    let mut log = Vec::new();
    let amount = Amount { collations: 60, strings: 60 };
    let outcome = verify_operations(spec, amount, 20_261_128, &mut log).unwrap();
    assert_eq!(outcome, ServerOutcome { collations: 60, differences: 0 }, "{}", String::from_utf8_lossy(&log));
}

#[test]
fn operations_agree_with_mysql_5() {
    assert_operations_agree("mysql@5.6");
    assert_operations_agree("mysql@5.7");
}

#[test]
fn operations_agree_with_mysql() {
    assert_operations_agree("mysql@8.0");
    assert_operations_agree("mysql@sid");
}

#[test]
fn operations_agree_with_mariadb() {
    assert_operations_agree("mariadb@bookworm");
    assert_operations_agree("mariadb@trixie");
}

/// `measure` itself checks the order, the groups, the kind of filesort, and that nothing is written
/// to disk.
#[test]
fn times_a_servers_order_by() {
    let mut source = Source::open("mariadb@trixie").unwrap();
    let weigh = weigh::find_program();
    for (collation, values) in resolve_collations(&source, &[]).unwrap().into_iter().zip([Values::C, Values::Scripts]) {
        let what = SortedValues { collation, values, rows: 20_000 };
        let condition = measure(&mut source, what, 6, weigh.as_deref()).unwrap();
        assert_eq!(condition.rounds.len(), 6);
        let mut text = Vec::new();
        figures::print_condition(&mut text, &condition).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(collation.info().name) && text.contains("Collation::column_groups"), "{text}");
    }
}

fn assert_rejects_sorts_that_spill(spec: &str, collation: &str) {
    let mut source = Source::open(spec).unwrap();
    let mut rows = Rows::load(&mut source, collation, Values::C, 20_000).unwrap();
    rows.explain_filesort().unwrap();
    rows.time_order_by().unwrap();
    rows.source.conn.query_drop("SET sort_buffer_size = 262144").unwrap();
    for refusal in [rows.explain_filesort().unwrap_err(), rows.time_order_by().unwrap_err()] {
        assert!(refusal.to_string().contains("no plain sort of all rows in memory"), "{refusal}");
    }
    rows.time_scan().unwrap();
}

#[test]
fn rejects_sorts_that_spill_on_mysql() {
    assert_rejects_sorts_that_spill("mysql@sid", "utf8mb4_0900_ai_ci");
}

#[test]
fn rejects_sorts_that_spill_on_mariadb() {
    assert_rejects_sorts_that_spill("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
}
