//! Makes a run and its blocks from logged runs and their labels. A logged run becomes one solo
//! block. Further logged runs of the same condition and variant are further rounds.

use std::collections::{BTreeMap, BTreeSet};

use measure::{
    Axes, Block, Condition, DEFAULT_BASELINE, Driver, FORMAT, Imported, Latency, LogFigures, Machine, Mode, Options,
    Run, ServerInfo, Side, Variant, form_pairs,
};

use crate::labels::Labels;
use crate::log::LoggedRun;

#[derive(Clone, Debug, PartialEq)]
pub struct LabelledLog {
    pub labels: Labels,
    pub log: LoggedRun,
}

/// Makes a run of logs, with the blocks in the order of `entries`. `baseline` is the collation that
/// ratios are taken against. `None`: [`DEFAULT_BASELINE`]. A server without that collation has the
/// collation of its first log as baseline. `weigh` is the version of the command, and `now` an
/// RFC 3339 time.
pub fn assemble(
    entries: &[LabelledLog],
    files: Vec<String>,
    baseline: Option<&str>,
    weigh: &str,
    now: &str,
) -> (Run, Vec<Block>) {
    let mut run = build_empty_run(entries, files, weigh, now);
    let mut known = BTreeSet::new();
    for entry in sort_baseline_first(entries, baseline.unwrap_or(DEFAULT_BASELINE)) {
        push_unique(&mut run.servers, build_server_info(&entry.labels));
        let variant = build_variant(&run, &entry.labels);
        push_unique(&mut run.variants, variant);
        let condition = build_condition(entry);
        if known.insert(condition_key(&condition)) {
            run.conditions.push(condition);
        }
    }
    sort_conditions_by_threads(&mut run.conditions);
    let places: BTreeMap<ConditionKey, usize> = run.conditions.iter().map(condition_key).zip(0..).collect();
    let mut rounds: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut blocks = Vec::new();
    let mut at_s = 0.0;
    for entry in entries {
        let own = build_variant(&run, &entry.labels);
        let variant = run.variants.iter().position(|known| *known == own).expect("the variant was added above");
        let condition = places[&condition_key(&build_condition(entry))];
        let round = rounds.entry((condition, variant)).or_default();
        at_s += entry.log.seconds;
        blocks.push(build_block(&entry.log, condition, variant, *round, at_s));
        *round += 1;
    }
    for (index, condition) in run.conditions.iter().enumerate() {
        let both = form_pairs(index, condition, &run.variants, &Axes::default()).into_iter();
        let measured = |variant: usize| rounds.contains_key(&(index, variant));
        run.pairs.extend(both.filter(|pair| measured(pair.variant) && measured(pair.baseline)));
    }
    (run, blocks)
}

/// Sorts the conditions of each workload and text by threads, because sorted file names have 128
/// before 16. Workloads stay in the order of their first conditions.
fn sort_conditions_by_threads(conditions: &mut [Condition]) {
    let mut workloads: Vec<(String, String)> = Vec::new();
    for condition in conditions.iter() {
        push_unique(&mut workloads, (condition.workload.clone(), condition.text.clone()));
    }
    conditions.sort_by_key(|condition| {
        let own = (condition.workload.clone(), condition.text.clone());
        (workloads.iter().position(|known| *known == own), condition.threads)
    });
}

/// Moves logs of the baseline's collation to the front: ratios are taken against a server's first
/// variant.
fn sort_baseline_first<'a>(entries: &'a [LabelledLog], baseline: &str) -> Vec<&'a LabelledLog> {
    let (first, rest): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.labels.collation == baseline);
    first.into_iter().chain(rest).collect()
}

fn push_unique<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn build_server_info(labels: &Labels) -> ServerInfo {
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

fn build_variant(run: &Run, labels: &Labels) -> Variant {
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

/// Workload, text and threads.
type ConditionKey = (String, String, u32);

fn condition_key(condition: &Condition) -> ConditionKey {
    (condition.workload.clone(), condition.text.clone(), condition.threads)
}

fn build_condition(entry: &LabelledLog) -> Condition {
    let (labels, threads) = (&entry.labels, entry.log.threads);
    Condition { workload: labels.workload.to_string(), text: labels.text.to_string(), threads }
}

fn build_block(log: &LoggedRun, condition: usize, variant: usize, round: u32, at_s: f64) -> Block {
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
        latency: latency_percentiles(&log.figures),
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

/// Fills p50, p95 or p99 if sysbench printed that percentile. Any percentile stays in the log's
/// figures.
fn latency_percentiles(figures: &LogFigures) -> Latency {
    let at = |wanted: f64| figures.percentile_ms.filter(|_| figures.percentile == Some(wanted));
    Latency { p50_ms: at(50.0), p95_ms: at(95.0), p99_ms: at(99.0), hdr: None }
}

fn build_empty_run(entries: &[LabelledLog], files: Vec<String>, weigh: &str, now: &str) -> Run {
    let mut versions: Vec<&str> = entries.iter().filter_map(|entry| entry.log.version.as_deref()).collect();
    versions.sort_unstable();
    versions.dedup();
    let from = if versions.is_empty() { "sysbench".into() } else { format!("sysbench {}", versions.join(" and ")) };
    let unknown = || String::from("not told");
    Run {
        format: FORMAT.into(),
        weigh: weigh.into(),
        started: now.into(),
        finished: Some(now.into()),
        failure: None,
        command: None,
        imported: Some(Imported { from, files }),
        machine: Machine { system: unknown(), kernel: unknown(), processor: unknown(), cores: 0, memory_bytes: 0 },
        servers: Vec::new(),
        options: Options {
            mode: Mode::Solo,
            driver: Driver::Sysbench,
            // No precision was requested.
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
            protocol: unknown(),
            skip_trx: false,
            rand_type: unknown(),
            buffer_pool: None,
            seed: 1,
        },
        recipe: None,
        workload_folder: None,
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
