//! What a call says in literals: collation, flavour, escape.

use datafusion_common::utils::datafusion_strsim::normalized_levenshtein;
use datafusion_common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};

/// A parameter: its name, and what it is.
pub(crate) type Parameter = (&'static str, &'static str);

/// The parameters that are literals, in their order. All but the first are optional.
pub(crate) const OPTIONS: [Parameter; 3] = [
    ("collation", "The collation's name, a literal."),
    ("flavour", "'mysql' or 'mariadb', where the name means another order in each."),
    ("escape", "The escape character, a literal; a backslash if not given, '' for none."),
];

/// What the literals of a call mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub collation: Collation,
    /// The escape character of LIKE.
    pub escape: Option<char>,
}

impl Options {
    /// From the arguments after the strings, `None` for what is no literal.
    pub fn of(function: &str, literals: &[Option<&ScalarValue>]) -> Result<Self> {
        let literal = |at: usize| literals.get(at).map(|literal| word(function, OPTIONS[at].0, *literal)).transpose();
        let name = literal(0)?.unwrap_or_default();
        let flavour = literal(1)?.map(|name| self::flavour(function, name)).transpose()?;
        let escape = match literal(2)? {
            None => Some('\\'),
            Some(text) => escape(function, text)?,
        };
        Ok(Self { collation: by_name(function, name, flavour)?, escape })
    }
}

/// A literal's text.
fn word<'a>(function: &str, parameter: &str, literal: Option<&'a ScalarValue>) -> Result<&'a str> {
    match literal.and_then(ScalarValue::try_as_str) {
        Some(Some(text)) => Ok(text),
        _ => plan_err!("{function} needs the {parameter} as a string literal"),
    }
}

fn flavour(function: &str, name: &str) -> Result<Flavour> {
    name.parse().map_err(|_| plan_datafusion_err!("{function}: a flavour is 'mysql' or 'mariadb', not '{name}'"))
}

fn escape(function: &str, text: &str) -> Result<Option<char>> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (escape, None) => Ok(escape),
        _ => plan_err!("{function}: the escape is one character, or '' for none, not '{text}'"),
    }
}

/// The collation of this name. Without a flavour it must be one flavour's alone, or order well-formed strings alike in both.
fn by_name(function: &str, name: &str, given: Option<Flavour>) -> Result<Collation> {
    if let Some(flavour) = given {
        return Collation::by_name(flavour, name).map_err(|error| failure(function, name, &[flavour], &error));
    }
    let found = Collation::of_name(name).and_then(Meaning::only);
    found.map_err(|error| failure(function, name, &Flavour::ALL, &error))
}

fn failure(function: &str, name: &str, asked: &[Flavour], error: &LookupError) -> DataFusionError {
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
        Flavour::ALL.into_iter().find(|other| !asked.contains(other) && Collation::by_name(*other, name).is_ok());
    let hint = match other {
        Some(other) => format!(", but {other} has"),
        None => nearest(name, asked).map(|near| format!("; did you mean {near}?")).unwrap_or_default(),
    };
    plan_datafusion_err!("{function}: {error}{hint}")
}

/// The name that looks most like this one, if any does.
fn nearest(name: &str, flavours: &[Flavour]) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let known = flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.is_enabled());
    let near = known.map(|info| (normalized_levenshtein(&name, info.name), info.name));
    let nearest = near.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (nearest.0 > 0.6).then_some(nearest.1)
}
