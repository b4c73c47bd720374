//! The engine beside Vitess' collations, which are Go: comparisons and sort keys of the same texts. Vitess is run,
//! built from xtask/peers/vitess; nothing of it is copied. Other competitors are in `cargo bench -p mysql-collation`.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use drive::own_cpu;
use measure::{Estimate, median};
use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use mysql_collation::{Collation, Flavour};
use server::Progress;

use crate::bar::Bar;

/// Processes of each side, in turn: where code and texts lie is chosen for each.
const PROCESSES: usize = 9;
/// Rounds of a timing in one process, as many as Vitess' side has, and calls of each.
const ROUNDS: usize = 30;
const CALLS: u32 = 20_000;
const COLLATION: &str = "utf8mb4_0900_ai_ci";

#[derive(clap::Args)]
pub struct Arguments {
    /// Be a process of our side
    #[arg(long, hide = true)]
    ours: bool,
}

/// What is timed: two texts compared, or the sort key of one.
struct Case {
    title: &'static str,
    a: String,
    b: Option<String>,
}

/// The times of a process, in ns: for each case one for each of its contestants.
type Times = Vec<Vec<f64>>;

pub fn run(arguments: &Arguments) -> Result<()> {
    let cases = cases();
    if arguments.ours {
        return print_ours(&cases);
    }
    let folder = tempfile::tempdir()?;
    let vitess = build_vitess(folder.path())?;
    let bar = Bar::new();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for number in 1..=PROCESSES {
        bar.step(&format!("process {number} of {PROCESSES}"));
        theirs.push(vitess_times(&vitess, &cases)?);
        ours.push(our_times(&cases)?);
    }
    drop(bar);
    println!("{COLLATION}, ns of CPU time: median of {PROCESSES} processes [95 % interval]");
    for (number, case) in cases.iter().enumerate() {
        let theirs: Vec<f64> = theirs.iter().map(|times| times[number][0]).collect();
        println!("\n{}\n  {:32}{}", case.title, "Vitess", interval(&theirs)?);
        for (set, name) in instruction_sets().enumerate() {
            let ours: Vec<f64> = ours.iter().map(|times| times[number][set]).collect();
            let ratios: Vec<f64> = theirs.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect();
            let name = format!("mysql-collation, {name}");
            println!("  {name:32}{:32} Vitess ÷ ours {}", interval(&ours)?, interval(&ratios)?);
        }
    }
    Ok(())
}

fn interval(values: &[f64]) -> Result<String> {
    let Estimate { low, value, high } = median(values).context("a time is no number")?;
    Ok(format!("{value:8.1} [{low:.1} … {high:.1}]"))
}

fn cases() -> Vec<Case> {
    let digits = "68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";
    let english = "It was a bright cold day in April and the clocks were striking thirteen, Winston Smith hurried through the glass doors.";
    let russian =
        "Съешь же ещё этих мягких французских булок да выпей чаю, а потом иди гулять по улице где растут липы";
    let pair = |title, a: String, b: String| Case { title, a, b: Some(b) };
    let key = |title, a: &str| Case { title, a: a.to_owned(), b: None };
    vec![
        pair("119 ASCII characters, equal", digits.to_owned(), digits.to_owned()),
        pair("119 ASCII characters, case differs everywhere", english.to_lowercase(), english.to_uppercase()),
        pair("101 Russian characters, case differs everywhere", russian.to_lowercase(), russian.to_uppercase()),
        key("sort key of 119 ASCII characters", digits),
        key("sort key of 101 Russian characters", russian),
    ]
}

/// Vitess' side as a program in this folder.
fn build_vitess(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("vitess");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/vitess");
    let build = Command::new("go").args(["build", "-o"]).arg(&program).current_dir(&source).status();
    let status = build.context("Vitess' collations could not be built: install Go 1.24 or later")?;
    ensure!(status.success(), "`go build` in {} failed", source.display());
    Ok(program)
}

fn vitess_times(program: &Path, cases: &[Case]) -> Result<Times> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("Vitess' side has no standard input")?;
    for case in cases {
        match &case.b {
            Some(b) => writeln!(input, "compare\t{COLLATION}\t{}\t{b}", case.a)?,
            None => writeln!(input, "key\t{COLLATION}\t{}", case.a)?,
        }
    }
    drop(input);
    times(&child.wait_with_output()?, "Vitess' side", cases.len(), 1)
}

fn our_times(cases: &[Case]) -> Result<Times> {
    let output = Command::new(std::env::current_exe()?).args(["peers", "--ours"]).output()?;
    times(&output, "our side", cases.len(), instruction_sets().count())
}

/// A line for each case, with a time for each contestant between spaces.
fn times(output: &Output, of: &str, cases: usize, contestants: usize) -> Result<Times> {
    ensure!(output.status.success(), "{of} ended with {}", output.status);
    let numbers = |line: &str| line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
    let lines = str::from_utf8(&output.stdout)?.lines().map(numbers);
    let times: Times = lines.collect::<Result<_, _>>().with_context(|| format!("{of} printed what is no time"))?;
    ensure!(times.len() == cases, "{of} answered {} of {cases} questions", times.len());
    ensure!(times.iter().all(|line| line.len() == contestants), "{of} did not answer with {contestants} times a line");
    Ok(times)
}

/// Our side: the median of each case with each instruction set.
fn print_ours(cases: &[Case]) -> Result<()> {
    let collation = Collation::by_name(Flavour::MySql, COLLATION)?;
    for case in cases {
        let with = |instruction_set| {
            use_instruction_set(instruction_set);
            Ok(format!("{:.2}", ours(collation, case)?))
        };
        println!("{}", instruction_sets().map(with).collect::<Result<Vec<_>>>()?.join(" "));
    }
    Ok(())
}

/// The median of the rounds.
fn ours(collation: Collation, case: &Case) -> Result<f64> {
    let mut key = Vec::new();
    let round = |_| {
        let begin = own_cpu();
        for _ in 0..CALLS {
            let a = black_box(case.a.as_bytes());
            match &case.b {
                Some(b) => {
                    black_box(collation.compare(a, black_box(b.as_bytes())));
                }
                None => {
                    key.clear();
                    collation.sort_key_into(a, &mut key);
                    black_box(&key);
                }
            }
        }
        (own_cpu() - begin).as_nanos() as f64 / f64::from(CALLS)
    };
    let times: Vec<f64> = (0..ROUNDS).map(round).collect();
    Ok(median(&times).context("a time is no number")?.value)
}
