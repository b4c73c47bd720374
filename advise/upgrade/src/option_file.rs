//! The user's option file on the new server.

use std::path::Path;

use server::{Error, Options, Progress, Server, Spec, option_name};

use crate::model::{Area, Finding, Kind, Mend};

/// Maximum number of options that are left out.
const MAX_LEFT_OUT: usize = 100;

/// Largest option file that is searched for an option.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Starts the new server with the option file. An option that the server refuses to start with
/// becomes a finding, and the server starts without it. Returns other errors unchanged.
pub fn open_target(
    spec: &Spec,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Server, Option<Vec<Finding>>), Error> {
    let mut options = options.clone();
    let Some(path) = options.defaults_file.clone() else {
        return Ok((server::open(spec, &options, progress)?, None));
    };
    let mut findings = Vec::new();
    loop {
        let error = match server::open(spec, &options, progress) {
            Ok(server) => return Ok((server, Some(findings))),
            Err(error) => error,
        };
        let Error::Start { reason, .. } = &error else { return Err(error) };
        let Some((name, message)) = refused_option(reason) else { return Err(error) };
        let is_new = !options.left_out.contains(&name) && findings.len() < MAX_LEFT_OUT;
        let Some(lines) = is_new.then(|| lines_of(&path, &name)).filter(|lines| !lines.is_empty()) else {
            return Err(error);
        };
        findings.push(finding(&path, &lines, &name, message));
        options.left_out.push(name);
    }
}

/// Returns the option that a server refused to start with, and its message:
/// `unknown variable 'query_cache_size=1'`,
/// `Error while setting value 'NO_AUTO_CREATE_USER' to 'sql_mode'`.
fn refused_option(reason: &str) -> Option<(String, &str)> {
    reason.lines().map(str::trim).find_map(|line| {
        let text = if let Some(quoted) = ["unknown variable '", "unknown option '", "ambiguous option '"]
            .iter()
            .find_map(|words| line.split_once(words))
        {
            quoted.1
        } else if line.contains("Error while setting value '") {
            line.rsplit_once("' to '")?.1
        } else {
            return None;
        };
        Some((option_name(text.split('\'').next()?)?, line))
    })
}

/// Returns the lines of a file that set an option, with their numbers. Empty if it can't be read.
fn lines_of(path: &Path, name: &str) -> Vec<(usize, String)> {
    let bytes = files::read_small(path, MAX_FILE_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_named = |(_, line): &(usize, &str)| option_name(line).as_deref() == Some(name);
    text.lines().enumerate().filter(is_named).map(|(at, line)| (at + 1, line.trim().to_owned())).collect()
}

fn finding(path: &Path, lines: &[(usize, String)], name: &str, message: &str) -> Finding {
    let is_unknown = message.contains("unknown");
    let what = if is_unknown {
        format!("the new server has no option {name}, and does not start with it")
    } else {
        format!("the new server does not start with this value of {name}")
    };
    let mut places = lines.iter().map(|(line, _)| format!("{}:{line}", path.display()));
    Finding {
        kind: Kind::Breaks,
        area: Area::Option,
        place: places.next().unwrap_or_default(),
        what,
        statement: String::new(),
        error: None,
        reasons: vec![format!("The server's error log: {}", message.trim_end_matches('.'))],
        also: places.collect(),
        mends: vec![Mend {
            what: format!("Remove {} from the option file: the new server started without it", lines[0].1),
            sql: Vec::new(),
            effects: Vec::new(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_refused_option() {
        for (reason, name) in [
            ("unknown variable 'query-cache-size=1'.\nCorrect the --set", "query_cache_size"),
            ("\n  unknown option '--skip-bdb'\n  unknown variable 'x=1'", "skip_bdb"),
            ("Error while setting value 'NO_AUTO_CREATE_USER,ANSI' to 'sql_mode'", "sql_mode"),
            ("unknown variable 'loose_a=it's'", "a"),
        ] {
            assert_eq!(refused_option(reason).map(|(name, _)| name).as_deref(), Some(name), "{reason}");
        }
        assert_eq!(refused_option("The disk is full"), None);
    }
}
