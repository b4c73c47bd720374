//! Version, settings, character sets and collations of a server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use server::{ConnectionCharsets, Flavour, Version};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// Name of the server in output.
    pub label: String,
    pub flavour: Flavour,
    /// `SELECT VERSION()`.
    pub version: String,
    /// `@@version_comment`, which names the build.
    pub version_comment: String,
    /// Global variables in [`VARIABLES`](crate::VARIABLES), by name in lower case. Variables that
    /// the server does not have are missing.
    pub variables: BTreeMap<String, String>,
    /// Character sets, by name.
    pub charsets: Vec<CharsetInfo>,
    /// Collations, by id.
    pub collations: Vec<CollationFact>,
    /// Session variables right after login, when the client has requested utf8mb4.
    /// [`read`](crate::read()) always fills it.
    pub handshake: Option<ConnectionCharsets>,
}

/// A character set of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharsetInfo {
    pub name: String,
    /// Compiled-in default collation. `default_collation_for_utf8mb4` (MySQL) and
    /// `character_set_collations` (MariaDB) override it.
    pub default_collation: String,
    /// Maximum bytes of a character.
    pub max_bytes: u8,
}

/// A collation of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollationFact {
    /// Full name, such as `utf8mb4_uca1400_ai_ci`.
    pub name: String,
    pub charset: String,
    /// Collation id in the client/server protocol.
    pub id: u16,
    /// Whether the collation is the compiled-in default of its character set.
    pub is_default: bool,
    /// `information_schema.COLLATIONS.COMMENT` of MariaDB 11.4.5 and later. For an alias, it names
    /// the aliased collation.
    pub comment: Option<String>,
}

impl ServerFacts {
    /// Returns the version as numbers, or 0.0.0 if the text contains none.
    pub fn version_number(&self) -> Version {
        Version::find(&self.version).unwrap_or(Version::new(0, 0, 0))
    }

    /// Returns a global variable by its name in lower case.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// True if a boolean variable is `ON` or `1`. False if the server does not have it.
    pub fn is_on(&self, name: &str) -> bool {
        self.variable(name).is_some_and(|value| value.eq_ignore_ascii_case("on") || value == "1")
    }

    /// Finds a character set by name, ignoring case. `utf8` equals `utf8mb3`.
    pub fn charset(&self, name: &str) -> Option<&CharsetInfo> {
        let normalize =
            |name: &str| if name.eq_ignore_ascii_case("utf8") { "utf8mb3".to_owned() } else { name.to_lowercase() };
        let wanted = normalize(name);
        self.charsets.iter().find(|charset| normalize(&charset.name) == wanted)
    }

    /// Finds a collation by its full name, ignoring case. `utf8_bin` equals `utf8mb3_bin`.
    pub fn collation(&self, name: &str) -> Option<&CollationFact> {
        self.collations.iter().find(|collation| server::is_same_collation(&collation.name, name))
    }
}
