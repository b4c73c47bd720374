//! What a path tells, by a pattern such as `{collation}/res{run}/sysbench.ro.{range}.{threads}.res`.

use std::collections::BTreeMap;
use std::str::FromStr;

/// What a pattern found in a path, by name.
pub type Values = BTreeMap<String, String>;

/// A pattern over the end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// One character or more, none of them a slash.
    Value(String),
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no pattern: {reason}")]
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
                let (name, after) = inner.split_once('}').ok_or_else(|| fail("a brace is open at its end"))?;
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(fail("between braces stands a name, of letters, digits and underscores"));
                }
                if matches!(parts.last(), Some(Part::Value(_))) {
                    return Err(fail("two names stand next to each other, and nothing tells where one ends"));
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

impl Pattern {
    /// What it finds in the end of a path, whose folders and name it must cover whole; `None` where it does not fit.
    pub fn find(&self, path: &str) -> Option<Values> {
        let starts = [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1));
        starts.filter_map(|start| fit(&self.parts, &path[start..], &Values::new())).next_back()
    }
}

/// Fits the parts to all of a text. Each value takes as little as it can; one that occurs twice is the same in both places.
fn fit(parts: &[Part], text: &str, known: &Values) -> Option<Values> {
    match parts {
        [] => text.is_empty().then(|| known.clone()),
        [Part::Literal(literal), rest @ ..] => fit(rest, text.strip_prefix(literal.as_str())?, known),
        [Part::Value(name), rest @ ..] => {
            let longest = text.find('/').unwrap_or(text.len());
            let ends = text[..longest].char_indices().map(|(at, c)| at + c.len_utf8());
            ends.map(|end| text.split_at(end)).find_map(|(value, after)| {
                if known.get(name).is_some_and(|earlier| earlier != value) {
                    return None;
                }
                let mut known = known.clone();
                known.insert(name.clone(), value.into());
                fit(rest, after, &known)
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
    fn values_are_found_at_the_end_of_a_path() {
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
    fn what_is_no_pattern_is_said_so() {
        for (text, reason) in [
            ("a.log", "no name in braces"),
            ("{a", "a brace is open"),
            ("{}", "between braces stands a name"),
            ("{a}{b}", "next to each other"),
        ] {
            assert!(text.parse::<Pattern>().unwrap_err().to_string().contains(reason), "{text}");
        }
    }
}
