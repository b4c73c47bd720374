//! From the options as typed to what will be sampled.

use std::time::Duration;

use anyhow::Result;
use measure::{Axes, Driver, Mode, Pin, Request};
use profile::Plan;
use profile::perf::{CallGraph, Sampling};

use super::args::{COLLATION, CallGraphArg, ProfileArgs, TABLE_SIZE, WORKLOAD};
use crate::argv;
use crate::folder::FolderRun;

/// Windows that intervals are taken over.
pub const WINDOWS: usize = 10;

/// How to sample.
pub fn plan(args: &ProfileArgs) -> Plan {
    let call_graph = match args.call_graph {
        CallGraphArg::Fp => CallGraph::FramePointers,
        CallGraphArg::Dwarf => CallGraph::Dwarf,
    };
    let sampling = Sampling { frequency: args.frequency, call_graph };
    Plan { sampling, windows: WINDOWS, window: args.seconds / WINDOWS as u32 }
}

/// The load to sample under: no ratio is measured.
pub fn request(args: &ProfileArgs, folder: Option<&FolderRun>) -> Result<Request> {
    let load = &args.load;
    let rows = load.rows(TABLE_SIZE);
    Ok(Request {
        axes: folder.map_or_else(|| axes(args), |folder| folder.axes(load)),
        workloads: if folder.is_some() { Vec::new() } else { load.workloads_or(&[WORKLOAD])? },
        recording: folder.map(FolderRun::uncompared),
        script: None,
        threads: load.threads(false),
        rows: folder.map_or(rows, |folder| folder.rows(rows)),
        protocol: folder.map_or_else(|| load.protocol_or(drive::Protocol::Prepared), FolderRun::protocol),
        mode: Mode::Duet,
        driver: Driver::Native,
        precision: 1.0,
        max_time: Duration::ZERO,
        block: args.seconds / WINDOWS as u32,
        warmup: Duration::ZERO,
        replicates: None,
        command: Some(argv::shown()),
        pin: Pin::Private,
        rate: None,
        level: false,
        ignored_errors: drive::IgnoredErrors::default(),
        buffer_pool: None,
        recipe: None,
        ratios: false,
    })
}

/// Of the built-in workloads.
fn axes(args: &ProfileArgs) -> Axes {
    let load = &args.load;
    Axes {
        collations: load.collations().or_else(|| Some(vec![COLLATION.into()])),
        baseline: Some(args.against.clone().unwrap_or_else(|| measure::DEFAULT_BASELINE.into())),
        connections: load.connections(),
        texts: load.texts(),
        ..Axes::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use workload::Text;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        profile: ProfileArgs,
    }

    fn parse(words: &[&str]) -> ProfileArgs {
        Command::try_parse_from([&["weigh"], words].concat()).unwrap().profile
    }

    #[test]
    fn the_seeds_question_is_the_default() {
        let request = request(&parse(&[]), None).unwrap();
        assert_eq!(request.axes.collations, Some(vec!["utf8mb4_general_ci".into()]));
        assert_eq!(request.axes.baseline.as_deref(), Some("latin1_swedish_ci"));
        assert!(!request.ratios && request.pin == Pin::Private);
        let plan = plan(&parse(&[]));
        assert_eq!((plan.window, plan.windows), (Duration::from_secs(1), WINDOWS));
        assert_eq!(plan.sampling, Sampling { frequency: 499, call_graph: CallGraph::FramePointers });
    }

    #[test]
    fn load_is_asked_for_as_of_a_benchmark() {
        let words = ["--text=cjk,latin", "--threads=1,4", "--connection-charset=match,latin1", "--range-size=10"];
        let request = request(&parse(&words), None).unwrap();
        assert_eq!((request.axes.texts, request.threads), (vec![Text::Cjk, Text::Latin], vec![1, 4]));
        assert_eq!(request.axes.connections, [None, Some("latin1".into())]);
        assert_eq!((request.rows.range_size, request.rows.table_size), (10, TABLE_SIZE));
    }

    #[test]
    fn words_reach_the_plan() {
        let plan = plan(&parse(&["--seconds=30", "-F", "99", "--call-graph=dwarf"]));
        assert_eq!((plan.window, plan.sampling.frequency), (Duration::from_secs(3), 99));
        assert_eq!(plan.sampling.call_graph, CallGraph::Dwarf);
    }

    #[test]
    fn contradictions_are_refused() {
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
