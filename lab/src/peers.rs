//! `cargo xtask peers`: times the engine against collations in Go: comparisons and sort keys of the
//! same texts. The program in lab/peers/go runs Vitess, golang.org/x/text/collate and the Go port;
//! no code of the first two is copied. `cargo bench -p mysql-collation` has other competitors.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use load::thread_cpu_time;
use measure::{Estimate, median_with_interval};
use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use mysql_collation::{Collation, Flavour};
use progress::Bar;
use server::Progress;

/// Processes of each contestant, which run in turn. Times also depend on where a process has its
/// code and texts in memory.
const PROCESSES: usize = 9;
/// Rounds of a timing in one process, and calls per round. The program in Go has the same numbers.
const ROUNDS: usize = 30;
const CALLS: u32 = 20_000;
/// Libraries in Go: argument of the program, title.
const IN_GO: [(&str, &str); 3] = [("vitess", "Vitess"), ("text", "x/text/collate"), ("port", "Go port")];
/// Position of the port, which the others are compared with.
const PORT: usize = 2;

#[derive(clap::Args)]
pub struct Arguments {
    /// Be a process of the engine's side
    #[arg(long, hide = true)]
    ours: bool,
}

/// A timing: a comparison of two texts, or the sort key of one.
struct Case {
    title: &'static str,
    collation: &'static str,
    a: String,
    b: Option<String>,
}

/// Times of a process in ns: for each case, one per instruction set of the engine, or one of a
/// library in Go. `None` if it lacks the collation.
type Times = Vec<Vec<Option<f64>>>;

pub fn run(arguments: &Arguments) -> Result<()> {
    let cases = cases();
    if arguments.ours {
        return print_engine_times(&cases);
    }
    let folder = tempfile::tempdir()?;
    let program = build_program(folder.path())?;
    let bar = Bar::with_steps_printed();
    let (mut in_go, mut ours) = (vec![Vec::new(); IN_GO.len()], Vec::new());
    for number in 1..=PROCESSES {
        bar.step(&format!("process {number} of {PROCESSES}"));
        for (library, times) in IN_GO.iter().zip(&mut in_go) {
            times.push(run_in_go(&program, library.0, &cases)?);
        }
        ours.push(run_ours(&cases)?);
    }
    drop(bar);
    println!("ns of CPU time: median of {PROCESSES} processes [95 % interval]");
    for (number, case) in cases.iter().enumerate() {
        println!("\n{}, {}", case.title, case.collation);
        let port = select(&in_go[PORT], number, 0);
        for (library, times) in IN_GO.iter().zip(&in_go) {
            print_line(library.1, &select(times, number, 0), &port)?;
        }
        for (set, name) in instruction_sets().enumerate() {
            print_line(&format!("mysql-collation, {name}"), &select(&ours, number, set), &port)?;
        }
    }
    Ok(())
}

/// Returns a contestant's times of a case, one per process; empty if it lacks the collation.
fn select(times: &[Times], case: usize, contestant: usize) -> Vec<f64> {
    times.iter().filter_map(|times| times[case][contestant]).collect()
}

fn print_line(name: &str, times: &[f64], port: &[f64]) -> Result<()> {
    if times.is_empty() {
        println!("  {name:26}       no such collation");
        return Ok(());
    }
    let ratios: Vec<f64> = times.iter().zip(port).map(|(times, port)| times / port).collect();
    println!("  {name:26}{:32} ÷ port {}", interval(times)?, interval(&ratios)?);
    Ok(())
}

fn interval(values: &[f64]) -> Result<String> {
    let Estimate { low, value, high } = median_with_interval(values).context("a time is no number")?;
    Ok(format!("{value:8.2} [{low:.2} … {high:.2}]"))
}

fn cases() -> Vec<Case> {
    let digits = "68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";
    let english = "It was a bright cold day in April and the clocks were striking thirteen, Winston Smith hurried through the glass doors.";
    let russian =
        "Съешь же ещё этих мягких французских булок да выпей чаю, а потом иди гулять по улице где растут липы";
    let german = "Es war einmal ein Müller, der hatte eine schöne Tochter und großes Glück, über das er überall spräche, hörte ihm jemand zu";
    let chinese = "人人生而自由在尊严和权利上一律平等他们赋有理性和良心并应以兄弟关系的精神相对待人人有资格享有本宣言所载的一切权利和自由";
    let japanese =
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。サーバーのデータベース";
    const AI_CI: &str = "utf8mb4_0900_ai_ci";
    const AS_CS: &str = "utf8mb4_0900_as_cs";
    let pair = |title, collation, a: String, b: String| Case { title, collation, a, b: Some(b) };
    let key = |title, collation, a: &str| Case { title, collation, a: a.to_owned(), b: None };
    let other_case = |title, collation, text: &str| pair(title, collation, text.to_lowercase(), text.to_uppercase());
    let last = |title, collation, text: &str, ends: [&str; 2]| {
        pair(title, collation, format!("{text}{}", ends[0]), format!("{text}{}", ends[1]))
    };
    let ascii = "119 ASCII characters, case differs everywhere";
    vec![
        pair("119 ASCII characters, equal", AI_CI, digits.to_owned(), digits.to_owned()),
        other_case(ascii, AI_CI, english),
        other_case(ascii, AS_CS, english),
        other_case(ascii, "utf8mb4_general_ci", english),
        other_case(ascii, "utf8mb4_unicode_ci", english),
        other_case(ascii, "utf8mb4_cs_0900_ai_ci", english),
        other_case(ascii, "latin1_swedish_ci", english),
        last("120 ASCII characters, the last differs", "utf8mb4_bin", digits, ["1", "2"]),
        last("German, the last character differs", AI_CI, german, ["a", "b"]),
        other_case("German, case differs everywhere", AI_CI, german),
        other_case("100 Russian characters, case differs everywhere", AI_CI, russian),
        last("Chinese, the last character differs", AI_CI, chinese, ["一", "二"]),
        last("Japanese, the last character differs", "utf8mb4_ja_0900_as_cs", japanese, ["あ", "い"]),
        pair("the first of 120 characters differs", AI_CI, format!("a{digits}"), format!("b{digits}")),
        key("sort key of 119 ASCII characters", AI_CI, digits),
        key("sort key of 119 ASCII characters", AS_CS, digits),
        key("sort key of 119 ASCII characters", "utf8mb4_general_ci", digits),
        key("sort key of German", AI_CI, german),
        key("sort key of 100 Russian characters", AI_CI, russian),
        key("sort key of Chinese", AI_CI, chinese),
        key("sort key of Japanese", "utf8mb4_ja_0900_as_cs", japanese),
    ]
}

fn build_program(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("peers");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/go");
    let build = Command::new("go").args(["build", "-o"]).arg(&program).current_dir(&source).status();
    let status = build.context("the collations in Go could not be built: install Go 1.26.2 or later")?;
    ensure!(status.success(), "`go build` in {} failed", source.display());
    Ok(program)
}

fn run_in_go(program: &Path, library: &str, cases: &[Case]) -> Result<Times> {
    let mut child = Command::new(program).arg(library).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("the side in Go has no standard input")?;
    for Case { collation, a, b, .. } in cases {
        match b {
            Some(b) => writeln!(input, "compare\t{collation}\t{a}\t{b}")?,
            None => writeln!(input, "key\t{collation}\t{a}")?,
        }
    }
    drop(input);
    parse_times(&child.wait_with_output()?, library, cases.len(), 1)
}

fn run_ours(cases: &[Case]) -> Result<Times> {
    let output = Command::new(std::env::current_exe()?).args(["peers", "--ours"]).output()?;
    parse_times(&output, "our side", cases.len(), instruction_sets().count())
}

/// Parses one line per case, with `contestants` times separated by spaces.
fn parse_times(output: &Output, printer: &str, cases: usize, contestants: usize) -> Result<Times> {
    ensure!(output.status.success(), "{printer} ended with {}", output.status);
    let number = |word: &str| if word == "none" { Ok(None) } else { word.parse().map(Some) };
    let numbers = |line: &str| line.split(' ').map(number).collect::<Result<Vec<Option<f64>>, _>>();
    let lines = str::from_utf8(&output.stdout)?.lines().map(numbers);
    let times: Times =
        lines.collect::<Result<_, _>>().with_context(|| format!("{printer} printed something other than times"))?;
    ensure!(times.len() == cases, "{printer} printed {} lines for {cases} cases", times.len());
    ensure!(times.iter().all(|line| line.len() == contestants), "{printer} did not print {contestants} times per line");
    Ok(times)
}

fn print_engine_times(cases: &[Case]) -> Result<()> {
    for case in cases {
        let collation = Collation::by_name(Flavour::MySql, case.collation)?;
        let with = |instruction_set| {
            use_instruction_set(instruction_set);
            Ok(format!("{:.2}", time_case(collation, case)?))
        };
        println!("{}", instruction_sets().map(with).collect::<Result<Vec<_>>>()?.join(" "));
    }
    Ok(())
}

/// Returns ns per call: the median of the rounds.
fn time_case(collation: Collation, case: &Case) -> Result<f64> {
    let mut key = Vec::new();
    let round = |_| {
        let begin = thread_cpu_time();
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
        (thread_cpu_time() - begin).as_nanos() as f64 / f64::from(CALLS)
    };
    let times: Vec<f64> = (0..ROUNDS).map(round).collect();
    Ok(median_with_interval(&times).context("a time is no number")?.value)
}
