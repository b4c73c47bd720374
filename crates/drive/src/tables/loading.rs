//! One loading of rows: generated into one schema, converted to the others, indexed, verified.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use mysql::Conn;
use mysql::prelude::Queryable;
use server::interrupt;
use workload::Table;

use super::error::{Refusal, TablesError};
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
    /// Which of the wanted ones it is; none, where it is only there to convert from.
    wanted: Option<usize>,
    /// What every table of every copy must give back.
    sums: Vec<Sum>,
}

/// Part of a table, to be generated.
struct Part {
    table: usize,
    ids: RangeInclusive<u32>,
}

/// A table to be converted.
struct Copy<'a> {
    wanted: usize,
    schema: &'a str,
    table: usize,
}

impl Loading<'_> {
    pub fn run(&self, conns: &mut [Conn]) -> Result<Vec<Loaded>, TablesError> {
        let mut refusals = BTreeMap::new();
        let mut schemas = BTreeMap::new();
        if let Some(source) = self.source(conns, &mut refusals)? {
            self.copies(conns, &source, &mut schemas, &mut refusals)?;
            match source.wanted {
                Some(at) => drop(schemas.insert(at, source.schema)),
                None => self.claim.drop_schema(&mut conns[0], &source.schema)?,
            }
        }
        self.counter.finish();
        let standing = schemas.into_iter().map(|(at, name)| (at, Loaded::Schema { name }));
        let refused = refusals.into_iter().map(|(at, why)| (at, Loaded::CannotHold { reason: self.reason(at, &why) }));
        Ok(standing.chain(refused).collect::<BTreeMap<_, _>>().into_values().collect())
    }

    fn reason(&self, wanted: usize, why: &str) -> String {
        format!("{} cannot hold this text in {}: {why}", self.claim.server, self.wanted[wanted].charset)
    }

    /// Generates the rows into the first schema that holds them: the first wanted one, else one of utf8mb4.
    fn source(
        &self,
        conns: &mut [Conn],
        refusals: &mut BTreeMap<usize, String>,
    ) -> Result<Option<Source>, TablesError> {
        let spare = Wanted { charset: "utf8mb4".to_owned(), collation: "utf8mb4_bin".to_owned() };
        let is_utf8mb4 = |at: &usize| *at > 0 && self.wanted[*at].charset == spare.charset;
        let ours = (0..self.wanted.len()).take(1).chain((0..self.wanted.len()).filter(is_utf8mb4));
        let candidates = ours.map(|at| (Some(at), &self.wanted[at])).chain([(None, &spare)]);
        for (at, candidate) in candidates {
            if at.is_none() && refusals.len() == self.wanted.len() {
                break;
            }
            let schema = self.claim.create(&mut conns[0], candidate)?;
            match self.fill(conns, &schema) {
                Ok(sums) => return Ok(Some(Source { schema, wanted: at, sums })),
                Err(Refusal::Failed(error)) => return Err(error),
                Err(Refusal::CannotHold(why)) => {
                    self.claim.drop_schema(&mut conns[0], &schema)?;
                    if let Some(at) = at {
                        refusals.insert(at, why);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Generates all rows into one schema.
    fn fill(&self, conns: &mut [Conn], schema: &str) -> Result<Vec<Sum>, Refusal> {
        self.create_tables(&mut conns[0], schema)?;
        let sums = Mutex::new(vec![Sum::default(); self.tables.len()]);
        let parts = self.parts(conns.len() as u32);
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

    /// Every table in as many ranges of ids as there are connections.
    fn parts(&self, connections: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        for (table, Table { rows, .. }) in self.tables.iter().enumerate() {
            let size = rows.div_ceil(connections).max(1);
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

    /// Converts all that is wanted, but for the source itself and what has been refused.
    fn copies(
        &self,
        conns: &mut [Conn],
        source: &Source,
        schemas: &mut BTreeMap<usize, String>,
        refusals: &mut BTreeMap<usize, String>,
    ) -> Result<(), TablesError> {
        for (at, wanted) in self.wanted.iter().enumerate() {
            if Some(at) != source.wanted && !refusals.contains_key(&at) {
                let schema = self.claim.create(&mut conns[0], wanted)?;
                self.create_tables(&mut conns[0], &schema)?;
                schemas.insert(at, schema);
            }
        }
        let copy = |(at, schema): (&usize, &'_ String)| (*at, schema.clone());
        let copying: Vec<(usize, String)> = schemas.iter().map(copy).collect();
        let tasks: Vec<Copy<'_>> = copying
            .iter()
            .flat_map(|(wanted, schema)| (0..self.tables.len()).map(|table| Copy { wanted: *wanted, schema, table }))
            .collect();
        let refused = Mutex::new(BTreeMap::new());
        let refused_now = || refused.lock().unwrap_or_else(PoisonError::into_inner);
        each(conns, &tasks, |conn, task| {
            if refused_now().contains_key(&task.wanted) {
                return Ok(());
            }
            match self.copy(conn, source, task) {
                Err(Refusal::Failed(error)) => Err(error),
                Err(Refusal::CannotHold(why)) => {
                    refused_now().insert(task.wanted, why);
                    Ok(())
                }
                Ok(()) => Ok(()),
            }
        })?;
        for (at, why) in refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if let Some(schema) = schemas.remove(&at) {
                self.claim.drop_schema(&mut conns[0], &schema)?;
            }
            refusals.insert(at, why);
        }
        Ok(())
    }

    fn copy(&self, conn: &mut Conn, source: &Source, task: &Copy<'_>) -> Result<(), Refusal> {
        let table = &self.tables[task.table];
        let purpose = || format!("copy {0}.{2} to {1}.{2}", source.schema, task.schema, table.name);
        enter(conn, task.schema).map_err(TablesError::refused(&self.claim.server, purpose()))?;
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
        self.complete(conn, task.schema, task.table, source.sums[task.table])
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
            return Err(Refusal::CannotHold(format!(
                "{} of {} rows came back from {}, and not the text that went in",
                found.rows, sum.rows, table.name
            )));
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
