//! From the options as typed to what will be done: defaults filled in, `--quick` applied, impossible combinations refused.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use drive::SysbenchScript;
use measure::{Axes, DEFAULT_BASELINE, Driver, EXTRA_WORK, Mode, Pin, Request};
use workload::{Kind, Text, Workload};

use super::args::{BenchArgs, DriverArg, ModeArg};
use crate::argv;
use crate::folder::FolderRun;
use crate::given::first_given;
use crate::output::Format;

const QUICK_WORKLOADS: [Kind; 1] = [Kind::OltpReadOnly];
const DEFAULT_WORKLOADS: [Kind; 3] = [Kind::OltpReadOnly, Kind::OltpPointSelect, Kind::DistinctRanges];

/// What `weigh bench` will do, but for the servers.
#[derive(Debug)]
pub struct Bench {
    pub request: Request,
    /// The workload's folder, where one takes the place of the built-in workloads.
    pub folder: Option<FolderRun>,
    pub out: Option<PathBuf>,
    /// The folder of the run that is to go on.
    pub resume: Option<PathBuf>,
    pub format: Format,
    pub dry_run: bool,
    /// Whether the servers are sampled too.
    pub profile: bool,
    /// Rounds of a self-test, where that is what was asked for.
    pub rounds: Option<u32>,
}

/// Resolves the options.
pub fn resolve(args: &BenchArgs) -> Result<Bench> {
    let folder = args.folder.resolve(&args.load, args.baseline.as_deref())?;
    if folder.is_some() {
        refuse_beside_folder(args)?;
    }
    let script = script(args)?;
    let is_own = folder.is_some() || script.is_some();
    let request = Request {
        axes: axes(args, folder.as_ref()),
        workloads: if is_own { Vec::new() } else { workloads(args)? },
        recording: folder.as_ref().map(FolderRun::uncompared),
        threads: args.load.threads(args.connect.runs_already()),
        rows: rows(args, folder.as_ref(), script.as_ref()),
        protocol: folder.as_ref().map_or_else(|| args.load.protocol_or(drive::Protocol::Prepared), FolderRun::protocol),
        mode: match args.mode {
            ModeArg::Duet => Mode::Duet,
            ModeArg::Solo => Mode::Solo,
        },
        driver: match args.driver {
            DriverArg::Native => Driver::Native,
            DriverArg::Sysbench => Driver::Sysbench,
        },
        precision: args.precision.unwrap_or(if args.quick { 0.05 } else { 0.015 }),
        max_time: args.max_time.unwrap_or(default_max_time(args)),
        block: args.block.unwrap_or(Duration::from_millis(if args.quick { 500 } else { 1000 })),
        warmup: args.warmup_time.unwrap_or(default_warmup(args)),
        replicates: args.replicates,
        command: Some(argv::shown()),
        pin: match (args.no_pin, args.pin_server) {
            (true, _) => Pin::Never,
            (false, false) => Pin::Private,
            (false, true) => Pin::Attached,
        },
        rate: args.rate,
        level: args.level,
        ignored_errors: args.ignore_errors.clone(),
        buffer_pool: args.buffer_pool,
        recipe: None,
        script,
        ratios: true,
    };
    if args.self_test && args.driver == DriverArg::Sysbench {
        bail!("sysbench can't be given extra work to do; leave out --driver sysbench");
    }
    if args.rate.is_some() && (request.mode, request.driver) != (Mode::Solo, Driver::Native) {
        bail!(
            "--rate is for --mode solo and weigh's own client: in turns with another variant no time is each one's own"
        );
    }
    if args.profile && request.driver == Driver::Sysbench {
        bail!("--profile samples under the load of weigh's own client; leave out --driver sysbench");
    }
    if args.buffer_pool.is_some() && request.driver == Driver::Sysbench {
        bail!("what is read from disk is counted by weigh's own client; leave out --driver sysbench, or --buffer-pool");
    }
    if args.buffer_pool.is_some() && args.connect.sets("innodb_buffer_pool_size") {
        bail!("--buffer-pool and --set innodb_buffer_pool_size say the same thing twice; leave one of them out");
    }
    let (block, max_time) = (request.block.as_secs_f64(), request.max_time.as_secs_f64());
    if block > max_time {
        bail!("--block {block}s is longer than --max-time {max_time}s: shorten the one or raise the other");
    }
    Ok(Bench {
        request,
        folder,
        out: args.out.clone(),
        resume: args.resume.clone(),
        format: args.format,
        dry_run: args.dry_run,
        profile: args.profile,
        rounds: args.self_test.then_some(args.rounds),
    })
}

fn default_max_time(args: &BenchArgs) -> Duration {
    Duration::from_secs(match (args.quick, args.self_test) {
        (true, _) => 30,
        (false, true) => 60,
        (false, false) => 180,
    })
}

/// A buffer pool smaller than the tables is filled anew from the disk.
fn default_warmup(args: &BenchArgs) -> Duration {
    Duration::from_millis(if args.buffer_pool.is_some() { 3000 } else { 250 })
}

/// What a folder can't be measured with.
fn refuse_beside_folder(args: &BenchArgs) -> Result<()> {
    let given = [
        (args.driver == DriverArg::Sysbench, "--driver sysbench"),
        (args.self_test, "--self-test"),
        (args.buffer_pool.is_some(), "--buffer-pool"),
    ];
    match first_given(given) {
        Some(name) => bail!("{name} is for the built-in workloads, not for a folder; leave it out"),
        None => Ok(()),
    }
}

fn rows(args: &BenchArgs, folder: Option<&FolderRun>, script: Option<&SysbenchScript>) -> workload::Options {
    let rows = args.load.rows(if args.quick { 10_000 } else { 100_000 });
    match (folder, script) {
        (Some(folder), _) => folder.rows(rows),
        (None, Some(_)) => workload::Options { tables: 0, table_size: 0, ..rows },
        (None, None) => rows,
    }
}

/// The script that sysbench is to run in place of the workloads.
fn script(args: &BenchArgs) -> Result<Option<SysbenchScript>> {
    let Some(path) = &args.script else { return Ok(None) };
    if args.driver != DriverArg::Sysbench {
        bail!("--script is run by sysbench: add --driver sysbench");
    }
    if let Some(option) = args.load.of_generated_rows() {
        bail!("{option} is for the built-in workloads; options of a script are given by --script-option NAME=VALUE");
    }
    let read = SysbenchScript::read(path, args.script_option.clone());
    Ok(Some(read.with_context(|| format!("cannot read the script {}", path.display()))?))
}

fn axes(args: &BenchArgs, folder: Option<&FolderRun>) -> Axes {
    if let Some(folder) = folder {
        return folder.axes(&args.load);
    }
    if args.self_test {
        let baseline = args.baseline.as_deref().unwrap_or(DEFAULT_BASELINE);
        return Axes {
            collations: Some(vec![baseline.into()]),
            baseline: args.baseline.clone(),
            connections: vec![None],
            texts: args.load.texts(),
            extra_work: EXTRA_WORK.to_vec(),
            ..Axes::default()
        };
    }
    Axes {
        collations: args.load.collations(),
        baseline: args.baseline.clone(),
        connections: args.load.connections(),
        texts: args.load.texts(),
        ..Axes::default()
    }
}

fn workloads(args: &BenchArgs) -> Result<Vec<Workload>> {
    let kinds: &[Kind] = if args.quick || args.self_test { &QUICK_WORKLOADS } else { &DEFAULT_WORKLOADS };
    let workloads = args.load.workloads_or(kinds)?;
    if args.driver == DriverArg::Sysbench {
        if let Some(own) = workloads.iter().find(|workload| !drive::sysbench_has(workload)) {
            bail!("sysbench has no workload {own}; run it with --driver native");
        }
        if args.load.texts().iter().any(|&text| text != Text::Digits) && workloads.iter().any(Workload::writes) {
            bail!("sysbench writes digits only; --text is for --driver native, or for workloads that only read");
        }
    }
    Ok(workloads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use measure::DEFAULT_COLLATIONS;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        bench: BenchArgs,
    }

    fn bench(words: &[&str]) -> Result<Bench> {
        resolve(&Command::try_parse_from([&["weigh"], words].concat())?.bench)
    }

    fn request(words: &[&str]) -> Request {
        bench(words).unwrap().request
    }

    fn refusal(words: &[&str]) -> String {
        bench(words).unwrap_err().to_string()
    }

    fn list<T: ToString>(values: &[T]) -> String {
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn rows_and_statements_are_the_librarys_unless_told_otherwise() {
        let plain = request(&[]);
        assert_eq!(plain.rows, workload::Options::default());
        assert_eq!((plain.mode, plain.driver, plain.protocol), (Mode::Duet, Driver::Native, drive::Protocol::Prepared));
        assert_eq!((plain.axes.connections, plain.axes.texts), (vec![None], vec![Text::default()]));
        assert!(plain.axes.collations.is_none() && plain.axes.baseline.is_none() && plain.pin == Pin::Private);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(plain.threads, [cores.min(16) as u32]);
        // On a server that runs already, one for two cores.
        assert_eq!(request(&["--host=db"]).threads, [(cores / 2).clamp(1, 16) as u32]);
    }

    #[test]
    fn help_tells_the_defaults_that_are_used() {
        let help = Command::command().term_width(0).render_help().to_string();
        let line =
            |option: &str| help.lines().find(|line| line.contains(&format!("{option} <"))).unwrap_or("").to_owned();
        let (plain, quick) = (request(&[]), request(&["--quick"]));
        let percent = |request: &Request| format!("{}%", request.precision * 100.0);
        let seconds = |time: Duration| format!("{}s", time.as_secs_f64());
        for (option, plain, quick) in [
            ("--workload", list(&plain.workloads), list(&quick.workloads)),
            ("--table-size", plain.rows.table_size.to_string(), quick.rows.table_size.to_string()),
            ("--precision", percent(&plain), percent(&quick)),
            ("--max-time", seconds(plain.max_time), seconds(quick.max_time)),
            ("--block", seconds(plain.block), seconds(quick.block)),
        ] {
            let told = format!("[default: {plain}; with --quick {quick}]");
            assert!(line(option).ends_with(&told), "{told} is not in: {}", line(option));
        }
        assert!(line("--collation").ends_with(&format!("of {}]", list(&DEFAULT_COLLATIONS))));
        let baseline = format!("[default: {DEFAULT_BASELINE}; for a folder the first of --collation]");
        assert!(line("--baseline").ends_with(&baseline));
        let texts: Vec<&str> = Text::ALL.iter().map(|text| text.name()).collect();
        assert!(texts.iter().all(|name| line("--text").contains(name)), "{}", line("--text"));
    }

    #[test]
    fn what_is_named_beats_what_quick_means() {
        let words = ["--quick", "-w", "group_by", "--table-size=7000", "--precision=1", "--max-time=5m", "--block=2s"];
        let named = request(&words);
        assert_eq!(named.workloads, [Workload::from(Kind::GroupBy)]);
        assert_eq!((named.rows.table_size, named.precision), (7000, 0.01));
        assert_eq!((named.max_time, named.block), (Duration::from_secs(300), Duration::from_secs(2)));
    }

    #[test]
    fn lists_grow_without_repeats_and_of_other_options_the_last_counts() {
        let words = ["-w", "group_by,distinct_ranges:10", "-w", "group_by", "--threads=4,1,4", "--seed=1", "--seed=2"];
        let given = request(&words);
        assert_eq!(list(&given.workloads), "group_by, distinct_ranges:10");
        assert_eq!((given.threads, given.rows.seed), (vec![4, 1], 2));
        let axes = request(&["--connection-charset=match,latin1,match", "--text=cjk,cjk"]).axes;
        assert_eq!((axes.connections, axes.texts), (vec![None, Some("latin1".into())], vec![Text::Cjk]));
    }

    #[test]
    fn contradictions_are_refused_with_what_to_do() {
        assert!(refusal(&["--max-time=1s", "--block=1500ms"]).contains("--block 1.5s is longer than --max-time 1s"));
        assert!(refusal(&["--driver=sysbench", "-w", "like_prefix"]).contains("sysbench has no workload like_prefix"));
        let writes = ["--driver=sysbench", "-w", "oltp_write_only", "--text=digits,cjk"];
        assert!(refusal(&writes).contains("sysbench writes digits only"));
        assert!(bench(&["--driver=sysbench", "-w", "oltp_read_only", "--text=cjk"]).is_ok());
        assert!(refusal(&["--rate=100"]).contains("--rate is for --mode solo"));
        assert!(bench(&["--rate=100", "--mode=solo"]).is_ok_and(|bench| bench.request.rate == Some(100.0)));
        let pool = "--buffer-pool=25%";
        assert!(refusal(&[pool, "--driver=sysbench", "-w", "oltp_read_only"]).contains("leave out --driver sysbench"));
        assert!(refusal(&[pool, "--set=innodb-buffer-pool-size=1G"]).contains("say the same thing twice"));
        assert!(bench(&[pool, "--profile"]).is_err() && bench(&[pool, "--self-test"]).is_err());
        assert!(request(&[pool]).warmup > request(&[]).warmup);
        let script = "--script=Cargo.toml";
        assert!(refusal(&[script]).contains("add --driver sysbench"));
        assert!(refusal(&[script, "--driver=sysbench", "--table-size=500"]).contains("--script-option NAME=VALUE"));
        assert!(refusal(&["--script=nowhere.lua", "--driver=sysbench"]).contains("cannot read the script nowhere.lua"));
        assert!(
            bench(&[script, "--driver=sysbench", "-w", "group_by"]).is_err() && bench(&["--script-option=a"]).is_err()
        );
        for wrong in ["0", "-1", "nan", "inf", "x"] {
            assert!(bench(&["--mode=solo", "--rate", wrong]).is_err(), "{wrong}");
        }
    }
}
