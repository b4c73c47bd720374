//! The servers that tables come from and are verified against.

use anyhow::{Context, Result};
use mysql::Conn;
use mysql::prelude::Queryable;
use mysql_collation::Flavour;
use server::{NoProgress, Options, Server};

/// A running server and a connection to it whose results are in `utf8mb4`.
pub struct Source {
    /// The server; it is stopped with this.
    pub server: Server,
    /// A connection.
    pub conn: Conn,
    utf8mb3: &'static str,
}

impl Source {
    /// Opens the server that `spec` names, as `--server` does.
    pub fn open(spec: &str) -> Result<Self> {
        let options = Options { buffer_pool: Some(256 << 20), threads: 4, ..Options::default() };
        let server = server::open(&spec.parse()?, &options, &NoProgress).with_context(|| format!("opening {spec}"))?;
        let mut conn = server.control()?;
        conn.query_drop("SET NAMES utf8mb4, sql_mode = '', SESSION group_concat_max_len = 16777216")?;
        let is_known = "SELECT 1 FROM information_schema.character_sets WHERE character_set_name = 'utf8mb3'";
        let utf8mb3 = if conn.query_first::<u8, _>(is_known)?.is_some() { "utf8mb3" } else { "utf8" };
        Ok(Self { server, conn, utf8mb3 })
    }

    /// What to call it in texts that stay: flavour and version.
    pub fn title(&self) -> String {
        format!("{} {}", self.server.flavour(), self.server.version())
    }

    /// Whose collations it has.
    pub fn flavour(&self) -> Flavour {
        match self.server.flavour() {
            server::Flavour::MySql => Flavour::MySql,
            server::Flavour::MariaDb => Flavour::MariaDb,
        }
    }

    /// The name that this server gives to a collation. Before MySQL 8.0.28 and MariaDB 10.6, `utf8mb3` was `utf8`.
    pub fn name_of(&self, collation: &str) -> String {
        collation.replace("utf8mb3", self.utf8mb3)
    }
}
