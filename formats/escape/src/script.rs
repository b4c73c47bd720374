//! Names in scripts that a person runs: SQL and shell commands.

use std::borrow::Cow;

use crate::control::{is_control, line};

/// Writes a text on one line for a comment of SQL, `-- …`, which a line feed would end.
pub fn sql_comment(text: &str) -> Cow<'_, str> {
    line(text)
}

/// Returns a delimiter for the command `DELIMITER` that a statement doesn't contain. It is to stand
/// on a line of its own behind the statement, so that the statement's last characters are not read
/// as its beginning.
pub fn delimiter(statement: &str) -> String {
    let candidates = ["$$", "//", ";;", "%%"].map(str::to_owned).into_iter();
    let numbered = (1..).map(|number: u32| format!("$${number}$$"));
    candidates.chain(numbered).find(|candidate| !statement.contains(candidate.as_str())).unwrap_or_default()
}

/// Writes a word for a shell script, as `'…'` if it has characters that a shell could act on. It
/// means the same to all POSIX shells. `None` for
/// a word with control characters: it would need several lines, or `$'…'`, which dash reads as `$`
/// and `'…'`.
pub fn shell_word(word: &str) -> Option<String> {
    (!word.contains(is_control)).then(|| quote(word))
}

/// Quotes a word for a command line that is shown. Control characters are escaped as [`line()`]
/// does. A word with such characters is therefore not the original one.
pub fn shown_shell_word(word: &str) -> String {
    quote(&line(word))
}

fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/@%+".contains(c);
    // zsh expands `=word`.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Escapes a value of a DSN, such as `D=shop,t=orders`: a comma would begin the next key (Percona
/// Toolkit, "DSN specifications").
pub fn dsn_value(value: &str) -> String {
    value.replace('\\', r"\\").replace(',', r"\,")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::NASTY;

    #[test]
    fn no_name_ends_a_comment() {
        assert_eq!(sql_comment("x\nDROP DATABASE victim;"), "x\\nDROP DATABASE victim;");
        for name in NASTY {
            assert_eq!(sql_comment(name).lines().count(), usize::from(!name.is_empty()), "{name:?}");
        }
    }

    #[test]
    fn delimiters_are_not_in_the_statement() {
        assert_eq!(delimiter("BEGIN END"), "$$");
        assert_eq!(delimiter("SELECT '$$'"), "//");
        assert_eq!(delimiter("$$ // ;; %% $$1$$"), "$$2$$");
    }

    #[test]
    fn every_shell_reads_the_word_that_was_quoted() {
        for name in NASTY.into_iter().chain(["t\u{1}';touch pwned;#", "a\\'b"]) {
            let word = shell_word(name);
            assert_eq!(word.is_none(), name.contains(is_control), "{name:?}");
            let (shown, expected) = (shown_shell_word(name), word.as_ref().map_or(line(name), |_| name.into()));
            for (quoted, expected) in word.iter().map(|word| (word, name)).chain([(&shown, &*expected)]) {
                let command = format!("printf %s {quoted}");
                assert_eq!(command.lines().count(), 1, "{name:?}");
                for shell in ["dash", "bash", "sh"] {
                    let output = Command::new(shell).args(["-c", &command]).output().unwrap();
                    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{shell}: {command}");
                }
            }
        }
        assert_eq!(shell_word("D=a$(x)").unwrap(), "'D=a$(x)'");
        assert_eq!(dsn_value("a,h=evil"), r"a\,h=evil");
    }
}
