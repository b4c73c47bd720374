//! `weigh sort`: lines in the order of a collation.

mod external;
mod order;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use clap::Args;

use crate::bar::Spinner;
use crate::offline::{self, FlavourArg};
use crate::output;
use order::Order;

const EXAMPLES: &str = "\
Examples:
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql names.txt
      Lines as MySQL's ORDER BY gives them.
  weigh sort -c utf8mb4_general_ci -u < names.txt
      What a unique key would keep: the first of all lines that are equal under the collation.
  mariadb -BNe 'SELECT name FROM t ORDER BY name' | weigh sort -c utf8mb4_uca1400_ai_ci --check
      Whether lines are in a collation's order already.

Exit status: 0 sorted, 1 --check found a line out of order, 2 could not sort.";

/// Sort lines as a server's ORDER BY does, without a server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct SortArgs {
    /// Collation; lines are text in its character set
    #[arg(short = 'c', long = "collation", value_name = "NAME")]
    collation: String,

    /// Whose collation, where MySQL and MariaDB differ under one name: mysql or mariadb
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// The other way round
    #[arg(short = 'r', long)]
    reverse: bool,

    /// Of lines that are equal under the collation, only the first
    #[arg(short = 'u', long)]
    unique: bool,

    /// Leave lines that are equal under the collation in the order of the input; else the order of their bytes decides
    #[arg(short = 's', long)]
    stable: bool,

    /// Lines end with a zero byte
    #[arg(short = 'z', long)]
    zero_terminated: bool,

    /// Write to this file, which may be one of the input
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Memory for the lines and their keys, in MiB; what is more goes to temporary files [default: all is held in memory]
    #[arg(short = 'S', long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,

    /// Folder of the temporary files of --memory [default: $TMPDIR, or /tmp]
    #[arg(short = 'T', long, value_name = "FOLDER", requires = "memory")]
    temp_dir: Option<PathBuf>,

    /// Don't sort: tell the first line that is out of order, where there is one
    #[arg(long, conflicts_with = "output")]
    check: bool,

    /// Files, all of which are sorted into one; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Runs `weigh sort`.
pub fn run(args: &SortArgs) -> Result<ExitCode> {
    let end = if args.zero_terminated { 0 } else { b'\n' };
    let order = Order {
        collation: offline::collation(&args.collation, args.flavour)?,
        reverse: args.reverse,
        unique: args.unique,
        stable: args.stable,
    };
    if args.check {
        return check(&order, &args.files, end);
    }
    if let Some(memory) = args.memory {
        let folder = args.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        let sorted = external::sorted(&order, &args.files, end, (memory as usize) << 20, folder)?;
        match &args.output {
            Some(path) => external::write_file(path, &order, sorted, end)?,
            None => offline::write_out(|out| external::write(out, &order, sorted, end))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let input = read_all(&args.files, end)?;
    let mut lines = lines(&input, end);
    let spinner = Spinner::new("sorting");
    order.arrange(&mut lines);
    drop(spinner);
    match &args.output {
        Some(path) => write_file(path, &lines, end)?,
        None => offline::write_out(|out| Ok(write_lines(out, &lines, end)?))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// All of the inputs, each ending with a line's end.
fn read_all(files: &[PathBuf], end: u8) -> Result<Vec<u8>> {
    let mut input = Vec::new();
    for path in offline::inputs(files) {
        offline::open(&path)?.read_to_end(&mut input).map_err(|error| offline::unreadable(&path, &error))?;
        if input.last().is_some_and(|&last| last != end) {
            input.push(end);
        }
    }
    Ok(input)
}

/// The lines of an input whose last byte, where it has any, is an end.
fn lines(input: &[u8], end: u8) -> Vec<&[u8]> {
    let mut begin = 0;
    let line = |at| {
        let line = &input[begin..at];
        begin = at + 1;
        line
    };
    memchr::memchr_iter(end, input).map(line).collect()
}

fn write_lines(out: &mut dyn Write, lines: &[&[u8]], end: u8) -> io::Result<()> {
    for line in lines {
        out.write_all(line)?;
        out.write_all(&[end])?;
    }
    Ok(())
}

fn write_file(path: &Path, lines: &[&[u8]], end: u8) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
        write_lines(&mut out, lines, end)?;
        out.flush()
    };
    write().map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
}

fn check(order: &Order, files: &[PathBuf], end: u8) -> Result<ExitCode> {
    let inputs = offline::inputs(files);
    let [path] = inputs.as_slice() else { bail!("--check takes one file at a time") };
    let input = read_all(&inputs, end)?;
    let lines = lines(&input, end);
    let Some(at) = order.first_out_of_order(&lines) else { return Ok(ExitCode::SUCCESS) };
    let line = String::from_utf8_lossy(lines[at]);
    output::tell(&format!("weigh: {}:{}: out of order: {line}", path.display(), at + 1));
    Ok(ExitCode::from(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_their_end() {
        assert_eq!(lines(b"", b'\n'), [b""; 0]);
        assert_eq!(lines(b"\n", b'\n'), [b""]);
        assert_eq!(lines(b"b\n\na\n", b'\n'), [b"b".as_slice(), b"", b"a"]);
        assert_eq!(lines(b"b\na\0", 0), [b"b\na"]);
    }
}
