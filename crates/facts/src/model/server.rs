//! The server itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use server::{ConnectionCharsets, Flavour, Version};

/// Version, settings, character sets and collations of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// What to call it in output.
    pub label: String,
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// `SELECT VERSION()`.
    pub version: String,
    /// `@@version_comment`, which names the build.
    pub version_comment: String,
    /// Global variables that bear on text, by name in lower case; those that the server lacks are absent.
    pub variables: BTreeMap<String, String>,
    /// Its character sets, by name.
    pub charsets: Vec<CharsetInfo>,
    /// Its collations, by id.
    pub collations: Vec<CollationFact>,
    /// What our own connection had right after login, having asked for utf8mb4.
    pub handshake: Option<ConnectionCharsets>,
}

/// A character set of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharsetInfo {
    /// Name, such as `utf8mb4`.
    pub name: String,
    /// The collation that it has where none is named. `default_collation_for_utf8mb4` (MySQL) and `character_set_collations` (MariaDB) can
    /// set another.
    pub default_collation: String,
    /// The most bytes that a character takes.
    pub max_bytes: u8,
}

/// A collation of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollationFact {
    /// Full name, such as `utf8mb4_uca1400_ai_ci`.
    pub name: String,
    /// Character set.
    pub charset: String,
    /// Id on the wire.
    pub id: u16,
    /// Whether it is its character set's compiled default.
    pub is_default: bool,
    /// `information_schema.COLLATIONS.COMMENT` of MariaDB 11.4.5 and later: for an alias, the collation that it stands for.
    pub comment: Option<String>,
}

impl ServerFacts {
    /// The version as numbers; 0.0.0 where it names none.
    pub fn number(&self) -> Version {
        Version::find(&self.version).unwrap_or(Version::new(0, 0, 0))
    }

    /// A global variable, by its name in lower case.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Whether a switch is on (`ON` or `1`). Absent counts as off.
    pub fn is_on(&self, name: &str) -> bool {
        self.variable(name).is_some_and(|value| value.eq_ignore_ascii_case("on") || value == "1")
    }

    /// The character set of this name; `utf8` and `utf8mb3` are the same one.
    pub fn charset(&self, name: &str) -> Option<&CharsetInfo> {
        let modern =
            |name: &str| if name.eq_ignore_ascii_case("utf8") { "utf8mb3".to_owned() } else { name.to_lowercase() };
        let wanted = modern(name);
        self.charsets.iter().find(|charset| modern(&charset.name) == wanted)
    }

    /// The collation of this full name.
    pub fn collation(&self, name: &str) -> Option<&CollationFact> {
        self.collations.iter().find(|collation| collation.name.eq_ignore_ascii_case(name))
    }
}
