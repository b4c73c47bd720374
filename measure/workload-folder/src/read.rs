//! Reading and checking of workload folders.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use sql::SqlMode;

use crate::cell::{Cell, Column};
use crate::fault::{CHECK_FORMAT, Fault, FolderCheck, MAX_FAULTS, Severity};
use crate::manifest::{FORMAT, Manifest, Session};
use crate::rows::{self, RowsFile};
use crate::schema::{self, SchemaSql};
use crate::statement::{Statement, StatementSource};

pub(crate) const MANIFEST: &str = "workload.toml";
pub(crate) const STATEMENTS: &str = "statements";

/// A workload that was read without errors. Warnings are possible.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    pub root: PathBuf,
    pub manifest: Manifest,
    pub schema: SchemaSql,
    /// Files of rows/, in the order of schema.sql's tables.
    pub rows: Vec<RowsFile>,
    /// Statement classes, sorted by name.
    pub statements: Vec<Statement>,
}

impl Workload {
    /// Returns the name in the manifest, or else the folder's name.
    pub fn name(&self) -> String {
        workload_name(&self.root, &self.manifest)
    }
}

fn workload_name(root: &Path, manifest: &Manifest) -> String {
    let folder_name = || {
        let full = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        full.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    manifest.name.clone().unwrap_or_else(folder_name)
}

/// A workload folder with errors.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be run: {}; `weigh workload check` lists all faults", folder.display(), first_fault(faults))]
pub struct InvalidWorkload {
    pub folder: PathBuf,
    /// Errors, without warnings.
    pub faults: Vec<Fault>,
}

fn first_fault(faults: &[Fault]) -> String {
    let more = faults.len().saturating_sub(1);
    let first = faults.first().map(|fault| format!("{}: {}", fault.location(), fault.message)).unwrap_or_default();
    if more > 0 { format!("{first}, and {more} more") } else { first }
}

/// Character set of sessions, unless workload.toml names one.
const DEFAULT_CHARSET: &str = "utf8mb4";

/// Reads a workload.
///
/// # Errors
/// If the workload has errors. Warnings are ignored.
pub fn read(folder: &Path) -> Result<Workload, InvalidWorkload> {
    let (workload, checked) = check(folder);
    workload.ok_or_else(|| {
        let faults = checked.faults.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
        InvalidWorkload { folder: folder.to_owned(), faults }
    })
}

/// Reads a workload and returns its faults. The workload is `None` if a fault is an error.
pub fn check(folder: &Path) -> (Option<Workload>, FolderCheck) {
    let mut faults = Vec::new();
    let manifest = read_manifest(folder, &mut faults).unwrap_or_default();
    let schema = read_text(folder, schema::FILE, &mut faults)
        .map(|text| SchemaSql::read(&text, &mut faults))
        .unwrap_or_default();
    let (rows, count) = check_all_rows(folder, &schema, &mut faults);
    let statements = read_statements(folder, &schema, &manifest.session, &mut faults);
    check_file_names(folder, &mut faults);
    let checked = FolderCheck {
        format: CHECK_FORMAT.into(),
        folder: folder.display().to_string(),
        name: Some(workload_name(folder, &manifest)),
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

fn read_text(folder: &Path, name: &str, faults: &mut Vec<Fault>) -> Option<String> {
    let bytes = match bounded::read_file(&folder.join(name)) {
        Ok(bytes) => bytes,
        Err(error) => {
            faults.push(Fault::error(name, format!("can't be read: {error}")));
            return None;
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let known = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            faults.push(Fault::error(name, "invalid UTF-8").at(&known, valid));
            None
        }
    }
}

fn read_manifest(folder: &Path, faults: &mut Vec<Fault>) -> Option<Manifest> {
    let text = read_text(folder, MANIFEST, faults)?;
    match toml::from_str::<Manifest>(&text) {
        Ok(manifest) if manifest.format == 0 || manifest.format > FORMAT => {
            let message =
                format!("format {} is not supported; this version reads formats up to {FORMAT}", manifest.format);
            faults.push(Fault::error(MANIFEST, message).at(&text, text.find("format").unwrap_or(0)));
            None
        }
        Ok(manifest) => {
            let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if manifest.session.charset.as_deref().is_some_and(|charset| !is_name(charset)) {
                let message = "charset is the name of a character set, such as utf8mb4".to_owned();
                faults.push(Fault::error(MANIFEST, message).at(&text, text.find("charset").unwrap_or(0)));
                return None;
            }
            if let Some((key, value)) = find_unclear_setting(&manifest.session) {
                let message = format!("{key} has no such value: `{value}`");
                faults.push(Fault::error(MANIFEST, message).at(&text, text.find(key).unwrap_or(0)));
                return None;
            }
            Some(manifest)
        }
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            faults.push(Fault::error(MANIFEST, error.message().trim().replace('\n', ", ")).at(&text, at));
            None
        }
    }
}

/// Returns a setting with a character that valid values don't have. In some character sets, such a
/// character could end the string in the `SET` statement.
fn find_unclear_setting(session: &Session) -> Option<(&'static str, &str)> {
    let is_clear = |value: &str| value.chars().all(|c| c.is_ascii_alphanumeric() || " _,+-:/".contains(c));
    let settings = [("sql_mode", &session.sql_mode), ("time_zone", &session.time_zone)];
    settings
        .into_iter()
        .find_map(|(key, value)| value.as_deref().filter(|value| !is_clear(value)).map(|value| (key, value)))
}

/// Returns the sorted names of the files and folders in `name`; none if it doesn't exist.
fn list_entries(folder: &Path, name: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    let path = folder.join(name);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            faults.push(Fault::error(name, format!("can't be read: {error}")));
            return Vec::new();
        }
    };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn check_all_rows(folder: &Path, schema: &SchemaSql, faults: &mut Vec<Fault>) -> (Vec<RowsFile>, u64) {
    let (mut found, mut tables, mut count, mut refused) = (Vec::<RowsFile>::new(), HashSet::new(), 0, 0);
    for name in list_entries(folder, rows::FOLDER, faults) {
        if refused >= MAX_FAULTS {
            break;
        }
        if RowsFile::stem(&name).is_none() {
            faults.push(unused_file_warning(&format!("{}/{name}", rows::FOLDER), rows::FILE_NAMES));
            continue;
        }
        let Some((file, rows)) = rows::check(folder, &name, schema, faults) else {
            refused += 1;
            continue;
        };
        if !tables.insert(file.table.clone()) {
            faults.push(Fault::error(
                &format!("{}/{name}", rows::FOLDER),
                format!("a second file of rows for {}", file.table),
            ));
        }
        found.push(file);
        count += rows;
    }
    found.sort_by_key(|file| schema.place(&file.table));
    (found, count)
}

fn unused_file_warning(file: &str, expected: &str) -> Fault {
    Fault::error(file, format!("unused file; files here are named {expected}")).warning()
}

/// The files of a statement that exist.
#[derive(Clone, Copy, Default)]
struct StatementFiles {
    has_text: bool,
    has_samples: bool,
}

fn read_statements(folder: &Path, schema: &SchemaSql, session: &Session, faults: &mut Vec<Fault>) -> Vec<Statement> {
    let mut statements = BTreeMap::<String, StatementFiles>::new();
    for name in list_entries(folder, STATEMENTS, faults) {
        if let Some(stem) = name.strip_suffix(".sql") {
            statements.entry(stem.to_owned()).or_default().has_text = true;
        } else if let Some(stem) = name.strip_suffix(".csv") {
            statements.entry(stem.to_owned()).or_default().has_samples = true;
        } else {
            faults.push(unused_file_warning(&format!("{STATEMENTS}/{name}"), "NAME.sql, and NAME.csv for its samples"));
        }
    }
    if !statements.values().any(|files| files.has_text) {
        faults.push(Fault::error(STATEMENTS, "there are no statements; write one to statements/NAME.sql"));
    }
    statements
        .into_iter()
        .filter_map(|(name, files)| read_statement(folder, &name, files, schema, session, faults))
        .collect()
}

fn read_statement(
    folder: &Path,
    name: &str,
    files: StatementFiles,
    schema: &SchemaSql,
    session: &Session,
    faults: &mut Vec<Fault>,
) -> Option<Statement> {
    let file = format!("{STATEMENTS}/{name}.sql");
    if !files.has_text {
        faults.push(
            Fault::error(&format!("{STATEMENTS}/{name}.csv"), format!("unused file; there is no statement {name}.sql"))
                .warning(),
        );
        return None;
    }
    let text = read_text(folder, &file, faults)?;
    let (columns, samples) = if files.has_samples {
        read_samples(folder, &format!("{STATEMENTS}/{name}.csv"), faults)?
    } else {
        (Vec::new(), Vec::new())
    };
    let has_mode = session.sql_mode.is_some();
    let charset = session.charset.as_deref().unwrap_or(DEFAULT_CHARSET);
    let source = StatementSource { name, file, text: &text, has_mode, charset, columns, samples };
    let mode = session.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse);
    Statement::read(&source, schema, mode, faults)
}

/// Reads the columns and samples of a CSV file; `None` if it has faults.
fn read_samples(folder: &Path, file: &str, faults: &mut Vec<Fault>) -> Option<(Vec<Column>, Vec<Vec<Cell>>)> {
    let before = faults.len();
    let text = read_text(folder, file, faults)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let columns = match reader.headers() {
        Ok(record) => rows::parse_columns(file, &record.clone(), faults),
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
                (line, rows::parse_record(&columns, &record, &mut row).map(|()| row))
            }
            Err(error) => (error.position().map_or(1, csv::Position::line), Err(error.to_string())),
        };
        match outcome {
            Ok(row) => samples.push(row),
            Err(message) => faults.push(Fault::error(file, message).line(line)),
        }
    }
    if samples.is_empty() && faults.len() == before {
        faults.push(Fault::error(file, "there are no samples; write a line of values below the head"));
    }
    (faults.len() == before).then_some((columns, samples))
}

/// Warns of files that the format doesn't have. Hidden files, `*.md` and `*.txt` are allowed.
fn check_file_names(folder: &Path, faults: &mut Vec<Fault>) {
    let known = [MANIFEST, schema::FILE, rows::FOLDER, STATEMENTS];
    let expected = known.join(", ");
    for name in list_entries(folder, ".", faults) {
        let is_note = name.starts_with('.') || name.ends_with(".md") || name.ends_with(".txt");
        if !known.contains(&name.as_str()) && !is_note {
            faults.push(unused_file_warning(&name, &expected));
        }
    }
}
