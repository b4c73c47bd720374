//! Default benchmark on each server, and the effective charsets.

use measure::{DEFAULT_BASELINE, DEFAULT_COLLATIONS, Variant};
use server::{CollationInfo, NoProgress, Options, open};

use crate::workspace::{Measured, Workspace};

/// Reads the server's own list of collations.
fn collations(spec: &str) -> Vec<CollationInfo> {
    let options = Options { buffer_pool: Some(32 << 20), ..Options::default() };
    open(&spec.parse().unwrap(), &options, &NoProgress).unwrap().read_collations().unwrap()
}

fn benchmark(spec: &str) -> (Measured, Vec<CollationInfo>) {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&["--server", spec, "--workload=oltp_read_only,oltp_point_select"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let measured = workspace.read();
    measured.assert_complete();

    let catalogue = collations(spec);
    let has = |name: &&str| catalogue.iter().any(|collation| collation.name == **name);
    let expected: Vec<&str> = DEFAULT_COLLATIONS.into_iter().filter(has).collect();
    assert_eq!(measured.collations(0), expected);
    for collation in &expected[1..] {
        assert!(
            finished.stdout.lines().any(|line| line.trim_start().starts_with(collation)),
            "{collation}: {finished}"
        );
    }
    for missing in DEFAULT_COLLATIONS.iter().filter(|name| !expected.contains(name)) {
        assert!(measured.notes().contains(&format!("{spec} has no {missing}")), "{}", measured.notes());
    }
    (measured, catalogue)
}

fn assert_in_force(variant: &Variant, catalogue: &[CollationInfo]) {
    let name = &variant.collation;
    let layers = variant.layers.as_ref().unwrap();
    for layer in [&layers.database, &layers.table, layers.column.as_ref().unwrap()] {
        assert_eq!((&layer.charset, &layer.collation), (&variant.charset, name));
    }
    let connection = layers.connection.as_ref().unwrap();
    let requested = &variant.connection_charset;
    let in_force = (&connection.client, &connection.connection, connection.results.as_ref().unwrap());
    assert_eq!(in_force, (requested, requested, requested), "{name}");
    assert_eq!(connection.collation, *name);
    let presented = layers.handshake_collation_id.unwrap();
    let presented = catalogue.iter().find(|collation| collation.id == presented).unwrap();
    assert_eq!(presented.charset, *requested, "{name} was presented by {presented:?}");
}

/// All variants read the same rows, so queries return equally many, up to the random choice of ids
/// and of the statements that a turn begins and ends with.
fn assert_same_rows(measured: &Measured) {
    for condition in &measured.analysis.conditions {
        let index = condition.condition;
        let totals: Vec<(f64, f64)> =
            condition.variants.iter().map(|variant| measured.rows_and_queries(index, variant.variant)).collect();
        let exact = measured.run.conditions[index].workload == "oltp_point_select";
        // Three of 16 statements return up to 100 rows, the others one or none: the standard
        // deviation of one is twice the mean. Blocks of a busy machine have few statements.
        let fewest = totals.iter().map(|(_, queries)| *queries).fold(f64::INFINITY, f64::min);
        let tolerance = if exact { 0.0 } else { 0.1 + 10.0 / fewest.sqrt() };
        let rows: Vec<f64> = totals.iter().map(|(rows, queries)| rows / queries).collect();
        assert!(rows.iter().all(|count| (count / rows[0] - 1.0).abs() <= tolerance), "{rows:?} ± {tolerance}");
    }
}

fn assert_benchmark(spec: &str) -> Measured {
    let (measured, catalogue) = benchmark(spec);
    assert_eq!(measured.collations(0)[0], DEFAULT_BASELINE);
    for variant in &measured.run.variants {
        assert_in_force(variant, &catalogue);
    }
    assert_same_rows(&measured);
    let server = &measured.run.servers[0];
    assert!(server.private && server.label == spec, "{server:?}");
    assert_eq!(
        server.settings["character_set_server"],
        measured.run.variants[0].layers.as_ref().unwrap().server.charset
    );
    // On a busy machine the server's threads can't always be identified; a note says so.
    let cpu = measured.results().all(|variant| variant.server_cpu_us.is_some_and(|cpu| cpu > 0.0));
    assert!(cpu || measured.notes().contains("server CPU is unknown"), "{}", measured.notes());
    measured
}

#[test]
fn measures_mariadb() {
    assert_benchmark("mariadb");
}

#[test]
fn measures_mysql_of_debian_unstable() {
    let measured = assert_benchmark("mysql@sid");
    assert!(measured.collations(0).contains(&"utf8mb4_0900_ai_ci"));
}

#[test]
fn measures_mysql_5_6() {
    let measured = assert_benchmark("mysql@5.6");
    assert!(!measured.collations(0).contains(&"utf8mb4_0900_ai_ci"));
}
