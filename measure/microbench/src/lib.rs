//! The workload `microbench`: many small statement classes, each with one kind of work on text.
//!
//! Written as a workload folder, which several commands take. Tables and
//! values depend only on [`Options`].
//!
//! ```text
//! schema.sql      tables, a trigger and a function
//! rows/           rows of people; the other files repeat some of its columns
//! statements/     for each item of CLASSES its text and, if it has parameters, samples
//! ```

mod classes;
mod values;

use std::path::Path;

use sql::Value;
use workload::Text;
use workload_folder::{Cell, CellType, Column, FORMAT, FolderWriter, Manifest, StatementHeader, WriteError};

pub use classes::{CLASSES, Class};

use values::Values;

/// Name of the workload on the command line and in reports.
pub const NAME: &str = "microbench";

/// Tables, trigger and function.
const SCHEMA: &str = include_str!("schema.sql");

/// Samples of each statement class with parameters. With fewer, the fill of single index pages
/// would show in the counts.
const SAMPLES: u32 = 100;

/// Rows, text and seed of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub text: Text,
    /// Rows of each table; the table of the trigger starts empty.
    pub rows: u32,
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { text: Text::default(), rows: 1000, seed: 1 }
    }
}

/// Tables with rows: their columns and the columns' types.
const TABLES: [(&str, &[(&str, CellType)]); 9] = [
    (
        "people",
        &[
            ("id", CellType::Int),
            ("name", CellType::Text),
            ("friend", CellType::Text),
            ("team", CellType::Text),
            ("code", CellType::Text),
            ("code_bytes", CellType::Hex),
            ("note", CellType::Text),
            ("doc", CellType::Text),
        ],
    ),
    ("by_char", &[("name", CellType::Text), ("id", CellType::Int)]),
    ("by_varchar", &[("name", CellType::Text), ("id", CellType::Int)]),
    ("by_code", &[("code", CellType::Text), ("id", CellType::Int)]),
    ("by_code_bytes", &[("code_bytes", CellType::Hex), ("id", CellType::Int)]),
    ("indexes_0", &WRITTEN_COLUMNS),
    ("indexes_1", &WRITTEN_COLUMNS),
    ("indexes_3", &WRITTEN_COLUMNS),
    ("articles", &[("id", CellType::Int), ("note", CellType::Text)]),
];

/// Columns of the tables `indexes_…`, which statements change.
const WRITTEN_COLUMNS: [(&str, CellType); 4] =
    [("id", CellType::Int), ("name", CellType::Text), ("friend", CellType::Text), ("team", CellType::Text)];

/// Writes the workload to a folder, which may exist if it is empty.
///
/// # Errors
/// If the folder is not empty or can't be written.
pub fn write(root: &Path, options: Options) -> Result<(), WriteError> {
    let writer = FolderWriter::create(root)?;
    writer.write_manifest(&Manifest { format: FORMAT, name: Some(NAME.to_owned()), ..Manifest::default() })?;
    writer.write_schema(SCHEMA)?;
    let values = Values::new(options);
    for (table, columns) in TABLES {
        let heads = columns.iter().map(|&(name, kind)| Column::new(name, kind)).collect();
        let mut rows = writer.create_rows(table, heads)?;
        for id in 1..=options.rows {
            let row: Vec<Cell> = columns.iter().map(|(name, _)| Some(values.column(name, id))).collect();
            rows.write(&row)?;
        }
        rows.finish()?;
    }
    CLASSES.iter().try_for_each(|class| write_class(&writer, class, &values))?;
    writer.finish();
    Ok(())
}

fn write_class(writer: &FolderWriter, class: &Class, values: &Values) -> Result<(), WriteError> {
    let samples: Vec<Vec<Cell>> = (0..SAMPLES)
        .map(|sample| class.parameters.iter().map(|&(_, kind)| Some(values.parameter(kind, sample))).collect())
        .collect();
    let column = |(place, &(name, _)): (usize, &(&str, classes::Parameter))| {
        let value = samples.first().and_then(|sample| sample[place].as_ref());
        Column {
            is_list: matches!(value, Some(Value::List(_))),
            ..Column::new(name, value.map_or(CellType::Text, CellType::from_value))
        }
    };
    let columns: Vec<Column> = class.parameters.iter().enumerate().map(column).collect();
    let text = format!("-- {}\n{}", class.about, class.sql);
    writer.write_statement(class.name, &StatementHeader::default(), &text, &columns, &samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: Options) -> workload_folder::Workload {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), options).unwrap();
        let (workload, checked) = workload_folder::check(folder.path());
        assert_eq!(checked.faults, [], "{options:?}");
        workload.unwrap()
    }

    #[test]
    fn folder_has_no_faults_for_any_text() {
        for text in Text::ALL {
            let workload = check(Options { text, rows: 200, ..Options::default() });
            assert_eq!(workload.statements.len(), CLASSES.len());
            let with_samples = workload.statements.iter().filter(|one| !one.parameters.is_empty());
            assert!(with_samples.into_iter().all(|one| one.samples.len() == SAMPLES as usize));
        }
    }

    #[test]
    fn parameters_are_those_of_the_text() {
        for class in CLASSES {
            for (name, _) in class.parameters {
                assert!(class.sql.contains(&format!(":{name}")), "{}: {name}", class.name);
            }
            assert_eq!(class.sql.matches(':').count(), class.parameters.len(), "{}", class.name);
        }
    }

    #[test]
    fn seed_and_text_determine_the_folder() {
        let samples = |options| check(options).statements.into_iter().map(|one| one.samples).collect::<Vec<_>>();
        let options = Options { rows: 200, ..Options::default() };
        assert_eq!(samples(options), samples(options));
        assert_ne!(samples(options), samples(Options { seed: 2, ..options }));
    }
}
