//! Servers to derive tables from and to verify against.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::Flavour;
use server::Conn;
use server::{NoProgress, Options, Server};

/// A running server, with a connection whose results are in `utf8mb4`.
pub struct Source {
    /// Dropping it stops the server, if this process started it.
    pub server: Server,
    pub conn: Conn,
    utf8mb3: &'static str,
}

impl Source {
    pub fn open(spec: &str) -> Result<Self> {
        let options = Options { buffer_pool: Some(256 << 20), threads: 4, ..Options::default() };
        let server = server::open(&spec.parse()?, &options, &NoProgress).with_context(|| format!("opening {spec}"))?;
        let mut conn = server.connect()?;
        conn.query_drop("SET NAMES utf8mb4, sql_mode = '', SESSION group_concat_max_len = 16777216")?;
        let is_known = "SELECT 1 FROM information_schema.character_sets WHERE character_set_name = 'utf8mb3'";
        let utf8mb3 = if conn.query_first::<u8, _>(is_known)?.is_some() { "utf8mb3" } else { "utf8" };
        Ok(Self { server, conn, utf8mb3 })
    }

    /// Returns the flavour and `SELECT VERSION()`: `MySQL 9.7.4-2`.
    pub fn title(&self) -> String {
        format!("{} {}", self.server.flavour(), self.server.version())
    }

    pub fn flavour(&self) -> Flavour {
        match self.server.flavour() {
            server::Flavour::MySql => Flavour::MySql,
            server::Flavour::MariaDb => Flavour::MariaDb,
        }
    }

    /// Returns the server's name of a collation or character set. Older servers call `utf8mb3`
    /// `utf8`.
    pub fn local_name(&self, collation: &str) -> String {
        collation.replace("utf8mb3", self.utf8mb3)
    }
}
