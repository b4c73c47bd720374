//! Section with machine, servers, settings and options.

use askama::Template;
use measure::Run;

use super::section::Section;
use super::table::Grid;
use crate::format::number::{count_noun, format_given_percent, group_thousands};
use crate::run::head::describe_setting;
use crate::run::report::Report;
use crate::run::settings::settings_by_server;

#[derive(Template)]
#[template(path = "environment.html")]
struct Body {
    lines: Vec<String>,
    options: Vec<(&'static str, String)>,
    grid: Option<Grid>,
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let run = &report.run;
    let mut lines = describe_setting(run);
    // Imported logs contain neither kernel nor options.
    let measured = run.imported.is_none();
    lines.extend(measured.then(|| format!("kernel: {}", run.machine.kernel)));
    let options = if measured { options(run) } else { Vec::new() };
    Some(Section::new("environment", "Machine, servers and settings", &Body { lines, options, grid: settings(run) }))
}

fn tables(run: &Run) -> (&'static str, String) {
    let options = &run.options;
    match (&run.workload_folder, &run.script) {
        (Some(folder), _) => ("tables", format!("{} with the rows of {}", options.tables, folder.folder)),
        (None, Some(script)) => ("tables", format!("those that {} prepares", script.file)),
        (None, None) => {
            let rows = count_noun(options.table_size.into(), "row");
            ("tables of each kind", count_noun(options.tables.into(), "table") + " of " + &rows)
        }
    }
}

fn options(run: &Run) -> Vec<(&'static str, String)> {
    let options = &run.options;
    vec![
        tables(run),
        ("range of a range statement", count_noun(options.range_size.into(), "row")),
        ("row numbers drawn", options.rand_type.clone()),
        ("statements", options.protocol.clone() + if options.skip_trx { ", without transactions" } else { "" }),
        ("asked precision", format!("± {}", format_given_percent(options.precision))),
        ("time for measuring", format!("{} s", group_thousands(options.max_time_s))),
        ("block", format!("{} s, after {} s of warm-up", options.block_s, options.warmup_s)),
        ("connections bound to cores", if options.pinned { "yes" } else { "no" }.into()),
        ("the sides of a duet take turns", if options.took_turns() { "yes" } else { "no" }.into()),
        ("seed", options.seed.to_string()),
    ]
}

/// Builds the table of settings: a row per setting, a column per server.
fn settings(run: &Run) -> Option<Grid> {
    let mut columns = vec![("setting", false)];
    columns.extend(run.servers.iter().map(|server| (server.label.as_str(), false)));
    let rows = settings_by_server(run);
    let title = "Settings that bear on the load, all that are not at their defaults, and what connections agreed on";
    (!rows.is_empty()).then(|| Grid::from_rows(title, &columns, rows))
}
