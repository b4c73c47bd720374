//! Findings of any command for a pipeline: SARIF, JUnit, and the comparison with a baseline.
//!
//! ```text
//! Audit, Report, Diagnosis, … ─ a file per command ─▶ Findings ─▶ sarif(), junit()
//!                                                        └─ mark_known(baseline) ─▶ fails()
//! ```

mod audit;
mod junit;
mod preflight;
mod result_diff;
mod sarif;
mod upgrade;
mod why;

use std::collections::BTreeSet;

use check::Severity;
use sha2::{Digest, Sha256};
pub use sql::{DumpLines, FileLine};

/// Findings of a command, in the form that all commands share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Name of the command: `audit`.
    pub command: &'static str,
    /// Server, dump or workload that was looked at.
    pub subject: String,
    /// Rules that findings refer to.
    pub rules: Vec<Rule>,
    pub findings: Vec<Finding>,
    /// Names of rules, statements or classes about which nothing was found.
    pub passed: Vec<String>,
    /// Parts that were not looked at, or not in full, with the reason. They don't count for the
    /// exit status.
    pub unchecked: Vec<String>,
    /// True if the findings were compared with a baseline.
    pub has_baseline: bool,
}

/// Kind of findings: a check, or a kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `join-mismatch`
    pub name: String,
    /// One line without a full stop.
    pub title: String,
    /// Markdown; empty if the title says all.
    pub doc: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the rule.
    pub rule: String,
    pub severity: Severity,
    /// Object or statement: `shop.orders.code`.
    pub object: String,
    /// Kind of the object: `column`.
    pub object_kind: String,
    /// The problem.
    pub what: String,
    /// Reasons and advice, a paragraph each.
    pub details: Vec<String>,
    /// Name that stays the same between runs.
    pub id: String,
    /// Ids of the objects that the finding groups; empty if it is about one.
    pub members: Vec<String>,
    pub place: Option<FileLine>,
    /// Whether the baseline has the finding.
    pub is_known: bool,
}

impl Finding {
    /// Returns the ids by which a baseline knows the finding: those of its members, if it has any.
    fn ids(&self) -> &[String] {
        if self.members.is_empty() { std::slice::from_ref(&self.id) } else { &self.members }
    }

    /// Returns `true` if a baseline has the finding, with all of its members.
    fn is_in(&self, baseline: &BTreeSet<String>) -> bool {
        self.ids().iter().all(|id| baseline.contains(id))
    }

    /// Returns the id in a form of fixed length.
    fn fingerprint(&self) -> String {
        Sha256::digest(self.id.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A report with findings.
pub trait HasFindings {
    /// Returns the findings. `lines` says on which line of the dump an object is defined, and is
    /// empty for a server.
    fn findings(&self, lines: &DumpLines) -> Findings;

    /// Removes findings by their ids, unless the rest of the report is about them, too.
    fn remove(&mut self, ids: &BTreeSet<String>);
}

impl Findings {
    fn new(command: &'static str, subject: String) -> Self {
        Self { command, subject, ..Self::default() }
    }

    pub fn ids(&self) -> BTreeSet<String> {
        self.findings.iter().flat_map(Finding::ids).cloned().collect()
    }

    /// Marks the findings that a baseline has.
    pub fn mark_known(&mut self, baseline: &BTreeSet<String>) {
        self.has_baseline = true;
        for finding in &mut self.findings {
            finding.is_known = finding.is_in(baseline);
        }
    }

    /// Returns the members that a baseline lacks, of findings that it knows in part.
    pub fn list_new_members(&self, baseline: &BTreeSet<String>) -> Vec<String> {
        let in_part = self
            .findings
            .iter()
            .filter(|finding| finding.members.iter().any(|id| baseline.contains(id)) && !finding.is_in(baseline));
        in_part.flat_map(|finding| &finding.members).filter(|id| !baseline.contains(*id)).cloned().collect()
    }

    pub fn count_known(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_known).count()
    }

    /// Returns `true` if a finding that is not known has this severity or a worse one.
    pub fn fails(&self, fail_on: Severity) -> bool {
        self.findings.iter().any(|finding| finding.fails(fail_on))
    }

    /// Returns the findings with names and texts that act on no terminal and reorder no text. Ids
    /// stay, and places, which SARIF writes as URIs.
    fn escaped(&self) -> Self {
        let line = |text: &String| escape::line(text).into_owned();
        let mut all = self.clone();
        all.subject = line(&all.subject);
        all.passed.iter_mut().chain(&mut all.unchecked).for_each(|name| *name = line(name));
        for finding in &mut all.findings {
            finding.object = line(&finding.object);
            finding.what = without_commands(&escape::text(&finding.what));
            finding.details.iter_mut().for_each(|text| *text = without_commands(&escape::text(text)));
        }
        all
    }

    /// Returns the findings as SARIF 2.1.0. `weigh` is the version of the command.
    pub fn sarif(&self, weigh: &str) -> String {
        sarif::write(&self.escaped(), weigh)
    }

    /// Returns the findings as JUnit's XML. Findings below `fail_on` are no failures.
    pub fn junit(&self, fail_on: Severity) -> String {
        junit::write(&self.escaped(), fail_on)
    }
}

impl Finding {
    fn fails(&self, fail_on: Severity) -> bool {
        !self.is_known && self.severity >= fail_on
    }
}

/// Joins lines that a runner of GitHub or Azure obeys in a log, as `::error::x` and `##[error]x`,
/// to the lines before them. A name can have line feeds.
fn without_commands(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let is_command = ["::", "##"].iter().any(|mark| line.trim_start().starts_with(mark));
        out += if is_command { "\\n" } else { "\n" };
        out += line;
    }
    out
}

/// Splits `app.sql:12` into file and line. `None` for other places.
fn parse_place(place: &str) -> Option<FileLine> {
    let (file, line) = place.rsplit_once(':')?;
    Some(FileLine { file: file.to_owned(), line: line.parse().ok().filter(|line| *line > 0)? })
}

/// Returns a place without its line, which changes when statements are added before it.
fn without_line(place: &str) -> String {
    parse_place(place).map_or_else(|| place.to_owned(), |place| place.file)
}

/// Returns a statement with single blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_escaped() {
        let nasty = "a\u{1b}[2J\u{202e}b\u{2066}";
        let mut all = Findings::new("audit", nasty.to_owned());
        all.passed.push(nasty.to_owned());
        all.unchecked.push(nasty.to_owned());
        all.findings.push(Finding {
            rule: "join-mismatch".into(),
            severity: Severity::Error,
            object: nasty.into(),
            object_kind: "column".into(),
            what: format!("{nasty}\nsecond line\n ::error::x"),
            details: vec![nasty.into()],
            id: nasty.into(),
            members: Vec::new(),
            place: Some(FileLine { file: nasty.into(), line: 1 }),
            is_known: false,
        });
        for text in [all.sarif("1"), all.junit(Severity::Warning)] {
            assert!(!text.contains(|c| escape::is_control(c) && c != '\n'), "{text}");
            assert!(!text.contains("\\u001b") && text.contains("second line"), "{text}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
        }
        let fingerprint = all.findings[0].fingerprint();
        assert!(all.sarif("1").contains(&fingerprint), "the id stays");
    }

    #[test]
    fn a_group_is_known_with_all_of_its_members() {
        let group = |members: &[&str]| Findings {
            findings: vec![Finding {
                rule: "table-mismatch".into(),
                severity: Severity::Warning,
                object: "shop".into(),
                object_kind: "schema".into(),
                what: "differ".into(),
                details: Vec::new(),
                id: "table-mismatch: shop".into(),
                members: members.iter().map(|name| format!("table-mismatch: shop: {name}")).collect(),
                place: None,
                is_known: false,
            }],
            ..Findings::new("audit", "db1".to_owned())
        };
        let baseline = group(&["a (latin1_swedish_ci)", "b (latin1_swedish_ci)"]).ids();
        let compare = |members: &[&str]| {
            let mut found = group(members);
            found.mark_known(&baseline);
            (found.count_known(), found.list_new_members(&baseline))
        };
        assert_eq!(compare(&["a (latin1_swedish_ci)", "b (latin1_swedish_ci)"]), (1, Vec::new()));
        assert_eq!(compare(&["b (latin1_swedish_ci)"]), (1, Vec::new()), "one was mended");
        let new = vec!["table-mismatch: shop: c (latin1_swedish_ci)".to_owned()];
        assert_eq!(compare(&["a (latin1_swedish_ci)", "c (latin1_swedish_ci)"]), (0, new));
        assert_eq!(compare(&["a (utf8mb3_general_ci)"]), (0, Vec::new()), "nothing of it is known");
    }

    #[test]
    fn what_was_not_checked_does_not_pass() {
        let mut all = Findings::new("audit", "db1".to_owned());
        all.unchecked.push("rows of shop.t: no right to read them".to_owned());
        assert!(!all.fails(Severity::Note));
        let sarif: serde_json::Value = serde_json::from_str(&all.sarif("1")).unwrap();
        let notification = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "not checked: rows of shop.t: no right to read them");
        let junit = all.junit(Severity::Warning);
        assert!(junit.contains("skipped=\"1\"") || junit.contains("<skipped"), "{junit}");
        assert!(junit.contains("rows of shop.t: no right to read them"), "{junit}");
    }

    #[test]
    fn places_are_files_with_lines() {
        assert_eq!(parse_place("a:b.sql:12"), Some(FileLine { file: "a:b.sql".into(), line: 12 }));
        for place in ["statement", "function app.f", "a.sql:0", "a.sql:x"] {
            assert_eq!(parse_place(place), None, "{place}");
        }
        assert_eq!(without_line("a.sql:12"), "a.sql");
    }
}
