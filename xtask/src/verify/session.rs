//! The texts on a server, in a schema that is dropped with the session.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::oracle::use_instruction_set;
use mysql_collation::{Charset, Collation, catalogue};

use crate::servers::Source;

/// Rows of one statement: a packet stays under the least that servers take.
const BATCH: usize = 4000;

/// A server and what is loaded there.
pub struct Session<'a> {
    source: &'a mut Source,
    schema: String,
    instruction_sets: &'a [&'static str],
}

/// Two strings of a row.
pub type Row = (Vec<u8>, Vec<u8>);

impl<'a> Session<'a> {
    /// A schema of its own on a server, whose answers these instruction sets are held against.
    pub fn new(source: &'a mut Source, instruction_sets: &'a [&'static str]) -> Result<Self> {
        let schema = format!("weigh_verify_{}", std::process::id());
        source.conn.query_drop(format!("CREATE DATABASE {schema}")).with_context(|| format!("creating {schema}"))?;
        source.conn.query_drop(format!("USE {schema}"))?;
        Ok(Self { source, schema, instruction_sets })
    }

    /// The server.
    pub fn source(&mut self) -> &mut Source {
        self.source
    }

    /// Whether the library agrees with each instruction set. The first one with which it doesn't stays chosen.
    pub fn agrees(&self, agrees: impl Fn() -> bool) -> bool {
        self.instruction_sets.iter().all(|name| {
            use_instruction_set(name);
            agrees()
        })
    }

    /// The collations that this library implements and the server has.
    pub fn collations(&self) -> Result<Vec<Collation>> {
        let flavour = self.source.flavour();
        let names: Vec<String> = self.source.server.collations()?.into_iter().map(|collation| collation.name).collect();
        let all = catalogue(flavour).iter().filter(|info| names.contains(&self.source.name_of(info.name)));
        Ok(all.filter_map(|info| Collation::by_id(flavour, info.id).ok()).collect())
    }

    /// Loads rows of two strings into a table `name`.
    pub fn load(&mut self, name: &str, charset: Charset, rows: &[Row]) -> Result<()> {
        let (kind, introducer) = match charset {
            Charset::Binary => ("VARBINARY(255)".to_owned(), "_binary".to_owned()),
            charset => {
                let charset = self.source.name_of(charset.name());
                (format!("VARCHAR(255) CHARACTER SET {charset} COLLATE {charset}_bin"), format!("_{charset}"))
            }
        };
        let conn = &mut self.source.conn;
        conn.query_drop(format!("DROP TABLE IF EXISTS {name}"))?;
        conn.query_drop(format!("CREATE TABLE {name} (id INT PRIMARY KEY, a {kind} NOT NULL, b {kind} NOT NULL)"))?;
        conn.query_drop("START TRANSACTION")?;
        for (batch, rows) in rows.chunks(BATCH).enumerate() {
            let mut insert = format!("INSERT INTO {name} VALUES ");
            for (row, (a, b)) in rows.iter().enumerate() {
                let separator = if row == 0 { "" } else { "," };
                let id = batch * BATCH + row;
                insert.push_str(&format!("{separator}({id},{introducer} x'{}',{introducer} x'{}')", hex(a), hex(b)));
            }
            conn.query_drop(insert).with_context(|| format!("loading {name}"))?;
        }
        conn.query_drop("COMMIT").context("loading")
    }

    /// The value of `expression` for the first `count` rows of a table.
    pub fn ask<T: mysql::prelude::FromValue>(&mut self, expression: &str, table: &str, count: usize) -> Result<Vec<T>> {
        let query = format!("SELECT {expression} FROM {table} WHERE id < {count} ORDER BY id");
        let mut answers = Vec::with_capacity(count);
        let rows = self.source.conn.query_iter(query).with_context(|| format!("asking for {expression}"))?;
        for row in rows {
            answers.push(mysql::from_row_opt::<(T,)>(row?)?.0);
        }
        Ok(answers)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // A private server goes with all it has; one that was attached to must not keep this.
        let _ = self.source.conn.query_drop(format!("DROP DATABASE {}", self.schema));
    }
}

/// The digits of these bytes.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
