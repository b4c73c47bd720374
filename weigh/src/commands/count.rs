//! `weigh count`: counts the instructions of statements.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail};
use clap::Args;
use count::{DEFAULT_WORKLOADS, Request, Results, Source};
use files::{Access, HeldFolder};
use measure::{FolderOptions, MeasuredFolder};
use progress::Bar;
use report::count as printed;
use workload::{Text, Workload};
use workload_folder::Protocol;

use crate::options::connect::{ConnectArgs, Targets};
use crate::options::values::without_repeats;
use crate::output::{self, Format};
use crate::results;

const EXAMPLES: &str = "\
Examples:
  weigh count
      Eight workloads under each collation on a private server; under two minutes.
  weigh count --server mysql@5.6 --server mysql@sid --workload distinct_ranges
      One workload on two versions.
  weigh count --functions distinct_ranges --collation latin1_swedish_ci,utf8mb4_unicode_ci
      The functions that the difference between two collations is in.
  weigh count --workload microbench --server mysql@5.7 --server mysql@8.0 --server mysql@9
      54 small statements on three versions.
  weigh count --workload microbench --server mysql@5.7 --server mysql@9 --out counts --site site
      Keeps the counts in the folder counts, and writes a static site.
  weigh count --workload shop --collation as-is,utf8mb4_0900_ai_ci
      The statements of the workload folder shop, one by one.
  weigh count --text cyrillic --collation utf8mb4_general_ci,utf8mb4_0900_ai_ci --baseline utf8mb4_general_ci
      Two collations of Russian text.
  weigh count --label 4f0de36 --format json >> history.json
      Appends a count to a history; weigh compare history.json prints when counts changed.

Exit status: 0 counted, 2 could not count; 130 and 143 after ctrl-C and SIGTERM.";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Size of the largest file of results that is read.
const MAX_RESULTS_BYTES: u64 = 64 << 20;

/// Maximum number of functions per condition that results hold with `--functions`.
const MAX_FUNCTIONS: usize = 100;

/// Count a statement's instructions: repeatable on a busy machine
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct CountArgs {
    /// Built-in workloads; a range size may follow, as in distinct_ranges:10 (see weigh bench
    /// --list-workloads). Or microbench, or a workload folder: their statements are counted one by
    /// one; shop:by_mail is one statement of a folder [default: oltp_point_select, varchar_lookup,
    /// like_prefix, varchar_join, group_by, order_ranges, distinct_ranges, long_literals]
    #[arg(
        long = "workload",
        short = 'w',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to count"
    )]
    workloads: Vec<String>,

    /// Collations; as-is for those of a workload folder [default: those that the server has of
    /// latin1_swedish_ci, utf8mb4_general_ci, utf8mb4_bin, utf8mb4_unicode_ci,
    /// utf8mb4_unicode_520_ci, utf8mb4_0900_ai_ci, utf8mb4_uca1400_ai_ci]
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to count"
    )]
    collations: Vec<String>,

    /// Collation that the others are compared with [default: the first of --collation, else
    /// latin1_swedish_ci]
    #[arg(long, value_name = "COLLATION", help_heading = "What to count")]
    baseline: Option<String>,

    /// Count the functions of one workload, or of one statement as in microbench:order_by, and show
    /// in which of them the collations differ
    #[arg(long, value_name = "WORKLOAD", conflicts_with = "workloads", help_heading = "What to count")]
    functions: Option<String>,

    /// Text of the rows: digits (sysbench's), ascii, latin, cyrillic, cjk, emoji, mixed
    #[arg(long, value_name = "KIND", default_value = "digits", help_heading = "What to count")]
    text: Text,

    /// Rows per table
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=1_000_000), help_heading = "How to count")]
    table_size: u32,

    /// Events to count in each start, transactions or single statements, of a workload that scans
    /// ranges, or of a statement of 500,000 instructions or more; ten times as many of the others
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "How to count")]
    events: u32,

    /// Fresh starts of each server; their difference is the uncertainty of the figures
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "How to count")]
    starts: u32,

    /// Seed of rows and statements
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How to count")]
    seed: u64,

    /// Time limit of each statement, which takes about 50 times as long under valgrind
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "120s", help_heading = "How to count")]
    statement_time: Duration,

    /// Name for this count, such as a commit: weigh compare prints it
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    label: Option<String>,

    /// Output format: text, json (schemas/count.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,

    /// Folder for a JSON file per server. A server whose file is there, of the same options,
    /// statements and label, is not counted again
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Folder for a static site of the results: pages by server, collation and statement
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    site: Option<PathBuf>,

    #[command(flatten)]
    connect: ConnectArgs,
}

pub fn run(args: &CountArgs) -> Result<ExitCode> {
    let targets = args.connect.resolve(1)?;
    let folder = files::temporary_folder().and_then(tempfile::tempdir_in);
    let folder = folder.map_err(|error| anyhow!("cannot create a temporary folder: {error}"))?;
    let request = args.request(folder.path())?;
    // Opened first, so that a bad path fails before the long work.
    let open = |path: &Option<PathBuf>| path.as_deref().map(open_results).transpose();
    let (out, site) = (open(&args.out)?, open(&args.site)?);
    let bar = Bar::new();
    let results = match &out {
        Some(out) => count_into(out, request, &targets, &bar)?,
        None => count::run(&request, &targets.specs, &targets.options, VERSION, &bar)?,
    };
    drop(bar);
    if let Some(site) = &site {
        write_site(site, &results)?;
    }
    output::print(&render(&results, args.format))?;
    Ok(ExitCode::SUCCESS)
}

/// Counts one server after the other, and keeps the results of each in a file of `out`. A server
/// whose file exists is not counted again. Fails if the file is of another count.
fn count_into(out: &HeldFolder, request: Request, targets: &Targets, bar: &Bar) -> Result<Results> {
    let request = Request { may_lack_collations: true, ..request };
    let wanted = request.options(&targets.options.settings);
    let mut all: Option<Results> = None;
    for spec in &targets.specs {
        let name = format!("{}.json", escape::file_name(&spec.to_string()));
        let results = match read_results(out, &name)? {
            Some(done) if done.options == wanted && done.label == request.label && done.weigh == VERSION => done,
            Some(_) => bail!(
                "{} has counts with other options or statements, of another --label or by another version of weigh; \
                 give another --out, or delete it",
                out.path().join(name).display()
            ),
            None => {
                let results = count::run(&request, std::slice::from_ref(spec), &targets.options, VERSION, bar)?;
                results::write(out, &name, printed::json(&results).as_bytes(), Access::Umask)?;
                results
            }
        };
        match &mut all {
            Some(all) => all.merge(results),
            None => all = Some(results),
        }
    }
    all.context("no server is named")
}

/// Writes the pages of the site and its figures as CSV and Parquet, in place of older ones.
fn write_site(folder: &HeldFolder, results: &Results) -> Result<()> {
    let write = |name: &str, bytes: &[u8]| results::write(folder, name, bytes, Access::Umask);
    for page in printed::site(results) {
        write(&page.file, page.html.as_bytes())?;
    }
    write("counts.csv", printed::csv(results).as_bytes())?;
    let parquet = folder.path().join("counts.parquet");
    write("counts.parquet", &printed::parquet(results).map_err(path_error("write", &parquet))?)?;
    output::print_message(&format!("site: {}", folder.path().join("index.html").display()));
    Ok(())
}

fn open_results(path: &Path) -> Result<HeldFolder> {
    HeldFolder::create(path, Access::Umask).map_err(path_error("create", path))
}

/// Reads results that an earlier run wrote. `None` without such a file.
fn read_results(folder: &HeldFolder, name: &str) -> Result<Option<Results>> {
    let path = folder.path().join(name);
    match folder.read_small(name, MAX_RESULTS_BYTES) {
        Ok(text) => {
            let results: Results =
                serde_json::from_slice(&text).map_err(io::Error::from).map_err(path_error("read", &path))?;
            results.check().map_err(io::Error::other).map_err(path_error("read", &path))?;
            Ok(Some(results))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(path_error("read", &path)(error)),
    }
}

fn path_error(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| anyhow!("cannot {verb} {}: {error}", path.display())
}

impl CountArgs {
    /// Resolves the options. Writes the workload microbench to `folder` if it is named.
    fn request(&self, folder: &Path) -> Result<Request> {
        let default = Request::default();
        let mut collations = without_repeats(self.collations.iter().map(|name| name.trim().to_lowercase()));
        let baseline = self.baseline.clone().or_else(|| collations.first().cloned()).unwrap_or(default.baseline);
        if !collations.is_empty() && !collations.contains(&baseline) {
            collations.insert(0, baseline.clone());
        }
        Ok(Request {
            source: self.source(folder)?,
            collations: (!collations.is_empty()).then_some(collations),
            baseline,
            rows: workload::Options {
                table_size: self.table_size,
                text: self.text,
                seed: self.seed,
                ..workload::Options::default()
            },
            events: self.events,
            starts: self.starts,
            label: self.label.clone(),
            functions: if self.functions.is_some() { MAX_FUNCTIONS } else { 0 },
            statement_time: self.statement_time,
            may_lack_collations: false,
        })
    }

    /// Resolves `--workload` and `--functions`.
    fn source(&self, folder: &Path) -> Result<Source> {
        let words: Vec<&str> = match &self.functions {
            Some(workload) => vec![workload],
            None => self.workloads.iter().map(String::as_str).collect(),
        };
        let Some((&first, rest)) = words.split_first() else {
            return Ok(Source::BuiltIn(DEFAULT_WORKLOADS.map(Workload::from).into()));
        };
        let (name, class) = match first.rsplit_once(':') {
            Some((name, class)) if !Path::new(first).is_dir() => (name, Some(class)),
            _ => (first, None),
        };
        let classes = class.into_iter().chain(rest.iter().copied()).map(str::to_owned);
        if name == microbench::NAME {
            return self.microbench(folder, without_repeats(classes));
        }
        if Path::new(name).is_dir() || name.contains('/') {
            let path = PathBuf::from(name);
            return folder_source(workload_folder::read(&path)?, name, without_repeats(classes));
        }
        let parse = |word: &str| -> Result<Workload> {
            if word == microbench::NAME || Path::new(word).is_dir() {
                bail!("{word} is counted by itself; leave out the other workloads");
            }
            Ok(word.parse()?)
        };
        let workloads = words.iter().map(|word| parse(word)).collect::<Result<Vec<_>>>()?;
        Ok(Source::BuiltIn(without_repeats(workloads.into_iter())))
    }

    fn microbench(&self, folder: &Path, classes: Vec<String>) -> Result<Source> {
        let options = microbench::Options { text: self.text, rows: self.table_size, seed: self.seed };
        microbench::write(folder, options)?;
        folder_source(workload_folder::read(folder)?, microbench::NAME, classes)
    }
}

/// Returns the named classes of a workload folder, or all of them if none is named.
fn folder_source(folder: workload_folder::Workload, named: &str, classes: Vec<String>) -> Result<Source> {
    let names = || folder.statements.iter().map(|statement| statement.name.as_str());
    if let Some(unknown) = classes.iter().find(|class| names().all(|name| name != class.as_str())) {
        bail!("{named} has no statement {unknown}; {}", measure::suggest_names(unknown, names()));
    }
    let protocol = match folder.manifest.protocol {
        Protocol::Text => load::Protocol::Text,
        Protocol::Prepared => load::Protocol::Prepared,
    };
    let digest = folder.digest().map_err(|error| anyhow!("cannot read the workload {named}: {error}"))?;
    let options = FolderOptions {
        folder: named.to_owned(),
        digest,
        classes,
        samples: usize::MAX,
        single_classes: 0,
        convert_all: false,
        protocol,
    };
    let folder = MeasuredFolder::new(&Arc::new(folder), &options, Vec::new());
    Ok(Source::Folder { folder: Box::new(folder), protocol })
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
        count: CountArgs,
    }

    fn try_request(words: &[&str]) -> Result<Request> {
        let folder = tempfile::tempdir().unwrap();
        Command::try_parse_from([&["weigh"], words].concat()).unwrap().count.request(folder.path())
    }

    fn request(words: &[&str]) -> Request {
        try_request(words).unwrap()
    }

    fn workloads(request: &Request) -> Vec<String> {
        request.source.names()
    }

    #[test]
    fn help_states_the_defaults_in_use() {
        let (given, default) = (request(&[]), Request::default());
        assert_eq!(workloads(&given), workloads(&default));
        assert_eq!((given.baseline, given.rows, given.events), (default.baseline, default.rows, default.events));
        let help = Command::command().term_width(0).render_help().to_string();
        for expected in [workloads(&Request::default()).join(", "), DEFAULT_COLLATIONS.join(", ")] {
            assert!(help.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn statements_of_microbench_are_counted_one_by_one() {
        assert!(workloads(&request(&["-w", "microbench"])).len() > 40);
        let named = request(&["-w", "microbench:order_by,group_by", "--text", "cjk"]);
        assert_eq!(workloads(&named), ["group_by", "order_by"]);
        let error = |words: &[&str]| try_request(words).unwrap_err().to_string();
        assert!(error(&["-w", "microbench:order_bi"]).contains("order_by"));
        assert!(error(&["-w", "group_by,microbench"]).contains("by itself"));
    }

    #[test]
    fn baseline_is_among_the_collations() {
        let named = request(&["-c", "utf8mb4_bin,latin1_swedish_ci"]);
        assert_eq!(named.baseline, "utf8mb4_bin");
        let named = request(&["-c", "utf8mb4_bin", "--baseline", "latin1_bin"]);
        assert_eq!(named.collations.unwrap(), ["latin1_bin", "utf8mb4_bin"]);
    }

    #[test]
    fn functions_are_those_of_one_workload() {
        let named = request(&["--functions", "group_by"]);
        assert_eq!((workloads(&named), named.functions), (vec!["group_by".to_owned()], MAX_FUNCTIONS));
        assert!(Command::try_parse_from(["weigh", "--functions=group_by", "-w", "order_ranges"]).is_err());
    }
}
