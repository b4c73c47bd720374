//! Findings of `weigh why`.

use std::collections::BTreeSet;

use check::Severity;
use why::{Diagnosis, Finding as Own, Judged, Kind};

use super::{DumpLines, Finding, Findings, HasFindings, Rule, one_line, parse_place, without_line};
use crate::why::{FOLDS, NUMBERS, cause};

const KINDS: [(Kind, &str, &str); 9] = [
    (Kind::Refused, "refused", "statements whose texts the server refuses to combine"),
    (Kind::WrongCollate, "wrong-collate", "COLLATE clauses that do not fit the character set"),
    (Kind::Unknown, "unknown-collation", "collations or character sets that the server does not have"),
    (
        Kind::IndexLost,
        "index-lost",
        "statements that lose an index to a conversion of collations, to LOWER or UPPER, or to a number compared with text",
    ),
    (Kind::KeyTooLong, "key-too-long", "keys that are too long in their character set"),
    (Kind::TooWide, "too-wide", "columns and rows that are too long in their character set"),
    (Kind::Duplicates, "duplicates", "values that become equal where they must differ"),
    (Kind::ForeignKey, "foreign-key", "columns of foreign keys whose character sets or collations differ"),
    (Kind::Unrepresentable, "unrepresentable", "characters that have no place in the column's character set"),
];

impl HasFindings for Diagnosis {
    fn findings(&self, _lines: &DumpLines) -> Findings {
        let mut all = Findings::new("why", format!("{} ({})", self.server, self.version));
        let rule =
            |(_, name, title): (Kind, &str, &str)| Rule { name: name.into(), title: title.into(), doc: String::new() };
        all.rules = KINDS.map(rule).into();
        for judged in &self.statements {
            all.findings.extend(judged.findings.iter().map(|finding| convert(judged, finding)));
            let statement = format!("{}: {}", judged.place, one_line(&judged.text));
            if judged.is_unjudged {
                all.unchecked.push(format!("the plan of {statement}"));
            } else if judged.findings.is_empty() {
                all.passed.push(statement);
            }
        }
        all
    }

    fn remove(&mut self, ids: &BTreeSet<String>) {
        for judged in &mut self.statements {
            let findings = std::mem::take(&mut judged.findings);
            judged.findings = findings.into_iter().filter(|finding| !ids.contains(&id(judged, finding))).collect();
        }
    }
}

fn name(kind: Kind) -> &'static str {
    KINDS.iter().find(|(known, ..)| *known == kind).map_or("refused", |(_, name, _)| name)
}

fn id(judged: &Judged, finding: &Own) -> String {
    let sites: Vec<String> = finding.sites.iter().map(|site| one_line(&site.text)).collect();
    let place = without_line(&judged.place);
    format!("{}: {place}: {}: {}", name(finding.kind), one_line(&judged.text), sites.join(", "))
}

fn convert(judged: &Judged, finding: &Own) -> Finding {
    let sites = finding.sites.iter().map(|site| {
        let sides = site.sides.iter().map(|side| format!("{} is {} ({})", side.text, side.collation, side.source));
        format!("{}: {}", one_line(&site.text), sides.collect::<Vec<_>>().join("; "))
    });
    let remedies = finding.remedies.iter().map(|remedy| match remedy.sql.as_slice() {
        [] => format!("Tried and works: {}", remedy.what),
        sql => format!("Tried and works: {}: {}", remedy.what, sql.join("; ")),
    });
    let title = KINDS.iter().find(|(kind, ..)| *kind == finding.kind).map_or("", |(.., title)| title);
    Finding {
        rule: name(finding.kind).into(),
        severity: if finding.kind == Kind::IndexLost { Severity::Warning } else { Severity::Error },
        object: one_line(&judged.text),
        object_kind: "statement".into(),
        what: finding.error.clone().unwrap_or_else(|| match finding.kind {
            Kind::IndexLost => match cause(finding) {
                FOLDS => "LOWER or UPPER hides a column from its index",
                NUMBERS => "a number is compared with text, for which no index serves",
                _ => "a conversion of collations keeps the server from using an index",
            }
            .into(),
            _ => format!("one of the {title}"),
        }),
        details: sites.chain(finding.details.iter().cloned()).chain(remedies).collect(),
        id: id(judged, finding),
        place: parse_place(&judged.place),
        members: Vec::new(),
        is_known: false,
    }
}
