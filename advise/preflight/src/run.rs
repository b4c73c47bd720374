//! Runs the checks and assembles the report.

use std::cmp::Reverse;
use std::path::PathBuf;

use facts::{Facts, Schema};
use rehearsal::Definitions;

use check::Severity;

use crate::Error;
use crate::checkpoint::Checkpoint;
use crate::checks::{CHECKS, PROGRAM_MIX, Selection};
use crate::finding::Finding;
use crate::job::{Job, Request, TableJob};
use crate::model::{FORMAT, Report, Size, TableReport};
use crate::plan;
use crate::scan::{OpenRows, ScanOptions, ScanProgress, ScanResult, check_facts, scan};
use crate::unread::{unread_findings, unread_lines};

/// Options of [`run`].
#[derive(Clone, Debug)]
pub struct Options {
    pub request: Request,
    pub selection: Selection,
    /// Number of tables to read in parallel.
    pub parallel: usize,
    /// Memory for all sorts of all threads, in bytes. Each sort gets at least 1 MiB.
    pub memory: usize,
    /// Folder of the sorts' temporary files.
    pub folder: PathBuf,
    /// False: only definitions are checked.
    pub read_rows: bool,
}

/// Server or files that are checked.
pub struct Source<'s> {
    /// Name of the server or the files in the report.
    pub label: String,
    pub facts: &'s Facts,
    /// CREATE statements of the schemas' objects, as the server or the dump prints them.
    pub definitions: &'s Definitions,
    pub open: &'s OpenRows<'s>,
    /// False for files, which get no plan.
    pub is_server: bool,
}

/// Runs the checks, and builds the plan if the source is a server.
pub fn run(
    source: &Source<'_>,
    options: &Options,
    checkpoint: &Checkpoint,
    progress: &dyn ScanProgress,
) -> Result<Report, Error> {
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    options.request.check_names(source.facts)?;
    let job = Job::new(source.facts, source.definitions, &options.request);
    let mut findings = check_facts(&job, &options.selection);
    findings.extend(unread_findings(&job, &options.request));
    let mut unchecked = unread_lines(&job, &options.request);
    let results = if options.read_rows {
        let scan_options = ScanOptions {
            selection: options.selection.clone(),
            parallel: options.parallel,
            memory: options.memory,
            folder: options.folder.clone(),
        };
        scan(&job, &scan_options, source.open, checkpoint, progress)?
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
    sort_findings(&mut findings);
    unchecked.extend(source.facts.unseen.iter().map(|unseen| {
        let remedy = unseen.remedy.as_ref().map_or(String::new(), |remedy| format!(" ({remedy})"));
        format!("{}: {}{remedy}", unseen.what, unseen.why)
    }));
    if options.selection.contains(PROGRAM_MIX.name) {
        let selects = |schema: &Schema| options.request.selects_schema(&schema.name);
        let unread = audit::describe_unread_statements(source.facts, selects);
        unchecked.extend(unread.map(|unseen| format!("{}: {}", unseen.what, unseen.why)));
    }
    unchecked.sort();
    unchecked.dedup();
    let plan = source
        .is_server
        .then(|| plan::build_plan(&job, &options.request, &mut findings))
        .filter(|plan| !plan.steps.is_empty());
    sort_findings(&mut findings);
    if plan.is_none() {
        findings.iter_mut().for_each(|finding| finding.details.in_plan = false);
    }
    Ok(Report {
        format: FORMAT.into(),
        source: source.label.clone(),
        version: source.is_server.then(|| source.facts.server.version.clone()),
        started,
        targets: job.targets.clone(),
        columns: job.columns,
        tables: job.tables.iter().map(|table| table_report(table, &results)).collect(),
        notes: collect_notes(&job, source),
        findings,
        plan,
        costs: Vec::new(),
        unchecked,
    })
}

/// Sorts findings by severity, check and object, and removes repetitions.
pub(crate) fn sort_findings(findings: &mut Vec<Finding>) {
    let order = |name: &str| CHECKS.iter().position(|check| check.name == name);
    let key = |finding: &Finding| {
        let (check, object) = (order(&finding.check), finding.object.name.clone());
        (Reverse(finding.severity), check, object, finding.details.target.clone())
    };
    findings.sort_by_key(key);
    findings.dedup();
}

fn collect_notes(job: &Job<'_>, source: &Source<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if !source.is_server && job.tables.iter().any(|table| !table.conversions.is_empty()) {
        notes.push("files give no plan: the one that findings name is written by a preflight of the server".to_owned());
    }
    notes.extend(check::describe_own_schemas(&job.facts.own_schemas).map(|schemas| format!("left out: {schemas}")));
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

fn table_report(table: &TableJob<'_>, results: &[ScanResult]) -> TableReport {
    let name = table.name();
    let result = results.iter().find(|result| result.tables.contains(&name));
    let reading = result.and_then(|result| result.readings.get(&name)).cloned();
    let growth =
        |column: &str| result.and_then(|result| result.growth.get(&format!("{name}.{column}"))).copied().unwrap_or(0);
    let row_growth: i64 = table.conversions.iter().map(|conversion| growth(&conversion.column.name)).sum();
    let secondary = table.table.indexes.iter().filter(|index| index.name != "PRIMARY");
    let index_growth: i64 =
        secondary.flat_map(|index| &index.parts).filter_map(|part| part.column.as_deref()).map(growth).sum();
    let after = |before: Option<u64>, growth: i64| {
        before.filter(|_| reading.is_some()).map(|before| before.saturating_add_signed(growth))
    };
    TableReport {
        schema: table.table.schema.clone(),
        name: table.table.name.clone(),
        converted: table.conversions.iter().map(|conversion| conversion.column_change()).collect(),
        kept: table.kept.clone(),
        size: Size {
            data: table.table.data_bytes,
            indexes: table.table.index_bytes,
            data_after: after(table.table.data_bytes, row_growth),
            indexes_after: after(table.table.index_bytes, index_growth),
        },
        reading,
    }
}

impl Report {
    /// Returns the highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}
