//! Servers' settings side by side.

use std::collections::{BTreeMap, BTreeSet};

use measure::{PairKind, Run, ServerInfo};

use crate::number::DASH;
use crate::table::{Column, Kind, Row, Table, column};

/// What the values of all servers take of a line together; the whole of a long one is in the page.
const VALUES: usize = 80;

fn cut(value: String, width: usize) -> String {
    if value.chars().count() <= width {
        return value;
    }
    value.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// All settings that were written down, then what the load's connections agreed on: a name, and a value a server.
pub(crate) fn side_by_side(run: &Run) -> Vec<Vec<String>> {
    let of = |group: fn(&ServerInfo) -> &BTreeMap<String, String>| -> Vec<Vec<String>> {
        let names: BTreeSet<&String> = run.servers.iter().flat_map(|server| group(server).keys()).collect();
        let row = |name: &String| {
            let value = |server| group(server).get(name).cloned().unwrap_or_else(|| DASH.into());
            std::iter::once(name.clone()).chain(run.servers.iter().map(value)).collect()
        };
        names.into_iter().map(row).collect()
    };
    [of(|server| &server.settings), of(|server| &server.agreed)].concat()
}

/// Those that differ, where servers were held against each other: they are differences beside the version.
pub(crate) fn differing(run: &Run) -> Option<Table> {
    run.pairs.iter().find(|pair| pair.kind == PairKind::Server)?;
    let differs = |row: &Vec<String>| row[1..].windows(2).any(|values| values[0] != values[1]);
    let width = VALUES / run.servers.len();
    let row = |mut row: Vec<String>| {
        row[1..].iter_mut().for_each(|value| *value = cut(std::mem::take(value), width));
        Row::plain(row)
    };
    let rows: Vec<Row> = side_by_side(run).into_iter().filter(differs).map(row).collect();
    let columns: Vec<Column> = std::iter::once("setting")
        .chain(run.servers.iter().map(|server| server.label.as_str()))
        .map(|name| column("", name, Kind::Left))
        .collect();
    let title = "What else differs between the servers: settings, and what connections agreed on".into();
    (!rows.is_empty()).then_some(Table { title, columns, rows, foot: Vec::new() })
}
