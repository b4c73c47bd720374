//! The checks, a file each, and their list.

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
mod replica_defaults;
mod row_limit;
mod schema_mismatch;
mod serialized_text;
mod session_charset;
mod statement_collate;
mod statement_replication;
mod string_primary_key;
mod table_mismatch;
mod target_collation;
mod target_defaults;
mod utf8mb3;
mod view_index;

use crate::check::Check;

/// All checks, in the order in which findings of the same severity are shown.
pub static CHECKS: &[&Check] = &[
    // Comparisons that fail or lose an index.
    &join_mismatch::CHECK,
    &foreign_key_mismatch::CHECK,
    &view_index::CHECK,
    // What rows hold.
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
    // What a conversion would meet.
    &key_limit::CHECK,
    &row_limit::CHECK,
    &fulltext_columns::CHECK,
    &string_primary_key::CHECK,
    &four_byte_default::CHECK,
    &generated_charset::CHECK,
    &json_as_text::CHECK,
    // Programs and expressions.
    &program_old_collation::CHECK,
    &program_collate::CHECK,
    &program_other_schema::CHECK,
    &expression_collate::CHECK,
    &statement_collate::CHECK,
    // A migration.
    &target_defaults::CHECK,
    &target_collation::CHECK,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_explained() {
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
