//! From logs and their labels to a run and its blocks: a variant alone for the whole of each log, in rounds where there are several.

use std::collections::BTreeMap;

use measure::{
    Axes, Block, Condition, DEFAULT_BASELINE, Driver, FORMAT, Imported, Latency, LogFigures, Machine, Mode, Options,
    Run, ServerInfo, Side, Variant, pairs,
};

use crate::labels::Labels;
use crate::log::Log;

/// A log and what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What was measured.
    pub labels: Labels,
    /// What was found.
    pub log: Log,
}

/// Makes a run of logs, in their order. `baseline` is the collation that ratios are taken against; the default one, or each server's
/// first, where absent. `now` is when, RFC 3339.
pub fn assemble(
    entries: &[Entry],
    files: Vec<String>,
    baseline: Option<&str>,
    weigh: &str,
    now: &str,
) -> (Run, Vec<Block>) {
    let mut run = empty_run(entries, files, weigh, now);
    for entry in in_order(entries, baseline.unwrap_or(DEFAULT_BASELINE)) {
        place(&mut run.servers, server(&entry.labels));
        let variant = variant(&run, &entry.labels);
        place(&mut run.variants, variant);
        place(&mut run.conditions, condition(entry));
    }
    sort_by_threads(&mut run.conditions);
    let mut rounds: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut blocks = Vec::new();
    let mut at_s = 0.0;
    for entry in entries {
        let own = variant(&run, &entry.labels);
        let variant = run.variants.iter().position(|known| *known == own).expect("it was placed");
        let own = condition(entry);
        let condition = run.conditions.iter().position(|known| *known == own).expect("it was placed");
        let round = rounds.entry((condition, variant)).or_default();
        at_s += entry.log.seconds;
        blocks.push(block(&entry.log, condition, variant, *round, at_s));
        *round += 1;
    }
    for (index, condition) in run.conditions.iter().enumerate() {
        let both = pairs(index, condition, &run.variants, &Axes::default()).into_iter();
        let measured = |variant: usize| rounds.contains_key(&(index, variant));
        run.pairs.extend(both.filter(|pair| measured(pair.variant) && measured(pair.baseline)));
    }
    (run, blocks)
}

/// Workloads in the order in which they came, each by rising connections: names of files have 128 before 16.
fn sort_by_threads(conditions: &mut [Condition]) {
    let mut workloads: Vec<(String, String)> = Vec::new();
    for condition in conditions.iter() {
        place(&mut workloads, (condition.workload.clone(), condition.text.clone()));
    }
    conditions.sort_by_key(|condition| {
        let own = (condition.workload.clone(), condition.text.clone());
        (workloads.iter().position(|known| *known == own), condition.threads)
    });
}

/// Each server's baseline before its others: it is the first variant that ratios are taken against.
fn in_order<'a>(entries: &'a [Entry], baseline: &str) -> Vec<&'a Entry> {
    let (first, rest): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.labels.collation == baseline);
    first.into_iter().chain(rest).collect()
}

fn place<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn server(labels: &Labels) -> ServerInfo {
    let label = &labels.server;
    let version = label.find(|c: char| c.is_ascii_digit()).map_or("", |at| &label[at..]);
    ServerInfo {
        label: label.clone(),
        flavour: labels.flavour,
        version: version.into(),
        comment: String::new(),
        private: false,
        settings: BTreeMap::new(),
        agreed: BTreeMap::new(),
    }
}

fn variant(run: &Run, labels: &Labels) -> Variant {
    Variant {
        server: run.servers.iter().position(|server| server.label == labels.server).unwrap_or(0),
        collation: labels.collation.clone(),
        charset: labels.charset.clone(),
        connection_charset: labels.connection_charset.clone(),
        text: labels.text.to_string(),
        copy: false,
        extra_work: None,
        layers: None,
    }
}

fn condition(entry: &Entry) -> Condition {
    let (labels, threads) = (&entry.labels, entry.log.threads);
    Condition { workload: labels.workload.to_string(), text: labels.text.to_string(), threads }
}

fn block(log: &Log, condition: usize, variant: usize, round: u32, at_s: f64) -> Block {
    let side = Side {
        variant,
        seconds: log.seconds,
        events: log.transactions,
        queries: log.queries,
        rows: None,
        errors: (log.errors > 0).then_some((0, log.errors)).into_iter().collect(),
        lost_connections: 0,
        unbound: false,
        missed: 0,
        effort: None,
        statement_effort: None,
        work: Default::default(),
        server_cpu_us: None,
        pages_read: None,
        client_cpu_us: None,
        latency: latency(&log.figures),
        log: Some(log.figures.clone()),
    };
    Block {
        condition,
        pair: None,
        replicate: None,
        round,
        warm_up: false,
        at_s,
        seconds: log.seconds,
        stolen: None,
        sides: vec![side],
    }
}

/// The percentiles that a run has a place for; the log's own is in its figures.
fn latency(figures: &LogFigures) -> Latency {
    let at = |wanted: f64| figures.percentile_ms.filter(|_| figures.percentile == Some(wanted));
    Latency { p50_ms: at(50.0), p95_ms: at(95.0), p99_ms: at(99.0), hdr: None }
}

fn empty_run(entries: &[Entry], files: Vec<String>, weigh: &str, now: &str) -> Run {
    let mut versions: Vec<&str> = entries.iter().filter_map(|entry| entry.log.version.as_deref()).collect();
    versions.sort_unstable();
    versions.dedup();
    let from = if versions.is_empty() { "sysbench".into() } else { format!("sysbench {}", versions.join(" and ")) };
    let not_told = || String::from("not told");
    Run {
        format: FORMAT.into(),
        weigh: weigh.into(),
        started: now.into(),
        finished: Some(now.into()),
        failure: None,
        command: None,
        imported: Some(Imported { from, files }),
        machine: Machine { system: not_told(), kernel: not_told(), processor: not_told(), cores: 0, memory_bytes: 0 },
        servers: Vec::new(),
        options: Options {
            mode: Mode::Solo,
            driver: Driver::Sysbench,
            // None was asked for.
            precision: 1.0,
            max_time_s: entries.iter().map(|entry| entry.log.seconds).sum(),
            block_s: entries.iter().map(|entry| entry.log.seconds).fold(0.0, f64::max),
            warmup_s: 0.0,
            replicates: None,
            pinned: false,
            turns: None,
            rate: None,
            tables: 0,
            table_size: 0,
            range_size: 0,
            protocol: not_told(),
            skip_trx: false,
            rand_type: not_told(),
            buffer_pool: None,
            seed: 1,
        },
        recipe: None,
        recording: None,
        script: None,
        variants: Vec::new(),
        sizes: Vec::new(),
        plans: Vec::new(),
        progress: None,
        conditions: Vec::new(),
        pairs: Vec::new(),
        notes: Vec::new(),
    }
}
