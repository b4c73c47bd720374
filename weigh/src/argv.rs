//! Reads the command line and hides its passwords.
//!
//! Every user of a machine can read the arguments of every process. As MySQL's own client does,
//! weigh overwrites a password in its arguments at once. Passwords are also removed from the
//! parser's error messages.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;

use clap::{Command, CommandFactory, FromArgMatches};

use crate::help::{self, Extent};

const HIDDEN: &[u8] = b"x";

/// Options that take a server.
const SERVER_OPTIONS: [&str; 6] = ["server", "replica", "apply-to", "from", "to", "trial"];

/// Hides the passwords in this process's arguments, then parses them. Like `Parser::parse`, ends
/// the process on bad arguments and on `--help`.
pub fn parse<T: CommandFactory + FromArgMatches>() -> T {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Err(error) = hide_passwords(&arguments) {
        eprintln!("weigh: cannot hide the password of the command line from the process list: {error}");
    }
    try_parse(&arguments).unwrap_or_else(|error| {
        let secrets: Vec<String> = arguments.iter().filter_map(|argument| find_secret(argument)).collect();
        let has_controls = arguments.iter().any(|argument| argument.to_string_lossy().contains(escape::is_control));
        if secrets.is_empty() && !has_controls {
            error.exit();
        }
        // The rendered text is without styles.
        let message = escape::text(&error.render().to_string()).into_owned();
        eprint!("{}", secrets.iter().fold(message, |message, secret| message.replace(secret.as_str(), "x")));
        std::process::exit(error.exit_code())
    })
}

/// Parses a command line. `-h` and `--help` show different options.
pub fn try_parse<T: CommandFactory + FromArgMatches>(arguments: &[OsString]) -> Result<T, clap::Error> {
    let is_full = option_words(arguments).iter().any(|argument| argument == "--help");
    let extent = if is_full { Extent::Full } else { Extent::Short };
    let mut command = help::arrange(T::command(), extent);
    let arguments = with_version_command(with_short_help(&command, with_long_passwords(arguments)));
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    T::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Returns the words that can be options: those before `--`.
fn option_words(arguments: &[OsString]) -> &[OsString] {
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    &arguments[..end]
}

/// Replaces `--version` by the command `version`, if nothing but `--verbose` stands beside it.
fn with_version_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_version = |word: &OsString| word == "--version" || word == "-V";
    let words = arguments.get(1..).unwrap_or_default();
    if words.iter().all(|word| is_version(word) || word == "--verbose")
        && let Some(at) = words.iter().position(is_version)
    {
        arguments[at + 1] = "version".into();
    }
    arguments
}

/// Replaces a `-h` without a value by `--short-help`, in commands where `-h` is the host.
fn with_short_help(command: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let mut innermost = command;
    for word in arguments.iter().skip(1) {
        innermost = word.to_str().and_then(|word| innermost.find_subcommand(word)).unwrap_or(innermost);
    }
    if !innermost.get_arguments().any(|arg| arg.get_short() == Some('h')) {
        return arguments;
    }
    let end = option_words(&arguments).len();
    for at in 1..end {
        let next = arguments[..end].get(at + 1);
        let has_value = next.is_some_and(|word| !word.as_bytes().starts_with(b"-"));
        if arguments[at] == "-h" && !has_value {
            arguments[at] = "--short-help".into();
        }
    }
    arguments
}

/// Replaces `-pPASSWORD` by `--password=PASSWORD`. Words after `--` are no options and stay.
pub fn with_long_passwords(arguments: &[OsString]) -> Vec<OsString> {
    let (options, rest) = arguments.split_at(option_words(arguments).len());
    options.iter().map(|argument| with_long_password(argument)).chain(rest.iter().cloned()).collect()
}

/// Replaces one `-pPASSWORD`: clap can't distinguish it from a `-p` that requests a prompt.
fn with_long_password(argument: &OsStr) -> OsString {
    match argument.as_bytes().strip_prefix(b"-p") {
        Some(password) if !password.is_empty() => {
            let mut long = OsString::from("--password=");
            long.push(OsStr::from_bytes(password));
            long
        }
        _ => argument.to_owned(),
    }
}

/// Overwrites passwords where the process list shows them.
fn hide_passwords(arguments: &[OsString]) -> io::Result<()> {
    if arguments.iter().all(|argument| find_password(argument.as_bytes()).is_none()) {
        return Ok(());
    }
    // Writes through /proc/self/mem, as std gives no pointer to the arguments. The parser reads the
    // copy in `arguments`.
    let memory = OpenOptions::new().write(true).open("/proc/self/mem")?;
    let mut address = read_arguments_address()?;
    for argument in arguments {
        if let Some(range) = find_password(argument.as_bytes()) {
            let mut shown = argument.clone().into_vec();
            shown.splice(range, HIDDEN.iter().copied());
            // Zero bytes hide the password's length.
            shown.resize(argument.len(), 0);
            memory.write_all_at(&shown, address)?;
        }
        address += argument.len() as u64 + 1;
    }
    Ok(())
}

/// Returns this process's command line in shell syntax, with an `x` for each password.
pub fn command_line() -> String {
    let mut words = vec!["weigh".to_owned()];
    words.extend(std::env::args_os().skip(1).map(|argument| quote_for_shell(&hide_password(&argument))));
    words.join(" ")
}

pub struct SavedCommandLine {
    /// Words without passwords.
    pub words: Vec<OsString>,
    pub had_password: bool,
}

pub fn parse_saved(shown: &str) -> SavedCommandLine {
    let mut had_password = false;
    let mut words = Vec::new();
    for word in split_words(shown) {
        let bytes = word.as_bytes();
        let Some(range) = find_password(bytes) else {
            match word.as_str() {
                "-p" | "--password" => had_password = true,
                _ => words.push(word.into()),
            }
            continue;
        };
        had_password = true;
        if word.starts_with("-p") || word.starts_with("--password=") {
            continue;
        }
        // Also removes what precedes the password: `:` in a URL, `,p=` or `p=` in a DSN.
        let is_key = bytes[..range.start].ends_with(b"p=");
        let before = range.start - if is_key { 2 } else { 1 };
        let parts = [&word[..before], &word[range.end..]];
        let comma = if is_key && parts[0].ends_with(',') { parts[0].len() - 1 } else { parts[0].len() };
        let rest = if comma == parts[0].len() { parts[1].trim_start_matches(',') } else { parts[1] };
        words.push(format!("{}{rest}", &parts[0][..comma]).into());
    }
    SavedCommandLine { words, had_password }
}

/// Splits a command line that [`quote_for_shell`] wrote.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut is_quoted, mut characters) = (false, line.chars());
    while let Some(character) = characters.next() {
        let word = words.last_mut().expect("there is always a word");
        match character {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(characters.next()),
            ' ' if !is_quoted => words.push(String::new()),
            other => word.push(other),
        }
    }
    words
}

fn hide_password(argument: &OsStr) -> String {
    let mut bytes = argument.as_bytes().to_vec();
    if let Some(range) = find_password(&bytes) {
        bytes.splice(range, HIDDEN.iter().copied());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub use escape::shown_shell_word as quote_for_shell;

/// Reads the address of the arguments: field 48 of /proc/self/stat, `arg_start` (proc(5)).
fn read_arguments_address() -> io::Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field = after_name.split_ascii_whitespace().nth(45).and_then(|field| field.parse().ok());
    field
        .filter(|address| *address != 0)
        .ok_or_else(|| io::Error::other("/proc/self/stat has no address of the arguments"))
}

fn find_secret(argument: &OsStr) -> Option<String> {
    let bytes = argument.as_bytes();
    Some(String::from_utf8_lossy(&bytes[find_password(bytes)?]).into_owned())
}

/// Finds the password in `-pPW`, `--password=PW`, `mysql://user:PW@host` or `h=host,p=PW`.
fn find_password(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let range = if argument.starts_with(b"--password=") {
        b"--password=".len()..argument.len()
    } else if argument.starts_with(b"-p") {
        2..argument.len()
    } else {
        find_in_url(argument).or_else(|| find_in_dsn(argument))?
    };
    (!range.is_empty()).then_some(range)
}

fn find_in_url(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let authority = find(argument, b"://")? + 3;
    let length = argument[authority..].iter().position(|byte| b"/?".contains(byte));
    let end = length.map_or(argument.len(), |length| authority + length);
    // The last `@`, as in the URL parser. A password with an unescaped `/` extends beyond the
    // authority.
    let at = argument[authority..end].iter().rposition(|byte| *byte == b'@').map(|at| authority + at);
    let at = at.or_else(|| argument[authority..].iter().rposition(|byte| *byte == b'@').map(|at| authority + at))?;
    let colon = authority + argument[authority..at].iter().position(|byte| *byte == b':')?;
    Some(colon + 1..at)
}

fn find_in_dsn(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let offset = match argument.strip_prefix(b"--") {
        Some(option) => {
            let length = option.iter().position(|byte| *byte == b'=')?;
            SERVER_OPTIONS.iter().find(|name| name.as_bytes() == &option[..length])?;
            length + 3
        }
        None => 0,
    };
    let dsn = &argument[offset..];
    if dsn.get(1) != Some(&b'=') || !dsn[0].is_ascii_alphabetic() {
        return None;
    }
    // `\,` is part of a value. If there are several passwords, hides from the first to the last.
    let is_separator = |at: &usize| dsn[*at] == b',' && (*at == 0 || dsn[*at - 1] != b'\\');
    let ends = (0..dsn.len()).filter(is_separator).chain([dsn.len()]);
    let mut hidden: Option<std::ops::Range<usize>> = None;
    let mut start = 0;
    for end in ends {
        if dsn[start..end].starts_with(b"p=") {
            let first = hidden.map_or(start + 2, |range| range.start);
            hidden = Some(first..end);
        }
        start = (end + 1).min(dsn.len());
    }
    hidden.map(|range| offset + range.start..offset + range.end)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(argument: &str) -> String {
        hide_password(OsStr::new(argument))
    }

    #[test]
    fn finds_passwords_in_every_form() {
        for (argument, expected) in [
            ("-phunter2", "-px"),
            ("--password=hunter2", "--password=x"),
            ("mysql://root:hunter2@db.example:3307/shop", "mysql://root:x@db.example:3307/shop"),
            ("--server=mysql://root:hun@ter2@db.example", "--server=mysql://root:x@db.example"),
            ("mysql://root:hun/ter2@db.example", "mysql://root:x@db.example"),
            ("mysql://:hunter2@", "mysql://:x@"),
            ("h=db.example,p=hunter2,u=root", "h=db.example,p=x,u=root"),
            ("p=hunter2", "p=x"),
            ("S=/tmp/s,p=,p=hunter2", "S=/tmp/s,p=x"),
            ("S=/tmp/s,p=one,p=hunter2,u=root", "S=/tmp/s,p=x,u=root"),
            (r"u=a\,p=zz,S=/tmp/s,p=hunter2", r"u=a\,p=zz,S=/tmp/s,p=x"),
            ("--replica=h=db.example,p=hunter2", "--replica=h=db.example,p=x"),
            ("--apply-to=h=db.example,p=hunter2", "--apply-to=h=db.example,p=x"),
            ("--from=p=hunter2,u=root", "--from=p=x,u=root"),
            (r"--server=u=root,p=hun\,ter2,P=3307", "--server=u=root,p=x,P=3307"),
        ] {
            assert_eq!(shown(argument), expected);
        }
    }

    #[test]
    fn arguments_without_password_are_unchanged() {
        for argument in [
            "-p",
            "--password",
            "--password=",
            "mysql://root@db.example/a:b",
            "h=db.example,P=3307",
            "--precision=2%",
            "--name=p=5",
            "--set=p=5",
            "--set",
            "a,p=b",
        ] {
            assert_eq!(shown(argument), argument);
        }
    }

    #[test]
    fn options_that_take_a_server_are_known() {
        fn collect(command: &Command, names: &mut std::collections::BTreeSet<String>) {
            let takes_server = |arg: &&clap::Arg| arg.get_value_names().is_some_and(|names| names[0] == "SPEC");
            names.extend(
                command.get_arguments().filter(takes_server).filter_map(|arg| arg.get_long()).map(str::to_owned),
            );
            command.get_subcommands().for_each(|command| collect(command, names));
        }
        let mut names = std::collections::BTreeSet::new();
        collect(&crate::Cli::command(), &mut names);
        assert_eq!(names, SERVER_OPTIONS.map(str::to_owned).into());
    }

    #[test]
    fn quotes_for_a_shell() {
        for (word, expected) in [
            ("--threads=1,4", "--threads=1,4"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("mysql://root:hunter2@db/?a=1", "'mysql://root:x@db/?a=1'"),
        ] {
            assert_eq!(quote_for_shell(&hide_password(OsStr::new(word))), expected);
        }
    }

    #[test]
    fn parses_saved_command_lines_without_passwords() {
        let words = |line: &str| {
            let SavedCommandLine { words, had_password } = parse_saved(line);
            (words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>(), had_password)
        };
        let line = ["weigh", "bench", "", "a b", "it's", r"back\slash", "--set=a=$b"].map(quote_for_shell).join(" ");
        let expected = ["weigh", "bench", "", "a b", "it's", r"back\slash", "--set=a=$b"].map(str::to_owned);
        assert_eq!(words(&line), (expected.to_vec(), false));
        for (word, expected) in [
            ("--password=x", None),
            ("-px", None),
            ("-p", None),
            ("--password", None),
            ("mysql://root:x@db.example:3307/shop", Some("mysql://root@db.example:3307/shop")),
            ("--server=mysql://root:x@db", Some("--server=mysql://root@db")),
            ("h=db,p=x,u=root", Some("h=db,u=root")),
            ("p=x,h=db", Some("h=db")),
            ("--server=h=db,p=x", Some("--server=h=db")),
        ] {
            assert_eq!(
                words(&quote_for_shell(word)),
                (expected.map(str::to_owned).into_iter().collect(), true),
                "{word}"
            );
        }
    }

    #[test]
    fn attached_short_passwords_become_long() {
        let long = |argument: &str| with_long_password(OsStr::new(argument));
        assert_eq!(long("-phunter2"), "--password=hunter2");
        assert_eq!(long("-p"), "-p");
        assert_eq!(long("--precision"), "--precision");
    }

    #[test]
    fn words_after_two_hyphens_are_no_options() {
        let words = ["weigh", "-px", "--", "-px", "--"].map(OsString::from);
        assert_eq!(with_long_passwords(&words), ["weigh", "--password=x", "--", "-px", "--"]);
    }
}
