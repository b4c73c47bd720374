//! The engine beside Vitess' collations, which are Go: comparisons and sort keys of the same texts. Vitess is run, by
//! `go run` in xtask/peers/vitess; nothing of it is copied. Other competitors are in `cargo bench -p mysql-collation`.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use drive::own_cpu;
use measure::{Estimate, median};
use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use mysql_collation::{Collation, Flavour};

/// Rounds of a timing, as many as Vitess' side has, and calls of each.
const ROUNDS: usize = 30;
const CALLS: u32 = 20_000;

#[derive(clap::Args)]
pub struct Arguments {}

/// What is timed: two texts compared, or the sort key of one.
struct Case {
    title: &'static str,
    a: String,
    b: Option<String>,
}

pub fn run(_: &Arguments) -> Result<()> {
    let name = "utf8mb4_0900_ai_ci";
    let collation = Collation::by_name(Flavour::MySql, name)?;
    let cases = cases();
    let theirs = vitess(name, &cases)?;
    println!("{name}, ns of CPU time: median of {ROUNDS} rounds [95 % interval]");
    for (case, theirs) in cases.iter().zip(theirs) {
        let show = |[low, median, high]: [f64; 3]| format!("{median:8.1} [{low:.1} … {high:.1}]");
        println!("\n{}\n  {:32}{}", case.title, "Vitess", show(theirs));
        for instruction_set in instruction_sets() {
            use_instruction_set(instruction_set);
            let ours = ours(collation, case)?;
            let name = format!("mysql-collation, {instruction_set}");
            println!("  {name:32}{:32} Vitess ÷ ours {:6.1}", show(ours), theirs[1] / ours[1]);
        }
    }
    Ok(())
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

/// Low, median and high of each case, from Vitess.
fn vitess(collation: &str, cases: &[Case]) -> Result<Vec<[f64; 3]>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/vitess");
    let mut child = Command::new("go")
        .args(["run", "."])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("`go run` of Vitess' collations could not be started; install Go 1.24 or later")?;
    let mut input = child.stdin.take().context("go run has no standard input")?;
    for case in cases {
        match &case.b {
            Some(b) => writeln!(input, "compare\t{collation}\t{}\t{b}", case.a)?,
            None => writeln!(input, "key\t{collation}\t{}", case.a)?,
        }
    }
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "`go run .` in {} failed", folder.display());
    let lines = String::from_utf8(output.stdout)?;
    let figures: Vec<[f64; 3]> = lines.lines().map(figures).collect::<Result<_>>()?;
    ensure!(figures.len() == cases.len(), "Vitess answered {} of {} questions", figures.len(), cases.len());
    Ok(figures)
}

fn figures(line: &str) -> Result<[f64; 3]> {
    let mut fields = line.split('\t').skip(2).map(str::parse::<f64>);
    let mut next = || -> Result<f64> { Ok(fields.next().with_context(|| format!("Vitess answered {line:?}"))??) };
    Ok([next()?, next()?, next()?])
}

/// The same of the engine.
fn ours(collation: Collation, case: &Case) -> Result<[f64; 3]> {
    let mut key = Vec::new();
    let times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin: Duration = own_cpu();
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
        })
        .collect();
    let Estimate { low, value, high } = median(&times).context("too few rounds for an interval")?;
    Ok([low, value, high])
}
