//! Server CPU of servers on other machines, by their own accounting.

use crate::attach::{Foreign, PASSWORD};
use crate::place::{Measured, Place, SMALL};
use crate::tunnel::{Network, Tunnel};

/// Connects over a host's name from which it can't be told that it is this machine.
fn elsewhere(port: &str) -> [&str; 7] {
    ["--no-defaults", "--host=127.1", "--port", port, "--user=bench", "--ssl-mode=disabled", "--get-server-public-key"]
}

fn measured_elsewhere(foreign: &Foreign) -> Measured {
    let tunnel = Tunnel::to(foreign.socket());
    let place = Place::new();
    let port = tunnel.port.to_string();
    let connect = elsewhere(&port);
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

/// How many connections a dry run says there would be.
fn connections(foreign: &Foreign, network: Network, words: &[&str]) -> String {
    let tunnel = Tunnel::to(foreign.socket());
    tunnel.becomes(network);
    let (place, port) = (Place::new(), tunnel.port.to_string());
    let words = [&["bench", "--dry-run"], &elsewhere(&port)[..], words].concat();
    let done = place.end(place.weigh(&words).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    let line = done.stdout.lines().find_map(|line| line.trim().strip_prefix("threads"));
    line.expect("a line on threads").trim().to_owned()
}

#[test]
fn a_server_that_is_far_away_gets_more_connections() {
    let foreign = Foreign::start("mariadb");
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(connections(&foreign, Network::Forwards, &[]), (cores / 2).clamp(1, 16).to_string());
    assert_eq!(connections(&foreign, Network::IsLong, &[]), "16");
    assert_eq!(connections(&foreign, Network::IsLong, &["--threads=3"]), "3");
}
