//! Findings of `weigh upgrade`.

use std::collections::BTreeSet;

use check::Severity;
use upgrade::{Finding as Own, Kind, Report};

use super::{DumpLines, Finding, Findings, HasFindings, Rule, one_line, parse_place, without_line};

const KINDS: [(Kind, Severity, &str, &str); 5] = [
    (Kind::Breaks, Severity::Error, "breaks", "what works on the old server and is refused by the new one"),
    (Kind::Slower, Severity::Warning, "slower", "statements that lose an index on the new server"),
    (Kind::Differs, Severity::Warning, "differs", "collations, rows or orders that differ on the new server"),
    (Kind::NextMigration, Severity::Warning, "next-migration", "migrations that the new server would refuse"),
    (Kind::FailsAlready, Severity::Note, "fails-already", "what fails on the old server as well"),
];

impl HasFindings for Report {
    fn findings(&self, lines: &DumpLines) -> Findings {
        let mut all = Findings::new("upgrade", format!("{} to {}", self.from.version, self.to.version));
        let rule = |(_, _, name, title): (Kind, Severity, &str, &str)| Rule {
            name: name.into(),
            title: title.into(),
            doc: String::new(),
        };
        all.rules = KINDS.map(rule).into();
        all.findings = self.findings.iter().map(|finding| convert(finding, lines)).collect();
        let has_finding = |kind: Kind| self.findings.iter().any(|finding| finding.kind == kind);
        let passed = KINDS.iter().filter(|(kind, ..)| !has_finding(*kind));
        all.unchecked.clone_from(&self.unchecked);
        all.passed = passed.map(|(_, _, name, _)| (*name).to_owned()).collect();
        all
    }

    fn remove(&mut self, ids: &BTreeSet<String>) {
        self.findings.retain(|finding| !ids.contains(&id(finding)));
    }
}

fn describe(kind: Kind) -> (Severity, &'static str) {
    let known = KINDS.iter().find(|(known, ..)| *known == kind);
    known.map_or((Severity::Error, "breaks"), |(_, severity, name, _)| (*severity, *name))
}

fn id(finding: &Own) -> String {
    let place = without_line(&finding.place);
    format!("{}: {place}: {}: {}", describe(finding.kind).1, finding.what, one_line(&finding.statement))
}

fn convert(finding: &Own, lines: &DumpLines) -> Finding {
    let (severity, rule) = describe(finding.kind);
    let mends = finding.mends.iter().map(|mend| match mend.sql.as_slice() {
        [] => format!("Tried and works: {}", mend.what),
        sql => format!("Tried and works: {}: {}", mend.what, sql.join("; ")),
    });
    // `function app.f` is found by its name.
    let name = finding.place.rsplit(' ').next().unwrap_or_default();
    Finding {
        rule: rule.into(),
        severity,
        object: finding.place.clone(),
        object_kind: if finding.statement.is_empty() { "object" } else { "statement" }.into(),
        what: finding.what.clone(),
        details: finding.error.iter().chain(&finding.reasons).cloned().chain(mends).collect(),
        id: id(finding),
        place: parse_place(&finding.place).or_else(|| lines.find(name).cloned()),
        members: Vec::new(),
        is_known: false,
    }
}
