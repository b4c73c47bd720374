//! Character sets whose default collation is not the one most common among their columns.

use facts::ServerFacts;
use rules::charset::{current_collation_name, current_name};

use super::Check;
use super::common::{Draft, counted, most_common};
use crate::advice::Advice;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "charset-default",
    title: "a character set whose default collation is not the one most common among its columns",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
`CHARACTER SET utf8mb4` without COLLATE, in CREATE, CONVERT TO, CAST or an introducer, means the character set's default collation: the compiled one, or the value of \
`default_collation_for_utf8mb4` (MySQL) or `character_set_collations` (MariaDB 11.2 and later). If another collation is the most common one among the columns of that character set (`_bin` aside), comparing those columns with ones created so, \
or with CONVERT(… USING utf8mb4) except on MariaDB 11.8 and later, fails with error 1267. A `_bin` column loses its index instead. What to do: write COLLATE wherever a character set is named; on MariaDB set `character_set_collations`. \
From: dplanreaders #789, matomo #22626.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let server = &input.facts.server;
    let advice = Advice::new(input);
    let only_target = advice.only_target();
    let mut findings = Vec::new();
    for charset in &server.charsets {
        let name = current_name(&charset.name);
        let collations = || {
            input.facts.columns().filter_map(|(_, column)| {
                (current_name(column.charset.as_deref()?) == name).then_some(column.collation.as_deref()?)
            })
        };
        let Some((common, count)) = most_common(collations().filter(|collation| !collation.ends_with("_bin"))) else {
            continue;
        };
        // Of equally common collations, the one that the other checks advise.
        let advised = only_target.filter(|target| collations().filter(|name| name == target).count() == count);
        let common = advised.unwrap_or(common);
        let (default, from) = default_collation(server, name, &charset.default_collation);
        if current_collation_name(common) == current_collation_name(&default) {
            continue;
        }
        findings.push(
            Draft {
                severity: Severity::Warning,
                kind: ObjectKind::Server,
                name: format!("CHARACTER SET {name}"),
                what: format!(
                    "without COLLATE it means {default} ({from}); {count} of {} {} {common}",
                    counted(collations().count(), "column"),
                    message::agree(count, "has", "have")
                ),
                why: format!(
                    "Columns created or converted with CHARACTER SET {name} but without COLLATE will not match the existing ones: error 1267, or a lost index of a _bin column."
                ),
                action: format!("Write COLLATE {common} wherever {name} is named."),
            }
            .into_finding(CHECK.name),
        );
    }
    findings
}

/// Returns a character set's default collation in force and its origin: a variable's name, or "the
/// server's own default".
pub fn default_collation(server: &ServerFacts, charset: &str, compiled: &str) -> (String, String) {
    if let Some(collation) = server.variable("default_collation_for_utf8mb4").filter(|_| charset == "utf8mb4") {
        return (collation.to_owned(), "default_collation_for_utf8mb4".into());
    }
    let setting = server.variable("character_set_collations").unwrap_or("");
    let own = setting
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| current_name(name.trim()) == charset);
    match own {
        Some((_, collation)) => (collation.trim().to_owned(), "character_set_collations".into()),
        None => (compiled.to_owned(), "the server's own default".into()),
    }
}
