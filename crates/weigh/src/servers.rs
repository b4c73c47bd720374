//! `weigh servers`: the catalogue, and instances that stay.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use server::{Listing, Options, Spec, Started, started};

use crate::bar::Bar;
use crate::connect::{ConnectArgs, Setting};
use crate::output;

/// List, install, start and stop servers to measure.
#[derive(Debug, Args)]
pub struct ServersArgs {
    #[command(subcommand)]
    action: Action,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the catalogue, what else is installed, and which instances run
    List,
    /// Install servers beside the system, into the user's cache; an image that is there already is asked for anew
    Install {
        /// Names from the catalogue, images such as mysql:5.7.25, archives, or URLs of archives with #sha256=…
        #[arg(required = true, value_name = "SERVER")]
        specs: Vec<Spec>,
    },
    /// Start a private instance that stays until it is stopped
    Start(StartArgs),
    /// Stop instances that were started, and remove their data
    Stop {
        /// Ids from the list, such as s1
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
    /// Drop the schemas that a weigh which was killed left on a running server
    Clean(Box<CleanArgs>),
}

#[derive(Debug, Args)]
struct CleanArgs {
    /// Say what would be dropped, and end
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    connect: ConnectArgs,
}

#[derive(Debug, Args)]
struct StartArgs {
    /// A catalogue name, an image such as mysql:8.0, a folder or a tarball of server binaries [default: the server of this machine]
    #[arg(value_name = "SERVER")]
    spec: Option<String>,

    /// Setting, such as innodb_buffer_pool_size=4G; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,

    /// Option file whose [mysqld] group applies
    #[arg(long, value_name = "FILE")]
    defaults_file: Option<PathBuf>,

    /// The most client threads that will be connected at a time
    #[arg(long, value_name = "N", default_value_t = 128)]
    threads: u32,
}

/// Runs `weigh servers`.
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
    let (catalogue, running) = (server::listing()?, started::list()?);
    let rows = catalogue.iter().map(|listing| [listing.name.clone(), state(listing), listing.title.clone()]);
    let mut text = table(["NAME", "INSTALLED", "WHAT IT IS"], rows);
    if !running.is_empty() {
        let rows = running.iter().map(|started| {
            let state = if started.is_alive() { format!("pid {}", started.pid) } else { "died".into() };
            [started.id.clone(), format!("{}, {state}", started.label), started.socket.display().to_string()]
        });
        text.push('\n');
        text.push_str(&table(["STARTED", "SERVER", "SOCKET"], rows));
    }
    let running: Vec<Value> = running.iter().map(describe).collect::<Result<_>>()?;
    Ok((text, json!({ "catalogue": catalogue, "started": running })))
}

fn state(listing: &Listing) -> String {
    match (&listing.on_path, &listing.installed) {
        (Some(program), _) => format!("on PATH: {program}"),
        (None, Some(manifest)) => manifest.version.clone(),
        (None, None) => "no".into(),
    }
}

fn describe(started: &Started) -> Result<Value> {
    let mut value = serde_json::to_value(started)?;
    value["alive"] = started.is_alive().into();
    Ok(value)
}

/// Left-aligned columns, two blanks apart.
fn table(head: [&str; 3], rows: impl Iterator<Item = [String; 3]>) -> String {
    let rows: Vec<[String; 3]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    rows.iter().map(|[a, b, c]| format!("{a:first$}  {b:second$}  {c}\n")).collect()
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
        let spec = self.spec.as_deref().map_or(Ok(Spec::Default), str::parse)?;
        let options = Options {
            settings: self.settings.iter().map(|setting| (setting.0.clone(), setting.1.clone())).collect(),
            defaults_file: self.defaults_file.clone(),
            threads: self.threads,
            ..Options::default()
        };
        let bar = Bar::new();
        let started = started::start(&spec, &options, &bar)?;
        drop(bar);
        let (id, socket) = (&started.id, started.socket.display());
        let text = format!(
            "{id} runs: {}, pid {}\n  connect  mysql --socket={socket} --user=root\n  \
             measure  weigh bench --server {id}\n  stop     weigh servers stop {id}\n",
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
                "a private instance takes its schemas with it, and {spec} would be one; name a running server by --host, --socket or --server"
            );
        }
        let (mut text, mut json) = (String::new(), Vec::new());
        for spec in &targets.specs {
            let server = server::open(spec, &targets.options, &Bar::new())?;
            let found = if self.dry_run { drive::leftovers(&server)? } else { drive::drop_leftovers(&server)? };
            let label = server.label();
            for leftover in &found {
                let done = if self.dry_run { "would be dropped" } else { "is dropped" };
                writeln!(text, "{label}: {}, made {} UTC, {done}", leftover.schema, leftover.created)?;
                json.push(json!({ "server": label, "schema": leftover.schema, "created": leftover.created, "dropped": !self.dry_run }));
            }
            if found.is_empty() {
                writeln!(text, "{label}: no weigh that was killed has left anything there")?;
            }
        }
        Ok((text, Value::Array(json)))
    }
}

fn stop(ids: &[String], all: bool) -> Result<(String, Value)> {
    let ids = if all { started::list()?.into_iter().map(|started| started.id).collect() } else { ids.to_vec() };
    let (mut text, mut json) = (String::new(), Vec::new());
    let mut failures = Vec::new();
    for id in &ids {
        match started::stop(id) {
            Ok(stopped) => {
                writeln!(text, "{id} ({}) is stopped, its data removed", stopped.label)?;
                json.push(describe(&stopped)?);
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    if !failures.is_empty() {
        // Those that were stopped are gone, whatever became of the others.
        eprint!("{text}");
        bail!("{}", failures.join("; "));
    }
    if ids.is_empty() {
        text.push_str("nothing runs that weigh has started\n");
    }
    Ok((text, Value::Array(json)))
}
