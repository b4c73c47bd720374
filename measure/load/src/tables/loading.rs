//! Loading rows: generate into one schema, convert to the others, index, verify.
//!
//! ```text
//!               one schema requested             several schemas requested
//! generate ──▶ into the schema itself            into the staging schema (utf8mb4)
//! convert                                        staging ──▶ each schema, table by table
//! finish ────▶ index, verify, ANALYZE TABLE      index, verify, ANALYZE TABLE; drop the staging schema
//! ```

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use lifecycle::interrupt;
use mysql::prelude::Queryable;
use server::Conn;
use workload::Table;

use super::error::{CannotHold, Refusal, TablesError};
use super::parallel::{ProgressCounter, run_tasks};
use super::schema::{OwnedSchemas, use_schema};
use super::verify::{self, Checksum};
use super::{SchemaOutcome, SchemaSpec};

/// Maximum number of bytes of one INSERT, unless the server's max_allowed_packet is smaller.
const MAX_INSERT_BYTES: usize = 1 << 20;
/// Upper bound for the bytes of one row.
const MAX_ROW_BYTES: usize = 1 << 10;
/// Maximum number of rows of one INSERT … SELECT. Keeps locks and undo small and bounds the
/// reaction time to a signal.
const MAX_COPY_ROWS: u32 = 20_000;

/// One job of loading rows into schemas.
pub(super) struct Loading<'a> {
    pub owned: &'a OwnedSchemas,
    pub tables: &'a [Table],
    pub wanted: &'a [SchemaSpec],
    pub counter: &'a ProgressCounter<'a>,
}

/// The schema to convert from.
struct Source {
    schema: String,
    /// Checksum of each table. Every copy must have the same.
    sums: Vec<Checksum>,
}

/// A schema to convert to.
struct Target {
    /// Index in [`Loading::wanted`].
    wanted: usize,
    schema: String,
}

/// A range of a table's rows.
struct TablePart {
    table: usize,
    ids: RangeInclusive<u32>,
}

/// Returns the number of schemas to fill: one for one requested schema, otherwise one more for
/// staging.
pub(super) fn count_schemas(wanted: &[SchemaSpec]) -> u64 {
    if wanted.len() == 1 { 1 } else { wanted.len() as u64 + 1 }
}

/// Outcome of each requested schema, by index.
type Outcomes = BTreeMap<usize, SchemaOutcome>;

impl Loading<'_> {
    pub fn run(&self, conns: &mut [Conn]) -> Result<Vec<SchemaOutcome>, TablesError> {
        let mut outcomes = Outcomes::new();
        // A single schema is filled with one connection per table, so that its pages are filled as
        // in a copy.
        let generated = match self.wanted {
            [only] => self.generate(conns, only, 1)?,
            _ => self.generate_source(conns)?,
        };
        match generated {
            Ok(only) if self.wanted.len() == 1 => drop(outcomes.insert(0, SchemaOutcome::Schema { name: only.schema })),
            Ok(source) => {
                let targets = self.create_targets(&mut conns[0])?;
                let refused = self.convert(conns, &source, &targets)?;
                self.record_outcomes(&mut conns[0], targets, refused, &mut outcomes)?;
                self.owned.drop_schema(&mut conns[0], &source.schema)?;
            }
            // A single schema has this outcome itself. Of several, none can hold text that does not
            // survive in the staging schema's utf8mb4.
            Err(outcome) => outcomes.extend((0..self.wanted.len()).map(|at| (at, outcome.clone()))),
        }
        self.counter.finish();
        Ok(outcomes.into_values().collect())
    }

    /// Generates the rows into the staging schema, with several connections per table. A measured
    /// schema is never filled this way: rows inserted by several connections lie on different pages
    /// than in a copy. An A/A duet of two such schemas differs by 0.6 to 1 % on MariaDB 10.11.
    fn generate_source(&self, conns: &mut [Conn]) -> Result<Result<Source, SchemaOutcome>, TablesError> {
        let staging = SchemaSpec { charset: "utf8mb4".to_owned(), collation: "utf8mb4_bin".to_owned() };
        let parts = conns.len() as u32;
        self.generate(conns, &staging, parts)
    }

    /// Creates a schema and generates the rows into it, with up to `parts` connections per table.
    /// The inner error says why the character set cannot hold the rows.
    fn generate(
        &self,
        conns: &mut [Conn],
        wanted: &SchemaSpec,
        parts: u32,
    ) -> Result<Result<Source, SchemaOutcome>, TablesError> {
        let schema = self.owned.create(&mut conns[0], wanted)?;
        match self.fill(conns, &schema, parts) {
            Ok(sums) => Ok(Ok(Source { schema, sums })),
            Err(Refusal::CannotHold(why)) => {
                self.owned.drop_schema(&mut conns[0], &schema)?;
                Ok(Err(SchemaOutcome::CannotHold { reason: why.describe(&wanted.charset) }))
            }
            Err(Refusal::Failed(error)) => Err(error),
        }
    }

    /// Generates all rows into one schema, with up to `parts` connections per table.
    fn fill(&self, conns: &mut [Conn], schema: &str, parts: u32) -> Result<Vec<Checksum>, Refusal> {
        self.create_tables(&mut conns[0], schema)?;
        let sums = Mutex::new(vec![Checksum::default(); self.tables.len()]);
        let parts = self.split_tables(parts);
        run_tasks(conns, &parts, |conn, part| {
            let sum = self.insert(conn, schema, part)?;
            sums.lock().unwrap_or_else(PoisonError::into_inner)[part.table].add(sum);
            Ok::<_, Refusal>(())
        })?;
        let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        let places: Vec<usize> = (0..self.tables.len()).collect();
        run_tasks(conns, &places, |conn, table| self.finish_table(conn, schema, *table, sums[*table]))?;
        Ok(sums)
    }

    /// Splits each table into up to `number` ranges of ids.
    fn split_tables(&self, number: u32) -> Vec<TablePart> {
        let mut parts = Vec::new();
        for (table, Table { rows, .. }) in self.tables.iter().enumerate() {
            let size = rows.div_ceil(number).max(1);
            parts.extend(id_ranges(*rows, size).map(|ids| TablePart { table, ids }));
        }
        parts
    }

    fn insert(&self, conn: &mut Conn, schema: &str, part: &TablePart) -> Result<Checksum, Refusal> {
        let table = &self.tables[part.table];
        let purpose = || format!("write rows into {}.{}", schema, table.name);
        use_schema(conn, schema).map_err(TablesError::refused(&self.owned.server, purpose()))?;
        let packet: Option<usize> = conn
            .query_first("SELECT @@max_allowed_packet")
            .map_err(TablesError::refused(&self.owned.server, purpose()))?;
        let full = MAX_INSERT_BYTES.min(packet.unwrap_or(MAX_INSERT_BYTES)).saturating_sub(2 * MAX_ROW_BYTES);
        let head = table.insert_sql();
        let mut sum = Checksum::default();
        let mut sql = String::with_capacity(MAX_INSERT_BYTES);
        let mut ids = part.ids.clone().peekable();
        while ids.peek().is_some() {
            sql.clone_from(&head);
            let before = sum.rows;
            for id in ids.by_ref() {
                let start = sql.len();
                table.insert_row(id, &mut sql);
                sum.add_row(&sql[start..]);
                if sql.len() >= full {
                    break;
                }
                sql.push(',');
            }
            sql.truncate(sql.trim_end_matches(',').len());
            check_signal()?;
            conn.query_drop(&sql).map_err(Refusal::from_error(&self.owned.server, purpose()))?;
            self.counter.add(sum.rows - before);
        }
        Ok(sum)
    }

    /// Creates the requested schemas with empty tables.
    fn create_targets(&self, conn: &mut Conn) -> Result<Vec<Target>, TablesError> {
        let create = |(at, wanted)| {
            let schema = self.owned.create(conn, wanted)?;
            self.create_tables(conn, &schema)?;
            Ok(Target { wanted: at, schema })
        };
        self.wanted.iter().enumerate().map(create).collect()
    }

    /// Copies the source to every target. Returns the requested schemas that cannot hold the text,
    /// with the reason.
    fn convert(
        &self,
        conns: &mut [Conn],
        source: &Source,
        targets: &[Target],
    ) -> Result<BTreeMap<usize, CannotHold>, TablesError> {
        let tables = 0..self.tables.len();
        let tasks: Vec<(&Target, usize)> =
            targets.iter().flat_map(|target| tables.clone().map(move |table| (target, table))).collect();
        let refused = Mutex::new(BTreeMap::new());
        let refused_now = || refused.lock().unwrap_or_else(PoisonError::into_inner);
        run_tasks(conns, &tasks, |conn, (target, table)| {
            if refused_now().contains_key(&target.wanted) {
                return Ok(());
            }
            match self.copy(conn, source, &target.schema, *table) {
                Err(Refusal::Failed(error)) => return Err(error),
                Err(Refusal::CannotHold(why)) => drop(refused_now().insert(target.wanted, why)),
                Ok(()) => {}
            }
            Ok(())
        })?;
        Ok(refused.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drops the targets that cannot hold the text and records the outcome of all targets.
    fn record_outcomes(
        &self,
        conn: &mut Conn,
        targets: Vec<Target>,
        mut refused: BTreeMap<usize, CannotHold>,
        outcomes: &mut Outcomes,
    ) -> Result<(), TablesError> {
        for Target { wanted, schema } in targets {
            let outcome = match refused.remove(&wanted) {
                None => SchemaOutcome::Schema { name: schema },
                Some(why) => {
                    self.owned.drop_schema(conn, &schema)?;
                    SchemaOutcome::CannotHold { reason: why.describe(&self.wanted[wanted].charset) }
                }
            };
            outcomes.insert(wanted, outcome);
        }
        Ok(())
    }

    fn copy(&self, conn: &mut Conn, source: &Source, schema: &str, at: usize) -> Result<(), Refusal> {
        let table = &self.tables[at];
        let purpose = || format!("copy {0}.{2} to {1}.{2}", source.schema, schema, table.name);
        use_schema(conn, schema).map_err(TablesError::refused(&self.owned.server, purpose()))?;
        let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
        let (name, columns, from) = (&table.name, columns.join(", "), sql::quote_identifier(&source.schema));
        for ids in id_ranges(table.rows, MAX_COPY_ROWS) {
            check_signal()?;
            let (first, last) = ids.into_inner();
            conn.query_drop(format!(
                "INSERT INTO {name} ({columns}) SELECT {columns} FROM {from}.{name} WHERE id BETWEEN {first} AND {last} ORDER BY id"
            ))
            .map_err(Refusal::from_error(&self.owned.server, purpose()))?;
            self.counter.add(u64::from(last - first) + 1);
        }
        self.finish_table(conn, schema, at, source.sums[at])
    }

    fn create_tables(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let purpose = || format!("create the tables of {schema}");
        self.owned.check(conn, schema)?;
        use_schema(conn, schema).map_err(TablesError::refused(&self.owned.server, purpose()))?;
        let create = |table: &Table| conn.query_drop(table.create_sql());
        self.tables.iter().try_for_each(create).map_err(TablesError::refused(&self.owned.server, purpose()))
    }

    /// Creates the indexes of a loaded table, compares its checksum with `sum`, and runs ANALYZE
    /// TABLE, so that the plans of all schemas rely on fresh statistics.
    fn finish_table(&self, conn: &mut Conn, schema: &str, table: usize, sum: Checksum) -> Result<(), Refusal> {
        let table = &self.tables[table];
        let refused =
            |purpose: &str| TablesError::refused(&self.owned.server, format!("{purpose} {schema}.{}", table.name));
        use_schema(conn, schema).map_err(refused("index"))?;
        for index in table.index_sql() {
            check_signal()?;
            conn.query_drop(index).map_err(refused("index"))?;
        }
        let found = verify::read_checksum(conn, table).map_err(refused("verify"))?;
        if found != sum {
            return Err(Refusal::CannotHold(CannotHold::Altered {
                table: table.name.clone(),
                sent: sum.rows,
                found: found.rows,
            }));
        }
        conn.query_drop(format!("ANALYZE TABLE {}", table.name)).map_err(refused("analyse"))?;
        self.counter.add(sum.rows);
        Ok(())
    }
}

fn check_signal() -> Result<(), TablesError> {
    if interrupt::is_pending() { Err(TablesError::Interrupted) } else { Ok(()) }
}

/// Splits the ids from 1 to `rows` into ranges of `size` ids. The last range may be shorter.
fn id_ranges(rows: u32, size: u32) -> impl Iterator<Item = RangeInclusive<u32>> {
    (1..=rows).step_by(size as usize).map(move |first| first..=rows.min(first.saturating_add(size - 1)))
}
