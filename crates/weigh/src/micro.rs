//! `weigh micro`: what one comparison costs inside a server, and in the engine.

use std::io::{stdin, stdout};
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use micro::{Cell, Difference, InstructionSet, Program, Request, Results, UnknownInstructionSet};
use report::{Style, micro as printed};
use server::Server;
use workload::Text;

use crate::bar::Bar;
use crate::connect::{ConnectArgs, Targets};
use crate::given::without_repeats;
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  weigh micro
      Each collation, text and difference on a private server; two to three minutes.
  weigh micro --quick
      The same with three texts, in seconds.
  weigh micro --server mysql@sid --server mariadb@trixie --text cyrillic --difference case
      Russian in upper against lower case on two servers.
  weigh micro --text cyrillic --difference case --instruction-set all
      The same on one server, the engine with each instruction set of this machine in turn.
  weigh micro --host db1.example --user me --password --collation utf8mb4_0900_ai_ci
      On a server that is running. It is only read from: nothing is created there, and any account will do.

Exit status: 0 measured, 1 the engine disagrees with a server, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

/// The variable that tells a process of this command that it times the engine for a round of another one.
const ENGINE_PROCESS: &str = "WEIGH_ENGINE_PROCESS";
/// Rounds that an interval of a median takes.
const LEAST_ROUNDS: i64 = 6;

/// Measure what one comparison of two strings costs inside a server, in ns, and in the engine
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct MicroArgs {
    /// Collations [default: those that the server has of latin1_swedish_ci, utf8mb4_general_ci, utf8mb4_bin,
    /// utf8mb4_unicode_ci, utf8mb4_unicode_520_ci, utf8mb4_0900_ai_ci, utf8mb4_uca1400_ai_ci]
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    collations: Vec<String>,

    /// Text of the strings: digits (sysbench's), ascii, latin, cyrillic, cjk, emoji, mixed [default: all; with --quick
    /// digits, ascii, cyrillic]
    #[arg(long = "text", value_name = "KIND,…", value_delimiter = ',', help_heading = "What to measure")]
    texts: Vec<Text>,

    /// How the second string differs from the first: equal, case-end (the last letter's case), case (every letter's),
    /// accents (without them), last (another last character) [default: all that the text can]
    #[arg(long = "difference", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to measure")]
    differences: Vec<Difference>,

    /// Instruction sets that the engine is timed with, a row for each: those of avx512, avx2, sse2, neon and scalar that
    /// the machine has, or all of them [default: the machine's best]
    #[arg(long = "instruction-set", value_name = "NAME,…", value_delimiter = ',', help_heading = "What to measure")]
    instruction_sets: Vec<InstructionSets>,

    /// Characters of each string
    #[arg(long, value_name = "N", default_value_t = 119, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "What to measure")]
    characters: u32,

    /// How long the server compares in one timing; the engine compares for a tenth of it [default: 100ms; with --quick
    /// 20ms]
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    time: Option<Duration>,

    /// Rounds, in each of which everything is timed once, on private servers that are started anew [default: 7; with --quick 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(LEAST_ROUNDS..=1000), help_heading = "The experiment")]
    rounds: Option<u32>,

    /// Fewer texts, shorter timings
    #[arg(long, help_heading = "The experiment")]
    quick: bool,

    /// How results are printed: text, json (schemas/micro.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    #[command(flatten)]
    connect: ConnectArgs,
}

/// What one name on the command line stands for: an instruction set, or all of the machine.
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

/// Runs `weigh micro`.
pub fn run(args: &MicroArgs) -> Result<ExitCode> {
    if std::env::var_os(ENGINE_PROCESS).is_some() {
        micro::answer_questions(stdin().lock(), stdout().lock()).context("the engine could not be timed")?;
        return Ok(ExitCode::SUCCESS);
    }
    let targets = args.connect.resolve(1)?;
    let results = measure(&args.request(), &targets)?;
    output::print(&render(&results, args.format))?;
    let agreed = results.cells.iter().all(Cell::agrees);
    Ok(if agreed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn measure(request: &Request, targets: &Targets) -> Result<Results> {
    let bar = Bar::new();
    let open = |spec| server::open(spec, &targets.options, &bar);
    let mut servers: Vec<Server> = targets.specs.iter().map(open).collect::<Result<_, _>>()?;
    let this = std::env::current_exe().context("the path of this program is not to be had")?;
    let engine = || {
        let mut command = Command::new(&this);
        command.arg("micro").env(ENGINE_PROCESS, "1");
        command
    };
    Ok(micro::run(request, &mut servers, &Program { version: env!("CARGO_PKG_VERSION"), engine: &engine }, &bar)?)
}

impl MicroArgs {
    fn request(&self) -> Request {
        let plain = if self.quick { quick() } else { Request::default() };
        Request {
            collations: (!self.collations.is_empty()).then(|| self.collations.clone()),
            texts: given_or(&self.texts, plain.texts),
            differences: given_or(&self.differences, plain.differences),
            instruction_sets: without_repeats(self.instruction_sets.iter().flat_map(|named| named.0.iter().copied())),
            characters: self.characters as usize,
            time: self.time.unwrap_or(plain.time),
            rounds: self.rounds.unwrap_or(plain.rounds),
        }
    }
}

fn quick() -> Request {
    Request {
        texts: vec![Text::Digits, Text::Ascii, Text::Cyrillic],
        time: Duration::from_millis(20),
        rounds: LEAST_ROUNDS as u32,
        ..Request::default()
    }
}

/// What was given, each once, or else the default.
fn given_or<T: Copy + PartialEq>(given: &[T], default: Vec<T>) -> Vec<T> {
    if given.is_empty() { default } else { without_repeats(given.iter().copied()) }
}

fn render(results: &Results, format: Format) -> String {
    match format {
        Format::Text => printed::text(results, Style { color: output::color() }),
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
    fn the_defaults_are_the_librarys_and_help_tells_them() {
        assert_eq!(request(&[]), Request::default());
        let help = Command::command().term_width(0).render_help().to_string();
        let line =
            |option: &str| help.lines().find(|line| line.contains(&format!("{option} <"))).unwrap_or("").to_owned();
        let (plain, quick) = (request(&[]), request(&["--quick"]));
        for (option, told) in [
            ("--collation", format!("of {}]", list(&DEFAULT_COLLATIONS))),
            ("--text", format!("[default: all; with --quick {}]", list(&quick.texts))),
            ("--characters", format!("[default: {}]", plain.characters)),
            ("--time", format!("[default: {}ms; with --quick {}ms]", plain.time.as_millis(), quick.time.as_millis())),
            ("--rounds", format!("[default: {}; with --quick {}]", plain.rounds, quick.rounds)),
        ] {
            assert!(line(option).ends_with(&told), "{told} is not in: {}", line(option));
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
    fn what_is_named_is_measured_once() {
        let words = ["--quick", "--text=cjk,latin,cjk", "--difference", "case", "--rounds=9", "-c", "utf8mb4_bin"];
        let named = request(&words);
        assert_eq!((named.texts, named.differences), (vec![Text::Cjk, Text::Latin], vec![Difference::Case]));
        assert_eq!((named.rounds, named.collations), (9, Some(vec!["utf8mb4_bin".into()])));
    }

    #[test]
    fn instruction_sets_are_taken_in_the_order_given_and_all_is_those_of_the_machine() {
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
    fn fewer_rounds_than_an_interval_takes_are_refused() {
        assert!(Command::try_parse_from(["weigh", "--rounds=5"]).is_err());
        assert!(Command::try_parse_from(["weigh", "--difference=none"]).is_err());
    }
}
