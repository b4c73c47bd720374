//! Pauses reading while the server is busy, or lags as a replica.

use std::time::{Duration, Instant};

use lifecycle::interrupt;
use mysql::prelude::Queryable;
use mysql::{Row, Value};
use server::Conn;

use super::ReadOptions;
use crate::Error;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Statements that list a replica's connections to its sources, one row per connection. The first
/// that the server knows is used. On MariaDB, the others list the connection without a name only.
const STATUS_STATEMENTS: [&str; 3] = ["SHOW ALL SLAVES STATUS", "SHOW REPLICA STATUS", "SHOW SLAVE STATUS"];

#[derive(Default)]
pub struct Pace {
    last_check: Option<Instant>,
    status: Status,
}

#[derive(Default)]
enum Status {
    #[default]
    Unasked,
    Statement(&'static str),
    /// The server is no replica, or the account can't see its status.
    None,
}

impl Pace {
    /// Waits until the server is neither busy nor lagging. Asks at most once per second. A failing
    /// status query doesn't pause.
    pub fn wait(&mut self, conn: &mut Conn, options: &ReadOptions) -> Result<(), Error> {
        if self.last_check.is_some_and(|last_check| last_check.elapsed() < CHECK_INTERVAL) {
            return Ok(());
        }
        while is_busy(conn, options) || self.lags(conn, options) {
            interrupt::check()?;
            std::thread::sleep(CHECK_INTERVAL);
        }
        self.last_check = Some(Instant::now());
        Ok(())
    }

    /// True if any of the connections to sources lags.
    fn lags(&mut self, conn: &mut Conn, options: &ReadOptions) -> bool {
        let statements = match self.status {
            Status::Unasked => &STATUS_STATEMENTS[..],
            Status::Statement(statement) => &[statement],
            Status::None => return false,
        };
        let answer = statements
            .iter()
            .find_map(|&statement| conn.query::<Row, _>(statement).ok().map(|connections| (statement, connections)));
        let Some((statement, connections)) = answer.filter(|(_, connections)| !connections.is_empty()) else {
            self.status = Status::None;
            return false;
        };
        self.status = Status::Statement(statement);
        let lag = connections.iter().filter_map(seconds_behind).max();
        lag.is_some_and(|seconds| seconds > options.max_lag.as_secs())
    }
}

fn is_busy(conn: &mut Conn, options: &ReadOptions) -> bool {
    let Some(max_running) = options.max_threads_running else { return false };
    let status: Option<(String, u64)> = conn.query_first("SHOW GLOBAL STATUS LIKE 'Threads_running'").ok().flatten();
    status.is_some_and(|(_, running)| running > max_running)
}

fn seconds_behind(row: &Row) -> Option<u64> {
    let columns = row.columns_ref();
    let at = columns
        .iter()
        .position(|column| matches!(&*column.name_str(), "Seconds_Behind_Source" | "Seconds_Behind_Master"))?;
    match row.as_ref(at)? {
        Value::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.parse().ok(),
        _ => None,
    }
}
