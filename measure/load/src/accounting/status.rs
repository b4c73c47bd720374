//! Session status counters and the server's own CPU accounting.

use std::collections::BTreeMap;

use crate::error::WireError;
use crate::wire::Connection;

/// Query for the session counters (MySQL manual, "Server Status Variables"). Only MariaDB has
/// `Rows_read` and `Cpu_time`.
pub(crate) const STATUS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler\\_%' OR Variable_name IN \
     ('Created_tmp_tables', 'Created_tmp_disk_tables', 'Sort_merge_passes', 'Sort_rows', 'Rows_read', 'Cpu_time')";

/// Name of the counter for the session's CPU time in seconds, as MariaDB calls it.
pub(crate) const CPU_TIME: &str = "Cpu_time";

/// Query for the CPU time of the session's completed statements, in seconds. performance_schema
/// counts in picoseconds.
const PERFORMANCE_SCHEMA_CPU: &str = "SELECT 'Cpu_time', SUM(sum_cpu_time) / 1e12 FROM \
     performance_schema.events_statements_summary_by_thread_by_event_name WHERE thread_id = PS_CURRENT_THREAD_ID()";

/// A server's own accounting of the CPU time of a session's statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuAccounting {
    /// MariaDB's `userstat`, which fills the status variable `Cpu_time`.
    Userstat,
    /// MySQL's performance_schema consumer `events_statements_cpu`, since 8.0.28.
    PerformanceSchema,
}

/// Why a server's own accounting is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCpuAccounting {
    /// The connections' threads are known, and measured from outside.
    Unneeded,
    /// Switched off, or not visible to the account.
    Off,
    /// `events_statements_cpu` is on, but counts nothing for the connection.
    NotInstrumented,
}

impl CpuAccounting {
    /// Returns the accounting that is switched on and counts the connection's statements.
    pub(crate) fn find(connection: &mut Connection) -> Result<Result<Self, NoCpuAccounting>, WireError> {
        let mut query = |sql: &str| match connection.query_first_row(sql) {
            Ok(row) => Ok(row.into_iter().flatten().collect::<Vec<String>>()),
            Err(WireError::Server { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        // Percona Server has the system variable `userstat`, but no status variable `Cpu_time`.
        if query("SELECT @@userstat")? == ["1"] && !query("SHOW SESSION STATUS LIKE 'Cpu\\_time'")?.is_empty() {
            return Ok(Ok(Self::Userstat));
        }
        let is_on =
            query("SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'events_statements_cpu'")?
                == ["YES"];
        if !is_on {
            return Ok(Err(NoCpuAccounting::Off));
        }
        // The statements before have used CPU time. MySQL 9.7 returns 0 for a connection that
        // `setup_actors` excludes, and while the consumer `thread_instrumentation` is off.
        let counted = query(PERFORMANCE_SCHEMA_CPU)?;
        let seconds = counted.get(1).and_then(|seconds| seconds.parse::<f64>().ok());
        let is_counted = seconds.is_some_and(|seconds| seconds > 0.0);
        Ok(if is_counted { Ok(Self::PerformanceSchema) } else { Err(NoCpuAccounting::NotInstrumented) })
    }

    /// Query to run in addition to [`STATUS`]. It returns one row, a name and a value. `None` if
    /// `STATUS` contains the CPU time.
    pub(crate) fn extra_query(self) -> Option<&'static str> {
        match self {
            Self::Userstat => None,
            Self::PerformanceSchema => Some(PERFORMANCE_SCHEMA_CPU),
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

impl std::fmt::Display for NoCpuAccounting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unneeded => "is not needed",
            Self::Off => "is off or not visible to this account",
            Self::NotInstrumented => {
                "(performance_schema's events_statements_cpu) doesn't count this account's connections: see performance_schema.setup_actors \
                 and the consumers global_instrumentation and thread_instrumentation"
            }
        })
    }
}

/// Query for the pages that the server has read from disk since its start, over all connections,
/// including read-ahead.
pub(crate) const PAGES_READ_STATUS: &str = "SHOW GLOBAL STATUS LIKE 'Innodb\\_pages\\_read'";

pub(crate) const PAGES_READ: &str = "Innodb_pages_read";

/// Maximum number of connections of a load whose counters are read. All connections run the same
/// statements, so a few represent them.
pub(crate) const MAX_SAMPLED_CONNECTIONS: usize = 2;

/// Status counters by name. All are of the session, except [`PAGES_READ`].
pub(crate) type Counters = BTreeMap<String, f64>;
