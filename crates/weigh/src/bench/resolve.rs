//! From the options as typed to what will be done: defaults filled in, `--quick` applied, impossible combinations refused.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use measure::{Axes, Driver, Mode, Request};
use workload::{Kind, Text, Workload};

use super::args::{BenchArgs, DriverArg, ModeArg, ProtocolArg};
use crate::output::Format;

const QUICK_WORKLOADS: [Kind; 1] = [Kind::OltpReadOnly];
const DEFAULT_WORKLOADS: [Kind; 3] = [Kind::OltpReadOnly, Kind::OltpPointSelect, Kind::DistinctRanges];
const MOST_DEFAULT_THREADS: usize = 16;

/// What `weigh bench` will do, but for the servers.
#[derive(Debug)]
pub struct Bench {
    pub request: Request,
    pub out: Option<PathBuf>,
    pub format: Format,
    pub dry_run: bool,
}

/// Resolves the options.
pub fn resolve(args: &BenchArgs) -> Result<Bench> {
    let request = Request {
        axes: axes(args),
        workloads: workloads(args)?,
        threads: threads(args),
        rows: rows(args),
        protocol: match args.protocol {
            ProtocolArg::Prepared => drive::Protocol::Prepared,
            ProtocolArg::Text => drive::Protocol::Text,
        },
        mode: match args.mode {
            ModeArg::Duet => Mode::Duet,
            ModeArg::Solo => Mode::Solo,
        },
        driver: match args.driver {
            DriverArg::Native => Driver::Native,
            DriverArg::Sysbench => Driver::Sysbench,
        },
        precision: args.precision.unwrap_or(if args.quick { 0.05 } else { 0.02 }),
        max_time: args.max_time.unwrap_or(Duration::from_secs(if args.quick { 35 } else { 180 })),
        block: args.block.unwrap_or(Duration::from_millis(if args.quick { 500 } else { 1000 })),
        warmup: args.warmup_time,
        pin: !args.no_pin,
    };
    let (block, max_time) = (request.block.as_secs_f64(), request.max_time.as_secs_f64());
    if block > max_time {
        bail!("--block {block}s is longer than --max-time {max_time}s: shorten the one or raise the other");
    }
    Ok(Bench { request, out: args.out.clone(), format: args.format, dry_run: args.dry_run })
}

fn axes(args: &BenchArgs) -> Axes {
    let connection = |name: &String| if name == "match" { None } else { Some(name.clone()) };
    Axes {
        collations: (!args.collations.is_empty()).then(|| args.collations.clone()),
        baseline: args.baseline.clone(),
        connections: without_repeats(args.connection_charset.iter().map(connection)),
        texts: without_repeats(args.text.iter().copied()),
    }
}

fn workloads(args: &BenchArgs) -> Result<Vec<Workload>> {
    let kinds: &[Kind] = if args.quick { &QUICK_WORKLOADS } else { &DEFAULT_WORKLOADS };
    let workloads = if args.workloads.is_empty() {
        kinds.iter().map(|&kind| Workload { kind, range_size: None }).collect()
    } else {
        without_repeats(args.workloads.iter().copied())
    };
    if args.driver == DriverArg::Sysbench {
        if let Some(own) = workloads.iter().find(|workload| !drive::sysbench_has(workload)) {
            bail!("sysbench has no workload {own}; run it with --driver native");
        }
        if args.text.iter().any(|&text| text != Text::Digits) && workloads.iter().any(Workload::writes) {
            bail!("sysbench writes digits only; --text is for --driver native, or for workloads that only read");
        }
    }
    Ok(workloads)
}

fn threads(args: &BenchArgs) -> Vec<u32> {
    if args.threads.is_empty() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        vec![cores.min(MOST_DEFAULT_THREADS) as u32]
    } else {
        without_repeats(args.threads.iter().copied())
    }
}

fn rows(args: &BenchArgs) -> workload::Options {
    workload::Options {
        tables: args.tables,
        table_size: args.table_size.unwrap_or(if args.quick { 10_000 } else { 100_000 }),
        range_size: args.range_size,
        text: Text::default(),
        skip_trx: args.skip_trx,
        distribution: args.rand_type,
        seed: args.seed,
    }
}

fn without_repeats<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
