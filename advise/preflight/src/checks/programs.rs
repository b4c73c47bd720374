//! Stored programs and views that keep an old collation.

use facts::{Program, Schema};
use rehearsal::ObjectName;

use super::{Check, CheckFunction, program_finding};
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::model::Example;
use crate::plan::{events_left_out, programs_left};
use check::{Object, ObjectKind, Reading, Severity};

pub static CHECK: Check = Check {
    name: "programs",
    title: "routines, triggers, views and events that keep an old collation",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "A routine, trigger, event or view keeps the character set and collation of the session that created it, and all but views those of \
              the schema for parameters and variables that name none. After a conversion they compare new columns with old variables: \
              error 1267 (illegal mix of collations), or an index that is no longer used. The plan creates them again. A function whose result \
              is in the schema's old character set gets the new one: RETURNS varchar(10) CHARSET latin1 would refuse or lose characters. \
              Events whose time is over, or will be within a day, keep theirs: servers drop such an event as soon as it is created (note 1588), or \
              disable it (note 1544).",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let planned = programs_left(job, &job.request);
    let mut findings: Vec<Finding> =
        job.facts.schemas.iter().filter_map(|schema| check_schema(job, schema, &planned)).collect();
    findings.extend(events_left_out(job, &job.request).into_iter().map(|event| describe_event(job, event)));
    findings
}

/// Reports an event that the plan leaves out because its time is over, or will be within a day.
fn describe_event(job: &Job<'_>, event: &rehearsal::Object) -> Finding {
    Finding {
        check: CHECK.name.into(),
        what: "the time of this event is over, or will be within a day: the plan leaves it out, and it keeps its old collation".into(),
        why: "a server drops such an event as soon as it is created (note 1588), or disables it (note 1544)".into(),
        action: "drop it if nobody needs it, or create it with a later time after the plan".into(),
        ..program_finding(job, event, Severity::Warning)
    }
}

/// A program that keeps an old collation.
struct OldProgram<'f> {
    kind: String,
    program: &'f Program,
    /// True if the plan creates it again.
    is_planned: bool,
}

fn check_schema(job: &Job<'_>, schema: &Schema, planned: &[ObjectName]) -> Option<Finding> {
    let is_converted =
        job.tables.iter().any(|table| table.table.schema == schema.name && !table.conversions.is_empty());
    if !is_converted {
        return None;
    }
    let programs = find_old_programs(job, schema, planned);
    let count = programs.len() as u64;
    let planned = programs.iter().filter(|program| program.is_planned).count() as u64;
    let examples: Vec<Example> = programs.iter().map(describe).collect();
    (count > 0).then(|| Finding {
        check: CHECK.name.into(),
        severity: Severity::Warning,
        object: Object::new(ObjectKind::Schema, schema.name.clone()),
        what: match count {
            1 => "a routine, trigger, event or view keeps an old collation".into(),
            count => format!("{count} routines, triggers, events and views keep an old collation"),
        },
        why: "where they compare a converted column with a variable of the old collation, they fail (error 1267) or can lose an index".into(),
        action: if planned == count {
            "create them again, as the plan does at its end".into()
        } else {
            format!("create them again; the plan does so at its end with {planned} of them, and can't read the others")
        },
        details: ConversionDetails {
            schema: schema.name.clone(),
            target: job.targets[0].clone(),
            count,
            examples,
            in_plan: planned == count,
            ..ConversionDetails::default()
        },
    })
}

/// Returns the programs that the plan creates again, and the ones whose definition the account
/// can't read. Programs that use nothing converted are left out.
fn find_old_programs<'f>(job: &Job<'_>, schema: &'f Schema, planned: &[ObjectName]) -> Vec<OldProgram<'f>> {
    let target = &job.targets[0];
    let keeps_old_collation = |program: &Program| {
        let is_old = |name: &str| !name.is_empty() && !name.eq_ignore_ascii_case(target);
        is_old(&program.charsets.connection) || program.charsets.database.as_deref().is_some_and(is_old)
    };
    let is_named = |name: &ObjectName, kind: &str, program: &Program| {
        name.schema == program.schema && name.name == program.name && name.kind.keyword().eq_ignore_ascii_case(kind)
    };
    let is_read = |kind: &str, program: &Program| {
        job.definitions.objects.iter().any(|object| is_named(&object.name, kind, program))
    };
    let programs = schema
        .routines
        .iter()
        .map(|routine| (routine.kind.to_lowercase(), &routine.program))
        .chain(schema.triggers.iter().map(|trigger| ("trigger".into(), &trigger.program)))
        .chain(schema.events.iter().map(|event| ("event".into(), &event.program)))
        .chain(schema.views.iter().map(|view| ("view".into(), &view.program)));
    programs
        .filter(|(_, program)| keeps_old_collation(program))
        .map(|(kind, program)| {
            let is_planned = planned.iter().any(|name| is_named(name, &kind, program));
            OldProgram { kind, program, is_planned }
        })
        .filter(|old| old.is_planned || !is_read(&old.kind, old.program))
        .collect()
}

fn describe(old: &OldProgram<'_>) -> Example {
    let charsets = &old.program.charsets;
    Example {
        key: Vec::new(),
        values: vec![old.kind.clone(), old.program.name.clone()],
        note: Some(match &charsets.database {
            Some(database) => format!("connection {}, schema {database}", charsets.connection),
            None => format!("connection {}", charsets.connection),
        }),
    }
}
