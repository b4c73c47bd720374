//! Published figures: CSV with the columns source, server, workload, charset, collation, condition,
//! threads, value, unit.

use std::path::Path;

use measure::PublishedFigure;

use crate::embedded;
use crate::error::RecipeError;

/// Reads a file in `folder`. If the file does not exist there, reads the built-in file of this
/// name.
pub(crate) fn read(name: &str, folder: Option<&Path>) -> Result<Vec<PublishedFigure>, RecipeError> {
    let path = folder.map(|folder| folder.join(name)).filter(|path| path.exists());
    match (path, embedded::published_file(name)) {
        (None, Some(text)) => parse(name, text),
        (path, _) => {
            let path = path.unwrap_or_else(|| folder.unwrap_or(Path::new("")).join(name));
            let text = bounded::read_text(&path).map_err(|source| RecipeError::Read { path: path.clone(), source })?;
            parse(&path.display().to_string(), &text)
        }
    }
}

fn parse(name: &str, text: &str) -> Result<Vec<PublishedFigure>, RecipeError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let figures = reader.deserialize().collect::<Result<_, csv::Error>>();
    figures.map_err(|error| RecipeError::Malformed {
        recipe: name.into(),
        line: error.position().map_or(1, |position| position.line() as usize),
        reason: describe_csv_error(&error),
    })
}

fn describe_csv_error(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        _ => error.to_string(),
    }
}
