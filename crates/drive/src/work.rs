//! What statements make a server do, by the sessions' own status counters: rows read by each way of access, temporary tables, merge passes
//! of sorts. Two sides whose counters differ did not do the same work, and their ratio is not the collation's alone.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use crate::connection::Connection;
use crate::error::{Error, WireError};
use crate::load::Load;
use crate::tally::Tally;

/// The counters that are read, of those that the server has (MySQL manual, "Server Status Variables"; MariaDB has `Rows_read`, too).
pub(crate) const STATUS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler\\_%' OR Variable_name IN \
     ('Created_tmp_tables', 'Created_tmp_disk_tables', 'Sort_merge_passes', 'Sort_rows', 'Rows_read', 'Cpu_time')";

/// The session's CPU time in seconds, under MariaDB's name for it.
const CPU_TIME: &str = "Cpu_time";

/// The same by performance_schema, whose unit is the picosecond. A statement counts once it has ended.
const BY_STATEMENTS: &str = "SELECT 'Cpu_time', SUM(sum_cpu_time) / 1e12 FROM \
     performance_schema.events_statements_summary_by_thread_by_event_name WHERE thread_id = PS_CURRENT_THREAD_ID()";

/// A server's own accounting of the CPU time of a session's statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuAccounting {
    /// MariaDB's `userstat`, which fills the status variable `Cpu_time`.
    Userstat,
    /// MySQL's consumer `events_statements_cpu` of performance_schema, since 8.0.28.
    PerformanceSchema,
}

impl CpuAccounting {
    /// The accounting that is switched on. An account that may not see it counts as one without.
    pub(crate) fn find(connection: &mut Connection) -> Result<Option<Self>, WireError> {
        let mut ask = |sql: &str| match connection.first_row(sql) {
            Ok(row) => Ok(row.into_iter().flatten().collect::<Vec<String>>()),
            Err(WireError::Server { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        // Percona Server has the variable, and no `Cpu_time`.
        if ask("SELECT @@userstat")? == ["1"] && !ask("SHOW SESSION STATUS LIKE 'Cpu\\_time'")?.is_empty() {
            return Ok(Some(Self::Userstat));
        }
        let is_on = ask("SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'events_statements_cpu'")?
            == ["YES"];
        // A name and a value, where this connection is instrumented.
        Ok((is_on && ask(BY_STATEMENTS)?.len() == 2).then_some(Self::PerformanceSchema))
    }

    /// What is asked besides [`STATUS`], if anything is: a name and a value, too.
    pub(crate) fn statement(self) -> Option<&'static str> {
        match self {
            Self::Userstat => None,
            Self::PerformanceSchema => Some(BY_STATEMENTS),
        }
    }
}

impl std::fmt::Display for CpuAccounting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Userstat => "userstat",
            Self::PerformanceSchema => "performance_schema's events_statements_cpu",
        })
    }
}

/// Pages that the server read from disk since it began, for whatever connection: those that a statement waited for and those read ahead.
pub(crate) const PAGES_READ_STATUS: &str = "SHOW GLOBAL STATUS LIKE 'Innodb\\_pages\\_read'";

/// Its name.
const PAGES_READ: &str = "Innodb_pages_read";

/// So many connections of a load are asked: all do the same.
pub(crate) const SAMPLED: usize = 2;

/// Counters of a session by name.
pub(crate) type Counters = BTreeMap<String, f64>;

/// What a load made its server do, a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// By status counter; those that did not grow are left out.
    pub counters: BTreeMap<String, f64>,
    /// CPU time of statements in µs, by the server's own accounting, where that is switched on.
    pub cpu_us: Option<f64>,
    /// Pages that the server read from disk, where the load is the only one there and was told to count them.
    pub pages_read: Option<f64>,
}

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

    /// What the statements did since, in the block that these tallies are of.
    pub fn end(self, loads: &[&Load], tallies: &[Tally]) -> Result<Vec<Work>, Error> {
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

fn a_statement(before: Vec<(Counters, Counters)>, after: Vec<Counters>, tally: &Tally) -> Work {
    let mut sum = Counters::new();
    for ((before, by_reading), after) in before.into_iter().zip(after) {
        for (name, grown) in grown(&before, &after) {
            let own = by_reading.get(&name).copied().unwrap_or(0.0);
            *sum.entry(name).or_default() += (grown - own).max(0.0);
        }
    }
    let pages_read = sum.remove(PAGES_READ).map(|pages| pages / tally.all_queries.max(1) as f64);
    let statements = tally.sampled_queries.max(1) as f64;
    let mut counters: Counters =
        sum.into_iter().map(|(name, count)| (name, count / statements)).filter(|(_, count)| *count > 0.0).collect();
    let cpu_us = counters.remove(CPU_TIME).map(|seconds| seconds * 1e6);
    Work { counters, cpu_us, pages_read }
}

fn grown(before: &Counters, after: &Counters) -> Counters {
    let of =
        |(name, after): (&String, &f64)| (name.clone(), (after - before.get(name).copied().unwrap_or(0.0)).max(0.0));
    after.iter().map(of).collect()
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
    fn what_reading_the_counters_adds_is_taken_off() {
        let before = vec![(counters(100.0, 5.0, 1.0), counters(0.0, 1.0, 0.5))];
        let tally = Tally { sampled_queries: 50, ..Tally::default() };
        let work = a_statement(before, vec![counters(200.0, 6.0, 1.75)], &tally);
        let counters = named([("Handler_read_key", 2.0)]);
        assert_eq!(work, Work { counters, cpu_us: Some(5000.0), pages_read: None });
    }

    #[test]
    fn pages_read_are_those_of_all_connections() {
        // The second connection isn't asked.
        let before = vec![(named([(PAGES_READ, 100.0)]), named([(PAGES_READ, 0.0)])), Default::default()];
        let after = || vec![named([(PAGES_READ, 400.0)]), Counters::new()];
        let tally = Tally { sampled_queries: 50, all_queries: 200, ..Tally::default() };
        assert_eq!(a_statement(before.clone(), after(), &tally).pages_read, Some(1.5));
        let none = vec![(named([(PAGES_READ, 400.0)]), Counters::new())];
        assert_eq!(a_statement(none, after(), &tally).pages_read, Some(0.0));
    }
}
