//! What a character set without COLLATE means.

use rules::charset::{modern, modern_collation};

use super::common::{Draft, commonest, counted};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "charset-default",
    title: "a character set whose default collation is not the one that columns have",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "\
`CHARACTER SET utf8mb4` without COLLATE, in CREATE, CONVERT TO, CAST or an introducer, takes the character set's default collation: the compiled one, or that of \
`default_collation_for_utf8mb4` (MySQL) or `character_set_collations` (MariaDB 11.2 and later). Where most columns of that character set have another one, new columns and \
literals will not match them: error 1267, lost indexes. What to do: write COLLATE wherever a character set is named; on MariaDB set `character_set_collations`. \
From: dproofreaders #789, matomo #22626.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let server = &evidence.facts.server;
    let mut findings = Vec::new();
    for charset in &server.charsets {
        let name = modern(&charset.name);
        let of_charset = || {
            evidence.facts.columns().filter_map(|(_, column)| {
                (modern(column.charset.as_deref()?) == name).then_some(column.collation.as_deref()?)
            })
        };
        let Some((common, count)) = commonest(of_charset().filter(|collation| !collation.ends_with("_bin"))) else {
            continue;
        };
        let (default, from) = in_force(evidence, name, &charset.default_collation);
        if modern_collation(common) == modern_collation(&default) {
            continue;
        }
        findings.push(
            Draft {
                severity: Severity::Warning,
                kind: ObjectKind::Server,
                name: format!("CHARACTER SET {name}"),
                what: format!(
                    "without COLLATE it means {default} ({from}); {} of {} have {common}",
                    count,
                    counted(of_charset().count(), "column")
                ),
                why: "New columns, and CONVERT TO CHARACTER SET without COLLATE, will not match those that are there: error 1267 or a lost index.".into(),
                action: format!("Write COLLATE {common} wherever {name} is named."),
            }
            .of(CHECK.name),
        );
    }
    findings
}

/// The default collation in force, and where it is from.
fn in_force(evidence: &Evidence, charset: &str, compiled: &str) -> (String, String) {
    let server = &evidence.facts.server;
    if let Some(collation) = server.variable("default_collation_for_utf8mb4").filter(|_| charset == "utf8mb4") {
        return (collation.to_owned(), "default_collation_for_utf8mb4".into());
    }
    let set = server.variable("character_set_collations").unwrap_or("");
    let of_charset =
        set.split(',').filter_map(|pair| pair.split_once('=')).find(|(name, _)| modern(name.trim()) == charset);
    match of_charset {
        Some((_, collation)) => (collation.trim().to_owned(), "character_set_collations".into()),
        None => (compiled.to_owned(), "the server's own default".into()),
    }
}
