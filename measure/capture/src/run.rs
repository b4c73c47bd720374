use std::path::{Path, PathBuf};

use querylog::Entry;
use server::{Progress, Server};
use sql::SqlMode;
use workload_folder::{Column, FolderWriter, Manifest, Protocol, SchemaSql, Session, StatementHeader, TableOrigin};

use crate::captured_schema::{CapturedSchema, NotReplayed};
use crate::classes::{Class, ClassLimits, Classes, ClassifiedStatements};
use crate::dump::Dump;
use crate::error::Error;
use crate::logs::{Log, read_log};
use crate::row_capture::{CapturedRows, RowCapture};
use crate::schema_text::{SchemaText, build_schema_text};
use crate::server_source::ServerSource;
use crate::source::TableSource;
use crate::source_table::SourceTable;
use crate::summary::{CaptureSummary, CapturedClass, FORMAT, NotReplayedCount};

/// Options of a capture.
#[derive(Clone, Debug)]
pub struct Request {
    /// Path of the new workload folder.
    pub folder: PathBuf,
    pub schema: String,
    /// Tables and views to capture; all if empty.
    pub tables: Vec<String>,
    /// Maximum number of sampled rows per table. Parents of sampled rows are captured beyond it.
    pub rows: u64,
    pub logs: Vec<Log>,
    /// True if the digests of the server's performance_schema are read, too.
    pub digests: bool,
    /// True if the statement history of the server's performance_schema is read, too.
    pub history: bool,
    pub max_classes: usize,
    /// Maximum number of samples per class.
    pub max_samples: usize,
    /// Seed of the samples.
    pub seed: u64,
    /// Protocol of the replay.
    pub protocol: Protocol,
    /// `sql_mode` of the statements. `None`: double quotes enclose strings, backslashes escape, and
    /// a replay keeps the server's mode.
    pub sql_mode: Option<String>,
    /// True if statements whose default schema the log doesn't name count as statements of this
    /// schema.
    pub assume_schema: bool,
    /// Time limits of the server's sessions.
    pub limits: facts::Limits,
    /// Version of weigh, for the manifest.
    pub weigh_version: String,
}

/// Source of schema and rows.
pub enum CaptureSource<'a> {
    Server(&'a Server),
    /// A dump: a file or a folder.
    Dump(&'a Path),
}

/// # Errors
///
/// If the folder isn't empty, which leaves it as it is; if something can't be read, understood or
/// written. The files written are then removed, and the folder unless it existed.
pub fn capture(
    source: &CaptureSource<'_>,
    request: &Request,
    progress: &dyn Progress,
) -> Result<CaptureSummary, Error> {
    // Created first, so that a bad path fails before the long work.
    let folder = FolderWriter::create(&request.folder)?;
    progress.step("reading definitions");
    match source {
        CaptureSource::Server(server) => {
            let mut source = ServerSource::open(server, &request.schema, &request.tables, &request.limits)?;
            let mut entries = Vec::new();
            if request.digests {
                entries.extend(source.read_digests(server.flavour(), &request.schema)?);
            }
            if request.history {
                entries.extend(source.read_history()?);
            }
            write_workload(folder, &mut source, entries, request, progress)
        }
        CaptureSource::Dump(path) => write_workload(
            folder,
            &mut Dump::new(path, &request.schema, &request.tables),
            Vec::new(),
            request,
            progress,
        ),
    }
}

fn write_workload(
    folder: FolderWriter,
    source: &mut dyn TableSource,
    entries: Vec<Entry>,
    request: &Request,
    progress: &dyn Progress,
) -> Result<CaptureSummary, Error> {
    let origin = source.origin();
    let definitions = source.definitions()?;
    let SchemaText { text: schema, tables, views, cross_schema_definitions } =
        build_schema_text(&definitions, &request.schema);
    let (shapes, faults) = SchemaSql::parse(&schema);
    if let Some(fault) = faults.first() {
        return Err(Error::Missing(format!("a definition of {} is not understood: {fault}", request.schema)));
    }
    let mode = request.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse);
    let captured_schema = CapturedSchema::new(&request.schema, &shapes, mode, request.assume_schema);
    let limits = ClassLimits { classes: request.max_classes, samples: request.max_samples, seed: request.seed };
    let mut classes = Classes::new(limits, captured_schema);
    entries.iter().for_each(|entry| classes.add(entry));
    for log in &request.logs {
        read_log(log, &request.schema, mode, &mut classes, progress)?;
    }
    let statements = classes.finish();
    if statements.seen == 0 {
        refuse_empty_sources(request)?;
    }
    folder.write_schema(&schema)?;
    let classes = write_classes(&folder, &statements)?;
    let create = |name: &str| tables.iter().find(|(known, _)| known == name).map_or("", |(_, create)| create.as_str());
    let tables: Vec<SourceTable> =
        shapes.tables.iter().map(|shape| SourceTable::new(shape.clone(), create(&shape.name))).collect();
    let captured = RowCapture::new(&tables, &folder)?.capture_all(source, request.rows, request.seed, progress)?;
    folder.write_manifest(&build_manifest(request, &origin, &captured))?;
    let count = |(entry, count): (&NotReplayed, &u64)| NotReplayedCount {
        reason: entry.reason,
        subject: entry.subject.clone(),
        count: *count,
    };
    let mut not_replayed: Vec<NotReplayedCount> = statements.not_replayed.iter().map(count).collect();
    not_replayed.sort_by_key(|one| (std::cmp::Reverse(one.count), one.reason));
    Ok(CaptureSummary {
        format: FORMAT.into(),
        folder: folder.finish().display().to_string(),
        schema: request.schema.clone(),
        source: origin.label,
        protocol: request.protocol,
        tables: captured.tables,
        views,
        cross_schema_definitions,
        other_objects: definitions.others,
        seen: statements.seen,
        replayed: statements.classes.iter().map(|class| class.seen).fold(0, u64::saturating_add),
        classes,
        not_replayed,
        orphans: captured.orphans,
        seed: request.seed,
    })
}

/// Fails if the request names logs, digests or history. Called if no statement was found in them.
/// Without any of them, only rows are wanted.
fn refuse_empty_sources(request: &Request) -> Result<(), Error> {
    let logs = request.logs.iter().map(|log| log.path.display().to_string());
    let digests = request.digests.then(|| "the server's statement digests".to_owned());
    let history = request.history.then(|| "the server's statement history".to_owned());
    let sources: Vec<String> = logs.chain(digests).chain(history).collect();
    if sources.is_empty() { Ok(()) } else { Err(Error::NoStatements(sources)) }
}

fn build_manifest(request: &Request, origin: &crate::source::Origin, captured: &CapturedRows) -> Manifest {
    let table = |table: &crate::summary::CapturedTable| TableOrigin {
        name: table.name.clone(),
        rows: table.rows,
        estimated_rows: table.estimated_rows,
    };
    Manifest {
        format: workload_folder::FORMAT,
        name: Some(request.schema.clone()),
        protocol: request.protocol,
        session: Session { sql_mode: request.sql_mode.clone(), ..Session::default() },
        origin: Some(workload_folder::Origin {
            captured: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            by: request.weigh_version.clone(),
            schema: request.schema.clone(),
            server: Some(origin.label.clone()),
            identity: origin.identity.clone(),
            seed: request.seed,
            tables: captured.tables.iter().map(table).collect(),
        }),
    }
}

fn write_classes(folder: &FolderWriter, statements: &ClassifiedStatements) -> Result<Vec<CapturedClass>, Error> {
    let mut captured = Vec::new();
    for (rank, class) in (1..).zip(&statements.classes) {
        let name = class_file_name(rank, class);
        // Rounded to microseconds, the precision of logs.
        let seconds = (class.seconds > 0.0).then(|| (class.seconds * 1e6).round() / 1e6);
        let head = StatementHeader {
            weight: class.seen as f64,
            seen: Some(class.seen),
            seconds,
            ..StatementHeader::default()
        };
        let typed = class.parameters.iter().zip(class.types());
        let columns: Vec<Column> =
            typed.map(|(name, (kind, is_list))| Column { is_list, ..Column::new(name, kind) }).collect();
        let samples: Vec<Vec<_>> =
            class.samples.iter().map(|sample| sample.iter().cloned().map(Some).collect()).collect();
        folder.write_statement(&name, &head, &class.text, &columns, &samples)?;
        captured.push(CapturedClass {
            name,
            text: class.text.clone(),
            writes: class.effect == workload_folder::Effect::Writes,
            seen: class.seen,
            seconds,
            samples: samples.len() as u64,
        });
    }
    Ok(captured)
}

/// Returns a file name of rank, verb and first table: `0001-select-orders`.
fn class_file_name(rank: usize, class: &Class) -> String {
    let word =
        |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect::<String>();
    let verb = class.text.trim_start_matches('(').split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let parts = [format!("{rank:04}"), verb.to_lowercase(), word(class.table.as_deref().unwrap_or_default())];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_classes_by_rank_verb_and_table() {
        let class = |text: &str, table: Option<&str>| Class {
            text: text.to_owned(),
            effect: workload_folder::Effect::Reads,
            table: table.map(str::to_owned),
            parameters: Vec::new(),
            samples: Vec::new(),
            seen: 1,
            seconds: 0.0,
        };
        assert_eq!(class_file_name(7, &class("(SELECT 1)", Some("my table/x"))), "0007-select-mytablex");
        assert_eq!(class_file_name(12, &class("VALUES ROW(1)", None)), "0012-values");
    }
}
