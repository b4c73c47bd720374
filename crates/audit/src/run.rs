//! From evidence to an audit.

use crate::check::Selection;
use crate::evidence::Evidence;
use crate::finding::{Audit, Audited, Finding, Severity, Unseen};

/// Version of the format of [`Audit`].
const FORMAT: u32 = 1;

/// Asks the chosen checks. Findings come the worst first, then by check and object; those below `least` are left out.
pub fn run(evidence: &Evidence, selection: &Selection, least: Severity, weigh: &str) -> Audit {
    let mut findings: Vec<(usize, Finding)> = Vec::new();
    for (order, check) in selection.checks().iter().enumerate() {
        let found = (check.run)(evidence).into_iter().filter(|finding| finding.severity >= least);
        findings.extend(found.map(|finding| (order, finding)));
    }
    findings.sort_by(|(order, a), (other, b)| {
        b.severity.cmp(&a.severity).then(order.cmp(other)).then_with(|| a.object.cmp(&b.object))
    });
    let facts = &evidence.facts;
    let unseen = facts.unseen.iter().chain(&evidence.unseen).map(|unseen| Unseen {
        what: unseen.what.clone(),
        why: unseen.why.clone(),
        remedy: unseen.remedy.clone(),
    });
    Audit {
        format: FORMAT,
        weigh: weigh.to_owned(),
        server: Audited {
            label: facts.server.label.clone(),
            version: facts.server.version.clone(),
            schemas: facts.schemas.iter().map(|schema| schema.name.clone()).collect(),
            tables: facts.tables().count() as u64,
            columns: facts.columns().count() as u64,
            statements: evidence.statements.len() as u64,
            sampled_rows: evidence.sampled_rows,
        },
        target: evidence.target.as_ref().map(ToString::to_string),
        checks: selection.checks().iter().map(|check| check.name.to_owned()).collect(),
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
        unseen: unseen.collect(),
    }
}
