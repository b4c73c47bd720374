//! What is told of a view in words.

use crate::model::{Part, Parting, Step, Verdict, View};

/// Why the verdict is what it is.
pub fn reason(view: &View) -> String {
    match &view.parting {
        None if view.equal_by_padding => "all weights are the same; trailing spaces don't count".into(),
        None if view.a == view.b => "the strings are the same".into(),
        None => "all weights are the same".into(),
        Some(parting) => parted(view, parting),
    }
}

fn parted(view: &View, parting: &Parting) -> String {
    let [a, b] = [(&parting.a, &view.a), (&parting.b, &view.b)].map(|(part, steps)| told(view, part, steps));
    let sign = match view.verdict {
        Verdict::Less => "before",
        Verdict::Greater => "after",
        Verdict::Equal => "beside",
    };
    let level = if view.levels.len() > 1 { format!(" at the {} level", parting.level.name()) } else { String::new() };
    format!("{a} {sign} {b}{level}")
}

/// A place in a string in words.
fn told(view: &View, part: &Part, steps: &[Step]) -> String {
    let weight = part.weight.as_deref().unwrap_or_default();
    match part.step.and_then(|step| steps.get(step)) {
        Some(step) => format!("{} ({weight})", shown(step)),
        None if view.pads => format!("the end, a space ({weight}),"),
        None => "the end".into(),
    }
}

/// A step in a sentence.
fn shown(step: &Step) -> String {
    match visible(&step.text) {
        "" => code(step),
        text => format!("'{text}'"),
    }
}

/// A step by its code points, or by its byte where it is part of no character.
pub fn code(step: &Step) -> String {
    if step.code_points.is_empty() { format!("byte {}", step.bytes) } else { step.code_points.join(" ") }
}

/// Text as it can be shown in a table: nothing for control characters, spaces, and marks that would sit on what stands before.
pub fn visible(text: &str) -> &str {
    let plain = |c: char| c.escape_debug().count() == 1 || matches!(c, '\'' | '"' | '\\');
    if text.chars().all(|c| plain(c) && !c.is_whitespace()) { text } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_a_line_or_sit_on_another_is_not_shown() {
        assert_eq!(["a", "'", "\\", "ß", "中", "😀"].map(visible), ["a", "'", "\\", "ß", "中", "😀"]);
        assert_eq!(["\n", " ", "\u{301}", "\u{200D}", "\u{0}"].map(visible), [""; 5]);
    }
}
