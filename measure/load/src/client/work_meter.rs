//! Work of statements in the server, from session status counters, such as rows read per access
//! method and temporary tables. If the counters of two sides differ, the throughput ratio of the
//! sides is not due to the collation alone.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use super::load::Load;
use super::tally::Tally;
use crate::accounting::{CPU_TIME, Counters, PAGES_READ};
use crate::error::{Error, WireError};

/// Work of a load in the server, per statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatementWork {
    /// Status counters by name, per statement. Counters that did not grow are left out.
    pub counters: BTreeMap<String, f64>,
    /// CPU time per statement in µs, by the server's own accounting. `None` if the accounting is
    /// switched off or doesn't count the connections, or if only performance_schema has it and the
    /// CPU time of the server threads is known from `/proc`.
    pub cpu_us: Option<f64>,
    /// Pages that the server read from disk, per statement. `None` unless
    /// [`Settings::counts_pages_read`](super::Settings::counts_pages_read) is set.
    pub pages_read: Option<f64>,
}

/// Reads the counters before and after a block.
#[derive(Debug)]
pub struct WorkMeter {
    /// Per load and sampled connection: the counters before the block, and the increase caused by
    /// reading them.
    before: Vec<Vec<(Counters, Counters)>>,
}

impl WorkMeter {
    /// Reads the counters of the sampled connections twice, to measure what reading itself adds.
    pub fn begin(loads: &[&Load]) -> Result<Self, Error> {
        let first = read_counters(loads)?;
        let second = read_counters(loads)?;
        let pair = |(first, second): (Vec<Counters>, Vec<Counters>)| {
            first.into_iter().zip(second).map(|(first, second)| (second.clone(), increase(&first, &second))).collect()
        };
        Ok(Self { before: first.into_iter().zip(second).map(pair).collect() })
    }

    /// Reads the counters again and returns the work per statement of each load.
    pub fn end(self, loads: &[&Load], tallies: &[Tally]) -> Result<Vec<StatementWork>, Error> {
        let after = read_counters(loads)?;
        let sides = self.before.into_iter().zip(after).zip(tallies);
        Ok(sides.map(|((before, after), tally)| per_statement(before, after, tally)).collect())
    }
}

fn read_counters(loads: &[&Load]) -> Result<Vec<Vec<Counters>>, Error> {
    let asked: Vec<_> = loads.iter().map(|load| load.request_counters()).collect();
    let received = asked.into_iter().enumerate().map(|(at, asked)| {
        let receive = |counters: Receiver<_>| {
            let answer = counters.recv().unwrap_or_else(|_| Err(WireError::protocol("a connection failed before")));
            answer.map_err(|source| counter_error(loads, at, source))
        };
        asked.into_iter().map(receive).collect::<Result<Vec<Counters>, Error>>()
    });
    // Receives the counters of all loads, even after a failure.
    received.collect::<Vec<_>>().into_iter().collect()
}

/// Converts an error of the load at `at`.
fn counter_error(loads: &[&Load], at: usize, source: WireError) -> Error {
    let server = loads[at].target().server.clone();
    if source.is_lost() {
        let connections = (0..loads.len()).map(|other| u32::from(other == at)).collect();
        return Error::Lost { server, connections, source };
    }
    Error::Wire { server, doing: "reading the sessions' status", source }
}

fn per_statement(before: Vec<(Counters, Counters)>, after: Vec<Counters>, tally: &Tally) -> StatementWork {
    let mut sum = Counters::new();
    for ((before, by_reading), after) in before.into_iter().zip(after) {
        for (name, growth) in increase(&before, &after) {
            let own = by_reading.get(&name).copied().unwrap_or(0.0);
            *sum.entry(name).or_default() += (growth - own).max(0.0);
        }
    }
    let pages_read = sum.remove(PAGES_READ).map(|pages| pages / tally.all_queries.max(1) as f64);
    let statements = tally.sampled_queries.max(1) as f64;
    let mut counters: Counters =
        sum.into_iter().map(|(name, count)| (name, count / statements)).filter(|(_, count)| *count > 0.0).collect();
    let cpu_us = counters.remove(CPU_TIME).map(|seconds| seconds * 1e6);
    StatementWork { counters, cpu_us, pages_read }
}

fn increase(before: &Counters, after: &Counters) -> Counters {
    let growth =
        |(name, after): (&String, &f64)| (name.clone(), (after - before.get(name).copied().unwrap_or(0.0)).max(0.0));
    after.iter().map(growth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(read: f64, tables: f64, cpu: f64) -> Counters {
        named([("Handler_read_key", read), ("Created_tmp_tables", tables), (CPU_TIME, cpu)])
    }

    fn named<const N: usize>(counters: [(&str, f64); N]) -> Counters {
        counters.map(|(name, value)| (name.to_owned(), value)).into()
    }

    #[test]
    fn subtracts_the_cost_of_reading_counters() {
        let before = vec![(counters(100.0, 5.0, 1.0), counters(0.0, 1.0, 0.5))];
        let tally = Tally { sampled_queries: 50, ..Tally::default() };
        let work = per_statement(before, vec![counters(200.0, 6.0, 1.75)], &tally);
        let counters = named([("Handler_read_key", 2.0)]);
        assert_eq!(work, StatementWork { counters, cpu_us: Some(5000.0), pages_read: None });
    }

    #[test]
    fn pages_read_are_averaged_over_all_statements() {
        // The second connection does not read this counter.
        let before = vec![(named([(PAGES_READ, 100.0)]), named([(PAGES_READ, 0.0)])), Default::default()];
        let after = || vec![named([(PAGES_READ, 400.0)]), Counters::new()];
        let tally = Tally { sampled_queries: 50, all_queries: 200, ..Tally::default() };
        assert_eq!(per_statement(before.clone(), after(), &tally).pages_read, Some(1.5));
        let none = vec![(named([(PAGES_READ, 400.0)]), Counters::new())];
        assert_eq!(per_statement(none, after(), &tally).pages_read, Some(0.0));
    }
}
