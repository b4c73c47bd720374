//! Server settings side by side.

use std::collections::{BTreeMap, BTreeSet};

use measure::{PairKind, Run, ServerInfo};

use crate::format::number::DASH;
use crate::format::table::{Column, ColumnKind, Row, Table, column};

/// Width in characters of all values in a row together. The HTML page has the full values.
const VALUES_WIDTH: usize = 80;

fn truncate(value: String, width: usize) -> String {
    if value.chars().count() <= width {
        return value;
    }
    value.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Returns a row per setting: the name, and the value on each server. Rows of settings that the
/// connections agreed on come last.
pub(crate) fn settings_by_server(run: &Run) -> Vec<Vec<String>> {
    let rows_of = |group: fn(&ServerInfo) -> &BTreeMap<String, String>| -> Vec<Vec<String>> {
        let names: BTreeSet<&String> = run.servers.iter().flat_map(|server| group(server).keys()).collect();
        let row = |name: &String| {
            let value = |server| group(server).get(name).cloned().unwrap_or_else(|| DASH.into());
            std::iter::once(name.clone()).chain(run.servers.iter().map(value)).collect()
        };
        names.into_iter().map(row).collect()
    };
    [rows_of(|server| &server.settings), rows_of(|server| &server.agreed)].concat()
}

/// Builds the table of settings that differ between servers. `None` without a cross-server pair,
/// and if no setting differs.
pub(crate) fn differing_settings(run: &Run) -> Option<Table> {
    run.pairs.iter().find(|pair| pair.kind == PairKind::Server)?;
    let differs = |row: &Vec<String>| row[1..].windows(2).any(|values| values[0] != values[1]);
    let width = VALUES_WIDTH / run.servers.len();
    let row = |mut row: Vec<String>| {
        row[1..].iter_mut().for_each(|value| *value = truncate(std::mem::take(value), width));
        Row::new(row)
    };
    let rows: Vec<Row> = settings_by_server(run).into_iter().filter(differs).map(row).collect();
    let columns: Vec<Column> = std::iter::once("setting")
        .chain(run.servers.iter().map(|server| server.label.as_str()))
        .map(|name| column("", name, ColumnKind::Left))
        .collect();
    let title = "What else differs between the servers: settings, and what connections agreed on".into();
    (!rows.is_empty()).then_some(Table { title, columns, rows, footer: Vec::new() })
}
