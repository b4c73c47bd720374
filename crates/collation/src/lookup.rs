//! Finding a collation by name or id.

use alloc::string::{String, ToString};
use core::fmt;

use crate::{Collation, Flavour, Info, catalogue, descriptor};

/// No such collation, or none that is implemented.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// The flavour's servers have no collation of this name or id.
    Unknown {
        /// Whose catalogue was searched.
        flavour: Flavour,
        /// The name, or the id as text.
        given: String,
    },
    /// The flavour's servers have it, this library doesn't.
    NotImplemented {
        /// What is known of it.
        info: &'static Info,
    },
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::Unknown { flavour, given } => write!(f, "{flavour} has no collation {given}"),
            LookupError::NotImplemented { info } => {
                write!(f, "{} of {} is not implemented yet", info.name, info.flavour)
            }
        }
    }
}

impl core::error::Error for LookupError {}

impl Info {
    /// Whether this library implements it.
    pub fn implemented(&'static self) -> bool {
        Collation::of(self).is_ok()
    }
}

impl Collation {
    /// The collation of this name, in any case. As in the servers, `utf8_…` means `utf8mb3_…`; MariaDB's names without a
    /// character set (`uca1400_ai_ci`) mean that of `utf8mb4`.
    ///
    /// # Errors
    /// If the flavour has no such collation, or this library doesn't implement it.
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour};
    /// let collation = Collation::lookup(Flavour::MariaDb, "uca1400_ai_ci")?;
    /// assert_eq!(collation.info().name, "utf8mb4_uca1400_ai_ci");
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn lookup(flavour: Flavour, name: &str) -> Result<Self, LookupError> {
        let is_named = |info: &&Info| {
            let (charset, given) = match name.split_at_checked(5) {
                Some((prefix, rest)) if prefix.eq_ignore_ascii_case("utf8_") => ("utf8mb3_", rest),
                Some((prefix, _)) if prefix.eq_ignore_ascii_case("uca14") => ("utf8mb4_", name),
                _ => ("", name),
            };
            info.name.strip_prefix(charset).is_some_and(|rest| rest.eq_ignore_ascii_case(given))
        };
        match catalogue(flavour).iter().find(is_named) {
            Some(info) => Self::of(info),
            None => Err(LookupError::Unknown { flavour, given: name.to_string() }),
        }
    }

    /// The collation of this id on the wire.
    ///
    /// # Errors
    /// If the flavour has no such collation, or this library doesn't implement it.
    pub fn by_id(flavour: Flavour, id: u16) -> Result<Self, LookupError> {
        match catalogue(flavour).iter().find(|info| info.id == id) {
            Some(info) => Self::of(info),
            None => Err(LookupError::Unknown { flavour, given: id.to_string() }),
        }
    }

    fn of(info: &'static Info) -> Result<Self, LookupError> {
        let found = descriptor::all().find(|one| one.info.flavour == info.flavour && one.info.id == info.id);
        found.map(Self).ok_or(LookupError::NotImplemented { info })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Charset, Pad};

    #[test]
    fn names_are_found_in_any_case_and_by_their_other_names() {
        for (flavour, given, name) in [
            (Flavour::MySql, "UTF8MB4_0900_AI_CI", "utf8mb4_0900_ai_ci"),
            (Flavour::MySql, "utf8_general_ci", "utf8mb3_general_ci"),
            (Flavour::MariaDb, "utf8_uca1400_ai_ci", "utf8mb3_uca1400_ai_ci"),
            (Flavour::MariaDb, "uca1400_nopad_as_cs", "utf8mb4_uca1400_nopad_as_cs"),
        ] {
            let collation = Collation::lookup(flavour, given).unwrap();
            assert_eq!(collation.info().name, name);
            assert_eq!(Collation::by_id(flavour, collation.info().id).unwrap().info().name, name);
        }
    }

    #[test]
    fn what_is_not_there_and_what_is_not_implemented_differ() {
        for name in ["utf8mb4_uca1400_ai_ci", "uca1400_ai_ci", "", "utf8", "utf8_", "ütf8_x"] {
            let unknown = Collation::lookup(Flavour::MySql, name).unwrap_err();
            assert!(matches!(unknown, LookupError::Unknown { .. }), "{name}");
        }
        let later = Collation::lookup(Flavour::MySql, "latin2_czech_cs").unwrap_err();
        assert_eq!(later.to_string(), "latin2_czech_cs of MySQL is not implemented yet");
        assert_eq!(Collation::by_id(Flavour::MySql, 0).unwrap_err().to_string(), "MySQL has no collation 0");
    }

    #[test]
    fn the_catalogue_agrees_with_what_is_implemented() {
        for flavour in [Flavour::MySql, Flavour::MariaDb] {
            let all = catalogue(flavour);
            assert!(all.windows(2).all(|pair| pair[0].id < pair[1].id), "by id, each once");
            for info in all.iter().filter(|info| info.implemented()) {
                let collation = Collation::by_id(flavour, info.id).unwrap();
                assert_eq!(Charset::by_name(info.charset), Some(collation.charset()), "{}", info.name);
            }
        }
        let pad = |flavour, name| Collation::lookup(flavour, name).unwrap().info().pad;
        assert_eq!(pad(Flavour::MySql, "utf8mb4_general_ci"), Pad::PadSpace);
        assert_eq!(pad(Flavour::MySql, "utf8mb4_0900_ai_ci"), Pad::NoPad);
        assert_eq!(pad(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci"), Pad::PadSpace);
        assert_eq!(pad(Flavour::MariaDb, "binary"), Pad::NoPad);
    }
}
