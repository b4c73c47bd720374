//! A recipe as written in TOML. docs/reference/recipe-file.md describes the format.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use measure::{ClaimSpec, PublishedFigure, parse_duration, parse_percent};
use serde::{Deserialize, Deserializer};
use server::SettingName;
use workload::{Distribution, Text, Workload};

use crate::error::RecipeError;
use crate::{embedded, published};

/// An experiment, and the claims of the study that it repeats.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of a built-in recipe, or path of the file.
    #[serde(skip)]
    pub name: String,
    /// One-line description.
    pub title: String,
    /// Authors and date of the repeated study.
    #[serde(default)]
    pub study: Option<String>,
    /// Background, and differences from the study.
    #[serde(default)]
    pub about: Option<String>,
    /// Server versions that the study measured. Example: `mysql-5.7`.
    #[serde(default)]
    pub versions: Vec<String>,
    /// Servers in the syntax of `--server`.
    pub servers: Vec<String>,
    /// For each of `servers`, the position of the server that it is compared with; its own position
    /// for none. Empty: all are compared with the first. Ignored if the user names other servers.
    #[serde(default)]
    pub controls: Vec<usize>,
    /// Server charsets to run with, one instance per entry. Empty: the server's own default.
    #[serde(default)]
    pub server_charsets: Vec<String>,
    /// True if servers are compared under equal conditions, as by `weigh bench --level`.
    #[serde(default)]
    pub level: bool,
    /// Collation that ratios are taken against. `None`: the default of `weigh bench`.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Collations. A server's missing collations are omitted. Empty: the default of `weigh bench`.
    #[serde(default)]
    pub collations: Vec<String>,
    /// Pairs of different collations to compare between two servers, one collation per server.
    #[serde(default, alias = "across")]
    pub cross_server: Vec<[String; 2]>,
    /// Connection charsets. `match` is the charset of the collation.
    #[serde(default = "default_connections")]
    pub connections: Vec<String>,
    pub workloads: Vec<Workload>,
    /// Kinds of text in the rows.
    #[serde(default = "default_texts")]
    pub texts: Vec<Text>,
    #[serde(default)]
    pub protocol: Protocol,
    /// File of published figures, in the recipe's folder or built in.
    #[serde(default)]
    published: Option<String>,
    /// Figures read from the file `published`.
    #[serde(skip)]
    pub figures: Vec<PublishedFigure>,
    /// Sizes and durations to run with, by name.
    pub scales: BTreeMap<String, Scale>,
    #[serde(default)]
    pub claims: Vec<ClaimSpec>,
}

/// Protocol that statements are sent with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Statements are prepared once.
    #[default]
    Prepared,
    /// Statements are sent as text and parsed each time.
    Text,
}

/// Size and duration of a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Connections per variant. Each entry makes further conditions. Empty: the default of
    /// `weigh bench`.
    #[serde(default)]
    pub threads: Vec<u32>,
    /// Number of tables of each kind that the workloads use.
    #[serde(default = "default_tables")]
    pub tables: u32,
    /// Rows per table, at least 100.
    pub table_size: u32,
    /// Distribution that row numbers are drawn from.
    #[serde(default, deserialize_with = "deserialize_distribution")]
    pub rand_type: Distribution,
    /// Half-width of a ratio's interval at which a pair is finished, as a fraction.
    #[serde(deserialize_with = "deserialize_percentage")]
    pub precision: f64,
    /// Limit of the total time of load.
    #[serde(deserialize_with = "deserialize_duration")]
    pub max_time: Duration,
    #[serde(default = "default_block", deserialize_with = "deserialize_duration")]
    pub block: Duration,
    /// Number of replicates. `None`: up to ten, and more if time is left.
    #[serde(default)]
    pub replicates: Option<u32>,
    /// Uncounted load before a pair's first block in each replicate.
    #[serde(default = "default_warmup", deserialize_with = "deserialize_duration")]
    pub warmup: Duration,
    /// Server variables of private servers.
    #[serde(default)]
    pub settings: BTreeMap<SettingName, String>,
}

impl Recipe {
    /// Returns the built-in recipe of this name, or reads the file at this path.
    pub fn find(given: &str) -> Result<Self, RecipeError> {
        if let Some(text) = embedded::source(given) {
            return Self::parse(given, text, None);
        }
        if !given.ends_with(".toml") && !given.contains('/') {
            return Err(RecipeError::Unknown { given: given.into(), known: embedded::names_by_similarity(given) });
        }
        let path = Path::new(given);
        let text = bounded::read_text(path).map_err(|source| RecipeError::Read { path: path.into(), source })?;
        Self::parse(given, &text, path.parent())
    }

    /// Returns all built-in recipes.
    pub fn all() -> Result<Vec<Self>, RecipeError> {
        embedded::recipe_names().map(Self::find).collect()
    }

    /// Reads a recipe. The file of published figures is in `folder`, or built in.
    fn parse(name: &str, text: &str, folder: Option<&Path>) -> Result<Self, RecipeError> {
        let table: toml::Table = toml::from_str(text).map_err(|error| malformed_recipe(name, text, &error))?;
        if let Some(place) = find_control("", &toml::Value::Table(table)) {
            let reason = format!("{place} has a control character");
            return Err(RecipeError::Contradiction { recipe: name.into(), reason });
        }
        let mut recipe: Recipe = toml::from_str(text).map_err(|error| malformed_recipe(name, text, &error))?;
        recipe.name = name.into();
        recipe.validate()?;
        if let Some(file) = &recipe.published {
            recipe.figures = published::read(file, folder)?;
        }
        Ok(recipe)
    }

    /// Returns the scale of this name. `None`: the only scale, or else `laptop`.
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

    /// Rejects empty servers, workloads, texts, connections and scales, limits out of range,
    /// invalid `controls`, and claims without a range or with `rounded_to` out of range.
    fn validate(&self) -> Result<(), RecipeError> {
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
        let controls = &self.controls;
        if !controls.is_empty() && controls.len() != self.servers.len()
            || controls.iter().enumerate().any(|(server, &control)| control > server || controls[control] != control)
        {
            return fail(
                "its controls must name, for each server, itself or an earlier server that names itself, by position"
                    .to_owned(),
            );
        }
        for claim in &self.claims {
            if claim.ratio.rounded_to.is_some_and(|unit| !(unit > 0.0 && unit <= 0.5)) {
                return fail(format!("rounded_to of the claim \"{}\" must be above 0 and at most 0.5", claim.text));
            }
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

/// Finds a key or string with a character that acts on a terminal, and names it by its key. Only
/// `about` may have several lines.
fn find_control(key: &str, value: &toml::Value) -> Option<String> {
    let acts = |text: &str| text.contains(|c| escape::is_control(c) && !(key == "about" && matches!(c, '\n' | '\t')));
    match value {
        toml::Value::String(text) => acts(text).then(|| key.to_owned()),
        toml::Value::Array(values) => values.iter().find_map(|value| find_control(key, value)),
        toml::Value::Table(table) => table.iter().find_map(|(key, value)| {
            let is_own = key.contains(escape::is_control).then(|| escape::line(key).into_owned());
            is_own.or_else(|| find_control(key, value))
        }),
        _ => None,
    }
}

fn malformed_recipe(recipe: &str, text: &str, error: &toml::de::Error) -> RecipeError {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = 1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
    // Messages of the TOML parser may have several lines.
    let reason = error.message().lines().collect::<Vec<_>>().join(", ");
    RecipeError::Malformed { recipe: recipe.into(), line, reason }
}

fn default_connections() -> Vec<String> {
    vec!["match".into()]
}

fn default_texts() -> Vec<Text> {
    vec![Text::default()]
}

fn default_tables() -> u32 {
    1
}

fn default_block() -> Duration {
    Duration::from_secs(1)
}

fn default_warmup() -> Duration {
    Duration::from_millis(250)
}

fn deserialize_with_parser<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

fn deserialize_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    deserialize_with_parser(deserializer, parse_duration)
}

fn deserialize_percentage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserialize_with_parser(deserializer, parse_percent)
}

fn deserialize_distribution<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Distribution, D::Error> {
    deserialize_with_parser(deserializer, str::parse)
}

#[cfg(test)]
mod tests;
