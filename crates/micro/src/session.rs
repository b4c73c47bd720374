//! One comparison inside a server: `BENCHMARK(n, @a = @b)` less `BENCHMARK(n, @a)`. Two session variables are all that is written.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use drive::ServerThread;
use measure::{Estimate, median};
use mysql::Conn;
use mysql::prelude::{FromRow, Queryable};
use serde::{Deserialize, Serialize};
use server::{CollationInfo, Server};

use crate::error::Error;
use crate::model::Clock;
use crate::pair::Pair;
use crate::timing::{Subject, calibrate, ns};

/// A connection that compares.
pub struct Session<'a> {
    server: &'a Server,
    conn: Conn,
    thread: Option<ServerThread>,
    opened: Instant,
}

/// A pair as the server has it in a collation's charset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The first string's bytes.
    pub a: Vec<u8>,
    /// The second's.
    pub b: Vec<u8>,
}

impl<'a> Session<'a> {
    /// Connects, and finds the connection's thread where the server is on this machine.
    pub fn open(server: &'a Server) -> Result<Self, Error> {
        let mut session = Self { server, conn: server.control()?, thread: None, opened: Instant::now() };
        session.thread = session.find_thread()?;
        Ok(session)
    }

    /// What the comparisons are timed by.
    pub fn clock(&self) -> Clock {
        if self.thread.is_some() { Clock::Cpu } else { Clock::Wall }
    }

    fn find_thread(&mut self) -> Result<Option<ServerThread>, Error> {
        let Some(pid) = self.server.pid() else { return Ok(None) };
        let (handling,): (String,) = self.row("tell how it uses threads", "SELECT @@thread_handling")?;
        // In a pool, each statement may run on another thread.
        if handling != "one-thread-per-connection" {
            return Ok(None);
        }
        let found = ServerThread::find(pid, |work| self.conn.query_drop(work));
        found.map_err(|source| self.failure("run BENCHMARK()", source))
    }

    /// The pair in a charset; `None` where the charset can't hold it.
    pub fn convert(&mut self, pair: &Pair, charset: &str) -> Result<Option<Held>, Error> {
        let (Some(a), Some(b)) = (self.in_charset(&pair.a, charset)?, self.in_charset(&pair.b, charset)?) else {
            return Ok(None);
        };
        Ok(Some(Held { a, b }))
    }

    fn in_charset(&mut self, text: &str, charset: &str) -> Result<Option<Vec<u8>>, Error> {
        let there = converted(text, charset);
        let query = format!("SELECT CAST({there} AS BINARY), CAST(CONVERT({there} USING utf8mb4) AS BINARY)");
        let (bytes, back): (Vec<u8>, Vec<u8>) = self.row("convert text", &query)?;
        Ok((back == text.as_bytes()).then_some(bytes))
    }

    /// Puts a pair under a collation: what [`compare`](Self::compare) and the timings compare from then on.
    pub fn hold(&mut self, pair: &Pair, collation: &CollationInfo) -> Result<(), Error> {
        let value = |text| format!("{} COLLATE {}", converted(text, &collation.charset), collation.name);
        let query = format!("SET @a = {}, @b = {}", value(&pair.a), value(&pair.b));
        self.conn.query_drop(query).map_err(|source| self.failure("hold text in a session variable", source))
    }

    /// How the server compares the pair that it holds.
    pub fn compare(&mut self) -> Result<Ordering, Error> {
        let (sign,): (i8,) = self.row("compare text", "SELECT STRCMP(@a, @b)")?;
        Ok(sign.cmp(&0))
    }

    /// What one comparison of a pair costs, in ns: the median of at least six rounds, each of which compares for about `time`.
    pub fn cost(
        &mut self,
        pair: &Pair,
        collation: &CollationInfo,
        time: Duration,
        rounds: u32,
    ) -> Result<Option<Estimate>, Error> {
        self.hold(pair, collation)?;
        let n = calibrate(&mut self.comparison(), time)?;
        let rounds = (0..rounds).map(|_| self.round(n)).collect::<Result<Vec<_>, _>>()?;
        Ok(median(&rounds))
    }

    /// One comparison of the pair that is held, in ns, from `n` of them.
    pub fn round(&mut self, n: u64) -> Result<f64, Error> {
        let (comparison, baseline) = (self.comparison().time(n)?, self.baseline().time(n)?);
        // Noise can make the difference negative.
        Ok(ns(comparison, n) - ns(baseline, n))
    }

    /// The comparison, to be timed.
    pub fn comparison(&mut self) -> Benchmark<'_, 'a> {
        Benchmark { session: self, expression: "@a = @b" }
    }

    /// All that the comparison does but comparing, to be timed.
    pub fn baseline(&mut self) -> Benchmark<'_, 'a> {
        Benchmark { session: self, expression: "@a" }
    }

    /// The time by this session's clock, from any beginning.
    fn now(&self) -> Result<Duration, Error> {
        let Some(thread) = &self.thread else { return Ok(self.opened.elapsed()) };
        thread.cpu().ok_or_else(|| Error::ThreadGone { label: self.server.label().into() })
    }

    fn row<T: FromRow>(&mut self, what: &'static str, query: &str) -> Result<T, Error> {
        let row = self.conn.query_first(query).map_err(|source| self.failure(what, source))?;
        row.ok_or_else(|| Error::NoAnswer { label: self.server.label().into(), query: query.into() })
    }

    fn failure(&self, what: &'static str, source: mysql::Error) -> Error {
        match self.server.describe_failure() {
            Some(failure) => server::Error::Died(failure).into(),
            None => server::Error::Statement { label: self.server.label().into(), what, source }.into(),
        }
    }
}

/// Text as an SQL expression, converted to a charset by the server. Hexadecimal, so that nothing in it has to be quoted.
fn converted(text: &str, charset: &str) -> String {
    let hex: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
    format!("CONVERT(_utf8mb4 X'{hex}' USING {charset})")
}

/// An expression evaluated many times inside the server.
pub struct Benchmark<'s, 'a> {
    session: &'s mut Session<'a>,
    expression: &'static str,
}

impl Subject for Benchmark<'_, '_> {
    type Error = Error;

    fn time(&mut self, n: u64) -> Result<Duration, Error> {
        server::interrupt::check()?;
        let query = format!("SELECT BENCHMARK({n}, {})", self.expression);
        let begin = self.session.now()?;
        let answer = self.session.conn.query_drop(query);
        answer.map_err(|source| self.session.failure("run BENCHMARK()", source))?;
        Ok(self.session.now()?.saturating_sub(begin))
    }
}
