//! The report of a run as Markdown, for a wiki page or a ticket.

use std::fmt::Write as _;

use crate::format::markdown::{end_with_newline, escape, push_list, push_tables};
use crate::profile::table::run_tables;
use crate::result_diff::lines::left_out_lines;
use crate::run::claims;
use crate::run::head::{describe_buffer_pool, describe_setting, legend};
use crate::run::published::published;
use crate::run::report::Report;
use crate::run::settings::differing_settings;
use crate::run::statements::{class_tables, result_lines};
use crate::run::sweep::sweeps;
use crate::run::tables::tables;
use crate::run::verdict::grid::grid;
use crate::run::verdict::quality::{Quality, cannot_tell, quality};
use crate::run::warning::severe;

/// Returns the report as Markdown, from warnings to notes.
pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    for warning in severe(&report.run, &report.analysis).iter().chain(&cannot_tell(&report.run, &report.analysis)) {
        let _ = writeln!(out, "> {}\n", escape(warning));
    }
    if let Some(title) = claims::title(report) {
        let _ = writeln!(out, "### {}\n", escape(&title));
        push_list(&claims::lines(report), &mut out);
    }
    if let Some(grid) = grid(&report.run, &report.analysis) {
        push_tables(&grid.tables(&report.run, usize::MAX / 2), &mut out);
        push_list(&grid.notes(), &mut out);
    }
    push_list(&report.headlines, &mut out);
    push_list(&quality(&report.run, &report.analysis).iter().map(Quality::line).collect::<Vec<_>>(), &mut out);
    push_list(&result_lines(&report.run), &mut out);
    for diff in report.run.workload_folder.iter().flat_map(|folder| &folder.result_diffs) {
        push_list(&left_out_lines(&diff.left_out), &mut out);
    }
    push_list(&describe_setting(&report.run), &mut out);
    push_list(describe_buffer_pool(&report.run).as_slice(), &mut out);
    push_tables(&sweeps(report).iter().flat_map(|sweep| sweep.tables(report)).collect::<Vec<_>>(), &mut out);
    let tables = tables(report);
    push_tables(&tables, &mut out);
    push_tables(&class_tables(&report.run, &report.analysis), &mut out);
    if !tables.is_empty() {
        let _ = writeln!(out, "{}\n", escape(&legend(&report.run).join(" ")));
    }
    if let Some(profiles) = &report.profiles {
        let (tables, lines) = run_tables(profiles);
        push_tables(&tables, &mut out);
        push_list(&lines, &mut out);
    }
    push_tables(published(report).as_slice(), &mut out);
    push_tables(differing_settings(&report.run).as_slice(), &mut out);
    push_list(&report.run.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>(), &mut out);
    end_with_newline(out)
}
