//! The collation of an expression, or error 1267, "Illegal mix of collations". The rules are the
//! library's, compared with servers in tests/servers.rs.

pub use mysql_collation::{Coercibility, CollationChoice as Outcome, Expression, Operand, Side};
use mysql_collation::{CombinedCollation, ServerVersion};
use server::{Flavour, Version};

/// Determines the collation of `left = right` on a server. `None` if the library doesn't know the
/// name of a collation.
pub fn choose_collation(flavour: Flavour, version: Version, left: Operand<'_>, right: Operand<'_>) -> Option<Outcome> {
    mysql_collation::choose_collation(library_version(flavour, version), left, right).ok()
}

/// Determines the collation of an expression with any number of operands on a server. `None` if it
/// refuses them, or the library doesn't know the name of a collation.
pub fn combine_collations<'a>(
    flavour: Flavour,
    version: Version,
    expression: Expression,
    operands: impl IntoIterator<Item = Operand<'a>>,
) -> Option<&'static str> {
    match mysql_collation::combine_collations(library_version(flavour, version), expression, operands).ok()? {
        CombinedCollation::Collation(result) | CombinedCollation::CollationIfRepresentable(result) => {
            Some(result.collation)
        }
        _ => None,
    }
}

fn library_version(flavour: Flavour, version: Version) -> ServerVersion {
    let flavour = match flavour {
        Flavour::MySql => mysql_collation::Flavour::MySql,
        Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    };
    ServerVersion::new(flavour, version.major, version.minor, version.patch)
}
