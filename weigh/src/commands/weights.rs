//! `weigh weights`: prints lines as sort keys in hexadecimal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use mysql_collation::{Collation, Flavour};

use crate::input;
use crate::options::collation::{FlavourArg, find_collation};
use crate::output::{self, WriteError};

const EXAMPLES: &str = "\
Examples:
  printf 'Straße\\nstrasse\\n' | weigh weights -c utf8mb4_0900_ai_ci --flavour mysql
      Both lines have one key: they are equal under the collation.
  printf 'Straße\\n' | weigh weights -c utf8mb4_0900_ai_ci --flavour mysql --weight-string
      The result of HEX(WEIGHT_STRING('Straße')) on the server.

Exit status: 0 printed, 2 could not.";

/// Print the sort key of each line, in hexadecimal
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct WeightsArgs {
    /// Collation; lines are text in its charset
    #[arg(short = 'c', long = "collation", value_name = "NAME")]
    collation: String,

    /// Flavour of the collation, if MySQL and MariaDB differ under one name: mysql or mariadb
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// Print the server's WEIGHT_STRING() instead, in which trailing spaces count; NULL if MySQL
    /// rejects the line as ill-formed
    #[arg(long)]
    weight_string: bool,

    /// Lines end with a zero byte
    #[arg(short = 'z', long)]
    zero_terminated: bool,

    /// Files; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(args: &WeightsArgs) -> Result<ExitCode> {
    let collation = find_collation(&args.collation, args.flavour)?;
    refuse_strings(&args.files)?;
    let end = if args.zero_terminated { 0 } else { b'\n' };
    let weigh = if args.weight_string { weight_string } else { sort_key };
    output::write_stdout(|out| {
        for path in input::paths_or_stdin(&args.files) {
            let mut input = input::open(&path).map_err(WriteError::Other)?;
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = input::read_line(&mut *input, end, &mut line);
                if read.map_err(|error| WriteError::Other(input::read_error(&path, &error)))? == 0 {
                    break;
                }
                weigh(collation, line.strip_suffix(&[end]).unwrap_or(&line), out)?;
                out.write_all(&[end])?;
            }
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses arguments that name no file: they are likely meant as strings.
fn refuse_strings(files: &[PathBuf]) -> Result<()> {
    let is_missing = |path: &&PathBuf| path.as_path() != Path::new("-") && !path.exists();
    match files.iter().find(is_missing) {
        None => Ok(()),
        Some(path) => bail!(
            "there is no file {}; arguments are files, and strings come line by line from standard input: printf \
             '%s\\n' 'ß' 'ss' | weigh weights -c …",
            path.display()
        ),
    }
}

fn sort_key(collation: Collation, line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write_hex(&collation.sort_key(line), out)
}

/// MySQL returns NULL for ill-formed text; MariaDB weighs its bytes.
fn weight_string(collation: Collation, line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    if collation.info().flavour == Flavour::MySql && collation.charset().validate(line).is_err() {
        return out.write_all(b"NULL");
    }
    write_hex(&collation.weight_string(line), out)
}

fn write_hex(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in bytes {
        out.write_all(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])?;
    }
    Ok(())
}
