//! Why two texts are equal, character by character.

use mysql_collation::Collation;

use crate::model::{Step, View};
use crate::text::Text;
use crate::view::explain;

/// The characters in which two equal texts differ: `ß = ss`, `É = e`, and what has no weight or is padding.
pub fn differences(collation: Collation, a: &[u8], b: &[u8]) -> Vec<String> {
    let Ok(view) = explain(collation, "", &Text::Bytes(a.to_vec()), &Text::Bytes(b.to_vec())) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    while from_a < view.a.len() || from_b < view.b.len() {
        let Some((to_a, to_b)) = segment(&view, from_a, from_b) else { break };
        let (a, b) = (texts(&view.a[from_a..to_a]), texts(&view.b[from_b..to_b]));
        if a != b {
            found.push(told(&a, &b, weights(&view.a[from_a..to_a], 0)));
        }
        (from_a, from_b) = (to_a, to_b);
    }
    let rest = [texts(&view.a[from_a..]), texts(&view.b[from_b..])].concat();
    if !rest.is_empty() && rest.chars().all(|character| character == ' ') {
        found.push("spaces at the end don't count (PAD SPACE)".into());
    } else if !rest.is_empty() {
        found.push("their weights are the same in another grouping".into());
    }
    found.dedup();
    found
}

/// The shortest pieces from here on that weigh the same at each level.
fn segment(view: &View, from_a: usize, from_b: usize) -> Option<(usize, usize)> {
    let (mut to_a, mut to_b) = (from_a, from_b);
    let levels = view.levels.len();
    loop {
        let (a, b) = (weights(&view.a[from_a..to_a], 0), weights(&view.b[from_b..to_b], 0));
        let is_same = to_a + to_b > from_a + from_b
            && (0..levels).all(|level| weights(&view.a[from_a..to_a], level) == weights(&view.b[from_b..to_b], level));
        if is_same {
            return Some((to_a, to_b));
        }
        // The shorter one takes the next character; one of equal length and different weights ends it.
        if a.len() <= b.len() && to_a < view.a.len() {
            to_a += 1;
        } else if to_b < view.b.len() {
            to_b += 1;
        } else {
            return None;
        }
    }
}

fn weights(steps: &[Step], level: usize) -> Vec<&str> {
    steps.iter().filter_map(|step| step.weights.get(level)).flatten().map(String::as_str).collect()
}

fn texts(steps: &[Step]) -> String {
    steps
        .iter()
        .map(|step| if step.text.is_empty() { format!("\\x{}", step.bytes) } else { step.text.clone() })
        .collect()
}

fn told(a: &str, b: &str, weights: Vec<&str>) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => format!("{} has no weight", named(b)),
        (_, true) => format!("{} has no weight", named(a)),
        _ => format!("{a} = {b} (weight {})", weights.join(" ")),
    }
}

/// Characters by code point, as those without weight mostly can't be seen.
fn named(text: &str) -> String {
    text.chars().map(|character| format!("U+{:04X}", character as u32)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_collation::Flavour;

    fn of(flavour: Flavour, name: &str, a: &str, b: &str) -> Vec<String> {
        differences(Collation::lookup(flavour, name).unwrap(), a.as_bytes(), b.as_bytes())
    }

    #[test]
    fn only_what_differs_is_told() {
        let found = of(Flavour::MySql, "utf8mb4_0900_ai_ci", "Straße", "STRASSE");
        assert_eq!(found.last().unwrap(), "e = E (weight 1CAA)");
        assert!(found.iter().any(|one| one.starts_with("ß = SS (weight 1E71 1E71)")), "{found:?}");
        assert_eq!(of(Flavour::MySql, "utf8mb4_0900_ai_ci", "e\u{301}a", "ea"), ["U+0301 has no weight"]);
    }

    #[test]
    fn padding_is_told() {
        assert_eq!(of(Flavour::MySql, "utf8mb4_general_ci", "a", "a  "), ["spaces at the end don't count (PAD SPACE)"]);
    }
}
