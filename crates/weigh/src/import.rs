//! `weigh import`.

use std::fs::File;
use std::io::{IsTerminal, Read, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use flate2::read::MultiGzDecoder;
use import::{Entry, Pattern, Templates, Values, assemble, parse};
use report::Report;
use workload::Text;

use crate::bench;
use crate::output::{self, Format};
use crate::results;

const EXAMPLES: &str = "\
Examples:
  weigh import sysbench latin1.log --collation latin1_swedish_ci --server 'MySQL 5.7.25' --workload oltp_read_only
      One log, or one file of many; each run in it is taken.
  weigh import sysbench logs/*/*.log --pattern '{server}/{collation}.{threads}.log' --workload oltp_read_only
      What the logs don't tell is read off their paths.
  weigh import sysbench $(find . -name '*.res.gz') --pattern '{collation}/res{run}/sysbench.ro.{range}.{threads}.res' \\
      --workload 'distinct_ranges:{range}' --server 'build {run}'
      What the pattern finds may stand in the other options.

Exit status: 0 all taken, 1 something was left out, 2 nothing could be taken.";

/// Turn the logs of another program into a run, for `weigh report` and `weigh compare`
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    Sysbench(SysbenchArgs),
}

/// Logs of sysbench 0.5 and 1.0, as it prints them; .gz too
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
struct SysbenchArgs {
    /// The logs, each of one run or several
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// What the end of each path tells, such as {server}/{collation}.{threads}.log; what it finds may stand in the options below
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

    /// Server, by any name [default: the pattern's {server}]
    #[arg(long, value_name = "NAME", help_heading = "What was measured")]
    server: Option<String>,

    /// Workload, as `weigh bench --list-workloads` names it [default: the pattern's {workload}]
    #[arg(long, short = 'w', value_name = "NAME", help_heading = "What was measured")]
    workload: Option<String>,

    /// Text of the rows
    #[arg(long, value_name = "KIND", default_value = "digits", help_heading = "What was measured")]
    text: Text,

    /// Collation that ratios are taken against [default: latin1_swedish_ci, else each server's first]
    #[arg(long, value_name = "COLLATION", help_heading = "Output")]
    baseline: Option<String>,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// How results are printed: text, json (schemas/report.schema.json), csv or markdown
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
}

/// Runs `weigh import`.
pub fn run(args: &ImportArgs) -> Result<ExitCode> {
    let From::Sysbench(args) = &args.from;
    let (entries, files, faults) = read_all(args);
    for fault in &faults {
        output::tell(&format!("weigh: {fault}"));
    }
    if entries.is_empty() {
        bail!("none of the logs could be taken");
    }
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (mut run, blocks) = assemble(&entries, files, args.baseline.as_deref(), env!("CARGO_PKG_VERSION"), &now);
    run.command = Some(crate::argv::shown());
    run.notes.extend(faults);
    let mut folder = results::folder(args.out.as_deref())?;
    folder.write_run(&run)?;
    blocks.iter().try_for_each(|block| folder.append(block))?;

    let left_out = !run.notes.is_empty();
    let analysis = measure::analyse(&run, &blocks);
    let report = Report::new(run, analysis);
    let printed = output::print(&bench::render(&report, args.format));
    bench::tell_results(folder.path(), &report, "");
    printed?;
    Ok(if left_out { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// All runs of all files, the files that gave any, and what is wrong with the rest, a sentence each.
fn read_all(args: &SysbenchArgs) -> (Vec<Entry>, Vec<String>, Vec<String>) {
    let templates = Templates {
        collation: args.collation.clone(),
        charset: args.charset.clone(),
        connection_charset: args.connection_charset.clone(),
        server: args.server.clone(),
        workload: args.workload.clone(),
        text: args.text,
    };
    let (mut entries, mut files, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let bar = progress(args.files.len());
    for path in &args.files {
        let before = entries.len();
        if let Err(error) = read_one(path, args.pattern.as_ref(), &templates, &mut entries, &mut faults) {
            faults.push(format!("{}: {error:#}", path.display()));
        }
        if entries.len() > before {
            files.push(path.display().to_string());
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    (entries, files, faults)
}

fn read_one(
    path: &Path,
    pattern: Option<&Pattern>,
    templates: &Templates,
    entries: &mut Vec<Entry>,
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
            None => entries.push(Entry { labels: labels.clone(), log }),
        }
    }
    Ok(())
}

/// The text of a file, unpacked where it is gzip's; what is no UTF-8 in it is in no figure.
fn read_text(path: &Path) -> Result<String> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).context("cannot read it")?;
    if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).context("cannot unpack it")?;
        bytes = unpacked;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A bar over the files; none where standard error is no terminal.
fn progress(files: usize) -> indicatif::ProgressBar {
    if stderr().is_terminal() { indicatif::ProgressBar::new(files as u64) } else { indicatif::ProgressBar::hidden() }
}
