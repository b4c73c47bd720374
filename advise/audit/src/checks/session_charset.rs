//! Sessions that send and receive in different character sets, or in a narrower one than a column
//! of their schema.

use std::collections::BTreeMap;

use facts::Session;
use rules::charset::{current_name, lacks_unicode_characters};

use super::Check;
use super::common::{Draft, counted};
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "session-charset",
    title: "live sessions whose character sets disagree with each other or can't carry what columns hold",
    reads: &[Reading::Activity, Reading::Schemas],
    doc: "\
Sessions are grouped by account, program, character sets and schema. Reports sessions whose `character_set_client` and `character_set_results` differ (text beyond ASCII is returned as other bytes than it was written; with utf8mb3 and utf8mb4, only characters beyond U+FFFF), and sessions \
with a narrower character set than the columns of their schema: characters become `?` without an error. A latin1 session over utf8mb4 columns produces double-encoded \
text. Available on MySQL 5.7 and later, with SELECT on performance_schema; other servers show a session's variables to that session alone. What to do: name utf8mb4 in the driver's connection options.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let mut groups: BTreeMap<(String, [String; 2], String), usize> = BTreeMap::new();
    for session in &input.facts.sessions {
        let client = current_name(session.client.as_deref().unwrap_or("")).to_owned();
        let results = session
            .results
            .as_deref()
            .filter(|results| !results.is_empty())
            .map_or_else(|| client.clone(), |results| current_name(results).to_owned());
        let schema = session.schema.clone().unwrap_or_default();
        *groups.entry((session_label(session), [client, results], schema)).or_default() += 1;
    }
    let mut findings = Vec::new();
    for ((label, [client, results], schema), count) in groups {
        let wide = find_wide_column(input, &schema);
        let (severity, what, why) = if client != results && results != "binary" {
            let what = format!("{}: client is {client}, results are {results}", counted(count, "session"));
            let is_utf8 = |charset: &str| matches!(charset, "utf8mb3" | "utf8mb4");
            let (severity, why) = match (is_utf8(&client) && is_utf8(&results), client.as_str()) {
                (true, "utf8mb4") => {
                    (Severity::Warning, "Characters beyond U+FFFF that such a session writes come back to it as ?.")
                }
                (true, _) => {
                    (Severity::Warning, "Such a session can't write characters beyond U+FFFF, which it reads.")
                }
                (false, _) => (
                    Severity::Error,
                    "Text beyond ASCII that such a session writes comes back to it as other bytes, or as ?.",
                ),
            };
            (severity, what, why.to_owned())
        } else if lacks_unicode_characters(&client)
            && wide.as_ref().is_some_and(|(charset, _)| !lacks_unicode_characters(charset))
        {
            let (charset, column) = wide.unwrap_or_default();
            let what = format!("{} with {client}, where columns are {charset} ({column})", counted(count, "session"));
            (Severity::Warning, what, format!("Characters that {client} lacks become ? on the way, without an error."))
        } else {
            continue;
        };
        findings.push(
            Draft {
                severity,
                kind: ObjectKind::Session,
                name: label,
                what,
                why,
                action: "Name utf8mb4 in the driver's connection options, or SET NAMES utf8mb4 after connecting."
                    .into(),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}

/// Formats a session as user, host and program: `app@10.0.0.7 (shopd)`.
fn session_label(session: &Session) -> String {
    match &session.program {
        Some(program) => format!("{}@{} ({program})", session.user, session.host),
        None => format!("{}@{}", session.user, session.host),
    }
}

/// Finds the first column whose character set has all Unicode characters, such as utf8mb4, or is
/// binary. Returns the character set and the column.
///
/// An empty `schema` means all schemas.
fn find_wide_column(input: &AuditInput, schema: &str) -> Option<(String, String)> {
    let mut columns = input.facts.columns().filter(|(table, _)| schema.is_empty() || table.schema == schema);
    columns.find_map(|(table, column)| {
        let charset = column.charset.as_deref().filter(|charset| !lacks_unicode_characters(charset))?;
        Some((charset.to_owned(), super::common::column_name(table, column)))
    })
}
