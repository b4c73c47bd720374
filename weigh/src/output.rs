//! Output of results and messages.

use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use anyhow::{Result, bail};
use clap::{ColorChoice, ValueEnum};
use progress::Detail;
use report::Style;
use rustix::termios::tcgetwinsize;

/// Options on the output of every command.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OutputArgs {
    /// Print results and errors only: no progress, no paths of results
    #[arg(long, global = true, help_heading = crate::help::EVERY_COMMAND)]
    quiet: bool,

    /// Print each step with its time
    #[arg(long, global = true, help_heading = crate::help::EVERY_COMMAND)]
    verbose: bool,

    /// Colours and bold type: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", hide_possible_values = true, default_value_t = ColorChoice::Auto, help_heading = crate::help::EVERY_COMMAND)]
    color: ColorChoice,

    /// In CSV, leave fields that a spreadsheet may run as formulas, such as =1+1, as they are, for
    /// programs
    #[arg(long, global = true, help_heading = crate::help::EVERY_COMMAND)]
    csv_raw: bool,
}

static OUTPUT: OnceLock<OutputArgs> = OnceLock::new();

impl OutputArgs {
    /// Makes these the options of this process.
    pub fn apply(&self) {
        progress::set_detail(match (self.quiet, self.verbose) {
            (true, _) => Detail::Nothing,
            (false, true) => Detail::Steps,
            (false, false) => Detail::Bar,
        });
        report::set_raw_csv(self.csv_raw);
        let _ = OUTPUT.set(self.clone());
    }

    fn in_use() -> &'static Self {
        OUTPUT.get_or_init(Self::default)
    }
}

pub fn is_verbose() -> bool {
    OutputArgs::in_use().verbose
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables and sentences for a terminal
    Text,
    /// One JSON document
    Json,
    /// Comma-separated values
    Csv,
    /// Tables for a page or a ticket
    Markdown,
}

/// Returns the style of text on standard output: its colours, and the width of the terminal.
pub fn style() -> Style {
    Style { color: wants_color(), width: terminal_width(stdout()) }
}

/// Returns `true` if `--color` asks for colours, or leaves the choice and standard output is a
/// terminal and NO_COLOR (<https://no-color.org>) is unset or empty.
pub fn wants_color() -> bool {
    match OutputArgs::in_use().color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Returns the columns of the terminal behind a stream. `None` if it is no terminal, or one that
/// states no width.
fn terminal_width(stream: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Prints to standard output. A closed pipe (`weigh … | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => bail!("cannot write to standard output: {error}"),
        _ => Ok(()),
    }
}

/// Prints a list of names and descriptions, in lines of the terminal's width.
pub fn print_list(text: &str) -> Result<()> {
    print(&style().wrapped_list(text))
}

/// Prints a message to standard error, with control characters escaped, without error numbers of
/// the operating system. A terminal gets it in lines of its width. Ignores failures to write.
pub fn print_message(message: &str) {
    let message = without_error_numbers(message);
    let style = Style { color: false, width: terminal_width(stderr()) };
    let _ = writeln!(stderr().lock(), "{}", style.wrapped(&escape::text(&message)));
}

/// Prints a message that `--quiet` suppresses, such as where the results are.
pub fn print_note(message: &str) {
    if !OutputArgs::in_use().quiet {
        print_message(message);
    }
}

/// Removes what Rust adds to an error of the operating system: ` (os error 2)`.
fn without_error_numbers(message: &str) -> String {
    const START: &str = " (os error ";
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(START) {
        out += before;
        let digits = after.trim_start_matches(|character: char| character.is_ascii_digit());
        match digits.strip_prefix(')') {
            Some(end) => rest = end,
            None => {
                out += START;
                rest = after;
            }
        }
    }
    out + rest
}

/// Writes to standard output through a buffer. A closed pipe (`… | head`) is no error.
pub fn write_stdout(write: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>) -> Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| Ok(out.flush()?)) {
        Err(WriteError::Out(error)) if error.kind() == ErrorKind::BrokenPipe => {
            // Discards the buffer, which can't be written either.
            let _ = out.into_parts();
            Ok(())
        }
        Err(WriteError::Out(error)) => bail!("cannot write to standard output: {error}"),
        Err(WriteError::Other(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}

pub enum WriteError {
    /// Standard output, or the file of `-o`, can't be written.
    Out(io::Error),
    /// Another failure while lines are produced, such as an unreadable input.
    Other(anyhow::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_no_error_numbers_of_the_operating_system() {
        assert_eq!(
            without_error_numbers("cannot read x: No such file or directory (os error 2); y: no (os error 13)"),
            "cannot read x: No such file or directory; y: no"
        );
        assert_eq!(without_error_numbers("a (os error x)"), "a (os error x)");
    }
}
