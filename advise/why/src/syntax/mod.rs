//! A tolerant reader of statements: query blocks, their tables, and the expressions that combine
//! texts. Tables and expressions keep their places in the source, so that a remedy can be spliced
//! in.
//!
//! Unknown syntax is skipped: the server, not this reader, decides what a statement means.

mod cursor;
mod expression;
mod fold;
mod program;
mod query;

pub use expression::{Expr, ExprKind};
pub use fold::folded_column;
pub use program::{Declaration, Piece, Program, parse_program};
pub use query::{Block, Item, MAX_PARSED_BYTES, Statement, TableKind, TableRef, parse_expression, parse_statement};
