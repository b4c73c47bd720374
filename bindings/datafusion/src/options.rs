//! What a call says in literals: collation, flavour, escape.

use datafusion_common::utils::datafusion_strsim::normalized_levenshtein;
use datafusion_common::{DataFusionError, Result, ScalarValue, plan_datafusion_err, plan_err};
use mysql_collation::{Collation, Flavour, LookupError, catalogue};

/// The parameters that are literals, in their order. All but the first are optional.
pub(crate) const OPTIONS: [&str; 3] = ["collation", "flavour", "escape"];

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
        let literal = |at: usize| literals.get(at).map(|literal| word(function, OPTIONS[at], *literal)).transpose();
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

const FLAVOURS: [Flavour; 2] = [Flavour::MySql, Flavour::MariaDb];

/// The collation of this name. Without a flavour it must be one flavour's alone, or order well-formed strings alike in both.
fn by_name(function: &str, name: &str, given: Option<Flavour>) -> Result<Collation> {
    if let Some(flavour) = given {
        return Collation::by_name(flavour, name).map_err(|error| failure(function, name, &[flavour], &error));
    }
    match FLAVOURS.map(|flavour| Collation::by_name(flavour, name)) {
        [Ok(mysql), Ok(mariadb)] if mysql.orders_valid_text_like(mariadb) => Ok(mysql),
        [Ok(one), Err(LookupError::Unknown { .. })] | [Err(LookupError::Unknown { .. }), Ok(one)] => Ok(one),
        [Ok(_), Ok(_)] => plan_err!(
            "{function}: MySQL and MariaDB order strings in different ways under {name}; \
             add the flavour, 'mysql' or 'mariadb', after the collation"
        ),
        // Whether a collation that was left out is like the other one can't be told.
        [Ok(_), Err(_)] | [Err(_), Ok(_)] => plan_err!(
            "{function}: both MySQL and MariaDB have {name}, and one of the two is not enabled; \
             add the flavour, 'mysql' or 'mariadb', after the collation"
        ),
        [Err(error), Err(LookupError::Unknown { .. })] | [_, Err(error)] => {
            Err(failure(function, name, &FLAVOURS, &error))
        }
    }
}

fn failure(function: &str, name: &str, asked: &[Flavour], error: &LookupError) -> DataFusionError {
    if let LookupError::NotEnabled { .. } = error {
        return plan_datafusion_err!("{function}: {error}");
    }
    let who = match asked {
        [one] => format!("{one} has no collation {name}"),
        _ => format!("neither MySQL nor MariaDB has a collation {name}"),
    };
    let other = FLAVOURS.into_iter().find(|other| !asked.contains(other) && Collation::by_name(*other, name).is_ok());
    let hint = match other {
        Some(other) => format!(", but {other} has"),
        None => nearest(name, asked).map(|near| format!("; did you mean {near}?")).unwrap_or_default(),
    };
    plan_datafusion_err!("{function}: {who}{hint}")
}

/// The name that looks most like this one, if any does.
fn nearest(name: &str, flavours: &[Flavour]) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let known = flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.is_enabled());
    let near = known.map(|info| (normalized_levenshtein(&name, info.name), info.name));
    let nearest = near.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (nearest.0 > 0.6).then_some(nearest.1)
}
