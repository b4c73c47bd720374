//! The real sysbench as the one who puts the load on: a cross-check of our own client over the same tables, and for scripts of the user's own.

mod child;
mod script;

use std::process::Command;
use std::time::{Duration, Instant};

use server::{Address, TlsMode, Tool};
use workload::{Distribution, Kind, Options, Workload};

use crate::error::Error;
use crate::load::{Settings, Target};
use crate::session::Protocol;
use child::Running;
pub use script::{OtherColumn, Prepared, SysbenchScript, prepare_by_script};

/// What sysbench takes to connect, to prepare and to report.
const START_AND_END: Duration = Duration::from_secs(5);

/// What one run of sysbench reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SysbenchTally {
    /// Transactions completed.
    pub events: u64,
    /// Statements of those transactions.
    pub queries: u64,
    /// Errors that sysbench passed over.
    pub ignored_errors: u64,
    /// How long it ran, in seconds, by its own clock.
    pub seconds: f64,
    /// 95th percentile of a transaction's latency, in milliseconds.
    pub p95_ms: f64,
}

/// What sysbench runs.
#[derive(Clone, Debug)]
pub enum SysbenchWork {
    /// A built-in workload, by a script of sysbench's, over rows that are there.
    BuiltIn(Workload),
    /// A script of the user's, over rows that it has prepared itself.
    Script(SysbenchScript),
}

/// One load of a duet or solo that sysbench puts on.
pub struct SysbenchLoad<'a> {
    /// Where to.
    pub target: &'a Target,
    /// What.
    pub work: &'a SysbenchWork,
    /// Over which rows; of a script's, only the seed and how numbers are drawn.
    pub rows: &'a Options,
    /// How hard; the connection's charset is not sysbench's to choose and stays its client library's.
    pub settings: &'a Settings,
}

/// Whether sysbench has the workload among its own scripts.
pub fn sysbench_has(workload: &Workload) -> bool {
    script(workload.kind).is_some()
}

/// The script and the options that leave only the workload's own statements.
fn script(kind: Kind) -> Option<(&'static str, &'static [&'static str])> {
    const NO_POINTS: &str = "--point-selects=0";
    match kind {
        Kind::OltpPointSelect => Some(("oltp_point_select", &[])),
        Kind::OltpReadOnly => Some(("oltp_read_only", &[])),
        Kind::OltpReadWrite => Some(("oltp_read_write", &[])),
        Kind::OltpWriteOnly => Some(("oltp_write_only", &[])),
        Kind::OltpUpdateNonIndex => Some(("oltp_update_non_index", &[])),
        Kind::SelectRandomRanges => Some(("select_random_ranges", &[])),
        Kind::DistinctRanges => {
            Some(("oltp_read_only", &[NO_POINTS, "--simple-ranges=0", "--sum-ranges=0", "--order-ranges=0"]))
        }
        Kind::OrderRanges => {
            Some(("oltp_read_only", &[NO_POINTS, "--simple-ranges=0", "--sum-ranges=0", "--distinct-ranges=0"]))
        }
        _ => None,
    }
}

/// Runs sysbench on all loads at once, for whole seconds, one at least.
pub fn run_sysbench(loads: &[SysbenchLoad<'_>], length: Duration) -> Result<Vec<SysbenchTally>, Error> {
    let seconds = length.as_secs_f64().ceil().max(1.0) as u64;
    let mut children = Vec::new();
    for load in loads {
        children.push(Running::start(command(load, seconds)?)?);
    }
    let deadline = Instant::now() + Duration::from_secs(seconds) + START_AND_END;
    children.into_iter().zip(loads).map(|(child, load)| finish(child, load, deadline)).collect()
}

fn finish(child: Running, load: &SysbenchLoad<'_>, deadline: Instant) -> Result<SysbenchTally, Error> {
    let server = &load.target.server;
    let timeout = load.target.endpoint.timeout;
    let output = child.finish(server, || {
        let is_late = Instant::now() > deadline + timeout;
        if is_late { Err(Error::Late { server: server.clone(), seconds: timeout.as_secs_f64() }) } else { Ok(()) }
    })?;
    let reason = "its report could not be read; a script that reports in a way of its own can't be measured";
    parse(&output).ok_or_else(|| Error::Sysbench { server: server.clone(), reason: reason.into() })
}

fn command(load: &SysbenchLoad<'_>, seconds: u64) -> Result<Command, Error> {
    let SysbenchLoad { target, work, rows, settings } = load;
    let mut command = match work {
        SysbenchWork::BuiltIn(workload) => built_in(target, *workload, rows)?,
        SysbenchWork::Script(script) => script.command(target, rows)?,
    };
    command.args([
        option("threads", settings.threads),
        option("db-ps-mode", if settings.protocol == Protocol::Prepared { "auto" } else { "disable" }),
        option("time", seconds),
        option("events", 0),
        option("percentile", 95),
    ]);
    command.arg("run");
    Ok(command)
}

/// sysbench with a script and where to, as every command of it begins.
fn begin(target: &Target, script: &str, rows: &Options) -> Result<Command, Error> {
    let refuse = |reason: &str| Error::SysbenchCannot { server: target.server.clone(), reason: reason.into() };
    if !target.endpoint.password.reveal().is_empty() {
        return Err(refuse(
            "it takes a password on its command line only, where every user of this machine can read it",
        ));
    }
    if target.endpoint.tls.mode != TlsMode::Disabled {
        return Err(refuse("it does not verify TLS"));
    }
    let mut command = Command::new(Tool::Sysbench.find().unwrap_or_else(|| Tool::Sysbench.name().into()));
    command.arg(script);
    match &target.endpoint.address {
        Address::Socket(path) => command.arg(option("mysql-socket", path.display())),
        Address::Tcp { host, port } => command.args([option("mysql-host", host), option("mysql-port", port)]),
    };
    command.args([
        option("mysql-user", &target.endpoint.user),
        option("mysql-db", &target.schema),
        option("rand-type", if rows.distribution == Distribution::Special { "special" } else { "uniform" }),
        option("rand-seed", rows.seed),
    ]);
    Ok(command)
}

fn built_in(target: &Target, workload: Workload, rows: &Options) -> Result<Command, Error> {
    let missing = || Error::SysbenchCannot { server: target.server.clone(), reason: "it has no such workload".into() };
    let (name, extra) = script(workload.kind).ok_or_else(missing)?;
    let mut command = begin(target, name, rows)?;
    command.args([option("tables", rows.tables), option("table-size", rows.table_size)]);
    if name.starts_with("oltp_") {
        let skip_trx = rows.skip_trx || matches!(workload.kind, Kind::DistinctRanges | Kind::OrderRanges);
        command.arg(option("skip-trx", if skip_trx { "on" } else { "off" }));
        command.arg(option("range-size", workload.range_size.unwrap_or(rows.range_size)));
    }
    command.args(extra);
    Ok(command)
}

fn option(name: &str, value: impl std::fmt::Display) -> String {
    format!("--{name}={value}")
}

fn parse(output: &str) -> Option<SysbenchTally> {
    let figure = |key: &str| -> Option<&str> {
        let line = output.lines().map(str::trim).find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()
    };
    Some(SysbenchTally {
        events: figure("transactions:")?.parse().ok()?,
        queries: figure("queries:")?.parse().ok()?,
        ignored_errors: figure("ignored errors:")?.parse().ok()?,
        seconds: figure("total time:")?.strip_suffix('s')?.parse().ok()?,
        p95_ms: figure("95th percentile:")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_sysbench_1_0_20_is_read() {
        let report = "
SQL statistics:
    queries performed:
        read:                            56770
        write:                           0
        other:                           8110
        total:                           64880
    transactions:                        4055   (2026.85 per sec.)
    queries:                             64880  (32429.61 per sec.)
    ignored errors:                      3      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.0004s
    total number of events:              4055

Latency (ms):
         min:                                    0.39
         avg:                                    0.49
         max:                                    4.80
         95th percentile:                        0.61
         sum:                                 1995.58
";
        let tally = parse(report).unwrap();
        assert_eq!((tally.events, tally.queries, tally.ignored_errors), (4055, 64880, 3));
        assert_eq!((tally.seconds, tally.p95_ms), (2.0004, 0.61));
        assert_eq!(parse("FATAL: nothing"), None);
    }
}
