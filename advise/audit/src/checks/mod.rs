//! The checks of an audit, one per file.

mod ascii_in_unicode;
mod charset_default;
mod client_handshake;
mod column_mismatch;
mod common;
mod double_encoded;
mod expression_collate;
mod foreign_key_mismatch;
mod four_byte_default;
mod fulltext_columns;
mod generated_charset;
mod init_connect;
mod join_mismatch;
mod json_as_text;
mod key_limit;
mod legacy_charset;
mod program_collate;
mod program_old_collation;
mod program_other_schema;
mod program_variable;
mod refused_statement;
mod replica_defaults;
mod row_limit;
mod schema_mismatch;
mod serialized_text;
mod session_charset;
mod statement_collate;
mod statement_plan;
mod statement_replication;
mod string_primary_key;
mod table_mismatch;
mod target_collation;
mod target_defaults;
mod utf8mb3;
mod view_column;
mod view_index;

use check::Finding;

pub use charset_default::default_collation;
pub use common::{find_used_schemas, most_common, programs};

use crate::input::AuditInput;

pub type Check = check::Check<fn(&AuditInput) -> Vec<Finding>>;
pub type Selection = check::Selection<fn(&AuditInput) -> Vec<Finding>>;

/// All checks. Findings of one severity are sorted in this order.
pub static CHECKS: &[&Check] = &[
    // Statements that defined nothing for the other checks.
    &refused_statement::CHECK,
    // Comparisons that fail or lose an index.
    &statement_plan::CHECK,
    &program_variable::CHECK,
    &join_mismatch::CHECK,
    &foreign_key_mismatch::CHECK,
    &view_index::CHECK,
    &view_column::CHECK,
    // Contents of rows.
    &double_encoded::CHECK,
    &serialized_text::CHECK,
    // Layers that disagree.
    &session_charset::CHECK,
    &client_handshake::CHECK,
    &init_connect::CHECK,
    &charset_default::CHECK,
    &schema_mismatch::CHECK,
    &table_mismatch::CHECK,
    &column_mismatch::CHECK,
    &replica_defaults::CHECK,
    &statement_replication::CHECK,
    // Character sets.
    &utf8mb3::CHECK,
    &legacy_charset::CHECK,
    &ascii_in_unicode::CHECK,
    // Limits and obstacles of a conversion.
    &key_limit::CHECK,
    &row_limit::CHECK,
    &fulltext_columns::CHECK,
    &string_primary_key::CHECK,
    &four_byte_default::CHECK,
    &generated_charset::CHECK,
    &json_as_text::CHECK,
    // Stored programs, expressions and statements.
    &program_old_collation::CHECK,
    &program_collate::CHECK,
    &program_other_schema::CHECK,
    &expression_collate::CHECK,
    &statement_collate::CHECK,
    // Migration to another server version.
    &target_defaults::CHECK,
    &target_collation::CHECK,
];

/// Checks of a running server's own settings, sessions and replication. A dump says nothing about
/// them.
pub const RUNNING_SERVER_CHECKS: [&str; 6] = [
    session_charset::CHECK.name,
    client_handshake::CHECK.name,
    init_connect::CHECK.name,
    schema_mismatch::CHECK.name,
    replica_defaults::CHECK.name,
    statement_replication::CHECK.name,
];

/// Check of a dump's statements. A running server has none.
pub const DUMP_CHECK: &str = refused_statement::CHECK.name;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_unique_names_and_documentation() {
        for (index, check) in CHECKS.iter().enumerate() {
            assert!(
                check.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                check.name
            );
            assert!(CHECKS[..index].iter().all(|other| other.name != check.name), "{} twice", check.name);
            assert!(!check.title.ends_with('.') && !check.reads.is_empty(), "{}", check.name);
            assert!(check.doc.trim().ends_with('.') || check.doc.trim().ends_with(')'), "{}", check.name);
        }
    }
}
