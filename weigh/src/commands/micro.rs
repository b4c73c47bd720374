//! `weigh micro`: times one comparison inside a server and in the engine.

use std::io::{stdin, stdout};
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use micro::{ComparisonCost, Difference, InstructionSet, Program, Request, Results, UnknownInstructionSet};
use progress::Bar;
use report::micro as printed;
use server::Server;
use workload::Text;

use crate::options::connect::{ConnectArgs, Targets};
use crate::options::values::without_repeats;
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  weigh micro
      The usual collations, every text and difference on a private server; two to three minutes.
  weigh micro --quick
      Three texts and shorter timings, in seconds.
  weigh micro --server mysql@sid --server mariadb@trixie --text cyrillic --difference case
      Russian in upper against lower case on two servers.
  weigh micro --text cyrillic --difference case --instruction-set all
      One server, and the engine with each instruction set of this machine.
  weigh micro --host db1.example --user me --password --collation utf8mb4_0900_ai_ci
      On a running server. It is only read from: nothing is created, and any account will do.

Exit status: 0 measured, 1 the engine disagrees with a server, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

/// Environment variable that makes this process time the engine for one round of a parent `weigh
/// micro`.
const ENGINE_PROCESS: &str = "WEIGH_ENGINE_PROCESS";
/// Fewest rounds that give an interval of a median.
const MIN_ROUNDS: i64 = 6;

/// Measure one comparison of two strings, in ns
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct MicroArgs {
    /// Collations [default: those that the server has of latin1_swedish_ci, utf8mb4_general_ci,
    /// utf8mb4_bin, utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_0900_ai_ci,
    /// utf8mb4_uca1400_ai_ci]
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    collations: Vec<String>,

    /// Text of the strings: digits (sysbench's), ascii, latin, cyrillic, cjk, emoji, mixed
    /// [default: all; with --quick digits, ascii, cyrillic]
    #[arg(long = "text", value_name = "KIND,…", value_delimiter = ',', help_heading = "What to measure")]
    texts: Vec<Text>,

    /// How the second string differs from the first: equal, case-end (case of the last letter),
    /// case (case of every letter), accents (without accents), last (a different last character)
    /// [default: all that apply to the text]
    #[arg(long = "difference", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to measure")]
    differences: Vec<Difference>,

    /// Instruction sets to time the engine with, one row for each: avx512, avx2, sse2, neon,
    /// scalar, or all that the machine has [default: the machine's best]
    #[arg(long = "instruction-set", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to measure")]
    instruction_sets: Vec<InstructionSets>,

    /// Characters of each string
    #[arg(long, value_name = "N", default_value_t = 119, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "What to measure")]
    characters: u32,

    /// Time that the server compares in one timing; the engine compares for a tenth of it [default:
    /// 100ms; with --quick 20ms]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    time: Option<Duration>,

    /// Rounds; each times everything once, on newly started private servers [default: 7; with
    /// --quick 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(MIN_ROUNDS..=1000), help_heading = "The experiment")]
    rounds: Option<u32>,

    /// Use fewer texts and shorter timings
    #[arg(long, help_heading = "The experiment")]
    quick: bool,

    /// Output format: text, json (schemas/micro.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// Value of `--instruction-set`: one instruction set, or all of the machine.
#[derive(Clone, Debug)]
struct InstructionSets(Vec<InstructionSet>);

impl FromStr for InstructionSets {
    type Err = UnknownInstructionSet;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        if given.eq_ignore_ascii_case("all") {
            return Ok(Self(InstructionSet::all().collect()));
        }
        given.parse().map(|instruction_set| Self(vec![instruction_set]))
    }
}

pub fn run(args: &MicroArgs) -> Result<ExitCode> {
    if std::env::var_os(ENGINE_PROCESS).is_some() {
        micro::serve_timing_requests(stdin().lock(), stdout().lock())
            .map_err(|error| anyhow!("the engine could not be timed: {error}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let targets = args.connect.resolve(1)?;
    let results = measure(&args.request(), &targets)?;
    output::print(&render(&results, args.format))?;
    let agreed = results.comparisons.iter().all(ComparisonCost::agrees);
    Ok(if agreed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn measure(request: &Request, targets: &Targets) -> Result<Results> {
    let bar = Bar::new();
    let open = |spec| server::open(spec, &targets.options, &bar);
    let mut servers: Vec<Server> = targets.specs.iter().map(open).collect::<Result<_, _>>()?;
    let this = std::env::current_exe().map_err(|error| anyhow!("cannot find the path of this program: {error}"))?;
    let engine = || {
        let mut command = Command::new(&this);
        command.arg("micro").env(ENGINE_PROCESS, "1");
        command
    };
    Ok(micro::run(request, &mut servers, &Program { version: env!("CARGO_PKG_VERSION"), engine: &engine }, &bar)?)
}

impl MicroArgs {
    fn request(&self) -> Request {
        let default = if self.quick { quick_request() } else { Request::default() };
        Request {
            collations: (!self.collations.is_empty()).then(|| self.collations.clone()),
            texts: dedup_or_default(&self.texts, default.texts),
            differences: dedup_or_default(&self.differences, default.differences),
            instruction_sets: without_repeats(self.instruction_sets.iter().flat_map(|named| named.0.iter().copied())),
            characters: self.characters as usize,
            time: self.time.unwrap_or(default.time),
            rounds: self.rounds.unwrap_or(default.rounds),
        }
    }
}

fn quick_request() -> Request {
    Request {
        texts: vec![Text::Digits, Text::Ascii, Text::Cyrillic],
        time: Duration::from_millis(20),
        rounds: MIN_ROUNDS as u32,
        ..Request::default()
    }
}

fn dedup_or_default<T: Copy + PartialEq>(given: &[T], default: Vec<T>) -> Vec<T> {
    if given.is_empty() { default } else { without_repeats(given.iter().copied()) }
}

fn render(results: &Results, format: Format) -> String {
    match format {
        Format::Text => printed::text(results, output::style()),
        Format::Json => printed::json(results),
        Format::Csv => printed::csv(results),
        Format::Markdown => printed::markdown(results),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use measure::DEFAULT_COLLATIONS;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        micro: MicroArgs,
    }

    fn request(words: &[&str]) -> Request {
        Command::try_parse_from([&["weigh"], words].concat()).unwrap().micro.request()
    }

    fn list<T: ToString>(values: &[T]) -> String {
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn help_states_the_defaults_in_use() {
        assert_eq!(request(&[]), Request::default());
        let help = Command::command().term_width(0).render_help().to_string();
        let line =
            |option: &str| help.lines().find(|line| line.contains(&format!("{option} <"))).unwrap_or("").to_owned();
        let (default, quick) = (request(&[]), request(&["--quick"]));
        for (option, expected) in [
            ("--collation", format!("of {}]", list(&DEFAULT_COLLATIONS))),
            ("--text", format!("[default: all; with --quick {}]", list(&quick.texts))),
            ("--characters", format!("[default: {}]", default.characters)),
            ("--time", format!("[default: {}ms; with --quick {}ms]", default.time.as_millis(), quick.time.as_millis())),
            ("--rounds", format!("[default: {}; with --quick {}]", default.rounds, quick.rounds)),
        ] {
            assert!(line(option).ends_with(&expected), "{expected} is not in: {}", line(option));
        }
        for name in Text::ALL.map(Text::name) {
            assert!(line("--text").contains(name), "{name}");
        }
        for name in Difference::ALL.map(Difference::name) {
            assert!(line("--difference").contains(name), "{name}");
        }
        for name in InstructionSet::all().map(InstructionSet::name) {
            assert!(line("--instruction-set").contains(name), "{name}");
        }
    }

    #[test]
    fn named_values_are_measured_once() {
        let words = ["--quick", "--text=cjk,latin,cjk", "--difference", "case", "--rounds=9", "-c", "utf8mb4_bin"];
        let named = request(&words);
        assert_eq!((named.texts, named.differences), (vec![Text::Cjk, Text::Latin], vec![Difference::Case]));
        assert_eq!((named.rounds, named.collations), (9, Some(vec!["utf8mb4_bin".into()])));
    }

    #[test]
    fn instruction_sets_keep_their_order_and_all_means_the_machines() {
        let named = |words| request(words).instruction_sets;
        let all: Vec<InstructionSet> = InstructionSet::all().collect();
        assert_eq!(named(&["--instruction-set", "all"]), all);
        let scalar = "scalar".parse().unwrap();
        let first = named(&["--instruction-set=scalar", "--instruction-set=all,SCALAR"]);
        assert_eq!((first[0], first.len()), (scalar, all.len()));
        let error = Command::try_parse_from(["weigh", "--instruction-set=altivec"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("it has: ") && error.to_string().contains("scalar"), "{error}");
    }

    #[test]
    fn rejects_too_few_rounds() {
        assert!(Command::try_parse_from(["weigh", "--rounds=5"]).is_err());
        assert!(Command::try_parse_from(["weigh", "--difference=none"]).is_err());
    }
}
