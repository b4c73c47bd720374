//! Literal arguments of a call: collation, flavour and escape.

use datafusion_common::utils::datafusion_strsim::normalized_levenshtein;
use datafusion_common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};

/// Name and description of a parameter.
pub(crate) type Parameter = (&'static str, &'static str);

/// Parameters that must be literals, in order. All but the first are optional.
pub(crate) const OPTIONS: [Parameter; 3] = [
    ("collation", "The collation's name, a literal."),
    ("flavour", "'mysql' or 'mariadb', where the name means another order in each."),
    ("escape", "The escape character, a literal; a backslash if not given, '' for none."),
];

/// Values of a call's literal arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub collation: Collation,
    /// The escape character of LIKE.
    pub escape: Option<char>,
}

impl Options {
    /// Reads the arguments after the strings. `None` is an argument that is not a literal.
    pub fn from_literals(function: &str, literals: &[Option<&ScalarValue>]) -> Result<Self> {
        let literal =
            |at: usize| literals.get(at).map(|literal| literal_text(function, OPTIONS[at].0, *literal)).transpose();
        let name = literal(0)?.unwrap_or_default();
        let flavour = literal(1)?.map(|name| self::parse_flavour(function, name)).transpose()?;
        let escape = match literal(2)? {
            None => Some('\\'),
            Some(text) => parse_escape(function, text)?,
        };
        Ok(Self { collation: find_collation(function, name, flavour)?, escape })
    }
}

/// Returns the text of a string literal.
fn literal_text<'a>(function: &str, parameter: &str, literal: Option<&'a ScalarValue>) -> Result<&'a str> {
    match literal.and_then(ScalarValue::try_as_str) {
        Some(Some(text)) => Ok(text),
        _ => plan_err!("{function} needs the {parameter} as a string literal"),
    }
}

fn parse_flavour(function: &str, name: &str) -> Result<Flavour> {
    name.parse().map_err(|_| plan_datafusion_err!("{function}: a flavour is 'mysql' or 'mariadb', not '{name}'"))
}

fn parse_escape(function: &str, text: &str) -> Result<Option<char>> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (escape, None) => Ok(escape),
        _ => plan_err!("{function}: the escape is one character, or '' for none, not '{text}'"),
    }
}

/// Looks up a collation. Without a flavour the name must exist in one flavour only, or have the
/// same order of well-formed strings in both.
fn find_collation(function: &str, name: &str, given: Option<Flavour>) -> Result<Collation> {
    if let Some(flavour) = given {
        return Collation::by_name(flavour, name)
            .map_err(|error| describe_lookup_error(function, name, &[flavour], &error));
    }
    let found = Collation::of_name(name).and_then(Meaning::only);
    found.map_err(|error| describe_lookup_error(function, name, &Flavour::ALL, &error))
}

fn describe_lookup_error(function: &str, name: &str, requested: &[Flavour], error: &LookupError) -> DataFusionError {
    match error {
        LookupError::Unknown { .. } | LookupError::UnknownToAll { .. } => {}
        LookupError::Ambiguous { .. } | LookupError::OneNotEnabled { .. } => {
            return plan_datafusion_err!(
                "{function}: {error}; add the flavour, 'mysql' or 'mariadb', after the collation"
            );
        }
        _ => return plan_datafusion_err!("{function}: {error}"),
    }
    let other =
        Flavour::ALL.into_iter().find(|other| !requested.contains(other) && Collation::by_name(*other, name).is_ok());
    let hint = match other {
        Some(other) => format!(", but {other} has"),
        None => {
            most_similar_name(name, requested).map(|scored| format!("; did you mean {scored}?")).unwrap_or_default()
        }
    };
    plan_datafusion_err!("{function}: {error}{hint}")
}

/// Returns the most similar name, if its similarity exceeds 0.6.
fn most_similar_name(name: &str, flavours: &[Flavour]) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let names = flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.is_enabled());
    let scored = names.map(|info| (normalized_levenshtein(&name, info.name), info.name));
    let most_similar_name = scored.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (most_similar_name.0 > 0.6).then_some(most_similar_name.1)
}
