//! What is compared: which collations of which server, which texts, which differences. Pure.

use std::time::Duration;

use measure::{DEFAULT_COLLATIONS, Facts, PlanError, nearest};
use server::CollationInfo;
use workload::Text;

use crate::instruction_set::InstructionSet;
use crate::pair::{Difference, Pair, pair};

/// What to measure, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Collations by name; those that a server has of the default list where absent.
    pub collations: Option<Vec<String>>,
    /// Kinds of text.
    pub texts: Vec<Text>,
    /// How the second string differs from the first; those that a text can differ in are measured.
    pub differences: Vec<Difference>,
    /// Instruction sets of the engine, each of which is timed; none: the best of the machine.
    pub instruction_sets: Vec<InstructionSet>,
    /// Characters of each string.
    pub characters: usize,
    /// How long one timing inside a server takes.
    pub time: Duration,
    /// Rounds over everything, each on fresh starts; a median has an interval from six on.
    pub rounds: u32,
}

impl Default for Request {
    /// 119 characters, the length of a sysbench `c` value.
    fn default() -> Self {
        Self {
            collations: None,
            texts: Text::ALL.to_vec(),
            differences: Difference::ALL.to_vec(),
            instruction_sets: Vec::new(),
            characters: 119,
            time: Duration::from_millis(100),
            rounds: 7,
        }
    }
}

/// A pair of strings of one text.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) text: Text,
    pub(crate) difference: Difference,
    pub(crate) pair: Pair,
}

/// The pairs that a request means, text by text.
pub(crate) fn samples(request: &Request) -> Vec<Sample> {
    let mut samples = Vec::new();
    for &text in &request.texts {
        for &difference in &request.differences {
            if let Some(pair) = pair(text, difference, request.characters) {
                samples.push(Sample { text, difference, pair });
            }
        }
    }
    samples
}

/// The collations to measure on each server, and notes on what a server lacks of those that were named.
pub(crate) fn collations(
    asked: Option<&[String]>,
    servers: &[Facts],
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<CollationInfo>>, PlanError> {
    let Some(asked) = asked else {
        let defaults = |facts: &Facts| DEFAULT_COLLATIONS.iter().filter_map(|name| facts.find(name).cloned()).collect();
        return Ok(servers.iter().map(defaults).collect());
    };
    for name in asked {
        if !servers.iter().any(|facts| facts.find(name).is_some()) {
            let all = servers.iter().flat_map(|facts| &facts.collations).map(|collation| collation.name.as_str());
            let labels: Vec<&str> = servers.iter().map(|facts| facts.label.as_str()).collect();
            let nearest = nearest(name, all);
            return Err(PlanError::UnknownCollation { server: labels.join(" and "), name: name.clone(), nearest });
        }
    }
    let mut of_server = |facts: &Facts| {
        let mut found = Vec::new();
        for name in asked {
            match facts.find(name) {
                Some(collation) => found.push(collation.clone()),
                None => notes.push(format!("{} has no {name}: left out", facts.label)),
            }
        }
        found
    };
    Ok(servers.iter().map(&mut of_server).collect())
}

#[cfg(test)]
mod tests {
    use server::Flavour;

    use super::*;

    fn facts(label: &str, names: &[&str]) -> Facts {
        let collation = |name: &&str| CollationInfo {
            name: (*name).into(),
            charset: name.split('_').next().unwrap().into(),
            id: 1,
            is_default: false,
        };
        Facts { label: label.into(), flavour: Flavour::MySql, collations: names.iter().map(collation).collect() }
    }

    fn names(found: &[Vec<CollationInfo>]) -> Vec<Vec<&str>> {
        found.iter().map(|of_server| of_server.iter().map(|collation| collation.name.as_str()).collect()).collect()
    }

    #[test]
    fn each_server_takes_what_it_has_of_the_default_list() {
        let servers = [facts("A", &["utf8mb4_bin", "gbk_bin"]), facts("B", &["utf8mb4_0900_ai_ci", "utf8mb4_bin"])];
        let mut notes = Vec::new();
        let found = collations(None, &servers, &mut notes).unwrap();
        assert_eq!(names(&found), [vec!["utf8mb4_bin"], vec!["utf8mb4_bin", "utf8mb4_0900_ai_ci"]]);
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn what_only_one_server_has_is_measured_there() {
        let servers = [facts("A", &["gbk_bin", "utf8mb4_bin"]), facts("B", &["utf8mb4_bin"])];
        let mut notes = Vec::new();
        let found = collations(Some(&["utf8mb4_bin".into(), "gbk_bin".into()]), &servers, &mut notes).unwrap();
        assert_eq!(names(&found), [vec!["utf8mb4_bin", "gbk_bin"], vec!["utf8mb4_bin"]]);
        assert_eq!(notes, ["B has no gbk_bin: left out"]);
    }

    #[test]
    fn a_name_that_no_server_has_is_answered_with_the_nearest() {
        let servers = [facts("A", &["gbk_bin", "utf8mb4_bin"])];
        let error = collations(Some(&["utf8mb4_ban".into()]), &servers, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(error, "A has no collation utf8mb4_ban; the nearest it has: utf8mb4_bin, gbk_bin");
    }

    #[test]
    fn texts_that_cannot_differ_so_are_left_out() {
        let request = Request {
            texts: vec![Text::Digits, Text::Ascii],
            differences: vec![Difference::Case],
            ..Request::default()
        };
        let found = samples(&request);
        assert!(
            matches!(found.as_slice(), [Sample { text: Text::Ascii, difference: Difference::Case, .. }]),
            "{found:?}"
        );
    }
}
