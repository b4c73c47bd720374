//! Faults of a workload folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The workload can run; part of it has no effect.
    Warning,
    /// The workload can't run.
    Error,
}

/// Number of faults after which schema.sql is not checked further, and of refused files after which
/// rows/ is not: finding a line, or a similar name, takes time.
pub(crate) const MAX_FAULTS: usize = 1000;

/// A fault of a workload folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    pub severity: Severity,
    /// File name relative to the workload folder.
    pub file: String,
    /// Line, from 1; row number for a Parquet file. `None` for the whole file.
    pub line: Option<u64>,
    /// Column in characters, from 1; `None` for the whole line.
    pub column: Option<u64>,
    /// Description of the fault.
    pub message: String,
}

/// Name and version of the JSON format that this version of `weigh` writes.
pub(crate) const CHECK_FORMAT: &str = "weighbridge-workload-check/1";

/// Result of `weigh workload check` (`--format json`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderCheck {
    /// Name and version of the format.
    pub format: String,
    /// Path of the workload folder.
    pub folder: String,
    /// Name of the workload.
    pub name: Option<String>,
    /// Number of tables in schema.sql.
    pub tables: u64,
    /// Number of rows in rows/.
    pub rows: u64,
    /// Number of statement classes.
    pub statements: u64,
    /// Number of samples of all classes.
    pub samples: u64,
    /// Faults in the order of the files.
    pub faults: Vec<Fault>,
}

impl Fault {
    /// Returns `file:line:column`, without unknown parts.
    pub fn location(&self) -> String {
        let places = [self.line, self.column].into_iter().flatten().map(|place| format!(":{place}"));
        self.file.clone() + &places.collect::<String>()
    }

    /// Creates an error about a whole file.
    pub(crate) fn error(file: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, file: file.to_owned(), line: None, column: None, message: message.into() }
    }

    pub(crate) fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    pub(crate) fn line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// Sets line and column from a byte offset in the file's text.
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
        write!(f, "{}: {severity}: {}", self.location(), self.message)
    }
}

/// Returns "; did you mean X?" for the most similar name, or an empty text if none is similar.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let distance = |name: &&str| strsim::damerau_levenshtein(&name.to_lowercase(), &given.to_lowercase());
    let near = known.into_iter().min_by_key(distance).filter(|name| distance(name) <= given.chars().count() / 3 + 1);
    near.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_faults_as_compilers_do() {
        let fault = Fault::error("a.sql", "no such table").at("x\nSELÉCT t", 9);
        assert_eq!(fault.to_string(), "a.sql:2:7: error: no such table");
        assert_eq!(Fault::error("a.csv", "x").line(3).warning().to_string(), "a.csv:3: warning: x");
        assert_eq!(Fault::error("a", "x").at("", 99).to_string(), "a:1:1: error: x");
    }

    #[test]
    fn suggests_similar_names() {
        assert_eq!(did_you_mean("custmers", ["orders", "customers"]), "; did you mean customers?");
        assert_eq!(did_you_mean("x", ["orders"]), "");
    }
}
