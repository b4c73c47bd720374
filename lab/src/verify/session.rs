//! Loads texts into a temporary schema of a server and queries them there. The server's results are
//! then compared with the library's.

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::oracle::use_instruction_set;
use mysql_collation::{Charset, Collation, catalogue};

use crate::servers::Source;

/// Rows per statement. The texts are short, so a statement of 4000 rows is below the servers'
/// smallest `max_allowed_packet`.
const BATCH: usize = 4000;

pub struct Session<'a> {
    source: &'a mut Source,
    schema: String,
    instruction_sets: &'a [&'static str],
}

/// Values of the columns `a` and `b`.
pub type TextPair = (Vec<u8>, Vec<u8>);

impl<'a> Session<'a> {
    /// Creates a schema. `instruction_sets` are the library's instruction sets to compare with the
    /// server.
    pub fn new(source: &'a mut Source, instruction_sets: &'a [&'static str]) -> Result<Self> {
        let schema = format!("weigh_verify_{}", std::process::id());
        source.conn.query_drop(format!("CREATE DATABASE {schema}")).with_context(|| format!("creating {schema}"))?;
        source.conn.query_drop(format!("USE {schema}"))?;
        Ok(Self { source, schema, instruction_sets })
    }

    pub fn server(&mut self) -> &mut Source {
        self.source
    }

    /// Calls `check` once with each instruction set of the library in use, until it returns
    /// `false`. Returns whether it never did. The last instruction set tried stays in use.
    pub fn holds_for_all_instruction_sets(&self, check: impl Fn() -> bool) -> bool {
        self.instruction_sets.iter().all(|name| {
            use_instruction_set(name);
            check()
        })
    }

    /// Returns the collations that both the library and the server have.
    pub fn collations(&self) -> Result<Vec<Collation>> {
        let flavour = self.source.flavour();
        let names: Vec<String> =
            self.source.server.read_collations()?.into_iter().map(|collation| collation.name).collect();
        let all = catalogue(flavour).iter().filter(|info| names.contains(&self.source.local_name(info.name)));
        Ok(all.filter_map(|info| Collation::by_id(flavour, info.id).ok()).collect())
    }

    pub fn load(&mut self, name: &str, charset: Charset, rows: &[TextPair]) -> Result<()> {
        let (kind, introducer) = match charset {
            Charset::Binary => ("VARBINARY(255)".to_owned(), "_binary".to_owned()),
            charset => {
                let charset = self.source.local_name(charset.name());
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

    /// Returns the values of `expression` for the first `count` rows of a table.
    pub fn query<T: mysql::prelude::FromValue>(
        &mut self,
        expression: &str,
        table: &str,
        count: usize,
    ) -> Result<Vec<T>> {
        let query = format!("SELECT {expression} FROM {table} WHERE id < {count} ORDER BY id");
        let mut answers = Vec::with_capacity(count);
        let rows = self.source.conn.rows(query).with_context(|| format!("asking for {expression}"))?;
        for row in rows {
            answers.push(mysql::from_row_opt::<(T,)>(row?)?.0);
        }
        Ok(answers)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // Cleans up a server that existed before. A server started for the verification is deleted
        // with its data, so a failure is ignored.
        let _ = self.source.conn.query_drop(format!("DROP DATABASE {}", self.schema));
    }
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
