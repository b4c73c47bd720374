//! Live sessions and replicas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A session of a client. Its statement is not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Connection id.
    pub id: u64,
    /// Account's user.
    pub user: String,
    /// Host that it came from, without the port.
    pub host: String,
    /// Default schema.
    pub schema: Option<String>,
    /// The client program or library, where it told its name.
    pub program: Option<String>,
    /// `character_set_client`, what statements are taken to be written in.
    pub client: Option<String>,
    /// `character_set_connection`, what literals are converted to.
    pub connection: Option<String>,
    /// `collation_connection`, what literals are compared by.
    pub collation: Option<String>,
    /// `character_set_results`, what results are converted to.
    pub results: Option<String>,
}

/// Binary log and replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replication {
    /// `@@binlog_format`, where the binary log is on and the variable exists.
    pub binlog_format: Option<String>,
    /// The source that this server replicates from, as `host:port`.
    pub source: Option<String>,
    /// Replicas that have registered here, as `host:port`.
    pub registered: Vec<String>,
    /// Replicas that were named, and read.
    pub replicas: Vec<Replica>,
}

/// A replica that was named, with what of its settings bears on text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replica {
    /// What to call it.
    pub label: String,
    /// `SELECT VERSION()`.
    pub version: String,
    /// As [`crate::ServerFacts::variables`].
    pub variables: BTreeMap<String, String>,
    /// Names of its collations.
    pub collations: Vec<String>,
}
