//! HTML page of `weigh preflight`: verdict, findings by table, collision groups, and the plan.

use askama::Template;
use preflight::{Finding, Report};

use super::{conversions, head, printable_sql, rows, script, verdict, worst};
use crate::findings::{BarGroup, Bars, Filter, FindingPart, GroupPart, level, page_level, sentence};
use crate::format::number::count_noun;
use crate::format::table::Table;
use crate::frame::{Badge, Frame};
use crate::page::table::Grid;

#[derive(Template)]
#[template(path = "preflight.html")]
struct Page<'a> {
    frame: Frame,
    head: Vec<String>,
    badge: Option<Badge>,
    /// Findings by table.
    bars: Option<Bars>,
    /// The tables to convert, and how.
    conversions: Option<Grid>,
    filter: Option<Filter>,
    tables: Vec<TablePart>,
    unchecked: &'a [String],
    notes: &'a [String],
    grids: Vec<GridPart>,
    plan: Option<PlanPart<'a>>,
}

/// Findings of one table, most severe first.
struct TablePart {
    id: String,
    name: String,
    findings: Vec<FindingPart>,
}

struct GridPart {
    id: &'static str,
    heading: &'static str,
    /// Number of rows. Example: `12 rows`.
    count: String,
    body: Grid,
}

struct PlanPart<'a> {
    script: String,
    provenance: String,
    advice: &'a [String],
    tools: &'a [preflight::ToolPlan],
}

/// Tables that the first screen has room for.
const MAX_TABLES: usize = 12;

/// Returns the report as one HTML page without external resources.
pub fn page(report: &Report) -> String {
    let groups = group_by_table(report);
    let bars = groups.iter().enumerate().map(|(at, group)| bar_group(at, group)).collect();
    let page = Page {
        frame: Frame::plain(verdict(report).trim_end_matches('.')).with_level(page_level(worst(report))),
        head: head(report),
        badge: badge(report),
        bars: Bars::new("Findings by table", "table", "table", bars),
        conversions: conversions::conversion_table(report, MAX_TABLES).map(Grid::new),
        filter: Filter::new(report.findings.iter().map(|one| (one.severity, Some(one.details.schema.as_str())))),
        tables: groups.into_iter().enumerate().map(|(at, group)| table_part(at, group)).collect(),
        unchecked: &report.unchecked,
        notes: &report.notes,
        grids: grids(report),
        plan: report.plan.as_ref().map(|plan| PlanPart {
            script: printable_sql(&script(plan)),
            provenance: super::provenance(plan),
            advice: &plan.advice,
            tools: &plan.tools,
        }),
    };
    crate::frame::render(&page)
}

/// Says whether the plan was rehearsed, and whether something was left unchecked.
fn badge(report: &Report) -> Option<Badge> {
    let plan = report.plan.as_ref()?;
    let unchecked = report.unchecked.len() as u64;
    let (level, title) = match (&plan.rehearsal, unchecked) {
        (None, _) => ("fair", "Plan not rehearsed".to_owned()),
        (Some(_), 0) => ("good", "Plan rehearsed".to_owned()),
        (Some(_), count) => ("fair", format!("Plan rehearsed; {} not checked", count_noun(count, "thing"))),
    };
    Some(Badge { level, title, reasons: sentence(&super::provenance(plan)) })
}

fn grids(report: &Report) -> Vec<GridPart> {
    let mut grids = vec![
        ("costs", "What it costs", rows::cost_table(report)),
        ("columns", "Columns", rows::column_table(report)),
        ("readings", "Tables, as they were read", rows::size_table(report)),
    ];
    grids.retain(|(_, _, table)| !table.rows.is_empty());
    let part = |(id, heading, table): (&'static str, &'static str, Table)| GridPart {
        id,
        heading,
        count: count_noun(table.rows.len() as u64, "row"),
        body: Grid::new(table),
    };
    grids.into_iter().map(part).collect()
}

/// A table's name and its findings.
type TableFindings<'a> = (String, Vec<&'a Finding>);

/// Returns the tables with findings, the table with the most severe finding first.
fn group_by_table(report: &Report) -> Vec<TableFindings<'_>> {
    let mut groups: Vec<TableFindings<'_>> = Vec::new();
    for finding in &report.findings {
        let details = &finding.details;
        let name = details
            .table
            .as_ref()
            .map_or_else(|| details.schema.clone(), |table| format!("{}.{table}", details.schema));
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, findings)) => findings.push(finding),
            // Findings are sorted by severity, and so are the tables.
            None => groups.push((name, vec![finding])),
        }
    }
    groups
}

fn section_id(at: usize) -> String {
    format!("table-{}", at + 1)
}

fn bar_group(at: usize, (name, findings): &TableFindings<'_>) -> BarGroup {
    BarGroup {
        id: section_id(at),
        name: name.clone(),
        note: String::new(),
        severities: findings.iter().map(|finding| finding.severity).collect(),
    }
}

fn table_part(at: usize, (name, findings): TableFindings<'_>) -> TablePart {
    TablePart { id: section_id(at), name, findings: findings.into_iter().map(finding_part).collect() }
}

fn finding_part(finding: &Finding) -> FindingPart {
    let details = &finding.details;
    let listed = (details.groups.len() + details.examples.len()) as u64;
    FindingPart {
        level: level(finding.severity),
        schema: details.schema.clone(),
        object: finding.object.name.clone(),
        check: finding.check.clone(),
        what: finding.what.clone(),
        why: sentence(&finding.why),
        action: sentence(&finding.action),
        fix: None,
        groups: details
            .groups
            .iter()
            .map(|group| GroupPart {
                rows: rows::describe_group(group),
                apart: message::list_names(&group.distinguished_by, MAX_LISTED),
            })
            .collect(),
        examples: details.examples.iter().map(rows::describe_example).collect(),
        statements: details.statements.iter().map(|statement| format!("{statement};")).collect(),
        more: if listed > 0 { details.count.saturating_sub(listed) } else { 0 },
    }
}

/// Maximum number of collations that a group lists.
const MAX_LISTED: usize = 8;
