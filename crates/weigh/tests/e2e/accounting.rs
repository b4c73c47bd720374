//! Server CPU of servers on other machines, by their own accounting.

use crate::attach::{Foreign, PASSWORD};
use crate::place::{Measured, Place, SMALL};
use crate::tunnel::Tunnel;

/// Measures over a host's name from which it can't be told that it is this machine.
fn measured_elsewhere(foreign: &Foreign) -> Measured {
    let tunnel = Tunnel::to(foreign.socket());
    let place = Place::new();
    let port = tunnel.port.to_string();
    let connect = [
        "--no-defaults",
        "--host=127.1",
        "--port",
        &port,
        "--user=bench",
        "--ssl-mode=disabled",
        "--get-server-public-key",
    ];
    // The tunnel ends in a socket, over which MySQL wants no RSA key; logged in once, it wants nothing of the kind.
    let known = foreign.bench_as_account(&place, &SMALL, &["--dry-run"]);
    assert_eq!(place.end(known).code, Some(0));
    let words = ["-c", "utf8mb4_unicode_ci", "-w", "distinct_ranges"];
    let child = place.bench(&SMALL, &[&connect[..], &words].concat()).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    let done = place.end(child);
    assert_eq!(done.code, Some(0), "{done}");
    place.read()
}

fn is_told(spec: &str, switch_on: &[&str], by: &str) {
    let foreign = Foreign::start(spec);
    let without = measured_elsewhere(&foreign);
    assert!(without.results().all(|variant| variant.server_cpu_us.is_none()));
    assert!(without.notes().contains("server CPU is not told"), "{}", without.notes());

    switch_on.iter().for_each(|statement| foreign.run(statement));
    let with = measured_elsewhere(&foreign);
    assert!(with.notes().contains(by), "{}", with.notes());
    let cpu: Vec<f64> = with.results().map(|variant| variant.server_cpu_us.unwrap()).collect();
    let wall: Vec<f64> = with.results().map(|variant| 1e6 / variant.queries_per_s).collect();
    // One connection: a statement cannot use more CPU than it takes; and rows are sorted under a collation, which is not nothing.
    assert!(cpu.iter().zip(&wall).all(|(cpu, wall)| *cpu > 0.02 * wall && cpu < wall), "{cpu:?} {wall:?}");
    foreign.assert_untouched();
}

#[test]
fn by_userstat() {
    is_told("mariadb", &["SET GLOBAL userstat = 1"], "userstat");
}

#[test]
fn by_performance_schema() {
    let grant = "GRANT SELECT ON performance_schema.* TO bench@localhost";
    let switch = "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name = 'events_statements_cpu'";
    is_told("mysql@sid", &[grant, switch], "events_statements_cpu");
}
