//! `weigh servers`: the catalogue, and private instances that outlive the command.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use escape::Command;
use fetch::{Listing, Tool};
use progress::Bar;
use serde_json::{Value, json};
use server::{DetachedInstance, Options, Setting, Spec, detached};

use crate::options::connect::ConnectArgs;
use crate::output;

/// List, install, start and stop servers to measure
#[derive(Debug, Args)]
pub struct ServersArgs {
    #[command(subcommand)]
    action: Action,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for a terminal
    Text,
    /// One JSON document
    Json,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the catalogue, other installed servers, and running instances
    List,
    /// Install servers into the user's cache; looks for a newer version of an installed image
    Install {
        /// Catalogue names, images such as mysql:5.7.25, archives, or URLs of archives with
        /// #sha256=…
        #[arg(required = true, value_name = "SERVER")]
        specs: Vec<Spec>,
    },
    /// Start a private instance that runs until it is stopped
    Start(StartArgs),
    /// Stop started instances, and remove their data
    Stop {
        /// Ids from the list, such as s1
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<String>,
        /// Stop all instances
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Drop the schemas that killed runs of weigh left on a running server
    Clean(Box<CleanArgs>),
}

#[derive(Debug, Args)]
struct CleanArgs {
    /// Print what would be dropped, and exit
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    connect: ConnectArgs,
}

#[derive(Debug, Args)]
struct StartArgs {
    /// Server: a catalogue name, an image such as mysql:8.0, a folder or a tarball of server
    /// binaries [default: this machine's server program]
    #[arg(value_name = "SERVER")]
    spec: Option<String>,

    /// Setting, such as innodb_buffer_pool_size=4G; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,

    /// Option file whose [mysqld] group applies
    #[arg(long, value_name = "FILE")]
    defaults_file: Option<PathBuf>,

    /// Client connections at a time that the instance has room for
    #[arg(long, value_name = "N", default_value_t = 128)]
    threads: u32,
}

pub fn run(args: &ServersArgs) -> Result<ExitCode> {
    let (text, json) = match &args.action {
        Action::List => list()?,
        Action::Install { specs } => install(specs)?,
        Action::Start(start) => start.run()?,
        Action::Stop { ids, all } => stop(ids, *all)?,
        Action::Clean(clean) => clean.run()?,
    };
    match args.format {
        Format::Text => output::print(&text)?,
        Format::Json => output::print(&format!("{json:#}\n"))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list() -> Result<(String, Value)> {
    let (catalogue, running) = (fetch::list_servers()?, detached::list()?);
    let heads = ["NAME", "INSTALLED", "WHAT IT IS", "FROM", "LICENCE"];
    let mut text = format_table(heads, catalogue.iter().map(row), output::style().width);
    if !running.is_empty() {
        let rows = running.iter().map(|started| {
            let state = if started.is_alive() { format!("pid {}", started.pid) } else { "died".into() };
            [started.id.clone(), format!("{}, {state}", started.label), started.socket.display().to_string()]
        });
        text.push('\n');
        text.push_str(&format_table(["STARTED", "SERVER", "SOCKET"], rows, None));
    }
    if let Some(listing) = catalogue.iter().find(|listing| listing.installed.is_none() && listing.on_path.is_none()) {
        writeln!(text, "\nTo install one: {}", Command::new("weigh servers install").words([&listing.name]))?;
    }
    let running: Vec<Value> = running.iter().map(describe).collect::<Result<_>>()?;
    Ok((text, json!({ "catalogue": catalogue, "started": running })))
}

fn row(listing: &Listing) -> [String; 5] {
    let names: Vec<&str> = std::iter::once(&listing.name).chain(&listing.aliases).map(String::as_str).collect();
    let (repository, licence) = (listing.repository.clone(), listing.licence.clone());
    [
        names.join(", "),
        describe_state(listing),
        listing.title.clone(),
        repository.unwrap_or_default(),
        licence.unwrap_or_default(),
    ]
}

fn describe_state(listing: &Listing) -> String {
    match (&listing.on_path, &listing.installed) {
        (Some(program), _) => format!("on PATH: {program}"),
        (None, Some(manifest)) => manifest.version.clone(),
        (None, None) => "no".into(),
    }
}

fn describe(started: &DetachedInstance) -> Result<Value> {
    let mut value = serde_json::to_value(started)?;
    value["alive"] = started.is_alive().into();
    Ok(value)
}

/// Formats left-aligned columns, two spaces apart. The last columns are left out on a terminal that
/// is too narrow for them.
fn format_table<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    terminal: Option<usize>,
) -> String {
    let rows: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let fits =
        |columns: usize| widths[..columns].iter().sum::<usize>() + 2 * (columns - 1) <= terminal.unwrap_or(usize::MAX);
    let shown = (1..=N).rev().find(|columns| fits(*columns)).unwrap_or(1);
    let line = |row: &[String; N]| {
        let cells =
            row.iter().zip(widths).take(shown).map(|(cell, width)| format!("{cell:width$}")).collect::<Vec<_>>();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn install(specs: &[Spec]) -> Result<(String, Value)> {
    let (mut text, mut json) = (String::new(), Vec::new());
    for spec in specs {
        let bar = Bar::new();
        let manifest = server::install(spec, &bar)?;
        writeln!(text, "{spec} is installed: {} {}", manifest.package, manifest.version)?;
        json.push(json!({ "name": spec.to_string(), "installed": manifest }));
    }
    Ok((text, Value::Array(json)))
}

impl StartArgs {
    fn run(&self) -> Result<(String, Value)> {
        let spec = self.spec.as_deref().map_or(Ok(Spec::default()), str::parse)?;
        let options = Options {
            settings: self.settings.clone(),
            defaults_file: self.defaults_file.clone(),
            threads: self.threads,
            ..Options::default()
        };
        let bar = Bar::new();
        let started = detached::start(&spec, &options, &bar)?;
        drop(bar);
        let id = &started.id;
        let client = Tool::Client.find().map_or_else(|| "mysql".to_owned(), |path| path.display().to_string());
        let client = escape::shown_shell_word(&client);
        let socket = escape::shown_shell_word(&started.socket.display().to_string());
        let bench = Command::new("weigh bench").option("server", id);
        let stop = Command::new("weigh servers stop").words([id]);
        let text = format!(
            "{id} runs: {}, pid {}\n  connect  {client} --socket={socket} --user=root\n  \
             measure  {bench}\n  stop     {stop}\n",
            started.label, started.pid
        );
        Ok((text, describe(&started)?))
    }
}

impl CleanArgs {
    fn run(&self) -> Result<(String, Value)> {
        let targets = self.connect.resolve(1)?;
        if let Some(spec) = targets.specs.iter().find(|spec| !spec.is_running()) {
            bail!(
                "{spec} would be a private instance, which keeps no schemas; name a running server by --host, --socket or --server"
            );
        }
        let (mut text, mut json) = (String::new(), Vec::new());
        for spec in &targets.specs {
            let server = server::open(spec, &targets.options, &Bar::new())?;
            let leftovers =
                if self.dry_run { load::find_leftovers(&server)? } else { load::drop_leftover_schemas(&server)? };
            let label = server.label();
            for leftover in &leftovers {
                let done = if self.dry_run { "would be dropped" } else { "is dropped" };
                writeln!(text, "{label}: {}, made {} UTC, {done}", leftover.schema, leftover.created)?;
                json.push(json!({ "server": label, "schema": leftover.schema, "created": leftover.created, "dropped": !self.dry_run }));
            }
            if leftovers.is_empty() {
                writeln!(text, "{label}: no killed run of weigh left anything there")?;
            }
        }
        Ok((text, Value::Array(json)))
    }
}

fn stop(ids: &[String], all: bool) -> Result<(String, Value)> {
    let ids = if all { detached::list()?.into_iter().map(|started| started.id).collect() } else { ids.to_vec() };
    let (mut text, mut json) = (String::new(), Vec::new());
    let mut failures = Vec::new();
    for id in &ids {
        match detached::stop(id) {
            Ok(stopped) => {
                writeln!(text, "{id} ({}) is stopped, its data removed", stopped.label)?;
                json.push(describe(&stopped)?);
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    if !failures.is_empty() {
        // Reports the instances that were stopped before failing for the others.
        eprint!("{text}");
        bail!("{}", failures.join("; "));
    }
    if ids.is_empty() {
        text.push_str("no instance is running\n");
    }
    Ok((text, Value::Array(json)))
}
