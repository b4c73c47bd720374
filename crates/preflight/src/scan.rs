//! Runs the checks: facts first, then each table's rows once, past all checks that watch them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use facts::ForeignKey;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::checks::{CHECKS, Check, KeyMatch, RowCheck, Run, Scan, Side};
use crate::job::{Job, TableJob};
use crate::model::{Finding, Reading};
use crate::read::RowSource;
use crate::row::{Fields, Row};

/// How to run the checks.
pub struct ScanOptions {
    /// Names of the checks to run.
    pub checks: Vec<&'static str>,
    /// How many tables are read at a time.
    pub parallel: usize,
    /// Memory for all sorts together, in bytes.
    pub memory: usize,
    /// Where sorts spill to.
    pub folder: std::path::PathBuf,
}

/// What reading a group of tables gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitResult {
    /// The tables, as `schema.table`.
    pub tables: Vec<String>,
    /// What was found in them.
    pub findings: Vec<Finding>,
    /// How each was read.
    pub readings: BTreeMap<String, Reading>,
    /// Bytes by which the values of each column grow, by `schema.table.column`.
    pub growth: BTreeMap<String, i64>,
    /// What was not checked, and why.
    pub unchecked: Vec<String>,
}

/// Is told how far reading is. Called from several threads.
pub trait Watcher: Sync {
    /// So many rows have been read, of about so many; `table` is being read.
    fn rows(&self, table: &str, done: u64, expected: u64);
}

/// Opens a source of rows, one for each thread.
pub type OpenSource<'o> = dyn Fn() -> Result<Box<dyn RowSource + 'o>, Error> + Sync + 'o;

/// Runs the checks that need no rows.
pub fn facts_findings(job: &Job<'_>, checks: &[&str]) -> Vec<Finding> {
    let of = |check: &Check| match check.run {
        Run::Facts(run) if checks.contains(&check.name) => run(job),
        _ => Vec::new(),
    };
    CHECKS.iter().flat_map(of).collect()
}

/// Reads all tables of the job.
pub fn scan(
    job: &Job<'_>,
    options: &ScanOptions,
    open: &OpenSource<'_>,
    checkpoint: &Checkpoint,
    watcher: &dyn Watcher,
) -> Result<Vec<UnitResult>, Error> {
    let units = job.units();
    let expected = units.iter().flatten().map(|table| table.table.rows.unwrap_or(0)).sum();
    let shared = Shared { job, options, watcher, done: AtomicU64::new(0), expected };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<Option<UnitResult>>> = Mutex::new(units.iter().map(|_| None).collect());
    let first_error: Mutex<Option<Error>> = Mutex::new(None);
    let work = || -> Result<(), Error> {
        let mut source: Option<Box<dyn RowSource + '_>> = None;
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = units.get(at) else { break };
            let result = match checkpoint.finished(unit) {
                Some(result) => result,
                None => {
                    let source = match &mut source {
                        Some(source) => source,
                        none => none.insert(open()?),
                    };
                    let result = shared.unit(unit, source.as_mut())?;
                    checkpoint.add(&result)?;
                    result
                }
            };
            if let Ok(mut results) = results.lock() {
                results[at] = Some(result);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..options.parallel.clamp(1, units.len().max(1)) {
            scope.spawn(|| {
                if let Err(error) = work() {
                    failed.store(true, Ordering::Relaxed);
                    if let Ok(mut first) = first_error.lock() {
                        first.get_or_insert(error);
                    }
                }
            });
        }
    });
    match first_error.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(results.into_inner().unwrap_or_default().into_iter().flatten().collect()),
    }
}

struct Shared<'s> {
    job: &'s Job<'s>,
    options: &'s ScanOptions,
    watcher: &'s dyn Watcher,
    done: AtomicU64,
    expected: u64,
}

/// The least memory of a sort, in bytes.
const LEAST: usize = 1 << 20;

impl Shared<'_> {
    fn runs(&self, name: &str) -> bool {
        self.options.checks.contains(&name)
    }

    /// Reads the tables of a unit, one after the other.
    fn unit(&self, unit: &[&TableJob<'_>], source: &mut dyn RowSource) -> Result<UnitResult, Error> {
        let mut result =
            UnitResult { tables: unit.iter().map(|table| table.name()).collect(), ..UnitResult::default() };
        let is_in = |schema: &str, name: &str| {
            unit.iter().any(|table| table.table.schema == schema && table.table.name == name)
        };
        let both = |key: &&ForeignKey| is_in(&key.schema, &key.table) && is_in(&key.parent_schema, &key.parent_table);
        let keys: Vec<&ForeignKey> =
            if self.runs("foreign-key") { self.job.foreign_keys().filter(both).collect() } else { Vec::new() };
        let sorting = self.sorting(unit, keys.len());
        let matches = keys
            .iter()
            .flat_map(|key| (0..self.job.targets.len()).map(|target| KeyMatch::new(self.job, key, target, &sorting)));
        let mut matches: Vec<KeyMatch<'_>> = matches.collect();
        for table in unit {
            self.table(table, &keys, source, &sorting, &mut matches, &mut result)?;
        }
        for one in matches {
            result.findings.extend(one.finish()?);
        }
        Ok(result)
    }

    /// The memory of each sort that may be going on at once.
    fn sorting(&self, unit: &[&TableJob<'_>], keys: usize) -> extsort::Options {
        let targets = self.job.targets.len();
        let of = |table: &&TableJob<'_>| (table.unique_indexes().count() + table.conversions.len()) * targets;
        let sorts = unit.iter().map(of).max().unwrap_or(0) + 2 * keys * targets;
        let memory = self.options.memory / self.options.parallel.max(1) / sorts.max(1);
        extsort::Options {
            memory: memory.max(LEAST),
            folder: self.options.folder.clone(),
            ..extsort::Options::default()
        }
    }

    fn table(
        &self,
        table: &TableJob<'_>,
        keys: &[&ForeignKey],
        source: &mut dyn RowSource,
        sorting: &extsort::Options,
        matches: &mut [KeyMatch<'_>],
        result: &mut UnitResult,
    ) -> Result<(), Error> {
        let name = table.name();
        let key = source.key(table);
        let fields = Fields::new(table, &key, &others(table, keys));
        let scan = Scan { job: self.job, table, fields: &fields, sorting };
        let mut checks: Vec<Box<dyn RowCheck + '_>> = Vec::new();
        for check in CHECKS.iter().filter(|check| self.runs(check.name)) {
            if let Run::Rows(make) = check.run {
                checks.extend(make(&scan));
            }
        }
        let sides: Vec<Vec<Side>> = matches.iter().map(|one| one.sides(&scan)).collect();
        result.unchecked.extend(unknown(table));
        let mut growth = vec![0_i64; fields.columns.len()];
        let mut each = |values: &[Option<Vec<u8>>]| -> Result<(), Error> {
            let row = Row::new(table, &fields, values);
            for check in &mut checks {
                check.row(&row)?;
            }
            for (one, sides) in matches.iter_mut().zip(&sides) {
                for side in sides {
                    one.row(side, &row)?;
                }
            }
            for (field, growth) in growth.iter_mut().enumerate() {
                if let (Some(before), Some(Ok(after))) = (row.value(field), row.converted(0, field)) {
                    *growth += after.len() as i64 - before.len() as i64;
                }
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(4_096) {
                self.watcher.rows(&name, done, self.expected);
            }
            Ok(())
        };
        match source.read(table, &fields, &mut each) {
            Ok(Some(reading)) => {
                result.readings.insert(name.clone(), reading);
            }
            Ok(None) => result
                .unchecked
                .push(format!("{name}: not read, as it has no key (--without-key read reads it in one pass)")),
            Err(Error::Denied { why, remedy, .. }) => {
                result.unchecked.push(format!("{name}: not read: {why} ({remedy})"));
            }
            Err(error) => return Err(error),
        }
        for check in checks {
            result.findings.extend(check.finish()?);
        }
        let by_column = fields.columns.iter().zip(growth).filter(|(field, _)| field.conversion.is_some());
        result.growth.extend(by_column.map(|(field, growth)| (format!("{name}.{}", field.name), growth)));
        Ok(())
    }
}

/// Columns that checks look at beside those that are converted: other parts of unique keys, and of foreign keys.
fn others(table: &TableJob<'_>, keys: &[&ForeignKey]) -> Vec<String> {
    let of_indexes = table.unique_indexes().flat_map(|index| index.parts.iter().filter_map(|part| part.column.clone()));
    let mut names: Vec<String> = of_indexes.collect();
    for key in keys {
        if key.schema == table.table.schema && key.table == table.table.name {
            names.extend(key.columns.iter().cloned());
        }
        if key.parent_schema == table.table.schema && key.parent_table == table.table.name {
            names.extend(key.parent_columns.iter().cloned());
        }
    }
    names
}

/// What can't be checked, as the library lacks a collation.
fn unknown(table: &TableJob<'_>) -> Vec<String> {
    let mut unchecked = Vec::new();
    for conversion in &table.conversions {
        let object = format!("{}.{}", table.name(), conversion.column.name);
        for to in conversion.to.iter().filter(|to| to.collation.is_none()) {
            unchecked.push(format!(
                "{object}: weigh doesn't know the weights of {} yet; collisions and merges are unchecked",
                to.name
            ));
        }
        if conversion.before.is_none() {
            unchecked.push(format!(
                "{object}: weigh doesn't know the weights of {} yet; what is equal now is judged by bytes",
                conversion.from
            ));
        }
    }
    unchecked
}
