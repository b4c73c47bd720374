//! The user's option file on the new server.

use std::path::Path;

use mysql::prelude::Queryable;
use server::{Error, Options, Progress, Server, ServerLine, Setting, Spec, error_code, option_name, read_server_lines};

use crate::model::{Area, Finding, Kind, Mend};
use crate::successor;

/// Maximum number of options that are left out.
const MAX_LEFT_OUT: usize = 100;

/// A refused option of the file.
struct Refused {
    name: String,
    /// Lines that set the option.
    lines: Vec<ServerLine>,
    /// The server's message.
    message: String,
}

impl Refused {
    /// False if the server has the option, and refuses the value.
    fn is_unknown(&self) -> bool {
        is_unknown(&self.message)
    }

    /// Value in the last line that sets it.
    fn value(&self) -> &str {
        let value = self.lines.last().and_then(|line| line.text.split_once('=')).map_or("", |(_, value)| value.trim());
        value.trim_matches(['\'', '"'])
    }
}

/// A start of a server without what it refuses to start with.
struct Start<'s> {
    spec: &'s Spec,
    progress: &'s dyn Progress,
    options: Options,
    refused: Vec<Refused>,
    /// Settings that are no options, each with the error of the start with it.
    later: Vec<(Setting, Error)>,
}

impl<'s> Start<'s> {
    fn new(spec: &'s Spec, options: &Options, progress: &'s dyn Progress) -> Self {
        Self { spec, progress, options: options.clone(), refused: Vec::new(), later: Vec::new() }
    }

    /// Starts the server again and again, each time without one more option. `opened` is the first
    /// start. Returns an error that no option of the file causes.
    fn open(&mut self, mut opened: Result<Server, Error>) -> Result<Server, Error> {
        loop {
            match opened {
                Ok(server) => return Ok(server),
                Err(error) => self.leave_out(error)?,
            }
            opened = server::open(self.spec, &self.options, self.progress);
        }
    }

    /// Leaves out the option or setting that caused an error. Returns other errors.
    fn leave_out(&mut self, error: Error) -> Result<(), Error> {
        let Error::Start { reason, .. } = &error else { return Err(error) };
        let Some((name, message)) = refused_option(reason) else { return Err(error) };
        let given = self.options.settings.iter().position(|one| one.name.variable() == name);
        if let Some(at) = given.filter(|_| is_unknown(message)) {
            self.later.push((self.options.settings.remove(at), error));
            return Ok(());
        }
        let is_new = !self.options.left_out.contains(&name) && self.refused.len() < MAX_LEFT_OUT;
        let path = self.options.defaults_file.as_deref().filter(|_| is_new);
        let lines = path.map(|path| lines_of(path, &name)).unwrap_or_default();
        if lines.is_empty() {
            return Err(error);
        }
        self.refused.push(Refused { name: name.clone(), lines, message: message.to_owned() });
        self.options.left_out.push(name);
        Ok(())
    }
}

/// Starts the new server with the option file. An option of the file that the server refuses to
/// start with becomes a finding, and the server starts without it. The finding names the option's
/// successor if the server has it. A setting that is no option is made by SET GLOBAL after the
/// start. Returns other errors.
pub fn open_target(
    spec: &Spec,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(Server, Option<Vec<Finding>>), Error> {
    let mut start = Start::new(spec, options, progress);
    let server = start.open(server::open(spec, options, progress))?;
    for (setting, error) in start.later {
        set_global(&server, &setting, error)?;
    }
    let mut findings: Vec<Finding> = start.refused.iter().map(finding).collect();
    add_successors(&server, &start.refused, &mut findings)?;
    Ok((server, options.defaults_file.as_ref().map(|_| findings)))
}

/// Makes a setting that is no option. Returns the error of the start with it if the server does not
/// have it.
fn set_global(server: &Server, setting: &Setting, error: Error) -> Result<(), Error> {
    let is_number = setting.value.parse::<i64>().is_ok();
    let value = if is_number { setting.value.clone() } else { sql::quote_string(&setting.value) };
    let statement = format!("SET GLOBAL {} = {value}", setting.name.variable());
    match server.connect()?.query_drop(&statement) {
        Ok(()) => Ok(()),
        Err(mysql::Error::MySqlError(refusal)) if refusal.code != error_code::UNKNOWN_SYSTEM_VARIABLE => {
            let reason = format!("no option has this name, and it refuses {statement}: {}", refusal.message);
            Err(Error::Start { label: server.label().to_owned(), reason })
        }
        Err(_) => Err(error),
    }
}

/// Names the lines of the option file with which a server does not start: `my.cnf:3: tx_isolation =
/// …`. `error` is that of a start with all of them. The server is started again without each, which
/// shows the next. Empty for other errors, and for options that are not in the file.
pub fn refused_lines(spec: &Spec, options: &Options, error: Error, progress: &dyn Progress) -> Vec<String> {
    let mut start = Start::new(spec, options, progress);
    if let Ok(server) = start.open(Err(error)) {
        let _ = server.stop();
    }
    let describe = |line: &ServerLine, name: &str| {
        format!("{}:{}: {}", line.file.display(), line.number, hide_value(line.text.trim(), name))
    };
    start.refused.iter().flat_map(|one| one.lines.iter().map(|line| describe(line, &one.name))).collect()
}

/// Returns a server's error without the values of options that may be passwords.
pub fn hide_secret_values(error: &str) -> String {
    let hidden = |line: &str| match refused_option(line) {
        Some((name, _)) => hide_value(line, &name),
        None => line.to_owned(),
    };
    error.lines().map(hidden).collect::<Vec<_>>().join("\n")
}

/// Cuts a text with `name=value` or `name = value` before the value, if the option may hold a
/// password: `wsrep_sst_auth`, `master_password`.
fn hide_value(text: &str, name: &str) -> String {
    let is_secret = ["pass", "auth", "secret", "key", "token"].iter().any(|part| name.contains(part));
    match text.split_once('=') {
        Some((before, _)) if is_secret => format!("{}=***", before.trim_end()),
        _ => text.to_owned(),
    }
}

/// Adds to each finding what takes the place of its option or of its value of `sql_mode`, if that
/// is known.
fn add_successors(server: &Server, refused: &[Refused], findings: &mut [Finding]) -> Result<(), Error> {
    let new = server.flavour();
    let names: Vec<String> = refused.iter().flat_map(|one| successor::candidates(new, &one.name)).collect();
    let there = server.read_settings(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    for (one, finding) in refused.iter().zip(findings) {
        let said = match one.is_unknown() {
            true => successor::describe(new, &one.name, one.value(), &there),
            false if one.name == "sql_mode" => successor::describe_modes(one.value()),
            false => None,
        };
        if let Some(mend) = finding.mends.first_mut() {
            mend.effects.extend(said.map(|said| format!("{said}.")));
        }
    }
    Ok(())
}

fn is_unknown(message: &str) -> bool {
    message.contains("unknown ") || message.contains("ambiguous ")
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

/// Returns the lines of a file, and of files that it includes, that set an option of the server.
/// Empty if the file can't be read.
fn lines_of(path: &Path, name: &str) -> Vec<ServerLine> {
    let mut lines = read_server_lines(path).unwrap_or_default();
    lines.retain(|line| option_name(&line.text).as_deref() == Some(name));
    lines
}

fn finding(refused: &Refused) -> Finding {
    let Refused { name, lines, message } = refused;
    let what = if refused.is_unknown() {
        format!("the new server has no option {name}, and does not start with it")
    } else {
        format!("the new server does not start with this value of {name}")
    };
    let mut places = lines.iter().map(|line| format!("{}:{}", line.file.display(), line.number));
    Finding {
        kind: Kind::Breaks,
        area: Area::Option,
        place: places.next().unwrap_or_default(),
        what,
        statement: String::new(),
        error: None,
        reasons: vec![format!("The server's error log: {}", hide_value(message.trim_end_matches('.'), name))],
        also: places.collect(),
        mends: vec![Mend {
            what: format!(
                "Remove {} from the option file: the new server started without it",
                hide_value(lines[0].text.trim(), name)
            ),
            ..Mend::default()
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_may_be_passwords_are_hidden() {
        let error = "mysql@9 did not start:\n[ERROR] unknown variable 'wsrep_sst_auth=sst:s3'.\n[ERROR] Aborting";
        assert_eq!(
            hide_secret_values(error),
            "mysql@9 did not start:\n[ERROR] unknown variable 'wsrep_sst_auth=***\n[ERROR] Aborting"
        );
        let error = "unknown variable 'query_cache_size=1'";
        assert_eq!(hide_secret_values(error), error);
        assert_eq!(hide_value("master-password = s3", "master_password"), "master-password=***");
    }

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
