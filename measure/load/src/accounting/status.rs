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

impl CpuAccounting {
    /// Returns the accounting that is switched on. `None` if neither is, if the connection is not
    /// instrumented, or if the account may not read the settings.
    pub(crate) fn find(connection: &mut Connection) -> Result<Option<Self>, WireError> {
        let mut query = |sql: &str| match connection.query_first_row(sql) {
            Ok(row) => Ok(row.into_iter().flatten().collect::<Vec<String>>()),
            Err(WireError::Server { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        // Percona Server has the system variable `userstat`, but no status variable `Cpu_time`.
        if query("SELECT @@userstat")? == ["1"] && !query("SHOW SESSION STATUS LIKE 'Cpu\\_time'")?.is_empty() {
            return Ok(Some(Self::Userstat));
        }
        let is_on =
            query("SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'events_statements_cpu'")?
                == ["YES"];
        // The query returns a name and a value if this connection is instrumented.
        Ok((is_on && query(PERFORMANCE_SCHEMA_CPU)?.len() == 2).then_some(Self::PerformanceSchema))
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

/// Query for the pages that the server has read from disk since its start, over all connections,
/// including read-ahead.
pub(crate) const PAGES_READ_STATUS: &str = "SHOW GLOBAL STATUS LIKE 'Innodb\\_pages\\_read'";

pub(crate) const PAGES_READ: &str = "Innodb_pages_read";

/// Maximum number of connections of a load whose counters are read. All connections run the same
/// statements, so a few represent them.
pub(crate) const MAX_SAMPLED_CONNECTIONS: usize = 2;

/// Status counters by name. All are of the session, except [`PAGES_READ`].
pub(crate) type Counters = BTreeMap<String, f64>;
