//! What a load did in a block.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// What one load did in one block.
#[derive(Clone, Debug)]
pub struct Tally {
    /// How long the load was on, counted, in seconds: the block's length, or in turns the sum of this side's.
    pub seconds: f64,
    /// Events (transactions, in sysbench's terms) completed in that time.
    pub events: u64,
    /// Events that were spread over several turns, by the share of their statements that count; whole in the end.
    pub(crate) shares: f64,
    /// Statements of those events.
    pub queries: u64,
    /// What those events take, where that is known beforehand ([`workload::Class::effort`]): more than that of another block with as many events
    /// where it happened to have more of those that take long.
    pub effort: f64,
    /// Rows that the server sent for them.
    pub rows: u64,
    /// Statements of the whole time under load, lead-in included: what the CPU times below were spent on.
    pub all_queries: u64,
    /// The effort of their events.
    pub all_effort: f64,
    /// Those of the connections whose counters are read around a block.
    pub(crate) sampled_queries: u64,
    /// Events of an open loop that were due and had not begun when the block was given up.
    pub missed: u64,
    /// Failed events by the server's error number.
    pub errors: BTreeMap<u16, u64>,
    /// Latency of the events, in nanoseconds.
    pub latency: Histogram<u64>,
    /// CPU time of the client's threads, in nanoseconds.
    pub client_cpu_ns: u64,
    /// CPU time of the server's threads behind the connections, in nanoseconds, where it can be told.
    pub server_cpu_ns: Option<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            seconds: 0.0,
            events: 0,
            shares: 0.0,
            queries: 0,
            effort: 0.0,
            rows: 0,
            all_queries: 0,
            all_effort: 0.0,
            sampled_queries: 0,
            missed: 0,
            errors: BTreeMap::new(),
            latency: new_histogram(),
            client_cpu_ns: 0,
            server_cpu_ns: None,
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.seconds += other.seconds;
        self.events += other.events;
        self.shares += other.shares;
        self.queries += other.queries;
        self.effort += other.effort;
        self.rows += other.rows;
        self.all_queries += other.all_queries;
        self.all_effort += other.all_effort;
        self.missed += other.missed;
        self.client_cpu_ns += other.client_cpu_ns;
        for (&code, &count) in &other.errors {
            *self.errors.entry(code).or_default() += count;
        }
        self.latency.add(&other.latency).expect("all histograms have the same bounds");
    }
}

/// A histogram of latencies from 100 ns to 1,000 s, three significant digits.
pub fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, 1_000_000_000_000, 3).expect("the bounds are valid")
}
