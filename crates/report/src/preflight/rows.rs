//! Tables, and the lines below a finding.

use preflight::{Cost, Example, Finding, Group, Report, TableReport};

use crate::number::grouped;
use crate::table::{Kind, Row, Table, column};

/// A line a column.
pub(super) fn columns(report: &Report) -> Table {
    let heads = vec![
        column("", "table", Kind::Left),
        column("", "column", Kind::Left),
        column("", "now", Kind::Left),
        column("", "then", Kind::Left),
        column("", "because", Kind::Left),
    ];
    let of = |table: &TableReport| {
        let name = format!("{}.{}", table.schema, table.name);
        let line = move |change: &preflight::ColumnChange| {
            let then = if change.from == change.to { "stays".into() } else { change.to.clone() };
            Row::plain(vec![
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

/// A line a table: how it was read, and its size before and after.
pub(super) fn tables(report: &Report) -> Table {
    let heads = vec![
        column("", "table", Kind::Left),
        column("", "rows read", Kind::Right),
        column("", "rows/s", Kind::Right),
        column("data", "KiB", Kind::Right),
        column("then", "KiB", Kind::Right),
        column("indexes", "KiB", Kind::Right),
        column("then", "KiB", Kind::Right),
        column("", "as of", Kind::Left),
        column("", "read", Kind::Left),
    ];
    let kib = |bytes: Option<u64>| bytes.map_or("–".into(), |bytes| grouped((bytes / 1024) as f64));
    let line = |table: &TableReport| {
        let reading = table.reading.clone().unwrap_or_default();
        let rate = if reading.seconds > 0.0 { grouped(reading.rows as f64 / reading.seconds) } else { "–".into() };
        Row::plain(vec![
            format!("{}.{}", table.schema, table.name),
            grouped(reading.rows as f64),
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

/// A line a condition in which a conversion's collations were measured.
pub(super) fn costs(report: &Report) -> Table {
    let heads = vec![
        column("", "now", Kind::Left),
        column("", "then", Kind::Left),
        column("", "workload", Kind::Left),
        column("", "server", Kind::Left),
        column("throughput", "then / now", Kind::Right),
        column("95 %", "interval", Kind::Left),
        column("A/A", "bound", Kind::Right),
        column("", "results", Kind::Left),
    ];
    let line = |cost: &Cost| {
        Row::plain(vec![
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

/// A line a finding.
pub(super) fn findings(report: &Report) -> Table {
    let heads = ["severity", "object", "check", "what", "do"].map(|head| column("", head, Kind::Left)).into();
    let line = |finding: &Finding| {
        let fields = [finding.severity.name(), &finding.object, &finding.check, &finding.what, &finding.todo];
        Row::plain(fields.map(str::to_owned).to_vec())
    };
    Table::new("Findings", heads, report.findings.iter().map(line))
}

/// Groups and examples, a line each, at most so many.
pub(super) fn details(finding: &Finding, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = finding.groups.iter().take(most).map(group).collect();
    lines.extend(finding.examples.iter().take(most.saturating_sub(lines.len())).map(example));
    let listed = lines.len() as u64;
    if finding.count > listed && listed > 0 && finding.groups.len() + finding.examples.len() > most {
        lines.push(format!("and {} more", grouped((finding.count - listed) as f64)));
    }
    lines
}

/// `'Straße' (id 1) = 'STRASSE' (id 2): ß = SS`.
pub(super) fn group(group: &Group) -> String {
    let rows: Vec<String> = group.rows.iter().map(named).collect();
    let more = group.count.saturating_sub(group.rows.len() as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let why = if group.why.is_empty() { String::new() } else { format!(": {}", group.why.join(", ")) };
    format!("{}{more}{why}", rows.join(" = "))
}

fn named(example: &Example) -> String {
    let values: Vec<String> = example.values.iter().map(|value| format!("'{value}'")).collect();
    if example.key.is_empty() {
        values.join(", ")
    } else {
        format!("{} (key {})", values.join(", "), example.key.join(", "))
    }
}

pub(super) fn example(example: &Example) -> String {
    let note = example.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    format!("{}{note}", named(example))
}
