//! HTML page of one or several runs, without external resources.
//!
//! A page has a list of [sections](section) per run. Each section is a module with its own
//! template. Figures are in a [`Table`](crate::format::table::Table), charts in a [`Chart`]. The
//! templates escape all text.

mod charsets;
pub(crate) mod chart;
mod claims;
mod cost;
mod environment;
mod glance;
mod latency;
pub(crate) mod profile;
mod ratios;
mod repeat;
mod section;
mod sizes;
mod statements;
pub(crate) mod table;
mod threads;
mod verdict;

use askama::Template;
use measure::Run;

use crate::format::number::count_noun;
use crate::frame::Frame;
use crate::run::report::Report;
use crate::run::verdict::grid::grid;
use crate::run::verdict::quality::cannot_tell;
use crate::run::verdict::summary::finding;
use section::Section;

/// Sections of a run, in order. A section without content is omitted.
const SECTIONS: [fn(&Report) -> Option<Section>; 13] = [
    claims::section,
    verdict::section,
    statements::section,
    threads::section,
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
    frame: Frame,
    runs: Vec<RunPart<'a>>,
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
    let page = Page { frame: Frame::with_charts(title), runs: parts };
    crate::frame::render(&page)
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
