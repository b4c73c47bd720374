//! Resolves the options of `weigh profile`.

use std::time::Duration;

use anyhow::Result;
use measure::{Axes, Request};
use profile::Plan;
use profile::perf::{CallGraph, Sampling};

use super::args::{CallGraphArg, DEFAULT_COLLATION, DEFAULT_TABLE_SIZE, DEFAULT_WORKLOAD, ProfileArgs};
use crate::argv;
use crate::options::workload_folder::SelectedFolder;

/// Windows of each profile; intervals are taken over them.
pub const WINDOWS: usize = 10;

pub fn resolve_plan(args: &ProfileArgs) -> Plan {
    let call_graph = match args.call_graph {
        CallGraphArg::Fp => CallGraph::FramePointers,
        CallGraphArg::Dwarf => CallGraph::Dwarf,
    };
    let sampling = Sampling { frequency: args.frequency, call_graph };
    Plan { sampling, windows: WINDOWS, window: args.time() / WINDOWS as u32 }
}

/// Resolves the load to sample under. It measures no ratios.
pub fn resolve_request(args: &ProfileArgs, folder: Option<&SelectedFolder>) -> Result<Request> {
    let load = &args.load;
    let rows = load.rows(DEFAULT_TABLE_SIZE);
    let workloads = if folder.is_some() { Vec::new() } else { load.workloads_or(&[DEFAULT_WORKLOAD])? };
    let protocol = match folder {
        Some(folder) => folder.protocol(),
        None => load.protocol(&workloads),
    };
    Ok(Request {
        axes: folder.map_or_else(|| resolve_axes(args), |folder| folder.axes(load)),
        workloads,
        workload_folder: folder.map(SelectedFolder::initial_recording),
        threads: load.threads(false),
        rows: folder.map_or(rows, |folder| folder.rows(rows)),
        protocol,
        precision: 1.0,
        max_time: Duration::ZERO,
        block: args.time() / WINDOWS as u32,
        warmup: Duration::ZERO,
        command: Some(argv::command_line()),
        ratios: false,
        ..Request::default()
    })
}

fn resolve_axes(args: &ProfileArgs) -> Axes {
    let load = &args.load;
    Axes {
        collations: load.collations().or_else(|| Some(vec![DEFAULT_COLLATION.into()])),
        baseline: args.against.clone(),
        connections: load.connections(),
        texts: load.texts(),
        ..Axes::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use workload::{Text, Workload, WorkloadKind};

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        profile: ProfileArgs,
    }

    fn parse(words: &[&str]) -> ProfileArgs {
        Command::try_parse_from([&["weigh"], words].concat()).unwrap().profile
    }

    #[test]
    fn long_literals_are_sent_as_text() {
        let protocol = |words: &[&str]| resolve_request(&parse(words), None).map(|request| request.protocol);
        assert_eq!(protocol(&["-w", "long_literals"]).unwrap(), load::Protocol::Text);
        assert_eq!(protocol(&["-w", "group_by"]).unwrap(), load::Protocol::Prepared);
        assert_eq!(protocol(&["-w", "group_by,long_literals", "--protocol=text"]).unwrap(), load::Protocol::Text);
        assert_eq!(protocol(&["-w", "group_by,long_literals"]).unwrap(), load::Protocol::Prepared);
        assert_eq!(protocol(&["-w", "long_literals", "--protocol=prepared"]).unwrap(), load::Protocol::Prepared);
    }

    #[test]
    fn default_is_what_quick_bench_measures() {
        let request = resolve_request(&parse(&[]), None).unwrap();
        assert_eq!(request.workloads, [Workload::from(WorkloadKind::OltpReadOnly)]);
        assert_eq!(request.axes.collations, Some(vec!["utf8mb4_general_ci".into()]));
        assert_eq!(request.axes.baseline, None, "latin1_swedish_ci");
        assert!(!request.ratios && request.pin == measure::Pin::Private);
        let plan = resolve_plan(&parse(&[]));
        assert_eq!((plan.window, plan.windows), (Duration::from_secs(1), WINDOWS));
        assert_eq!(plan.sampling, Sampling { frequency: 499, call_graph: CallGraph::FramePointers });
    }

    #[test]
    fn load_options_are_those_of_bench() {
        let words = ["--text=cjk,latin", "--threads=1,4", "--connection-charset=match,latin1", "--range-size=10"];
        let request = resolve_request(&parse(&words), None).unwrap();
        assert_eq!((request.axes.texts, request.threads), (vec![Text::Cjk, Text::Latin], vec![1, 4]));
        assert_eq!(request.axes.connections, [None, Some("latin1".into())]);
        assert_eq!((request.rows.range_size, request.rows.table_size), (10, DEFAULT_TABLE_SIZE));
    }

    #[test]
    fn options_reach_the_plan() {
        let plan = resolve_plan(&parse(&["--seconds=30", "-F", "99", "--call-graph=dwarf"]));
        assert_eq!((plan.window, plan.sampling.frequency), (Duration::from_secs(3), 99));
        assert_eq!(plan.sampling.call_graph, CallGraph::Dwarf);
    }

    #[test]
    fn rejects_contradictions() {
        for words in [
            &["--pid=1", "--no-load"][..],
            &["--perf-script=x", "--pid=1"],
            &["--perf-script=x", "--no-load"],
            &["-F", "0"],
        ] {
            assert!(Command::try_parse_from([&["weigh"], words].concat()).is_err(), "{words:?}");
        }
    }
}
