//! Error logs of private servers, for error messages.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use signal_hook::consts::SIGKILL;

/// Maximum number of log lines in an error message.
const MAX_LINES: usize = 5;

/// Name of the log in an instance's folder.
pub(super) const FILE_NAME: &str = "error.log";

/// Maximum part of a log that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the end of an instance's log. Empty if it cannot be read.
pub(super) fn read(folder: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(folder.join(FILE_NAME))?;
        let start = file.metadata()?.len().saturating_sub(MAX_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// Describes why a server did not start: its errors, or else the end of its log, and advice for
/// known causes.
pub(super) fn explain_failed_start(log: &str, status: ExitStatus) -> String {
    let mut lines: Vec<&str> = log.lines().filter(|line| is_error(line)).map(strip_prefixes).collect();
    lines.dedup();
    if lines.is_empty() {
        lines = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines.drain(..lines.len().saturating_sub(MAX_LINES));
    }
    lines.truncate(MAX_LINES);
    let mut text = match lines.as_slice() {
        [] => format!("it ended ({status}) without a message"),
        [line] => (*line).to_owned(),
        lines => lines.iter().map(|line| format!("\n  {line}")).collect(),
    };
    if let Some(remedy) = remedy(log) {
        text.push('\n');
        text.push_str(remedy);
    }
    text
}

/// Describes how a running server ended: its exit status, the end of its log, and advice for known
/// causes.
pub(super) fn describe_death(log: &str, status: ExitStatus) -> String {
    let killed = status.signal() == Some(SIGKILL);
    let remedy = remedy(log).or(killed.then_some(
        "If nobody killed it, the kernel did because memory ran out: see dmesg, and give the server less memory by --set \
         innodb_buffer_pool_size=128M.",
    ));
    let remedy = remedy.map(|remedy| format!("\n{remedy}")).unwrap_or_default();
    let end = match tail(log) {
        end if end.is_empty() => " and its error log is empty".to_owned(),
        end => format!("; its error log ends:{end}"),
    };
    format!("died ({status}){end}{remedy}")
}

/// Returns the last lines of a log, each on a new line and indented.
pub(super) fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MAX_LINES)..].iter().map(|line| format!("\n  {line}")).collect()
}

fn is_error(line: &str) -> bool {
    let has_mark = line.contains("[ERROR]") || line.contains("error while loading shared libraries");
    let option_errors = ["unknown variable", "unknown option", "Unknown suffix", "Error while setting value"];
    let is_option_error = option_errors.iter().any(|words| line.contains(words)) && !line.contains("[Warning]");
    (has_mark || is_option_error) && !line.trim_end().ends_with("Aborting")
}

/// Removes time, thread, error number and program path from a line.
fn strip_prefixes(line: &str) -> &str {
    let mut rest = line.split_once("[ERROR]").map_or(line, |(_, rest)| rest).trim();
    while let Some((_, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        rest = after.trim();
    }
    match rest.split_once(": ") {
        Some((program, after)) if program.ends_with("mysqld") || program.ends_with("mariadbd") => after,
        _ => rest,
    }
}

/// Returns advice for a known cause of death. Warnings are no cause: MySQL warns of unknown
/// variables that begin with `loose_`.
fn remedy(log: &str) -> Option<&'static str> {
    let lines = || log.lines().filter(|line| !line.contains("[Warning]"));
    let contains_any = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.contains(word)));
    if contains_any(&[
        "No space left on device",
        "errno: 28",
        "OS error: 28",
        "OS errno 28",
        "error number 28",
        "with error 28",
    ]) {
        Some("The disk is full: free some space, or set TMPDIR to a folder on another disk.")
    } else if contains_any(&["unknown variable", "unknown option", "Unknown suffix", "Error while setting value"]) {
        Some("Correct the setting, or the option file, that names it.")
    } else if contains_any(&["error while loading shared libraries"]) {
        Some("Install the package that holds this library, or choose another server.")
    } else if contains_any(&["Cannot allocate memory", "cannot allocate memory"]) {
        Some("Give the server less memory: --set innodb_buffer_pool_size=128M.")
    } else if contains_any(&["Permission denied", "errno: 13", "OS error: 13", "Errcode: 13"]) {
        Some(
            "If AppArmor or SELinux confines this server, it cannot use the temporary folder: set TMPDIR to a folder that \
             it can use, or choose another server, such as mariadb@bookworm.",
        )
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_errors_from_every_log_format() {
        for (log, said) in [
            (
                "2026-11-21  3:20:00 0 [Note] x\n2026-11-21  3:20:00 0 [ERROR] /usr/sbin/mariadbd: unknown variable \
                 'foo=1'\n2026-11-21  3:20:00 0 [ERROR] Aborting\n",
                "unknown variable 'foo=1'",
            ),
            (
                "2026-11-21T03:20:00.1Z 0 [ERROR] [MY-000067] [Server] unknown variable 'foo=1'.\n\
                 2026-11-21T03:20:00.1Z 0 [ERROR] [MY-010119] [Server] Aborting\n",
                "unknown variable 'foo=1'.",
            ),
            ("mysqld: Error while setting value 'x' to 'innodb-flush-method'\n", "Error while setting value 'x'"),
            ("mysqld: error while loading shared libraries: libaio.so.1: cannot open", "error while loading"),
        ] {
            let text = explain_failed_start(log, ExitStatus::from_raw(256));
            assert!(text.starts_with(said) && text.contains('\n'), "{text}");
        }
        assert!(describe_death("a\n", ExitStatus::from_raw(9)).ends_with("innodb_buffer_pool_size=128M."));
        assert!(describe_death("[ERROR] No space left on device", ExitStatus::from_raw(6)).ends_with("another disk."));
        assert_eq!(describe_death("a\n", ExitStatus::from_raw(11)).lines().count(), 2);
        let warned = describe_death("[Warning] unknown variable 'loose_x=1'\n", ExitStatus::from_raw(9));
        assert!(warned.ends_with("innodb_buffer_pool_size=128M."), "{warned}");
        assert_eq!(
            describe_death("", ExitStatus::from_raw(11)).split(')').next_back(),
            Some(" and its error log is empty")
        );
        assert!(explain_failed_start("", ExitStatus::from_raw(256)).contains("exit status: 1"));
        assert!(explain_failed_start("a\nb\n", ExitStatus::from_raw(9)).contains("\n  a\n  b"));
        assert!(
            explain_failed_start("[ERROR] InnoDB: No space left on device", ExitStatus::from_raw(256))
                .contains("TMPDIR")
        );
    }
}
