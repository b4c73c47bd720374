//! JSON documents.

use serde::Serialize;

/// Returns a value as indented JSON that ends with a newline.
pub(crate) fn to_json(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("the content is plain data") + "\n"
}
