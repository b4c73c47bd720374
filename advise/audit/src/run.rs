use check::Severity;

use crate::advice::Advice;
use crate::checks::Selection;
use crate::input::AuditInput;
use crate::model::{Audit, AuditedServer, Counts, Finding, Place, Unseen};
use crate::place::Places;

/// Version of the format of [`Audit`].
const FORMAT: u32 = 1;

/// Runs the selected checks. Findings below `min_severity` are left out.
///
/// Findings are sorted by severity (the most severe first), check and object. `weigh` is the
/// version of the command.
pub fn run(input: &AuditInput, selection: &Selection, min_severity: Severity, weigh: &str) -> Audit {
    let (places, advice) = (Places::new(&input.facts), Advice::new(input));
    let mut findings: Vec<(usize, Finding)> = Vec::new();
    for (order, check) in selection.checks().iter().enumerate() {
        let severe = (check.run)(input).into_iter().filter(|finding| finding.severity >= min_severity);
        findings.extend(severe.map(|finding| (order, with_place(input, finding, &places, &advice))));
    }
    findings.sort_by(|(order, a), (other, b)| {
        b.severity.cmp(&a.severity).then(order.cmp(other)).then_with(|| a.object.cmp(&b.object))
    });
    let count = |severity| findings.iter().filter(|(_, finding)| finding.severity == severity).count();
    let counts =
        Counts { errors: count(Severity::Error), warnings: count(Severity::Warning), notes: count(Severity::Note) };
    let facts = &input.facts;
    let unseen = facts.unseen.iter().chain(&input.unseen).map(|unseen| Unseen {
        what: unseen.what.clone(),
        why: unseen.why.clone(),
        remedy: unseen.remedy.clone(),
    });
    Audit {
        format: FORMAT,
        weigh: weigh.to_owned(),
        server: AuditedServer {
            label: facts.server.label.clone(),
            version: facts.server.version.clone(),
            schemas: facts.schemas.iter().map(|schema| schema.name.clone()).collect(),
            own_schemas: facts.own_schemas.clone(),
            tables: facts.tables().count() as u64,
            columns: facts.columns().count() as u64,
            statements: input.statements.len() as u64,
            sampled_rows: input.sampled_rows,
        },
        target: input.target.as_ref().map(ToString::to_string),
        checks: selection.checks().iter().map(|check| check.name.to_owned()).collect(),
        counts,
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
        unseen: unseen.collect(),
    }
}

fn with_place(input: &AuditInput, finding: check::Finding, places: &Places<'_>, advice: &Advice<'_>) -> Finding {
    let place = places.find(&finding.check, &finding.object);
    let place = crate::fix::add_fix_and_sample(input, advice, &finding, place);
    let check::Finding { check, severity, object, what, why, action, details } = finding;
    Finding { check, severity, object, what, why, action, details: Place { members: details.members, ..place } }
}
