//! The command line, taken in before anybody else can read a password off it.
//!
//! Every user of a machine can read the arguments of every process. As MySQL's own client does, a password that was
//! given there is overwritten right at the start, and it is cut from what the parser says about bad arguments.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;

use clap::Parser;

/// What stands in a password's place.
const HIDDEN: &[u8] = b"x";

/// Hides the passwords of this process's arguments and parses them. Like [`Parser::parse`], it ends the process on bad
/// arguments and on `--help`.
pub fn parse<T: Parser>() -> T {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Err(error) = hide(&arguments) {
        eprintln!("weigh: cannot hide the password of the command line from the process list: {error}");
    }
    T::try_parse_from(with_long_passwords(&arguments)).unwrap_or_else(|error| {
        let secrets: Vec<String> = arguments.iter().filter_map(|argument| secret(argument)).collect();
        if secrets.is_empty() {
            error.exit();
        }
        let message = error.render().to_string();
        eprint!("{}", secrets.iter().fold(message, |message, secret| message.replace(secret.as_str(), "x")));
        std::process::exit(error.exit_code())
    })
}

/// The arguments as the parser takes them. Behind `--` there are no options, so a string that looks like one stays as it is.
pub fn with_long_passwords(arguments: &[OsString]) -> Vec<OsString> {
    let options = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let (options, rest) = arguments.split_at(options);
    options.iter().map(|argument| with_long_password(argument)).chain(rest.iter().cloned()).collect()
}

/// MySQL's `-pPASSWORD`, as the parser takes it: it cannot tell an attached value from a password to ask for.
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

/// Overwrites the passwords where the process list shows them.
fn hide(arguments: &[OsString]) -> io::Result<()> {
    if arguments.iter().all(|argument| password(argument.as_bytes()).is_none()) {
        return Ok(());
    }
    // Our own memory as a file: std keeps no pointer into it that we could ask for, and all have read it by now.
    let memory = OpenOptions::new().write(true).open("/proc/self/mem")?;
    let mut address = start_of_arguments()?;
    for argument in arguments {
        if let Some(range) = password(argument.as_bytes()) {
            let mut shown = argument.clone().into_vec();
            shown.splice(range, HIDDEN.iter().copied());
            // The rest becomes zero bytes, so that not even the length shows.
            shown.resize(argument.len(), 0);
            memory.write_all_at(&shown, address)?;
        }
        address += argument.len() as u64 + 1;
    }
    Ok(())
}

/// The command line of this process as a shell takes it, with an `x` for each password.
pub fn shown() -> String {
    let mut words = vec!["weigh".to_owned()];
    words.extend(std::env::args_os().skip(1).map(|argument| quoted(&without_password(&argument))));
    words.join(" ")
}

/// A command line that was written down, as words.
pub struct Recorded {
    /// The words, without passwords.
    pub words: Vec<OsString>,
    /// Whether there was a password among them.
    pub had_password: bool,
}

/// Reads back what [`shown`] gave.
pub fn recorded(shown: &str) -> Recorded {
    let mut had_password = false;
    let mut words = Vec::new();
    for word in split(shown) {
        let bytes = word.as_bytes();
        let Some(range) = password(bytes) else {
            match word.as_str() {
                "-p" | "--password" => had_password = true,
                _ => words.push(word.into()),
            }
            continue;
        };
        had_password = true;
        if word.starts_with('-') && !word.starts_with("--server=") {
            continue;
        }
        // With what stands before it: the colon of a URL; `,p=` or `p=` of a DSN.
        let is_key = bytes[..range.start].ends_with(b"p=");
        let before = range.start - if is_key { 2 } else { 1 };
        let kept = [&word[..before], &word[range.end..]];
        let comma = if is_key && kept[0].ends_with(',') { kept[0].len() - 1 } else { kept[0].len() };
        let rest = if comma == kept[0].len() { kept[1].trim_start_matches(',') } else { kept[1] };
        words.push(format!("{}{rest}", &kept[0][..comma]).into());
    }
    Recorded { words, had_password }
}

/// The words of a command line as [`quoted`] writes them.
fn split(line: &str) -> Vec<String> {
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

fn without_password(argument: &OsStr) -> String {
    let mut bytes = argument.as_bytes().to_vec();
    if let Some(range) = password(&bytes) {
        bytes.splice(range, HIDDEN.iter().copied());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A word as a POSIX shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_=.,:/@%+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Field 48 of /proc/self/stat, `arg_start` (proc(5)).
fn start_of_arguments() -> io::Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field = after_name.split_ascii_whitespace().nth(45).and_then(|field| field.parse().ok());
    field.filter(|address| *address != 0).ok_or_else(|| io::Error::other("/proc/self/stat does not tell where it is"))
}

/// The password in an argument, for cutting it from messages.
fn secret(argument: &OsStr) -> Option<String> {
    let bytes = argument.as_bytes();
    Some(String::from_utf8_lossy(&bytes[password(bytes)?]).into_owned())
}

/// Where in an argument a password is: `-pPW`, `--password=PW`, `mysql://user:PW@host`, `h=host,p=PW`.
fn password(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let range = if argument.starts_with(b"--password=") {
        b"--password=".len()..argument.len()
    } else if argument.starts_with(b"-p") {
        2..argument.len()
    } else {
        in_url(argument).or_else(|| in_dsn(argument))?
    };
    (!range.is_empty()).then_some(range)
}

fn in_url(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let authority = find(argument, b"://")? + 3;
    let length = argument[authority..].iter().position(|byte| b"/?".contains(byte));
    let end = length.map_or(argument.len(), |length| authority + length);
    // The last @, as the URL's reader takes it. A password with an unescaped slash reaches beyond: then all of it.
    let at = argument[authority..end].iter().rposition(|byte| *byte == b'@').map(|at| authority + at);
    let at = at.or_else(|| argument[authority..].iter().rposition(|byte| *byte == b'@').map(|at| authority + at))?;
    let colon = authority + argument[authority..at].iter().position(|byte| *byte == b':')?;
    Some(colon + 1..at)
}

fn in_dsn(argument: &[u8]) -> Option<std::ops::Range<usize>> {
    let named = [&b"--server="[..], b"--replica="].into_iter().find_map(|option| argument.strip_prefix(option));
    let dsn = named.unwrap_or(argument);
    let offset = argument.len() - dsn.len();
    if dsn.get(1) != Some(&b'=') || !dsn[0].is_ascii_alphabetic() {
        return None;
    }
    let start = if dsn.starts_with(b"p=") { 2 } else { find(dsn, b",p=")? + 3 };
    let mut end = start;
    // A backslash keeps the comma behind it inside the value.
    while end < dsn.len() && (dsn[end] != b',' || dsn[end - 1] == b'\\') {
        end += 1;
    }
    Some(offset + start..offset + end)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(argument: &str) -> String {
        without_password(OsStr::new(argument))
    }

    #[test]
    fn a_password_is_found_in_every_form() {
        for (argument, expected) in [
            ("-phunter2", "-px"),
            ("--password=hunter2", "--password=x"),
            ("mysql://root:hunter2@db.example:3307/shop", "mysql://root:x@db.example:3307/shop"),
            ("--server=mysql://root:hun@ter2@db.example", "--server=mysql://root:x@db.example"),
            ("mysql://root:hun/ter2@db.example", "mysql://root:x@db.example"),
            ("mysql://:hunter2@", "mysql://:x@"),
            ("h=db.example,p=hunter2,u=root", "h=db.example,p=x,u=root"),
            ("p=hunter2", "p=x"),
            ("--replica=h=db.example,p=hunter2", "--replica=h=db.example,p=x"),
            (r"--server=u=root,p=hun\,ter2,P=3307", "--server=u=root,p=x,P=3307"),
        ] {
            assert_eq!(shown(argument), expected);
        }
    }

    #[test]
    fn what_holds_no_password_is_left_alone() {
        for argument in [
            "-p",
            "--password",
            "--password=",
            "mysql://root@db.example/a:b",
            "h=db.example,P=3307",
            "--precision=2%",
            "--set",
            "a,p=b",
        ] {
            assert_eq!(shown(argument), argument);
        }
    }

    #[test]
    fn a_shell_reads_back_what_is_shown() {
        for (word, expected) in [
            ("--threads=1,4", "--threads=1,4"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("mysql://root:hunter2@db/?a=1", "'mysql://root:x@db/?a=1'"),
        ] {
            assert_eq!(quoted(&without_password(OsStr::new(word))), expected);
        }
    }

    #[test]
    fn what_was_written_down_is_read_back_without_passwords() {
        let words = |line: &str| {
            let Recorded { words, had_password } = recorded(line);
            (words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>(), had_password)
        };
        let line = ["weigh", "bench", "", "a b", "it's", r"back\slash", "--set=a=$b"].map(quoted).join(" ");
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
            assert_eq!(words(&quoted(word)), (expected.map(str::to_owned).into_iter().collect(), true), "{word}");
        }
    }

    #[test]
    fn the_attached_short_form_becomes_the_long_one() {
        let long = |argument: &str| with_long_password(OsStr::new(argument));
        assert_eq!(long("-phunter2"), "--password=hunter2");
        assert_eq!(long("-p"), "-p");
        assert_eq!(long("--precision"), "--precision");
    }

    #[test]
    fn behind_two_hyphens_nothing_is_an_option() {
        let words = ["weigh", "-px", "--", "-px", "--"].map(OsString::from);
        assert_eq!(with_long_passwords(&words), ["weigh", "--password=x", "--", "-px", "--"]);
    }
}
