//! A capture from begin to end.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use querylog::{Entry, GeneralLog, SlowLog};
use replay::{Column, Folder, Head, Manifest, Protocol, SchemaSql, Session, TableOrigin};
use server::{Progress, Server};
use sql::Mode;

use crate::classes::{Bounds, Class, Classes, Outcome};
use crate::create::{Table, without_definer, without_far_keys};
use crate::dump::Dump;
use crate::error::Error;
use crate::known::Known;
use crate::model::{Captured, CapturedClass, LeftOut};
use crate::rows::{Rows, Taken};
use crate::server_source::ServerSource;
use crate::source::{Definitions, Source};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the workload is written to.
    pub folder: PathBuf,
    /// The schema.
    pub schema: String,
    /// Its tables and views; all where empty.
    pub tables: Vec<String>,
    /// The most rows of a table, but for those that others refer to.
    pub rows: u64,
    /// What statements are read from.
    pub logs: Vec<Log>,
    /// Whether the server's digests are read.
    pub digests: bool,
    /// Whether the server's history of statements is read.
    pub history: bool,
    /// The most classes.
    pub max_classes: usize,
    /// The most samples of a class.
    pub max_samples: usize,
    /// What samples are drawn by.
    pub seed: u64,
    /// How statements travel.
    pub protocol: Protocol,
    /// `sql_mode` that statements are written in; the default's quotes and backslashes where absent.
    pub sql_mode: Option<String>,
    /// Whether statements whose schema no log tells are of this one.
    pub assume_schema: bool,
    /// How long reading may hold on.
    pub limits: facts::Limits,
    /// Version of weigh.
    pub by: String,
}

/// A file of statements.
#[derive(Clone, Debug)]
pub struct Log {
    /// What it is.
    pub kind: LogKind,
    /// Where it is; packed where it ends with `.gz`.
    pub path: PathBuf,
}

/// What a file of statements is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// A slow query log.
    Slow,
    /// A general query log.
    General,
    /// A script of SQL.
    Script,
}

/// Where the schema and the rows are.
pub enum From<'a> {
    /// A server.
    Server(&'a Server),
    /// A dump: a file or a folder.
    Dump(&'a Path),
}

/// Captures a workload.
///
/// # Errors
/// If something can't be read or written. The folder is removed then.
pub fn capture(from: &From<'_>, request: &Request, progress: &dyn Progress) -> Result<Captured, Error> {
    // A folder that can't be is found before anybody waits.
    let folder = Folder::create(&request.folder)?;
    progress.step("reading definitions");
    match from {
        From::Server(server) => {
            let mut source = ServerSource::open(server, &request.schema, &request.tables, &request.limits)?;
            let mut entries = Vec::new();
            if request.digests {
                entries.extend(source.digests(server.flavour(), &request.schema)?);
            }
            if request.history {
                entries.extend(source.history()?);
            }
            write(folder, &mut source, entries, request, progress)
        }
        From::Dump(path) => {
            write(folder, &mut Dump::new(path, &request.schema, &request.tables), Vec::new(), request, progress)
        }
    }
}

fn write(
    folder: Folder,
    source: &mut dyn Source,
    entries: Vec<Entry>,
    request: &Request,
    progress: &dyn Progress,
) -> Result<Captured, Error> {
    let origin = source.origin();
    let definitions = source.definitions()?;
    let SchemaText { text: schema, tables, views, of_other_schemas } = schema_text(&definitions, &request.schema);
    let (shapes, faults) = SchemaSql::parse(&schema);
    if let Some(fault) = faults.first() {
        return Err(Error::Missing(format!("a definition of {} is not understood: {fault}", request.schema)));
    }
    let mode = request.sql_mode.as_deref().map_or_else(Mode::default, Mode::of);
    let known = Known::new(&request.schema, &shapes, mode, request.assume_schema);
    let bounds = Bounds { classes: request.max_classes, samples: request.max_samples, seed: request.seed };
    let mut classes = Classes::new(bounds, known);
    entries.iter().for_each(|entry| classes.add(entry));
    for log in &request.logs {
        read_log(log, mode, &mut classes, progress)?;
    }
    let outcome = classes.finish();
    folder.schema(&schema)?;
    let captured = statements(&folder, &outcome)?;
    let create = |name: &str| tables.iter().find(|(known, _)| known == name).map_or("", |(_, create)| create.as_str());
    let tables: Vec<Table> = shapes.tables.iter().map(|shape| Table::new(shape.clone(), create(&shape.name))).collect();
    let taken = Rows::new(&tables, &folder)?.take(source, request.rows, request.seed, progress)?;
    folder.manifest(&manifest(request, &origin, &taken))?;
    let left_out =
        |((reason, word), count): (&(_, String), &u64)| LeftOut { reason: *reason, word: word.clone(), count: *count };
    let mut left_out: Vec<LeftOut> = outcome.left.iter().map(left_out).collect();
    left_out.sort_by_key(|one| (std::cmp::Reverse(one.count), one.reason));
    Ok(Captured {
        folder: folder.finish().display().to_string(),
        schema: request.schema.clone(),
        from: origin.label,
        protocol: request.protocol,
        tables: taken.tables,
        views,
        of_other_schemas,
        seen: outcome.seen,
        replayed: outcome.classes.iter().map(|class| class.seen).sum(),
        classes: captured,
        left_out,
        orphans: taken.orphans,
        seed: request.seed,
    })
}

fn manifest(request: &Request, origin: &crate::source::Origin, taken: &Taken) -> Manifest {
    let table =
        |table: &crate::model::CapturedTable| TableOrigin { name: table.name.clone(), rows: table.rows, of: table.of };
    Manifest {
        format: replay::FORMAT,
        name: Some(request.schema.clone()),
        protocol: request.protocol,
        session: Session { sql_mode: request.sql_mode.clone(), ..Session::default() },
        origin: Some(replay::Origin {
            captured: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            by: request.by.clone(),
            schema: request.schema.clone(),
            server: Some(origin.label.clone()),
            identity: origin.identity.clone(),
            seed: request.seed,
            tables: taken.tables.iter().map(table).collect(),
        }),
    }
}

/// schema.sql, and what is in it.
struct SchemaText {
    text: String,
    /// Names and definitions.
    tables: Vec<(String, String)>,
    views: Vec<String>,
    /// What is left out as it names another schema, which a copy would reach into.
    of_other_schemas: Vec<String>,
}

/// Tables, then views, each behind those that it names.
fn schema_text(definitions: &Definitions, schema: &str) -> SchemaText {
    let (mut text, mut tables, mut of_other_schemas) = (String::new(), Vec::new(), Vec::new());
    for (name, create) in &definitions.tables {
        let (create, far) = without_far_keys(create);
        of_other_schemas.extend(far.into_iter().map(|parent| format!("a foreign key of {name} to {parent}")));
        text += &format!("{create};\n\n");
        tables.push((name.clone(), create));
    }
    let names = definitions.tables.iter().chain(&definitions.views).map(|(name, _)| name.clone()).collect();
    let known = Known { schema: schema.to_owned(), names, ..Known::default() };
    let mut left: Vec<(&str, String)> = definitions
        .views
        .iter()
        .map(|(name, create)| (name.as_str(), known.unqualified(&without_definer(create)).into_owned()))
        .collect();
    left.retain(|(name, create)| {
        let tokens: Vec<_> = sql::tokens(create, Mode::default()).collect();
        let far = sql::tables(&tokens).into_iter().find_map(|table| Some(format!("{}.{}", table.schema?, table.name)));
        of_other_schemas.extend(far.iter().map(|table| format!("the view {name}, which reads {table}")));
        far.is_none()
    });
    let views = left.iter().map(|(name, _)| (*name).to_owned()).collect();
    while !left.is_empty() {
        let waits = |create: &str, own: &str, left: &[(&str, String)]| {
            let tokens: Vec<_> = sql::tokens(create, Mode::default()).collect();
            sql::tables(&tokens)
                .iter()
                .any(|table| table.name != own && left.iter().any(|(name, _)| *name == table.name))
        };
        // Views can't name each other in a circle; should they seem to, the first goes first.
        let place = (0..left.len()).find(|place| !waits(&left[*place].1, left[*place].0, &left)).unwrap_or(0);
        let (_, create) = left.remove(place);
        text += &format!("{create};\n\n");
    }
    SchemaText { text, tables, views, of_other_schemas }
}

/// Counts the bytes that are read of a file.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Entries between two looks at the progress and at signals.
const BETWEEN_LOOKS: usize = 4096;

fn read_log(log: &Log, mode: Mode, classes: &mut Classes, progress: &dyn Progress) -> Result<(), Error> {
    let failed = |source| Error::File { path: log.path.clone(), source };
    let file = File::open(&log.path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len().max(1);
    let read = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: file, read: Arc::clone(&read) };
    let packed = log.path.extension().is_some_and(|extension| extension == "gz");
    let input: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(counted)) } else { Box::new(counted) };
    let mut input = BufReader::with_capacity(1 << 18, input);
    progress.step(&format!("reading {}", log.path.display()));
    let entries: Box<dyn Iterator<Item = io::Result<Entry>>> = match log.kind {
        LogKind::Slow => Box::new(SlowLog::new(input)),
        LogKind::General => Box::new(GeneralLog::new(input)),
        LogKind::Script => {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(failed)?;
            let text = String::from_utf8(bytes).map_err(|_| Error::Content {
                path: log.path.clone(),
                problem: "a script has to be in UTF-8".to_owned(),
            })?;
            Box::new(querylog::script(&text, mode).into_iter().map(Ok))
        }
    };
    for (number, entry) in entries.enumerate() {
        classes.add(&entry.map_err(failed)?);
        if number % BETWEEN_LOOKS == 0 {
            server::interrupt::check().map_err(Error::Server)?;
            progress.fraction(read.load(Ordering::Relaxed) as f64 / size as f64);
        }
    }
    Ok(())
}

fn statements(folder: &Folder, outcome: &Outcome) -> Result<Vec<CapturedClass>, Error> {
    let mut captured = Vec::new();
    for (rank, class) in (1..).zip(&outcome.classes) {
        let name = name(rank, class);
        // To the microsecond, as logs tell it.
        let seconds = (class.seconds > 0.0).then(|| (class.seconds * 1e6).round() / 1e6);
        let head = Head { weight: class.seen as f64, seen: Some(class.seen), seconds, ..Head::default() };
        let typed = class.parameters.iter().zip(class.types());
        let columns: Vec<Column> =
            typed.map(|(name, (kind, is_list))| Column { is_list, ..Column::new(name, kind) }).collect();
        let samples: Vec<Vec<_>> =
            class.samples.iter().map(|sample| sample.iter().cloned().map(Some).collect()).collect();
        folder.statement(&name, &head, &class.text, &columns, &samples)?;
        captured.push(CapturedClass {
            name,
            text: class.text.clone(),
            writes: class.effect == replay::Effect::Writes,
            seen: class.seen,
            seconds,
            samples: samples.len() as u64,
        });
    }
    Ok(captured)
}

/// `0001-select-orders`: the rank, the verb, the first table.
fn name(rank: usize, class: &Class) -> String {
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
    fn views_stand_behind_what_they_name() {
        let view = |name: &str, from: &str| {
            (name.to_owned(), format!("CREATE VIEW `{name}` AS select 1 from `shop`.`{from}`"))
        };
        let definitions = Definitions {
            tables: vec![("t".to_owned(), "CREATE TABLE `t` (`a` int)".to_owned())],
            views: vec![
                view("a", "c"),
                view("b", "t"),
                view("c", "b"),
                ("far".to_owned(), "CREATE VIEW `far` AS select 1 from `log`.`t`".to_owned()),
            ],
        };
        let SchemaText { text, views, of_other_schemas, .. } = schema_text(&definitions, "shop");
        assert_eq!(views, ["a", "b", "c"]);
        assert_eq!(of_other_schemas, ["the view far, which reads log.t"]);
        let order: Vec<_> = text.split("CREATE VIEW `").skip(1).map(|view| &view[..1]).collect();
        assert_eq!(order, ["b", "c", "a"]);
        assert!(!text.contains("shop"), "{text}");
    }

    #[test]
    fn a_class_is_named_by_rank_verb_and_table() {
        let class = |text: &str, table: Option<&str>| Class {
            text: text.to_owned(),
            effect: replay::Effect::Reads,
            table: table.map(str::to_owned),
            parameters: Vec::new(),
            samples: Vec::new(),
            seen: 1,
            seconds: 0.0,
        };
        assert_eq!(name(7, &class("(SELECT 1)", Some("my table/x"))), "0007-select-mytablex");
        assert_eq!(name(12, &class("VALUES ROW(1)", None)), "0012-values");
    }
}
