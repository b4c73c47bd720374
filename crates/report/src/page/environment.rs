//! Machine, servers, settings and options.

use askama::Template;
use measure::Run;

use super::section::Section;
use super::table::Grid;
use crate::content::Report;
use crate::head::setting;
use crate::number::{counted, grouped, set_percent};
use crate::settings::side_by_side;

#[derive(Template)]
#[template(path = "environment.html")]
struct Body {
    lines: Vec<String>,
    options: Vec<(&'static str, String)>,
    grid: Option<Grid>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let run = &report.run;
    let mut lines = setting(run);
    // Logs tell neither kernel nor options.
    let measured = run.imported.is_none();
    lines.extend(measured.then(|| format!("kernel: {}", run.machine.kernel)));
    let options = if measured { options(run) } else { Vec::new() };
    Some(Section::new("environment", "Machine, servers and settings", &Body { lines, options, grid: settings(run) }))
}

fn tables(run: &Run) -> (&'static str, String) {
    let options = &run.options;
    match (&run.recording, &run.script) {
        (Some(recording), _) => ("tables", format!("{} with the rows of {}", options.tables, recording.folder)),
        (None, Some(script)) => ("tables", format!("those that {} prepares", script.file)),
        (None, None) => {
            let rows = counted(options.table_size.into(), "row");
            ("tables of each kind", counted(options.tables.into(), "table") + " of " + &rows)
        }
    }
}

fn options(run: &Run) -> Vec<(&'static str, String)> {
    let options = &run.options;
    vec![
        tables(run),
        ("range of a range statement", counted(options.range_size.into(), "row")),
        ("row numbers drawn", options.rand_type.clone()),
        ("statements", options.protocol.clone() + if options.skip_trx { ", without transactions" } else { "" }),
        ("asked precision", format!("± {}", set_percent(options.precision))),
        ("time for measuring", format!("{} s", grouped(options.max_time_s))),
        ("block", format!("{} s, after {} s of warm-up", options.block_s, options.warmup_s)),
        ("connections bound to cores", if options.pinned { "yes" } else { "no" }.into()),
        ("the sides of a duet take turns", if options.took_turns() { "yes" } else { "no" }.into()),
        ("seed", options.seed.to_string()),
    ]
}

/// A row a setting, a column a server.
fn settings(run: &Run) -> Option<Grid> {
    let mut columns = vec![("setting", false)];
    columns.extend(run.servers.iter().map(|server| (server.label.as_str(), false)));
    let rows = side_by_side(run);
    let title = "Settings that bear on the load, all that are not at their defaults, and what connections agreed on";
    (!rows.is_empty()).then(|| Grid::of(title, &columns, rows))
}
