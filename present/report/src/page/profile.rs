//! Section with CPU profiles: categories, functions, and links to flame graphs.

use ::profile::{Profile, Profiles, output};
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::chart::Chart;
use super::section::Section;
use super::table::Grid;
use crate::profile::table::{category_table, difference_table, function_table, text_share};
use crate::profile::text::describe_different_work;
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "profile.html")]
pub(crate) struct Body {
    parts: Vec<Part>,
    failures: Vec<String>,
}

/// A profile: of a condition, a process or an imported file.
struct Part {
    sentence: String,
    /// A sentence for each difference whose sides also differ in other work than the collations'.
    different_work: Vec<String>,
    chart: Chart,
    categories: Grid,
    functions: Vec<Grid>,
    graphs: Vec<Graph>,
}

/// A link to a flame graph, which is a file in the folder `profile` next to the page.
struct Graph {
    name: String,
    path: String,
    /// The graph as a data URL, if it is part of the page.
    image: Option<String>,
}

impl Body {
    /// Builds the body. `images` are flame graphs as SVG, by file name, that become part of it.
    pub fn new(profiles: &Profiles, images: &[(String, String)]) -> Self {
        let parts = profiles.profiles.iter().map(|profile| part(profile, images)).collect();
        Self { parts, failures: profiles.failures.clone() }
    }
}

#[derive(Serialize)]
struct Data {
    unit: &'static str,
    parts: Vec<CategoryBar>,
}

#[derive(Serialize)]
struct CategoryBar {
    name: String,
    part: &'static str,
    value: f64,
    share: f64,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let profiles = report.profiles.as_ref()?;
    Some(Section::new("profile", "Where the server's CPU goes", &Body::new(profiles, &[])))
}

fn part(profile: &Profile, images: &[(String, String)]) -> Part {
    let functions = (0..profile.sides.len()).map(|side| function_table(profile, side));
    let changes = profile.differences.iter().map(|difference| difference_table(profile, difference));
    Part {
        sentence: text_share(profile),
        different_work: profile.differences.iter().filter_map(describe_different_work).collect(),
        chart: chart(profile),
        categories: Grid::new(category_table(profile)),
        functions: functions.chain(changes).map(Grid::new).collect(),
        graphs: graphs(profile, images),
    }
}

/// Builds the chart of categories: CPU times if all sides have them, otherwise shares.
fn chart(profile: &Profile) -> Chart {
    let timed = profile.sides.iter().all(|side| side.cpu_us.is_some());
    let bars = profile.sides.iter().flat_map(|side| {
        side.categories.iter().map(move |part| CategoryBar {
            name: side.label.clone(),
            part: part.category.describe(),
            value: if timed { part.cpu_us.map_or(0.0, |cpu| cpu.value) } else { part.share.value * 100.0 },
            share: part.share.value,
        })
    });
    let unit = if timed { "µs/query" } else { "% of the CPU" };
    let description = "Bar chart of the server's CPU by category. The same figures are in the table that follows.";
    Chart::new("categories", profile.title.clone(), description.into(), &Data { unit, parts: bars.collect() })
}

fn graphs(profile: &Profile, images: &[(String, String)]) -> Vec<Graph> {
    let graph = |name: String, file: &Option<String>| {
        file.as_ref().map(|file| {
            let image = images.iter().find(|(known, _)| known == file);
            let image = image.map(|(_, svg)| format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg)));
            Graph { name, path: format!("{}/{file}", output::FOLDER), image }
        })
    };
    let own = profile.sides.iter().filter_map(|side| graph(side.label.clone(), &side.flame_graph));
    let differences = profile.differences.iter().filter_map(|difference| {
        let (label, first) = (&profile.sides[difference.side].label, &profile.sides[0].label);
        graph(format!("{label} compared with {first}"), &difference.flame_graph)
    });
    // Differences first: they show what the collation changes.
    differences.chain(own).collect()
}
