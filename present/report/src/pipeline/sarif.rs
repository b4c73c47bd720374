//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).

use check::Severity;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;

use super::{Finding, Findings};
use crate::format::json::to_json;

/// Characters that a path in a URI escapes.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    automation_details: AutomationDetails,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<SarifResult<'a>>,
}

/// Says what was not looked at.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'a str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    short_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help<'a>>,
}

#[derive(Serialize)]
struct Help<'a> {
    text: &'a str,
    markdown: &'a str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

/// Distinguishes the results of different commands.
#[derive(Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location<'a>; 1],
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    logical_locations: [LogicalLocation<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'a> {
    fully_qualified_name: &'a str,
    kind: &'a str,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "weigh/v1")]
    weigh: String,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: &'static str,
}

pub(super) fn write(findings: &Findings, weigh: &str) -> String {
    let rules = findings.rules.iter().map(|rule| Rule {
        id: &rule.name,
        short_description: Message { text: rule.title.clone() },
        help: (!rule.doc.is_empty()).then_some(Help { text: &rule.doc, markdown: &rule.doc }),
    });
    let notification = |unchecked: &String| Notification {
        level: "warning",
        message: Message { text: format!("not checked: {unchecked}") },
    };
    let invocation = Invocation {
        execution_successful: true,
        tool_execution_notifications: findings.unchecked.iter().map(notification).collect(),
    };
    let driver = Driver { name: "weigh", version: weigh, rules: rules.collect() };
    to_json(&Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            automation_details: AutomationDetails { id: format!("weigh {}/", findings.command) },
            column_kind: "unicodeCodePoints",
            invocations: [invocation],
            results: findings.findings.iter().map(|finding| result(finding, findings)).collect(),
        }],
    })
}

fn result<'a>(finding: &'a Finding, all: &Findings) -> SarifResult<'a> {
    let paragraphs = std::iter::once(format!("{}: {}", finding.object, finding.what));
    let details = finding.details.iter().filter(|text| !text.is_empty()).cloned();
    let physical_location = finding.place.as_ref().map(|place| PhysicalLocation {
        artifact_location: ArtifactLocation { uri: uri(&place.file) },
        region: Region { start_line: place.line },
    });
    let suppression = Suppression { kind: "external", justification: "The baseline has the finding." };
    SarifResult {
        rule_id: &finding.rule,
        rule_index: all.rules.iter().position(|rule| rule.name == finding.rule).unwrap_or(0),
        level: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: Message { text: paragraphs.chain(details).collect::<Vec<_>>().join("\n\n") },
        locations: [Location {
            physical_location,
            logical_locations: [LogicalLocation { fully_qualified_name: &finding.object, kind: &finding.object_kind }],
        }],
        partial_fingerprints: Fingerprints { weigh: finding.fingerprint() },
        baseline_state: all.has_baseline.then_some(if finding.is_known { "unchanged" } else { "new" }),
        suppressions: all.has_baseline.then(|| finding.is_known.then_some(suppression).into_iter().collect()),
    }
}

/// Returns a path as a URI reference: `a%20b.sql`, `file:///srv/a.sql`.
fn uri(path: &str) -> String {
    let escaped = utf8_percent_encode(path, ESCAPED).to_string();
    if path.starts_with('/') {
        return format!("file://{escaped}");
    }
    // A colon in the first segment would end a scheme.
    let first = escaped.split('/').next().unwrap_or_default();
    if first.contains(':') { format!("./{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        for (path, expected) in [
            ("db/schema.sql", "db/schema.sql"),
            ("a b%.sql", "a%20b%25.sql"),
            ("/srv/ü.sql", "file:///srv/%C3%BC.sql"),
            ("c:d.sql", "./c:d.sql"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
