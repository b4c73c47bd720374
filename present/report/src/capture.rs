//! Report of `weigh capture`, as text and JSON.

use capture::{CaptureSummary, CapturedClass, CapturedTable};
use escape::Command;

use crate::format::json::to_json;
use crate::format::number::{DASH, count_classes, count_noun, format_percent, group_thousands};
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::format::text::{Style, push_paragraph, render_document};

/// Maximum number of classes, and of tables, in the text. The JSON document has all.
const MAX_LISTED: usize = 20;

/// Returns the capture as JSON (`schemas/capture.schema.json`).
pub fn json(captured: &CaptureSummary) -> String {
    to_json(captured)
}

/// Returns the capture for a terminal: captured classes and tables, statements that are not
/// replayed, and remarks.
pub fn text(captured: &CaptureSummary, style: Style) -> String {
    let head = [style.bold(&describe_capture(captured)), describe_share(captured)];
    let mut tables = vec![row_table(captured)];
    if !captured.classes.is_empty() {
        tables.insert(0, class_table(captured));
    }
    let mut out = render_document(&head, &tables, &[], style);
    push_paragraph("not replayed: ", &describe_not_replayed(captured), &mut out);
    let mut remarks = list_remarks(captured);
    if !captured.classes.is_empty() {
        let (folder, options) = (&captured.folder, suggest_options(&captured.source));
        let compare = Command::new("weigh workload compare").words([folder]);
        let bench = Command::new("weigh bench").option("workload", folder);
        remarks.push(format!("Next: what changes: {compare} {options}"));
        remarks.push(format!("Next: what it costs: {bench} {options}"));
    }
    for remark in remarks {
        style.push_wrapped("", "  ", &remark, &mut out);
    }
    out
}

/// Returns options for the commands that follow a capture from a server or a dump: a private server
/// of its series if `weigh` installs one, and a newer collation of that server.
fn suggest_options(source: &str) -> String {
    let series = SERIES.iter().find(|(series, ..)| {
        source.strip_prefix(series).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    });
    match series {
        Some((_, server, collation)) => format!("--server {server} --collation as-is,{collation}"),
        None => "--collation as-is,utf8mb4_unicode_ci".into(),
    }
}

/// Series of servers, their names for `--server`, and a newer collation.
const SERIES: [(&str, &str, &str); 10] = [
    ("MySQL 5.6", "mysql@5.6", "utf8mb4_unicode_520_ci"),
    ("MySQL 5.7", "mysql@5.7", "utf8mb4_unicode_520_ci"),
    ("MySQL 8.0", "mysql@8.0", "utf8mb4_0900_ai_ci"),
    ("MySQL 9", "mysql@9", "utf8mb4_0900_ai_ci"),
    ("MariaDB 10.1", "mariadb@10.1", "utf8mb4_unicode_520_ci"),
    ("MariaDB 10.2", "mariadb@10.2", "utf8mb4_unicode_520_ci"),
    ("MariaDB 10.5", "mariadb@10.5", "utf8mb4_unicode_520_ci"),
    ("MariaDB 10.11", "mariadb@10.11", "utf8mb4_uca1400_ai_ci"),
    ("MariaDB 11.4", "mariadb@11.4", "utf8mb4_uca1400_ai_ci"),
    ("MariaDB 11.8", "mariadb@11.8", "utf8mb4_uca1400_ai_ci"),
];

fn describe_capture(captured: &CaptureSummary) -> String {
    format!(
        "{}: {} and {} with {} of the schema {}, from {}",
        captured.folder,
        count_classes(captured.classes.len() as u64),
        count_noun(captured.tables.len() as u64, "table"),
        count_noun(captured.rows(), "row"),
        captured.schema,
        captured.source,
    )
}

fn describe_share(captured: &CaptureSummary) -> String {
    if captured.seen == 0 {
        return "no statements: name logs by --slow-log, --general-log or --sql, or ask the server by --digests or --history".to_owned();
    }
    format!(
        "of {} in the sources, {} ({}) {} replayed",
        count_noun(captured.seen, "statement"),
        group_thousands(captured.replayed as f64),
        format_percent(captured.replayed as f64 / captured.seen as f64),
        message::agree(captured.replayed, "is", "are"),
    )
}

fn class_table(captured: &CaptureSummary) -> Table {
    let seconds: f64 = captured.classes.iter().filter_map(|class| class.seconds).sum();
    let row = |class: &CapturedClass| {
        let share = class.seconds.filter(|_| seconds > 0.0).map(|own| format_percent(own / seconds));
        let each = class.seconds.map(|own| format!("{:.3}", own * 1e3 / class.seen.max(1) as f64));
        Row::new(vec![
            class.name.clone(),
            group_thousands(class.seen as f64),
            share.unwrap_or_else(|| DASH.to_owned()),
            each.unwrap_or_else(|| DASH.to_owned()),
            group_thousands(class.samples as f64),
        ])
    };
    let columns = vec![
        column("class", "", ColumnKind::Left),
        column("calls", "", ColumnKind::Right),
        column("share", "of time", ColumnKind::Right),
        column("ms", "per call", ColumnKind::Right),
        column("samples", "", ColumnKind::Right),
    ];
    let mut table = Table::new("Statements", columns, captured.classes.iter().take(MAX_LISTED).map(row));
    table.footer = note_unlisted(captured.classes.len(), "classes");
    table
}

fn row_table(captured: &CaptureSummary) -> Table {
    let row = |table: &CapturedTable| {
        let parents = if table.parent_rows > 0 { group_thousands(table.parent_rows as f64) } else { DASH.to_owned() };
        Row::new(vec![table.name.clone(), group_thousands(table.rows as f64), describe_portion(table), parents])
    };
    let columns = vec![
        column("table", "", ColumnKind::Left),
        column("rows", "", ColumnKind::Right),
        column("taken", "", ColumnKind::Left),
        column("referred to", "by others", ColumnKind::Right),
    ];
    let mut table = Table::new("Rows", columns, captured.tables.iter().take(MAX_LISTED).map(row));
    table.footer = note_unlisted(captured.tables.len(), "tables");
    table
}

/// Returns how much of a table was taken.
fn describe_portion(table: &CapturedTable) -> String {
    match (table.is_complete, table.estimated_rows) {
        (true, _) => "all".to_owned(),
        // A server can estimate too few rows.
        (false, Some(total)) if total <= table.rows => "all or nearly".to_owned(),
        (false, Some(total)) => format!("of about {}", group_thousands(total as f64)),
        (false, None) => "a part".to_owned(),
    }
}

fn note_unlisted(count: usize, noun: &str) -> Vec<String> {
    let left = count.saturating_sub(MAX_LISTED);
    if left > 0 { vec![format!("{left} more {noun} are in --format json")] } else { Vec::new() }
}

fn describe_not_replayed(captured: &CaptureSummary) -> Vec<String> {
    let mut reasons: Vec<(capture::Reason, u64, Vec<&str>)> = Vec::new();
    for one in &captured.not_replayed {
        match reasons.iter_mut().find(|(reason, ..)| *reason == one.reason) {
            Some((_, count, words)) => {
                *count += one.count;
                words.push(&one.subject);
            }
            None => reasons.push((one.reason, one.count, vec![&one.subject])),
        }
    }
    let line = |(reason, count, words): (capture::Reason, u64, Vec<&str>)| {
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).take(5).collect();
        let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
        format!("{} {}{words}", group_thousands(count as f64), reason.sentence(count))
    };
    reasons.into_iter().map(line).collect()
}

fn list_remarks(captured: &CaptureSummary) -> Vec<String> {
    let mut remarks = vec![format!(
        "The folder holds what the tables and statements hold of people: {} and {} of values. Only its owner can read it.",
        count_noun(captured.rows(), "row"),
        count_noun(captured.samples(), "sample"),
    )];
    if captured.tables.iter().any(|table| !table.is_complete) {
        remarks.push(
            "Rows are a sample: ranges and joins find fewer rows than on the server, histograms are of the sample, and a plan may be another. \
             --rows takes more."
                .to_owned(),
        );
    }
    if !captured.cross_schema_definitions.is_empty() {
        remarks.push(format!(
            "Left out, as a copy would reach into another schema or folder: {}.",
            captured.cross_schema_definitions.join("; ")
        ));
    }
    if !captured.other_objects.is_empty() {
        remarks.push(format!(
            "Left out, as only tables and views that are safe to open are captured: {}. Statements and defaults that use them fail on a copy.",
            captured.other_objects.join("; ")
        ));
    }
    if captured.orphans > 0 {
        remarks.push(format!(
            "{} of foreign keys {} to rows that the source does not have.",
            count_noun(captured.orphans, "value"),
            message::agree(captured.orphans, "refers", "refer")
        ));
    }
    if !captured.classes.is_empty() {
        let how = match captured.protocol {
            workload_folder::Protocol::Text => {
                "as text; --protocol prepared if the application prepares them on the server"
            }
            workload_folder::Protocol::Prepared => "prepared",
        };
        remarks.push(format!("Statements will be sent {how}."));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_verbs_agree() {
        use capture::Reason;
        assert_eq!(Reason::Command.sentence(1), "is a protocol command, not a statement");
        assert_eq!(Reason::NotRows.sentence(2), "are of a kind that is not replayed, or read no table");
    }

    /// The server's estimate of a table's rows can be lower than the number of rows taken.
    #[test]
    fn rows_beyond_the_estimate_are_all_or_nearly() {
        let portion = |rows, estimated_rows| {
            let name = "readers".to_owned();
            describe_portion(&CapturedTable { name, rows, parent_rows: 0, is_complete: false, estimated_rows })
        };
        assert_eq!(portion(10_002, Some(9_997)), "all or nearly");
        assert_eq!(portion(10_000, Some(80_112)), "of about 80,112");
        assert_eq!(portion(10_000, None), "a part");
    }

    #[test]
    fn next_commands_name_a_server_of_the_series() {
        assert_eq!(suggest_options("MySQL 8.0.12"), "--server mysql@8.0 --collation as-is,utf8mb4_0900_ai_ci");
        let mariadb = suggest_options("MariaDB 10.11.19-MariaDB");
        assert_eq!(mariadb, "--server mariadb@10.11 --collation as-is,utf8mb4_uca1400_ai_ci");
        assert_eq!(suggest_options("MySQL 8.4.3"), "--collation as-is,utf8mb4_unicode_ci");
    }
}
