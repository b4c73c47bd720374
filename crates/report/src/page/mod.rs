//! The report as one HTML page that needs no network: style, scripts and figures are in it.
//!
//! A page is a list of [sections](section) for each run. A section is a module here with a template of its own; what it shows in charts
//! is a [`Chart`], what it shows in figures a [`Table`](crate::table::Table). All text is escaped by the templates; of the scripts,
//! only ours run, by the page's own content security policy.

mod charsets;
mod chart;
mod claims;
mod cost;
mod environment;
mod glance;
mod latency;
mod profile;
mod ratios;
mod recording;
mod repeat;
mod section;
mod sizes;
mod table;
mod threads;
mod verdict;

use std::sync::LazyLock;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use measure::Run;
use sha2::{Digest, Sha256};

use crate::content::Report;
use crate::number::counted;
use section::Section;

const STYLE: &str = include_str!("../../assets/page.css");

/// In the order in which they run: each needs those before it.
const SCRIPTS: [&str; 3] = [
    include_str!("../../assets/d3.min.js"),
    include_str!("../../assets/plot.umd.min.js"),
    include_str!("../../assets/page.js"),
];

/// Nothing is loaded from anywhere, and of what stands in the page our scripts run and no other.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = SCRIPTS.iter().map(hash).collect();
    // Charts carry style attributes, so style can't be held to hashes.
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
});

/// The sections of a run, in their order; one that has nothing to say of a run is left out.
const SECTIONS: [fn(&Report) -> Option<Section>; 14] = [
    verdict::section,
    recording::section,
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

/// What a page has of one run.
struct RunPart<'a> {
    /// In front of the ids of its sections, so that runs do not share them.
    prefix: String,
    name: &'a str,
    title: String,
    when: String,
    machine: String,
    sections: Vec<Section>,
}

/// The page of one or several runs, each with the name that tells it from the others.
pub fn page(runs: &[(String, Report)]) -> String {
    let parts: Vec<RunPart<'_>> =
        runs.iter().enumerate().map(|(index, (name, report))| part(index, name, report)).collect();
    let title = match parts.as_slice() {
        [only] => only.title.clone(),
        parts => format!("{} runs, side by side", parts.len()),
    };
    let page =
        Page { title, runs: parts, policy: &POLICY, style: STYLE, scripts: &SCRIPTS, weigh: env!("CARGO_PKG_VERSION") };
    page.render().expect("templates write into a string, which takes every write")
}

fn part<'a>(index: usize, name: &'a str, report: &Report) -> RunPart<'a> {
    let run = &report.run;
    let servers: Vec<&str> = run.servers.iter().map(|server| server.label.as_str()).collect();
    RunPart {
        prefix: format!("run{}-", index + 1),
        name,
        title: format!("What collations cost on {}", listed(&servers)),
        when: run.started.replace('T', " ").replace('Z', " UTC"),
        machine: machine(run),
        sections: SECTIONS.iter().filter_map(|section| section(report)).collect(),
    }
}

/// Where it was measured, or for an imported run, which does not tell, what it was imported from.
fn machine(run: &Run) -> String {
    match &run.imported {
        Some(imported) => format!("imported from {}", imported.from),
        None => format!("{}, {}", run.machine.processor, counted(run.machine.cores as u64, "core")),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).into(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
