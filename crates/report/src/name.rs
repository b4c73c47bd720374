//! What servers, variants, conditions and loads are called.

use measure::{Comparison, Driver, Mode, Run};

use crate::number::{counted, plain};

/// The name of the server that a variant is on.
pub(crate) fn server(run: &Run, variant: usize) -> &str {
    &run.servers[run.variants[variant].server].label
}

/// ` on mysql@5.6` where the run has several servers, else nothing.
pub(crate) fn on_server(run: &Run, variant: usize) -> String {
    if run.servers.len() > 1 { format!(" on {}", server(run, variant)) } else { String::new() }
}

/// The collation, with the connection's charset where it is not the collation's own.
pub(crate) fn variant(run: &Run, variant: usize) -> String {
    run.variants[variant].to_string()
}

/// Whether both sides of a comparison are the same but for the server.
pub(crate) fn is_of_one_variant(run: &Run, comparison: &Comparison) -> bool {
    variant(run, comparison.variant) == variant(run, comparison.baseline)
}

/// `oltp_read_only`, with the text where a reader might take it for another.
pub(crate) fn workload(run: &Run, condition: usize) -> String {
    let own = &run.conditions[condition];
    if text_is_plain(run) { own.workload.clone() } else { format!("{}, {} text", own.workload, own.text) }
}

/// `oltp_read_only (cyrillic text, 2 threads)`: the workload, and of text and load what tells it from the run's others.
pub(crate) fn in_words(run: &Run, condition: usize) -> String {
    let own = &run.conditions[condition];
    let mut details = Vec::new();
    if !text_is_plain(run) {
        details.push(format!("{} text", own.text));
    }
    if run.conditions.iter().any(|other| other.threads != own.threads) {
        details.push(counted(own.threads.into(), "thread"));
    }
    if details.is_empty() { own.workload.clone() } else { format!("{} ({})", own.workload, details.join(", ")) }
}

/// A variant with its server, the A/A copy told apart.
pub(crate) fn with_copy(run: &Run, index: usize) -> String {
    let copy = if run.variants[index].copy { " (the A/A copy)" } else { "" };
    format!("{}{copy}{}", variant(run, index), on_server(run, index))
}

/// Whether a condition is one class of a folder by itself: it has a line in the table of classes, and no table of its own.
pub(crate) fn is_class(run: &Run, condition: usize) -> bool {
    run.recording.as_ref().is_some_and(|recording| recording.class_of(&run.conditions[condition].workload).is_some())
}

/// Whether all rows hold sysbench's digits, or are a folder's or a script's, which goes without saying.
fn text_is_plain(run: &Run) -> bool {
    run.conditions.iter().all(|condition| ["digits", measure::OWN_TEXT].contains(&condition.text.as_str()))
}

/// Whether the two sides of a duet had the cores in turns, each to itself.
pub(crate) fn takes_turns(run: &Run) -> bool {
    run.options.took_turns()
}

/// At which load the figures of a condition were taken.
pub(crate) fn load(run: &Run, condition: usize) -> String {
    let connections = counted(run.conditions[condition].threads.into(), "connection");
    let driver = match run.options.driver {
        Driver::Native => "",
        Driver::Sysbench => " by sysbench",
    };
    if let Some(rate) = run.options.rate {
        return format!("solo: one variant at a time, {connections}, open loop of {} transactions/s", plain(rate));
    }
    match run.options.mode {
        Mode::Duet if takes_turns(run) => format!("duet{driver}: two variants in turns, {connections} each"),
        Mode::Duet => format!("duet{driver}: two variants at once, {connections} each"),
        Mode::Solo => format!("solo{driver}: one variant at a time, {connections}"),
    }
}
