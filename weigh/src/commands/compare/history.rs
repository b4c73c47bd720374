//! `weigh compare` of a history: one file that counts were appended to.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use report::count::history as printed;

use super::counts::read_history;
use super::{CompareArgs, CompareFormat};
use crate::output;

pub fn run(path: &Path, args: &CompareArgs) -> Result<ExitCode> {
    let name = path.display().to_string();
    if path.is_dir() {
        bail!("{name} is a folder; give a second one to compare it with, or a file that counts were appended to");
    }
    let counts = read_history(path)?;
    if counts.len() < 2 {
        bail!(
            "{name} has {} counts; a change needs two: append with weigh count --format json >> {}",
            counts.len(),
            crate::argv::quote_for_shell(&name)
        );
    }
    let history = count::history(&name, &counts, args.fail_over)?;
    let printed = match args.format {
        CompareFormat::Text => printed::text(&history, output::style()),
        CompareFormat::Json => printed::json(&history),
        CompareFormat::Csv => printed::csv(&history),
        CompareFormat::Markdown => printed::markdown(&history),
        CompareFormat::Html => bail!("--format html is for runs; weigh count --site writes pages of counts"),
    };
    output::print(&printed)?;
    Ok(ExitCode::from(u8::from(history.steps.iter().any(|step| step.fails))))
}
