//! Statements as text: the clauses, comparisons and columns that they name.

mod calls;
mod combination;
mod comparison;
mod conversion;
pub mod mentions;
mod program;
mod scope;
mod simplify;

use sql::{SqlMode, Token, TokenKind, tokenize};

pub use calls::{Call, LiteralComparison, find_literal_comparisons};
pub use comparison::{
    Comparison, ComparisonKind, Name, find_comparisons, find_names, find_names_at, is_compared_with_values,
};
pub use conversion::find_conversions;
pub use program::{CreatedTable, Declaration, created_table, declared_parameters, declared_variables, prepared_texts};
pub use scope::{Operand, Scope, text_columns};
pub use simplify::simplify_calls;

/// Returns the tokens of a text in the default SQL mode, see [`tokens_in`].
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    tokens_in(text, SqlMode::default())
}

/// Returns the tokens of a text without comments. The content of conditional comments (`/*! … */`)
/// is included.
pub fn tokens_in(text: &str, mode: SqlMode) -> Vec<Token<'_>> {
    tokenize(text, mode)
        .filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::ConditionalComment))
        .collect()
}
