//! Section with throughput by the number of connections, if a run has several.

use askama::Template;
use serde::Serialize;

use super::chart::Chart;
use super::section::Section;
use super::table::Grid;
use crate::run::name::{server_label, variant_name};
use crate::run::report::Report;
use crate::run::sweep::{Sweep, sweeps};

#[derive(Template)]
#[template(path = "threads.html")]
struct Body {
    groups: Vec<Group>,
}

struct Group {
    title: String,
    chart: Chart,
    grids: Vec<Grid>,
}

#[derive(Serialize)]
struct Data<'a> {
    points: Vec<Point<'a>>,
}

#[derive(Serialize)]
struct Point<'a> {
    collation: String,
    server: &'a str,
    threads: u32,
    value: f64,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let groups: Vec<Group> = sweeps(report).iter().map(|sweep| group(report, sweep)).collect();
    (!groups.is_empty()).then(|| Section::new("threads", "Throughput by connections", &Body { groups }))
}

fn group(report: &Report, sweep: &Sweep<'_>) -> Group {
    let run = &report.run;
    let point = |&(index, threads, value): &(usize, u32, f64)| Point {
        collation: variant_name(run, index),
        server: server_label(run, index),
        threads,
        value,
    };
    let data = Data { points: sweep.points(report).iter().map(point).collect() };
    let caption = "Queries a second by connections to each variant".to_owned();
    let description = format!(
        "Line chart of throughput by connections, {}. The same figures are in the table that follows.",
        sweep.workload
    );
    Group {
        title: sweep.workload.clone(),
        chart: Chart::new("threads", caption, description, &data),
        grids: sweep.tables(report).into_iter().map(Grid::new).collect(),
    }
}
