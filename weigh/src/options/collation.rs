//! Collations and flavours as users name them.

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use mysql_collation::{Collation, Flavour, LookupError, Meaning, catalogue};

use super::values::without_repeats;

/// `--flavour`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlavourArg {
    /// MySQL's
    Mysql,
    /// MariaDB's
    Mariadb,
}

impl From<FlavourArg> for Flavour {
    fn from(flavour: FlavourArg) -> Self {
        match flavour {
            FlavourArg::Mysql => Flavour::MySql,
            FlavourArg::Mariadb => Flavour::MariaDb,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlavourCollation {
    pub collation: Collation,
    /// `MySQL`, `MariaDB` or `MySQL, MariaDB`.
    pub servers: String,
}

/// Finds a collation by name. Without a flavour, the name must mean the same weights in every
/// flavour that has it.
pub fn find_collation(name: &str, flavour: Option<FlavourArg>) -> Result<Collation> {
    let choices = find_collations(name, flavour)?;
    match choices.as_slice() {
        [flavour] => Ok(flavour.collation),
        _ => bail!(
            "MySQL and MariaDB order strings in different ways under {name}; add --flavour mysql or --flavour mariadb"
        ),
    }
}

/// Finds all collations that a name can mean: one, or two if the flavours differ.
pub fn find_collations(name: &str, flavour: Option<FlavourArg>) -> Result<Vec<FlavourCollation>> {
    if let Some(flavour) = flavour {
        let flavour = flavour.into();
        let collation = Collation::by_name(flavour, name).map_err(|error| lookup_error(name, &[flavour], &error))?;
        return Ok(vec![FlavourCollation { collation, servers: flavour.to_string() }]);
    }
    Ok(match Collation::of_name(name).map_err(|error| lookup_error(name, &Flavour::ALL, &error))? {
        Meaning::Alone(collation) => vec![single_flavour(collation)],
        Meaning::Same(collation) => {
            vec![FlavourCollation { collation, servers: Flavour::ALL.map(|flavour| flavour.to_string()).join(", ") }]
        }
        Meaning::Different(both) => both.map(single_flavour).into(),
    })
}

fn single_flavour(collation: Collation) -> FlavourCollation {
    FlavourCollation { collation, servers: collation.info().flavour.to_string() }
}

fn lookup_error(name: &str, flavours: &[Flavour], error: &LookupError) -> anyhow::Error {
    match error {
        LookupError::Unknown { .. } | LookupError::UnknownToAll { .. } => {}
        LookupError::OneNotEnabled { .. } => return anyhow!("{error}; add --flavour"),
        _ => return anyhow!("{error}"),
    }
    if let Some(refusal) = charset_error(name, flavours) {
        return anyhow!(refusal);
    }
    let known = flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.is_enabled());
    let nearest = measure::suggest_names(name, known.map(|info| info.name));
    let who: Vec<String> = flavours.iter().map(Flavour::to_string).collect();
    match (flavours, find_other_flavour(name, flavours)) {
        ([_], Some(other)) => anyhow!("{} has no collation {name}, but {other} has", who.join(" and ")),
        ([_], None) => anyhow!("{} has no collation {name}; {nearest}", who.join(" and ")),
        _ => {
            anyhow!("neither {} has a collation {name}; {}", who.join(" nor "), nearest.replace("it has", "they have"))
        }
    }
}

/// Returns the refusal of a character set in the place of a collation. `None` for other names.
fn charset_error(name: &str, flavours: &[Flavour]) -> Option<String> {
    let charset = if name == "utf8" { "utf8mb3" } else { name };
    let all = || flavours.iter().flat_map(|&flavour| catalogue(flavour)).filter(|info| info.charset == charset);
    // The flavours may have different defaults.
    let defaults = without_repeats(all().filter(|info| info.is_default).map(|info| info.name));
    let others = all().filter(|info| info.is_enabled()).map(|info| info.name);
    let collations = without_repeats(defaults.iter().copied().chain(others));
    (!collations.is_empty()).then(|| describe_charset(charset, "", &collations, defaults.len()))
}

/// Says that a name is a character set, with its default collations, which come first, and the
/// well-known ones of the others. `on` is empty or ` on SERVER`.
pub fn describe_charset(charset: &str, on: &str, collations: &[&str], defaults: usize) -> String {
    const ASKED_FOR: [&str; 6] = ["0900_ai_ci", "0900_as_ci", "uca1400_ai_ci", "unicode_520_ci", "general_ci", "bin"];
    let is_asked_for = |name: &str| {
        name.strip_prefix(charset).and_then(|rest| rest.strip_prefix('_')).is_some_and(|rest| ASKED_FOR.contains(&rest))
    };
    let mark = if defaults > 1 { "a default" } else { "the default" };
    let (first, others) = collations.split_at(defaults.min(collations.len()));
    let first = first.iter().map(|name| format!("{name} ({mark})"));
    let others = others.iter().filter(|name| is_asked_for(name)).map(|name| (*name).to_owned());
    format!(
        "{charset} is a character set; name one of its {}{on}, such as {}",
        message::count_noun(collations.len() as u64, "collation"),
        first.chain(others).collect::<Vec<_>>().join(", ")
    )
}

fn find_other_flavour(name: &str, requested: &[Flavour]) -> Option<Flavour> {
    let other_flavours = Flavour::ALL.into_iter().filter(|flavour| !requested.contains(flavour));
    other_flavours
        .into_iter()
        .find(|&flavour| !matches!(Collation::by_name(flavour, name), Err(LookupError::Unknown { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(name: &str) -> Vec<String> {
        find_collations(name, None).unwrap().into_iter().map(|choice| choice.servers).collect()
    }

    #[test]
    fn a_character_set_is_answered_with_its_collations() {
        let refusal = |name, flavour| find_collation(name, flavour).unwrap_err().to_string();
        let latin1 = refusal("latin1", None);
        assert!(latin1.starts_with("latin1 is a character set; name one of its "), "{latin1}");
        assert!(latin1.contains("such as latin1_swedish_ci (the default), latin1_"), "{latin1}");
        let utf8mb4 = refusal("utf8mb4", Some(FlavourArg::Mysql));
        assert!(utf8mb4.contains("such as utf8mb4_0900_ai_ci (the default), "), "{utf8mb4}");
        assert!(refusal("utf8", None).starts_with("utf8mb3 is a character set"));
    }

    #[test]
    fn needs_flavour_only_if_flavours_differ() {
        assert_eq!(servers("utf8mb4_general_ci"), ["MySQL, MariaDB"]);
        assert_eq!(servers("latin1_swedish_ci"), ["MySQL, MariaDB"]);
        assert_eq!(servers("utf8mb4_0900_as_cs"), ["MySQL", "MariaDB"]);
        assert_eq!(servers("utf8mb4_uca1400_ai_ci"), ["MariaDB"]);
        let refusal = find_collation("utf8mb4_0900_ai_ci", None).unwrap_err().to_string();
        assert!(refusal.contains("--flavour mysql or --flavour mariadb"), "{refusal}");
        let info = find_collation("utf8mb4_0900_ai_ci", Some(FlavourArg::Mysql)).unwrap().info();
        assert_eq!((info.name, info.flavour), ("utf8mb4_0900_ai_ci", Flavour::MySql));
    }

    #[test]
    fn unknown_collations_are_answered_with_suggestions() {
        let refusal = |name, flavour| find_collation(name, flavour).unwrap_err().to_string();
        let neither = refusal("utf8mb4_genral_ci", None);
        assert!(neither.contains("neither MySQL nor MariaDB") && neither.contains("utf8mb4_general_ci"), "{neither}");
        assert_eq!(
            refusal("de_pb", None),
            "neither MySQL nor MariaDB has a collation de_pb; the nearest they have: utf8mb4_de_pb_0900_ai_ci, \
             utf8mb4_de_pb_0900_as_cs"
        );
        let other = refusal("utf8mb4_uca1400_ai_ci", Some(FlavourArg::Mysql));
        assert_eq!(other, "MySQL has no collation utf8mb4_uca1400_ai_ci, but MariaDB has");
    }
}
