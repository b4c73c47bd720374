//! `weigh weights`: lines as keys in hexadecimal.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use mysql_collation::{Collation, Flavour};

use crate::offline::{self, FlavourArg, WriteError};

const EXAMPLES: &str = "\
Examples:
  printf 'Straße\\nstrasse\\n' | weigh weights -c utf8mb4_0900_ai_ci --flavour mysql
      One key for both: they are equal under the collation.
  printf 'Straße\\n' | weigh weights -c utf8mb4_0900_ai_ci --flavour mysql --weight-string
      What HEX(WEIGHT_STRING('Straße')) gives on the server.

Exit status: 0 printed, 2 could not.";

/// Print a key for each line, in hexadecimal: keys compare as lines do under the collation
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct WeightsArgs {
    /// Collation; lines are text in its character set
    #[arg(short = 'c', long = "collation", value_name = "NAME")]
    collation: String,

    /// Whose collation, where MySQL and MariaDB differ under one name: mysql or mariadb
    #[arg(long, value_enum, value_name = "FLAVOUR", hide_possible_values = true)]
    flavour: Option<FlavourArg>,

    /// The server's WEIGHT_STRING() instead, in which trailing spaces count; NULL where MySQL takes a line for ill-formed
    #[arg(long)]
    weight_string: bool,

    /// Lines end with a zero byte
    #[arg(short = 'z', long)]
    zero_terminated: bool,

    /// Files; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Runs `weigh weights`.
pub fn run(args: &WeightsArgs) -> Result<ExitCode> {
    let collation = offline::collation(&args.collation, args.flavour)?;
    let end = if args.zero_terminated { 0 } else { b'\n' };
    let weigh = if args.weight_string { weight_string } else { sort_key };
    offline::write_out(|out| {
        for path in offline::inputs(&args.files) {
            let mut input = offline::open(&path).map_err(WriteError::Other)?;
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = input.read_until(end, &mut line);
                if read.map_err(|error| WriteError::Other(offline::unreadable(&path, &error)))? == 0 {
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

fn sort_key(collation: Collation, line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    hex(&collation.sort_key(line), out)
}

/// MySQL refuses to weigh what is ill-formed; MariaDB weighs every byte of it.
fn weight_string(collation: Collation, line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    if collation.info().flavour == Flavour::MySql && collation.charset().validate(line).is_err() {
        return out.write_all(b"NULL");
    }
    hex(&collation.weight_string(line), out)
}

fn hex(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in bytes {
        out.write_all(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])?;
    }
    Ok(())
}
