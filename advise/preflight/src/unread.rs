//! Objects that the server doesn't open or the account may not see. The report lists each one.

use check::{Object, ObjectKind, Severity};
use rehearsal::{Kind, Unread};
use server::error_code;

use crate::checks::UNREADABLE;
use crate::files::{NOT_READ, NOT_UNDERSTOOD};
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Job, Request};

fn requested<'j>(job: &'j Job<'_>, request: &'j Request) -> impl Iterator<Item = &'j Unread> {
    job.definitions.unread.iter().filter(|unread| request.selects_schema(&unread.name.schema))
}

/// True if the object is hidden from the account, not broken.
fn is_hidden(unread: &Unread) -> bool {
    unread.code == 0 || unread.code == error_code::PROCACCESS_DENIED_ERROR || error_code::is_access_denied(unread.code)
}

/// Returns a line for each object that was left out.
pub fn unread_lines(job: &Job<'_>, request: &Request) -> Vec<String> {
    let line = |unread: &Unread| {
        let remedy = match (unread.name.kind, is_hidden(unread)) {
            (_, true) if unread.code == error_code::PROCACCESS_DENIED_ERROR => format!(
                "; the account lacks EXECUTE (GRANT EXECUTE ON {}.* TO this account)",
                sql::quote_identifier(&unread.name.schema)
            ),
            (Kind::Table, true) => format!(
                " (GRANT SELECT ON {} TO this account)",
                sql::quote_table(&unread.name.schema, &unread.name.name)
            ),
            (_, true) => " (create it again by hand)".to_owned(),
            _ => String::new(),
        };
        match unread.code {
            NOT_READ => format!("{}: not read: {}", unread.name, unread.message),
            _ => format!("{}: left out: {}{remedy}", unread.name, unread.message),
        }
    };
    requested(job, request).map(line).collect()
}

fn what_happened(unread: &Unread) -> String {
    match unread.code {
        NOT_READ => format!("not all of the dump was read: {}", unread.message),
        NOT_UNDERSTOOD => format!("its definition was not understood: {}", unread.message),
        code if error_code::is_access_denied(code) => {
            format!("this account may not read it: error {code}: {}", unread.message)
        }
        0 => unread.message.clone(),
        code => {
            let kind = unread.name.kind.keyword().to_lowercase();
            format!("the server can't open this {kind}: error {code}: {}", unread.message)
        }
    }
}

/// Returns a finding for each object that the server can't open, or whose definition was not
/// understood, for each table with statements of a dump that were not, and for each requested table
/// that is hidden from the account. Objects other than tables are reported as views.
pub fn unread_findings(job: &Job<'_>, request: &Request) -> Vec<Finding> {
    let finding = |unread: &Unread| Finding {
        check: UNREADABLE.name.into(),
        severity: Severity::Warning,
        object: Object::new(
            if unread.name.kind == Kind::Table { ObjectKind::Table } else { ObjectKind::View },
            check::table_name(&unread.name.schema, &unread.name.name),
        ),
        what: what_happened(unread),
        why: match unread.code {
            NOT_READ => "keys, columns and rows that it adds or changes were not checked".into(),
            _ => "it was not checked, and the plan leaves it out".into(),
        },
        action: match unread.code {
            NOT_READ => "load the dump into a server, and run preflight there".into(),
            _ if is_hidden(unread) => format!(
                "GRANT SELECT ON {} TO this account, then run preflight again",
                sql::quote_table(&unread.name.schema, &unread.name.name)
            ),
            error_code::VIEW_INVALID => {
                "grant what its definer or this account lacks, or repair or drop it, then run preflight again".into()
            }
            _ => "repair or drop it, then run preflight again".into(),
        },
        details: ConversionDetails {
            schema: unread.name.schema.clone(),
            table: Some(unread.name.name.clone()),
            target: job.targets[0].clone(),
            count: 1,
            ..ConversionDetails::default()
        },
    };
    let is_requested_table = |unread: &Unread| {
        unread.name.kind == Kind::Table
            && request.columns.is_empty()
            && request.selects_table(&unread.name.schema, &unread.name.name)
    };
    let is_reported = |unread: &&Unread| !is_hidden(unread) || is_requested_table(unread);
    requested(job, request).filter(is_reported).map(finding).collect()
}
