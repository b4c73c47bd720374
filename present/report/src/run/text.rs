//! The report of a run for a terminal.

use std::fmt::Write as _;

use profile::Profiles;

use crate::format::text::{Style, YELLOW, push_grid, push_lines, push_paragraph, push_tables};
use crate::profile::table::run_tables;
use crate::profile::text::push_verdicts as push_profile_verdicts;
use crate::result_diff::lines::push_details;
use crate::run::claims;
use crate::run::head::{describe_buffer_pool, describe_setting, legend};
use crate::run::published::published;
use crate::run::report::Report;
use crate::run::settings::differing_settings;
use crate::run::statements::{class_tables, result_lines};
use crate::run::sweep::{Sweep, sweeps};
use crate::run::tables::tables;
use crate::run::verdict::grid::grid;
use crate::run::verdict::quality::{cannot_tell, quality};
use crate::run::warning::severe;

/// Maximum number of notes that the verdict shows.
const MAX_NOTES: usize = 4;

/// Returns what a reader needs first: claims, the verdict's table, its summary, and how far to
/// trust it.
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    push_verdict(report, style, &mut out);
    out
}

/// Returns the verdict, then all figures.
pub fn details_text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    push_verdict(report, style, &mut out);
    push_figures(report, style, &mut out);
    out
}

fn push_verdict(report: &Report, style: Style, out: &mut String) {
    let (run, analysis) = (&report.run, &report.analysis);
    for warning in severe(run, analysis) {
        style.push_wrapped_marked("! ", Some(YELLOW), "  ", &warning, out);
    }
    push_claims(report, style, out);
    match (cannot_tell(run, analysis), grid(run, analysis)) {
        (Some(reason), _) => style.push_wrapped_marked("✗ ", Some(YELLOW), "  ", &reason, out),
        (None, Some(grid)) => {
            style.push_title(&grid.title, out);
            for table in grid.tables(run, style.columns()) {
                push_grid(&table, style, out);
            }
            grid.notes().iter().for_each(|note| style.push_wrapped("  ", "    ", note, out));
            report.headlines.iter().for_each(|line| style.push_wrapped("", "  ", line, out));
            // In an open loop latency is the result; throughput is given.
            if run.options.rate.is_some() {
                report.sentences.iter().for_each(|line| style.push_wrapped("", "  ", line, out));
            }
            describe_buffer_pool(run).iter().for_each(|line| style.push_wrapped("", "  ", line, out));
            if let Some(quality) = quality(run, analysis) {
                style.push_wrapped("", "  ", &quality.line(), out);
            }
        }
        // The run has only a baseline and its copy, or too few blocks.
        (None, None) => {
            push_lines(&report.sentences, style, out);
            push_tables(&tables(report), style, out);
        }
    }
    result_lines(run).iter().for_each(|line| style.push_wrapped("", "  ", line, out));
    for diff in run.workload_folder.iter().flat_map(|recording| &recording.result_diffs) {
        push_details(diff, &|text| style.bold(text), out);
    }
    if run.workload_folder.is_some() {
        push_tables(&class_tables(run, analysis), style, out);
    }
    if let Some(profiles) = &report.profiles {
        push_profiles(report, profiles, style, out);
    }
    let more = run.notes.len().saturating_sub(MAX_NOTES);
    run.notes.iter().take(MAX_NOTES).for_each(|note| style.push_wrapped("note: ", "  ", note, out));
    if more > 0 {
        let _ = writeln!(out, "note: {more} more in the page");
    }
}

/// Writes what `weigh profile` printed if the run did nothing else. For a run that also measured,
/// the share of charset and collation work.
fn push_profiles(report: &Report, profiles: &Profiles, style: Style, out: &mut String) {
    if grid(&report.run, &report.analysis).is_none() && tables(report).is_empty() {
        push_profile_verdicts(&profiles.profiles, |_, _| {}, style, out);
    } else {
        push_lines(&run_tables(profiles).1, style, out);
    }
}

fn push_figures(report: &Report, style: Style, out: &mut String) {
    let run = &report.run;
    push_lines(&describe_setting(run), style, out);
    let throughput_by_collation = |sweep: &Sweep<'_>| sweep.throughput_table(report).transposed("collation");
    push_tables(&sweeps(report).iter().map(throughput_by_collation).collect::<Vec<_>>(), style, out);
    let tables = tables(report);
    push_tables(&tables, style, out);
    if !tables.is_empty() {
        push_lines(&legend(run), style, out);
    }
    if let Some(profiles) = &report.profiles {
        push_tables(&run_tables(profiles).0, style, out);
    }
    push_tables(published(report).as_slice(), style, out);
    push_tables(differing_settings(run).as_slice(), style, out);
    if run.notes.len() > MAX_NOTES {
        push_paragraph("note: ", &run.notes, out);
    }
}

fn push_claims(report: &Report, style: Style, out: &mut String) {
    let Some(title) = claims::title(report) else { return };
    style.push_title(&title, out);
    for claim in &report.claims {
        let mark = format!("{} ", claims::mark(claim.verdict));
        style.push_wrapped_marked(&mark, claims::color(claim.verdict), "    ", &claims::line(report, claim), out);
    }
    out.push('\n');
}
