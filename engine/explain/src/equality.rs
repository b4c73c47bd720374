//! Explains why two strings are equal.

use mysql_collation::Collation;

use crate::explain::explain;
use crate::model::{Step, View};
use crate::text::Text;

/// Explains why two strings are equal: "ß = SS (weight 1E71 1E71)", "U+0301 has no weight".
///
/// The strings are bytes in the collation's character set. Parts that are identical in both strings
/// are left out.
pub fn explain_equality(collation: Collation, a: &[u8], b: &[u8]) -> Vec<String> {
    let Ok(view) = explain(collation, "", &Text::Bytes(a.to_vec()), &Text::Bytes(b.to_vec())) else {
        return Vec::new();
    };
    let Segments { unequal, rest } = find_segments(&view);
    let mut reasons: Vec<String> = unequal.iter().map(describe_segment).collect();
    if !rest.is_empty() && rest.chars().all(|character| character == ' ') {
        reasons.push("spaces at the end don't count (PAD SPACE)".into());
    } else if !rest.is_empty() && view.equal_by_padding {
        let others: String = rest.chars().filter(|character| *character != ' ').collect();
        let why = match view.pads {
            true => "weighs as a space, and spaces at the end don't count (PAD SPACE)",
            false => "weighs as a space beyond the primary level, and so does the end",
        };
        reasons.push(format!("{} {why}", list_code_points(&others)));
    } else if !rest.is_empty() {
        reasons.push("the weights are equal, but divided differently among the characters".into());
    }
    reasons.dedup();
    reasons
}

/// Segments of two strings that have equal weights.
pub(crate) struct Segments<'v> {
    /// Segments whose texts are not the same, in order.
    pub unequal: Vec<Segment<'v>>,
    /// Text of both strings behind the last segment.
    rest: String,
}

/// A part of each string, with equal weights.
pub(crate) struct Segment<'v> {
    pub a: String,
    pub b: String,
    /// Primary weights.
    pub weights: Vec<&'v str>,
}

/// Divides two equal strings into the shortest segments that have equal weights.
pub(crate) fn find_segments(view: &View) -> Segments<'_> {
    let mut unequal = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    while from_a < view.a.len() || from_b < view.b.len() {
        let Some((to_a, to_b)) = next_segment(view, from_a, from_b) else { break };
        let (a, b) = (text(&view.a[from_a..to_a]), text(&view.b[from_b..to_b]));
        if a != b {
            unequal.push(Segment { a, b, weights: weights(&view.a[from_a..to_a], 0) });
        }
        (from_a, from_b) = (to_a, to_b);
    }
    Segments { unequal, rest: [text(&view.a[from_a..]), text(&view.b[from_b..])].concat() }
}

/// Finds the shortest segments from `from_a` and `from_b` on that have equal weights at all levels.
///
/// Returns the ends of both segments, exclusive. `None` if no segments are equal.
fn next_segment(view: &View, from_a: usize, from_b: usize) -> Option<(usize, usize)> {
    if let Some(ends) = weightless_segment(view, from_a, from_b) {
        return Some(ends);
    }
    let (mut to_a, mut to_b) = (from_a, from_b);
    let levels = view.levels.len();
    loop {
        let (a, b) = (weights(&view.a[from_a..to_a], 0), weights(&view.b[from_b..to_b], 0));
        let is_equal = to_a + to_b > from_a + from_b
            && (0..levels).all(|level| weights(&view.a[from_a..to_a], level) == weights(&view.b[from_b..to_b], level));
        if is_equal {
            return Some((to_a, to_b));
        }
        // The segment with fewer primary weights gets the next character. On a tie, that of `a`.
        if a.len() <= b.len() && to_a < view.a.len() {
            to_a += 1;
        } else if to_b < view.b.len() {
            to_b += 1;
        } else {
            return None;
        }
    }
}

/// Returns the ends of segments of a character without weights: of both strings if it is the same,
/// or else of one.
fn weightless_segment(view: &View, from_a: usize, from_b: usize) -> Option<(usize, usize)> {
    let weightless = |steps: &[Step], at: usize| {
        let step = steps.get(at).filter(|step| step.weights.iter().all(Vec::is_empty));
        step.map(|step| step.bytes.clone())
    };
    match (weightless(&view.a, from_a), weightless(&view.b, from_b)) {
        (Some(a), Some(b)) if a == b => Some((from_a + 1, from_b + 1)),
        (Some(_), _) => Some((from_a + 1, from_b)),
        (None, Some(_)) => Some((from_a, from_b + 1)),
        (None, None) => None,
    }
}

fn weights(steps: &[Step], level: usize) -> Vec<&str> {
    steps.iter().filter_map(|step| step.weights.get(level)).flatten().map(String::as_str).collect()
}

fn text(steps: &[Step]) -> String {
    steps
        .iter()
        .map(|step| if step.text.is_empty() { format!("\\x{}", step.bytes) } else { step.text.clone() })
        .collect()
}

fn describe_segment(Segment { a, b, weights }: &Segment<'_>) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => format!("{} has no weight", list_code_points(b)),
        (_, true) => format!("{} has no weight", list_code_points(a)),
        _ => format!("{a} = {b} (weight {})", weights.join(" ")),
    }
}

/// Returns `U+0065 U+0301`. Ignorable characters are written like this, as most of them are
/// invisible.
pub(crate) fn list_code_points(text: &str) -> String {
    text.chars().map(|character| format!("U+{:04X}", character as u32)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_collation::Flavour;

    fn reasons(flavour: Flavour, name: &str, a: &str, b: &str) -> Vec<String> {
        explain_equality(Collation::lookup(flavour, name).unwrap(), a.as_bytes(), b.as_bytes())
    }

    #[test]
    fn identical_characters_are_left_out() {
        let segments = reasons(Flavour::MySql, "utf8mb4_0900_ai_ci", "Straße", "STRASSE");
        assert_eq!(segments.last().unwrap(), "e = E (weight 1CAA)");
        assert!(segments.iter().any(|segment| segment.starts_with("ß = SS (weight 1E71 1E71)")), "{segments:?}");
        for (a, b) in [("e\u{301}a", "ea"), ("ea", "e\u{301}a"), ("\u{300}e\u{301}a", "\u{300}ea")] {
            assert_eq!(reasons(Flavour::MySql, "utf8mb4_0900_ai_ci", a, b), ["U+0301 has no weight"], "{a} {b}");
        }
    }

    #[test]
    fn padding_is_described() {
        assert_eq!(
            reasons(Flavour::MySql, "utf8mb4_general_ci", "a", "a  "),
            ["spaces at the end don't count (PAD SPACE)"]
        );
        assert_eq!(
            reasons(Flavour::MySql, "utf8mb4_unicode_ci", "vendor", "vendor\u{2007}"),
            ["U+2007 weighs as a space, and spaces at the end don't count (PAD SPACE)"]
        );
    }
}
