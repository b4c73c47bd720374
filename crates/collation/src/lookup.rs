//! Finding a collation by name or id.

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::catalogue::{self, catalogue};
use crate::{Collation, Flavour, Info, descriptor};

/// No such collation, or none in this build of the library, or two.
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
    /// No flavour's servers have a collation of this name.
    UnknownToAll {
        /// The name.
        given: String,
    },
    /// Both flavours have it, and order strings in different ways under it.
    Ambiguous {
        /// Its name.
        name: &'static str,
    },
    /// Both flavours have it, and one of the two is not in this build, so that nothing tells whether they are alike.
    OneNotEnabled {
        /// What is known of the one that is missing.
        info: &'static Info,
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
            LookupError::UnknownToAll { given } => write!(f, "neither MySQL nor MariaDB has a collation {given}"),
            LookupError::Ambiguous { name } => {
                write!(f, "MySQL and MariaDB order strings in different ways under {name}")
            }
            LookupError::OneNotEnabled { info } => {
                write!(
                    f,
                    "both MySQL and MariaDB have {}, and {}'s is not in this build of the library",
                    info.name, info.flavour
                )
            }
            LookupError::NotEnabled { info } => {
                write!(f, "{} of {} is not in this build of the library", info.name, info.flavour)
            }
        }
    }
}

impl core::error::Error for LookupError {}

/// What a name means where no flavour is given ([`Collation::of_name`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The collation of the only flavour that has the name.
    Alone(Collation),
    /// MySQL's; under MariaDB's, well-formed strings have the same order.
    Same(Collation),
    /// MySQL's and MariaDB's, which order well-formed strings in different ways.
    Different([Collation; 2]),
}

impl Meaning {
    /// The one collation that is meant.
    ///
    /// # Errors
    /// [`LookupError::Ambiguous`] if there are two.
    pub fn only(self) -> Result<Collation, LookupError> {
        match self {
            Self::Alone(collation) | Self::Same(collation) => Ok(collation),
            Self::Different([collation, _]) => Err(LookupError::Ambiguous { name: collation.name() }),
        }
    }
}

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
        let is_named = |flavour: &Flavour| name.eq_ignore_ascii_case(&flavour.to_string());
        Self::ALL.into_iter().find(is_named).ok_or(UnknownFlavour)
    }
}

impl Info {
    /// What the flavour's catalogue says of this name, in any case and with the short forms of [`Collation::by_name`].
    fn by_name(flavour: Flavour, name: &str) -> Option<&'static Self> {
        let (charset, rest) = match name.split_at_checked(5) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case("utf8_") => ("utf8mb3_", rest),
            Some((prefix, _)) if prefix.eq_ignore_ascii_case("uca14") => ("utf8mb4_", name),
            _ => ("", name),
        };
        let given = || charset.bytes().chain(rest.bytes().map(|byte| byte.to_ascii_lowercase()));
        let all = catalogue(flavour);
        let by_name = catalogue::by_name(flavour);
        let place = by_name.binary_search_by(|&index| all[usize::from(index)].name.bytes().cmp(given())).ok()?;
        Some(&all[usize::from(by_name[place])])
    }

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
        match Info::by_name(flavour, name) {
            Some(info) => Self::of(info),
            None => Err(LookupError::Unknown { flavour, given: name.to_string() }),
        }
    }

    /// What a name means in whichever flavour has it, in any case and with the short forms of [`Collation::by_name`].
    ///
    /// # Errors
    /// [`LookupError::UnknownToAll`] if no flavour has it; [`LookupError::NotEnabled`] if the only one is not in this build of the
    /// library, [`LookupError::OneNotEnabled`] if one of two is not.
    ///
    /// ```
    /// use mysql_collation::{Collation, LookupError, Meaning, mariadb, mysql};
    /// assert_eq!(Collation::of_name("uca1400_ai_ci")?, Meaning::Alone(mariadb::UTF8MB4_UCA1400_AI_CI));
    /// assert_eq!(Collation::of_name("utf8mb4_bin")?.only()?, mysql::UTF8MB4_BIN);
    /// // MariaDB's pads with spaces.
    /// assert!(Collation::of_name("utf8mb4_0900_ai_ci")?.only().is_err());
    /// # Ok::<(), LookupError>(())
    /// ```
    pub fn of_name(name: &str) -> Result<Meaning, LookupError> {
        let [mysql, mariadb] = match Flavour::ALL.map(|flavour| Info::by_name(flavour, name)) {
            [Some(mysql), Some(mariadb)] => [mysql, mariadb],
            [Some(one), None] | [None, Some(one)] => return Self::of(one).map(Meaning::Alone),
            [None, None] => return Err(LookupError::UnknownToAll { given: name.to_string() }),
        };
        match [Self::of(mysql), Self::of(mariadb)] {
            [Ok(mysql), Ok(mariadb)] if mysql.orders_valid_text_like(mariadb) => Ok(Meaning::Same(mysql)),
            [Ok(mysql), Ok(mariadb)] => Ok(Meaning::Different([mysql, mariadb])),
            [Ok(_), Err(_)] => Err(LookupError::OneNotEnabled { info: mariadb }),
            [Err(_), Ok(_)] => Err(LookupError::OneNotEnabled { info: mysql }),
            [Err(error), Err(_)] => Err(error),
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
    fn a_name_without_a_flavour_means_what_both_mean() {
        let mut different = 0;
        for name in Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.is_enabled()).map(|info| info.name)
        {
            let both = Flavour::ALL.map(|flavour| Collation::by_name(flavour, name));
            match Collation::of_name(name) {
                Ok(Meaning::Alone(one)) => {
                    assert!(both.contains(&Ok(one)), "{name}");
                    assert_eq!(both.iter().filter(|one| one.is_ok()).count(), 1, "{name}");
                }
                Ok(Meaning::Same(one)) => {
                    let [Ok(mysql), Ok(mariadb)] = both else { panic!("{name} in one of two") };
                    assert!(one == mysql && one.orders_valid_text_like(mariadb), "{name}");
                }
                Ok(meaning @ Meaning::Different(two)) => {
                    assert_eq!(both, two.map(Ok), "{name}");
                    assert!(!two[0].orders_valid_text_like(two[1]), "{name}");
                    assert_eq!(meaning.only(), Err(LookupError::Ambiguous { name: two[0].name() }));
                    different += 1;
                }
                Err(LookupError::OneNotEnabled { info }) => assert!(!info.is_enabled(), "{name}"),
                Err(error) => panic!("{name}: {error}"),
            }
        }
        assert!(different > 0 || Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci").is_err());
        let unknown = Collation::of_name("latin3_swedish_ci").unwrap_err();
        assert_eq!(unknown.to_string(), "neither MySQL nor MariaDB has a collation latin3_swedish_ci");
    }

    #[test]
    fn every_name_and_id_leads_to_its_collation() {
        for flavour in Flavour::ALL {
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
        for flavour in Flavour::ALL {
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
