//! The collation of a comparison of two operands, or error 1267, "Illegal mix of collations". The
//! rules are the library's, compared with servers in tests/servers.rs.

use mysql_collation::ServerVersion;
pub use mysql_collation::{Coercibility, CollationChoice as Outcome, Operand, Side};
use server::{Flavour, Version};

/// Determines the collation of `left = right` on a server. `None` if the library doesn't know the
/// name of a collation.
pub fn choose_collation(flavour: Flavour, version: Version, left: Operand<'_>, right: Operand<'_>) -> Option<Outcome> {
    let flavour = match flavour {
        Flavour::MySql => mysql_collation::Flavour::MySql,
        Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    };
    let version = ServerVersion::new(flavour, version.major, version.minor, version.patch);
    mysql_collation::choose_collation(version, left, right).ok()
}
