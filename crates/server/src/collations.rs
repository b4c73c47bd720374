//! The collations that a server has.

use mysql::prelude::Queryable;
use mysql::{Conn, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A collation of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollationInfo {
    /// Its full name, such as `utf8mb4_uca1400_ai_ci`.
    pub name: String,
    /// The character set that it belongs to.
    pub charset: String,
    /// Its id on the wire.
    pub id: u16,
    /// Whether it is its character set's default.
    pub is_default: bool,
}

/// Reads all collations, by id.
pub(crate) fn read(conn: &mut Conn) -> Result<Vec<CollationInfo>, Error> {
    // MariaDB from 10.10 lists a collation of many charsets once, without id, in COLLATIONS; the full names are here.
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
