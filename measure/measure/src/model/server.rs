//! The servers and the machine of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Flavour, Server};

/// A server of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerInfo {
    /// Name in tables and messages.
    pub label: String,
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// Result of `VERSION()`.
    pub version: String,
    /// Value of `@@version_comment`.
    pub comment: String,
    /// Whether `weigh` started the server for this run.
    pub private: bool,
    /// Settings in force that affect the load, and settings that differ from their defaults if the
    /// server reports them.
    pub settings: BTreeMap<String, String>,
    /// Protocol features negotiated for the load's connections, by their names in the protocol.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agreed: BTreeMap<String, String>,
}

impl ServerInfo {
    /// Reads the description of a server. Settings that the server does not have are left out.
    pub fn read(server: &Server, settings: &[&str]) -> Result<Self, server::Error> {
        Ok(Self {
            label: server.label().into(),
            flavour: server.flavour(),
            version: server.version().into(),
            comment: server.version_comment().into(),
            private: server.is_private(),
            settings: {
                let mut all = server.read_changed_settings()?.unwrap_or_default();
                all.extend(server.read_settings(settings)?);
                all
            },
            agreed: BTreeMap::new(),
        })
    }
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Name and version of the operating system.
    pub system: String,
    /// Kernel release.
    pub kernel: String,
    /// Processor model.
    pub processor: String,
    /// Number of cores available to this process.
    pub cores: usize,
    /// Physical memory in bytes.
    pub memory_bytes: u64,
}
