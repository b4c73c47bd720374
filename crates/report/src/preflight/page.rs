//! The page: verdict first, tables by risk, collision groups to unfold, the plan to copy.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use preflight::{Finding, Report, Severity};
use sha2::{Digest, Sha256};

use super::{head, rows, script, verdict};

const STYLE: &str = concat!(include_str!("../../assets/page.css"), include_str!("../../assets/preflight.css"));
const SCRIPT: &str = include_str!("../../assets/preflight.js");

/// Nothing is loaded from anywhere, and no script runs but ours.
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

/// A table's findings, the gravest first.
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
    from: &'a str,
    advice: &'a [String],
    tools: &'a [preflight::ToolPlan],
}

/// The report as one HTML page that needs no network.
pub fn page(report: &Report) -> String {
    let worst = report.worst().filter(|severity| *severity != Severity::Notice);
    let page = Page {
        policy: &POLICY,
        style: STYLE,
        script: SCRIPT,
        weigh: env!("CARGO_PKG_VERSION"),
        title: format!("Preflight: {}", report.targets.join(", ")),
        targets: report.targets.join(", "),
        verdict: verdict(report),
        class: worst.map_or("clean", Severity::name),
        head: head(report),
        tables: by_risk(report),
        unchecked: &report.unchecked,
        notes: &report.notes,
        grids: grids(report),
        plan: report.plan.as_ref().map(|plan| PlanPart {
            script: script(plan),
            from: &plan.algorithms_from,
            advice: &plan.advice,
            tools: &plan.tools,
        }),
    };
    page.render().expect("templates write into a string, which takes every write")
}

fn grids(report: &Report) -> Vec<Grid> {
    let mut grids = vec![
        grid("columns", "Columns", rows::columns(report)),
        grid("readings", "Tables, as they were read", rows::tables(report)),
        grid("costs", "What it costs", rows::costs(report)),
    ];
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

fn grid(id: &'static str, heading: &'static str, table: crate::table::Table) -> Grid {
    let heads = table.columns.iter().map(|column| column.head.join(" ").trim().to_owned()).collect();
    Grid { id, heading, heads, rows: table.rows.into_iter().map(|row| row.fields).collect() }
}

/// Tables with findings, those with the gravest first.
fn by_risk(report: &Report) -> Vec<TablePart> {
    let mut parts: Vec<TablePart> = Vec::new();
    for finding in &report.findings {
        let name = finding
            .table
            .as_ref()
            .map_or_else(|| finding.schema.clone(), |table| format!("{}.{table}", finding.schema));
        let part = finding_part(finding);
        match parts.iter_mut().find(|known| known.name == name) {
            Some(known) => known.findings.push(part),
            // Findings come by severity, so tables come by their gravest.
            None => parts.push(TablePart { name, findings: vec![part] }),
        }
    }
    parts
}

fn finding_part(finding: &Finding) -> FindingPart {
    let listed = (finding.groups.len() + finding.examples.len()) as u64;
    FindingPart {
        class: finding.severity.name(),
        object: finding.object.clone(),
        check: finding.check.clone(),
        what: finding.what.clone(),
        why: finding.why.clone(),
        todo: finding.todo.clone(),
        groups: finding
            .groups
            .iter()
            .map(|group| GroupPart { rows: rows::group(group), apart: group.kept_apart_by.join(", ") })
            .collect(),
        examples: finding.examples.iter().map(rows::example).collect(),
        statements: finding.statements.iter().map(|statement| format!("{statement};")).collect(),
        more: if listed > 0 { finding.count.saturating_sub(listed) } else { 0 },
    }
}
