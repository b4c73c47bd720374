//! Finding a collation by name or id.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::catalogue::{self, catalogue};
use crate::{Collation, Flavour, Info, descriptor};

/// No such collation, or none in this build of the library.
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
    /// The flavour's servers have it, this library doesn't, or the feature that it belongs to is off.
    NotEnabled {
        /// What is known of it.
        info: &'static Info,
    },
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::Unknown { flavour, given } => write!(f, "{flavour} has no collation {given}"),
            LookupError::NotEnabled { info } => {
                write!(f, "{} of {} is not in this build of the library", info.name, info.flavour)
            }
        }
    }
}

impl core::error::Error for LookupError {}

/// No lineage of servers has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFlavour;

impl fmt::Display for UnknownFlavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a flavour is `mysql` or `mariadb`")
    }
}

impl core::error::Error for UnknownFlavour {}

/// `mysql` or `mariadb`, in any case.
impl FromStr for Flavour {
    type Err = UnknownFlavour;

    fn from_str(name: &str) -> Result<Self, UnknownFlavour> {
        let all = [Flavour::MySql, Flavour::MariaDb];
        let is_named = |flavour: &Flavour| name.eq_ignore_ascii_case(&flavour.to_string());
        all.into_iter().find(is_named).ok_or(UnknownFlavour)
    }
}

impl Info {
    /// Whether this library has it, and the feature that it belongs to is on.
    pub fn is_enabled(&'static self) -> bool {
        Collation::of(self).is_ok()
    }
}

impl Collation {
    /// The collation of this name, in any case. As in the servers, `utf8_…` means `utf8mb3_…`; MariaDB's names without a
    /// character set (`uca1400_ai_ci`) mean that of `utf8mb4`.
    ///
    /// # Errors
    /// If the flavour has no such collation, or the feature that it belongs to is off.
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour};
    /// let collation = Collation::by_name(Flavour::MariaDb, "uca1400_ai_ci")?;
    /// assert_eq!(collation.info().name, "utf8mb4_uca1400_ai_ci");
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn by_name(flavour: Flavour, name: &str) -> Result<Self, LookupError> {
        let (charset, rest) = match name.split_at_checked(5) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case("utf8_") => ("utf8mb3_", rest),
            Some((prefix, _)) if prefix.eq_ignore_ascii_case("uca14") => ("utf8mb4_", name),
            _ => ("", name),
        };
        let given = || charset.bytes().chain(rest.bytes().map(|byte| byte.to_ascii_lowercase()));
        let all = catalogue(flavour);
        let by_name = catalogue::by_name(flavour);
        let found = by_name.binary_search_by(|&index| all[usize::from(index)].name.bytes().cmp(given()));
        match found {
            Ok(place) => Self::of(&all[usize::from(by_name[place])]),
            Err(_) => Err(LookupError::Unknown { flavour, given: name.to_string() }),
        }
    }

    #[doc(hidden)]
    pub fn lookup(flavour: Flavour, name: &str) -> Result<Self, LookupError> {
        Self::by_name(flavour, name)
    }

    /// The collation of this id on the wire.
    ///
    /// # Errors
    /// If the flavour has no such collation, or the feature that it belongs to is off.
    pub fn by_id(flavour: Flavour, id: u16) -> Result<Self, LookupError> {
        let all = catalogue(flavour);
        match all.binary_search_by_key(&id, |info| info.id) {
            Ok(index) => Self::of(&all[index]),
            Err(_) => Err(LookupError::Unknown { flavour, given: id.to_string() }),
        }
    }

    fn of(info: &'static Info) -> Result<Self, LookupError> {
        descriptor::find(info.flavour, info.id).map(Self::new).ok_or(LookupError::NotEnabled { info })
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
            let collation = Collation::by_name(flavour, given).unwrap();
            assert_eq!(collation.info().name, name);
            assert_eq!(Collation::by_id(flavour, collation.info().id).unwrap().info().name, name);
        }
    }

    #[test]
    fn every_name_and_id_leads_to_its_collation() {
        for flavour in [Flavour::MySql, Flavour::MariaDb] {
            assert_eq!(flavour.to_string().parse(), Ok(flavour));
            for info in catalogue(flavour).iter().filter(|info| info.is_enabled()) {
                let collation = Collation::by_name(flavour, info.name).unwrap();
                assert_eq!((collation.info(), collation.id(), collation.name()), (info, info.id, info.name));
                assert_eq!(Collation::by_id(flavour, info.id), Ok(collation));
            }
        }
        assert_eq!("percona".parse::<Flavour>(), Err(UnknownFlavour));
    }

    #[test]
    fn what_is_not_there_is_told() {
        for name in ["utf8mb4_uca1400_ai_ci", "uca1400_ai_ci", "", "utf8", "utf8_", "ütf8_x"] {
            let unknown = Collation::by_name(Flavour::MySql, name).unwrap_err();
            assert!(matches!(unknown, LookupError::Unknown { .. }), "{name}");
        }
        assert_eq!(Collation::by_id(Flavour::MySql, 0).unwrap_err().to_string(), "MySQL has no collation 0");
    }

    #[test]
    fn the_catalogue_agrees_with_the_collations() {
        for flavour in [Flavour::MySql, Flavour::MariaDb] {
            let all = catalogue(flavour);
            assert!(all.windows(2).all(|pair| pair[0].id < pair[1].id), "by id, each once");
            for info in all.iter().filter(|info| info.is_enabled()) {
                let collation = Collation::by_id(flavour, info.id).unwrap();
                assert_eq!(Charset::by_name(info.charset), Some(collation.charset()), "{}", info.name);
            }
        }
        let pad = |flavour, name| Collation::by_name(flavour, name).unwrap().info().pad;
        assert_eq!(pad(Flavour::MySql, "utf8mb4_general_ci"), Pad::PadSpace);
        assert_eq!(pad(Flavour::MySql, "utf8mb4_0900_ai_ci"), Pad::NoPad);
        assert_eq!(pad(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci"), Pad::PadSpace);
        assert_eq!(pad(Flavour::MariaDb, "binary"), Pad::NoPad);
    }
}
