//! How results and progress reach the user.

use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};

use anyhow::{Result, bail};
use clap::ValueEnum;

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables and sentences for a terminal
    Text,
    /// One JSON document (schemas/report.schema.json)
    Json,
    /// One line a comparison
    Csv,
    /// Tables for a page or a ticket
    Markdown,
}

/// Whether standard output wants colours: a terminal, and NO_COLOR (<https://no-color.org>) unset or empty.
pub fn color() -> bool {
    stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints to standard output. A reader that has gone (`weigh … | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => bail!("cannot write to standard output: {error}"),
        _ => Ok(()),
    }
}

/// Tells the user something that is not the result, on standard error. Where nobody listens there, the work goes on.
pub fn tell(line: &str) {
    let _ = writeln!(stderr().lock(), "{line}");
}
