//! HTML page of `weigh preflight`: verdict, tables by severity, collision groups, and the plan.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use preflight::{Finding, Report, Severity, severity_name};
use sha2::{Digest, Sha256};

use super::{head, rows, script, verdict};

const STYLE: &str = concat!(include_str!("../../assets/page.css"), include_str!("../../assets/preflight.css"));
const SCRIPT: &str = include_str!("../../assets/preflight.js");

/// Content security policy: loads nothing, and runs only [`SCRIPT`].
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
});

#[derive(Template)]
#[template(path = "preflight.html")]
struct Page<'a> {
    policy: &'a str,
    style: &'a str,
    script: &'a str,
    weigh: &'a str,
    title: String,
    targets: String,
    verdict: String,
    class: &'static str,
    head: Vec<String>,
    tables: Vec<TablePart>,
    unchecked: &'a [String],
    notes: &'a [String],
    grids: Vec<Grid>,
    plan: Option<PlanPart<'a>>,
}

/// Findings of one table, most severe first.
struct TablePart {
    name: String,
    findings: Vec<FindingPart>,
}

struct FindingPart {
    class: &'static str,
    object: String,
    check: String,
    what: String,
    why: String,
    todo: String,
    groups: Vec<GroupPart>,
    examples: Vec<String>,
    statements: Vec<String>,
    more: u64,
}

struct GroupPart {
    rows: String,
    apart: String,
}

struct Grid {
    id: &'static str,
    heading: &'static str,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

struct PlanPart<'a> {
    script: String,
    from: String,
    advice: &'a [String],
    tools: &'a [preflight::ToolPlan],
}

/// Returns the report as one HTML page without external resources.
pub fn page(report: &Report) -> String {
    let worst = report.worst().filter(|severity| *severity > Severity::Note);
    let page = Page {
        policy: &POLICY,
        style: STYLE,
        script: SCRIPT,
        weigh: env!("CARGO_PKG_VERSION"),
        title: format!("Preflight: {}", report.targets.join(", ")),
        targets: report.targets.join(", "),
        verdict: verdict(report),
        class: worst.map_or("clean", severity_name),
        head: head(report),
        tables: group_by_table(report),
        unchecked: &report.unchecked,
        notes: &report.notes,
        grids: grids(report),
        plan: report.plan.as_ref().map(|plan| PlanPart {
            script: script(plan),
            from: super::provenance(plan),
            advice: &plan.advice,
            tools: &plan.tools,
        }),
    };
    page.render().expect("templates write into a string, which takes every write")
}

fn grids(report: &Report) -> Vec<Grid> {
    let mut grids = vec![
        grid("columns", "Columns", rows::column_table(report)),
        grid("readings", "Tables, as they were read", rows::size_table(report)),
        grid("costs", "What it costs", rows::cost_table(report)),
    ];
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

fn grid(id: &'static str, heading: &'static str, table: crate::format::table::Table) -> Grid {
    let heads = table.columns.iter().map(|column| column.head.join(" ").trim().to_owned()).collect();
    Grid { id, heading, heads, rows: table.rows.into_iter().map(|row| row.fields).collect() }
}

/// Returns the tables with findings, the table with the most severe finding first.
fn group_by_table(report: &Report) -> Vec<TablePart> {
    let mut parts: Vec<TablePart> = Vec::new();
    for finding in &report.findings {
        let details = &finding.details;
        let name = details
            .table
            .as_ref()
            .map_or_else(|| details.schema.clone(), |table| format!("{}.{table}", details.schema));
        let part = finding_part(finding);
        match parts.iter_mut().find(|known| known.name == name) {
            Some(known) => known.findings.push(part),
            // Findings are sorted by severity, and so are the tables.
            None => parts.push(TablePart { name, findings: vec![part] }),
        }
    }
    parts
}

fn finding_part(finding: &Finding) -> FindingPart {
    let details = &finding.details;
    let listed = (details.groups.len() + details.examples.len()) as u64;
    FindingPart {
        class: severity_name(finding.severity),
        object: finding.object.name.clone(),
        check: finding.check.clone(),
        what: finding.what.clone(),
        why: finding.why.clone(),
        todo: finding.action.clone(),
        groups: details
            .groups
            .iter()
            .map(|group| GroupPart { rows: rows::describe_group(group), apart: group.distinguished_by.join(", ") })
            .collect(),
        examples: finding.details.examples.iter().map(rows::describe_example).collect(),
        statements: finding.details.statements.iter().map(|statement| format!("{statement};")).collect(),
        more: if listed > 0 { finding.details.count.saturating_sub(listed) } else { 0 },
    }
}
