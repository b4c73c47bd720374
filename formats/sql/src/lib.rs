//! MySQL's SQL as text: tokens, statements, literals, `CREATE TABLE` and statement templates.
//!
//! Works on tokens, without a syntax tree. No input makes it panic.

mod calls;
mod client_reading;
mod conditional;
pub mod ddl;
mod dump_lines;
mod functions;
mod index_hint;
mod insert;
mod names;
mod nesting;
mod outside;
mod password;
mod prepared;
mod quote;
mod raw;
mod session_setting;
mod split;
mod sql_mode;
mod table_names;
mod template;
mod token;
mod tuples;
mod used_schema;
mod user_variable;
mod value;
mod verb;

pub use calls::{SuspectCall, find_suspect_call, find_unknown_function, find_unknown_word};
pub use client_reading::{ClientReader, Misreading, set_mode};
pub use conditional::{AmbiguousComment, definition_readings, readings};
pub use dump_lines::{DumpLines, FileLine};
pub use functions::{is_computing_function, is_harmless_function, is_server_function, may_precede_parenthesis};
pub use index_hint::BASE_TABLE_ONLY;
pub use insert::InsertBuilder;
pub use names::{describe_other_names, lacks_ascii, names_charset};
pub use nesting::{closing_parenthesis, is_beside_dot, list_items};
pub use outside::{
    ENDS_SERVER, LocalDefinition, account_length, is_foreign_engine, is_local_engine, keep_local,
    may_follow_program_name, remove_definer, skip_attributes,
};
pub use password::{cut_quotation, mask_passwords, without_quotation};
pub use prepared::{PreparedTexts, split_body};
pub use quote::{hex_literal, quote_identifier, quote_string, quote_string_in, quote_table, unquote_string};
pub use raw::{has_bytes, hex_bytes, read_bytes, show_bytes, write_bytes};
pub use session_setting::{SessionSetting, read_settings, user_variable_name};
pub use split::{MAX_STATEMENT_BYTES, StatementReader, split_statements};
pub use sql_mode::SqlMode;
pub use table_names::{SELECT_MODIFIERS, TableName, find_tables, find_tables_with_offsets, read_table_name};
pub use template::{Parameter, Template, extract_template};
pub use token::{Token, TokenKind, find_odd_number, tokenize, tokenize_uncommented};
pub use tuples::{InsertTuples, TupleValue};
pub use used_schema::used_schema;
pub use user_variable::set_variables;
pub use value::Value;
pub use verb::{is_query, is_query_of, statement_verb};
