//! Findings of a rehearsal.

use check::{Object, ObjectKind, Severity};
use rehearsal::{Change, Fault, Kind, ObjectName, Unread};
use server::{Server, error_code};

use super::steps::Refusal;
use crate::checks::REHEARSAL;
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::plan::without_conversions;
use crate::program::object_kind;

/// Longest definition or statement that a finding quotes, in characters.
const MAX_QUOTED: usize = 120;

pub fn refusal_finding(job: &Job<'_>, private: &Server, refusal: &Refusal) -> Finding {
    let table = job.facts.tables().find(|table| check::table_name(&table.schema, &table.name) == refusal.object);
    let schema = refusal.object.split('.').next().unwrap_or_default().to_owned();
    let line = refusal.sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let statement: String = line.chars().take(MAX_QUOTED).collect();
    let kind = if table.is_some() { ObjectKind::Table } else { program_kind(job, refusal) };
    let others = if kind == ObjectKind::View { "the tables that it uses" } else { "what is tied to it" };
    Finding {
        what: format!("the server refuses the plan: error {}: {}", refusal.code, refusal.message),
        why: format!("tried on a private {} ({}): {statement}", private.label(), private.version()),
        action: format!("the plan leaves this out, and {others}; {}, and run preflight again", mend(refusal)),
        ..finding(
            Severity::Error,
            kind,
            &refusal.object,
            ConversionDetails {
                schema: table.map_or(schema, |table| table.schema.clone()),
                table: table.map(|table| table.name.clone()),
                target: job.targets[0].clone(),
                count: 1,
                ..ConversionDetails::default()
            },
        )
    }
}

/// Returns the kind of the program or view that a refused statement is about.
fn program_kind(job: &Job<'_>, refusal: &Refusal) -> ObjectKind {
    let mut programs =
        job.definitions.objects.iter().map(|object| &object.name).filter(|name| {
            name.kind.is_program_or_view() && check::table_name(&name.schema, &name.name) == refusal.object
        });
    let named = programs.clone().find(|name| refusal.sql.contains(&format!(" {} ", name.kind.keyword())));
    named.or_else(|| programs.next()).map_or(ObjectKind::Routine, |name| object_kind(name.kind))
}

/// Returns what makes a server accept a refused statement.
fn mend(refusal: &Refusal) -> &'static str {
    match refusal.code {
        error_code::NO_REFERENCED_ROW_2 => {
            "mend the rows that have no parent under the constraint that the error names"
        }
        _ => "change the definition",
    }
}

/// Returns the finding of a change that was not meant. A change of rows and the loss of an object
/// are errors.
pub fn change_finding(job: &Job<'_>, private: &Server, change: &Change) -> Finding {
    let common = count_common(change.before.as_deref(), change.after.as_deref());
    let quoted = |value: &Option<String>| value.as_ref().map_or("nothing".into(), |value| excerpt(value, common));
    let part = change.part.as_deref().unwrap_or("the object itself");
    let severity = match change.part.as_deref() {
        Some(part) if part.starts_with("values of ") => Severity::Error,
        None if change.after.is_none() => Severity::Error,
        _ => Severity::Warning,
    };
    Finding {
        what: format!("the plan changes {part}: {} becomes {}", quoted(&change.before), quoted(&change.after)),
        why: format!("seen on a private {} after the plan", private.label()),
        action: "see whether something depends on it, and restore it after the plan".into(),
        ..object_finding(job, severity, &change.object)
    }
}

/// Returns the finding of an object that the server can't open after the plan. It is a warning for
/// a view that can only be fixed after the plan.
pub fn broken_finding(job: &Job<'_>, private: &Server, broken: &Unread) -> Finding {
    let object = job.definitions.find(broken.name.kind, &broken.name.schema, &broken.name.name);
    let mended = object.and_then(|object| without_conversions(job, object));
    let severity = if mended.is_some() { Severity::Warning } else { Severity::Error };
    let mut finding = Finding {
        what: format!("after the plan, the server can't open it: error {}: {}", broken.code, broken.message),
        why: format!("seen on a private {} after the plan", private.label()),
        action: "the plan leaves out the tables that it uses; change its definition, and run preflight again".into(),
        ..object_finding(job, severity, &broken.name)
    };
    if let Some(create) = mended {
        finding.action = "create it again after the plan, without the CONVERT that the server wrote into it, and writes anew as long as \
                          the columns differ; with --schema, the plan does it"
            .into();
        let schema = format!("USE {}", sql::quote_identifier(&broken.name.schema));
        finding.details.statements = vec![schema, create.replacen("CREATE ", "CREATE OR REPLACE ", 1)];
    }
    finding
}

/// Returns the number of characters with which both texts begin.
fn count_common(a: Option<&str>, b: Option<&str>) -> usize {
    let (a, b) = (a.unwrap_or_default().chars(), b.unwrap_or_default().chars());
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Number of characters that an [`excerpt`] has before the first difference, unless the text begins
/// or ends nearby.
const MAX_BEFORE_DIFFERENCE: usize = 40;

/// Returns the part of a text around the character number `difference`.
fn excerpt(text: &str, difference: usize) -> String {
    let length = text.chars().count();
    if length <= MAX_QUOTED {
        return text.to_owned();
    }
    let begin = difference.saturating_sub(MAX_BEFORE_DIFFERENCE).min(length - MAX_QUOTED);
    let part: String = text.chars().skip(begin).take(MAX_QUOTED).collect();
    let (before, after) = (if begin > 0 { "…" } else { "" }, if begin + MAX_QUOTED < length { "…" } else { "" });
    format!("{before}{part}{after}")
}

pub fn fault_finding(job: &Job<'_>, private: &Server, fault: &Fault) -> Finding {
    Finding {
        what: format!("after the plan, {}", fault.what),
        why: format!("seen on a private {} after the plan", private.label()),
        action: "the plan leaves this table out; look at its definition and rows first".into(),
        ..object_finding(job, Severity::Error, &fault.object)
    }
}

/// Returns the finding of a table or program that preflight would convert again after the plan.
pub fn unconverted_finding(job: &Job<'_>, private: &Server, kind: Kind, schema: &str, name: &str) -> Finding {
    let object = ObjectName { kind, schema: schema.to_owned(), name: name.to_owned() };
    Finding {
        what: "after the plan, preflight would convert it again".into(),
        why: format!("seen on a private {} after the plan", private.label()),
        action: "look at its definition and its collations after the plan".into(),
        ..object_finding(job, Severity::Warning, &object)
    }
}

fn object_finding(job: &Job<'_>, severity: Severity, object: &ObjectName) -> Finding {
    let kind = match object.kind {
        Kind::Schema => ObjectKind::Schema,
        Kind::Table | Kind::Sequence => ObjectKind::Table,
        kind => object_kind(kind),
    };
    let name = match object.kind {
        Kind::Schema => object.schema.clone(),
        _ => check::table_name(&object.schema, &object.name),
    };
    let details = ConversionDetails {
        schema: object.schema.clone(),
        table: (object.kind == Kind::Table).then(|| object.name.clone()),
        target: job.targets[0].clone(),
        count: 1,
        ..ConversionDetails::default()
    };
    finding(severity, kind, &name, details)
}

fn finding(severity: Severity, kind: ObjectKind, name: &str, details: ConversionDetails) -> Finding {
    Finding {
        check: REHEARSAL.name.into(),
        severity,
        object: Object::new(kind, name.to_owned()),
        what: String::new(),
        why: String::new(),
        action: String::new(),
        details,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_show_the_first_difference() {
        let text = |end: &str| format!("{}{end}{}", "x".repeat(500), "y".repeat(500));
        let common = count_common(Some(&text("a")), Some(&text("b")));
        let shown = excerpt(&text("a"), common);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("xay"), "{shown}");
        assert_eq!((common, excerpt("short", 3)), (500, "short".to_owned()));
    }
}
