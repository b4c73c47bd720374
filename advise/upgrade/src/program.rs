//! Stored programs and views on both servers.

use rehearsal::{Definitions, Kind as ObjectKind};
use server::Server;
use why::{Copy, JudgedProgram, diagnose_program, diagnose_view};

use crate::Error;
use crate::model::{Area, Finding, Kind};
use crate::script::{site_reasons, to_mend};

/// Judges the programs and views of the new server. A fault that the old server has as well becomes
/// a note. Programs and views with a plan that could not be judged are added to `unchecked`.
pub fn judge(
    source: &Server,
    target: &Server,
    definitions: &Definitions,
    notes: &mut Vec<String>,
    unchecked: &mut Vec<String>,
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let mut already: Vec<String> = Vec::new();
    for object in &definitions.objects {
        lifecycle::interrupt::check()?;
        let name = &object.name;
        let JudgedProgram { findings: found, unjudged } = faults(target, name.kind, &name.schema, &name.name)?;
        unchecked.extend(unjudged.map(|reason| format!("plans of {name}: {reason}")));
        if found.is_empty() {
            continue;
        }
        let key = |finding: &why::Finding| {
            let sites: Vec<String> = finding.sites.iter().map(|site| site.text.clone()).collect();
            (finding.kind, sites)
        };
        let known: Vec<_> = faults(source, name.kind, &name.schema, &name.name)?.findings.iter().map(key).collect();
        for fault in found {
            if known.contains(&key(&fault)) {
                if !already.contains(&name.to_string()) {
                    already.push(name.to_string());
                }
                continue;
            }
            let (kind, what) = match fault.kind {
                why::Kind::IndexLost => (Kind::Slower, "loses an index on the new server"),
                _ => (Kind::Breaks, "has an expression that the new server refuses"),
            };
            findings.push(Finding {
                kind,
                area: Area::Program,
                place: name.to_string(),
                what: what.into(),
                statement: String::new(),
                error: fault.error.clone(),
                reasons: site_reasons(&fault).into_iter().chain(fault.details.clone()).collect(),
                also: Vec::new(),
                mends: fault.remedies.into_iter().map(to_mend).collect(),
            });
        }
    }
    if !already.is_empty() {
        notes.push(format!("fail or are slow on the old server as well, see weigh audit: {}", already.join(", ")));
    }
    Ok(findings)
}

fn faults(server: &Server, kind: ObjectKind, schema: &str, name: &str) -> Result<JudgedProgram, Error> {
    let keyword = match kind {
        ObjectKind::Procedure => "PROCEDURE",
        ObjectKind::Function => "FUNCTION",
        ObjectKind::Trigger => "TRIGGER",
        ObjectKind::View => return Ok(diagnose_view(&mut Copy::new(server)?, schema, name)?),
        _ => return Ok(JudgedProgram::default()),
    };
    Ok(diagnose_program(&mut Copy::new(server)?, keyword, schema, name)?)
}
