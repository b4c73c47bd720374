//! A workload's folder in place of the built-in workloads: its options, and the comparison before the load.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use measure::{Axes, Recording, Request, Run, Selection};
use parity::Parity;
use replay::Protocol;
use server::{Progress, Server};

use crate::given::{first_given, without_repeats};
use crate::load::LoadArgs;

/// How long a call may take in the comparison before the load.
const PATIENCE: Duration = Duration::from_secs(60);
const SAMPLES: u32 = 20;
const CLASSES: u32 = 10;

/// The options that are about a folder.
#[derive(Debug, Args)]
pub struct FolderArgs {
    /// Which columns are converted: following (those with the collation of their table) or all [default: following]
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true, help_heading = "A workload's folder")]
    convert: Option<Convert>,

    /// The most samples of each class that are compared before the load, and sent [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "A workload's folder")]
    samples: Option<u32>,

    /// The most classes that are measured by themselves beside their mix, those first that take the most of it [default: 10]
    #[arg(long, value_name = "N", help_heading = "A workload's folder")]
    classes: Option<u32>,

    /// Run on the server that the workload was captured from, in schemas of weigh's own
    #[arg(long, help_heading = "A workload's folder")]
    here: bool,
}

/// `--convert`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Convert {
    Following,
    All,
}

/// A folder that is to be measured.
#[derive(Debug)]
pub struct FolderRun {
    workload: Arc<replay::Workload>,
    selection: Selection,
    /// The sides, the baseline first.
    sides: Vec<String>,
    here: bool,
}

impl FolderArgs {
    /// The folder that these options and those of the load name; `None` where built-in workloads are asked for.
    pub fn resolve(&self, load: &LoadArgs, baseline: Option<&str>) -> Result<Option<FolderRun>> {
        let Some((path, classes)) = load.folder() else {
            self.refuse_without()?;
            return Ok(None);
        };
        if let Some(option) = load.of_generated_rows() {
            bail!("{option} is for the built-in workloads; rows and statements of {} are its own", path.display());
        }
        if !path.is_dir() {
            bail!("{} is no folder; a workload is one, with a workload.toml (docs/workload.md)", path.display());
        }
        let workload = replay::read(&path)?;
        refuse_unknown(&workload, &path, &classes)?;
        let sides = sides(load, baseline)?;
        let own = match workload.manifest.protocol {
            Protocol::Text => drive::Protocol::Text,
            Protocol::Prepared => drive::Protocol::Prepared,
        };
        let digest = workload.digest().with_context(|| format!("cannot read {} a second time", path.display()))?;
        let selection = Selection {
            named: path.display().to_string(),
            digest,
            classes,
            samples: self.samples.unwrap_or(SAMPLES) as usize,
            by_themselves: self.classes.unwrap_or(CLASSES) as usize,
            convert_all: self.convert == Some(Convert::All),
            protocol: load.protocol_or(own),
        };
        Ok(Some(FolderRun { workload: Arc::new(workload), selection, sides, here: self.here }))
    }

    fn refuse_without(&self) -> Result<()> {
        let given = [
            (self.convert.is_some(), "--convert"),
            (self.samples.is_some(), "--samples"),
            (self.classes.is_some(), "--classes"),
            (self.here, "--here"),
        ];
        match first_given(given) {
            Some(name) => bail!("{name} is about a workload that is a folder; name one by --workload DIR"),
            None => Ok(()),
        }
    }
}

/// The sides, the baseline first: `--baseline`, else the first of `--collation`, or the columns' own collations where that names one only.
fn sides(load: &LoadArgs, baseline: Option<&str>) -> Result<Vec<String>> {
    let named = load.collations().unwrap_or_default();
    let lone = named.len() == 1 && baseline.is_none();
    let first = baseline.or(lone.then_some(parity::AS_IS)).map(str::to_owned);
    let all = first.into_iter().chain(named).map(|name| name.trim().to_lowercase());
    let sides = without_repeats(all);
    if sides.len() < 2 {
        bail!("a folder takes two sides or more by --collation, such as --collation as-is,utf8mb4_0900_ai_ci");
    }
    Ok(sides)
}

fn refuse_unknown(workload: &replay::Workload, path: &Path, classes: &[String]) -> Result<()> {
    let has = |name: &String| workload.statements.iter().any(|statement| statement.name == *name);
    match classes.iter().find(|name| !has(name)) {
        Some(missing) => bail!(
            "{} has no class {missing}; {}",
            path.display(),
            measure::nearest(missing, workload.statements.iter().map(|statement| statement.name.as_str()))
        ),
        None => Ok(()),
    }
}

/// Refuses the server that a workload was captured from, unless it was asked for.
pub fn refuse_origin(server: &Server, workload: &replay::Workload, here: bool) -> Result<()> {
    let origin = workload.manifest.origin.as_ref().and_then(|origin| origin.identity.as_deref());
    if !here && origin.is_some() && origin == server.identity()?.as_deref() {
        bail!(
            "{} is the server that {} was captured from; --here runs the statements there, in schemas of weigh's own, beside its work",
            server.label(),
            workload.name()
        );
    }
    Ok(())
}

/// What is asked for, of a run that goes on with what its comparison told before it ended: the conditions that it began with are the classes that
/// took most of the time then. What the comparison depends on (rows, statements, servers) is held against what it was before anything is measured.
pub fn resumed(folder: Option<&FolderRun>, request: &Request, begun: Option<&Run>) -> Request {
    let parity = begun.and_then(|run| run.recording.as_ref()).map(|recording| recording.parity.clone());
    let recording = folder.map(|folder| folder.recording(parity.unwrap_or_default()));
    Request { recording, ..request.clone() }
}

/// What is asked for, of a folder without the statements that fail on a side of these servers, unless these are known already.
pub fn compared(
    folder: Option<&FolderRun>,
    request: &Request,
    servers: &[Server],
    progress: &dyn Progress,
) -> Result<Request> {
    let Some(folder) = folder else { return Ok(request.clone()) };
    servers.iter().try_for_each(|server| refuse_origin(server, &folder.workload, folder.here))?;
    if request.recording.as_ref().is_some_and(Recording::is_compared) {
        return Ok(request.clone());
    }
    Ok(Request { recording: Some(folder.compared(servers, progress)?), ..request.clone() })
}

impl FolderRun {
    /// How many tables it has.
    fn tables(&self) -> u32 {
        self.workload.schema.tables.len() as u32
    }

    /// How statements travel.
    pub fn protocol(&self) -> drive::Protocol {
        self.selection.protocol
    }

    /// What is held against what.
    pub fn axes(&self, load: &LoadArgs) -> Axes {
        Axes {
            collations: Some(self.sides.clone()),
            connections: load.connections(),
            texts: load.texts(),
            ..Axes::default()
        }
    }

    /// These options without rows that are generated.
    pub fn rows(&self, rows: workload::Options) -> workload::Options {
        workload::Options { tables: self.tables(), table_size: 0, ..rows }
    }

    /// Its load before anything is known of how the servers answer.
    pub fn uncompared(&self) -> Recording {
        self.recording(Vec::new())
    }

    fn recording(&self, parity: Vec<Parity>) -> Recording {
        Recording::new(&self.workload, &self.selection, parity)
    }

    /// Its load without what fails on a side, and what differs between the sides.
    fn compared(&self, servers: &[Server], progress: &dyn Progress) -> Result<Recording> {
        let parity = servers.iter().map(|server| self.compare(server, progress)).collect::<Result<_>>()?;
        let recording = self.recording(parity);
        if recording.record.classes.is_empty() {
            let first = recording.record.left_out.first().map(|one| format!("{}: {}", one.class, one.reason));
            bail!("no statement of {} runs on all sides: {}", self.workload.name(), first.unwrap_or_default());
        }
        Ok(recording)
    }

    fn compare(&self, server: &Server, progress: &dyn Progress) -> Result<Parity> {
        let known = server.collations()?;
        // Those that only other servers have are left out of the run, with a note.
        let is_known = |name: &&String| *name == parity::AS_IS || known.iter().any(|one| one.name == **name);
        let sides = self.sides.iter().filter(is_known);
        let request = parity::Request {
            sides: sides.map(|side| (side != parity::AS_IS).then(|| side.clone())).collect(),
            all: self.selection.convert_all,
            samples: self.selection.samples,
            patience: PATIENCE,
            run: drive::run_name(),
        };
        let asked = &self.selection.classes;
        let mut workload = replay::Workload::clone(&self.workload);
        workload.statements.retain(|one| asked.is_empty() || asked.contains(&one.name));
        Ok(parity::run(server, &workload, &request, progress)?)
    }
}
