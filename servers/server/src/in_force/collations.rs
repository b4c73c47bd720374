//! Collations of a server.

use std::borrow::Cow;

use crate::connect::Conn;
use mysql::Error;
use mysql::prelude::Queryable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A collation of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollationInfo {
    /// Full name, such as `utf8mb4_uca1400_ai_ci`.
    pub name: String,
    /// Character set of the collation.
    pub charset: String,
    /// Collation id in the client/server protocol.
    pub id: u16,
    /// Whether the collation is the default of its character set.
    pub is_default: bool,
}

/// Returns the collation name that newer servers use: `utf8_bin` → `utf8mb3_bin`. The old name is
/// MySQL's before 8.0.30 and MariaDB's before 10.6.
pub fn current_collation_name(collation: &str) -> Cow<'_, str> {
    match collation.split_at_checked(UTF8_PREFIX.len()) {
        Some((prefix, rest)) if prefix.eq_ignore_ascii_case(UTF8_PREFIX) => Cow::Owned(format!("utf8mb3_{rest}")),
        _ => Cow::Borrowed(collation),
    }
}

const UTF8_PREFIX: &str = "utf8_";

/// Returns the charset name that newer servers use: `utf8` → `utf8mb3`.
pub fn current_charset_name(charset: &str) -> &str {
    if charset.eq_ignore_ascii_case("utf8") { "utf8mb3" } else { charset }
}

/// True for two names of the same collation, case-insensitively: `utf8_bin` and `UTF8MB3_BIN`.
pub fn is_same_collation(one: &str, other: &str) -> bool {
    current_collation_name(one).eq_ignore_ascii_case(&current_collation_name(other))
}

/// Reads all collations, sorted by id.
pub(crate) fn read_collations(conn: &mut Conn) -> Result<Vec<CollationInfo>, Error> {
    // MariaDB 10.10 and later: COLLATIONS lists a collation of several charsets once, without id.
    // Only COLLATION_CHARACTER_SET_APPLICABILITY has the full names.
    let has_full_names: Option<u8> = conn.query_first(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = 'information_schema' \
         AND table_name = 'COLLATION_CHARACTER_SET_APPLICABILITY' AND column_name = 'FULL_COLLATION_NAME'",
    )?;
    let query = if has_full_names.is_some() {
        "SELECT full_collation_name, character_set_name, id, is_default \
         FROM information_schema.collation_character_set_applicability"
    } else {
        "SELECT collation_name, character_set_name, id, is_default FROM information_schema.collations"
    };
    let mut collations = conn.query_map(query, |(name, charset, id, is_default): (String, String, u16, String)| {
        CollationInfo { name, charset, id, is_default: is_default == "Yes" }
    })?;
    collations.sort_by_key(|collation| collation.id);
    Ok(collations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_utf8mb3_in_names_of_collations() {
        assert!(is_same_collation("utf8_general_ci", "utf8mb3_general_ci"));
        assert!(is_same_collation("UTF8_bin", "utf8mb3_BIN"));
        assert!(!is_same_collation("utf8_general_ci", "utf8mb4_general_ci"));
        assert!(!is_same_collation("utf8", "utf8mb3"), "a character set");
        assert_eq!(current_collation_name("üt"), "üt");
    }
}
