//! Commands that installations run, such as apt-get and npm, and programs of servers.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lifecycle::{Confinement, interrupt, kill_group, limit_tool, spawn_confined, spawn_supervised};

use crate::Error;

/// Maximum time between two checks for a signal or the deadline while a command runs.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum output of a command in bytes, on each of stdout and stderr. A command that writes more
/// gets SIGPIPE. The names of all of apt's packages are 2 MB.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;

/// Time to wait for the end of stderr after the end of the command.
const MAX_STDERR_TIME: Duration = Duration::from_secs(2);

/// Maximum memory of a tool, and length of each of its files. npm keeps a package in memory, and
/// whatever else a registry sends.
const MAX_TOOL_MEMORY_BYTES: u64 = 2 << 30;
const MAX_TOOL_FILE_BYTES: u64 = 8 << 30;

/// Maximum time of a tool: a server's packages, 600 MB, at 100 KB/s.
const MAX_TOOL_TIME: Duration = Duration::from_secs(2 * 60 * 60);

/// How a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("`{program}` cannot be run ({source})")]
    NotRun { program: String, source: std::io::Error },
    #[error("`{command}` failed ({status}): {}", summarize(stderr))]
    Failed {
        command: String,
        status: ExitStatus,
        /// Empty if it had not ended after [`MAX_STDERR_TIME`].
        stderr: String,
    },
    #[error("`{command}` was still running after {} s", limit.as_secs())]
    TooLong { command: String, limit: Duration },
}

/// How long a program may run, and what it may use.
#[derive(Debug)]
pub struct Limits {
    pub confinement: Confinement,
    pub time: Duration,
}

/// Runs a tool of this machine to its end, and passes each line of its stdout to `on_line`. `task`
/// is a verb phrase for the error message: "cannot {task}". A signal kills the command's process
/// group.
pub fn run(command: Command, task: &str, on_line: impl FnMut(&str)) -> Result<(), Error> {
    run_tool(command, task, MAX_TOOL_TIME, on_line)
}

fn run_tool(mut command: Command, task: &str, time: Duration, on_line: impl FnMut(&str)) -> Result<(), Error> {
    limit_tool(&mut command, MAX_TOOL_MEMORY_BYTES, MAX_TOOL_FILE_BYTES);
    run_to_end(command, None, task, (None, time), on_line)
}

/// Runs a tool of this machine and returns its stdout.
pub fn output(command: Command, task: &str) -> Result<String, Error> {
    let mut text = String::new();
    run(command, task, |line| push_line(&mut text, line))?;
    Ok(text)
}

/// Runs a server's program within `limits`, with a file or nothing as stdin, and returns its
/// stdout.
pub fn run_confined(command: Command, input: Option<File>, task: &str, limits: &Limits) -> Result<String, Error> {
    let mut text = String::new();
    let within = (Some(&limits.confinement), limits.time);
    run_to_end(command, input, task, within, |line| push_line(&mut text, line))?;
    Ok(text)
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn run_to_end(
    command: Command,
    input: Option<File>,
    task: &str,
    (confinement, limit): (Option<&Confinement>, Duration),
    mut on_line: impl FnMut(&str),
) -> Result<(), Error> {
    let command_line = format_command_line(&command);
    let mut child = spawn(command, input, confinement).map_err(|error| command_error(task, error))?;
    let deadline = Instant::now() + limit;
    let stderr = child.stderr.take().map(collect_stderr);
    let lines = child.stdout.take().map(stream_lines);
    let ended = lines.map_or(Ok(true), |lines| forward_lines(&lines, deadline, &mut on_line));
    let ended = ended.and_then(|ended| if ended { wait(&mut child, deadline, &command_line) } else { Ok(None) });
    let status = match ended {
        Ok(Some(status)) => status,
        ended => {
            kill_group(&mut child);
            ended?;
            return Err(command_error(task, CommandError::TooLong { command: command_line, limit }));
        }
    };
    // A process that outlived the program may keep the pipe open.
    let stderr = stderr.map(|stderr| stderr.recv_timeout(MAX_STDERR_TIME).unwrap_or_default()).unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    Err(command_error(task, CommandError::Failed { command: command_line, status, stderr }))
}

fn spawn(mut command: Command, input: Option<File>, confinement: Option<&Confinement>) -> Result<Child, CommandError> {
    let program = command.get_program().to_string_lossy().into_owned();
    // `remedy` searches the messages for English words.
    command
        .env("LC_ALL", "C.UTF-8")
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let spawned = match confinement {
        Some(confinement) => spawn_confined(command, confinement),
        None => spawn_supervised(command),
    };
    spawned.map_err(|source| CommandError::NotRun { program, source })
}

/// Returns `false` if the output has not ended at the deadline.
fn forward_lines(lines: &Receiver<String>, deadline: Instant, on_line: &mut impl FnMut(&str)) -> Result<bool, Error> {
    loop {
        interrupt::check()?;
        if is_over(deadline) {
            return Ok(false);
        }
        match lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(true),
        }
    }
}

/// Waits for a command whose output has ended. `None` at the deadline.
fn wait(child: &mut Child, deadline: Instant, command_line: &str) -> Result<Option<ExitStatus>, Error> {
    let mut pause = Duration::from_micros(100);
    loop {
        let ended = child.try_wait().map_err(Error::io("wait for", command_line))?;
        if ended.is_some() || is_over(deadline) {
            return Ok(ended);
        }
        interrupt::check()?;
        thread::sleep(pause);
        pause = (pause * 2).min(POLL_INTERVAL);
    }
}

fn is_over(deadline: Instant) -> bool {
    Instant::now() > deadline
}

fn stream_lines(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout.take(MAX_OUTPUT_BYTES)).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    lines
}

fn collect_stderr(stderr: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, text) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After a read error, the bytes before it still help to explain a failure.
        let _ = stderr.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    text
}

/// Returns the command line without arguments that begin with `-o`, such as apt's `-oName=value`.
fn format_command_line(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args().map(|argument| argument.to_string_lossy()).filter(|text| !text.starts_with("-o"))
    {
        text.push(' ');
        text.push_str(&argument);
    }
    text
}

fn command_error(task: &str, source: CommandError) -> Error {
    let remedy = remedy(&source).map(|text| format!("\n{text}")).unwrap_or_default();
    Error::Command { task: task.to_owned(), source, remedy }
}

/// Advice for known causes, recognised by the messages of apt, npm, dpkg, tar and the dynamic
/// loader.
fn remedy(error: &CommandError) -> Option<&'static str> {
    const OTHER_ORIGINS: &str =
        "Give --server a basedir, a tarball of server binaries, or the URL of a running server.";
    let stderr = match error {
        CommandError::NotRun { .. } => return Some(OTHER_ORIGINS),
        CommandError::Failed { stderr, .. } => stderr,
        CommandError::TooLong { .. } => return None,
    };
    let contains_any = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if contains_any(&["No space left on device", "ENOSPC", "don't have enough free space"]) {
        Some("The disk is full: free some space, or set WEIGH_CACHE to a folder on another disk.")
    } else if contains_any(&[
        "Could not resolve",
        "Unable to connect",
        "Cannot initiate the connection",
        "Connection timed out",
    ]) || contains_any(&[
        "Failed to fetch",
        "ENOTFOUND",
        "ECONNREFUSED",
        "ETIMEDOUT",
        "EAI_AGAIN",
        "ECONNRESET",
    ]) {
        Some("Check the network and the proxy settings. A server that is installed already needs no network.")
    } else if contains_any(&["error while loading shared libraries"]) {
        Some(
            "Install the library with this machine's package manager (libaio.so.1: libaio; libnuma.so.1: numactl or \
             libnuma1; libcrypt.so.1: libxcrypt-compat), or give --server an image or the URL of a running server.",
        )
    } else if contains_any(&["version `GLIBC_", "version `GLIBCXX_"]) {
        Some(
            "The server was built for a newer C library than this machine's: give --server an image, an older server, \
             or the URL of a running server.",
        )
    } else if contains_any(&["Unable to locate package", "has no installation candidate", "E404"]) {
        Some(OTHER_ORIGINS)
    } else {
        None
    }
}

/// Shortens stderr for an error message: the first two lines that apt, npm or node mark as errors,
/// or else the last line. The first marked lines name the cause, later ones its consequences.
fn summarize(stderr: &str) -> String {
    let is_marked = |line: &&str| ["E: ", "npm error ", "FATAL ERROR: "].iter().any(|mark| line.starts_with(mark));
    let marked: Vec<&str> = stderr.lines().filter(is_marked).take(2).map(str::trim).collect();
    if !marked.is_empty() {
        return marked.join("; ");
    }
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    last.map_or("no error message", str::trim).to_owned()
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
    fn returns_stdout() {
        assert_eq!(output(shell("echo one; echo two"), "count").unwrap(), "one\ntwo\n");
    }

    #[test]
    fn failure_names_command_status_message_and_remedy() {
        let script = "echo 'E: Could not resolve host' >&2; exit 3";
        let message = output(shell(script), "look").unwrap_err().to_string();
        for part in ["cannot look", "sh -c", "exit status: 3", "E: Could not resolve host", "Check the network"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn missing_command_suggests_other_origins() {
        let message = output(Command::new("/no/such/apt-get"), "install").unwrap_err().to_string();
        assert!(message.contains("/no/such/apt-get") && message.contains("basedir"), "{message}");
    }

    #[test]
    fn ends_commands_at_their_time_limit() {
        let limits = Limits { confinement: Confinement::default(), time: Duration::from_millis(100) };
        for script in ["sleep 60", "exec >&- 2>&-; sleep 60", "while :; do echo x; done"] {
            let message = run_confined(shell(script), None, "wait", &limits).unwrap_err().to_string();
            assert!(message.contains("still running"), "{message}");
        }
    }

    /// A registry or mirror without an end makes a tool wait, or take memory or disk.
    #[test]
    fn tools_have_limits() {
        let error = run_tool(shell("sleep 60"), "wait", Duration::from_millis(100), |_| {}).unwrap_err().to_string();
        assert!(error.contains("still running"), "{error}");
        let limits = output(shell("ulimit -d; ulimit -f"), "look").unwrap();
        let limits: Vec<u64> = limits.lines().map(|line| line.parse().unwrap()).collect();
        assert!(limits[0] <= MAX_TOOL_MEMORY_BYTES >> 10, "in KiB: {limits:?}");
        assert!(limits[1] <= MAX_TOOL_FILE_BYTES >> 9, "in blocks: {limits:?}");
    }

    #[test]
    fn long_output_on_both_pipes_does_not_block() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done";
        assert_eq!(output(shell(script), "shout").unwrap().lines().count(), 20000);
    }
}
