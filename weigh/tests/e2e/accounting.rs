//! Server CPU of remote servers, by their own accounting.

use crate::attach::{Foreign, PASSWORD};
use crate::tunnel::Tunnel;
use crate::workspace::{Measured, SMALL, Workspace, retry};

/// Measures through `127.1`, which weigh doesn't recognise as this machine.
fn measure_remotely(foreign: &Foreign) -> Measured {
    let tunnel = Tunnel::open(foreign.socket());
    let workspace = Workspace::new();
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
    // The tunnel ends in a socket, over which MySQL requests no RSA key. A first login fills
    // MySQL's password cache, so that later ones need no key.
    let dry_run = foreign.bench_as_account(&workspace, &SMALL, &["--dry-run"]);
    assert_eq!(workspace.wait_for_end(dry_run).code, Some(0));
    let words = ["-c", "utf8mb4_unicode_ci", "-w", "distinct_ranges"];
    let child = workspace.bench(&SMALL, &[&connect[..], &words].concat()).env("MYSQL_PWD", PASSWORD).spawn().unwrap();
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(0), "{finished}");
    workspace.read()
}

/// Measures without server CPU, of which a note says why.
fn reports_no_cpu(foreign: &Foreign, reason: &str) {
    let without = measure_remotely(foreign);
    assert!(without.results().all(|variant| variant.server_cpu_us.is_none()));
    let notes = without.notes();
    assert!(notes.contains("server CPU is unknown") && notes.contains(reason), "{notes}");
}

fn reports_cpu(spec: &str, switch_on: &[&str], by: &str) {
    let foreign = Foreign::start(spec);
    reports_no_cpu(&foreign, "is off or not visible");
    switch_on.iter().for_each(|statement| foreign.run(statement));
    let with = measure_remotely(&foreign);
    assert!(with.notes().contains(by), "{}", with.notes());
    let cpu: Vec<f64> = with.results().map(|variant| variant.server_cpu_us.unwrap()).collect();
    let wall: Vec<f64> = with.results().map(|variant| 1e6 / variant.queries_per_s).collect();
    // One connection: a statement can't use more CPU than wall time. Sorting under a collation uses
    // some. A machine that stalls lengthens the mean, and hardly the median.
    let median: Vec<f64> = with.results().map(|variant| 1e3 * variant.p50_ms.unwrap()).collect();
    assert!(cpu.iter().zip(&wall).all(|(cpu, wall)| cpu < wall), "{cpu:?} {wall:?}");
    assert!(cpu.iter().zip(&median).all(|(cpu, median)| *cpu > 0.02 * median), "{cpu:?} {median:?}");
    foreign.assert_untouched();
}

#[test]
fn cpu_by_userstat() {
    retry(|| reports_cpu("mariadb", &["SET GLOBAL userstat = 1"], "userstat"));
}

const GRANT: &str = "GRANT SELECT ON performance_schema.* TO bench@localhost";
const SWITCH: &str =
    "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name = 'events_statements_cpu'";

#[test]
fn cpu_by_performance_schema() {
    retry(|| reports_cpu("mysql@sid", &[GRANT, SWITCH], "events_statements_cpu"));
}

/// performance_schema counts nothing for a connection that isn't instrumented.
#[test]
fn no_cpu_of_connections_that_are_not_instrumented() {
    let foreign = Foreign::start("mysql@sid");
    for statement in [GRANT, SWITCH, "UPDATE performance_schema.setup_actors SET enabled = 'NO'"] {
        foreign.run(statement);
    }
    reports_no_cpu(&foreign, "setup_actors");
    foreign.assert_untouched();
}
