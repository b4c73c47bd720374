//! Tables of a preflight, and the lines below a finding.

use preflight::{CollisionGroup, Cost, Example, Finding, Report, TableReport};

use crate::format::number::group_thousands;
use crate::format::table::{ColumnKind, Row, Table, column};

/// Builds the table of columns: a line per column.
pub(super) fn column_table(report: &Report) -> Table {
    let heads = vec![
        column("", "table", ColumnKind::Left),
        column("", "column", ColumnKind::Left),
        column("", "now", ColumnKind::Left),
        column("", "then", ColumnKind::Left),
        column("", "because", ColumnKind::Left),
    ];
    let of = |table: &TableReport| {
        let name = format!("{}.{}", table.schema, table.name);
        let line = move |change: &preflight::ColumnChange| {
            let then = if change.from == change.to { "stays".into() } else { change.to.clone() };
            Row::new(vec![
                name.clone(),
                change.column.clone(),
                change.from.clone(),
                then,
                change.reason.clone().unwrap_or_default(),
            ])
        };
        table.converted.iter().chain(&table.kept).map(line).collect::<Vec<_>>()
    };
    Table::new("Columns", heads, report.tables.iter().flat_map(of))
}

/// Builds the table of the tables to convert: method of reading, and size before and after the
/// conversion.
pub(super) fn size_table(report: &Report) -> Table {
    let heads = vec![
        column("", "table", ColumnKind::Left),
        column("", "rows read", ColumnKind::Right),
        column("", "rows/s", ColumnKind::Right),
        column("data", "KiB", ColumnKind::Right),
        column("then", "KiB", ColumnKind::Right),
        column("indexes", "KiB", ColumnKind::Right),
        column("then", "KiB", ColumnKind::Right),
        column("", "as of", ColumnKind::Left),
        column("", "read", ColumnKind::Left),
    ];
    let kib = |bytes: Option<u64>| bytes.map_or("–".into(), |bytes| group_thousands((bytes / 1024) as f64));
    let line = |table: &TableReport| {
        let reading = table.reading.clone().unwrap_or_default();
        let rate =
            if reading.seconds > 0.0 { group_thousands(reading.rows as f64 / reading.seconds) } else { "–".into() };
        Row::new(vec![
            format!("{}.{}", table.schema, table.name),
            group_thousands(reading.rows as f64),
            rate,
            kib(table.size.data),
            kib(table.size.data_after),
            kib(table.size.indexes),
            kib(table.size.indexes_after),
            reading.from.replace('T', " ").replace('Z', ""),
            reading.how,
        ])
    };
    Table::new(
        "Tables, as they were read",
        heads,
        report.tables.iter().filter(|table| !table.converted.is_empty()).map(line),
    )
}

/// Builds the table of costs: a line per condition in which the collations were measured.
pub(super) fn cost_table(report: &Report) -> Table {
    let heads = vec![
        column("", "now", ColumnKind::Left),
        column("", "then", ColumnKind::Left),
        column("", "workload", ColumnKind::Left),
        column("", "server", ColumnKind::Left),
        column("throughput", "then / now", ColumnKind::Right),
        column("95 %", "interval", ColumnKind::Left),
        column("A/A", "bound", ColumnKind::Right),
        column("", "results", ColumnKind::Left),
    ];
    let line = |cost: &Cost| {
        Row::new(vec![
            cost.from.clone(),
            cost.to.clone(),
            cost.workload.clone(),
            cost.server.clone(),
            format!("{:.3}", cost.throughput),
            format!("{:.3} … {:.3}", cost.low, cost.high),
            format!("± {:.1} %", cost.aa_bound * 100.0),
            cost.results.clone(),
        ])
    };
    Table::new("What it costs", heads, report.costs.iter().map(line))
}

/// Builds the table of findings: a line per finding.
pub(super) fn finding_table(report: &Report) -> Table {
    let heads = ["severity", "object", "check", "what", "do"].map(|head| column("", head, ColumnKind::Left)).into();
    let line = |finding: &Finding| {
        let severity = finding.severity.to_string();
        let fields = [&severity, &finding.object.name, &finding.check, &finding.what, &finding.action];
        Row::new(fields.map(String::clone).to_vec())
    };
    Table::new("Findings", heads, report.findings.iter().map(line))
}

/// Builds the table of the groups and examples of all findings: a line each, and one for those that
/// are omitted.
pub(super) fn example_table(report: &Report) -> Table {
    let heads = ["object", "check", "rows"].map(|head| column("", head, ColumnKind::Left)).into();
    let lines = |finding: &Finding| {
        let head = [finding.object.name.clone(), finding.check.clone()];
        let details = &finding.details;
        let mut lines: Vec<String> = details.groups.iter().map(describe_group).collect();
        lines.extend(details.examples.iter().map(describe_example));
        let listed = lines.len() as u64;
        if listed > 0 && details.count > listed {
            lines.push(format!("and {} more (--examples N)", group_thousands((details.count - listed) as f64)));
        }
        lines.into_iter().map(|line| Row::new([&head[..], &[line]].concat())).collect::<Vec<_>>()
    };
    Table::new("Groups and examples", heads, report.findings.iter().flat_map(lines))
}

/// Returns a line per group and example, at most `most` and one line with the number of omitted
/// ones.
pub(super) fn finding_lines(finding: &Finding, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = finding.details.groups.iter().take(most).map(describe_group).collect();
    lines.extend(finding.details.examples.iter().take(most.saturating_sub(lines.len())).map(describe_example));
    let listed = lines.len() as u64;
    if finding.details.count > listed
        && listed > 0
        && finding.details.groups.len() + finding.details.examples.len() > most
    {
        let more = group_thousands((finding.details.count - listed) as f64);
        lines.push(format!("and {more} more (--examples N; --format html, markdown or json)"));
    }
    lines
}

/// Returns `'Straße' (key 1) = 'STRASSE' (key 2): ß = SS`.
pub(super) fn describe_group(group: &CollisionGroup) -> String {
    let rows: Vec<String> = group.rows.iter().map(quote_values).collect();
    let more = group.count.saturating_sub(group.rows.len() as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let why = if group.why.is_empty() { String::new() } else { format!(": {}", group.why.join(", ")) };
    format!("{}{more}{why}", rows.join(" = "))
}

fn quote_values(example: &Example) -> String {
    let values: Vec<String> = example.values.iter().map(|value| format!("'{value}'")).collect();
    if example.key.is_empty() {
        values.join(", ")
    } else {
        format!("{} (key {})", values.join(", "), example.key.join(", "))
    }
}

pub(super) fn describe_example(example: &Example) -> String {
    let note = example.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    format!("{}{note}", quote_values(example))
}
