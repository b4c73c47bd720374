//! Describes a [`View`] in words.

use mysql_collation::{Collation, Flavour};

use crate::equality::{Segment, find_segments, list_code_points};
use crate::model::{Mismatch, MismatchPosition, Step, Verdict, View};

/// Explains the verdict of a view: "'e' (1CAA) before 'f' (1CE5)".
pub fn explain_verdict(view: &View) -> String {
    match &view.mismatch {
        None if view.equal_by_padding && view.pads => "all weights are the same; trailing spaces don't count".into(),
        None if view.equal_by_padding => {
            "all weights are the same; the end weighs as spaces beyond the primary level".into()
        }
        None if view.a == view.b => "the strings are the same".into(),
        None => match find_ignored(view) {
            Some(ignored) => format!("all weights are the same: the collation ignores {ignored}"),
            None => describe_equality(view),
        },
        Some(mismatch) => describe_mismatch(view, mismatch),
    }
}

/// Maximum number of parts that a reason names.
const MAX_PARTS: usize = 2;

/// Returns `ß = ss: both weigh 1E71 1E71`: the parts that accents and case don't explain.
fn describe_equality(view: &View) -> String {
    let name = |text: &str| match visible_text(text) {
        "" => list_code_points(text),
        visible => visible.to_owned(),
    };
    let mut parts: Vec<String> = Vec::new();
    for Segment { a, b, weights } in find_segments(view).unequal {
        let part = if a.is_empty() || b.is_empty() {
            format!("{} has no weight", list_code_points(&format!("{a}{b}")))
        } else {
            format!("{} = {}: both weigh {}", name(&a), name(&b), weights.join(" "))
        };
        if find_ignored_between(&a, &b).is_none() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    let more = parts.len().saturating_sub(MAX_PARTS);
    parts.truncate(MAX_PARTS);
    match (parts.is_empty(), more) {
        (true, _) => "all weights are the same".into(),
        (false, 0) => parts.join("; "),
        (false, more) => format!("{}; and {more} more", parts.join("; ")),
    }
}

/// Returns `accents`, `case`, or both, if only these distinguish the strings. `None` for other
/// reasons, such as an expansion.
fn find_ignored(view: &View) -> Option<&'static str> {
    let text = |steps: &[Step]| steps.iter().map(|step| step.text.as_str()).collect::<String>();
    if view.a.len() == view.b.len() { find_ignored_between(&text(&view.a), &text(&view.b)) } else { None }
}

/// As [`find_ignored`], of two texts. Accents are judged by MySQL's `utf8mb4_0900_as_ci`, case by
/// which characters are capitals.
fn find_ignored_between(a: &str, b: &str) -> Option<&'static str> {
    let is_equal = |name: &str| {
        Collation::by_name(Flavour::MySql, name)
            .is_ok_and(|collation| collation.compare(a.as_bytes(), b.as_bytes()).is_eq())
    };
    if a.chars().count() != b.chars().count() || !is_equal("utf8mb4_0900_ai_ci") {
        return None;
    }
    let has_accents = !is_equal("utf8mb4_0900_as_ci");
    let has_case = a.chars().zip(b.chars()).any(|(a, b)| a.is_uppercase() != b.is_uppercase());
    match (has_accents, has_case) {
        (true, true) => Some("accents and case"),
        (true, false) => Some("accents"),
        (false, true) => Some("case"),
        (false, false) => None,
    }
}

fn describe_mismatch(view: &View, mismatch: &Mismatch) -> String {
    let [a, b] =
        [(&mismatch.a, &view.a), (&mismatch.b, &view.b)].map(|(position, steps)| describe_position(position, steps));
    let sign = match view.verdict {
        Verdict::Less => "before",
        Verdict::Greater => "after",
        Verdict::Equal => "beside",
    };
    let level = if view.levels.len() > 1 { format!(" at the {} level", mismatch.level.name()) } else { String::new() };
    format!("{a} {sign} {b}{level}")
}

fn describe_position(position: &MismatchPosition, steps: &[Step]) -> String {
    let step = position.step.and_then(|step| steps.get(step));
    match (step, position.weight.as_deref()) {
        (Some(step), weight) => format!("{} ({})", display_step(step), weight.unwrap_or_default()),
        (None, Some(weight)) => format!("the end, a space ({weight}),"),
        (None, None) => "the end".into(),
    }
}

fn display_step(step: &Step) -> String {
    match visible_text(&step.text) {
        "" => display_code_points(step),
        text => format!("'{text}'"),
    }
}

/// Returns a step's code points, such as `U+0073 U+0073`. Without code points, returns its bytes,
/// such as `byte FF` for an ill-formed byte.
pub fn display_code_points(step: &Step) -> String {
    if step.code_points.is_empty() { format!("byte {}", step.bytes) } else { step.code_points.join(" ") }
}

/// Returns a text if it can be displayed in a table, else an empty string.
///
/// Control characters, spaces and combining marks, for example, can't be displayed.
pub fn visible_text(text: &str) -> &str {
    let is_printable = |c: char| c.escape_debug().count() == 1 || matches!(c, '\'' | '"' | '\\');
    if text.chars().all(|c| is_printable(c) && !c.is_whitespace()) { text } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::explain;
    use crate::text::Text;

    #[test]
    fn says_what_equal_strings_differ_in() {
        let because = |name: &str, a: &str, b: &str| {
            let collation = Collation::by_name(Flavour::MySql, name).unwrap();
            explain_verdict(&explain(collation, "", &Text::Typed(a.into()), &Text::Typed(b.into())).unwrap())
        };
        let plain = "all weights are the same";
        assert_eq!(because("utf8mb4_0900_ai_ci", "Å", "A"), format!("{plain}: the collation ignores accents"));
        assert_eq!(because("utf8mb4_general_ci", "Å", "a"), format!("{plain}: the collation ignores accents and case"));
        assert_eq!(because("utf8mb4_0900_as_ci", "é", "É"), format!("{plain}: the collation ignores case"));
        assert_eq!(because("latin1_swedish_ci", "Anna", "anna"), format!("{plain}: the collation ignores case"));
        assert_eq!(because("utf8mb4_0900_ai_ci", "ß", "ss"), "ß = ss: both weigh 1E71 1E71");
        assert_eq!(because("utf8mb4_0900_ai_ci", "Straße", "STRASSE"), "ß = SS: both weigh 1E71 1E71");
        assert_eq!(because("utf8mb4_general_ci", "ß", "s"), "ß = s: both weigh 0053");
        assert_eq!(because("utf8mb4_0900_ai_ci", "e\u{301}", "e"), "U+0301 has no weight");
        let names = ["Weiß Æsop ﬁn", "Weiss AEsop fin"];
        let reason = "ß = ss: both weigh 1E71 1E71; Æ = AE: both weigh 1C47 1CAA; and 1 more";
        assert_eq!(because("utf8mb4_0900_ai_ci", names[0], names[1]), reason);
    }

    #[test]
    fn hides_control_characters_spaces_and_marks() {
        assert_eq!(["a", "'", "\\", "ß", "中", "😀"].map(visible_text), ["a", "'", "\\", "ß", "中", "😀"]);
        assert_eq!(["\n", " ", "\u{301}", "\u{200D}", "\u{0}"].map(visible_text), [""; 5]);
    }
}
