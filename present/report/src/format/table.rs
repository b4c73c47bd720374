//! Tables of plain strings. The renderers align them.

use measure::Verdict;

/// A table with title and footer lines.
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) footer: Vec<String>,
}

impl Table {
    /// Creates a table without footer.
    pub(crate) fn new(title: impl Into<String>, columns: Vec<Column>, rows: impl IntoIterator<Item = Row>) -> Self {
        Self { title: title.into(), columns, rows: rows.into_iter().collect(), footer: Vec::new() }
    }

    /// Transposes the table. The first column becomes the heads of the columns.
    pub(crate) fn transposed(self, head: &str) -> Self {
        let field = |row: &Row| column("", &row.fields[0], ColumnKind::Right);
        let columns = std::iter::once(column("", head, ColumnKind::Left)).chain(self.rows.iter().map(field)).collect();
        let row = |(index, own): (usize, &Column)| {
            let fields = self.rows.iter().map(|row| row.fields[index].clone());
            Row::new(std::iter::once(own.head.join(" ").trim().to_owned()).chain(fields).collect())
        };
        let rows = self.columns.iter().enumerate().skip(1).map(row).collect();
        Self { title: self.title, columns, rows, footer: self.footer }
    }
}

/// A column's head, in up to two lines, and its kind.
pub(crate) struct Column {
    pub(crate) head: [String; 2],
    pub(crate) kind: ColumnKind,
}

/// Alignment, colour and importance of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Left-aligned: names, and ratios with the same number of decimals.
    Left,
    /// Right-aligned: figures.
    Right,
    /// Right-aligned figures, omitted first if the table is too wide.
    Optional,
    /// Left-aligned ratios, omitted second if the table is too wide.
    OptionalLast,
    /// Left-aligned ratio in the colour of the row's highlight.
    Colored,
}

pub(crate) struct Row {
    pub(crate) fields: Vec<String>,
    pub(crate) highlight: Highlight,
}

impl Row {
    /// Creates a row without highlight.
    pub(crate) fn new(fields: Vec<String>) -> Self {
        Self { fields, highlight: Highlight::None }
    }
}

/// Beginnings of figures without colour: they show no difference, or it is unknown.
const UNDECIDED: [&str; 4] = ["same", "unclear", "?", "–"];

/// True for a figure that shows no difference or an unknown one, such as `same ± 3 %`.
pub(crate) fn is_undecided(field: &str) -> bool {
    UNDECIDED.iter().any(|start| field.starts_with(start))
}

/// Colour of a row's ratio.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Highlight {
    None,
    Better,
    Worse,
}

impl From<Verdict> for Highlight {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Less => Self::Worse,
            Verdict::More => Self::Better,
            Verdict::NoDifference { .. } | Verdict::NotMeasured => Self::None,
        }
    }
}

pub(crate) fn column(first: &str, second: &str, kind: ColumnKind) -> Column {
    Column { head: [first.into(), second.into()], kind }
}
