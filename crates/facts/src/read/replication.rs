//! The binary log, the source, the replicas that have registered.

use server::{Error, Flavour, Version};

use super::{Privilege, Reader};
use crate::{Replication, ServerFacts};

impl Reader<'_> {
    pub(super) fn replication(&mut self, server: &ServerFacts) -> Result<Replication, Error> {
        let modern = match server.flavour {
            Flavour::MySql => server.number() >= Version::new(8, 0, 22),
            Flavour::MariaDb => server.number() >= Version::new(10, 5, 1),
        };
        let logs = server.is_on("log_bin");
        let (status, hosts) = match (modern, server.flavour) {
            (true, Flavour::MySql) => ("SHOW REPLICA STATUS", "SHOW REPLICAS"),
            (true, Flavour::MariaDb) => ("SHOW REPLICA STATUS", "SHOW REPLICA HOSTS"),
            (false, _) => ("SHOW SLAVE STATUS", "SHOW SLAVE HOSTS"),
        };
        // Columns of the status: 0 is the state, 1 the source's host, 3 its port (1 and 3 in every version).
        let source = self.asked("the source that this server replicates from", status, Privilege::ReplicationStatus)?;
        let registered = if logs {
            self.asked("the replicas of this server", hosts, Privilege::ReplicationHosts)?
        } else {
            Vec::new()
        };
        Ok(Replication {
            binlog_format: server.variable("binlog_format").filter(|_| logs).map(str::to_owned),
            source: source.first().map(|row| format!("{}:{}", row.text(1), row.text(3))),
            // The second column of the hosts is the host, the third the port; an empty host means that none was reported.
            registered: registered
                .iter()
                .map(|row| {
                    let host = row
                        .opt(1)
                        .filter(|host| !host.is_empty())
                        .unwrap_or_else(|| format!("server id {}", row.text(0)));
                    format!("{host}:{}", row.text(2))
                })
                .collect(),
            replicas: Vec::new(),
        })
    }

    /// Rows of a statement that takes a privilege of its own.
    fn asked(&mut self, what: &str, statement: &'static str, privilege: Privilege) -> Result<Vec<super::Cells>, Error> {
        match self.try_rows(statement, &[]) {
            Ok(rows) => Ok(rows),
            Err(mysql::Error::MySqlError(error)) => {
                let remedy =
                    privilege.statement(self.dictionary.flavour, self.dictionary.version, "", &self.grants.account);
                self.cannot_see(what, format!("{} (error {})", error.message, error.code), Some(remedy));
                Ok(Vec::new())
            }
            Err(source) => Err(Error::Statement { label: self.label.clone(), what: "tell of its replication", source }),
        }
    }
}
