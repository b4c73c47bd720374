//! Names and texts from outside, written so that they stay data.
//!
//! A table's name, an error message of a server or a value of a row can hold any character. There
//! is one function per context:
//!
//! | context | function |
//! | --- | --- |
//! | a line of text, a message | [`line()`] |
//! | a text of several lines | [`text`] |
//! | a comment of SQL, `-- …` | [`sql_comment`] |
//! | the delimiter behind a body of SQL | [`delimiter`] |
//! | a word of a shell script | [`shell_word`] |
//! | a word of a shell command that is shown | [`shown_shell_word`] |
//! | a command of weigh that is shown | [`Command`] |
//! | a value of a DSN of Percona Toolkit | [`dsn_value`] |
//! | a file name | [`file_name`], and [`original_name`] back |
//! | a field for spreadsheets | [`spreadsheet_field`] |
//!
//! SQL identifiers and strings are quoted by the crate `sql`, HTML by its templates.

mod command;
mod control;
mod file_name;
mod script;

pub use command::Command;
pub use control::{is_control, line, spreadsheet_field, text};
pub use file_name::{file_name, original_name};
pub use script::{delimiter, dsn_value, shell_word, shown_shell_word, sql_comment};

/// Names that a terminal, a SQL comment, a shell or a file system could take for more than a name,
/// for tests.
#[cfg(test)]
const NASTY: [&str; 25] = [
    "a(b",
    "a/*b",
    "a*/b",
    "a`b",
    "a'b\"c",
    "a\\",
    "$(touch x)",
    "`touch x`",
    ";touch x",
    ",h=evil",
    "x\nDROP DATABASE victim;",
    "x\r\nDROP DATABASE victim;",
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "a\u{9b}2Jb",
    "a\u{202e}b\u{2066}c\u{200f}",
    "a\0b",
    "𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜𝒜",
    "../../x",
    "/abs/path",
    "CON",
    "=1+1",
    "<img onerror=alert(1)>",
    "a\u{2028}b\u{85}c",
    "a\u{fffe}b\u{ffff}",
    "",
];
