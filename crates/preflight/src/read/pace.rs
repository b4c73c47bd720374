//! Pauses: while the server is busy, and while it lags behind as a replica.

use std::time::{Duration, Instant};

use mysql::prelude::Queryable;
use mysql::{Conn, Row, Value};
use server::interrupt;

use super::ReadOptions;
use crate::Error;

/// How often the server is asked.
const EVERY: Duration = Duration::from_secs(1);

/// When the server was last asked.
#[derive(Default)]
pub struct Pace {
    asked: Option<Instant>,
    /// Whether replication can't be seen: asked once.
    blind: bool,
}

impl Pace {
    /// Returns when the server has room. A question that fails is no reason to wait.
    pub fn wait(&mut self, conn: &mut Conn, options: &ReadOptions) -> Result<(), Error> {
        if self.asked.is_some_and(|asked| asked.elapsed() < EVERY) {
            return Ok(());
        }
        while is_busy(conn, options) || self.lags(conn, options) {
            interrupt::check()?;
            std::thread::sleep(EVERY);
        }
        self.asked = Some(Instant::now());
        Ok(())
    }

    fn lags(&mut self, conn: &mut Conn, options: &ReadOptions) -> bool {
        if self.blind {
            return false;
        }
        let status: Result<Option<Row>, _> =
            conn.query_first("SHOW REPLICA STATUS").or_else(|_| conn.query_first("SHOW SLAVE STATUS"));
        match status {
            Ok(Some(row)) => seconds_behind(&row).is_some_and(|seconds| seconds > options.max_lag.as_secs()),
            Ok(None) | Err(_) => {
                self.blind = true;
                false
            }
        }
    }
}

fn is_busy(conn: &mut Conn, options: &ReadOptions) -> bool {
    let Some(most) = options.max_threads_running else { return false };
    let status: Option<(String, u64)> = conn.query_first("SHOW GLOBAL STATUS LIKE 'Threads_running'").ok().flatten();
    status.is_some_and(|(_, running)| running > most)
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
