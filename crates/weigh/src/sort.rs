//! `weigh sort`: lines in the order of a collation.

mod checking;
mod external;
mod merging;
mod order;
mod room;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use extsort::{Input, Merge};

use crate::bar::Spinner;
use crate::offline::{self, FlavourArg, WriteError};
use crate::output;
use external::Gathered;
use order::Order;
use room::{Room, Size};

const EXAMPLES: &str = "\
Examples:
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql names.txt
      Lines as MySQL's ORDER BY gives them.
  weigh sort -c utf8mb4_general_ci -u < names.txt
      What a unique key would keep: the first of all lines that are equal under the collation.
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql -S 2G -T /big --parallel 4 -o sorted dump.txt
      More lines than memory holds.
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql --merge monday.txt tuesday.txt
      Files that are in order already, as one.
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

    /// Memory for lines while they are sorted, as 500M, 2G or 50% of the machine's, in KiB without a letter; what is more goes to temporary files [default: all lines are held in memory]
    #[arg(short = 'S', long = "buffer-size", alias = "memory", value_name = "SIZE")]
    buffer_size: Option<Size>,

    /// Folder of the temporary files of --buffer-size [default: $TMPDIR, or /tmp]
    #[arg(
        short = 'T',
        long = "temporary-directory",
        alias = "temp-dir",
        value_name = "FOLDER",
        requires = "buffer_size"
    )]
    temporary_directory: Option<PathBuf>,

    /// Sort so many runs of --buffer-size at the same time [default: as many as there are processors, 8 at most]
    #[arg(long, value_name = "N", requires = "buffer_size", value_parser = clap::value_parser!(u16).range(1..))]
    parallel: Option<u16>,

    /// Merge files that are in order already; nothing is sorted
    #[arg(short = 'm', long, conflicts_with_all = ["check", "quiet_check", "buffer_size"])]
    merge: bool,

    /// Don't sort: tell the first line that is out of order, where there is one; with quiet only the exit status tells
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "diagnose-first", conflicts_with = "output")]
    check: Option<Check>,

    /// --check=quiet
    #[arg(short = 'C', id = "quiet_check", conflicts_with_all = ["output", "check"])]
    quiet_check: bool,

    /// Files, all of which are sorted into one; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What `--check` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Check {
    DiagnoseFirst,
    #[value(alias = "silent")]
    Quiet,
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
    if let Some(how) = args.check.or(args.quiet_check.then_some(Check::Quiet)) {
        return check(&order, &args.files, end, how);
    }
    if args.merge {
        if let Some(output) = &args.output {
            merging::refuse_input(output, &args.files)?;
        }
        let merge = merging::merge(&order, &args.files, end)?;
        write(args, |out| write_merged(out, &order, merge, end, |error| error))?;
        return Ok(ExitCode::SUCCESS);
    }
    let room = Room {
        memory: args.buffer_size.map_or(usize::MAX, |size| size.0),
        folder: args.temporary_directory.clone().unwrap_or_else(std::env::temp_dir),
        threads: args.parallel.map_or_else(room::threads, usize::from),
    };
    // All is read before anything is written, so the output may be one of the files.
    let spinner = Spinner::new("sorting");
    match external::gather(&order, &args.files, end, &room)? {
        Gathered::Held(input) => {
            let mut lines = lines(&input, end);
            order.arrange(&mut lines);
            drop(spinner);
            write(args, |out| write_lines(out, &lines, end))?;
        }
        Gathered::Spilled(merge) => {
            drop(spinner);
            write(args, |out| write_merged(out, &order, merge, end, external::explained))?;
        }
    }
    Ok(ExitCode::SUCCESS)
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

/// Writes to where the lines go.
fn write(args: &SortArgs, lines: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    match &args.output {
        Some(path) => write_file(path, lines),
        None => offline::write_out(lines),
    }
}

fn write_file(path: &Path, lines: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    let failed = |error: std::io::Error| anyhow!("cannot write {}: {error}", path.display());
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path).map_err(failed)?);
    match lines(&mut out) {
        Ok(()) => out.flush().map_err(failed),
        Err(WriteError::Out(error)) => Err(failed(error)),
        Err(WriteError::Other(error)) => Err(error),
    }
}

fn write_lines(out: &mut dyn Write, lines: &[&[u8]], end: u8) -> Result<(), WriteError> {
    for line in lines {
        out.write_all(line)?;
        out.write_all(&[end])?;
    }
    Ok(())
}

/// Writes merged lines; of equal ones only the first where that is asked for.
fn write_merged<I: Input>(
    out: &mut dyn Write,
    order: &Order,
    mut merge: Merge<I>,
    end: u8,
    told: impl Fn(I::Error) -> Error,
) -> Result<(), WriteError> {
    let mut last: Option<Vec<u8>> = None;
    while let Some(record) = merge.next().map_err(|error| WriteError::Other(told(error)))? {
        if order.unique {
            if last.as_deref() == Some(record.key) {
                continue;
            }
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(record.key);
        }
        out.write_all(record.value)?;
        out.write_all(&[end])?;
    }
    Ok(())
}

fn check(order: &Order, files: &[PathBuf], end: u8, how: Check) -> Result<ExitCode> {
    let inputs = offline::inputs(files);
    let [path] = inputs.as_slice() else { bail!("--check takes one file at a time") };
    let Some(found) = checking::first_out_of_order(order, path, end)? else { return Ok(ExitCode::SUCCESS) };
    if how == Check::DiagnoseFirst {
        let line = String::from_utf8_lossy(&found.line);
        output::tell(&format!("weigh: {}:{}: out of order: {line}", path.display(), found.number));
    }
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
