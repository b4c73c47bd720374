//! `weigh compare` of counts: files that `weigh count --format json` wrote, or folders of `--out`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use count::{Comparison, FORMAT, Results};
use report::count::changes as printed;

use super::{CompareArgs, CompareFormat};
use crate::output;

/// Size of the largest file of counts that is read.
const MAX_BYTES: u64 = 64 << 20;

/// File by which a folder of `weigh bench` is known.
const RUN_FILE: &str = "run.json";

/// Returns `true` if a path names counts: a file, or a folder that has JSON files and no run.
pub fn are_counts(path: &Path) -> bool {
    path.is_file() || (path.is_dir() && !path.join(RUN_FILE).exists() && !json_files(path).is_empty())
}

pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    if let Some(other) = args.runs.iter().find(|path| !are_counts(path)) {
        bail!("{} has no counts; compare counts with counts, and runs with runs", other.display());
    }
    let counts = args.runs.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = args.runs.iter().map(|path| path.display().to_string()).collect();
    let compare = |(later, name): (&Results, &String)| {
        Ok(count::compare((&names[0], &counts[0]), (name, later), args.fail_over)?)
    };
    let comparisons = counts[1..].iter().zip(&names[1..]).map(compare).collect::<Result<Vec<Comparison>>>()?;
    output::print(&render(&comparisons, args.format)?)?;
    let fails = comparisons.iter().any(|comparison| comparison.changes.iter().any(|change| change.fails));
    Ok(ExitCode::from(u8::from(fails)))
}

/// Reads a file of counts, or all of a folder as one.
fn read(path: &Path) -> Result<Results> {
    let files = if path.is_dir() { json_files(path) } else { vec![path.to_owned()] };
    let mut all: Option<Results> = None;
    for file in files {
        let results = read_file(&file)?;
        match &mut all {
            Some(all) if all.options.rows != results.options.rows || all.options.events != results.options.events => {
                bail!("{}: the files have counts with different options", path.display());
            }
            Some(all) => {
                all.merge(results);
                all.check().map_err(|reason| anyhow!("{}: {reason}", path.display()))?;
            }
            None => all = Some(results),
        }
    }
    all.ok_or_else(|| anyhow!("{} has no counts", path.display()))
}

fn read_file(path: &Path) -> Result<Results> {
    let counts = read_history(path)?;
    let number = counts.len();
    let mut counts = counts.into_iter();
    match (counts.next(), number) {
        (Some(results), 1) => Ok(results),
        (None, _) => bail!("{} has no counts", path.display()),
        _ => bail!("{} is a history of {number} counts; compare it alone", path.display()),
    }
}

/// Reads the counts of a file, one after the other.
pub fn read_history(path: &Path) -> Result<Vec<Results>> {
    let name = path.display();
    let text = files::read_small(path, MAX_BYTES).map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    let counts = serde_json::Deserializer::from_slice(&text)
        .into_iter()
        .collect::<Result<Vec<Results>, _>>()
        .map_err(|error| anyhow!("{name} is not what weigh count --format json writes: {error}"))?;
    if counts.iter().any(|results| results.format != FORMAT) {
        bail!("{name} is not what this version of weigh count writes");
    }
    counts.iter().try_for_each(|results| results.check()).map_err(|reason| anyhow!("{name}: {reason}"))?;
    Ok(counts)
}

/// Returns the JSON files of a folder, sorted by name.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
    files.sort();
    files
}

fn render(comparisons: &[Comparison], format: CompareFormat) -> Result<String> {
    let each = |render: &dyn Fn(&Comparison) -> String| comparisons.iter().map(render).collect::<Vec<_>>();
    Ok(match format {
        CompareFormat::Text => each(&|comparison| printed::text(comparison, output::style())).join("\n"),
        CompareFormat::Json => each(&printed::json).concat(),
        CompareFormat::Csv => printed::csv(comparisons),
        CompareFormat::Markdown => each(&printed::markdown).join("\n"),
        CompareFormat::Html => bail!("--format html is for runs; weigh count --site writes pages of counts"),
    })
}
