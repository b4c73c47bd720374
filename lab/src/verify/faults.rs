//! Server faults that the library doesn't follow. docs/explanation/collations.md has an example of
//! each.

use mysql_collation::{Collation, Element};

/// Returns `true` under `utf8mb4_ja_0900_as_cs_ks` if a text has characters with a primary weight
/// and none at the level for kana. They match others of equal weights under
/// `utf8mb4_ja_0900_as_cs`, but not always under `_ks`.
pub fn is_unfollowed(collation: Collation, text: &[u8]) -> bool {
    collation.name() == "utf8mb4_ja_0900_as_cs_ks"
        && collation.weights(text).any(|element| element.weights[3].is_empty() && !element.weights[0].is_empty())
}

/// Returns `true` if MySQL pads a text in the wrong place under `gb18030_chinese_ci`. It does if
/// the shorter text ends after weights that begin both texts, and the characters of these weights
/// take different numbers of bytes in the two. MySQL then compares spaces with the longer text from
/// the length of the shorter one on, instead of from the end of these characters on.
pub fn is_padded_in_wrong_place(collation: Collation, a: &[u8], b: &[u8]) -> bool {
    if collation.name() != "gb18030_chinese_ci" {
        return false;
    }
    let (a, b): (Vec<Element>, Vec<Element>) = (collation.weights(a).collect(), collation.weights(b).collect());
    let common = a.iter().zip(&b).take_while(|(a, b)| a.weights == b.weights).count();
    let end = |elements: &[Element]| elements[..common].last().map_or(0, |element| element.bytes.end);
    common == a.len().min(b.len()) && end(&a) != end(&b)
}
