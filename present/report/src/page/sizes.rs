//! Section with the sizes of tables and indexes.

use askama::Template;
use measure::{Run, TableSize};
use serde::Serialize;

use super::chart::{Chart, label_with_text};
use super::section::Section;
use super::table::Grid;
use crate::format::number::{format_decimals, group_thousands};
use crate::run::report::Report;

#[derive(Template)]
#[template(path = "sizes.html")]
struct Body {
    chart: Chart,
    grid: Grid,
}

#[derive(Serialize)]
struct Part {
    name: String,
    part: &'static str,
    mebibytes: f64,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let run = &report.run;
    if run.sizes.is_empty() {
        return None;
    }
    let parts: Vec<Part> = distinct_variants(run).into_iter().flat_map(|variant| parts(run, variant)).collect();
    let description =
        "Bar chart of the bytes of rows and of secondary indexes. The same figures are in the table that follows.";
    let chart = Chart::new("stack", "All tables of a variant, MiB".into(), description.into(), &parts);
    let columns = [
        ("collation", false),
        ("table", false),
        ("rows", true),
        ("data bytes", true),
        ("index bytes", true),
        ("rows a page", true),
    ];
    let rows = run.sizes.iter().map(|size| row(run, size)).collect();
    Some(Section::new(
        "sizes",
        "Size of tables and indexes",
        &Body { chart, grid: Grid::from_rows("Tables", &columns, rows) },
    ))
}

/// Returns one variant for each server, collation and text. Variants that differ only in the
/// connection charset have tables of the same size.
fn distinct_variants(run: &Run) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for size in &run.sizes {
        let key = |index: usize| {
            let variant = &run.variants[index];
            (variant.server, &variant.collation, &variant.text)
        };
        if !kept.iter().any(|&other| key(other) == key(size.variant)) {
            kept.push(size.variant);
        }
    }
    kept
}

fn parts(run: &Run, variant: usize) -> [Part; 2] {
    let own = || run.sizes.iter().filter(|size| size.variant == variant);
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let part = |part, bytes| Part { name: label_with_text(run, variant), part, mebibytes: mebibytes(bytes) };
    [
        part("rows (clustered index)", own().map(|size| size.data_bytes).sum()),
        part("secondary indexes", own().map(|size| size.index_bytes).sum()),
    ]
}

fn row(run: &Run, size: &TableSize) -> Vec<String> {
    vec![
        label_with_text(run, size.variant),
        size.table.clone(),
        group_thousands(size.rows as f64),
        group_thousands(size.data_bytes as f64),
        group_thousands(size.index_bytes as f64),
        format_decimals(size.rows_per_page(), 1),
    ]
}
