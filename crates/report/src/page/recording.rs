//! A workload's folder: what differs in results and plans, with a class to unfold, and the classes by what they cost.

use askama::Template;

use super::section::Section;
use super::table::Grid;
use crate::content::Report;
use crate::findings::unfolded;
use crate::recording::{classes, results};

#[derive(Template)]
#[template(path = "recording.html")]
struct Body {
    lines: Vec<String>,
    parts: Vec<Part>,
    grids: Vec<Grid>,
}

/// A class that differs on a side.
struct Part {
    title: String,
    body: String,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let recording = report.run.recording.as_ref()?;
    let parts = recording.parity.iter().flat_map(unfolded).map(|(title, body)| Part { title, body }).collect();
    let grids = classes(&report.run, &report.analysis).into_iter().map(Grid::new).collect();
    let body = Body { lines: results(&report.run), parts, grids };
    Some(Section::new("statements", "Results, plans and statements", &body))
}
