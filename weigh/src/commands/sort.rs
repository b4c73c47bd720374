//! `weigh sort`: sorts lines by a collation.

mod check;
mod external;
mod ill_formed;
mod limits;
mod merge;
mod order;

use std::cell::RefCell;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use extsort::{Merge, MergeInput};
use files::Access;
use progress::Spinner;

use crate::input;
use crate::options::collation::{FlavourArg, find_collation};
use crate::output::{self, WriteError};
use external::SortedInput;
use ill_formed::IllFormedLines;
use limits::{Size, SortLimits};
use order::Order;

const EXAMPLES: &str = "\
Examples:
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql names.txt
      Lines in the order of MySQL's ORDER BY.
  weigh sort -c utf8mb4_general_ci -u < names.txt
      As a unique key would: keeps the first of lines that are equal under the collation.
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql -S 2G -T /big --parallel 4 -o sorted dump.txt
      Sorts 2 GB at a time, with temporary files.
  weigh sort -c utf8mb4_0900_ai_ci --flavour mysql --merge monday.txt tuesday.txt
      Merges files that are sorted already.
  mariadb -BNe 'SELECT name FROM t ORDER BY name' | weigh sort -c utf8mb4_uca1400_ai_ci --check
      Checks whether lines are sorted.

Exit status: 0 sorted, 1 --check found a line out of order, 2 could not sort.";

/// Sort lines as ORDER BY does, without a server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct SortArgs {
    /// Collation; lines are text in its charset
    #[arg(short = 'c', long = "collation", value_name = "NAME")]
    collation: String,

    /// Flavour of the collation, if MySQL and MariaDB differ under one name: mysql or mariadb
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// Sort in descending order
    #[arg(short = 'r', long)]
    reverse: bool,

    /// Print only the first of lines that are equal under the collation
    #[arg(short = 'u', long)]
    unique: bool,

    /// Keep lines that are equal under the collation in input order; without it their bytes decide
    #[arg(short = 's', long)]
    stable: bool,

    /// Lines end with a zero byte
    #[arg(short = 'z', long)]
    zero_terminated: bool,

    /// Write to this file, which may be an input file
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Memory for sorting, as 500M, 2G or 50% of the machine's, in KiB without a letter; larger
    /// inputs use temporary files [default: all lines are held in memory]
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

    /// Runs of --buffer-size to sort at a time [default: the number of processors, 8 at most]
    #[arg(long, value_name = "N", requires = "buffer_size", value_parser = clap::value_parser!(u16).range(1..))]
    parallel: Option<u16>,

    /// Merge sorted files; sorts nothing
    #[arg(short = 'm', long, conflicts_with_all = ["check", "quiet_check", "buffer_size"])]
    merge: bool,

    /// Don't sort: print the first line that is out of order; with quiet only the exit status says
    /// it
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "diagnose-first", conflicts_with = "output")]
    check: Option<Check>,

    /// --check=quiet
    #[arg(short = 'C', id = "quiet_check", conflicts_with_all = ["output", "check"])]
    quiet_check: bool,

    /// Files, sorted into one output; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Output of `--check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Check {
    DiagnoseFirst,
    #[value(alias = "silent")]
    Quiet,
}

pub fn run(args: &SortArgs) -> Result<ExitCode> {
    let end = if args.zero_terminated { 0 } else { b'\n' };
    let order = Order {
        collation: find_collation(&args.collation, args.flavour)?,
        reverse: args.reverse,
        unique: args.unique,
        stable: args.stable,
    };
    let mut ill_formed = IllFormedLines::new(order.collation.charset());
    if let Some(how) = args.check.or(args.quiet_check.then_some(Check::Quiet)) {
        return check_order(&order, &args.files, end, how, &mut ill_formed);
    }
    if args.merge {
        if let Some(output) = &args.output {
            merge::refuse_output_as_input(output, &args.files)?;
        }
        let ill_formed = RefCell::new(ill_formed);
        let merge = merge::merge_files(&order, &args.files, end, &ill_formed)?;
        write_output(args, |out| write_merged(out, &order, merge, end, |error| error))?;
        print_ill_formed(&ill_formed.borrow());
        return Ok(ExitCode::SUCCESS);
    }
    let limits = SortLimits {
        memory: args.buffer_size.map_or(usize::MAX, |size| size.0),
        folder: args.temporary_directory.clone().unwrap_or_else(std::env::temp_dir),
        threads: args.parallel.map_or_else(limits::default_threads, usize::from),
    };
    // Reads all input before writing, so the output can be an input file.
    let spinner = Spinner::new("sorting");
    match external::read_lines(&order, &args.files, end, &limits, &mut ill_formed)? {
        SortedInput::InMemory(input) => {
            let mut lines = split_lines(&input, end);
            order.sort(&mut lines);
            drop(spinner);
            write_output(args, |out| write_lines(out, &lines, end))?;
        }
        SortedInput::Spilled(merge) => {
            drop(spinner);
            write_output(args, |out| write_merged(out, &order, merge, end, external::explain_error))?;
        }
    }
    print_ill_formed(&ill_formed);
    Ok(ExitCode::SUCCESS)
}

fn print_ill_formed(lines: &IllFormedLines) {
    if let Some(sentence) = lines.describe() {
        output::print_note(&sentence);
    }
}

/// Splits an input into lines without their ends. A non-empty input must end with `end`.
fn split_lines(input: &[u8], end: u8) -> Vec<&[u8]> {
    let mut begin = 0;
    let line = |at| {
        let line = &input[begin..at];
        begin = at + 1;
        line
    };
    memchr::memchr_iter(end, input).map(line).collect()
}

fn write_output(args: &SortArgs, lines: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    match &args.output {
        Some(path) => write_file(path, lines),
        None => output::write_stdout(lines),
    }
}

fn write_file(path: &Path, lines: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    let written = files::write_named(path, Access::Umask, |file| -> Result<(), WriteError> {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        lines(&mut out)?;
        Ok(out.flush()?)
    });
    written.map_err(|error| match error {
        WriteError::Out(error) => anyhow!("cannot write {}: {error}", path.display()),
        WriteError::Other(error) => error,
    })
}

fn write_lines(out: &mut dyn Write, lines: &[&[u8]], end: u8) -> Result<(), WriteError> {
    for line in lines {
        out.write_all(line)?;
        out.write_all(&[end])?;
    }
    Ok(())
}

/// Writes merged lines. With `--unique`, writes only the first of equal lines.
fn write_merged<I: MergeInput>(
    out: &mut dyn Write,
    order: &Order,
    mut merge: Merge<I>,
    end: u8,
    explain_error: impl Fn(I::Error) -> Error,
) -> Result<(), WriteError> {
    let mut last: Option<Vec<u8>> = None;
    while let Some(record) = merge.next().map_err(|error| WriteError::Other(explain_error(error)))? {
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

fn check_order(
    order: &Order,
    files: &[PathBuf],
    end: u8,
    how: Check,
    ill_formed: &mut IllFormedLines,
) -> Result<ExitCode> {
    let inputs = input::paths_or_stdin(files);
    let [path] = inputs.as_slice() else { bail!("--check takes one file at a time") };
    let wrong = check::find_out_of_order(order, path, end, ill_formed)?;
    if how == Check::DiagnoseFirst {
        print_ill_formed(ill_formed);
    }
    let Some(wrong) = wrong else { return Ok(ExitCode::SUCCESS) };
    if how == Check::DiagnoseFirst {
        let line = String::from_utf8_lossy(&wrong.line);
        output::print_message(&format!("weigh: {}:{}: out of order: {line}", path.display(), wrong.number));
    }
    Ok(ExitCode::from(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_their_end() {
        assert_eq!(split_lines(b"", b'\n'), [b""; 0]);
        assert_eq!(split_lines(b"\n", b'\n'), [b""]);
        assert_eq!(split_lines(b"b\n\na\n", b'\n'), [b"b".as_slice(), b"", b"a"]);
        assert_eq!(split_lines(b"b\na\0", 0), [b"b\na"]);
    }
}
