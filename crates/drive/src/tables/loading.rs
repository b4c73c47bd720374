//! One loading of rows: generated into one schema, converted to the others, indexed, verified.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use mysql::Conn;
use mysql::prelude::Queryable;
use server::interrupt;
use workload::Table;

use super::error::{CannotHold, Refusal, TablesError};
use super::parallel::{Counter, each};
use super::schema::{Claim, enter, quote};
use super::verify::{self, Sum};
use super::{Loaded, Wanted};

/// Bytes of an INSERT; the server's max_allowed_packet may ask for less.
const INSERT_BYTES: usize = 1 << 20;
/// More than the longest row takes.
const ROW_BYTES: usize = 1 << 10;
/// Rows of an INSERT … SELECT: locks and undo stay small, and a signal is noticed soon.
const COPY_ROWS: u32 = 20_000;

/// What to load, and for whom.
pub(super) struct Loading<'a> {
    pub claim: &'a Claim,
    pub tables: &'a [Table],
    pub wanted: &'a [Wanted],
    pub counter: &'a Counter<'a>,
}

/// The schema that the others are converted from.
struct Source {
    schema: String,
    /// What every table of every copy must give back.
    sums: Vec<Sum>,
}

/// A schema that is converted to.
struct Target {
    /// Which of the wanted ones it is.
    wanted: usize,
    schema: String,
}

/// Part of a table, to be generated.
struct Part {
    table: usize,
    ids: RangeInclusive<u32>,
}

/// How many schemas are filled: one more than are asked for, unless that is one.
pub(super) fn schemas(wanted: &[Wanted]) -> u64 {
    if wanted.len() == 1 { 1 } else { wanted.len() as u64 + 1 }
}

/// What became of each of the wanted schemas, by its place.
type Verdicts = BTreeMap<usize, Loaded>;

impl Loading<'_> {
    pub fn run(&self, conns: &mut [Conn]) -> Result<Vec<Loaded>, TablesError> {
        let mut verdicts = Verdicts::new();
        // The only one is filled by a connection a table, so that its rows lie as in a copy.
        let generated = match self.wanted {
            [only] => self.generate(conns, only, 1)?,
            _ => self.source(conns)?,
        };
        match generated {
            Ok(only) if self.wanted.len() == 1 => drop(verdicts.insert(0, Loaded::Schema { name: only.schema })),
            Ok(source) => {
                let targets = self.targets(&mut conns[0])?;
                let refused = self.convert(conns, &source, &targets)?;
                self.settle(&mut conns[0], targets, refused, &mut verdicts)?;
                self.claim.drop_schema(&mut conns[0], &source.schema)?;
            }
            // Where not even utf8mb4 gives the text back, nothing will.
            Err(verdict) => verdicts.extend((0..self.wanted.len()).map(|at| (at, verdict.clone()))),
        }
        self.counter.finish();
        Ok(verdicts.into_values().collect())
    }

    /// Generates the rows into a schema that is there only to convert from. No schema that is measured is filled that way: the rows
    /// of one that is filled by several connections lie on other pages than a copy's, and an A/A duet shows it (by 0.6 % to 1 % on
    /// MariaDB 10.11).
    fn source(&self, conns: &mut [Conn]) -> Result<Result<Source, Loaded>, TablesError> {
        let staging = Wanted { charset: "utf8mb4".to_owned(), collation: "utf8mb4_bin".to_owned() };
        let parts = conns.len() as u32;
        self.generate(conns, &staging, parts)
    }

    /// Creates a schema and generates the rows into it, each table in so many parts at a time; or says why it can't hold them.
    fn generate(&self, conns: &mut [Conn], wanted: &Wanted, parts: u32) -> Result<Result<Source, Loaded>, TablesError> {
        let schema = self.claim.create(&mut conns[0], wanted)?;
        match self.fill(conns, &schema, parts) {
            Ok(sums) => Ok(Ok(Source { schema, sums })),
            Err(Refusal::CannotHold(why)) => {
                self.claim.drop_schema(&mut conns[0], &schema)?;
                Ok(Err(Loaded::CannotHold { reason: why.sentence(&wanted.charset) }))
            }
            Err(Refusal::Failed(error)) => Err(error),
        }
    }

    /// Generates all rows into one schema, each table in so many parts at a time.
    fn fill(&self, conns: &mut [Conn], schema: &str, parts: u32) -> Result<Vec<Sum>, Refusal> {
        self.create_tables(&mut conns[0], schema)?;
        let sums = Mutex::new(vec![Sum::default(); self.tables.len()]);
        let parts = self.parts(parts);
        each(conns, &parts, |conn, part| {
            let sum = self.insert(conn, schema, part)?;
            sums.lock().unwrap_or_else(PoisonError::into_inner)[part.table].add(sum);
            Ok::<_, Refusal>(())
        })?;
        let sums = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        let places: Vec<usize> = (0..self.tables.len()).collect();
        each(conns, &places, |conn, table| self.complete(conn, schema, *table, sums[*table]))?;
        Ok(sums)
    }

    /// Every table in so many ranges of ids.
    fn parts(&self, number: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        for (table, Table { rows, .. }) in self.tables.iter().enumerate() {
            let size = rows.div_ceil(number).max(1);
            parts.extend(ranges(*rows, size).map(|ids| Part { table, ids }));
        }
        parts
    }

    fn insert(&self, conn: &mut Conn, schema: &str, part: &Part) -> Result<Sum, Refusal> {
        let table = &self.tables[part.table];
        let purpose = || format!("write rows into {}.{}", schema, table.name);
        enter(conn, schema).map_err(TablesError::refused(&self.claim.server, purpose()))?;
        let packet: Option<usize> = conn
            .query_first("SELECT @@max_allowed_packet")
            .map_err(TablesError::refused(&self.claim.server, purpose()))?;
        let full = INSERT_BYTES.min(packet.unwrap_or(INSERT_BYTES)).saturating_sub(2 * ROW_BYTES);
        let head = table.insert_sql();
        let mut sum = Sum::default();
        let mut sql = String::with_capacity(INSERT_BYTES);
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
            conn.query_drop(&sql).map_err(Refusal::of(&self.claim.server, purpose()))?;
            self.counter.add(sum.rows - before);
        }
        Ok(sum)
    }

    /// Creates, without rows, all that is wanted and has no verdict yet.
    fn targets(&self, conn: &mut Conn) -> Result<Vec<Target>, TablesError> {
        let create = |(at, wanted)| {
            let schema = self.claim.create(conn, wanted)?;
            self.create_tables(conn, &schema)?;
            Ok(Target { wanted: at, schema })
        };
        self.wanted.iter().enumerate().map(create).collect()
    }

    /// Converts the source to every target; returns which of the wanted ones cannot hold the text, and why.
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
        each(conns, &tasks, |conn, (target, table)| {
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

    /// Drops the targets that cannot hold the text, and writes down what became of all of them.
    fn settle(
        &self,
        conn: &mut Conn,
        targets: Vec<Target>,
        mut refused: BTreeMap<usize, CannotHold>,
        verdicts: &mut Verdicts,
    ) -> Result<(), TablesError> {
        for Target { wanted, schema } in targets {
            let verdict = match refused.remove(&wanted) {
                None => Loaded::Schema { name: schema },
                Some(why) => {
                    self.claim.drop_schema(conn, &schema)?;
                    Loaded::CannotHold { reason: why.sentence(&self.wanted[wanted].charset) }
                }
            };
            verdicts.insert(wanted, verdict);
        }
        Ok(())
    }

    fn copy(&self, conn: &mut Conn, source: &Source, schema: &str, at: usize) -> Result<(), Refusal> {
        let table = &self.tables[at];
        let purpose = || format!("copy {0}.{2} to {1}.{2}", source.schema, schema, table.name);
        enter(conn, schema).map_err(TablesError::refused(&self.claim.server, purpose()))?;
        let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
        let (name, columns, from) = (&table.name, columns.join(", "), quote(&source.schema));
        for ids in ranges(table.rows, COPY_ROWS) {
            check_signal()?;
            let (first, last) = ids.into_inner();
            conn.query_drop(format!(
                "INSERT INTO {name} ({columns}) SELECT {columns} FROM {from}.{name} WHERE id BETWEEN {first} AND {last} ORDER BY id"
            ))
            .map_err(Refusal::of(&self.claim.server, purpose()))?;
            self.counter.add(u64::from(last - first) + 1);
        }
        self.complete(conn, schema, at, source.sums[at])
    }

    fn create_tables(&self, conn: &mut Conn, schema: &str) -> Result<(), TablesError> {
        let purpose = || format!("create the tables of {schema}");
        self.claim.check(conn, schema)?;
        enter(conn, schema).map_err(TablesError::refused(&self.claim.server, purpose()))?;
        let create = |table: &Table| conn.query_drop(table.create_sql());
        self.tables.iter().try_for_each(create).map_err(TablesError::refused(&self.claim.server, purpose()))
    }

    /// With its rows in, gives a table its indexes, verifies it, and has the server count its keys, so that plans are alike everywhere.
    fn complete(&self, conn: &mut Conn, schema: &str, table: usize, sum: Sum) -> Result<(), Refusal> {
        let table = &self.tables[table];
        let refused =
            |purpose: &str| TablesError::refused(&self.claim.server, format!("{purpose} {schema}.{}", table.name));
        enter(conn, schema).map_err(refused("index"))?;
        for index in table.index_sql() {
            check_signal()?;
            conn.query_drop(index).map_err(refused("index"))?;
        }
        let found = verify::read(conn, table).map_err(refused("verify"))?;
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
    if interrupt::interrupted() { Err(TablesError::Interrupted) } else { Ok(()) }
}

/// The ids from 1 to `rows`, so many at a time.
fn ranges(rows: u32, size: u32) -> impl Iterator<Item = RangeInclusive<u32>> {
    (1..=rows).step_by(size as usize).map(move |first| first..=rows.min(first.saturating_add(size - 1)))
}
