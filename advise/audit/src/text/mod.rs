//! Statements as text: the clauses, comparisons and columns that they name.

mod combination;
mod comparison;
mod conversion;
pub mod mentions;
mod program;
mod scope;
mod simplify;

use sql::{SqlMode, Token, TokenKind, tokenize};

pub use comparison::{Comparison, ComparisonKind, find_comparisons, find_names, is_compared_with_values};
pub use conversion::find_conversions;
pub use program::{CreatedTable, Declaration, created_table, declared_parameters, declared_variables, split_body};
pub use scope::{Operand, Scope, text_columns};
pub use simplify::simplify_calls;

/// Returns the tokens of a text without comments. The content of conditional comments (`/*! … */`)
/// is included.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    tokenize(text, SqlMode::default())
        .filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment))
        .collect()
}
