use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::{Collation, similar_names};
use crate::catalogue::{self, Flavour, Info, catalogue};
use crate::dispatch;

/// An error of a lookup by name or id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// The flavour's servers have no collation with this name or id.
    Unknown {
        /// Flavour whose catalogue was searched.
        flavour: Flavour,
        /// Requested name, or the id as text.
        given: String,
    },
    /// Neither flavour has a collation with this name.
    UnknownToAll {
        /// Requested name.
        given: String,
    },
    /// Both flavours have a collation with this name, and the two are not known to order strings
    /// alike.
    Ambiguous {
        /// Full name of the collation.
        name: &'static str,
    },
    /// Both flavours have a collation with this name, but this build contains only one of the two.
    /// Without the missing collation the two can't be compared.
    OneNotEnabled {
        /// Catalogue entry of the missing collation.
        info: &'static Info,
    },
    /// The flavour's servers have the collation, but this build lacks it: the library doesn't
    /// implement it, or its feature is off.
    NotEnabled {
        /// Catalogue entry of the collation.
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

impl LookupError {
    /// Returns names of collations that are similar to the requested one, the most similar first.
    /// At most three of those that [`similar_names`] finds in the flavours that were searched.
    /// Empty if no name is similar, and for errors other than [`LookupError::Unknown`] and
    /// [`LookupError::UnknownToAll`].
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour};
    ///
    /// let error = Collation::by_name(Flavour::MySql, "utf8mb4_genral_ci").unwrap_err();
    /// assert_eq!(error.suggestions()[0], "utf8mb4_general_ci");
    /// ```
    pub fn suggestions(&self) -> Vec<&'static str> {
        match self {
            Self::Unknown { flavour, given } => suggest(&[*flavour], given),
            Self::UnknownToAll { given } => suggest(&Flavour::ALL, given),
            _ => Vec::new(),
        }
    }
}

/// Maximum number of names that [`LookupError::suggestions`] returns.
const MAX_SUGGESTIONS: usize = 3;

fn suggest(flavours: &[Flavour], given: &str) -> Vec<&'static str> {
    let names = flavours.iter().flat_map(|&flavour| catalogue(flavour)).map(|info| info.name);
    let mut similar = similar_names(given, names);
    similar.truncate(MAX_SUGGESTIONS);
    similar
}

/// The meaning of a collation name without a flavour ([`Collation::of_name`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A collation of the only flavour that has the name.
    Alone(Collation),
    /// MySQL's collation. MariaDB's collation of this name gives well-formed strings the same
    /// order, but can differ in other operations, such as `find` and `to_upper`.
    Same(Collation),
    /// MySQL's and MariaDB's collations, in this order, which are not known to order well-formed
    /// strings alike.
    Different([Collation; 2]),
}

impl Meaning {
    /// Returns the collation if the name is unambiguous.
    ///
    /// # Errors
    /// [`LookupError::Ambiguous`] for [`Meaning::Different`].
    pub fn only(self) -> Result<Collation, LookupError> {
        match self {
            Self::Alone(collation) | Self::Same(collation) => Ok(collation),
            Self::Different([collation, _]) => Err(LookupError::Ambiguous { name: collation.name() }),
        }
    }
}

/// An error of [`Flavour::from_str`]: the text is neither `mysql` nor `mariadb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFlavour;

impl fmt::Display for UnknownFlavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a flavour is `mysql` or `mariadb`")
    }
}

impl core::error::Error for UnknownFlavour {}

/// Parses `mysql` or `mariadb`, case-insensitively.
impl FromStr for Flavour {
    type Err = UnknownFlavour;

    fn from_str(name: &str) -> Result<Self, UnknownFlavour> {
        let is_named = |flavour: &Flavour| name.eq_ignore_ascii_case(&flavour.to_string());
        Self::ALL.into_iter().find(is_named).ok_or(UnknownFlavour)
    }
}

impl Info {
    /// Finds a collation in the flavour's catalogue, case-insensitively and by the short forms of
    /// [`Collation::by_name`].
    pub(super) fn by_name(flavour: Flavour, name: &str) -> Option<&'static Self> {
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

    /// Returns the collation with these attributes.
    ///
    /// # Errors
    /// [`LookupError::NotEnabled`] if this build lacks it.
    ///
    /// ```
    /// use mysql_collation::{Flavour, catalogue};
    /// let names: Vec<String> =
    ///     catalogue(Flavour::MySql).iter().filter_map(|info| info.collation().ok()).map(|one| one.to_string()).collect();
    /// assert!(names.contains(&"utf8mb4_0900_ai_ci".to_string()));
    /// ```
    pub fn collation(&'static self) -> Result<Collation, LookupError> {
        Collation::from_info(self)
    }

    /// Returns `true` if this build of the library has the collation.
    pub fn is_enabled(&'static self) -> bool {
        Collation::from_info(self).is_ok()
    }
}

impl Collation {
    /// Looks a collation up by name, case-insensitively. As in the servers, `utf8_…` means
    /// `utf8mb3_…`. MariaDB's names without a character set (`uca1400_ai_ci`) mean the collation of
    /// `utf8mb4`.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if the flavour has no such collation, [`LookupError::NotEnabled`]
    /// if this build lacks it.
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour};
    /// let collation = Collation::by_name(Flavour::MariaDb, "uca1400_ai_ci")?;
    /// assert_eq!(collation.info().name, "utf8mb4_uca1400_ai_ci");
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn by_name(flavour: Flavour, name: &str) -> Result<Self, LookupError> {
        match Info::by_name(flavour, name) {
            Some(info) => Self::from_info(info),
            None => Err(LookupError::Unknown { flavour, given: name.to_string() }),
        }
    }

    /// Looks a name up in both flavours, case-insensitively and with the short forms of
    /// [`Collation::by_name`].
    ///
    /// [`Meaning::Same`] means the order of well-formed strings. The flavours' `find`, `replace`,
    /// `to_upper`, `to_lower` and `group_key` can still differ: look the collation up by flavour
    /// for these.
    ///
    /// # Errors
    /// - [`LookupError::UnknownToAll`] if neither flavour has the name.
    /// - [`LookupError::NotEnabled`] if this build has no collation of that name.
    /// - [`LookupError::OneNotEnabled`] if both flavours have the name and this build lacks one of
    ///   the two.
    ///
    /// ```
    /// use mysql_collation::{Collation, LookupError, Meaning, mariadb, mysql};
    /// assert_eq!(Collation::of_name("uca1400_ai_ci")?, Meaning::Alone(mariadb::UTF8MB4_UCA1400_AI_CI));
    /// assert_eq!(Collation::of_name("utf8mb4_bin")?.only()?, mysql::UTF8MB4_BIN);
    /// // MySQL's has weights of UCA 9.0.0, MariaDB's of UCA 14.0.0.
    /// assert!(Collation::of_name("utf8mb4_0900_ai_ci")?.only().is_err());
    /// # Ok::<(), LookupError>(())
    /// ```
    pub fn of_name(name: &str) -> Result<Meaning, LookupError> {
        let [mysql, mariadb] = match Flavour::ALL.map(|flavour| Info::by_name(flavour, name)) {
            [Some(mysql), Some(mariadb)] => [mysql, mariadb],
            [Some(one), None] | [None, Some(one)] => return Self::from_info(one).map(Meaning::Alone),
            [None, None] => return Err(LookupError::UnknownToAll { given: name.to_string() }),
        };
        match [Self::from_info(mysql), Self::from_info(mariadb)] {
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

    /// Looks a collation up by its id in the client/server protocol.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if the flavour has no such collation, [`LookupError::NotEnabled`]
    /// if this build lacks it.
    pub fn by_id(flavour: Flavour, id: u16) -> Result<Self, LookupError> {
        let all = catalogue(flavour);
        match all.binary_search_by_key(&id, |info| info.id) {
            Ok(index) => Self::from_info(&all[index]),
            Err(_) => Err(LookupError::Unknown { flavour, given: id.to_string() }),
        }
    }

    fn from_info(info: &'static Info) -> Result<Self, LookupError> {
        dispatch::find(info.flavour, info.id).map(Self::new).ok_or(LookupError::NotEnabled { info })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Pad;
    use crate::charset::Charset;

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
    fn name_without_flavour_needs_agreement() {
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
        if let Ok(mysql) = Collation::by_name(Flavour::MySql, "utf8mb4_0900_bin") {
            assert_eq!(Collation::of_name("utf8mb4_0900_bin"), Ok(Meaning::Same(mysql)));
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
    fn reports_unknown_names() {
        for name in ["utf8mb4_uca1400_ai_ci", "uca1400_ai_ci", "", "utf8", "utf8_", "ütf8_x"] {
            let unknown = Collation::by_name(Flavour::MySql, name).unwrap_err();
            assert!(matches!(unknown, LookupError::Unknown { .. }), "{name}");
        }
        assert_eq!(Collation::by_id(Flavour::MySql, 0).unwrap_err().to_string(), "MySQL has no collation 0");
    }

    #[test]
    fn suggests_similar_names() {
        let suggest = |flavour, name| Collation::by_name(flavour, name).unwrap_err().suggestions();
        assert_eq!(suggest(Flavour::MySql, "utf8mb4_unicode_cl")[0], "utf8mb4_unicode_ci");
        assert_eq!(suggest(Flavour::MariaDb, "LATIN1_SWEDISH_C")[0], "latin1_swedish_ci");
        assert!(suggest(Flavour::MySql, "utf8mb4_uca1400_ai_ci").iter().all(|name| !name.contains("uca1400")));
        assert!(suggest(Flavour::MySql, "C").is_empty() && suggest(Flavour::MySql, "").is_empty());
        assert!(suggest(Flavour::MySql, &"x".repeat(100_000)).is_empty());
        let unknown = Collation::of_name("utf8mb4_uca1400_ai_c").unwrap_err();
        assert_eq!(unknown.suggestions()[0], "utf8mb4_uca1400_ai_ci");
        assert!(LookupError::Ambiguous { name: "utf8mb4_bin" }.suggestions().is_empty());
    }

    #[test]
    fn catalogue_matches_collations() {
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
