//! The differences in one sentence.

use super::model::{Between, Place, Seen};

/// So many pairs of characters are named.
const PAIRS: usize = 3;

impl Between {
    /// What a text that goes from the first collation to the second meets, in one sentence without a full stop.
    pub fn told(&self) -> String {
        if self.same {
            return "it orders all strings the same".into();
        }
        let counts = self.counts;
        let mut parts = Vec::new();
        if counts.equal_under_b_only > 0 {
            let pairs = self.pairs(|seen| (&seen.b, &seen.a));
            parts.push(format!("{} characters become equal to others{pairs}", counts.equal_under_b_only));
        }
        if counts.equal_under_a_only > 0 {
            let pairs = self.pairs(|seen| (&seen.a, &seen.b));
            parts.push(format!("{} cease to be{pairs}", counts.equal_under_a_only));
        }
        if self.padding_differs {
            parts.push("trailing spaces count in one and not in the other".into());
        }
        if parts.is_empty() {
            parts.push("the same single characters are equal, but their order differs".into());
        }
        parts.join("; ")
    }

    /// Characters with what they are equal to at one place, but not at the other, in brackets.
    fn pairs<'s>(&'s self, places: impl Fn(&'s Seen) -> (&'s Place, &'s Place)) -> String {
        let all = self.scripts.iter().flat_map(|script| &script.examples);
        let pair = |seen: &'s Seen| {
            let (place, other) = places(seen);
            let equals = place.equals.as_ref().filter(|_| place.equals != other.equals)?;
            Some((equals.as_str(), seen.texts.first()?.as_str()))
        };
        let mut pairs: Vec<(&str, &str)> = all.filter_map(pair).collect();
        pairs.sort_by_key(|&(one, other)| (!(is_word(one) && is_word(other)), other, one));
        let shown: Vec<String> =
            pairs.iter().take(PAIRS).map(|(one, other)| format!("{} = {}", shown(one), shown(other))).collect();
        if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(char::is_alphanumeric)
}

fn shown(text: &str) -> String {
    if is_word(text) {
        return text.into();
    }
    text.chars().map(|character| format!("U+{:04X}", u32::from(character))).collect::<Vec<_>>().join(" ")
}
