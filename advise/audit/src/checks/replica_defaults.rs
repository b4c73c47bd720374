//! Replicas with different defaults or missing collations.

use facts::Replica;
use rules::charset::current_collation_name;

use super::Check;
use super::common::Draft;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "replica-defaults",
    title: "replicas whose defaults differ, or that lack a collation",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
Replicas named by --replica are compared with the server: `character_set_server`, `collation_server`, `default_collation_for_utf8mb4`, `character_set_collations`, and \
whether they have every collation that columns use. Replicated statements carry the source's values of these variables (seen in the binary logs of MySQL 9.7 and MariaDB 11.8), but what is created on the replica itself, or after it has become the source, has its own. A statement with a collation that the replica lacks stops replication. \
What to do: give them the same defaults; name collations in DDL. MySQL takes `default_collation_for_utf8mb4` in no option file. From: MySQL bugs 47673 and 116834; MySQL manual, \"Replication and Character Sets\".",
    run,
};

const VARIABLES: [&str; 4] =
    ["character_set_server", "collation_server", "default_collation_for_utf8mb4", "character_set_collations"];

fn run(input: &AuditInput) -> Vec<Finding> {
    input.facts.replication.replicas.iter().flat_map(|replica| check_replica(input, replica)).collect()
}

fn check_replica(input: &AuditInput, replica: &Replica) -> Vec<Finding> {
    let server = &input.facts.server;
    let mut findings = Vec::new();
    for name in VARIABLES {
        let (here, there) = (server.variable(name), replica.variables.get(name).map(String::as_str));
        if let (Some(here), Some(there)) = (here, there)
            && current_collation_name(here) != current_collation_name(there)
        {
            findings.push(replica_finding(
                replica,
                Severity::Warning,
                format!("{name} is {there}, on the source {here}"),
                "Replicated statements carry the source's value; what is created without a collation on the replica, or once it is the source, gets the replica's.",
                match name {
                    "default_collation_for_utf8mb4" => {
                        format!("SET PERSIST {name} = '{here}' there: no option file takes it.")
                    }
                    _ => format!("SET GLOBAL {name} = '{here}' there, and in its option file."),
                },
            ));
        }
    }
    let mut missing: Vec<String> = input.facts.columns().filter_map(|(_, column)| column.collation.clone()).collect();
    missing.sort();
    missing.dedup();
    missing.retain(|name| {
        !replica.collations.iter().any(|there| current_collation_name(there) == current_collation_name(name))
    });
    for collation in missing {
        findings.push(replica_finding(
            replica,
            Severity::Error,
            format!("it lacks {collation}, which columns have"),
            "A statement that names it stops replication.",
            "Convert those columns to a collation that both have, or upgrade the replica.".into(),
        ));
    }
    findings
}

fn replica_finding(replica: &Replica, severity: Severity, what: String, why: &str, action: String) -> Finding {
    Draft { severity, kind: ObjectKind::Replica, name: replica.label.clone(), what, why: why.into(), action }
        .into_finding(CHECK.name)
}
