//! `cargo xtask test`: all tests, or a part of them, with the servers and programs that they need
//! installed first.

mod failures;
mod tiers;

use std::io::{self, BufRead, BufReader};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use fetch::Tool;
use progress::Bar;

use crate::background::Background;
use crate::bindings::{self, Binding};
use crate::release;
use failures::Failures;
use tiers::{Tier, Workspace};

/// Servers that the tests name. `mariadb` is the machine's own if the PATH has one.
const SERVERS: [&str; 11] = [
    "mariadb",
    "mariadb@bullseye",
    "mariadb@bookworm",
    "mariadb@trixie",
    "mariadb@11.4",
    "mariadb@10.2",
    "mariadb@10.1",
    "mysql@sid",
    "mysql@8.0",
    "mysql@5.7",
    "mysql@5.6",
];

const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";

/// Environment variable with the number of tests that run at a time.
const THREADS_VARIABLE: &str = "RUST_TEST_THREADS";

/// Options of `cargo test` that select the end-to-end tests, about half of all by time.
const END_TO_END: [&str; 3] = ["--workspace", "--test", "e2e"];

const BINDINGS: &str = "cargo xtask bindings";

#[derive(clap::Args)]
#[command(
    after_help = "What is installed goes to the cache folder (docs/reference/servers.md), without root, and not into the system."
)]
pub struct Arguments {
    /// `fast`: tests without a server, browser or download. `servers`: the others. Or a crate, or a
    /// binding or port of the library (`c`, `datafusion`, `go`, `java`, `python`, `web`). Or
    /// `release`: builds the files of a release and tries each as its users would, as root; not
    /// part of all [default: all].
    part: Option<String>,

    /// Install what the tests need, and run none.
    #[arg(long)]
    no_run: bool,

    /// Passed on to cargo test; not to a binding or `release`. `all` leaves out the bindings then.
    #[arg(last = true)]
    rest: Vec<String>,
}

enum Part {
    All,
    Fast,
    Servers,
    Crate(String),
    Binding(Binding),
    Release,
}

/// Returns whether all tests of the part passed. A failed test of a release is an error.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let workspace = Workspace::read()?;
    let part = parse_part(arguments.part.as_deref(), &workspace)?;
    if let Part::Binding(binding) = part {
        lifecycle::interrupt::install()?;
        return bindings::run(&bindings::Arguments::one(binding, arguments.no_run));
    }
    if let Part::Release = part {
        lifecycle::interrupt::install()?;
        return release::run_trials(arguments.no_run).map(|()| true);
    }
    if needs_servers(&part, &workspace) {
        install()?;
    }
    let with_bindings = matches!(part, Part::All) && arguments.rest.is_empty();
    if arguments.no_run {
        return if with_bindings { bindings::run(&bindings::Arguments::prepare_all()) } else { Ok(true) };
    }
    let mut background = Vec::new();
    if with_bindings {
        background.push((BINDINGS.to_owned(), bindings::start()?));
    }
    if let Part::All = part {
        // Later commands find everything compiled.
        if cargo_test(&["--workspace".to_owned(), "--no-run".to_owned()], &[])?.is_err() {
            bail!("the tests don't compile");
        }
        background.push((format!("cargo test {}", END_TO_END.join(" ")), start_end_to_end(&arguments.rest)?));
    }
    let mut failures = Failures::default();
    let mut failed = Vec::new();
    for options in cargo_options(&part, &workspace) {
        if let Err(output) = cargo_test(&options, &arguments.rest)? {
            failures.add(Failures::parse(&output));
            failed.push(format!("cargo test {}", options.join(" ")));
        }
    }
    let mut bindings_passed = true;
    for (name, process) in background.into_iter().rev() {
        match process.finish()? {
            (true, _) => {}
            (false, _) if name == BINDINGS => bindings_passed = false,
            (false, output) => {
                failures.add(Failures::parse(&output));
                failed.push(name);
            }
        }
    }
    if !failed.is_empty() && run_again(&failures)? {
        failed.clear();
    }
    if !bindings_passed {
        failed.push(BINDINGS.to_owned());
    }
    for line in &failed {
        eprintln!("FAILED: {line}");
    }
    Ok(failed.is_empty())
}

/// Runs failed tests once more, when nothing else runs: some measure, and machines stall. Returns
/// whether all passed. False if the failures are too many, or not of tests.
fn run_again(failures: &Failures) -> Result<bool> {
    let Some(commands) = failures.second_run() else { return Ok(false) };
    for options in commands {
        match cargo_test(&options, &[])? {
            Ok(output) if failures::has_passed_tests(&output) => {}
            _ => return Ok(false),
        }
    }
    for test in failures.tests() {
        eprintln!("passed in a second run only: {test}");
    }
    Ok(true)
}

/// Starts the end-to-end tests, one and a half per core: most wait for servers.
fn start_end_to_end(rest: &[String]) -> Result<Background> {
    let mut command = cargo_test_command(&END_TO_END.map(str::to_owned), rest);
    if std::env::var_os(THREADS_VARIABLE).is_none() {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        command.env(THREADS_VARIABLE, (cores + cores.div_ceil(2)).to_string());
    }
    Background::start(command, "end-to-end tests", bindings::target().with_file_name("end-to-end.log"))
}

fn parse_part(name: Option<&str>, workspace: &Workspace) -> Result<Part> {
    let part = match name {
        None | Some("all") => Part::All,
        Some("fast") => Part::Fast,
        Some("servers") => Part::Servers,
        Some("release") => Part::Release,
        Some(name) if workspace.has_package(name) => Part::Crate(name.to_owned()),
        Some(name) => match Binding::find(name) {
            Some(binding) => Part::Binding(binding),
            None => bail!(
                "`{name}` is not a part of the tests: give all, fast, servers, release, a crate ({}) or a binding ({})",
                workspace.packages().join(", "),
                Binding::names().join(", ")
            ),
        },
    };
    Ok(part)
}

fn needs_servers(part: &Part, workspace: &Workspace) -> bool {
    match part {
        Part::All | Part::Servers => true,
        Part::Fast | Part::Binding(_) | Part::Release => false,
        Part::Crate(name) => workspace.tests(Tier::NeedsServers).any(|test| test.package == *name),
    }
}

/// Options of the `cargo test` commands that make up a part.
fn cargo_options(part: &Part, workspace: &Workspace) -> Vec<Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let named = |tier| workspace.test_names(tier).into_iter().flat_map(|name| ["--test".to_owned(), name]);
    match part {
        // The end-to-end tests run in the background at the same time.
        Part::All => {
            let others = [Tier::Offline, Tier::NeedsServers].into_iter().flat_map(|tier| workspace.test_names(tier));
            let others = others.filter(|name| name != END_TO_END[2]).flat_map(|name| ["--test".to_owned(), name]);
            let units = words(&["--workspace", "--lib", "--bins"]);
            vec![units.into_iter().chain(others).collect(), words(&["--workspace", "--doc"])]
        }
        Part::Fast => {
            let units = words(&["--workspace", "--lib", "--bins"]);
            vec![units.into_iter().chain(named(Tier::Offline)).collect(), words(&["--workspace", "--doc"])]
        }
        Part::Servers => vec![words(&["--workspace"]).into_iter().chain(named(Tier::NeedsServers)).collect()],
        Part::Crate(name) => vec![words(&["--package", name])],
        Part::Binding(_) | Part::Release => Vec::new(),
    }
}

/// Runs a `cargo test`, and prints its output meanwhile. Returns the output: `Ok` if all passed.
fn cargo_test(options: &[String], rest: &[String]) -> Result<Result<String, String>> {
    eprintln!("running: cargo test --locked --no-fail-fast {}", [options, rest].concat().join(" "));
    let start = Instant::now();
    let (reader, writer) = io::pipe().context("cannot open a pipe")?;
    let mut command = cargo_test_command(options, rest);
    command.stdout(writer.try_clone().context("cannot open a pipe twice")?).stderr(writer);
    let mut child = command.spawn().context("cannot run cargo")?;
    // Closes this process's ends of the pipe: the output ends with cargo.
    drop(command);
    let mut output = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = String::from_utf8_lossy(&line.context("cannot read cargo's output")?).into_owned();
        eprintln!("{line}");
        output += &line;
        output.push('\n');
    }
    let status = child.wait().context("cannot wait for cargo")?;
    if status.code().is_none() {
        bail!("cargo test was ended by a signal ({status})");
    }
    eprintln!("cargo test took {} s", start.elapsed().as_secs());
    Ok(if status.success() { Ok(output) } else { Err(output) })
}

fn cargo_test_command(options: &[String], rest: &[String]) -> Command {
    let mut command = Command::new(crate::cargo());
    command.args(["test", "--locked", "--no-fail-fast"]).args(options).args(rest);
    // Random tests have the same inputs in each run, so that a change fails by its own faults only.
    // `cargo test` draws others.
    if std::env::var_os(SEED_VARIABLE).is_none() {
        command.env(SEED_VARIABLE, "20261129");
    }
    command
}

fn install() -> Result<()> {
    let bar = Bar::with_steps_printed();
    // `cargo xtask portable` and `cargo xtask test release` install these themselves.
    let others = [Tool::Qemu, Tool::Debootstrap];
    for tool in Tool::ALL.into_iter().filter(|tool| !others.contains(tool)) {
        tool.find_or_install(&bar).with_context(|| format!("the tests need {}", tool.name()))?;
    }
    fetch::find_or_install_axe(&bar).context("the tests of pages need axe-core")?;
    for name in SERVERS {
        server::install(&name.parse()?, &bar).with_context(|| format!("the tests need the server {name}"))?;
    }
    Ok(())
}
