//! Results in plain sentences.

use measure::{Analysis, CellResult, Comparison, Mode, PairKind, Run, Verdict};

use crate::number::percent;

/// The results of a run in plain sentences, the reader's warnings first.
pub fn sentences(run: &Run, analysis: &Analysis) -> Vec<String> {
    let mut sentences = warnings(run, analysis);
    for cell in &analysis.cells {
        let findings = cell.comparisons.iter().filter(|comparison| comparison.kind != PairKind::AA);
        sentences.extend(findings.map(|comparison| sentence(run, cell, comparison)));
    }
    sentences
}

/// What a reader must know before the figures: a noise floor above the asked precision.
fn warnings(run: &Run, analysis: &Analysis) -> Vec<String> {
    let worst = analysis.cells.iter().filter_map(|cell| cell.noise_floor).reduce(f64::max);
    let asked = run.options.precision;
    let too_noisy = worst.filter(|floor| *floor > asked).map(|floor| {
        format!(
            "This machine was too noisy for the asked precision: identical variants differed by up to {}, {} was asked for.",
            percent(floor),
            percent(asked)
        )
    });
    too_noisy.into_iter().collect()
}

fn sentence(run: &Run, cell: &CellResult, comparison: &Comparison) -> String {
    let condition = condition(run, cell.cell);
    let (variant, baseline) = (name(run, comparison.variant, comparison), name(run, comparison.baseline, comparison));
    let Some(ratio) = comparison.throughput else {
        return format!("{variant} could not be held against {baseline} on {condition}: too few blocks in the time given.");
    };
    let precision = percent((ratio.high - ratio.low) / 2.0);
    match comparison.verdict {
        Verdict::Slower => format!(
            "{variant} costs {} of the throughput of {baseline} on {condition}, ± {precision}.",
            percent(1.0 - ratio.value)
        ),
        Verdict::Faster => format!(
            "{variant} gives {} more throughput than {baseline} on {condition}, ± {precision}.",
            percent(ratio.value - 1.0)
        ),
        Verdict::NoDifference { within } => {
            format!("{variant} against {baseline} on {condition}: no difference found (± {}).", percent(within))
        }
        Verdict::NotMeasured => format!("{variant} was not held against {baseline} on {condition}."),
    }
}

/// `oltp_read_only`, with the text and load added where the run has several.
pub(crate) fn condition(run: &Run, cell: usize) -> String {
    let own = &run.cells[cell];
    let mut words = own.workload.clone();
    if run.cells.iter().any(|other| other.text != own.text) || own.text != "digits" {
        words += &format!(", {} text", own.text);
    }
    if run.cells.iter().any(|other| other.threads != own.threads) {
        words += &format!(", {} threads", own.threads);
    }
    words
}

fn name(run: &Run, variant: usize, comparison: &Comparison) -> String {
    let own = variant_name(run, variant);
    let server = &run.servers[run.variants[variant].server].label;
    match comparison.kind {
        PairKind::Server => format!("{own} of {server}"),
        _ if run.servers.len() > 1 => format!("{own} of {server}"),
        _ => own,
    }
}

/// The collation, with the connection's charset where it is not the collation's own, and a mark for an A/A copy.
pub(crate) fn variant_name(run: &Run, variant: usize) -> String {
    let variant = &run.variants[variant];
    let mut name = variant.collation.clone();
    if variant.connection_charset != variant.charset {
        name += &format!(" (connection {})", variant.connection_charset);
    }
    if variant.copy {
        name += " (its copy)";
    }
    name
}

/// At which load the figures of a cell were taken.
pub(crate) fn load(run: &Run, cell: usize) -> String {
    let threads = run.cells[cell].threads;
    let connections = if threads == 1 { "1 connection".into() } else { format!("{threads} connections") };
    match run.options.mode {
        Mode::Duet => format!("duet: {connections} to each of two variants at once"),
        Mode::Solo => format!("solo: {connections} to one variant at a time"),
    }
}
