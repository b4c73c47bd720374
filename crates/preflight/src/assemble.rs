//! From facts and a source of rows to the report.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facts::Facts;

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::checks::CHECKS;
use crate::job::{Job, Request, TableJob};
use crate::model::{FORMAT, Report, Severity, Size, TableReport};
use crate::plan::{self, ProgramSource};
use crate::scan::{OpenSource, ScanOptions, UnitResult, Watcher, facts_findings, scan};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is asked for.
    pub request: Request,
    /// Names of the checks to run; [`check_names`] has all.
    pub checks: Vec<&'static str>,
    /// How many tables to read at a time.
    pub parallel: usize,
    /// Memory for sorting, in bytes.
    pub memory: usize,
    /// Where sorts spill to.
    pub folder: PathBuf,
    /// Whether to read rows at all.
    pub read_rows: bool,
}

/// What is looked at.
pub struct Source<'s> {
    /// What to call it.
    pub label: String,
    /// What is known of it.
    pub facts: &'s Facts,
    /// `SHOW CREATE TABLE` of each table, by schema and name.
    pub creates: &'s BTreeMap<(String, String), String>,
    /// Programs that have to be created again.
    pub programs: &'s [ProgramSource],
    /// Opens its rows.
    pub open: &'s OpenSource<'s>,
    /// Whether there is a server, for which a plan is of use.
    pub is_server: bool,
}

/// Names of all checks.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name)
}

/// Runs the checks and makes the plan.
pub fn preflight(
    source: &Source<'_>,
    options: &Options,
    checkpoint: &Checkpoint,
    watcher: &dyn Watcher,
) -> Result<Report, Error> {
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let job = Job::new(source.facts, source.creates, &options.request);
    let mut findings = facts_findings(&job, &options.checks);
    let mut unchecked = Vec::new();
    let results = if options.read_rows {
        let how = ScanOptions {
            checks: options.checks.clone(),
            parallel: options.parallel,
            memory: options.memory,
            folder: options.folder.clone(),
        };
        scan(&job, &how, source.open, checkpoint, watcher)?
    } else {
        unchecked.push(
            "rows were not read (--no-rows): collisions, values that don't fit and the like are unchecked".to_owned(),
        );
        Vec::new()
    };
    for result in &results {
        findings.extend(result.findings.iter().cloned());
        unchecked.extend(result.unchecked.iter().cloned());
    }
    let order = |name: &str| check_names().position(|check| check == name);
    findings.sort_by(|a, b| {
        (a.severity, order(&a.check), &a.object, &a.target).cmp(&(b.severity, order(&b.check), &b.object, &b.target))
    });
    findings.dedup();
    unchecked.extend(source.facts.unseen.iter().map(|unseen| {
        let remedy = unseen.remedy.as_ref().map_or(String::new(), |remedy| format!(" ({remedy})"));
        format!("{}: {}{remedy}", unseen.what, unseen.why)
    }));
    unchecked.sort();
    unchecked.dedup();
    let plan = source
        .is_server
        .then(|| plan::plan(&job, &options.request, &findings, source.programs))
        .filter(|plan| !plan.steps.is_empty());
    Ok(Report {
        format: FORMAT.into(),
        source: source.label.clone(),
        version: source.is_server.then(|| source.facts.server.version.clone()),
        started,
        targets: job.targets.clone(),
        tables: job.tables.iter().map(|table| table_report(table, &results)).collect(),
        notes: notes(&job),
        findings,
        plan,
        costs: Vec::new(),
        unchecked,
    })
}

fn notes(job: &Job<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if job.tables.iter().all(|table| table.conversions.is_empty()) {
        notes.push(format!(
            "no column is to be converted: all that were asked for have {} already, or keep their own collation",
            job.targets[0]
        ));
    }
    for target in &job.targets {
        let fact = job.facts.server.collation(target);
        if let Some(comment) =
            fact.and_then(|fact| fact.comment.as_ref()).filter(|comment| comment.to_lowercase().contains("alias"))
        {
            notes.push(format!("{target}: {comment}"));
        }
    }
    notes
}

fn table_report(table: &TableJob<'_>, results: &[UnitResult]) -> TableReport {
    let name = table.name();
    let of = results.iter().find(|result| result.tables.contains(&name));
    let reading = of.and_then(|result| result.readings.get(&name)).cloned();
    let growth =
        |column: &str| of.and_then(|result| result.growth.get(&format!("{name}.{column}"))).copied().unwrap_or(0);
    let rows: i64 = table.conversions.iter().map(|conversion| growth(&conversion.column.name)).sum();
    let secondary = table.table.indexes.iter().filter(|index| index.name != "PRIMARY");
    let in_indexes: i64 =
        secondary.flat_map(|index| &index.parts).filter_map(|part| part.column.as_deref()).map(growth).sum();
    let after = |before: Option<u64>, growth: i64| {
        before.filter(|_| reading.is_some()).map(|before| before.saturating_add_signed(growth))
    };
    TableReport {
        schema: table.table.schema.clone(),
        name: table.table.name.clone(),
        converted: table.conversions.iter().map(|conversion| conversion.change()).collect(),
        kept: table.kept.clone(),
        size: Size {
            data: table.table.data_bytes,
            indexes: table.table.index_bytes,
            data_after: after(table.table.data_bytes, rows),
            indexes_after: after(table.table.index_bytes, in_indexes),
        },
        reading,
    }
}

impl Report {
    /// The gravest finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).min()
    }
}
