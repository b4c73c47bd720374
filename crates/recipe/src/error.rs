//! What can be wrong with a recipe.

use std::io;
use std::path::PathBuf;

/// Why a recipe can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// No recipe has this name.
    #[error("there is no recipe `{given}`; there are, nearest first: {}; or give a file NAME.toml", known.join(", "))]
    Unknown {
        /// The name as given.
        given: String,
        /// Those that there are, nearest first.
        known: Vec<String>,
    },
    /// A file can't be read.
    #[error("cannot read the recipe's file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text is no recipe.
    #[error("{recipe}, line {line}: {reason}; docs/run.md has the format")]
    Malformed {
        /// The recipe's name or file.
        recipe: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The parts of a recipe contradict each other.
    #[error("{recipe}: {reason}; docs/run.md has the format")]
    Contradiction {
        /// The recipe's name or file.
        recipe: String,
        /// What is wrong.
        reason: String,
    },
    /// No scale has this name.
    #[error("{recipe} has no scale `{given}`; it has {}", known.join(", "))]
    Scale {
        /// The recipe's name.
        recipe: String,
        /// The scale as given.
        given: String,
        /// Those that it has.
        known: Vec<String>,
    },
}
