//! Times one comparison inside a server: `BENCHMARK(n, @a = @b)` less `BENCHMARK(n, @a)`. Writes
//! the user variables `@a` and `@b` only.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use load::ServerThread;
use measure::{Estimate, median_with_interval};
use mysql::prelude::{FromRow, Queryable};
use serde::{Deserialize, Serialize};
use server::{CollationInfo, Conn, Server};

use crate::error::Error;
use crate::model::Clock;
use crate::pair::Pair;
use crate::timing::{TimedOperation, calibrate, nanoseconds_each};

/// Connection that compares strings inside the server.
pub struct Session<'a> {
    server: &'a Server,
    conn: Conn,
    thread: Option<ServerThread>,
    opened: Instant,
}

/// Pair of strings in a charset, as the server encodes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodedPair {
    pub a: Vec<u8>,
    pub b: Vec<u8>,
}

impl<'a> Session<'a> {
    /// Connects. Finds the connection's thread if the server runs on this machine without a thread
    /// pool.
    pub fn open(server: &'a Server) -> Result<Self, Error> {
        let mut session = Self { server, conn: server.connect()?, thread: None, opened: Instant::now() };
        session.thread = session.find_thread()?;
        Ok(session)
    }

    /// CPU time if the connection's thread was found, or else wall time.
    pub fn clock(&self) -> Clock {
        if self.thread.is_some() { Clock::Cpu } else { Clock::Wall }
    }

    fn find_thread(&mut self) -> Result<Option<ServerThread>, Error> {
        let Some(pid) = self.server.pid() else { return Ok(None) };
        let (handling,): (String,) = self.query_row("tell how it uses threads", "SELECT @@thread_handling")?;
        // With a thread pool, each statement may run on another thread.
        if handling != "one-thread-per-connection" {
            return Ok(None);
        }
        let thread = ServerThread::find(pid, |work| self.conn.query_drop(work));
        thread.map_err(|source| self.describe_error("run BENCHMARK()", source))
    }

    /// Encodes the pair in a charset. `None` if the charset cannot hold it.
    pub fn encode_pair(&mut self, pair: &Pair, charset: &str) -> Result<Option<EncodedPair>, Error> {
        let (Some(a), Some(b)) = (self.encode(&pair.a, charset)?, self.encode(&pair.b, charset)?) else {
            return Ok(None);
        };
        Ok(Some(EncodedPair { a, b }))
    }

    fn encode(&mut self, text: &str, charset: &str) -> Result<Option<Vec<u8>>, Error> {
        let expression = convert_expression(text, charset);
        let query = format!("SELECT CAST({expression} AS BINARY), CAST(CONVERT({expression} USING utf8mb4) AS BINARY)");
        let (bytes, round_trip): (Vec<u8>, Vec<u8>) = self.query_row("convert text", &query)?;
        Ok((round_trip == text.as_bytes()).then_some(bytes))
    }

    /// Sets the pair and collation that [`compare`](Self::compare) and the timings use from then
    /// on.
    pub fn set_pair(&mut self, pair: &Pair, collation: &CollationInfo) -> Result<(), Error> {
        let value = |text| format!("{} COLLATE {}", convert_expression(text, &collation.charset), collation.name);
        let query = format!("SET @a = {}, @b = {}", value(&pair.a), value(&pair.b));
        self.conn.query_drop(query).map_err(|source| self.describe_error("hold text in a session variable", source))
    }

    /// Returns the server's order of `@a` and `@b`.
    pub fn compare(&mut self) -> Result<Ordering, Error> {
        let (sign,): (i8,) = self.query_row("compare text", "SELECT STRCMP(@a, @b)")?;
        Ok(sign.cmp(&0))
    }

    /// Returns the cost of one comparison of a pair, in ns: the median of the rounds. A round times
    /// the comparison for about `time`, then the baseline. `None` with fewer than six rounds.
    pub fn measure_cost(
        &mut self,
        pair: &Pair,
        collation: &CollationInfo,
        time: Duration,
        rounds: u32,
    ) -> Result<Option<Estimate>, Error> {
        self.set_pair(pair, collation)?;
        let n = calibrate(&mut self.timed_comparison(), time)?;
        let rounds = (0..rounds).map(|_| self.time_round(n)).collect::<Result<Vec<_>, _>>()?;
        Ok(median_with_interval(&rounds))
    }

    /// Returns the cost of one comparison in ns: the time of `n` comparisons less the baseline's,
    /// divided by `n`.
    pub fn time_round(&mut self, n: u64) -> Result<f64, Error> {
        let (comparison, baseline) = (self.timed_comparison().time(n)?, self.timed_baseline().time(n)?);
        // Noise can make the difference negative.
        Ok(nanoseconds_each(comparison, n) - nanoseconds_each(baseline, n))
    }

    /// Returns the comparison as an operation to time.
    pub fn timed_comparison(&mut self) -> Benchmark<'_, 'a> {
        Benchmark { session: self, expression: "@a = @b" }
    }

    /// Returns the evaluation of one variable as an operation to time. A comparison evaluates
    /// another variable and compares the two.
    pub fn timed_baseline(&mut self) -> Benchmark<'_, 'a> {
        Benchmark { session: self, expression: "@a" }
    }

    /// Returns the time of this session's clock, since an arbitrary start.
    fn clock_now(&self) -> Result<Duration, Error> {
        let Some(thread) = &self.thread else { return Ok(self.opened.elapsed()) };
        thread.cpu().ok_or_else(|| Error::ThreadGone { label: self.server.label().into() })
    }

    fn query_row<T: FromRow>(&mut self, what: &'static str, query: &str) -> Result<T, Error> {
        let row = self.conn.query_first(query).map_err(|source| self.describe_error(what, source))?;
        row.ok_or_else(|| Error::NoAnswer { label: self.server.label().into(), query: query.into() })
    }

    fn describe_error(&self, what: &'static str, source: mysql::Error) -> Error {
        match self.server.describe_failure() {
            Some(reason) => server::Error::Died(reason).into(),
            None => server::Error::Statement { label: self.server.label().into(), what, source }.into(),
        }
    }
}

/// Returns an SQL expression for `text` that the server converts to a charset. The literal is
/// hexadecimal, which needs no quoting.
fn convert_expression(text: &str, charset: &str) -> String {
    let hex: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
    format!("CONVERT(_utf8mb4 X'{hex}' USING {charset})")
}

/// An expression that the server evaluates many times.
pub struct Benchmark<'s, 'a> {
    session: &'s mut Session<'a>,
    expression: &'static str,
}

impl TimedOperation for Benchmark<'_, '_> {
    type Error = Error;

    fn time(&mut self, n: u64) -> Result<Duration, Error> {
        lifecycle::interrupt::check()?;
        let query = format!("SELECT BENCHMARK({n}, {})", self.expression);
        let begin = self.session.clock_now()?;
        let result = self.session.conn.query_drop(query);
        result.map_err(|source| self.session.describe_error("run BENCHMARK()", source))?;
        Ok(self.session.clock_now()?.saturating_sub(begin))
    }
}
