//! Resolves the options of `weigh bench`: fills in defaults, applies `--quick`, refuses
//! combinations that can't be measured.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use load::SysbenchScript;
use measure::{Axes, DEFAULT_BASELINE, Driver, Mode, Pin, Request, SELF_TEST_EXTRA_WORK};
use workload::{Text, Workload, WorkloadKind};

use super::args::{BenchArgs, DriverArg, ModeArg};
use crate::argv;
use crate::options::values::find_given;
use crate::options::workload_folder::SelectedFolder;
use crate::output::Format;

const QUICK_WORKLOADS: [WorkloadKind; 1] = [WorkloadKind::OltpReadOnly];
const DEFAULT_WORKLOADS: [WorkloadKind; 3] =
    [WorkloadKind::OltpReadOnly, WorkloadKind::OltpPointSelect, WorkloadKind::DistinctRanges];

/// Resolved options of `weigh bench`, without the servers.
#[derive(Debug)]
pub struct Bench {
    pub request: Request,
    /// Workload folder; `None` for built-in workloads and scripts.
    pub folder: Option<SelectedFolder>,
    pub out: Option<PathBuf>,
    pub resume: Option<PathBuf>,
    pub format: Format,
    pub dry_run: bool,
    /// Whether the servers are profiled, too.
    pub profile: bool,
    /// Rounds of the self-test; `None` for a normal run.
    pub rounds: Option<u32>,
}

pub fn resolve(args: &BenchArgs) -> Result<Bench> {
    let folder = args.folder.resolve(&args.load, args.baseline.as_deref(), args.trust)?;
    if folder.is_some() {
        refuse_with_folder(args)?;
    }
    let script = read_script(args)?;
    let has_own_rows = folder.is_some() || script.is_some();
    let workloads = if has_own_rows { Vec::new() } else { resolve_workloads(args)? };
    let protocol = match &folder {
        Some(folder) => folder.protocol(),
        None => args.load.protocol(&workloads),
    };
    let request = Request {
        axes: resolve_axes(args, folder.as_ref()),
        workloads,
        workload_folder: folder.as_ref().map(SelectedFolder::initial_recording),
        threads: args.load.threads(args.connect.includes_running_server()),
        rows: resolve_rows(args, folder.as_ref(), script.as_ref()),
        protocol,
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
        command: Some(argv::command_line()),
        pin: match (args.no_pin, args.pin_server) {
            (true, _) => Pin::Never,
            (false, false) => Pin::Private,
            (false, true) => Pin::Attached,
        },
        rate: args.rate,
        common_features_only: args.level,
        ignored_errors: args.ignore_errors.clone(),
        buffer_pool: args.buffer_pool,
        script,
        ..Request::default()
    };
    if args.self_test && args.driver == DriverArg::Sysbench {
        bail!("sysbench can't inject extra work; leave out --driver sysbench");
    }
    if args.rate.is_some() && (request.mode, request.driver) != (Mode::Solo, Driver::Native) {
        bail!(
            "--rate is for --mode solo and --driver native: in a duet the two variants take turns, so transactions can't start on schedule"
        );
    }
    if args.profile && request.driver == Driver::Sysbench {
        bail!("--profile needs the load of weigh's own client; leave out --driver sysbench");
    }
    if args.buffer_pool.is_some() && request.driver == Driver::Sysbench {
        bail!("--buffer-pool needs weigh's own client, which counts reads from disk; leave out --driver sysbench");
    }
    if args.buffer_pool.is_some() && args.connect.sets_variable("innodb_buffer_pool_size") {
        bail!("--buffer-pool and --set innodb_buffer_pool_size say the same thing twice; leave one of them out");
    }
    let (block, max_time) = (request.block.as_secs_f64(), request.max_time.as_secs_f64());
    if block > max_time {
        bail!("--block {block}s is longer than --max-time {max_time}s: shorten --block or raise --max-time");
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

/// Returns the default warm-up: longer with `--buffer-pool`, since the pool has to fill from disk
/// first.
fn default_warmup(args: &BenchArgs) -> Duration {
    Duration::from_millis(if args.buffer_pool.is_some() { 3000 } else { 250 })
}

/// Refuses options that a workload folder can't be measured with.
fn refuse_with_folder(args: &BenchArgs) -> Result<()> {
    let given = [
        (args.driver == DriverArg::Sysbench, "--driver sysbench"),
        (args.self_test, "--self-test"),
        (args.buffer_pool.is_some(), "--buffer-pool"),
    ];
    match find_given(given) {
        Some(name) => bail!("{name} is for the built-in workloads, not for a folder; leave it out"),
        None => Ok(()),
    }
}

fn resolve_rows(
    args: &BenchArgs,
    folder: Option<&SelectedFolder>,
    script: Option<&SysbenchScript>,
) -> workload::Options {
    let rows = args.load.rows(if args.quick { 10_000 } else { 100_000 });
    match (folder, script) {
        (Some(folder), _) => folder.rows(rows),
        (None, Some(_)) => workload::Options { tables: 0, table_size: 0, ..rows },
        (None, None) => rows,
    }
}

fn read_script(args: &BenchArgs) -> Result<Option<SysbenchScript>> {
    let Some(path) = &args.script else { return Ok(None) };
    if args.driver != DriverArg::Sysbench {
        bail!("--script is run by sysbench: add --driver sysbench");
    }
    if let Some(option) = args.load.find_generator_option() {
        bail!("{option} is for the built-in workloads; options of a script are given by --script-option NAME=VALUE");
    }
    let read = SysbenchScript::read(path, args.script_option.clone());
    let read = read.map_err(|error| anyhow!("cannot read the script {}: {error}", path.display()))?;
    Ok(Some(read))
}

fn resolve_axes(args: &BenchArgs, folder: Option<&SelectedFolder>) -> Axes {
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
            extra_work: SELF_TEST_EXTRA_WORK.to_vec(),
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

fn resolve_workloads(args: &BenchArgs) -> Result<Vec<Workload>> {
    let kinds: &[WorkloadKind] = if args.quick || args.self_test { &QUICK_WORKLOADS } else { &DEFAULT_WORKLOADS };
    let workloads = args.load.workloads_or(kinds)?;
    if args.driver == DriverArg::Sysbench {
        if let Some(own) = workloads.iter().find(|workload| !load::sysbench_supports(workload)) {
            bail!("sysbench has no workload {own}; run it with --driver native");
        }
        if args.load.texts().iter().any(|&text| text != Text::Digits) && workloads.iter().any(Workload::writes) {
            bail!("sysbench writes digits only; --text is for --driver native, or for workloads that only read");
        }
    }
    Ok(workloads)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use measure::DEFAULT_COLLATIONS;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        bench: BenchArgs,
    }

    pub(in super::super) fn bench(words: &[&str]) -> Result<Bench> {
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
    fn default_rows_and_statements_are_the_librarys() {
        let default = request(&[]);
        assert_eq!(default.rows, workload::Options::default());
        assert_eq!(
            (default.mode, default.driver, default.protocol),
            (Mode::Duet, Driver::Native, load::Protocol::Prepared)
        );
        assert_eq!((default.axes.connections, default.axes.texts), (vec![None], vec![Text::default()]));
        assert!(default.axes.collations.is_none() && default.axes.baseline.is_none() && default.pin == Pin::Private);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(default.threads, [cores.min(16) as u32]);
        // One connection per two cores on a running server.
        assert_eq!(request(&["--host=db"]).threads, [(cores / 2).clamp(1, 16) as u32]);
    }

    #[test]
    fn help_states_the_defaults_in_use() {
        let help = Command::command().term_width(0).render_help().to_string();
        let line =
            |option: &str| help.lines().find(|line| line.contains(&format!("{option} <"))).unwrap_or("").to_owned();
        let (default, quick) = (request(&[]), request(&["--quick"]));
        let percent = |request: &Request| format!("{}%", request.precision * 100.0);
        let seconds = |time: Duration| format!("{}s", time.as_secs_f64());
        for (option, default, quick) in [
            ("--workload", list(&default.workloads), list(&quick.workloads)),
            ("--table-size", default.rows.table_size.to_string(), quick.rows.table_size.to_string()),
            ("--precision", percent(&default), percent(&quick)),
            ("--max-time", seconds(default.max_time), seconds(quick.max_time)),
            ("--block", seconds(default.block), seconds(quick.block)),
        ] {
            let expected = format!("[default: {default}; with --quick {quick}]");
            assert!(line(option).ends_with(&expected), "{expected} is not in: {}", line(option));
        }
        assert!(line("--collation").ends_with(&format!("of {}]", list(&DEFAULT_COLLATIONS))));
        let baseline =
            format!("[default: the first of several --collation, else {DEFAULT_BASELINE}; for a folder as-is]");
        assert!(line("--baseline").ends_with(&baseline));
        let texts: Vec<&str> = Text::ALL.iter().map(|text| text.name()).collect();
        assert!(texts.iter().all(|name| line("--text").contains(name)), "{}", line("--text"));
    }

    #[test]
    fn options_override_quick() {
        let words = ["--quick", "-w", "group_by", "--table-size=7000", "--precision=1", "--max-time=5m", "--block=2s"];
        let named = request(&words);
        assert_eq!(named.workloads, [Workload::from(WorkloadKind::GroupBy)]);
        assert_eq!((named.rows.table_size, named.precision), (7000, 0.01));
        assert_eq!((named.max_time, named.block), (Duration::from_secs(300), Duration::from_secs(2)));
    }

    #[test]
    fn lists_accumulate_and_other_options_are_overridden() {
        let words = ["-w", "group_by,distinct_ranges:10", "-w", "group_by", "--threads=4,1,4", "--seed=1", "--seed=2"];
        let given = request(&words);
        assert_eq!(list(&given.workloads), "group_by, distinct_ranges:10");
        assert_eq!((given.threads, given.rows.seed), (vec![4, 1], 2));
        let axes = request(&["--connection-charset=match,latin1,match", "--text=cjk,cjk"]).axes;
        assert_eq!((axes.connections, axes.texts), (vec![None, Some("latin1".into())], vec![Text::Cjk]));
    }

    #[test]
    fn rejections_have_a_remedy() {
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
