//! Rehearses the plan on a private server, or tries its ALTERs in a scratch schema.

use anyhow::{Result, bail};
use facts::Facts;
use preflight::trial::{run_in_scratch_schema, use_documented_algorithms};
use preflight::{Rehearsed, Report, rehearse};
use server::{Flavour, Options, Progress, Server, Setting, Spec, Version};

use super::PreflightArgs;

/// Buffer pool of the private server, in bytes. It holds a sample of rows before and after the
/// ALTER.
const BUFFER_POOL_BYTES: u64 = 256 << 20;

/// The private server that the plan is rehearsed on.
pub struct Trial {
    spec: Spec,
    options: Options,
    /// Whether the command line names the server, or settings for it.
    is_typed: bool,
}

impl Trial {
    /// Chooses the server that `--trial` names, else the private server that is read, or of a
    /// running one the nearest installed version. `None` with `--trial none`, with `--scratch`, and
    /// if no server of the flavour is installed.
    pub fn choose(
        args: &PreflightArgs,
        spec: &Spec,
        options: &Options,
        server: &Server,
        facts: &Facts,
    ) -> Result<Option<Self>> {
        let trial: Option<Spec> = match args.trial.as_deref() {
            Some("none") => None,
            Some(text) => Some(text.parse()?),
            None if args.scratch.is_some() => None,
            None if !spec.is_running() => Some(spec.clone()),
            None => find_nearest_server(server)?,
        };
        let Some(trial) = trial else { return Ok(None) };
        if trial.is_running() {
            bail!("--trial takes a server that weigh starts; --scratch tries the ALTERs on the server that is read");
        }
        let is_typed = args.trial.is_some() || spec.is_running() && !options.settings.is_empty();
        let mut settings = read_definition_settings(facts);
        settings.extend(options.settings.iter().cloned());
        // An option file that is read for a running server is a client's.
        let defaults_file = options.defaults_file.clone().filter(|_| !spec.is_running());
        let options = Options { settings, defaults_file, buffer_pool: Some(BUFFER_POOL_BYTES), ..options.clone() };
        Ok(Some(Self { spec: trial, options, is_typed }))
    }

    /// Starts and stops the server if the command line names it or settings for it. It then fails
    /// before rows are read.
    pub fn check(&self, progress: &dyn Progress) -> Result<()> {
        if self.is_typed { Ok(server::open(&self.spec, &self.options, progress)?.stop()?) } else { Ok(()) }
    }
}

/// Rehearses the plan on a private server. With `--scratch`, tries its ALTERs in a scratch schema
/// instead; if there is no private server, or it doesn't start, takes their algorithms from the
/// documentation. In these two cases, lists the plan under "not checked".
pub fn try_plan(
    args: &PreflightArgs,
    trial: Option<&Trial>,
    server: &Server,
    rehearsed: &Rehearsed<'_>,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<()> {
    let Some(plan) = &mut report.plan else { return Ok(()) };
    if let Some(scratch) = &args.scratch {
        let how = format!("its ALTERs were tried on empty tables in {scratch}");
        report.unchecked.extend(describe_unrehearsed(rehearsed, &how));
        return Ok(run_in_scratch_schema(server, scratch, rehearsed.facts, rehearsed.definitions, plan)?);
    }
    let Some(trial) = trial else {
        use_documented_algorithms(rehearsed.facts, plan);
        let why = match args.trial.is_some() {
            true => "--trial none".to_owned(),
            false => format!("no {} is installed (weigh servers install; --trial SPEC)", server.flavour()),
        };
        report.unchecked.extend(describe_unrehearsed(rehearsed, &why));
        return Ok(());
    };
    progress.step("rehearsing the plan on a private server");
    let private = match server::open(&trial.spec, &trial.options, progress) {
        Ok(private) => private,
        Err(error) => {
            lifecycle::interrupt::check()?;
            use_documented_algorithms(rehearsed.facts, plan);
            report.unchecked.extend(describe_unrehearsed(rehearsed, &error.to_string()));
            return Ok(());
        }
    };
    rehearse(&private, server, rehearsed, report)?;
    if private.version().split('-').next() != server.version().split('-').next() {
        let (tried, own) = (private.version(), server.version());
        report.notes.push(match args.trial.is_some() {
            true => format!("the plan was rehearsed on {tried}, which --trial names, not on {own}"),
            false => format!(
                "the plan was rehearsed on {tried}, the nearest installed version to {own}: --trial SPEC names another"
            ),
        });
    }
    Ok(private.stop()?)
}

/// Returns what is not checked without a rehearsal.
fn describe_unrehearsed(rehearsed: &Rehearsed<'_>, why: &str) -> Vec<String> {
    let mut lines = vec![format!("the plan: not rehearsed: {why}")];
    if rehearsed.definitions.objects.iter().any(|object| object.name.kind.is_program_or_view()) {
        lines.push(
            "programs: their parameters, variables, CONVERT and CAST were not compared with converted columns (error 1267), as the \
             rehearsal does"
                .to_owned(),
        );
    }
    lines
}

/// Returns the server's settings that decide which definitions of tables and programs it accepts.
fn read_definition_settings(facts: &Facts) -> Vec<Setting> {
    let names = [
        "innodb_large_prefix",
        "innodb_file_format",
        "innodb_default_row_format",
        "innodb_page_size",
        "innodb_strict_mode",
        "lower_case_table_names",
    ];
    Setting::adopt(names.iter().filter_map(|name| Some(((*name).to_owned(), facts.server.variable(name)?.to_owned()))))
}

/// Finds the server with the nearest version among those of this server's flavour: installed ones
/// and the one on the PATH.
pub fn find_nearest_server(server: &Server) -> Result<Option<Spec>> {
    find_nearest(server.flavour(), Version::find(server.version()).unwrap_or(Version::new(0, 0, 0)))
}

/// As [`find_nearest_server`], for a flavour and a version.
pub fn find_nearest(flavour: Flavour, version: Version) -> Result<Option<Spec>> {
    let prefix = match flavour {
        Flavour::MySql => "mysql",
        Flavour::MariaDb => "mariadb",
    };
    let mut nearest: Option<(VersionDistance, Spec)> = None;
    for listing in fetch::list_servers()?.into_iter().filter(|listing| listing.name.starts_with(prefix)) {
        let installed = listing.installed.iter().map(|manifest| manifest.version.as_str());
        let versions = installed.chain(listing.on_path.iter().map(String::as_str));
        for distance in versions.filter_map(find_version).map(|other| distance(version, other)) {
            if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                nearest = Some((distance, listing.name.parse()?));
            }
        }
    }
    Ok(nearest.map(|(_, spec)| spec))
}

/// Finds the version in a Debian version with an epoch, `1:10.11.19-0+deb12u1`, or in a label.
fn find_version(text: &str) -> Option<Version> {
    Version::find(text.split_once(':').map_or(text, |(_, version)| version))
}

/// Differences of major, minor and patch level.
type VersionDistance = (u32, u32, u32);

/// Returns how far apart two versions are. A difference of the major versions weighs most.
fn distance(a: Version, b: Version) -> VersionDistance {
    let part = |a: u16, b: u16| u32::from(a.abs_diff(b));
    (part(a.major, b.major), part(a.minor, b.minor), part(a.patch, b.patch))
}
