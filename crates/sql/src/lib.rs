//! MySQL's SQL as text: tokens, statements of a stream, literals, `CREATE TABLE` taken apart, templates of statements.
//!
//! Nothing is parsed into a tree: what is asked here (where a literal stands, which tables are named, what differs between two calls
//! of one statement) is told by tokens. Pure, and no input makes it panic.

pub mod ddl;
mod inserts;
mod literal;
mod mode;
mod names;
mod split;
mod statements;
mod template;
mod token;

pub use inserts::Inserts;
pub use literal::{bytes, identifier, string, unquoted};
pub use mode::Mode;
pub use names::{TableName, tables};
pub use split::split;
pub use statements::{Literal, Statements, Tuples};
pub use template::{Parameter, Template, Value, template};
pub use token::{Kind, Token, tokens};
