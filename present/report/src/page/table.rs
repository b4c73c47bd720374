//! Sortable tables of figures.

use askama::Template;

use crate::format::table::{Column, ColumnKind, Highlight, Row, Table, is_undecided};

/// A table as HTML.
#[derive(Template)]
#[template(path = "table.html")]
pub(crate) struct Grid {
    table: Table,
}

impl Grid {
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Creates a table. A column is its name, and true if it contains figures.
    pub fn from_rows(title: impl Into<String>, columns: &[(&str, bool)], rows: Vec<Vec<String>>) -> Self {
        let column = |(head, figures): &(&str, bool)| Column {
            head: [String::new(), (*head).to_owned()],
            kind: if *figures { ColumnKind::Right } else { ColumnKind::Left },
        };
        let columns = columns.iter().map(column).collect();
        Self::new(Table::new(title, columns, rows.into_iter().map(Row::new)))
    }
}

impl Column {
    /// Returns the head in one line.
    fn name(&self) -> String {
        self.head.join(" ").trim().to_owned()
    }

    /// Returns the style class of a field. An undecided figure has no colour.
    fn class_of(&self, field: impl AsRef<str>) -> &'static str {
        if is_undecided(field.as_ref()) && self.kind == ColumnKind::Colored { "undecided" } else { self.class() }
    }

    fn class(&self) -> &'static str {
        match self.kind {
            ColumnKind::Left | ColumnKind::OptionalLast => "",
            ColumnKind::Colored => "judged",
            ColumnKind::Right | ColumnKind::Optional => "number",
        }
    }
}

impl Row {
    fn class(&self) -> &'static str {
        match self.highlight {
            Highlight::None => "",
            Highlight::Better => "faster",
            Highlight::Worse => "slower",
        }
    }
}
