//! Live sessions and the character sets that they use.

use std::collections::BTreeMap;

use facts::Session;
use rules::charset::{is_narrow, modern};

use super::common::{Draft, counted};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "session-charset",
    title: "live sessions whose character sets disagree with each other or can't carry what columns hold",
    reads: &[Reading::Activity, Reading::Schemas],
    doc: "\
Sessions are grouped by account, program and character sets. Told are those whose `character_set_client` and `character_set_results` differ (what is written comes back as other bytes), and those \
that speak a narrower character set than the columns of their schema: characters become `?` on the way, without an error. A latin1 session over utf8mb4 columns is how double-encoded \
text comes about. Seen on MySQL 5.7 and later, with SELECT on performance_schema; other servers show a session's variables to that session alone. What to do: name utf8mb4 in the driver's connection options.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut groups: BTreeMap<(String, [String; 2], String), usize> = BTreeMap::new();
    for session in &evidence.facts.sessions {
        let client = modern(session.client.as_deref().unwrap_or("")).to_owned();
        let results = session
            .results
            .as_deref()
            .filter(|results| !results.is_empty())
            .map_or_else(|| client.clone(), |results| modern(results).to_owned());
        let schema = session.schema.clone().unwrap_or_default();
        *groups.entry((who(session), [client, results], schema)).or_default() += 1;
    }
    let mut findings = Vec::new();
    for ((who, [client, results], schema), count) in groups {
        let wide = widest(evidence, &schema);
        let (severity, what, why) = if client != results && results != "binary" {
            let what = format!("{}: client is {client}, results are {results}", counted(count, "session"));
            (Severity::Error, what, "What such a session writes comes back to it as other bytes.".to_owned())
        } else if is_narrow(&client) && wide.as_ref().is_some_and(|(charset, _)| !is_narrow(charset)) {
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
                name: who,
                what,
                why,
                action: "Name utf8mb4 in the driver's connection options, or SET NAMES utf8mb4 after connecting."
                    .into(),
            }
            .of(CHECK.name),
        );
    }
    findings
}

fn who(session: &Session) -> String {
    match &session.program {
        Some(program) => format!("{}@{} ({program})", session.user, session.host),
        None => format!("{}@{}", session.user, session.host),
    }
}

/// A column of the schema (of all, without one) whose character set is not narrow.
fn widest(evidence: &Evidence, schema: &str) -> Option<(String, String)> {
    let mut columns = evidence.facts.columns().filter(|(table, _)| schema.is_empty() || table.schema == schema);
    columns.find_map(|(table, column)| {
        let charset = column.charset.as_deref().filter(|charset| !is_narrow(charset))?;
        Some((charset.to_owned(), super::common::column_name(table, column)))
    })
}
