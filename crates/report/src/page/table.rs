//! Tables of figures, whose columns a reader may sort by.

use askama::Template;

use crate::table::{Column, Kind, Mood, Row, Table};

/// A table, drawn.
#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct Grid {
    table: Table,
}

impl Grid {
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// A table of names and figures: the columns with whether they hold figures, and the rows.
    pub fn of(title: impl Into<String>, columns: &[(&str, bool)], rows: Vec<Vec<String>>) -> Self {
        let column = |(head, figures): &(&str, bool)| Column {
            head: [String::new(), (*head).to_owned()],
            kind: if *figures { Kind::Right } else { Kind::Left },
        };
        let columns = columns.iter().map(column).collect();
        Self::new(Table::new(title, columns, rows.into_iter().map(Row::plain)))
    }
}

impl Column {
    /// Its head on one line.
    fn name(&self) -> String {
        self.head.join(" ").trim().to_owned()
    }

    fn class(&self) -> &'static str {
        match self.kind {
            Kind::Left | Kind::SpareLast => "",
            Kind::Judged => "judged",
            Kind::Right | Kind::Spare => "number",
        }
    }
}

impl Row {
    fn class(&self) -> &'static str {
        match self.mood {
            Mood::Plain => "",
            Mood::Good => "faster",
            Mood::Bad => "slower",
        }
    }
}
