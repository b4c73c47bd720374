//! Coverage of the 95 % intervals between fresh runs, each with new servers, rows and connections.
//!
//!     cargo bench -p measure --bench coverage [-- --server NAME --workload LIST --runs N --more N --seconds N
//!                                                 --threads N --out DIR]
//!
//! A run has the default length of `weigh bench` and three workloads by default. It measures A/A
//! pairs, whose true ratio is 1, and utf8mb4_general_ci against latin1_swedish_ci. The true ratio
//! of the latter is taken to be the geometric mean of the other runs. The bench counts the
//! intervals of throughput and server CPU that contain the truth, and prints a Markdown table.
//!
//! Runs stay in DIR (default `target/coverage`), and a series continues where it ended. `--more N`
//! measures at most N further runs, `--more 0` only prints. Only the first series of a DIR is
//! valid, so never delete single runs from it.
//!
//! For an attached server, give its URL and a shorter time: `--server mysql://root@127.0.0.1:3306
//! --seconds 60`. To simulate a remote machine, use a network namespace with 1 ms of delay, as
//! root. Kernels with `netem` can use `tc qdisc add dev near root netem delay 500us` on both ends
//! in place of `delay`:
//!
//!     ip netns add far; ip link add near type veth peer name far0; ip link set far0 netns far
//!     ip addr add 10.77.0.1/24 dev near; ip link set near up
//!     ip netns exec far sh -c 'ip addr add 10.77.0.2/24 dev far0; ip link set far0 up'
//!     cargo run --release -p measure --example delay -- 10.77.0.1:3307 127.0.0.1:3306 500 &
//!     ip netns exec far cargo bench -p measure --bench coverage -- \
//!         --server 'mysql://USER@10.77.0.1:3307?ssl-mode=DISABLED' --seconds 60 --out target/coverage-far
//!
//! TLS is off here only because the traffic stays on this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::{
    Analysis, Axes, Block, Comparison, Estimate, Observer, PairKind, PairProgress, Request, Run, RunFolder, analyse,
    default_connections,
};
use server::{NoProgress, Spec};
use workload::{Text, Workload, WorkloadKind};

/// An observer that shows nothing.
struct Silent;

impl Observer for Silent {
    fn stage(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration, _replicate: u32, _replicates: u32) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[PairProgress], _spent: Duration) {}
}

struct Args {
    server: String,
    workloads: Vec<Workload>,
    runs: usize,
    more: usize,
    seconds: u64,
    threads: Option<u32>,
    out: PathBuf,
}

fn args() -> Args {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/coverage");
    let workloads = [WorkloadKind::OltpReadOnly, WorkloadKind::OltpPointSelect, WorkloadKind::DistinctRanges]
        .map(Into::into)
        .into();
    let mut args =
        Args { server: "mariadb".into(), workloads, runs: 20, more: usize::MAX, seconds: 180, threads: None, out };
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(name) = words.next() {
        let value = words.next().unwrap_or_else(|| panic!("{name} needs a value"));
        let number = || value.parse::<u64>().unwrap_or_else(|error| panic!("{name} {value}: {error}"));
        match name.as_str() {
            "--server" => args.server = value,
            "--workload" => {
                args.workloads = value.split(',').map(|name| name.parse().unwrap_or_else(|e| panic!("{e}"))).collect();
            }
            "--runs" => args.runs = number() as usize,
            "--more" => args.more = number() as usize,
            "--seconds" => args.seconds = number(),
            "--threads" => args.threads = Some(number() as u32),
            "--out" => args.out = value.into(),
            _ => panic!("there is no option {name}"),
        }
    }
    args
}

fn main() {
    let args = args();
    let folder = |run: usize| args.out.join(format!("run-{run:02}"));
    let is_done =
        |path: &Path| measure::read_run(path).is_ok_and(|(run, _)| run.finished.is_some() && run.failure.is_none());
    let mut more = args.more;
    for run in 1..=args.runs {
        let path = folder(run);
        if is_done(&path) || more == 0 {
            continue;
        }
        assert!(!path.exists(), "{} holds a run that was cut off: it counts as none, move it away", path.display());
        more -= 1;
        measure_one(&args, &path);
        println!("run {run} of {} is done", args.runs);
    }
    let done: Vec<(Run, Analysis)> = (1..=args.runs)
        .map(folder)
        .filter(|path| is_done(path))
        .map(|path| {
            let (run, blocks) = measure::read_run(&path).expect("the run was read before");
            let analysis = analyse(&run, &blocks);
            (run, analysis)
        })
        .collect();
    println!("\n{}, {} runs of {}, {} s of load each\n", args.server, done.len(), args.runs, args.seconds);
    println!("| what, and its truth | figure | intervals that hold it | half-width, median (least … most) |");
    println!("| --- | --- | ---: | ---: |");
    let mut all = Vec::new();
    for (kind, name) in
        [(PairKind::AA, "A/A, 1"), (PairKind::Collation, "utf8mb4_general_ci, the mean of the other runs")]
    {
        for (figure, of) in figures() {
            let own = intervals(&done, kind, of);
            println!("| {name} | {figure} | {} |", format_intervals(&own));
            all.extend(own);
        }
    }
    println!("| all of these | | {} |", format_intervals(&all));
    println!("\nWhether the machine was the same from run to run: CPU, least … most of all runs\n");
    println!("| workload | baseline, µs a query | utf8mb4_general_ci ÷ baseline | correlation of the two |");
    println!("| --- | ---: | ---: | ---: |");
    let conditions = done.first().map(|(run, _)| &run.conditions[..]).unwrap_or_default();
    for (index, condition) in conditions.iter().enumerate() {
        println!("| {} | {} |", condition.workload, format_machine(&done, index));
    }
}

fn measure_one(args: &Args, path: &Path) {
    let spec = args.server.parse().expect("SERVER names a server, such as mysql@5.6");
    let request = request(args, &spec);
    let options = server::Options { threads: request.max_connections(), ..server::Options::default() };
    let mut servers = [server::open(&spec, &options, &NoProgress).expect("the server starts")];
    let folder = RunFolder::create(path, files::Access::Umask).expect("the folder is created");
    let outcome = measure::run(&request, &mut servers, folder, env!("CARGO_PKG_VERSION"), &Silent, None);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    servers.into_iter().for_each(|server| server.stop().expect("the server stops"));
}

/// Request of `weigh bench --collation latin1_swedish_ci,utf8mb4_general_ci`, with the workloads,
/// connections and time of the benchmark.
fn request(args: &Args, server: &Spec) -> Request {
    Request {
        axes: Axes {
            collations: Some(["latin1_swedish_ci", "utf8mb4_general_ci"].map(String::from).into()),
            connections: vec![None],
            texts: vec![Text::Digits],
            ..Axes::default()
        },
        workloads: args.workloads.clone(),
        threads: vec![args.threads.unwrap_or_else(|| default_connections(server.is_running()))],
        max_time: Duration::from_secs(args.seconds),
        ..Request::default()
    }
}

type Figure = fn(&Comparison) -> Option<Estimate>;

fn figures() -> [(&'static str, Figure); 2] {
    [("throughput", |comparison| comparison.throughput), ("CPU", |comparison| comparison.server_cpu)]
}

/// Whether an interval contains the truth, and its half-width.
type Interval = (bool, f64);

/// Returns the interval of each run and workload.
fn intervals(done: &[(Run, Analysis)], kind: PairKind, of: Figure) -> Vec<Interval> {
    let mut intervals = Vec::new();
    for condition in 0..done.first().map_or(0, |(run, _)| run.conditions.len()) {
        let estimates: Vec<Estimate> =
            done.iter().filter_map(|(_, analysis)| estimate(analysis, condition, kind, of)).collect();
        let sum: f64 = estimates.iter().map(|estimate| estimate.value.ln()).sum();
        for own in &estimates {
            let others = (sum - own.value.ln()) / (estimates.len() as f64 - 1.0);
            let truth = if kind == PairKind::AA { 1.0 } else { others.exp() };
            intervals.push((own.contains(truth), own.precision()));
        }
    }
    intervals
}

/// Formats how many intervals contain the truth, and their widths.
fn format_intervals(intervals: &[Interval]) -> String {
    let held = intervals.iter().filter(|(holds, _)| *holds).count();
    let mut widths: Vec<f64> = intervals.iter().map(|(_, width)| *width).collect();
    widths.sort_unstable_by(f64::total_cmp);
    let percent = |place: Option<&f64>| place.map_or_else(|| "–".into(), |width| format!("{:.1} %", width * 100.0));
    let [least, median, most] = [widths.first(), widths.get(widths.len() / 2), widths.last()].map(percent);
    format!("{held} of {} | ± {median} ({least} … {most})", intervals.len())
}

/// Formats the range of the baseline's CPU time over the runs, the range of the collation's cost,
/// and their correlation. On an undisturbed machine they are not correlated.
fn format_machine(done: &[(Run, Analysis)], condition: usize) -> String {
    let of_run = |(_, analysis): &(Run, Analysis)| {
        let result = analysis.conditions.get(condition)?;
        let comparison = result.comparisons.iter().find(|own| own.kind == PairKind::Collation)?;
        let variant = result.variants.iter().find(|own| own.variant == comparison.variant)?;
        let ratio = comparison.server_cpu?.value;
        Some((variant.server_cpu_us? / ratio, ratio))
    };
    let (speeds, ratios): (Vec<f64>, Vec<f64>) = done.iter().filter_map(of_run).unzip();
    let ends =
        |values: &[f64]| (values.iter().copied().fold(f64::MAX, f64::min), values.iter().copied().fold(0.0, f64::max));
    let ((fastest, slowest), (least, most)) = (ends(&speeds), ends(&ratios));
    format!("{fastest:.1} … {slowest:.1} | {least:.3} … {most:.3} | {:.2}", correlation(&speeds, &ratios))
}

/// Pearson's correlation of the logarithms.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let centred = |values: &[f64]| -> Vec<f64> {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        logs.into_iter().map(|log| log - mean).collect()
    };
    let (one, other) = (centred(one), centred(other));
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    product(&one, &other) / (product(&one, &one) * product(&other, &other)).sqrt()
}

fn estimate(analysis: &Analysis, condition: usize, kind: PairKind, of: Figure) -> Option<Estimate> {
    let comparison = analysis.conditions.get(condition)?.comparisons.iter().find(|own| own.kind == kind)?;
    of(comparison)
}
