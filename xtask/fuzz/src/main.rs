//! Feeds damaged files to readers, with a limit of time and memory for each: `cargo xtask fuzz`.
//!
//! A target is a function of bytes. Its seeds are files of the project, or texts written here. An
//! input that makes a reader panic, take more than [`MAX_SECONDS`] or hold more than [`MAX_BYTES`]
//! is a finding.

mod memory;
mod mutation;
mod targets;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use targets::{TARGETS, Target};

/// Longest time for one input, in seconds. Inputs have up to 64 KiB.
const MAX_SECONDS: f64 = 5.0;
/// Largest number of bytes that this program may hold while it reads one input.
const MAX_BYTES: usize = 1 << 30;

/// Feed damaged files to readers.
#[derive(Parser)]
struct Arguments {
    /// Readers to try [default: all]
    targets: Vec<String>,

    /// Seconds for each reader
    #[arg(long, default_value_t = 600)]
    seconds: u64,

    /// Seed of the damage
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Folder for inputs that are findings
    #[arg(long, default_value = "fuzz-findings")]
    findings: PathBuf,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(unknown) = arguments.targets.iter().find(|name| !TARGETS.iter().any(|target| target.name == **name)) {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        bail!("unknown reader {unknown}; the readers are {}", names.join(", "));
    }
    // A panic of the Parquet library is contained, and of others a finding: neither needs a trace.
    panic::set_hook(Box::new(|_| {}));
    let is_wanted =
        |target: &&Target| arguments.targets.is_empty() || arguments.targets.iter().any(|name| name == target.name);
    let mut findings = 0;
    for target in TARGETS.iter().filter(is_wanted) {
        findings += run(target, &arguments)?;
    }
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Reads an input. Returns the outcome and the time in seconds.
fn read(target: &Target, input: &[u8]) -> (thread::Result<()>, f64) {
    let begin = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.read)(input)));
    (outcome, begin.elapsed().as_secs_f64())
}

/// Runs a target, prints its counts and returns its number of findings.
fn run(target: &Target, arguments: &Arguments) -> Result<u64> {
    let seeds = (target.seeds)().with_context(|| format!("cannot read the seeds of {}", target.name))?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(arguments.seed);
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let (mut inputs, mut findings, mut slowest, mut largest) = (0_u64, 0, 0.0_f64, 0);
    for seed in seeds.iter().cloned().map(Some).chain(std::iter::repeat(None)) {
        if Instant::now() >= end {
            break;
        }
        let input = seed.unwrap_or_else(|| mutation::mutate(&seeds, &mut random));
        memory::reset_peak();
        let (outcome, mut seconds) = read(target, &input);
        let bytes = memory::peak();
        // A machine that stalls lengthens one reading, hardly three.
        for _ in 0..2 {
            if outcome.is_ok() && seconds > MAX_SECONDS {
                seconds = seconds.min(read(target, &input).1);
            }
        }
        (slowest, largest) = (slowest.max(seconds), largest.max(bytes));
        inputs += 1;
        let problem = match outcome {
            Err(_) => "panic".to_owned(),
            Ok(()) if seconds > MAX_SECONDS => format!("{seconds:.1} s"),
            Ok(()) if bytes > MAX_BYTES => format!("{bytes} bytes"),
            Ok(()) => continue,
        };
        findings += 1;
        let path = arguments.findings.join(format!("{}-{}-{inputs}", target.name, arguments.seed));
        fs::create_dir_all(&arguments.findings)?;
        fs::write(&path, &input)?;
        println!("{}: {problem}: {}", target.name, path.display());
    }
    println!(
        "{:16} {inputs:>9} inputs, {findings} findings; longest {slowest:.2} s, most memory {:.1} MiB",
        target.name,
        largest as f64 / f64::from(1 << 20)
    );
    Ok(findings)
}
