//! Rows in a server's memory, and the timed statements.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use load::ServerThread;
use mysql::prelude::Queryable;
use mysql_collation::{Collation, Flavour};
use serde_json::Value;
use workload::{Options, Workload, WorkloadKind, tables};

use super::values::{Values, word};
use crate::servers::Source;

/// Rows per INSERT, which keep a packet below the servers' smallest limit.
const BATCH: u32 = 4000;

/// Memory limits of the server, in bytes: larger than all keys and rows of a sort here, so that no
/// sort uses the disk.
const MEMORY: u64 = 8 << 30;

/// Value that servers read as no limit.
const NO_LIMIT: u64 = u64::MAX;

/// A table in the MEMORY engine under one collation. The column `c` is sorted.
pub struct Rows<'a> {
    pub source: &'a mut Source,
    thread: ServerThread,
    name: String,
    rows: u32,
}

impl<'a> Rows<'a> {
    /// Fills the table on a private server. Other servers might not have the memory.
    pub fn load(source: &'a mut Source, collation: &str, values: Values, rows: u32) -> Result<Self> {
        ensure!(
            source.server.is_private(),
            "sorting is timed only on a server that this task starts; {} was running already",
            source.title()
        );
        let name = match values {
            Values::C => fill_sysbench(source, collation, rows),
            Values::Scripts => fill_words(source, collation, rows),
        };
        let name = name.with_context(|| format!("loading {rows} rows on {}", source.title()))?;
        let pid = source.server.pid().context("the server's process can't be found")?;
        let thread = ServerThread::find(pid, |work| source.conn.query_drop(work))?;
        let thread = thread.context("none of the server's threads stood out as the connection's")?;
        let rows = Self { source, thread, name, rows };
        rows.check_keys_not_truncated()
    }

    /// Fails if keys are truncated: the order would differ, and cost less.
    fn check_keys_not_truncated(self) -> Result<Self> {
        let query = format!("SELECT MAX(LENGTH(WEIGHT_STRING(c))), @@max_sort_length FROM {}", self.name);
        let lengths = self.source.conn.query_first(query)?;
        let (longest, most): (u64, u64) = lengths.context("no key")?;
        ensure!(longest <= most, "keys have up to {longest} bytes, and @@max_sort_length is {most}");
        Ok(self)
    }

    pub fn values(&mut self) -> Result<Vec<Vec<u8>>> {
        let values: Vec<Vec<u8>> = self.source.conn.query(format!("SELECT c FROM {}", self.name))?;
        ensure!(values.len() == self.rows as usize, "{} rows have {} values", self.rows, values.len());
        Ok(values)
    }

    /// Compares the server's order with the engine's. Equal values may have any order.
    pub fn check_order(&mut self, collation: Collation, ours: &[Vec<u8>]) -> Result<()> {
        let mut count = 0;
        let query = format!("SELECT c FROM {} ORDER BY c", self.name);
        for (row, ours) in self.source.conn.rows(query)?.zip(ours) {
            let theirs: Vec<u8> = mysql::from_row_opt::<(Vec<u8>,)>(row?)?.0;
            ensure!(
                collation.compare(&theirs, ours).is_eq(),
                "of the server's sorted rows, number {count} is {:?}; the engine has {:?} there, and compares the two as {:?}",
                String::from_utf8_lossy(&theirs),
                String::from_utf8_lossy(ours),
                collation.compare(&theirs, ours)
            );
            count += 1;
        }
        ensure!(count == ours.len(), "the server sorted {count} rows of {}", ours.len());
        Ok(())
    }

    /// Compares the server's number of groups with the engine's.
    pub fn check_groups(&mut self, ours: usize) -> Result<()> {
        let query = format!("SELECT COUNT(*) FROM (SELECT c FROM {} GROUP BY c) AS g", self.name);
        let theirs: Option<usize> = self.source.conn.query_first(query)?;
        ensure!(theirs == Some(ours), "the server has {theirs:?} groups, the engine {ours}");
        Ok(())
    }

    /// Selects all rows and sends none, by an offset beyond the end. The row count is unlimited,
    /// because a small one could make the server sort with a priority queue.
    fn scan_sql(&self, order: &str) -> String {
        format!("SELECT c FROM {} {order} LIMIT {}, {NO_LIMIT}", self.name, self.rows)
    }

    pub fn time_scan(&mut self) -> Result<Duration> {
        let (time, counted) = self.time_statement(&self.scan_sql(""))?;
        self.check_all_rows_read(&counted)?;
        ensure!(count_sorts(&counted) == 0, "the scan sorted: {counted:?}");
        Ok(time)
    }

    /// Returns the CPU time of reading and sorting all rows, in memory, without merge passes.
    pub fn time_order_by(&mut self) -> Result<Duration> {
        let (time, counted) = self.time_statement(&self.scan_sql("ORDER BY c"))?;
        self.check_all_rows_read(&counted)?;
        let counter = |name: &str| counted.get(name).copied().unwrap_or(0);
        let is_plain = count_sorts(&counted) == 1
            && counter("Sort_scan") == 1
            && counter("Sort_rows") == u64::from(self.rows)
            && counter("Sort_merge_passes") == 0
            && counter("Sort_priority_queue_sorts") == 0;
        ensure!(is_plain, "ORDER BY was no plain sort of all rows in memory: {counted:?}");
        Ok(time)
    }

    /// Returns the CPU time of reading and grouping all rows, in memory.
    pub fn time_group_by(&mut self) -> Result<Duration> {
        let (time, counted) = self.time_statement(&self.scan_sql("GROUP BY c"))?;
        self.check_all_rows_read(&counted)?;
        let counter = |name: &str| counted.get(name).copied().unwrap_or(0);
        let is_in_memory = counter("Created_tmp_disk_tables") == 0 && counter("Sort_merge_passes") == 0;
        ensure!(is_in_memory, "GROUP BY did not group in memory: {counted:?}");
        Ok(time)
    }

    fn check_all_rows_read(&self, counted: &BTreeMap<String, u64>) -> Result<()> {
        let read = counted.get("Handler_read_rnd_next").copied().unwrap_or(0);
        ensure!(read >= u64::from(self.rows), "the statement read {read} rows of {}", self.rows);
        Ok(())
    }

    /// Returns the CPU time of a statement, and the server's counters of it.
    fn time_statement(&mut self, query: &str) -> Result<(Duration, BTreeMap<String, u64>)> {
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

    /// Returns the server's name of its sort. Fails unless it is a filesort of all rows in memory.
    pub fn explain_filesort(&mut self) -> Result<String> {
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
        let summary = find_value(&trace, "filesort_summary").context("the optimizer trace has no filesort")?;
        let queue = find_value(&trace, "filesort_priority_queue_optimization").and_then(|queue| queue.get("chosen"));
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
        let filesort = find_value(&plan, "filesort").context("the plan has no filesort")?;
        let is_plain = filesort["r_used_priority_queue"] == false
            && filesort["r_output_rows"] == self.rows
            // Absent if there were no passes.
            && filesort.get("r_sort_passes").is_none_or(|passes| *passes == 0);
        ensure!(is_plain, "no plain sort of all rows in memory: {filesort}");
        Ok(format!("filesort of {}", text(&filesort["r_sort_mode"])))
    }
}

/// Creates sysbench's table, and returns its name.
fn fill_sysbench(source: &mut Source, collation: &str, rows: u32) -> Result<String> {
    let options = Options { table_size: rows, ..Options::default() };
    let all = tables(&[Workload::from(WorkloadKind::OltpReadOnly)], &options);
    let [table] = &all[..] else { bail!("sysbench's workload has {} tables", all.len()) };
    let create = table.create_sql().replace("ENGINE=InnoDB", "ENGINE=MEMORY");
    fill(source, collation, &create, &table.insert_sql(), rows, |id, insert| table.insert_row(id, insert))?;
    Ok(table.name.clone())
}

/// Creates a table of words, and returns its name.
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
    let collation = source.local_name(collation);
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
        lifecycle::interrupt::check()?;
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

/// Sums the server's counters of sorts.
fn count_sorts(counted: &BTreeMap<String, u64>) -> u64 {
    ["Sort_scan", "Sort_range"].iter().filter_map(|&name| counted.get(name)).sum()
}

/// Finds the first value of a name, at any depth.
fn find_value<'j>(json: &'j Value, name: &str) -> Option<&'j Value> {
    match json {
        Value::Object(fields) => fields.get(name).or_else(|| fields.values().find_map(|value| find_value(value, name))),
        Value::Array(values) => values.iter().find_map(|value| find_value(value, name)),
        _ => None,
    }
}

fn text(json: &Value) -> &str {
    json.as_str().unwrap_or("an unnamed kind")
}
