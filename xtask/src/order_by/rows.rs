//! Rows in a server's memory, and the statements that are timed there.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use drive::ServerThread;
use mysql::prelude::Queryable;
use mysql_collation::{Collation, Flavour};
use serde_json::Value;
use workload::{Kind, Options, Workload, tables};

use super::values::{Values, word};
use crate::servers::Source;

/// Rows of one INSERT: a packet stays under the least that servers take.
const BATCH: u32 = 4000;

/// More than all keys and rows of any sort here, so that none goes to disk.
const MEMORY: u64 = 8 << 30;

/// What servers take for no limit.
const NO_LIMIT: u64 = u64::MAX;

/// A table in the MEMORY engine under one collation; `c` is what is sorted.
pub struct Rows<'a> {
    source: &'a mut Source,
    thread: ServerThread,
    name: String,
    rows: u32,
}

impl<'a> Rows<'a> {
    /// Fills the table, on a private server: others may not have the memory to spare.
    pub fn load(source: &'a mut Source, collation: &str, values: Values, rows: u32) -> Result<Self> {
        ensure!(
            source.server.is_private(),
            "only a server that is started here is sorted on; {} runs already",
            source.title()
        );
        let name = match values {
            Values::C => fill_sysbench(source, collation, rows),
            Values::Scripts => fill_words(source, collation, rows),
        };
        let name = name.with_context(|| format!("loading {rows} rows on {}", source.title()))?;
        let pid = source.server.pid().context("the server's process is not to be seen")?;
        let thread = ServerThread::find(pid, |work| source.conn.query_drop(work))?;
        let thread = thread.context("none of the server's threads stood out as the connection's")?;
        let rows = Self { source, thread, name, rows };
        rows.keys_are_whole()
    }

    /// Where a key is cut off, the sort is another and less work.
    fn keys_are_whole(self) -> Result<Self> {
        let query = format!("SELECT MAX(LENGTH(WEIGHT_STRING(c))), @@max_sort_length FROM {}", self.name);
        let lengths = self.source.conn.query_first(query)?;
        let (longest, most): (u64, u64) = lengths.context("no key")?;
        ensure!(longest <= most, "keys have up to {longest} bytes, and @@max_sort_length is {most}");
        Ok(self)
    }

    /// The values of `c`, in the order of the table.
    pub fn values(&mut self) -> Result<Vec<Vec<u8>>> {
        let values: Vec<Vec<u8>> = self.source.conn.query(format!("SELECT c FROM {}", self.name))?;
        ensure!(values.len() == self.rows as usize, "{} rows have {} values", self.rows, values.len());
        Ok(values)
    }

    /// Holds the server's order against ours. Values that are equal under the collation may stand in any order there.
    pub fn check_order(&mut self, collation: Collation, ours: &[Vec<u8>]) -> Result<()> {
        let mut count = 0;
        let query = format!("SELECT c FROM {} ORDER BY c", self.name);
        for (row, ours) in self.source.conn.query_iter(query)?.zip(ours) {
            let theirs: Vec<u8> = mysql::from_row_opt::<(Vec<u8>,)>(row?)?.0;
            ensure!(
                collation.compare(&theirs, ours).is_eq(),
                "of the server's sorted rows, number {count} is {:?}; the engine has {:?} there, and says {:?} to the two",
                String::from_utf8_lossy(&theirs),
                String::from_utf8_lossy(ours),
                collation.compare(&theirs, ours)
            );
            count += 1;
        }
        ensure!(count == ours.len(), "the server sorted {count} rows of {}", ours.len());
        Ok(())
    }

    /// Holds the number of the server's groups against ours.
    pub fn check_groups(&mut self, ours: usize) -> Result<()> {
        let query = format!("SELECT COUNT(*) FROM (SELECT c FROM {} GROUP BY c) AS g", self.name);
        let theirs: Option<usize> = self.source.conn.query_first(query)?;
        ensure!(theirs == Some(ours), "the server has {theirs:?} groups, the engine {ours}");
        Ok(())
    }

    /// All rows, of which none is sent. An offset without an end: under any other LIMIT, a server may sort with a priority queue.
    fn scan_sql(&self, order: &str) -> String {
        format!("SELECT c FROM {} {order} LIMIT {}, {NO_LIMIT}", self.name, self.rows)
    }

    /// CPU time of reading all rows.
    pub fn scan(&mut self) -> Result<Duration> {
        let (time, counted) = self.time(&self.scan_sql(""))?;
        self.has_read_all(&counted)?;
        ensure!(sorts(&counted) == 0, "the scan sorted: {counted:?}");
        Ok(time)
    }

    /// CPU time of reading and sorting all rows, in memory and in one go.
    pub fn order_by(&mut self) -> Result<Duration> {
        let (time, counted) = self.time(&self.scan_sql("ORDER BY c"))?;
        self.has_read_all(&counted)?;
        let of = |name: &str| counted.get(name).copied().unwrap_or(0);
        let is_plain = sorts(&counted) == 1
            && of("Sort_scan") == 1
            && of("Sort_rows") == u64::from(self.rows)
            && of("Sort_merge_passes") == 0
            && of("Sort_priority_queue_sorts") == 0;
        ensure!(is_plain, "ORDER BY was no plain sort of all rows in memory: {counted:?}");
        Ok(time)
    }

    /// CPU time of reading and grouping all rows, in memory.
    pub fn group_by(&mut self) -> Result<Duration> {
        let (time, counted) = self.time(&self.scan_sql("GROUP BY c"))?;
        self.has_read_all(&counted)?;
        let of = |name: &str| counted.get(name).copied().unwrap_or(0);
        let is_in_memory = of("Created_tmp_disk_tables") == 0 && of("Sort_merge_passes") == 0;
        ensure!(is_in_memory, "GROUP BY did not group in memory: {counted:?}");
        Ok(time)
    }

    fn has_read_all(&self, counted: &BTreeMap<String, u64>) -> Result<()> {
        let read = counted.get("Handler_read_rnd_next").copied().unwrap_or(0);
        ensure!(read >= u64::from(self.rows), "the statement read {read} rows of {}", self.rows);
        Ok(())
    }

    /// CPU time of a statement, and what the server counted meanwhile.
    fn time(&mut self, query: &str) -> Result<(Duration, BTreeMap<String, u64>)> {
        let before = self.counters()?;
        let begin = self.cpu()?;
        self.source.conn.query_drop(query)?;
        let time = self.cpu()? - begin;
        let grown = |(name, after): (String, u64)| {
            let before = before.get(&name).copied().unwrap_or(0);
            (name, after - before)
        };
        Ok((time, self.counters()?.into_iter().map(grown).collect()))
    }

    fn cpu(&self) -> Result<Duration> {
        self.thread.cpu().context("the connection's thread is gone, or does not come to rest")
    }

    fn counters(&mut self) -> Result<BTreeMap<String, u64>> {
        let query = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Sort%' OR Variable_name LIKE 'Created_tmp%' \
                     OR Variable_name = 'Handler_read_rnd_next'";
        let rows: Vec<(String, u64)> = self.source.conn.query(query)?;
        Ok(rows.into_iter().collect())
    }

    /// How the server sorts, in its own words; an error where that is not a plain sort of all rows in memory.
    pub fn filesort(&mut self) -> Result<String> {
        match self.source.flavour() {
            Flavour::MySql => self.mysql_filesort(),
            Flavour::MariaDb => self.mariadb_filesort(),
        }
    }

    fn mysql_filesort(&mut self) -> Result<String> {
        let query = self.scan_sql("ORDER BY c");
        let conn = &mut self.source.conn;
        conn.query_drop("SET optimizer_trace = 'enabled=on'")?;
        conn.query_drop(query)?;
        let trace: Option<String> = conn.query_first("SELECT trace FROM information_schema.optimizer_trace")?;
        conn.query_drop("SET optimizer_trace = 'enabled=off'")?;
        let trace: Value = serde_json::from_str(&trace.context("no optimizer trace")?)?;
        let summary = find(&trace, "filesort_summary").context("the optimizer trace tells of no filesort")?;
        let queue = find(&trace, "filesort_priority_queue_optimization").and_then(|queue| queue.get("chosen"));
        let is_plain = summary["num_rows_found"] == self.rows
            && summary["num_initial_chunks_spilled_to_disk"] == 0
            && queue.and_then(Value::as_bool) != Some(true);
        ensure!(is_plain, "no plain sort of all rows in memory; priority queue chosen: {queue:?}; {summary}");
        Ok(format!("{} of {}", text(&summary["sort_algorithm"]), text(&summary["sort_mode"])))
    }

    fn mariadb_filesort(&mut self) -> Result<String> {
        let analyze = format!("ANALYZE FORMAT=JSON {}", self.scan_sql("ORDER BY c"));
        let plan: Option<String> = self.source.conn.query_first(analyze)?;
        let plan: Value = serde_json::from_str(&plan.context("no plan")?)?;
        let filesort = find(&plan, "filesort").context("the plan has no filesort")?;
        let is_plain = filesort["r_used_priority_queue"] == false
            && filesort["r_output_rows"] == self.rows
            // Absent where there was none.
            && filesort.get("r_sort_passes").is_none_or(|passes| *passes == 0);
        ensure!(is_plain, "no plain sort of all rows in memory: {filesort}");
        Ok(format!("filesort of {}", text(&filesort["r_sort_mode"])))
    }
}

/// sysbench's table, and its name.
fn fill_sysbench(source: &mut Source, collation: &str, rows: u32) -> Result<String> {
    let options = Options { table_size: rows, ..Options::default() };
    let all = tables(&[Workload::from(Kind::OltpReadOnly)], &options);
    let [table] = &all[..] else { bail!("sysbench's workload has {} tables", all.len()) };
    let create = table.create_sql().replace("ENGINE=InnoDB", "ENGINE=MEMORY");
    fill(source, collation, &create, &table.insert_sql(), rows, |id, insert| table.insert_row(id, insert))?;
    Ok(table.name.clone())
}

/// A table of words, and its name.
fn fill_words(source: &mut Source, collation: &str, rows: u32) -> Result<String> {
    let row = |id, insert: &mut String| {
        insert.push_str("('");
        insert.push_str(&word(id));
        insert.push_str("')");
    };
    fill(source, collation, "CREATE TABLE words (c VARCHAR(60) NOT NULL)", "INSERT INTO words VALUES ", rows, row)?;
    Ok("words".to_owned())
}

fn fill(
    source: &mut Source,
    collation: &str,
    create: &str,
    insert: &str,
    rows: u32,
    row: impl Fn(u32, &mut String),
) -> Result<()> {
    let collation = source.name_of(collation);
    let is_mysql = source.flavour() == Flavour::MySql;
    let conn = &mut source.conn;
    conn.query_drop("DROP DATABASE IF EXISTS weigh_order_by")?;
    conn.query_drop(format!("CREATE DATABASE weigh_order_by CHARACTER SET utf8mb4 COLLATE {collation}"))?;
    conn.query_drop("USE weigh_order_by")?;
    conn.query_drop(format!(
        "SET max_heap_table_size = {MEMORY}, tmp_table_size = {MEMORY}, sort_buffer_size = {MEMORY}"
    ))?;
    if is_mysql {
        conn.query_drop(format!("SET GLOBAL temptable_max_ram = {MEMORY}"))?;
    }
    conn.query_drop("SET default_storage_engine = MEMORY")?;
    conn.query_drop(create)?;
    let mut statement = String::new();
    for first in (1..=rows).step_by(BATCH as usize) {
        server::interrupt::check()?;
        statement.clear();
        statement.push_str(insert);
        for id in first..(first + BATCH).min(rows + 1) {
            if id > first {
                statement.push(',');
            }
            row(id, &mut statement);
        }
        conn.query_drop(&statement)?;
    }
    Ok(())
}

/// Sorts that the server counted, of whatever kind.
fn sorts(counted: &BTreeMap<String, u64>) -> u64 {
    ["Sort_scan", "Sort_range"].iter().filter_map(|&name| counted.get(name)).sum()
}

/// The first value of this name, however deep.
fn find<'j>(json: &'j Value, name: &str) -> Option<&'j Value> {
    match json {
        Value::Object(fields) => fields.get(name).or_else(|| fields.values().find_map(|value| find(value, name))),
        Value::Array(values) => values.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

fn text(json: &Value) -> &str {
    json.as_str().unwrap_or("something that it does not name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses_to_time_a_sort_that_spills(spec: &str, collation: &str) {
        let mut source = Source::open(spec).unwrap();
        let mut rows = Rows::load(&mut source, collation, Values::C, 20_000).unwrap();
        rows.filesort().unwrap();
        rows.order_by().unwrap();
        rows.source.conn.query_drop("SET sort_buffer_size = 262144").unwrap();
        for refusal in [rows.filesort().unwrap_err(), rows.order_by().unwrap_err()] {
            assert!(refusal.to_string().contains("no plain sort of all rows in memory"), "{refusal}");
        }
        rows.scan().unwrap();
    }

    #[test]
    fn a_sort_that_spills_is_not_timed_on_mysql() {
        refuses_to_time_a_sort_that_spills("mysql@sid", "utf8mb4_0900_ai_ci");
    }

    #[test]
    fn a_sort_that_spills_is_not_timed_on_mariadb() {
        refuses_to_time_a_sort_that_spills("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
    }
}
