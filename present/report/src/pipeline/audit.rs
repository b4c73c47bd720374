//! Findings of `weigh audit`.

use std::collections::BTreeSet;

use audit::{Audit, CHECKS, ObjectKind, Place};

use super::{DumpLines, Finding, Findings, HasFindings, Rule, parse_place, without_line};

impl HasFindings for Audit {
    fn findings(&self, lines: &DumpLines) -> Findings {
        let mut all = Findings::new("audit", self.server.label.clone());
        let ran = CHECKS.iter().filter(|check| self.checks.iter().any(|name| name == check.name));
        all.rules = ran
            .map(|check| Rule { name: check.name.into(), title: check.title.into(), doc: check.doc.into() })
            .collect();
        all.findings = self.findings.iter().map(|finding| convert(finding, lines)).collect();
        let has_finding = |name: &&String| self.findings.iter().any(|finding| finding.check == **name);
        all.unchecked = self.unseen.iter().map(|unseen| format!("{}: {}", unseen.what, unseen.why)).collect();
        all.passed = self.checks.iter().filter(|name| !has_finding(name)).cloned().collect();
        all
    }

    fn remove(&mut self, ids: &BTreeSet<String>) {
        self.findings.retain(|finding| !convert(finding, &DumpLines::default()).is_in(ids));
    }
}

/// Returns the id of a finding. It has no line of a statement, which changes when others are added
/// before it. A group with another member has another id.
fn id(finding: &audit::Finding) -> String {
    if finding.object.kind == ObjectKind::Statement {
        return format!("{}: {}: {}", finding.check, without_line(&finding.object.name), finding.what);
    }
    let Place { id, members, .. } = &finding.details;
    if members.is_empty() { id.clone() } else { format!("{id}: {}", members.join(", ")) }
}

fn convert(finding: &audit::Finding, lines: &DumpLines) -> Finding {
    let object = &finding.object;
    Finding {
        rule: finding.check.clone(),
        severity: finding.severity,
        object: object.name.clone(),
        object_kind: object.kind.to_string(),
        what: finding.what.clone(),
        details: vec![finding.why.clone(), finding.action.clone()],
        id: id(finding),
        members: finding.details.members.iter().map(|name| format!("{}: {name}", finding.details.id)).collect(),
        place: lines.find(&object.name).cloned().or_else(|| parse_place(&object.name)),
        is_known: false,
    }
}
