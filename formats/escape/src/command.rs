//! Commands that are printed for a shell.

use std::fmt;

use crate::control::is_control;
use crate::shown_shell_word;

/// A command line of weigh for messages and findings, with each value quoted for a shell.
///
/// `weigh preflight --schema shop --table 'a;b' --column=-c`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command(String);

impl Command {
    /// Begins a command with words of the program's own: `weigh preflight`.
    pub fn new(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// Adds words, each quoted as an argument.
    #[must_use]
    pub fn words<T: AsRef<str>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        for word in words {
            self.0 += " ";
            self.0 += &shown_shell_word(word.as_ref());
        }
        self
    }

    /// Adds `--name value`, or `--name=value` for a value that looks like an option.
    #[must_use]
    pub fn option(self, name: &'static str, value: &str) -> Self {
        match value.starts_with('-') {
            true => self.words([format!("--{name}={value}")]),
            false => self.words([&format!("--{name}"), value]),
        }
    }

    /// Adds an option that takes names with commas between them. `None` if a name can't be given
    /// that way: it has a comma, or a control character, which is shown escaped.
    pub fn names(self, name: &'static str, values: &[&str]) -> Option<Self> {
        let is_unfit = |value: &&str| value.contains(|c: char| c == ',' || is_control(c));
        (!values.iter().any(is_unfit)).then(|| self.option(name, &values.join(",")))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;
    use crate::{NASTY, line};

    #[test]
    fn every_shell_reads_the_values_that_were_given() {
        for name in NASTY.into_iter().chain(["-rf", "--plan=/tmp/x", "a b"]) {
            let command = Command::new("show preflight").option("table", name).words([name]).to_string();
            assert_eq!(command.lines().count(), 1, "{name:?}");
            let option = if name.starts_with('-') {
                format!("--table={}", line(name))
            } else {
                format!("--table\n{}", line(name))
            };
            let expected = format!("preflight\n{option}\n{}\n", line(name));
            for shell in ["dash", "bash"] {
                let script = format!("show() {{ printf '%s\\n' \"$@\"; }}; {command}");
                let output = process::Command::new(shell).args(["-c", &script]).output().unwrap();
                assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{shell}: {command}");
            }
        }
    }

    #[test]
    fn names_that_an_option_would_split_have_no_command() {
        let command = |names: &[&str]| Command::new("weigh").names("table", names).map(|command| command.to_string());
        assert_eq!(command(&["a", "b c"]).unwrap(), "weigh --table 'a,b c'");
        assert_eq!(command(&["a,b"]), None);
        assert_eq!(command(&["a\nb"]), None);
    }
}
