//! Replicas that are set up otherwise.

use facts::Replica;
use rules::charset::modern_collation;

use super::common::Draft;
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "replica-defaults",
    title: "replicas whose defaults differ, or that lack a collation",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
Replicas that are named by --replica are held against the server: `character_set_server`, `collation_server`, `default_collation_for_utf8mb4`, `character_set_collations`, and \
whether they have every collation that columns use. A CREATE TABLE without a collation makes another table there; one with a collation that the replica lacks stops replication. \
What to do: give them the same defaults; name collations in DDL. From: MySQL bugs 47673 and 116834; MySQL manual, \"Replication and Character Sets\".",
    run,
};

const VARIABLES: [&str; 4] =
    ["character_set_server", "collation_server", "default_collation_for_utf8mb4", "character_set_collations"];

fn run(evidence: &Evidence) -> Vec<Finding> {
    evidence.facts.replication.replicas.iter().flat_map(|replica| of_replica(evidence, replica)).collect()
}

fn of_replica(evidence: &Evidence, replica: &Replica) -> Vec<Finding> {
    let server = &evidence.facts.server;
    let mut findings = Vec::new();
    for name in VARIABLES {
        let (here, there) = (server.variable(name), replica.variables.get(name).map(String::as_str));
        if let (Some(here), Some(there)) = (here, there)
            && modern_collation(here) != modern_collation(there)
        {
            findings.push(draft(
                replica,
                Severity::Warning,
                format!("{name} is {there}, on the source {here}"),
                "Objects that are created without a collation differ between the two.",
                format!("SET GLOBAL {name} = '{here}' there, and in its option file."),
            ));
        }
    }
    let mut lacking: Vec<String> =
        evidence.facts.columns().filter_map(|(_, column)| column.collation.clone()).collect();
    lacking.sort();
    lacking.dedup();
    lacking.retain(|name| !replica.collations.iter().any(|there| modern_collation(there) == modern_collation(name)));
    for collation in lacking {
        findings.push(draft(
            replica,
            Severity::Error,
            format!("it lacks {collation}, which columns have"),
            "A statement that names it stops replication.",
            "Convert those columns to a collation that both have, or upgrade the replica.".into(),
        ));
    }
    findings
}

fn draft(replica: &Replica, severity: Severity, what: String, why: &str, action: String) -> Finding {
    Draft { severity, kind: ObjectKind::Replica, name: replica.label.clone(), what, why: why.into(), action }
        .of(CHECK.name)
}
