//! Findings on a page: a block for each, counts by group with bars, and a filter.

use askama::Template;
use check::Severity;

use crate::format::number::count_noun;

/// A finding as a block of HTML.
#[derive(Template)]
#[template(path = "finding.html")]
pub(crate) struct FindingPart {
    pub level: &'static str,
    /// Schema of the object. Empty for the server.
    pub schema: String,
    pub check: String,
    pub object: String,
    pub what: String,
    pub why: String,
    pub action: String,
    /// Command or statement that fixes the finding and can be run without changes.
    pub fix: Option<String>,
    pub groups: Vec<GroupPart>,
    pub examples: Vec<String>,
    pub statements: Vec<String>,
    /// Number of examples that are not listed.
    pub more: u64,
}

/// Rows that become equal.
pub(crate) struct GroupPart {
    pub rows: String,
    pub apart: String,
}

/// Returns the style class of a severity, which is also its name.
pub(crate) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Returns the style class of a page's heading.
pub(crate) fn page_level(worst: Option<Severity>) -> &'static str {
    worst.filter(|severity| *severity > Severity::Note).map_or("clean", level)
}

/// Returns a text that ends in one full stop. An empty text stays empty.
pub(crate) fn sentence(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{}.", text.trim_end_matches('.')) }
}

/// Counts of findings by group, with a bar each: the picture of a page of findings.
#[derive(Template)]
#[template(path = "bars.html")]
pub(crate) struct Bars {
    title: String,
    head: &'static str,
    rows: Vec<BarRow>,
    /// Rows after the first [`MAX_BARS`], in words.
    rest: Option<String>,
}

struct BarRow {
    /// Id of the section with the findings.
    id: String,
    name: String,
    note: String,
    /// Number of findings of each severity, the worst first.
    counts: [usize; 3],
    /// Length of each part of the bar in percent.
    lengths: [f64; 3],
}

/// Rows that the first screen has room for.
const MAX_BARS: usize = 10;
const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// A group of findings: its section's id, its name, and a note.
pub(crate) struct BarGroup {
    pub id: String,
    pub name: String,
    pub note: String,
    pub severities: Vec<Severity>,
}

impl Bars {
    /// Counts the findings of groups. `None` without a group.
    pub fn new(title: impl Into<String>, head: &'static str, noun: &str, groups: Vec<BarGroup>) -> Option<Self> {
        let most = groups.iter().map(|group| group.severities.len()).max()?;
        let rest = groups.len().saturating_sub(MAX_BARS);
        let row = |group: BarGroup| {
            let count = |severity| group.severities.iter().filter(|one| **one == severity).count();
            let counts = SEVERITIES.map(count);
            let lengths = counts.map(|count| count as f64 * 100.0 / most as f64);
            BarRow { id: group.id, name: group.name, note: group.note, counts, lengths }
        };
        Some(Self {
            title: title.into(),
            head,
            rows: groups.into_iter().take(MAX_BARS).map(row).collect(),
            rest: (rest > 0).then(|| format!("{} below", count_noun(rest as u64, &format!("more {noun}")))),
        })
    }
}

/// Form that shows findings of chosen severities and of one schema. Hidden without scripts.
#[derive(Template)]
#[template(path = "filter.html")]
pub(crate) struct Filter {
    levels: Vec<(&'static str, usize)>,
    schemas: Vec<(String, usize)>,
}

impl Filter {
    /// Offers the severities and schemas of the findings. `None` if there is nothing to choose.
    pub fn new<'a>(findings: impl Iterator<Item = (Severity, Option<&'a str>)>) -> Option<Self> {
        let findings: Vec<_> = findings.collect();
        let count = |severity: Severity| findings.iter().filter(|(one, _)| *one == severity).count();
        let levels: Vec<_> = SEVERITIES.map(|severity| (level(severity), count(severity))).into();
        let levels: Vec<_> = levels.into_iter().filter(|(_, count)| *count > 0).collect();
        let mut schemas: Vec<(String, usize)> = Vec::new();
        for schema in findings.iter().filter_map(|(_, schema)| *schema) {
            match schemas.iter_mut().find(|(known, _)| known == schema) {
                Some((_, count)) => *count += 1,
                None => schemas.push((schema.to_owned(), 1)),
            }
        }
        schemas.sort();
        (findings.len() > 1 && (levels.len() > 1 || schemas.len() > 1)).then_some(Self { levels, schemas })
    }
}
