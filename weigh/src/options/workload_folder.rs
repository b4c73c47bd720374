//! Options of workload folders, and the result diff before the load.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use measure::{Axes, FolderOptions, MeasuredFolder, Request, Run};
use result_diff::ResultDiff;
use server::{Progress, Server};
use workload_folder::Protocol;

use crate::options::load::LoadArgs;
use crate::options::values::{find_given, without_repeats};

/// Time limit of a statement in the result diff before the load.
const MAX_STATEMENT_TIME: Duration = Duration::from_secs(60);
const DEFAULT_SAMPLES: u32 = 20;
const DEFAULT_CLASSES: u32 = 10;

#[derive(Debug, Args)]
pub struct FolderArgs {
    /// Columns to convert: following (those with their table's collation; ascii ones stay, _bin
    /// ones get the _bin collation of the new character set) or all [default: following]
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true, help_heading = "A workload's folder")]
    convert: Option<Convert>,

    /// Sample values of each statement class to use, at most [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "A workload's folder")]
    samples: Option<u32>,

    /// Statement classes to measure one by one besides the mix, the costliest first, at most
    /// [default: 10]
    #[arg(long, value_name = "N", help_heading = "A workload's folder")]
    classes: Option<u32>,

    /// Leave rows out on all sides that are equal to others under a side's collation (error 1062),
    /// and name them
    #[arg(long, help_heading = "A workload's folder")]
    without_colliding_rows: bool,

    /// Run on the server that the workload was captured from, in schemas that weigh creates
    #[arg(long, help_heading = "A workload's folder")]
    here: bool,
}

/// `--convert`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Convert {
    Following,
    All,
}

#[derive(Debug)]
pub struct SelectedFolder {
    workload: Arc<workload_folder::Workload>,
    selection: FolderOptions,
    /// Collations or `as-is`, the baseline first.
    sides: Vec<String>,
    without_colliding_rows: bool,
    consent: Consent,
}

/// Options by which the user permits a workload on a running server.
#[derive(Clone, Copy, Debug)]
pub struct Consent {
    /// `--here`
    pub here: bool,
    /// `--trust`
    pub trust: bool,
}

impl FolderArgs {
    /// Resolves the folder that `--workload` names. `None` for built-in workloads.
    pub fn resolve(&self, load: &LoadArgs, baseline: Option<&str>, trust: bool) -> Result<Option<SelectedFolder>> {
        let Some((path, classes)) = load.workload_folder() else {
            self.refuse_folder_options()?;
            return Ok(None);
        };
        if let Some(option) = load.find_generator_option() {
            bail!("{option} is for the built-in workloads; rows and statements of {} are its own", path.display());
        }
        if !path.is_dir() {
            bail!(
                "{} is no folder; a workload is a folder with a workload.toml (docs/reference/workload-folder.md)",
                path.display()
            );
        }
        let workload = workload_folder::read(&path)?;
        refuse_unknown_classes(&workload, &path, &classes)?;
        let sides = resolve_sides(load, baseline)?;
        let own = match workload.manifest.protocol {
            Protocol::Text => load::Protocol::Text,
            Protocol::Prepared => load::Protocol::Prepared,
        };
        let digest =
            workload.digest().map_err(|error| anyhow!("cannot read {} a second time: {error}", path.display()))?;
        let selection = FolderOptions {
            folder: path.display().to_string(),
            digest,
            classes,
            samples: self.samples.unwrap_or(DEFAULT_SAMPLES) as usize,
            single_classes: self.classes.unwrap_or(DEFAULT_CLASSES) as usize,
            convert_all: self.convert == Some(Convert::All),
            protocol: load.protocol_or(own),
        };
        Ok(Some(SelectedFolder {
            workload: Arc::new(workload),
            selection,
            sides,
            without_colliding_rows: self.without_colliding_rows,
            consent: Consent { here: self.here, trust },
        }))
    }

    fn refuse_folder_options(&self) -> Result<()> {
        let given = [
            (self.convert.is_some(), "--convert"),
            (self.samples.is_some(), "--samples"),
            (self.classes.is_some(), "--classes"),
            (self.without_colliding_rows, "--without-colliding-rows"),
            (self.here, "--here"),
        ];
        match find_given(given) {
            Some(name) => bail!("{name} is for workload folders; name one by --workload DIR"),
            None => Ok(()),
        }
    }
}

/// Returns the sides, the baseline first. The baseline is `--baseline`, else the first of
/// `--collation`. A single collation without `--baseline` is compared with `as-is`.
fn resolve_sides(load: &LoadArgs, baseline: Option<&str>) -> Result<Vec<String>> {
    let named = load.collations().unwrap_or_default();
    let is_single = named.len() == 1 && baseline.is_none();
    let first = baseline.or(is_single.then_some(result_diff::AS_IS)).map(str::to_owned);
    let all = first.into_iter().chain(named).map(|name| name.trim().to_lowercase());
    let sides = without_repeats(all);
    if sides.len() < 2 {
        bail!("a workload folder needs two sides or more by --collation, such as --collation as-is,utf8mb4_0900_ai_ci");
    }
    Ok(sides)
}

fn refuse_unknown_classes(workload: &workload_folder::Workload, path: &Path, classes: &[String]) -> Result<()> {
    let has = |name: &String| workload.statements.iter().any(|statement| statement.name == *name);
    match classes.iter().find(|name| !has(name)) {
        Some(missing) => bail!(
            "{} has no class {missing}; {}",
            path.display(),
            measure::suggest_names(missing, workload.statements.iter().map(|statement| statement.name.as_str()))
        ),
        None => Ok(()),
    }
}

/// Refuses servers as [`refuse_server`] does.
pub fn refuse_servers(folder: Option<&SelectedFolder>, servers: &[Server]) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    servers.iter().try_for_each(|server| refuse_server(server, &folder.workload, folder.consent))
}

/// Refuses a running server that the workload was captured from, unless `--here` is given, and an
/// account that may reach other schemas than weigh's, unless `--trust` is given. The folder's
/// manifest itself names the server of the capture, so `--here` does not imply `--trust`.
pub fn refuse_server(server: &Server, workload: &workload_folder::Workload, consent: Consent) -> Result<()> {
    let origin = workload.manifest.origin.as_ref().and_then(|origin| origin.identity.as_deref());
    let is_origin = origin.is_some() && origin == server.read_identity()?.as_deref();
    if is_origin && !consent.here {
        bail!(
            "{} is the server that {} was captured from; --here runs the statements there anyway, in schemas that weigh creates",
            server.label(),
            workload.name()
        );
    }
    if server.is_private() || consent.trust {
        return Ok(());
    }
    let rights = facts::rights_beyond(&mut server.connect_patiently()?, OWN_SCHEMAS)
        .map_err(|error| anyhow!("{}: cannot read the account's grants: {error}", server.label()))?;
    if rights.is_empty() {
        return Ok(());
    }
    let more = if rights.len() > MAX_SHOWN_RIGHTS { ", …" } else { "" };
    bail!(
        "{}: the account may reach more than schemas that weigh makes: {}{more}. weigh checks the statements of {}, but nothing else would hold \
         them back. Use an account with GRANT ALL PRIVILEGES ON `weigh\\_%`.* only (docs/how-to/measure-on-a-running-server.md), or \
         --trust if the folder is yours",
        server.label(),
        rights[..rights.len().min(MAX_SHOWN_RIGHTS)].join("; "),
        workload.name()
    )
}

/// First characters of the names of schemas that weigh makes.
const OWN_SCHEMAS: &str = "weigh_";

/// Maximum number of rights in a message.
const MAX_SHOWN_RIGHTS: usize = 3;

/// Restores the result diff of a resumed run. The diff decides the conditions, because the classes
/// measured one by one are those that took most time in it. Rows, statements and servers are
/// compared with the original run's before anything is measured.
pub fn restore_result_diff(folder: Option<&SelectedFolder>, request: &Request, begun: Option<&Run>) -> Request {
    let diffs =
        begun.and_then(|run| run.workload_folder.as_ref()).map(|measured_folder| measured_folder.result_diffs.clone());
    let measured_folder = folder.map(|folder| folder.measured_folder(diffs.unwrap_or_default()));
    Request { workload_folder: measured_folder, ..request.clone() }
}

/// Runs the result diff, unless a resumed run has one, and drops the statements that fail on any
/// side.
pub fn diff_results(
    folder: Option<&SelectedFolder>,
    request: &Request,
    servers: &[Server],
    progress: &dyn Progress,
) -> Result<Request> {
    let Some(folder) = folder else { return Ok(request.clone()) };
    if request.workload_folder.as_ref().is_some_and(MeasuredFolder::is_compared) {
        return Ok(request.clone());
    }
    Ok(Request { workload_folder: Some(folder.diff_all(servers, progress)?), ..request.clone() })
}

impl SelectedFolder {
    pub fn path(&self) -> &str {
        &self.selection.folder
    }

    /// Returns the options about rows and conversion that differ from the defaults.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        if self.selection.convert_all {
            words.extend(["--convert".into(), "all".into()]);
        }
        if self.selection.samples != DEFAULT_SAMPLES as usize {
            words.extend(["--samples".into(), self.selection.samples.to_string()]);
        }
        if self.without_colliding_rows {
            words.push("--without-colliding-rows".into());
        }
        words
    }

    fn table_count(&self) -> u32 {
        self.workload.schema.tables.len() as u32
    }

    pub fn protocol(&self) -> load::Protocol {
        self.selection.protocol
    }

    pub fn axes(&self, load: &LoadArgs) -> Axes {
        Axes {
            collations: Some(self.sides.clone()),
            connections: load.connections(),
            texts: load.texts(),
            ..Axes::default()
        }
    }

    pub fn rows(&self, rows: workload::Options) -> workload::Options {
        workload::Options { tables: self.table_count(), table_size: 0, ..rows }
    }

    /// Returns the load without a result diff, which needs open servers.
    pub fn initial_recording(&self) -> MeasuredFolder {
        self.measured_folder(Vec::new())
    }

    fn measured_folder(&self, diffs: Vec<ResultDiff>) -> MeasuredFolder {
        MeasuredFolder::new(&self.workload, &self.selection, diffs)
    }

    /// Runs the result diff on every server, and returns the load without statements that fail on a
    /// side.
    fn diff_all(&self, servers: &[Server], progress: &dyn Progress) -> Result<MeasuredFolder> {
        let diffs = servers.iter().map(|server| self.diff(server, progress)).collect::<Result<_>>()?;
        let measured_folder = self.measured_folder(diffs);
        if measured_folder.record.classes.is_empty() {
            let first = measured_folder.record.excluded.first().map(|one| format!("{}: {}", one.class, one.reason));
            bail!("no statement of {} runs on all sides: {}", self.workload.name(), first.unwrap_or_default());
        }
        Ok(measured_folder)
    }

    fn diff(&self, server: &Server, progress: &dyn Progress) -> Result<ResultDiff> {
        let server_collations = server.read_collations()?;
        // Collations that this server lacks are left out.
        let has_collation = |name: &&String| {
            *name == result_diff::AS_IS
                || server_collations.iter().any(|item| server::is_same_collation(&item.name, name))
        };
        let sides = self.sides.iter().filter(has_collation);
        let request = result_diff::Request {
            sides: sides.map(|side| (side != result_diff::AS_IS).then(|| side.clone())).collect(),
            convert_all: self.selection.convert_all,
            samples: self.selection.samples,
            without_colliding_rows: self.without_colliding_rows,
            statement_timeout: MAX_STATEMENT_TIME,
            run: load::new_run_name(),
        };
        let requested = &self.selection.classes;
        let mut workload = workload_folder::Workload::clone(&self.workload);
        workload.statements.retain(|item| requested.is_empty() || requested.contains(&item.name));
        Ok(result_diff::compare_sides(server, &workload, &request, progress)?)
    }
}
