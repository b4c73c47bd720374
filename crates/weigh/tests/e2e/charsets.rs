//! What a plain benchmark measures on each server, and which charsets were in force meanwhile.

use measure::{DEFAULT_BASELINE, DEFAULT_COLLATIONS, Variant};
use server::{CollationInfo, NoProgress, Options, open};

use crate::place::{Measured, Place};

/// The collations that a server itself lists.
fn collations(spec: &str) -> Vec<CollationInfo> {
    let options = Options { buffer_pool: Some(32 << 20), ..Options::default() };
    open(&spec.parse().unwrap(), &options, &NoProgress).unwrap().collations().unwrap()
}

fn benchmark(spec: &str) -> (Measured, Vec<CollationInfo>) {
    let place = Place::new();
    let done = place.run(&["--server", spec, "--workload=oltp_read_only,oltp_point_select"]);
    assert_eq!(done.code, Some(0), "{done}");
    let measured = place.read();
    measured.assert_complete();

    let known = collations(spec);
    let has = |name: &&str| known.iter().any(|collation| collation.name == **name);
    let expected: Vec<&str> = DEFAULT_COLLATIONS.into_iter().filter(has).collect();
    assert_eq!(measured.collations(0), expected);
    for collation in &expected {
        assert!(done.stdout.lines().any(|line| line.trim_start().starts_with(collation)), "{collation}: {done}");
    }
    for missing in DEFAULT_COLLATIONS.iter().filter(|name| !expected.contains(name)) {
        assert!(measured.notes().contains(&format!("{spec} has no {missing}")), "{}", measured.notes());
    }
    (measured, known)
}

fn assert_in_force(variant: &Variant, known: &[CollationInfo]) {
    let name = &variant.collation;
    let layers = variant.layers.as_ref().unwrap();
    for layer in [&layers.database, &layers.table, layers.column.as_ref().unwrap()] {
        assert_eq!((&layer.charset, &layer.collation), (&variant.charset, name));
    }
    let connection = layers.connection.as_ref().unwrap();
    let asked = &variant.connection_charset;
    let in_force = (&connection.client, &connection.connection, connection.results.as_ref().unwrap());
    assert_eq!(in_force, (asked, asked, asked), "{name}");
    assert_eq!(connection.collation, *name);
    let presented = layers.handshake_collation_id.unwrap();
    let presented = known.iter().find(|collation| collation.id == presented).unwrap();
    assert_eq!(presented.charset, *asked, "{name} was presented by {presented:?}");
}

/// Every variant reads the same rows, so a query returns as many from each, but for which ids the dice pick.
fn assert_same_rows(measured: &Measured) {
    for condition in &measured.analysis.conditions {
        let rows: Vec<f64> = condition.variants.iter().map(|variant| variant.rows_per_query.unwrap()).collect();
        let exact = measured.run.conditions[condition.condition].workload == "oltp_point_select";
        let tolerance = if exact { 0.0 } else { 0.1 };
        assert!(rows.iter().all(|count| (count / rows[0] - 1.0).abs() <= tolerance), "{rows:?}");
    }
}

fn assert_benchmark(spec: &str) -> Measured {
    let (measured, known) = benchmark(spec);
    assert_eq!(measured.collations(0)[0], DEFAULT_BASELINE);
    for variant in &measured.run.variants {
        assert_in_force(variant, &known);
    }
    assert_same_rows(&measured);
    let server = &measured.run.servers[0];
    assert!(server.private && server.label == spec, "{server:?}");
    assert_eq!(
        server.settings["character_set_server"],
        measured.run.variants[0].layers.as_ref().unwrap().server.charset
    );
    // On a busy machine the server's threads cannot always be told apart; then it is said.
    let cpu = measured.results().all(|variant| variant.server_cpu_us.is_some_and(|cpu| cpu > 0.0));
    assert!(cpu || measured.notes().contains("server CPU is not told"), "{}", measured.notes());
    measured
}

#[test]
fn on_mariadb() {
    assert_benchmark("mariadb");
}

#[test]
fn on_mysql_of_debian_unstable() {
    let measured = assert_benchmark("mysql@sid");
    assert!(measured.collations(0).contains(&"utf8mb4_0900_ai_ci"));
}

#[test]
fn on_mysql_5_6() {
    let measured = assert_benchmark("mysql@5.6");
    assert!(!measured.collations(0).contains(&"utf8mb4_0900_ai_ci"));
}
