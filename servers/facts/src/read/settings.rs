//! Reading variables, character sets and collations.

use std::collections::BTreeMap;

use server::{Error, Server};

use super::Reader;
use crate::{CharsetInfo, CollationFact, ServerFacts};

/// Global variables that affect text, its limits, statements and replication, or that identify the
/// server.
pub const VARIABLES: &[&str] = &[
    "alter_algorithm",
    "autocommit",
    "binlog_format",
    "character_set_client",
    "character_set_client_handshake",
    "character_set_collations",
    "character_set_connection",
    "character_set_database",
    "character_set_filesystem",
    "character_set_results",
    "character_set_server",
    "character_set_system",
    "collation_connection",
    "collation_database",
    "collation_server",
    "default_collation_for_utf8mb4",
    "default_storage_engine",
    "foreign_key_checks",
    "hostname",
    "init_connect",
    "innodb_default_row_format",
    "innodb_file_format",
    "innodb_file_per_table",
    "innodb_instant_alter_column_allowed",
    "innodb_large_prefix",
    "innodb_page_size",
    "innodb_strict_mode",
    "log_bin",
    "log_bin_trust_function_creators",
    "lower_case_table_names",
    "max_allowed_packet",
    "max_sort_length",
    "max_statement_time",
    "old_mode",
    "optimizer_switch",
    "performance_schema",
    "port",
    "read_only",
    "restrict_fk_on_non_standard_key",
    "sql_mode",
    "sql_require_primary_key",
    "time_zone",
];

impl Reader<'_> {
    pub(super) fn read_settings(&mut self, server: &Server) -> Result<ServerFacts, Error> {
        let variables = self.query("report its settings", "SHOW GLOBAL VARIABLES", &[])?;
        let variables: BTreeMap<String, String> = variables
            .iter()
            .map(|row| (row.text(0).to_lowercase(), row.text(1)))
            .filter(|(name, _)| VARIABLES.contains(&name.as_str()))
            .collect();
        let charsets = "SELECT CHARACTER_SET_NAME, DEFAULT_COLLATE_NAME, MAXLEN FROM information_schema.CHARACTER_SETS \
                        ORDER BY CHARACTER_SET_NAME";
        let charsets = self.query("list its character sets", charsets, &[])?;
        Ok(ServerFacts {
            label: server.label().to_owned(),
            flavour: server.flavour(),
            version: server.version().to_owned(),
            version_comment: server.version_comment().to_owned(),
            variables,
            charsets: charsets
                .iter()
                .map(|row| CharsetInfo {
                    name: row.text(0),
                    default_collation: row.text(1),
                    max_bytes: row.number(2).unwrap_or(1) as u8,
                })
                .collect(),
            collations: self.read_collations(server)?,
            handshake: None,
        })
    }

    fn read_collations(&mut self, server: &Server) -> Result<Vec<CollationFact>, Error> {
        let comments = self.dictionary.select("COLLATIONS", &["COLLATION_NAME", "COMMENT"]);
        let comments = self.query("list its collations", &comments, &[])?;
        let comments: BTreeMap<String, String> = comments
            .iter()
            .filter_map(|row| Some((row.text(0), row.optional_text(1).filter(|comment| !comment.is_empty())?)))
            .collect();
        let facts = server.read_collations()?.into_iter().map(|info| {
            // MariaDB lists a collation of several character sets once, without charset prefix.
            let short_name = info.name.strip_prefix(&format!("{}_", info.charset)).unwrap_or(&info.name);
            let comment = comments.get(&info.name).or_else(|| comments.get(short_name)).cloned();
            CollationFact { name: info.name, charset: info.charset, id: info.id, is_default: info.is_default, comment }
        });
        Ok(facts.collect())
    }
}
