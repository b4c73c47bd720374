//! Errors in recipes.

use std::io;
use std::path::PathBuf;

/// Reason why a recipe cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    #[error("there is no recipe `{given}`; there are, nearest first: {}; or give a file NAME.toml", known.join(", "))]
    Unknown {
        given: String,
        /// Available names, most similar first.
        known: Vec<String>,
    },
    #[error("cannot read the recipe's file {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The TOML or CSV cannot be parsed.
    #[error("{recipe}, line {line}: {reason}; docs/reference/recipe-file.md has the format")]
    Malformed {
        /// Name or file of the recipe.
        recipe: String,
        /// Line, from 1.
        line: usize,
        reason: String,
    },
    /// Fields of a recipe are empty, out of range, or contradict each other.
    #[error("{recipe}: {reason}; docs/reference/recipe-file.md has the format")]
    Contradiction {
        /// Name or file of the recipe.
        recipe: String,
        reason: String,
    },
    #[error("{recipe} has no scale `{given}`; it has {}", known.join(", "))]
    Scale {
        recipe: String,
        given: String,
        /// Available scales.
        known: Vec<String>,
    },
}
