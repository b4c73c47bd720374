//! Stored programs and views on both servers.

use rehearsal::{Definitions, Kind as ObjectKind, ObjectName, Unread};
use server::Server;
use why::{Copy, JudgedProgram, Refusal, Refused, diagnose_program, diagnose_view};

use crate::load::Lost;
use crate::mend::{WRONG_VALUE_FOR_VARIABLE, propose};
use crate::model::{Area, Finding, Kind, Mend};
use crate::script::{one_line, site_reasons, to_mend};
use crate::side::version;
use crate::{Error, function, grouped};

/// Judges the programs and views of the new server. Adds to `notes` which of them have a fault that
/// the old server has as well, and to `unchecked` those with a plan that could not be judged.
/// `lost` are objects that the new server lacks. `unread` are objects that the old server does not
/// read: their faults fail already.
pub fn judge(
    (source, target): (&Server, &Server),
    (definitions, unread): (&Definitions, &[Unread]),
    lost: &mut Lost,
    (notes, unchecked): (&mut Vec<String>, &mut Vec<String>),
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    let mut already: Vec<String> = Vec::new();
    for object in &definitions.objects {
        lifecycle::interrupt::check()?;
        let name = &object.name;
        findings.extend(refused_statements(source, target, name, lost)?);
        if let Some(keyword) = keyword(name.kind) {
            findings.extend(grouped::judge_program((source, target), keyword, name)?);
        }
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
        let refusal = unread.iter().find(|one| one.name == *name).map(|one| one.message.as_str());
        for fault in found {
            if known.contains(&key(&fault)) {
                if !already.contains(&name.to_string()) {
                    already.push(name.to_string());
                }
                continue;
            }
            let (kind, what) = match (refusal, fault.kind) {
                (Some(refusal), why::Kind::IndexLost) => {
                    let slow = "the new server takes it, without an index";
                    (Kind::FailsAlready, format!("fails on the old server already ({refusal}); {slow}"))
                }
                (Some(refusal), _) => (Kind::FailsAlready, format!("fails on the old server already ({refusal})")),
                (None, why::Kind::IndexLost) => (Kind::Slower, "loses an index on the new server".into()),
                (None, _) => (Kind::Breaks, "has an expression that the new server refuses".into()),
            };
            findings.push(Finding {
                kind,
                area: Area::Program,
                place: name.to_string(),
                what,
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

/// Reports the statements of a program or view that the new server alone refuses, for any reason
/// but collations. The program is not called.
fn refused_statements(
    source: &Server,
    target: &Server,
    name: &ObjectName,
    lost: &mut Lost,
) -> Result<Vec<Finding>, Error> {
    let mut copy = Copy::new(target)?;
    let mut new = refused(&mut copy, name)?;
    new.retain(|one| !lost.is_consequence(&one.refusal));
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let old = refused(&mut Copy::new(source)?, name)?;
    new.retain(|one| !old.iter().any(|other| one.is_same(other)));
    let mut findings: Vec<Finding> = Vec::new();
    for one in new {
        let error = one.refusal.to_string();
        if let Some(known) = findings.iter_mut().find(|finding| finding.error.as_ref() == Some(&error)) {
            known.also.push(one_line(&one.text));
            continue;
        }
        findings.push(Finding {
            kind: Kind::Breaks,
            area: Area::Program,
            place: name.to_string(),
            what: "loads, and has a statement that the new server refuses when it is run".into(),
            statement: one.text.clone(),
            error: Some(error),
            reasons: Vec::new(),
            also: Vec::new(),
            mends: mends(&mut copy, &one)?,
        });
    }
    Ok(findings)
}

fn refused(copy: &mut Copy<'_>, name: &ObjectName) -> Result<Vec<Refused>, Error> {
    let ObjectName { schema, name, kind } = name;
    Ok(match kind {
        ObjectKind::View => why::refused_in_view(copy, schema, name)?,
        kind => match keyword(*kind) {
            Some(keyword) => why::refused_in_program(copy, keyword, schema, name)?,
            None => Vec::new(),
        },
    })
}

/// Finds what the server takes in place of a refused statement, else gives advice on a function or
/// SQL mode that the server lacks.
pub fn mends(copy: &mut Copy<'_>, refused: &Refused) -> Result<Vec<Mend>, Error> {
    let target = version(copy.server());
    // No word is asked for: a program with an unquoted reserved word as a name is not loaded at
    // all.
    let rewrites = propose(&target, &refused.text, &refused.refusal, "", &mut |_| false);
    for rewrite in rewrites {
        let Some(text) = rewrite.text else { continue };
        if why::is_taken(copy, refused, &text)? {
            return Ok(vec![Mend { what: rewrite.what, sql: vec![text], effects: rewrite.effects, left: None }]);
        }
    }
    let missing = function::find_all_missing(&mut copy.server().connect_patiently()?, &refused.text);
    let advice = function::advise(&refused.text, &refused.refusal, &missing);
    Ok(advice.or_else(|| describe_mode(&refused.refusal)).into_iter().collect())
}

/// Advice on a value of `sql_mode` that the server does not take.
fn describe_mode(refusal: &Refusal) -> Option<Mend> {
    let mode = refusal.message.rsplit('\'').nth(1).filter(|_| refusal.code == WRONG_VALUE_FOR_VARIABLE)?;
    Some(Mend { what: format!("Set it without {mode}, which the new server does not have"), ..Mend::default() })
}

fn keyword(kind: ObjectKind) -> Option<&'static str> {
    match kind {
        ObjectKind::Procedure => Some("PROCEDURE"),
        ObjectKind::Function => Some("FUNCTION"),
        ObjectKind::Trigger => Some("TRIGGER"),
        ObjectKind::Event => Some("EVENT"),
        _ => None,
    }
}

fn faults(server: &Server, kind: ObjectKind, schema: &str, name: &str) -> Result<JudgedProgram, Error> {
    if kind == ObjectKind::View {
        return Ok(diagnose_view(&mut Copy::new(server)?, schema, name)?);
    }
    let Some(keyword) = keyword(kind) else { return Ok(JudgedProgram::default()) };
    Ok(diagnose_program(&mut Copy::new(server)?, keyword, schema, name)?)
}
