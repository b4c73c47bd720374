//! A server that ignores what clients ask for.

use rules::charset::modern;

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "client-handshake",
    title: "a server that ignores the character set that clients ask for (skip-character-set-client-handshake)",
    reads: &[Reading::Settings],
    doc: "\
No variable shows `skip-character-set-client-handshake`. It is seen from outside: our own connection asks for utf8mb4 in its handshake, and the session has another character set. \
An `init_connect` that sets one has the same effect for accounts without the privilege to skip it, and is told by the check `init-connect`. A server whose own default is utf8mb4 gives no sign. \
What to do: take the option out, or make sure that every client sends SET NAMES. (MySQL manual, \"Server Command Options\".)",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let server = &evidence.facts.server;
    let init = server.variable("init_connect").unwrap_or("").to_lowercase();
    let Some(handshake) = &server.handshake else { return Vec::new() };
    if modern(&handshake.client) == "utf8mb4" || init.contains("names") || init.contains("character_set") {
        return Vec::new();
    }
    vec![
        Draft {
            severity: Severity::Error,
            kind: ObjectKind::Server,
            name: server.label.clone(),
            what: format!("a client that asks for utf8mb4 gets {}", handshake.client),
            why: "Clients that name their character set when they connect, as drivers do, send and get text in another one than they think.".into(),
            action: "Remove skip-character-set-client-handshake from the server's options.".into(),
        }
        .of(CHECK.name),
    ]
}
