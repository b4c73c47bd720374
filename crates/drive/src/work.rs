//! What statements make a server do, by the sessions' own status counters: rows read by each way of access, temporary tables, merge passes
//! of sorts. Two sides whose counters differ did not do the same work, and their ratio is not the collation's alone.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use crate::error::{Error, WireError};
use crate::load::Load;
use crate::tally::Tally;

/// The counters that are read, of those that the server has (MySQL manual, "Server Status Variables"; MariaDB has `Rows_read`, too).
pub(crate) const STATUS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler\\_%' OR Variable_name IN \
     ('Created_tmp_tables', 'Created_tmp_disk_tables', 'Sort_merge_passes', 'Sort_rows', 'Rows_read')";

/// So many connections of a load are asked: all do the same.
pub(crate) const SAMPLED: usize = 2;

/// Counters of a session by name.
pub(crate) type Counters = BTreeMap<String, u64>;

/// Reads the counters around a block.
#[derive(Debug)]
pub struct WorkGauge {
    /// By load, then by sampled connection: the counters before, and what reading them adds.
    before: Vec<Vec<(Counters, Counters)>>,
}

impl WorkGauge {
    /// Reads the counters of some connections of each load. Reading counts, too, so it is done twice.
    pub fn begin(loads: &[&Load]) -> Result<Self, Error> {
        let first = read(loads)?;
        let second = read(loads)?;
        let pair = |(first, second): (Vec<Counters>, Vec<Counters>)| {
            first.into_iter().zip(second).map(|(first, second)| (second.clone(), grown(&first, &second))).collect()
        };
        Ok(Self { before: first.into_iter().zip(second).map(pair).collect() })
    }

    /// How much each counter has grown since, a statement of the block that these tallies are of; counters that have not are left out.
    pub fn end(self, loads: &[&Load], tallies: &[Tally]) -> Result<Vec<BTreeMap<String, f64>>, Error> {
        let after = read(loads)?;
        let sides = self.before.into_iter().zip(after).zip(tallies);
        Ok(sides.map(|((before, after), tally)| a_statement(before, after, tally)).collect())
    }
}

fn read(loads: &[&Load]) -> Result<Vec<Vec<Counters>>, Error> {
    let asked: Vec<_> = loads.iter().map(|load| load.ask_status()).collect();
    let received = loads.iter().zip(asked).map(|(load, asked)| {
        let of_one = |counters: Receiver<_>| {
            let answer = counters.recv().unwrap_or_else(|_| Err(WireError::protocol("a connection failed before")));
            answer.map_err(|source| failed(load, source))
        };
        asked.into_iter().map(of_one).collect::<Result<Vec<Counters>, Error>>()
    });
    // All are waited for, also after a failure.
    received.collect::<Vec<_>>().into_iter().collect()
}

fn failed(load: &Load, source: WireError) -> Error {
    let server = load.target().server.clone();
    if source.is_lost() {
        return Error::Lost { server, connections: 1, source };
    }
    Error::Wire { server, doing: "reading the sessions' status", source }
}

fn a_statement(before: Vec<(Counters, Counters)>, after: Vec<Counters>, tally: &Tally) -> BTreeMap<String, f64> {
    let mut sum = BTreeMap::<String, f64>::new();
    for ((before, by_reading), after) in before.into_iter().zip(after) {
        for (name, grown) in grown(&before, &after) {
            let own = by_reading.get(&name).copied().unwrap_or(0);
            *sum.entry(name).or_default() += grown.saturating_sub(own) as f64;
        }
    }
    let statements = tally.sampled_queries.max(1) as f64;
    sum.into_iter().map(|(name, count)| (name, count / statements)).filter(|(_, count)| *count > 0.0).collect()
}

fn grown(before: &Counters, after: &Counters) -> Counters {
    let of =
        |(name, after): (&String, &u64)| (name.clone(), after.saturating_sub(before.get(name).copied().unwrap_or(0)));
    after.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(read: u64, tables: u64) -> Counters {
        [("Handler_read_key".to_owned(), read), ("Created_tmp_tables".to_owned(), tables)].into()
    }

    #[test]
    fn what_reading_the_counters_adds_is_taken_off() {
        let before = vec![(counters(100, 5), counters(0, 1))];
        let tally = Tally { sampled_queries: 50, ..Tally::default() };
        let work = a_statement(before, vec![counters(200, 6)], &tally);
        assert_eq!(work, [("Handler_read_key".to_owned(), 2.0)].into());
    }
}
