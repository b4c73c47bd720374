//! Defaults of the target.

use rules::charset::modern_collation;

use super::common::{Draft, commonest};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "target-defaults",
    title: "defaults that change with the target of --target, and what will no longer match",
    reads: &[Reading::Settings, Reading::Schemas, Reading::Target],
    doc: "\
The server's default collation (of schemas that are created there) and that of `CHARACTER SET utf8mb4` without COLLATE change from version to version: latin1_swedish_ci and utf8mb4_general_ci; utf8mb4_0900_ai_ci for both with MySQL 8.0; utf8mb4_uca1400_ai_ci with MariaDB \
11.5 and 11.6. Existing columns keep theirs, new ones get the new one: at the seam between them comparisons are refused (error 1267). Told is each default that is not what the columns \
of its character set have. What to do: set `collation_server` and `default_collation_for_utf8mb4` or `character_set_collations` on the target to what is there, until all is converted. \
From: matomo #22536, bitwarden #7600, langgraph-checkpoint-mysql #55.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let Some(target) = evidence.target else { return Vec::new() };
    let mut findings = Vec::new();
    let mut add = |name: &str, what: String, why: &str, action: String| {
        findings.push(
            Draft {
                severity: Severity::Warning,
                kind: ObjectKind::Variable,
                name: name.into(),
                what,
                why: why.into(),
                action,
            }
            .of(CHECK.name),
        );
    };
    let server = &evidence.facts.server;
    if let Some(now) =
        server.variable("collation_server").filter(|now| modern_collation(now) != target.default_collation())
    {
        add(
            "collation_server",
            format!("{now} here, {} by default in {target}", target.default_collation()),
            "Schemas and tables that are created there without a collation differ from those that are moved.",
            format!("Set collation_server = {now} there until all is converted."),
        );
    }
    let utf8mb4 = evidence.facts.columns().filter(|(_, column)| column.charset.as_deref() == Some("utf8mb4"));
    let not_binary =
        utf8mb4.filter_map(|(_, column)| column.collation.as_deref()).filter(|name| !name.ends_with("_bin"));
    if let Some((common, count)) = commonest(not_binary).filter(|(common, _)| *common != target.utf8mb4_default()) {
        let setting = match target.flavour {
            server::Flavour::MySql => format!(
                "default_collation_for_utf8mb4 takes utf8mb4_0900_ai_ci and utf8mb4_general_ci only; write COLLATE {common}."
            ),
            server::Flavour::MariaDb => format!(
                "Set character_set_collations = 'utf8mb4={common}' there (11.2 and later), or write COLLATE {common}."
            ),
        };
        add(
            "CHARACTER SET utf8mb4",
            format!(
                "without COLLATE it means {} in {target}; {count} columns here are {common}",
                target.utf8mb4_default()
            ),
            "New columns and literals meet the old columns at a seam: comparisons are refused with error 1267 or lose an index.",
            setting,
        );
    }
    findings
}
