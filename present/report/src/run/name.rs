//! Names of servers, variants, conditions and loads.

use measure::{Comparison, Driver, Mode, Run};

use crate::format::number::{count_noun, format_exact};

/// Returns the label of a variant's server.
pub(crate) fn server_label(run: &Run, variant: usize) -> &str {
    &run.servers[run.variants[variant].server].label
}

/// Returns ` on mysql@5.6` if the run has several servers. Otherwise empty.
pub(crate) fn on_server(run: &Run, variant: usize) -> String {
    if run.servers.len() > 1 { format!(" on {}", server_label(run, variant)) } else { String::new() }
}

/// Returns the collation, with the connection charset if the collation has a different charset.
pub(crate) fn variant_name(run: &Run, variant: usize) -> String {
    run.variants[variant].to_string()
}

/// True if the sides of a comparison have the same collation and connection charset.
pub(crate) fn has_same_variant(run: &Run, comparison: &Comparison) -> bool {
    variant_name(run, comparison.variant) == variant_name(run, comparison.baseline)
}

/// Returns `oltp_read_only`, with the kind of text if the run does not use the default text only.
pub(crate) fn workload_name(run: &Run, condition: usize) -> String {
    let condition = &run.conditions[condition];
    if has_default_text(run) {
        condition.workload.clone()
    } else {
        format!("{}, {} text", condition.workload, condition.text)
    }
}

/// Returns `oltp_read_only (cyrillic text, 2 threads)`. Text is named unless all rows have the
/// default text. Threads are named if the run has several numbers of threads.
pub(crate) fn condition_name(run: &Run, condition: usize) -> String {
    let condition = &run.conditions[condition];
    let mut details = Vec::new();
    if !has_default_text(run) {
        details.push(format!("{} text", condition.text));
    }
    if run.conditions.iter().any(|other| other.threads != condition.threads) {
        details.push(count_noun(condition.threads.into(), "thread"));
    }
    if details.is_empty() {
        condition.workload.clone()
    } else {
        format!("{} ({})", condition.workload, details.join(", "))
    }
}

/// Returns a variant, with its server if the run has several, and marks the A/A copy.
pub(crate) fn full_variant_name(run: &Run, index: usize) -> String {
    let copy = if run.variants[index].copy { " (the A/A copy)" } else { "" };
    format!("{}{copy}{}", variant_name(run, index), on_server(run, index))
}

/// True if a condition is one statement class of a workload folder. The table of classes has a line
/// for the condition, which has no table of its own.
pub(crate) fn is_statement_class(run: &Run, condition: usize) -> bool {
    run.workload_folder.as_ref().is_some_and(|folder| folder.find_class(&run.conditions[condition].workload).is_some())
}

/// True if all rows hold sysbench's digits, or the rows of a workload folder or script.
fn has_default_text(run: &Run) -> bool {
    run.conditions.iter().all(|condition| ["digits", measure::OWN_TEXT].contains(&condition.text.as_str()))
}

/// True if the two sides of a duet ran in turns.
pub(crate) fn takes_turns(run: &Run) -> bool {
    run.options.took_turns()
}

/// Returns for example `duet: two variants in turns, 2 connections each`.
pub(crate) fn describe_load(run: &Run, condition: usize) -> String {
    let connections = count_noun(run.conditions[condition].threads.into(), "connection");
    let driver = match run.options.driver {
        Driver::Native => "",
        Driver::Sysbench => " by sysbench",
    };
    if let Some(rate) = run.options.rate {
        return format!(
            "solo: one variant at a time, {connections}, open loop of {} transactions/s",
            format_exact(rate)
        );
    }
    match run.options.mode {
        Mode::Duet if takes_turns(run) => format!("duet{driver}: two variants in turns, {connections} each"),
        Mode::Duet => format!("duet{driver}: two variants at once, {connections} each"),
        Mode::Solo => format!("solo{driver}: one variant at a time, {connections}"),
    }
}
