//! Helper commands (apt-get, dpkg-deb, npm, tar), with their words kept for the error message.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{Error, interrupt, spawn};

/// How often a running command looks at the interrupt flag.
const POLL: Duration = Duration::from_millis(50);

/// How a helper command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It is not on this machine, or not executable.
    #[error("`{program}` cannot be run ({source})")]
    Missing {
        /// Its name.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It ran and failed.
    #[error("`{command}` failed ({status}): {}", last_words(stderr))]
    Failed {
        /// The command line.
        command: String,
        /// Its exit.
        status: ExitStatus,
        /// All it wrote to stderr.
        stderr: String,
    },
}

/// Runs a command to its end; `on_line` sees every line of its stdout. Killed, with all it started, on interrupt.
pub(crate) fn run(command: Command, what: &str, on_line: impl FnMut(&str)) -> Result<(), Error> {
    run_with_input(command, None, what, on_line)
}

/// The same with a file as its stdin.
pub(crate) fn run_with_input(
    command: Command,
    input: Option<File>,
    what: &str,
    mut on_line: impl FnMut(&str),
) -> Result<(), Error> {
    let rendered = render(&command);
    let mut child = start(command, input).map_err(|error| helper(what, error))?;
    let stderr = child.stderr.take().map(collect);
    let lines = child.stdout.take().map(stream_lines);
    let finished = match lines {
        Some(lines) => follow(&lines, &mut on_line),
        None => Ok(()),
    };
    if let Err(error) = finished {
        kill_group(&mut child);
        return Err(error);
    }
    let status = child.wait().map_err(Error::io("wait for", rendered.as_str()))?;
    let stderr = stderr.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    Err(helper(what, CommandError::Failed { command: rendered, status, stderr }))
}

/// Runs a command and returns its stdout.
pub(crate) fn output(command: Command, what: &str) -> Result<String, Error> {
    let mut text = String::new();
    run(command, what, |line| {
        text.push_str(line);
        text.push('\n');
    })?;
    Ok(text)
}

/// Waits for a child of [`start_bound`](crate::start_bound). On interrupt it is killed with all that it started.
pub fn wait_bound(mut child: Child) -> Result<ExitStatus, Error> {
    loop {
        if let Some(status) = child.try_wait().map_err(Error::io("wait for", "a process"))? {
            // What ended it, such as ctrl-C, is to end us, too.
            interrupt::check()?;
            return Ok(status);
        }
        if let Err(error) = interrupt::check() {
            kill_group(&mut child);
            return Err(error);
        }
        thread::sleep(POLL);
    }
}

fn start(mut command: Command, input: Option<File>) -> Result<Child, CommandError> {
    let program = command.get_program().to_string_lossy().into_owned();
    // Messages are searched for known causes, so they must come in English.
    command
        .env("LC_ALL", "C.UTF-8")
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    spawn::bound(command).map_err(|source| CommandError::Missing { program, source })
}

fn follow(lines: &Receiver<String>, on_line: &mut impl FnMut(&str)) -> Result<(), Error> {
    loop {
        interrupt::check()?;
        match lines.recv_timeout(POLL) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn stream_lines(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    lines
}

fn collect(mut stderr: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before a read error still explains the failure.
        let _ = stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn kill_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The child is not reaped yet, so the id is still its own.
        let _ = kill_process_group(group, Signal::KILL);
    }
    // Reaped, so that no zombie stays; its status does not matter any more.
    let _ = child.wait();
}

fn render(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    // Private apt options fill lines and tell the reader nothing.
    for argument in command.get_args().map(|argument| argument.to_string_lossy()).filter(|text| !text.starts_with("-o"))
    {
        text.push(' ');
        text.push_str(&argument);
    }
    text
}

fn helper(what: &str, source: CommandError) -> Error {
    let remedy = remedy(&source).map(|text| format!("\n{text}")).unwrap_or_default();
    Error::Helper { what: what.to_owned(), source, remedy }
}

/// Known causes, by the words that apt, npm, dpkg and tar use for them.
fn remedy(error: &CommandError) -> Option<&'static str> {
    const OWN_SERVER: &str = "Give --server a basedir, a tarball of server binaries, or the URL of a running server.";
    let stderr = match error {
        CommandError::Missing { .. } => return Some(OWN_SERVER),
        CommandError::Failed { stderr, .. } => stderr,
    };
    let says = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if says(&["No space left on device", "ENOSPC", "don't have enough free space"]) {
        Some("The disk is full: free some space, or set WEIGH_CACHE to a folder on another disk.")
    } else if says(&[
        "Could not resolve",
        "Unable to connect",
        "Cannot initiate the connection",
        "Connection timed out",
    ]) || says(&["Failed to fetch", "ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ECONNRESET"])
    {
        Some("Check the network and the proxy settings. A server that is installed already needs no network.")
    } else if says(&["Unable to locate package", "has no installation candidate", "E404"]) {
        Some(OWN_SERVER)
    } else {
        None
    }
}

/// What a command said last, or the first of what it marked as an error: the cause comes before its consequences.
fn last_words(stderr: &str) -> String {
    let is_marked = |line: &&str| ["E: ", "npm error "].iter().any(|mark| line.starts_with(mark));
    let marked: Vec<&str> = stderr.lines().filter(is_marked).take(2).map(str::trim).collect();
    if !marked.is_empty() {
        return marked.join("; ");
    }
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    last.map_or("it said nothing", str::trim).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_is_what_the_command_wrote() {
        assert_eq!(output(shell("echo one; echo two"), "count").unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_failure_names_command_exit_last_words_and_remedy() {
        let script = "echo 'E: Could not resolve host' >&2; exit 3";
        let message = output(shell(script), "look").unwrap_err().to_string();
        for part in ["cannot look", "sh -c", "exit status: 3", "E: Could not resolve host", "Check the network"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_missing_command_names_the_other_ways() {
        let message = output(Command::new("/no/such/apt-get"), "install").unwrap_err().to_string();
        assert!(message.contains("/no/such/apt-get") && message.contains("basedir"), "{message}");
    }

    #[test]
    fn much_output_on_both_pipes_does_not_block() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done";
        assert_eq!(output(shell(script), "shout").unwrap().lines().count(), 20000);
    }
}
