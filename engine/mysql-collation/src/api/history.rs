//! Collations by server version: since when a server has a collation, its name, and the defaults of
//! character sets.
//!
//! The rules hold on MySQL 5.6.24, 5.7.22, 8.0.12 and 9.7.4, and on MariaDB 10.1.23, 10.2.11,
//! 10.5.23, 10.11.18, 11.4.5 and 11.8.9 (lab, `cargo xtask operations`). For versions between
//! those, the rules are from the release notes.

use alloc::borrow::Cow;

use crate::catalogue::{Flavour, Info, ServerVersion, catalogue};
use crate::charset::Charset;

/// First version in which `SHOW COLLATION` has `utf8mb3_…` instead of `utf8_…`.
const fn renamed_collations(flavour: Flavour) -> [u16; 3] {
    match flavour {
        Flavour::MySql => [8, 0, 30],
        Flavour::MariaDb => [10, 6, 1],
    }
}

/// First version in which `SHOW CHARACTER SET` has `utf8mb3` instead of `utf8`.
const fn renamed_charset(flavour: Flavour) -> [u16; 3] {
    match flavour {
        Flavour::MySql => [8, 0, 28],
        Flavour::MariaDb => [10, 6, 1],
    }
}

/// First version in which `utf8mb4_0900_ai_ci` (MySQL) or `uca1400_ai_ci` (MariaDB) is a default.
const fn changed_defaults(flavour: Flavour) -> [u16; 3] {
    match flavour {
        Flavour::MySql => [8, 0, 1],
        Flavour::MariaDb => [11, 5, 1],
    }
}

impl Info {
    /// Returns the first version that has the collation. `None` if MySQL 5.6 or MariaDB 10.1 has
    /// it.
    ///
    /// MariaDB's names of MySQL's `0900` collations are in 11.4.5 and later versions of 11.4, not
    /// in 11.5 and 11.6, and from 11.7.2 on.
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_BIN, UTF8MB4_GENERAL_CI};
    ///
    /// assert_eq!(UTF8MB4_0900_BIN.info().since().unwrap().to_string(), "MySQL 8.0.17");
    /// assert_eq!(UTF8MB4_GENERAL_CI.info().since(), None);
    /// ```
    pub fn since(&self) -> Option<ServerVersion> {
        let name = self.name;
        let language = || name.strip_prefix("utf8mb4_").and_then(|rest| rest.split_once("_0900")).map(|parts| parts.0);
        let [major, minor, patch] = match self.flavour {
            Flavour::MySql if self.charset == "gb18030" => [5, 7, 4],
            Flavour::MySql if name == "utf8mb3_tolower_ci" => [8, 0, 0],
            Flavour::MySql if name == "utf8mb4_0900_bin" => [8, 0, 17],
            Flavour::MySql if name == "utf8mb4_zh_0900_as_cs" => [8, 0, 14],
            Flavour::MySql if matches!(language(), Some("bg" | "bs" | "gl" | "mn_cyrl" | "nb" | "nn" | "sr_latn")) => {
                [8, 0, 30]
            }
            Flavour::MySql if name.contains("_0900_") => [8, 0, 1],
            Flavour::MySql => return None,
            Flavour::MariaDb if name.contains("_0900_") => [11, 4, 5],
            Flavour::MariaDb if name.contains("general1400") => [11, 5, 1],
            Flavour::MariaDb if name.contains("uca1400") => [10, 10, 1],
            Flavour::MariaDb if name.contains("nopad") => [10, 2, 2],
            Flavour::MariaDb => return None,
        };
        Some(ServerVersion::new(self.flavour, major, minor, patch))
    }

    /// Returns `true` if a server of this version has the collation. `false` for the other flavour.
    /// MySQL before 5.6 and MariaDB before 10.1 lack some collations for which this returns `true`.
    pub fn exists_in(&self, version: ServerVersion) -> bool {
        let is_missing = self.flavour == Flavour::MariaDb
            && self.name.contains("_0900_")
            && version.is_at_least([11, 5, 0])
            && !version.is_at_least([11, 7, 2]);
        version.flavour == self.flavour && !is_missing && self.since().is_none_or(|since| since <= version)
    }

    /// Returns the name that servers of a version print: `utf8_bin` instead of `utf8mb3_bin` before
    /// MySQL 8.0.30 and MariaDB 10.6.1. [`Collation::by_name`](crate::Collation::by_name) takes
    /// both.
    ///
    /// ```
    /// use mysql_collation::{Flavour, ServerVersion, mysql::UTF8MB3_BIN};
    ///
    /// let old = ServerVersion::new(Flavour::MySql, 5, 7, 44);
    /// assert_eq!(UTF8MB3_BIN.info().name_in(old), "utf8_bin");
    /// ```
    pub fn name_in(&self, version: ServerVersion) -> Cow<'static, str> {
        match self.name.strip_prefix("utf8mb3") {
            Some(rest) if !version.is_at_least(renamed_collations(version.flavour)) => {
                let mut name = alloc::string::String::from("utf8");
                name.push_str(rest);
                Cow::Owned(name)
            }
            _ => Cow::Borrowed(self.name),
        }
    }
}

impl Charset {
    /// Returns the name that servers of a version print: `utf8` instead of `utf8mb3` before MySQL
    /// 8.0.28 and MariaDB 10.6.1.
    pub fn name_in(self, version: ServerVersion) -> &'static str {
        match self {
            Charset::Utf8mb3 if !version.is_at_least(renamed_charset(version.flavour)) => "utf8",
            _ => self.name(),
        }
    }

    /// Returns the collation that a column of this character set has if none is given, on a server
    /// of this version whose settings are the defaults. `None` if the server lacks the character
    /// set.
    ///
    /// MySQL's `default_collation_for_utf8mb4` and MariaDB's `character_set_collations` change it.
    ///
    /// ```
    /// use mysql_collation::{Charset, ServerVersion};
    ///
    /// let default = |version: &str| -> Result<_, mysql_collation::InvalidVersion> {
    ///     Ok(Charset::Utf8mb4.default_collation(version.parse()?).unwrap().name)
    /// };
    /// assert_eq!(default("5.7.22")?, "utf8mb4_general_ci");
    /// assert_eq!(default("8.0.34")?, "utf8mb4_0900_ai_ci");
    /// assert_eq!(default("10.11.6-MariaDB")?, "utf8mb4_general_ci");
    /// assert_eq!(default("11.8.2-MariaDB")?, "utf8mb4_uca1400_ai_ci");
    /// # Ok::<(), mysql_collation::InvalidVersion>(())
    /// ```
    pub fn default_collation(self, version: ServerVersion) -> Option<&'static Info> {
        let current = self.find(version, |info| info.is_default)?;
        // A default that came later than its character set replaced `_general_ci`. The default of
        // `gb18030` came with the character set.
        let is_new = current.since().is_some() && self != Charset::Gb18030;
        if is_new && !version.is_at_least(changed_defaults(version.flavour)) {
            return self.find(version, |info| info.name.ends_with("_general_ci"));
        }
        Some(current)
    }

    /// Returns the collation that compares codes: `utf8mb4_bin` of `utf8mb4`, `binary` of `binary`.
    /// `None` if the server lacks the character set.
    ///
    /// `BINARY` as an attribute of a column means this collation.
    pub fn binary_collation(self, version: ServerVersion) -> Option<&'static Info> {
        self.find(version, |info| {
            let rest = info.name.strip_prefix(self.name());
            info.is_binary && matches!(rest, Some("" | "_bin"))
        })
    }

    /// Finds a collation of the character set in the catalogue of a version's flavour.
    fn find(self, version: ServerVersion, matches: impl Fn(&Info) -> bool) -> Option<&'static Info> {
        let found = catalogue(version.flavour).iter().find(|info| info.charset == self.name() && matches(info))?;
        (self != Charset::Gb18030 || found.exists_in(version)).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mysql(major: u16, minor: u16, patch: u16) -> ServerVersion {
        ServerVersion::new(Flavour::MySql, major, minor, patch)
    }

    fn mariadb(major: u16, minor: u16, patch: u16) -> ServerVersion {
        ServerVersion::new(Flavour::MariaDb, major, minor, patch)
    }

    #[test]
    fn every_charset_has_a_default_and_a_binary_collation() {
        for version in [mysql(5, 6, 24), mysql(8, 0, 12), mysql(9, 7, 4), mariadb(10, 1, 23), mariadb(11, 8, 6)] {
            for charset in Charset::ALL {
                let (default, binary) = (charset.default_collation(version), charset.binary_collation(version));
                if charset == Charset::Gb18030 && (version < mysql(5, 7, 4) || version.flavour == Flavour::MariaDb) {
                    assert_eq!((default, binary), (None, None), "{version}");
                    continue;
                }
                let (default, binary) = (default.unwrap(), binary.unwrap());
                assert!(default.exists_in(version) && binary.exists_in(version), "{charset:?} of {version}");
                assert!(binary.is_binary && (default.charset, binary.charset) == (charset.name(), charset.name()));
            }
        }
    }

    #[test]
    fn default_of_unicode_charsets_depends_on_the_version() {
        let name = |charset: Charset, version| charset.default_collation(version).unwrap().name;
        assert_eq!(name(Charset::Utf8mb3, mysql(9, 7, 4)), "utf8mb3_general_ci");
        assert_eq!(name(Charset::Utf16, mariadb(11, 4, 5)), "utf16_general_ci");
        assert_eq!(name(Charset::Utf16, mariadb(11, 8, 1)), "utf16_uca1400_ai_ci");
        assert_eq!(name(Charset::Utf16le, mariadb(11, 8, 1)), "utf16le_general_ci");
        assert_eq!(name(Charset::Gb18030, mysql(5, 7, 22)), "gb18030_chinese_ci");
    }

    #[test]
    fn names_follow_the_version() {
        let info = |flavour, name: &str| catalogue(flavour).iter().find(|info| info.name == name).unwrap();
        let bin = info(Flavour::MySql, "utf8mb3_bin");
        assert_eq!(bin.name_in(mysql(8, 0, 29)), "utf8_bin");
        assert_eq!(bin.name_in(mysql(8, 0, 30)), "utf8mb3_bin");
        assert_eq!(Charset::Utf8mb3.name_in(mysql(8, 0, 28)), "utf8mb3");
        assert_eq!(Charset::Utf8mb3.name_in(mariadb(10, 5, 9)), "utf8");
        let pad = info(Flavour::MariaDb, "latin1_nopad_bin");
        assert!(pad.exists_in(mariadb(10, 2, 11)) && !pad.exists_in(mariadb(10, 1, 23)));
        assert!(!pad.exists_in(mysql(9, 7, 4)));
        let alias = info(Flavour::MariaDb, "utf8mb4_0900_ai_ci");
        let versions = [(11, 4, 4), (11, 4, 5), (11, 5, 2), (11, 7, 1), (11, 7, 2), (11, 8, 6)];
        let exists = versions.map(|(major, minor, patch)| alias.exists_in(mariadb(major, minor, patch)));
        assert_eq!(exists, [false, true, false, false, true, true]);
    }
}
