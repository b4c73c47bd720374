//! A recipe as it is written: TOML, described in docs/run.md.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::{fmt, fs};

use measure::{ClaimSpec, PublishedFigure, parse_duration, parse_percent};
use serde::{Deserialize, Deserializer};
use workload::{Distribution, Text, Workload};

use crate::error::RecipeError;
use crate::{embedded, published};

/// An experiment, and what a study found by it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name, or its file's path.
    #[serde(skip)]
    pub name: String,
    /// What it is about, in one line.
    pub title: String,
    /// The study that it repeats: who and when.
    #[serde(default)]
    pub study: Option<String>,
    /// What to know of it, and how it departs from the study.
    #[serde(default)]
    pub about: Option<String>,
    /// The versions of servers that the study measured, such as `5.7`.
    #[serde(default)]
    pub versions: Vec<String>,
    /// The servers, as `--server` names them.
    pub servers: Vec<String>,
    /// Charsets that the servers are set to, an instance each; as they ship where empty.
    #[serde(default)]
    pub server_charsets: Vec<String>,
    /// Whether servers that are started get the settings of `weigh bench --level`.
    #[serde(default)]
    pub level: bool,
    /// Collation that ratios are taken against; `weigh bench`'s default where absent.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Collations; those that a server lacks are left out. `weigh bench`'s default where empty.
    #[serde(default)]
    pub collations: Vec<String>,
    /// Collations that are held against each other, one on each server, although they are unlike.
    #[serde(default, alias = "across")]
    pub cross_server: Vec<[String; 2]>,
    /// Charsets of the connections; `match` is the collation's own.
    #[serde(default = "own_charset")]
    pub connections: Vec<String>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// Texts of the rows.
    #[serde(default = "digits")]
    pub texts: Vec<Text>,
    /// How statements travel.
    #[serde(default)]
    pub protocol: Protocol,
    /// File of published figures, beside the recipe's own.
    #[serde(default)]
    published: Option<String>,
    /// The figures of that file.
    #[serde(skip)]
    pub figures: Vec<PublishedFigure>,
    /// Sizes that it can be run at, by name.
    pub scales: BTreeMap<String, Scale>,
    /// What the study found.
    #[serde(default)]
    pub claims: Vec<ClaimSpec>,
}

/// How statements travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Prepared once.
    #[default]
    Prepared,
    /// As text, parsed each time.
    Text,
}

/// How big, how long.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Connections to each variant, a condition each; the number of cores where empty.
    #[serde(default)]
    pub threads: Vec<u32>,
    /// Tables of each kind.
    #[serde(default = "one")]
    pub tables: u32,
    /// Rows of a table.
    pub table_size: u32,
    /// How row numbers are drawn.
    #[serde(default, deserialize_with = "distribution")]
    pub rand_type: Distribution,
    /// Half-width of a ratio's interval to reach.
    #[serde(deserialize_with = "percentage")]
    pub precision: f64,
    /// Time for all load together.
    #[serde(deserialize_with = "duration")]
    pub max_time: Duration,
    /// Length of a block.
    #[serde(default = "second", deserialize_with = "duration")]
    pub block: Duration,
    /// Replicates; as many as time is enough for where absent.
    #[serde(default)]
    pub replicates: Option<u32>,
    /// Uncounted load before a pair's first block in each replicate.
    #[serde(default = "quarter_of_a_second", deserialize_with = "duration")]
    pub warmup: Duration,
    /// Settings of the servers that are started for it.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

impl Recipe {
    /// The recipe of this name, or in this file.
    pub fn find(given: &str) -> Result<Self, RecipeError> {
        if let Some(text) = embedded::source(given) {
            return Self::parse(given, text, None);
        }
        if !given.ends_with(".toml") && !given.contains('/') {
            return Err(RecipeError::Unknown { given: given.into(), known: embedded::nearest(given) });
        }
        let path = Path::new(given);
        let text = fs::read_to_string(path).map_err(|source| RecipeError::Read { path: path.into(), source })?;
        Self::parse(given, &text, path.parent())
    }

    /// All recipes that come with `weigh`.
    pub fn all() -> Result<Vec<Self>, RecipeError> {
        embedded::names().map(Self::find).collect()
    }

    /// Reads a recipe whose other files are in `folder`, or come with `weigh`.
    fn parse(name: &str, text: &str, folder: Option<&Path>) -> Result<Self, RecipeError> {
        let mut recipe: Recipe = toml::from_str(text).map_err(|error| malformed(name, text, &error))?;
        recipe.name = name.into();
        recipe.check()?;
        if let Some(file) = &recipe.published {
            recipe.figures = published::read(file, folder)?;
        }
        Ok(recipe)
    }

    /// The scale of this name; without one, `laptop`, or the only one that there is.
    pub fn scale(&self, name: Option<&str>) -> Result<(&str, &Scale), RecipeError> {
        let only = || (self.scales.len() == 1).then(|| self.scales.keys().next()).flatten();
        let wanted = name.or_else(|| only().map(String::as_str)).unwrap_or("laptop");
        self.scales.get_key_value(wanted).map(|(name, scale)| (name.as_str(), scale)).ok_or_else(|| {
            RecipeError::Scale {
                recipe: self.name.clone(),
                given: wanted.into(),
                known: self.scales.keys().cloned().collect(),
            }
        })
    }

    /// Refuses what would otherwise end a run, or judge a claim by nothing.
    fn check(&self) -> Result<(), RecipeError> {
        let fail = |reason: String| Err(RecipeError::Contradiction { recipe: self.name.clone(), reason });
        let empty = [
            ("servers", self.servers.is_empty()),
            ("workloads", self.workloads.is_empty()),
            ("texts", self.texts.is_empty()),
            ("connections", self.connections.is_empty()),
            ("scales", self.scales.is_empty()),
        ];
        if let Some((what, _)) = empty.into_iter().find(|(_, empty)| *empty) {
            return fail(format!("its {what} are empty"));
        }
        for (name, scale) in &self.scales {
            let limits = [
                ("a block is longer than max_time", scale.block > scale.max_time),
                ("tables must be 1 at least", scale.tables == 0),
                ("table_size must be 100 at least", scale.table_size < 100),
                ("threads must be 1 at least", scale.threads.contains(&0)),
            ];
            if let Some((reason, _)) = limits.into_iter().find(|(_, broken)| *broken) {
                return fail(format!("scale {name}: {reason}"));
            }
        }
        for claim in &self.claims {
            let (above, below) = (claim.ratio.above.unwrap_or(0.0), claim.ratio.below.unwrap_or(f64::INFINITY));
            if claim.ratio.above.is_none() && claim.ratio.below.is_none() || above >= below || above.is_nan() {
                return fail(format!(
                    "the ratio of the claim \"{}\" has no range: give above, below, or both",
                    claim.text
                ));
            }
        }
        Ok(())
    }
}

fn malformed(recipe: &str, text: &str, error: &toml::de::Error) -> RecipeError {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = 1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
    // Some of its messages go over several lines.
    let reason = error.message().lines().collect::<Vec<_>>().join(", ");
    RecipeError::Malformed { recipe: recipe.into(), line, reason }
}

fn own_charset() -> Vec<String> {
    vec!["match".into()]
}

fn digits() -> Vec<Text> {
    vec![Text::default()]
}

fn one() -> u32 {
    1
}

fn second() -> Duration {
    Duration::from_secs(1)
}

fn quarter_of_a_second() -> Duration {
    Duration::from_millis(250)
}

fn parsed<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parsed(deserializer, parse_duration)
}

fn percentage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    parsed(deserializer, parse_percent)
}

fn distribution<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Distribution, D::Error> {
    parsed(deserializer, str::parse)
}

#[cfg(test)]
mod tests;
