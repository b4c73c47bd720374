//! Section of a workload folder: differences in results and plans, and the costs of statement
//! classes.

use askama::Template;

use super::section::Section;
use super::table::Grid;
use crate::result_diff::lines::{left_out_lines, titles_and_bodies};
use crate::run::report::Report;
use crate::run::statements::{class_tables, left_out_classes};

#[derive(Template)]
#[template(path = "statements.html")]
struct Body {
    lines: Vec<String>,
    parts: Vec<Part>,
    grids: Vec<Grid>,
}

/// Differences of one class on one side.
struct Part {
    title: String,
    body: String,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let folder = report.run.workload_folder.as_ref()?;
    let parts =
        folder.result_diffs.iter().flat_map(titles_and_bodies).map(|(title, body)| Part { title, body }).collect();
    let grids = class_tables(&report.run, &report.analysis).into_iter().map(Grid::new).collect();
    let mut lines = left_out_classes(&report.run);
    lines.extend(folder.result_diffs.iter().flat_map(|diff| left_out_lines(&diff.left_out)));
    let body = Body { lines, parts, grids };
    Some(Section::new("statements", "Results, plans and statements", &body))
}
