//! What is wrong with a folder, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The workload runs; something in it has no effect.
    Warning,
    /// The workload can't run.
    Error,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// How bad it is.
    pub severity: Severity,
    /// The file, from the workload's folder on.
    pub file: String,
    /// Line, from 1, of a Parquet file the row; absent where the file as a whole is meant.
    pub line: Option<u64>,
    /// Column in characters, from 1; absent where the line as a whole is meant.
    pub column: Option<u64>,
    /// What is wrong, in a sentence.
    pub message: String,
}

/// What `weigh workload check` found (`--format json`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// The folder.
    pub folder: String,
    /// The workload's name.
    pub name: Option<String>,
    /// Tables of schema.sql.
    pub tables: u64,
    /// Rows in rows/.
    pub rows: u64,
    /// Classes of statements.
    pub statements: u64,
    /// Samples of values, all classes together.
    pub samples: u64,
    /// Faults in the order of the files.
    pub faults: Vec<Fault>,
}

impl Fault {
    /// `file:line:column`, as far as they are known.
    pub fn place(&self) -> String {
        let places = [self.line, self.column].into_iter().flatten().map(|place| format!(":{place}"));
        self.file.clone() + &places.collect::<String>()
    }

    /// About a file as a whole.
    pub(crate) fn error(file: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, file: file.to_owned(), line: None, column: None, message: message.into() }
    }

    /// The same as a warning.
    pub(crate) fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// On a line.
    pub(crate) fn line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// At a byte of the file's text.
    pub(crate) fn at(self, text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[begin..].chars().count() as u64 + 1;
        Self { line: Some(line), column: Some(column), ..self }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{}: {severity}: {}", self.place(), self.message)
    }
}

/// "; did you mean X?", where a name is near.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let distance = |name: &&str| strsim::damerau_levenshtein(&name.to_lowercase(), &given.to_lowercase());
    let near = known.into_iter().min_by_key(distance).filter(|name| distance(name) <= given.chars().count() / 3 + 1);
    near.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_its_place_as_compilers_do() {
        let fault = Fault::error("a.sql", "no such table").at("x\nSELÉCT t", 9);
        assert_eq!(fault.to_string(), "a.sql:2:7: error: no such table");
        assert_eq!(Fault::error("a.csv", "x").line(3).warning().to_string(), "a.csv:3: warning: x");
        assert_eq!(Fault::error("a", "x").at("", 99).to_string(), "a:1:1: error: x");
    }

    #[test]
    fn near_names_are_offered() {
        assert_eq!(nearest("custmers", ["orders", "customers"]), "; did you mean customers?");
        assert_eq!(nearest("x", ["orders"]), "");
    }
}
