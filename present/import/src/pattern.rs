//! Patterns that read values from a path, such as
//! `{collation}/res{run}/sysbench.ro.{range}.{threads}.res`.

use std::collections::BTreeMap;
use std::str::FromStr;

/// Values that a pattern reads from a path, by name.
pub type Values = BTreeMap<String, String>;

/// Pattern for the end of a path: literal text and names in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// A name in braces. Matches one or more characters except `/`.
    Value(String),
}

/// Reason why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a pattern: {reason}")]
pub struct PatternError {
    text: String,
    reason: &'static str,
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let fail = |reason| PatternError { text: text.into(), reason };
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let part = if let Some(inner) = rest.strip_prefix('{') {
                let (name, after) = inner.split_once('}').ok_or_else(|| fail("a brace is not closed"))?;
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(fail("a name in braces consists of letters, digits and underscores"));
                }
                if matches!(parts.last(), Some(Part::Value(_))) {
                    return Err(fail("two names need text between them"));
                }
                rest = after;
                Part::Value(name.into())
            } else {
                let end = rest.find('{').unwrap_or(rest.len());
                let (literal, after) = rest.split_at(end);
                rest = after;
                Part::Literal(literal.into())
            };
            parts.push(part);
        }
        if parts.iter().all(|part| matches!(part, Part::Literal(_))) {
            return Err(fail("it has no name in braces, such as {collation}"));
        }
        Ok(Self { text: text.into(), parts })
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Maximum number of values that are tried for one path. A name such as `-----` has many ways to
/// match `{a}-{b}-{c}-{d}`.
const MAX_STEPS: u32 = 100_000;

impl Pattern {
    /// Matches the pattern against the end of `path`, from the start of a folder or file name.
    /// `None` if the pattern does not match, or if that would take too many tries. The shortest
    /// matching end is used.
    pub fn find(&self, path: &str) -> Option<Values> {
        let mut budget = MAX_STEPS;
        let starts = [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1));
        starts.filter_map(|start| match_parts(&self.parts, &path[start..], &Values::new(), &mut budget)).next_back()
    }
}

/// Matches the parts with all of `text`. Values are the shortest that match. A name that occurs
/// twice has the same value in both places. `budget` is the number of values that are still tried.
fn match_parts(parts: &[Part], text: &str, earlier_values: &Values, budget: &mut u32) -> Option<Values> {
    match parts {
        [] => text.is_empty().then(|| earlier_values.clone()),
        [Part::Literal(literal), rest @ ..] => {
            match_parts(rest, text.strip_prefix(literal.as_str())?, earlier_values, budget)
        }
        [Part::Value(name), rest @ ..] => {
            let longest = text.find('/').unwrap_or(text.len());
            let ends = text[..longest].char_indices().map(|(at, c)| at + c.len_utf8());
            ends.map(|end| text.split_at(end)).find_map(|(value, after)| {
                if *budget == 0 || earlier_values.get(name).is_some_and(|earlier| earlier != value) {
                    return None;
                }
                *budget -= 1;
                let mut earlier_values = earlier_values.clone();
                earlier_values.insert(name.clone(), value.into());
                match_parts(rest, after, &earlier_values, budget)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
        pattern.parse::<Pattern>().unwrap().find(path).map(|values| values.into_iter().collect())
    }

    fn pairs(pairs: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        Some(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn reads_values_from_the_end_of_a_path() {
        let pattern = "{collation}/res{run}/sysbench.ro.{range}.{threads}.res";
        let wanted = pairs(&[("collation", "utf8mb4_bin"), ("range", "100"), ("run", "05"), ("threads", "16")]);
        assert_eq!(find(pattern, "utf8mb4_bin/res05/sysbench.ro.100.16.res"), wanted);
        assert_eq!(find(pattern, "/data/2021/utf8mb4_bin/res05/sysbench.ro.100.16.res"), wanted);
        assert_eq!(find(pattern, "res05/sysbench.ro.100.16.res"), None);
        assert_eq!(find(pattern, "utf8mb4_bin/res05/sysbench.ro.100.16.res.bak"), None);
        assert_eq!(find("{a}.log", "x/y.log"), pairs(&[("a", "y")]));
        assert_eq!(find("{a}-{b}-{a}.log", "x-y-x.log"), pairs(&[("a", "x"), ("b", "y")]));
        assert_eq!(find("{a}-{b}-{a}.log", "x-y-z.log"), None);
        assert_eq!(find("{a}é.log", "ß漢é.log"), pairs(&[("a", "ß漢")]));
    }

    #[test]
    fn names_with_many_ways_to_match_are_given_up() {
        let path = "-".repeat(200) + "x";
        assert_eq!(find("{a}-{b}-{c}-{d}-{e}-{f}.log", &path), None);
    }

    #[test]
    fn rejects_malformed_patterns() {
        for (text, reason) in [
            ("a.log", "no name in braces"),
            ("{a", "a brace is not closed"),
            ("{}", "a name in braces consists of"),
            ("{a}{b}", "need text between them"),
        ] {
            assert!(text.parse::<Pattern>().unwrap_err().to_string().contains(reason), "{text}");
        }
    }
}
