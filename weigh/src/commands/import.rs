//! `weigh import`: imports logs of sysbench as a run.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use files::Access;
use flate2::read::MultiGzDecoder;
use import::{LabelledLog, Pattern, Templates, Values, assemble, parse};
use progress::display;
use report::Report;
use workload::Text;

use crate::commands::bench;
use crate::output::{self, Format};
use crate::results;

/// Longest log, as a multiple of the longest item: 256 MiB by default.
const MAX_LOG_ITEMS: usize = 4;

const EXAMPLES: &str = "\
Examples:
  weigh import sysbench latin1.log --collation latin1_swedish_ci --server 'MySQL 5.7.25' --workload oltp_read_only
      One log; every run in it is imported.
  weigh import sysbench logs/*/*.log --pattern '{server}/{collation}.{threads}.log' --workload oltp_read_only
      Reads what the logs don't state from their paths.
  weigh import sysbench $(find . -name '*.res.gz') --pattern '{collation}/res{run}/sysbench.ro.{range}.{threads}.res' \\
      --workload 'distinct_ranges:{range}' --server 'build {run}'
      Values that the pattern finds can be used in the other options.

Exit status: 0 all imported, 1 something was left out, 2 nothing could be imported.";

/// Import logs of sysbench as a run
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    Sysbench(SysbenchArgs),
}

/// Import logs of sysbench 0.5 and 1.0, as it prints them; .gz too
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct SysbenchArgs {
    /// Logs, each of one or several runs
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Pattern of the end of each path, such as {server}/{collation}.{threads}.log; its values can
    /// be used in the options below
    #[arg(long, value_name = "PATTERN", help_heading = "What was measured")]
    pattern: Option<Pattern>,

    /// Collation of the tables [default: the pattern's {collation}]
    #[arg(long, short = 'c', value_name = "NAME", help_heading = "What was measured")]
    collation: Option<String>,

    /// Charset of the tables [default: the pattern's {charset}, else the collation's]
    #[arg(long, value_name = "NAME", help_heading = "What was measured")]
    charset: Option<String>,

    /// Charset of the connections [default: the pattern's {connection_charset}, else the tables']
    #[arg(long, value_name = "NAME", help_heading = "What was measured")]
    connection_charset: Option<String>,

    /// Server, under any name [default: the pattern's {server}]
    #[arg(long, value_name = "NAME", help_heading = "What was measured")]
    server: Option<String>,

    /// Workload, as `weigh bench --list-workloads` names it [default: the pattern's {workload}]
    #[arg(long, short = 'w', value_name = "NAME", help_heading = "What was measured")]
    workload: Option<String>,

    /// Text of the rows
    #[arg(long, value_name = "KIND", default_value = "digits", help_heading = "What was measured")]
    text: Text,

    /// Collation that ratios are taken against [default: latin1_swedish_ci, else each server's
    /// first]
    #[arg(long, value_name = "COLLATION", help_heading = "Output")]
    baseline: Option<String>,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Output format: text, json (schemas/report.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
}

pub fn run(args: &ImportArgs) -> Result<ExitCode> {
    let From::Sysbench(args) = &args.from;
    let (entries, files, faults) = read_all(args);
    for fault in &faults {
        output::print_message(&format!("weigh: {fault}"));
    }
    if entries.is_empty() {
        bail!("no run could be imported from the logs");
    }
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (mut run, blocks) = assemble(&entries, files, args.baseline.as_deref(), env!("CARGO_PKG_VERSION"), &now);
    run.command = Some(crate::argv::command_line());
    run.notes.extend(faults);
    measure::check_size(&run, blocks.len()).map_err(|reason| anyhow!("{reason}: import fewer logs at a time"))?;
    let mut folder = results::create_folder(args.out.as_deref(), Access::Umask)?;
    folder.write_run(&run)?;
    blocks.iter().try_for_each(|block| folder.append(block))?;

    let left_out = !run.notes.is_empty();
    let analysis = measure::analyse(&run, &blocks);
    let report = Report::new(run, analysis);
    let printed = output::print(&bench::render(&report, args.format));
    bench::print_results(&folder.folder(), &report, "");
    printed?;
    Ok(if left_out { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Returns the runs of all files, the files that had any, and one sentence for each fault.
fn read_all(args: &SysbenchArgs) -> (Vec<LabelledLog>, Vec<String>, Vec<String>) {
    let templates = Templates {
        collation: args.collation.clone(),
        charset: args.charset.clone(),
        connection_charset: args.connection_charset.clone(),
        server: args.server.clone(),
        workload: args.workload.clone(),
        text: args.text,
    };
    let (mut entries, mut files, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    display::begin("{spinner} {msg} {wide_bar} {pos} of {len}", args.files.len() as u64, "reading logs");
    for (done, path) in args.files.iter().enumerate() {
        let before = entries.len();
        if let Err(error) = read_file(path, args.pattern.as_ref(), &templates, &mut entries, &mut faults) {
            faults.push(format!("{}: {error:#}", path.display()));
        }
        if entries.len() > before {
            files.push(path.display().to_string());
        }
        display::update(|step| step.position(done as u64 + 1));
    }
    display::end();
    (entries, files, faults)
}

fn read_file(
    path: &Path,
    pattern: Option<&Pattern>,
    templates: &Templates,
    entries: &mut Vec<LabelledLog>,
    faults: &mut Vec<String>,
) -> Result<()> {
    let text = read_text(path)?;
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let values = match pattern {
        None => Values::new(),
        Some(pattern) => pattern.find(name).with_context(|| format!("its path does not end in {pattern}"))?,
    };
    let labels = templates.fill(&values)?;
    let parsed = parse(&text);
    faults
        .extend(parsed.faults.iter().map(|fault| format!("{}, line {}: {}", path.display(), fault.line, fault.reason)));
    for log in parsed.logs {
        match labels.threads.filter(|&threads| threads != log.threads) {
            Some(threads) => faults.push(format!(
                "{}, line {}: expected {threads} threads, as its path has it, found {}",
                path.display(),
                log.line,
                log.threads
            )),
            None => entries.push(LabelledLog { labels: labels.clone(), log }),
        }
    }
    Ok(())
}

/// Reads a file, which may be gzipped. Bytes that are not UTF-8 are replaced; no figure contains
/// any. A pipe is read if it is this process's own, such as `/dev/stdin`.
fn read_text(path: &Path) -> Result<String> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    let limit = MAX_LOG_ITEMS * bounded::max_item_bytes();
    let is_own = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let opened = if is_own { File::open(path) } else { files::open_regular(path) };
    let mut bytes = opened.and_then(|file| bounded::read_up_to(file, limit)).context("cannot read it")?;
    if bytes.starts_with(&GZIP) {
        bytes = bounded::read_up_to(MultiGzDecoder::new(&bytes[..]), limit).context("cannot unpack it")?;
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
