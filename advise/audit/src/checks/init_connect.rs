//! Character sets set by `init_connect`.

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use crate::mentions::{Mention, find_mentions};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "init-connect",
    title: "init_connect that sets a character set",
    reads: &[Reading::Settings],
    doc: "\
Statements of `init_connect` run for accounts without CONNECTION_ADMIN or SUPER only, so administrators and applications use different character sets. The client's driver isn't notified \
and keeps reading and writing in the character set that it requested. What to do: name the character set in the clients. (MySQL manual, \"Server System Variables\".)",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let Some(init) = input.facts.server.variable("init_connect").filter(|init| !init.trim().is_empty()) else {
        return Vec::new();
    };
    let sets_charset =
        find_mentions(init).iter().any(|mention| matches!(mention, Mention::SetNames(_) | Mention::Charset(_)));
    let lower = init.to_lowercase();
    if !sets_charset && !lower.contains("character_set_") && !lower.contains("collation_") {
        return Vec::new();
    }
    vec![
        Draft {
            severity: Severity::Warning,
            kind: ObjectKind::Variable,
            name: "init_connect".into(),
            what: format!("it sets a character set: {init}"),
            why: "Accounts with SUPER or CONNECTION_ADMIN skip it, and drivers don't learn of it.".into(),
            action: "Name the character set in the clients, and take it out of init_connect.".into(),
        }
        .into_finding(CHECK.name),
    ]
}
