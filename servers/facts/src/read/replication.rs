//! Reading the binary log's format, the replication source and registered replicas.

use server::{Error, Flavour, Version};

use super::{DictionaryRow, Privilege, Reader};
use crate::{Replication, ServerFacts};

/// Number of columns of `SHOW REPLICAS` on MySQL: server id, host, port, source id and UUID.
/// MariaDB has no UUID. User and password are additional columns.
const MAX_COLUMNS_WITHOUT_ACCOUNT: usize = 5;

impl Reader<'_> {
    pub(super) fn read_replication(&mut self, server: &ServerFacts) -> Result<Replication, Error> {
        let has_replica_syntax = match server.flavour {
            Flavour::MySql => server.version_number() >= Version::new(8, 0, 22),
            Flavour::MariaDb => server.version_number() >= Version::new(10, 5, 1),
        };
        let has_binary_log = server.is_on("log_bin");
        let (status, hosts) = match (has_replica_syntax, server.flavour) {
            (true, Flavour::MySql) => ("SHOW REPLICA STATUS", "SHOW REPLICAS"),
            (true, Flavour::MariaDb) => ("SHOW REPLICA STATUS", "SHOW REPLICA HOSTS"),
            (false, _) => ("SHOW SLAVE STATUS", "SHOW SLAVE HOSTS"),
        };
        // Counted from 0, column 1 of the status is the source's host and column 3 its port, in
        // every version.
        let source = self.query_with_privilege(
            "the source that this server replicates from",
            status,
            Privilege::ReplicationStatus,
        )?;
        let registered = if has_binary_log {
            self.query_with_privilege("the replicas of this server", hosts, Privilege::ReplicationHosts)?
        } else {
            Vec::new()
        };
        Ok(Replication {
            binlog_format: server.variable("binlog_format").filter(|_| has_binary_log).map(str::to_owned),
            source: source.first().map(|row| format!("{}:{}", row.text(1), row.text(3))),
            registered: registered.iter().map(format_registered).collect(),
            replicas: Vec::new(),
        })
    }

    /// Runs a statement that requires a privilege. If the server refuses it, adds an `Unseen` entry
    /// and returns no rows.
    fn query_with_privilege(
        &mut self,
        what: &str,
        statement: &'static str,
        privilege: Privilege,
    ) -> Result<Vec<DictionaryRow>, Error> {
        match self.try_query(statement, &[]) {
            Ok(rows) => Ok(rows),
            Err(mysql::Error::MySqlError(error)) => {
                let remedy = privilege.grant_statement(
                    self.dictionary.flavour,
                    self.dictionary.version,
                    "",
                    &self.grants.account,
                );
                self.add_unseen(what, format!("{} (error {})", error.message, error.code), Some(remedy));
                Ok(Vec::new())
            }
            Err(source) => Err(Error::Statement { label: self.label.clone(), what: "report its replication", source }),
        }
    }
}

/// Returns `host:port` of a row of `SHOW REPLICAS`, or `server id ID:port` if the replica does not
/// report its host. A server with `show_replica_auth_info` adds user and password after the host.
fn format_registered(row: &DictionaryRow) -> String {
    let port = if row.columns() > MAX_COLUMNS_WITHOUT_ACCOUNT { 4 } else { 2 };
    let host = row.optional_text(1).filter(|host| !host.is_empty());
    format!("{}:{}", host.unwrap_or_else(|| format!("server id {}", row.text(0))), row.text(port))
}
