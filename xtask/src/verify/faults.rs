//! What servers get wrong and the library doesn't follow; docs/collation.md shows each.

use mysql_collation::Collation;

/// Whether a text has characters that match others of the same weights under `utf8mb4_ja_0900_as_cs`, but not always under `_ks`: those
/// without a weight at the level that it has more.
pub fn is_unfollowed(collation: Collation, text: &[u8]) -> bool {
    collation.name() == "utf8mb4_ja_0900_as_cs_ks"
        && collation.weights(text).any(|element| element.weights[3].is_empty() && !element.weights[0].is_empty())
}
