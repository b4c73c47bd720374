//! A server's error log, for messages of ours.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use signal_hook::consts::SIGKILL;

/// How many lines of a log explain enough.
const TAIL: usize = 5;

/// The name of the log in an instance's folder.
pub(crate) const FILE: &str = "error.log";

/// The whole log of an instance.
pub(crate) fn read(folder: &Path) -> String {
    String::from_utf8_lossy(&fs::read(folder.join(FILE)).unwrap_or_default()).into_owned()
}

/// Why a server ended: its errors, else the end of its log, and what to do where the cause is known.
pub(crate) fn explain(log: &str, status: ExitStatus) -> String {
    let mut lines: Vec<&str> = log.lines().filter(|line| is_error(line)).map(message).collect();
    lines.dedup();
    if lines.is_empty() {
        lines = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines.drain(..lines.len().saturating_sub(TAIL));
    }
    lines.truncate(TAIL);
    let mut text = match lines.as_slice() {
        [] => format!("it ended ({status}) and said nothing"),
        [line] => (*line).to_owned(),
        lines => lines.iter().map(|line| format!("\n  {line}")).collect(),
    };
    if let Some(remedy) = remedy(log) {
        text.push('\n');
        text.push_str(remedy);
    }
    text
}

/// What ended a server in use: how, the end of its log, and what to do where the cause is known.
pub(crate) fn death(log: &str, status: ExitStatus) -> String {
    let killed = status.signal() == Some(SIGKILL);
    let remedy = remedy(log).or(killed.then_some(
        "Unless somebody killed it, the kernel did, as memory ran out: see dmesg, and give it less by --set \
         innodb_buffer_pool_size=128M.",
    ));
    let remedy = remedy.map(|remedy| format!("\n{remedy}")).unwrap_or_default();
    format!("died ({status}); its error log ends:{}{remedy}", tail(log))
}

/// The end of a log, indented.
pub(crate) fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL)..].iter().map(|line| format!("\n  {line}")).collect()
}

fn is_error(line: &str) -> bool {
    let marked = line.contains("[ERROR]") || line.contains("error while loading shared libraries");
    let is_option = ["unknown variable", "unknown option", "Unknown suffix", "Error while setting value"];
    let unmarked = is_option.iter().any(|words| line.contains(words)) && !line.contains("[Warning]");
    (marked || unmarked) && !line.trim_end().ends_with("Aborting")
}

/// The message of a line, without time, thread, error number and program path.
fn message(line: &str) -> &str {
    let mut rest = line.split_once("[ERROR]").map_or(line, |(_, rest)| rest).trim();
    while let Some((_, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        rest = after.trim();
    }
    match rest.split_once(": ") {
        Some((program, after)) if program.ends_with("mysqld") || program.ends_with("mariadbd") => after,
        _ => rest,
    }
}

fn remedy(log: &str) -> Option<&'static str> {
    let says = |words: &[&str]| words.iter().any(|word| log.contains(word));
    if says(&[
        "No space left on device",
        "errno: 28",
        "OS error: 28",
        "OS errno 28",
        "error number 28",
        "with error 28",
    ]) {
        Some("The disk is full: free some space, or set TMPDIR to a folder on another disk.")
    } else if says(&["unknown variable", "unknown option", "Unknown suffix", "Error while setting value"]) {
        Some("Correct the --set or --defaults-file that names it.")
    } else if says(&["error while loading shared libraries"]) {
        Some("Install the package that holds this library, or choose another --server.")
    } else if says(&["Cannot allocate memory", "cannot allocate memory"]) {
        Some("Give it less memory: --set innodb_buffer_pool_size=128M.")
    } else if says(&["Permission denied", "errno: 13", "OS error: 13", "Errcode: 13"]) {
        Some(
            "If AppArmor or SELinux confines this server, it may not use the temporary folder: set TMPDIR to one that \
             it may use, or choose another --server, such as mariadb@bookworm.",
        )
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_error_is_taken_from_every_log_format() {
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
            let text = explain(log, ExitStatus::from_raw(256));
            assert!(text.starts_with(said) && text.contains('\n'), "{text}");
        }
        assert!(death("a\n", ExitStatus::from_raw(9)).ends_with("innodb_buffer_pool_size=128M."));
        assert!(death("[ERROR] No space left on device", ExitStatus::from_raw(6)).ends_with("another disk."));
        assert_eq!(death("a\n", ExitStatus::from_raw(11)).lines().count(), 2);
        assert!(explain("", ExitStatus::from_raw(256)).contains("exit status: 1"));
        assert!(explain("a\nb\n", ExitStatus::from_raw(9)).contains("\n  a\n  b"));
        assert!(explain("[ERROR] InnoDB: No space left on device", ExitStatus::from_raw(256)).contains("TMPDIR"));
    }
}
