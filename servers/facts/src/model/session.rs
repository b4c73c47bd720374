//! Live sessions, binary log and replicas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A client's session, without its current statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Connection id.
    pub id: u64,
    pub user: String,
    /// Client host without port.
    pub host: String,
    /// Default schema.
    pub schema: Option<String>,
    /// Client program or library. `None` if the client did not report its name, or the account may
    /// not see it.
    pub program: Option<String>,
    /// `character_set_client`, the charset of statements.
    pub client: Option<String>,
    /// `character_set_connection`, the charset of literals.
    pub connection: Option<String>,
    /// `collation_connection`, the collation of literals.
    pub collation: Option<String>,
    /// `character_set_results`, the charset of results.
    pub results: Option<String>,
}

/// Binary log and replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replication {
    /// `@@binlog_format`. `None` if the binary log is off or the variable does not exist.
    pub binlog_format: Option<String>,
    /// Replication source as `host:port`, the first of several. `None` if the server is not a
    /// replica, or the account may not see the source.
    pub source: Option<String>,
    /// Replicas registered at this server, as `host:port`, or `server id ID:port` if a replica does
    /// not report its host.
    pub registered: Vec<String>,
    /// Replicas that the user named. [`read`](crate::read()) leaves the list empty.
    pub replicas: Vec<Replica>,
}

/// Version, variables and collations of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replica {
    /// Name of the replica in output.
    pub label: String,
    /// `SELECT VERSION()`.
    pub version: String,
    /// See [`crate::ServerFacts::variables`].
    pub variables: BTreeMap<String, String>,
    /// Collation names.
    pub collations: Vec<String>,
}
