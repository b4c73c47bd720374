//! What servers get wrong and the library doesn't follow; docs/collation.md shows each.

use mysql_collation::{Collation, Element};

/// Whether a text has characters that match others of the same weights under `utf8mb4_ja_0900_as_cs`, but not always under `_ks`: those
/// without a weight at the level that it has more.
pub fn is_unfollowed(collation: Collation, text: &[u8]) -> bool {
    collation.name() == "utf8mb4_ja_0900_as_cs_ks"
        && collation.weights(text).any(|element| element.weights[3].is_empty() && !element.weights[0].is_empty())
}

/// Whether `gb18030_chinese_ci` pads a text in the wrong place: where one text ends after weights that both have, but took other numbers of bytes,
/// MySQL compares with spaces what the other one has behind as many bytes as the first one has, and not what it has behind these weights.
pub fn pads_elsewhere(collation: Collation, a: &[u8], b: &[u8]) -> bool {
    if collation.name() != "gb18030_chinese_ci" {
        return false;
    }
    let (a, b): (Vec<Element>, Vec<Element>) = (collation.weights(a).collect(), collation.weights(b).collect());
    let common = a.iter().zip(&b).take_while(|(a, b)| a.weights == b.weights).count();
    let end = |elements: &[Element]| elements[..common].last().map_or(0, |element| element.bytes.end);
    common == a.len().min(b.len()) && end(&a) != end(&b)
}
