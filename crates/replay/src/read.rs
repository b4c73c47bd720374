//! A folder, read and checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sql::Mode;

use crate::cell::{Cell, Column};
use crate::fault::{Checked, Fault, Severity};
use crate::manifest::{FORMAT, Manifest};
use crate::rows::{self, RowsFile};
use crate::schema::{self, SchemaSql};
use crate::statement::{Source, Statement};

pub(crate) const MANIFEST: &str = "workload.toml";
pub(crate) const STATEMENTS: &str = "statements";

/// A workload that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The folder.
    pub root: PathBuf,
    /// workload.toml.
    pub manifest: Manifest,
    /// schema.sql.
    pub schema: SchemaSql,
    /// rows/, in the order of schema.sql's tables.
    pub rows: Vec<RowsFile>,
    /// statements/, by name.
    pub statements: Vec<Statement>,
}

impl Workload {
    /// What reports call it.
    pub fn name(&self) -> String {
        name_of(&self.root, &self.manifest)
    }
}

fn name_of(root: &Path, manifest: &Manifest) -> String {
    let of_folder = || {
        let full = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        full.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    manifest.name.clone().unwrap_or_else(of_folder)
}

/// A folder that holds no workload that can run.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be run: {}; `weigh workload check` tells all that is wrong", folder.display(), listed(faults))]
pub struct Unreadable {
    /// The folder.
    pub folder: PathBuf,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

fn listed(faults: &[Fault]) -> String {
    let more = faults.len().saturating_sub(1);
    let first = faults.first().map(|fault| format!("{}: {}", fault.place(), fault.message)).unwrap_or_default();
    if more > 0 { format!("{first}, and {more} more") } else { first }
}

/// Reads a workload.
///
/// # Errors
/// If something in it is wrong that keeps it from running.
pub fn read(folder: &Path) -> Result<Workload, Unreadable> {
    let (workload, checked) = check(folder);
    workload.ok_or_else(|| {
        let faults = checked.faults.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
        Unreadable { folder: folder.to_owned(), faults }
    })
}

/// Reads a workload as far as it can be read, and tells what is wrong with it; without errors comes the workload itself.
pub fn check(folder: &Path) -> (Option<Workload>, Checked) {
    let mut faults = Vec::new();
    let manifest = manifest(folder, &mut faults).unwrap_or_default();
    let schema =
        text(folder, schema::FILE, &mut faults).map(|text| SchemaSql::read(&text, &mut faults)).unwrap_or_default();
    let (rows, count) = all_rows(folder, &schema, &mut faults);
    let mode = manifest.session.sql_mode.as_deref().map_or_else(Mode::default, Mode::of);
    let statements = statements(folder, &schema, mode, &mut faults);
    check_names(folder, &mut faults);
    let checked = Checked {
        folder: folder.display().to_string(),
        name: Some(name_of(folder, &manifest)),
        tables: schema.tables.len() as u64,
        rows: count,
        statements: statements.len() as u64,
        samples: statements.iter().map(|one| one.samples.len() as u64).sum(),
        faults,
    };
    let runs = checked.faults.iter().all(|fault| fault.severity == Severity::Warning);
    let workload = Workload { root: folder.to_owned(), manifest, schema, rows, statements };
    (runs.then_some(workload), checked)
}

fn text(folder: &Path, name: &str, faults: &mut Vec<Fault>) -> Option<String> {
    let bytes = match fs::read(folder.join(name)) {
        Ok(bytes) => bytes,
        Err(error) => {
            faults.push(Fault::error(name, format!("it can't be read: {error}")));
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let known = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            faults.push(Fault::error(name, "a byte that is no UTF-8").at(&known, valid));
            None
        }
    }
}

fn manifest(folder: &Path, faults: &mut Vec<Fault>) -> Option<Manifest> {
    let text = text(folder, MANIFEST, faults)?;
    match toml::from_str::<Manifest>(&text) {
        Ok(manifest) if manifest.format == 0 || manifest.format > FORMAT => {
            let message =
                format!("format {} is not one that this version reads; it reads up to {FORMAT}", manifest.format);
            faults.push(Fault::error(MANIFEST, message).at(&text, text.find("format").unwrap_or(0)));
            None
        }
        Ok(manifest) => Some(manifest),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            faults.push(Fault::error(MANIFEST, error.message().trim().replace('\n', ", ")).at(&text, at));
            None
        }
    }
}

/// The names of a subfolder's files, sorted; none where there is no such folder.
fn files(folder: &Path, name: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    let path = folder.join(name);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            faults.push(Fault::error(name, format!("it can't be read: {error}")));
            return Vec::new();
        }
    };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn all_rows(folder: &Path, schema: &SchemaSql, faults: &mut Vec<Fault>) -> (Vec<RowsFile>, u64) {
    let (mut found, mut count) = (Vec::<RowsFile>::new(), 0);
    for name in files(folder, rows::FOLDER, faults) {
        if RowsFile::table_of(&name).is_none() {
            faults.push(unexpected(&format!("{}/{name}", rows::FOLDER), rows::NAMES));
            continue;
        }
        let Some((file, rows)) = rows::check(folder, &name, schema, faults) else { continue };
        if found.iter().any(|one| one.table == file.table) {
            faults.push(Fault::error(
                &format!("{}/{name}", rows::FOLDER),
                format!("a second file of rows for {}", file.table),
            ));
        }
        found.push(file);
        count += rows;
    }
    let place = |file: &RowsFile| schema.tables.iter().position(|table| table.name == file.table);
    found.sort_by_key(place);
    (found, count)
}

fn unexpected(file: &str, expected: &str) -> Fault {
    Fault::error(file, format!("nothing reads it; files here are named {expected}")).warning()
}

/// Files of statements/ by their name without ending: text, samples.
type Pairs = BTreeMap<String, (bool, bool)>;

fn statements(folder: &Path, schema: &SchemaSql, mode: Mode, faults: &mut Vec<Fault>) -> Vec<Statement> {
    let mut pairs = Pairs::new();
    for name in files(folder, STATEMENTS, faults) {
        if let Some(stem) = name.strip_suffix(".sql") {
            pairs.entry(stem.to_owned()).or_default().0 = true;
        } else if let Some(stem) = name.strip_suffix(".csv") {
            pairs.entry(stem.to_owned()).or_default().1 = true;
        } else {
            faults.push(unexpected(&format!("{STATEMENTS}/{name}"), "NAME.sql, and NAME.csv for its samples"));
        }
    }
    if !pairs.values().any(|(has_text, _)| *has_text) {
        faults.push(Fault::error(STATEMENTS, "no statement is in it; write one to statements/NAME.sql"));
    }
    pairs.into_iter().filter_map(|(name, has)| statement(folder, &name, has, schema, mode, faults)).collect()
}

fn statement(
    folder: &Path,
    name: &str,
    (has_text, has_samples): (bool, bool),
    schema: &SchemaSql,
    mode: Mode,
    faults: &mut Vec<Fault>,
) -> Option<Statement> {
    let file = format!("{STATEMENTS}/{name}.sql");
    if !has_text {
        faults.push(
            unexpected(&format!("{STATEMENTS}/{name}.csv"), "as a statement is, and there is no such statement")
                .warning(),
        );
        return None;
    }
    let text = text(folder, &file, faults)?;
    let (columns, samples) = if has_samples {
        samples(folder, &format!("{STATEMENTS}/{name}.csv"), faults)?
    } else {
        (Vec::new(), Vec::new())
    };
    let source = Source { name, file, text: &text, columns, samples };
    Statement::read(&source, schema, mode, faults)
}

/// The head and the lines of a file of samples.
fn samples(folder: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<(Vec<Column>, Vec<Vec<Cell>>)> {
    let before = faults.len();
    let text = text(folder, file, faults)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let columns = match reader.headers() {
        Ok(record) => rows::head(file, &record.clone(), faults),
        Err(error) => {
            faults.push(Fault::error(file, error.to_string()).line(1));
            return None;
        }
    };
    let mut samples = Vec::new();
    for record in reader.records() {
        let (line, outcome) = match record {
            Ok(record) => {
                let line = record.position().map_or(1, csv::Position::line);
                let mut row = Vec::new();
                (line, rows::cells(&columns, &record, &mut row).map(|()| row))
            }
            Err(error) => (error.position().map_or(1, csv::Position::line), Err(error.to_string())),
        };
        match outcome {
            Ok(row) => samples.push(row),
            Err(message) => faults.push(Fault::error(file, message).line(line)),
        }
    }
    if samples.is_empty() && faults.len() == before {
        faults.push(Fault::error(file, "no sample is in it; write a line of values below the head"));
    }
    (faults.len() == before).then_some((columns, samples))
}

/// Files beside those of the format.
fn check_names(folder: &Path, faults: &mut Vec<Fault>) {
    let known = [MANIFEST, schema::FILE, rows::FOLDER, STATEMENTS];
    let expected = known.join(", ");
    for name in files(folder, ".", faults) {
        let is_note = name.starts_with('.') || name.ends_with(".md") || name.ends_with(".txt");
        if !known.contains(&name.as_str()) && !is_note {
            faults.push(unexpected(&name, &expected));
        }
    }
}
