//! HTML page of one or several runs, without external resources.
//!
//! A page has a list of [sections](section) per run. Each section is a module with its own
//! template. Figures are in a [`Table`](crate::format::table::Table), charts in a [`Chart`]. The
//! templates escape all text. The content security policy runs only the page's own scripts.

mod charsets;
mod chart;
mod claims;
mod cost;
mod environment;
mod glance;
mod latency;
mod profile;
mod ratios;
mod repeat;
mod section;
mod sizes;
mod statements;
mod table;
mod threads;
mod verdict;

use std::sync::LazyLock;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use measure::Run;
use sha2::{Digest, Sha256};

use crate::format::number::count_noun;
use crate::run::report::Report;
use crate::run::verdict::grid::grid;
use crate::run::verdict::quality::cannot_tell;
use crate::run::verdict::summary::finding;
use section::Section;

const STYLE: &str = include_str!("../../assets/page.css");

/// Scripts in the order of execution. Later scripts depend on earlier scripts.
const SCRIPTS: [&str; 3] = [
    include_str!("../../assets/d3.min.js"),
    include_str!("../../assets/plot.umd.min.js"),
    include_str!("../../assets/page.js"),
];

/// Content security policy: loads nothing, and runs only [`SCRIPTS`].
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = SCRIPTS.iter().map(hash).collect();
    // Charts have style attributes, which hashes cannot allow.
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
});

/// Sections of a run, in order. A section without content is omitted.
const SECTIONS: [fn(&Report) -> Option<Section>; 14] = [
    verdict::section,
    statements::section,
    claims::section,
    threads::section,
    glance::section,
    ratios::section,
    latency::section,
    cost::section,
    profile::section,
    sizes::section,
    charsets::section,
    environment::section,
    claims::published_section,
    repeat::section,
];

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: String,
    runs: Vec<RunPart<'a>>,
    policy: &'a str,
    style: &'a str,
    scripts: &'a [&'a str],
    weigh: &'a str,
}

struct RunPart<'a> {
    /// Prefix of the ids of the run's sections, which makes them unique in the page.
    prefix: String,
    name: &'a str,
    title: String,
    when: String,
    machine: String,
    sections: Vec<Section>,
}

/// Returns the page of one or several runs, each with a name.
pub fn page(runs: &[(String, Report)]) -> String {
    let parts: Vec<RunPart<'_>> =
        runs.iter().enumerate().map(|(index, (name, report))| run_part(index, name, report)).collect();
    let title = match parts.as_slice() {
        [only] => only.title.clone(),
        parts => format!("{} runs, side by side", parts.len()),
    };
    let page =
        Page { title, runs: parts, policy: &POLICY, style: STYLE, scripts: &SCRIPTS, weigh: env!("CARGO_PKG_VERSION") };
    page.render().expect("templates write into a string, which takes every write")
}

fn run_part<'a>(index: usize, name: &'a str, report: &Report) -> RunPart<'a> {
    let run = &report.run;
    let servers: Vec<&str> = run.servers.iter().map(|server| server.label.as_str()).collect();
    RunPart {
        prefix: format!("run{}-", index + 1),
        name,
        title: finding_of(report).unwrap_or_else(|| format!("What collations cost on {}", join_names(&servers))),
        when: run.started.replace('T', " ").replace('Z', " UTC"),
        machine: machine(run),
        sections: SECTIONS.iter().filter_map(|section| section(report)).collect(),
    }
}

/// Returns what the run found, in a few words: `distinct_ranges takes up to 1.8 times the CPU`. For
/// a recipe, how many claims hold.
fn finding_of(report: &Report) -> Option<String> {
    let (run, analysis) = (&report.run, &report.analysis);
    if let Some(title) = crate::run::claims::title(report) {
        return Some(title);
    }
    if cannot_tell(run, analysis).is_some() {
        return Some("This run can't tell".into());
    }
    finding(run, &grid(run, analysis)?)
}

/// Returns the processor and its cores. For an imported run, returns the source of the logs.
fn machine(run: &Run) -> String {
    match &run.imported {
        Some(imported) => format!("imported from {}", imported.from),
        None => format!("{}, {}", run.machine.processor, count_noun(run.machine.cores as u64, "core")),
    }
}

/// Returns `a`, `a and b`, or `a, b and c`.
fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).into(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
