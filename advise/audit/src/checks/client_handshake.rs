//! `skip-character-set-client-handshake`.

use rules::charset::current_name;

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "client-handshake",
    title: "a server that ignores the character set that clients ask for (skip-character-set-client-handshake)",
    reads: &[Reading::Settings],
    doc: "\
No variable shows `skip-character-set-client-handshake`. The check detects it by a connection that requests utf8mb4 in its handshake and gets another character set. \
An `init_connect` that sets one has the same effect for accounts without the privilege to skip it, and is reported by the check `init-connect`. On a server whose default is utf8mb4 the option is undetectable. \
What to do: take the option out, or make sure that every client sends SET NAMES. (MySQL manual, \"Server Command Options\".)",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let server = &input.facts.server;
    let init = server.variable("init_connect").unwrap_or("").to_lowercase();
    let Some(handshake) = &server.handshake else { return Vec::new() };
    if current_name(&handshake.client) == "utf8mb4" || init.contains("names") || init.contains("character_set") {
        return Vec::new();
    }
    vec![
        Draft {
            severity: Severity::Error,
            kind: ObjectKind::Server,
            name: server.label.clone(),
            what: format!("a client that asks for utf8mb4 gets {}", handshake.client),
            why: "Clients that request a character set when they connect, as drivers do, send and receive text in a different one.".into(),
            action: "Remove skip-character-set-client-handshake from the server's options.".into(),
        }
        .into_finding(CHECK.name),
    ]
}
