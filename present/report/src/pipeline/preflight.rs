//! Findings of `weigh preflight`.

use std::collections::BTreeSet;

use preflight::checks::CHECKS;
use preflight::{Finding as Own, Report};

use super::{DumpLines, Finding, Findings, HasFindings, Rule};

impl HasFindings for Report {
    fn findings(&self, lines: &DumpLines) -> Findings {
        let mut all = Findings::new("preflight", self.source.clone());
        let rule = |check: &&preflight::checks::Check| Rule {
            name: check.name.into(),
            title: check.title.into(),
            doc: check.doc.into(),
        };
        all.rules = CHECKS.iter().map(rule).collect();
        all.findings = self.findings.iter().map(|finding| convert(finding, lines)).collect();
        let has_finding =
            |check: &&&preflight::checks::Check| self.findings.iter().any(|finding| finding.check == check.name);
        all.unchecked.clone_from(&self.unchecked);
        all.passed = CHECKS.iter().filter(|check| !has_finding(check)).map(|check| check.name.to_owned()).collect();
        all
    }

    /// Keeps known findings: the verdict and the plan are about all of them.
    fn remove(&mut self, _ids: &BTreeSet<String>) {}
}

fn id(finding: &Own) -> String {
    format!("{}: {} to {}", finding.check, finding.object.name, finding.details.target)
}

fn convert(finding: &Own, lines: &DumpLines) -> Finding {
    Finding {
        rule: finding.check.clone(),
        severity: finding.severity,
        object: finding.object.name.clone(),
        object_kind: finding.object.kind.to_string(),
        what: format!("{} (to {})", finding.what, finding.details.target),
        details: vec![finding.why.clone(), finding.action.clone()],
        id: id(finding),
        place: lines.find(&finding.object.name).cloned(),
        members: Vec::new(),
        is_known: false,
    }
}
