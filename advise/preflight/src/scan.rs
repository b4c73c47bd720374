//! Runs the checks. Each table is read once for all checks of rows.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use facts::ForeignKey;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::checks::{
    Answer, Check, CheckFunction, ForeignKeyMatch, KeySide, RowCheck, Selection, TableScan, UNREADABLE,
    describe_unchecked_partitions, foreign_key, refuse_to_ask, unholdable,
};
use crate::finding::{self, Finding};
use crate::job::{Job, TableJob};
use crate::limits;
use crate::model::Reading;
use crate::read::RowSource;
use crate::row::{Fields, Row};

/// Options of [`scan`].
pub struct ScanOptions {
    pub selection: Selection,
    /// Number of tables to read in parallel.
    pub parallel: usize,
    /// Memory for all sorts of all threads, in bytes. Each sort gets at least 1 MiB.
    pub memory: usize,
    /// Folder of the sorts' temporary files.
    pub folder: std::path::PathBuf,
}

/// Result of reading a group of tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanResult {
    /// Names of the tables: `schema.table`.
    pub tables: Vec<String>,
    #[serde(with = "finding::records")]
    pub findings: Vec<Finding>,
    /// How each table was read, by `schema.table`.
    pub readings: BTreeMap<String, Reading>,
    /// Growth of the values in bytes under the first target, by `schema.table.column`.
    pub growth: BTreeMap<String, i64>,
    /// Objects that were not checked, with the reason.
    pub unchecked: Vec<String>,
}

/// Receives the progress of a scan, from several threads.
pub trait ScanProgress: Sync {
    /// Reports that `done` of about `expected` rows have been read. `table` is the table of the
    /// last row.
    fn rows_read(&self, table: &str, done: u64, expected: u64);
}

/// Opens a source of rows. Called at most once per thread.
pub type OpenRows<'o> = dyn Fn() -> Result<Box<dyn RowSource + 'o>, Error> + Sync + 'o;

/// Runs the checks that need no rows.
pub fn check_facts(job: &Job<'_>, selection: &Selection) -> Vec<Finding> {
    let findings = |check: &&'static Check| match check.run {
        CheckFunction::Facts(run) => run(job),
        _ => Vec::new(),
    };
    selection.checks().iter().flat_map(findings).collect()
}

/// Reads the groups of [`Job::connected_tables`] in parallel. The results of finished groups are
/// taken from the checkpoint.
pub fn scan(
    job: &Job<'_>,
    options: &ScanOptions,
    open: &OpenRows<'_>,
    checkpoint: &Checkpoint,
    progress: &dyn ScanProgress,
) -> Result<Vec<ScanResult>, Error> {
    let groups = job.connected_tables();
    let expected = groups.iter().flatten().map(|table| table.table.rows.unwrap_or(0)).sum();
    let scanner = Scanner { job, options, progress, done: AtomicU64::new(0), expected };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<Option<ScanResult>>> = Mutex::new(groups.iter().map(|_| None).collect());
    let first_error: Mutex<Option<Error>> = Mutex::new(None);
    let work = || -> Result<(), Error> {
        let mut source: Option<Box<dyn RowSource + '_>> = None;
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = groups.get(at) else { break };
            lifecycle::fatal::panic_for_test("scan");
            let result = match checkpoint.find_result(group) {
                Some(result) => result,
                None => {
                    let source = match &mut source {
                        Some(source) => source,
                        none => none.insert(open()?),
                    };
                    let result = scanner.scan_group(group, source.as_mut())?;
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
        for _ in 0..options.parallel.clamp(1, groups.len().max(1)) {
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

struct Scanner<'s> {
    job: &'s Job<'s>,
    options: &'s ScanOptions,
    progress: &'s dyn ScanProgress,
    done: AtomicU64,
    expected: u64,
}

/// Minimum number of bytes per sort, even if all sorts together then exceed
/// [`ScanOptions::memory`].
const MIN_SORT_MEMORY: usize = 1 << 20;

impl Scanner<'_> {
    /// Reads the tables of a group one after the other.
    fn scan_group(&self, group: &[&TableJob<'_>], source: &mut dyn RowSource) -> Result<ScanResult, Error> {
        let mut result =
            ScanResult { tables: group.iter().map(|table| table.name()).collect(), ..ScanResult::default() };
        let is_in = |schema: &str, name: &str| {
            group.iter().any(|table| table.table.schema == schema && table.table.name == name)
        };
        let both = |key: &&ForeignKey| is_in(&key.schema, &key.table) && is_in(&key.parent_schema, &key.parent_table);
        let selection = &self.options.selection;
        let is_selected =
            [&foreign_key::CHECK, &foreign_key::ORPHANS].iter().any(|check| selection.contains(check.name));
        let keys: Vec<&ForeignKey> =
            if is_selected { self.job.foreign_keys().filter(both).collect() } else { Vec::new() };
        let sort_options = self.sort_options(group, keys.len());
        let matches = keys.iter().flat_map(|key| {
            (0..self.job.targets.len()).map(|target| ForeignKeyMatch::new(self.job, key, target, &sort_options))
        });
        let mut matches: Vec<ForeignKeyMatch<'_>> = matches.collect();
        for table in group {
            self.scan_table(table, &keys, source, &sort_options, &mut matches, &mut result)?;
        }
        for key_match in matches {
            let findings = key_match.finish()?.into_iter();
            result.findings.extend(findings.filter(|finding| selection.contains(&finding.check)));
        }
        Ok(result)
    }

    /// Divides the memory among the sorts that are likely open at the same time.
    fn sort_options(&self, group: &[&TableJob<'_>], keys: usize) -> extsort::Options {
        let targets = self.job.targets.len();
        let sorts = |table: &&TableJob<'_>| (table.unique_indexes().count() + 2 * table.conversions.len()) * targets;
        let sort_count = group.iter().map(sorts).max().unwrap_or(0) + 3 * keys * targets;
        let memory = self.options.memory / self.options.parallel.max(1) / sort_count.max(1);
        extsort::Options {
            memory: memory.max(MIN_SORT_MEMORY),
            folder: self.options.folder.clone(),
            ..extsort::Options::default()
        }
    }

    fn scan_table(
        &self,
        table: &TableJob<'_>,
        keys: &[&ForeignKey],
        source: &mut dyn RowSource,
        sort_options: &extsort::Options,
        matches: &mut [ForeignKeyMatch<'_>],
        result: &mut ScanResult,
    ) -> Result<(), Error> {
        let name = table.name();
        let key = source.key(table);
        let row_end = table.row_end.as_deref().filter(|_| source.reads_history());
        let fields = Fields::new(table, &key, &key_columns(table, keys)).with_row_end(row_end);
        if table.row_end.is_some() && row_end.is_none() {
            result.unchecked.push(format!("{name}: its history was not read, as files hold current rows"));
        }
        let scan = TableScan { job: self.job, table, fields: &fields, sort_options };
        let mut checks: Vec<Box<dyn RowCheck + '_>> = Vec::new();
        for check in self.options.selection.checks() {
            if let CheckFunction::Rows(make) = check.run {
                checks.extend(make(&scan));
            }
        }
        let sides: Vec<Vec<KeySide>> = matches.iter().map(|key_match| key_match.key_sides(&scan)).collect();
        result.unchecked.extend(missing_weights(table));
        result.unchecked.extend(describe_unchecked_partitions(table));
        result.unchecked.extend(limits::describe_unknown_limits(self.job.facts, table));
        result.unchecked.extend(limits::describe_unknown_row_limit(self.job.facts, table));
        let mut growth = vec![0_i64; fields.columns.len()];
        let mut each = |values: &[Option<Vec<u8>>]| -> Result<(), Error> {
            let row = Row::new(table, &fields, values);
            let is_past = row.is_past();
            for check in checks.iter_mut().filter(|check| !is_past || check.reads_history()) {
                check.check_row(&row)?;
            }
            if !is_past {
                for (key_match, sides) in matches.iter_mut().zip(&sides) {
                    for side in sides {
                        key_match.add_row(side, &row)?;
                    }
                }
            }
            for (field, growth) in growth.iter_mut().enumerate() {
                if let (Some(before), Some(Ok(after))) = (row.value(field), row.converted(0, field)) {
                    *growth += after.len() as i64 - before.len() as i64;
                }
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(4_096) {
                self.progress.rows_read(&name, done, self.expected);
            }
            Ok(())
        };
        match source.read(table, &fields, &mut each) {
            Ok(Some(reading)) => {
                if self.options.selection.contains(unholdable::CHECK.name) {
                    result.findings.extend(unholdable::lacking_findings(self.job, table, &reading));
                }
                result.readings.insert(name.clone(), reading);
            }
            Ok(None) => result
                .unchecked
                .push(format!("{name}: not read, as it has no key (--without-key read reads it in one pass)")),
            Err(Error::Denied { why, remedy, .. }) => {
                result.unchecked.push(format!("{name}: not read: {why} ({remedy})"));
            }
            Err(Error::Statement { what, source: mysql::Error::MySqlError(refusal) }) => {
                result.unchecked.push(format!("{name}: cannot {what}: error {}: {}", refusal.code, refusal.message));
                result.findings.push(unread_rows_finding(table, &self.job.targets[0], &refusal));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        for check in checks {
            result.findings.extend(check.finish()?);
        }
        self.ask_questions(table, source, result)?;
        let by_column = fields.columns.iter().zip(growth).filter(|(field, _)| field.conversion.is_some());
        result.growth.extend(by_column.map(|(field, growth)| (format!("{name}.{}", field.name), growth)));
        Ok(())
    }

    /// Asks the source the questions of the checks.
    fn ask_questions(
        &self,
        table: &TableJob<'_>,
        source: &mut dyn RowSource,
        result: &mut ScanResult,
    ) -> Result<(), Error> {
        for check in self.options.selection.checks() {
            let CheckFunction::Questions(questions) = check.run else { continue };
            for question in questions(self.job, table) {
                if let Some(why) = refuse_to_ask(&question) {
                    result.unchecked.push(format!("{}: {why}", question.subject));
                    continue;
                }
                let answer = match &question.unanswerable {
                    Some(why) => Answer::Unknown(why.clone()),
                    None => source.answer(&question)?,
                };
                let (finding, unchecked) = question.conclude(answer);
                result.findings.extend(finding);
                result.unchecked.extend(unchecked);
            }
        }
        Ok(())
    }
}

/// Returns the finding of a table whose rows the server doesn't return. It blocks the table:
/// nothing is known of its rows.
fn unread_rows_finding(table: &TableJob<'_>, target: &str, refusal: &mysql::MySqlError) -> Finding {
    let mut finding = finding::table_finding(&UNREADABLE, check::Severity::Error, table, target);
    finding.details.count = 1;
    finding.what = format!("its rows can't be read: error {}: {}", refusal.code, refusal.message);
    finding.why = "what a conversion does to them is unknown".into();
    finding.action = "repair the table (CHECK TABLE, REPAIR TABLE), then run preflight again".into();
    finding
}

/// Returns the columns of unique keys and foreign keys, which checks need even if they are not
/// converted.
fn key_columns(table: &TableJob<'_>, keys: &[&ForeignKey]) -> Vec<String> {
    let index_columns =
        table.unique_indexes().flat_map(|index| index.parts.iter().filter_map(|part| part.column.clone()));
    let mut names: Vec<String> = index_columns.collect();
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

/// Returns a message for each collation of a converted column that `mysql-collation` lacks.
fn missing_weights(table: &TableJob<'_>) -> Vec<String> {
    let mut unchecked = Vec::new();
    for conversion in &table.conversions {
        let object = format!("{}.{}", table.name(), conversion.column.name);
        for target in conversion.targets.iter().filter(|target| target.collation.is_none()) {
            unchecked.push(format!(
                "{object}: weigh doesn't know the weights of {} yet; collisions and merges are unchecked",
                target.name
            ));
        }
        if conversion.source_collation.is_none() {
            unchecked.push(format!(
                "{object}: weigh doesn't know the weights of {} yet; what is equal now is judged by bytes",
                conversion.from
            ));
        }
    }
    unchecked
}
