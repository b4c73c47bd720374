//! Counts and times of load.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// Counts and times of one load in one block, a limited time under load.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Counted time under load, in seconds, mean over the connections: about the block's length,
    /// or, if two loads take turns, about the sum of this load's counted turns.
    pub seconds: f64,
    /// Completed events (sysbench: transactions).
    pub events: u64,
    /// Sum of the counted fractions of events in turns. The fraction of an event is the share of
    /// its statements that count. Rounded and added to `events` at the end of the block.
    pub(crate) partial_events: f64,
    /// Statements of the completed events. In turns, all counted statements.
    pub queries: u64,
    /// Sum of [`workload::Class::effort`] over the completed events. 0 if unknown. It corrects for
    /// chance: of a mix of statements, one block has more slow events than another.
    pub effort: f64,
    /// Rows received for the statements of `queries`.
    pub rows: u64,
    /// Statements of the whole time under load, including the lead-in, without injected extra work.
    /// The CPU times refer to these statements.
    pub all_queries: u64,
    /// Sum of [`workload::Class::effort`] over the completed events of the whole time under load.
    pub all_effort: f64,
    /// Statements of the connections whose counters are read before and after the block.
    pub(crate) sampled_queries: u64,
    /// Events of an open loop that were due in the block, but had not begun one block length after
    /// its end.
    pub missed: u64,
    /// Failed events by server error number. Without turns, this includes the lead-in.
    pub errors: BTreeMap<u16, u64>,
    /// Latency of the events, in nanoseconds.
    pub latency: Histogram<u64>,
    /// CPU time of the client threads, in nanoseconds.
    pub client_cpu_ns: u64,
    /// CPU time of the server threads of the connections, in nanoseconds. `None` if unknown.
    pub server_cpu_ns: Option<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            seconds: 0.0,
            events: 0,
            partial_events: 0.0,
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
        self.partial_events += other.partial_events;
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

/// Returns a histogram for latencies from 100 ns to 1,000 s with three significant digits.
pub fn new_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, 1_000_000_000_000, 3).expect("the bounds are valid")
}
