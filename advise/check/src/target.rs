//! The server version of a migration: its collations and defaults, and substitutes for missing
//! collations.
//!
//! The collations are those of MySQL 9.7 and MariaDB 11.8 that `mysql_collation` dates no later
//! than the target. MariaDB 11.5.0 to 11.7.1 lacks MySQL's `0900` names, although 11.4.5 has them
//! (release notes).
//!
//! Sources of the defaults: MySQL manual, "Server Character Set and Collation"; MariaDB release
//! notes of 11.5 and 11.6; running servers of MariaDB 10.11 and 11.8.

use std::fmt;
use std::str::FromStr;

use mysql_collation::{Info, ServerVersion, catalogue};
use rules::charset::{collation_charset, current_collation_name, current_name};
use serde::{Deserialize, Serialize};
use server::{Flavour, Version};

/// Server version to move or upgrade to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub flavour: Flavour,
    /// Major, minor and patch number. A number that was not given is `u16::MAX`: the newest of its
    /// series.
    pub version: (u16, u16, u16),
}

/// A text that names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// An unknown product: `oracle-19`.
    #[error("unknown target {0}: write mysql-8.4, mysql-9, mariadb-10.11, mariadb-11.8 or the like")]
    Name(String),
    /// A version that does not exist: `mysql-7`.
    #[error("unknown target {given}: weigh {} knows no such version; the nearest: {nearest}", env!("CARGO_PKG_VERSION"))]
    Version { given: String, nearest: String },
}

/// Majors of a server, each with its minors. The newest major can get further minors.
type Series = [(u16, &'static [u16])];

const MYSQL_SERIES: &Series = &[(5, &[0, 1, 5, 6, 7]), (8, &[0, 1, 2, 3, 4]), (9, &[0, 1, 2, 3, 4, 5, 6, 7])];
const MARIADB_SERIES: &Series = &[
    (5, &[1, 2, 3, 5]),
    (10, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (11, &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
    (12, &[0, 1, 2, 3]),
];

/// Returns the nearest series below and above, as `8.4` and `9.0`. `None` if the series exists, or
/// is a later one of the newest major.
fn nearest_series(series: &Series, major: u16, minor: u16) -> Option<Vec<String>> {
    let all: Vec<(u16, u16)> =
        series.iter().flat_map(|(major, minors)| minors.iter().map(|minor| (*major, *minor))).collect();
    let is_named = |one: &&(u16, u16)| one.0 == major && (minor == u16::MAX || one.1 == minor);
    let newest = all.last().copied()?;
    if all.iter().any(|one| is_named(&one)) || major == newest.0 && minor > newest.1 {
        return None;
    }
    let below = all.iter().rev().find(|one| **one < (major, minor));
    let above = all.iter().find(|one| **one > (major, minor));
    Some(below.into_iter().chain(above).map(|(major, minor)| format!("{major}.{minor}")).collect())
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Name(text.to_owned());
        let (name, version) = text.split_once('-').ok_or_else(wrong)?;
        let flavour = match name.to_ascii_lowercase().as_str() {
            "mysql" | "percona" => Flavour::MySql,
            "mariadb" => Flavour::MariaDb,
            _ => return Err(wrong()),
        };
        let numbers: Vec<u16> = version.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let version = match numbers[..] {
            [major] => (major, u16::MAX, u16::MAX),
            [major, minor] => (major, minor, u16::MAX),
            [major, minor, patch] => (major, minor, patch),
            _ => return Err(wrong()),
        };
        let series = if flavour == Flavour::MySql { MYSQL_SERIES } else { MARIADB_SERIES };
        if let Some(nearest) = nearest_series(series, version.0, version.1) {
            let nearest: Vec<String> = nearest.iter().map(|series| format!("{name}-{series}")).collect();
            return Err(TargetError::Version { given: text.to_owned(), nearest: nearest.join(", ") });
        }
        Ok(Self { flavour, version })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flavour, self.version.0)?;
        let further = [self.version.1, self.version.2];
        further.iter().take_while(|number| **number != u16::MAX).try_for_each(|number| write!(f, ".{number}"))
    }
}

impl Target {
    pub fn collation_flavour(&self) -> mysql_collation::Flavour {
        collation_flavour(self.flavour)
    }

    /// Returns the target's collation of this name. `None` if the target has none.
    pub fn collation(&self, name: &str) -> Option<&'static Info> {
        let name = current_collation_name(name);
        let info = catalogue(self.collation_flavour()).iter().find(|info| info.name.eq_ignore_ascii_case(&name))?;
        self.is_released(info).then_some(info)
    }

    /// Describes where the target, under a collation, behaves otherwise than the newest server of
    /// its flavour.
    pub fn departures(&self, collation: &str) -> Vec<&'static str> {
        let (major, minor, patch) = self.version;
        rules::departures::departures(self.flavour, Version::new(major, minor, patch), collation)
    }

    /// True if the target's release already had this collation of the flavour's newest server.
    fn is_released(&self, info: &Info) -> bool {
        let (major, minor, patch) = self.version;
        let lacks_0900 = self.flavour == Flavour::MariaDb && ((11, 5, 0)..(11, 7, 2)).contains(&self.version);
        info.exists_in(ServerVersion::new(self.collation_flavour(), major, minor, patch))
            && !(lacks_0900 && info.name.contains("_0900_"))
    }

    /// Default collation of the server, which new schemas get.
    pub fn default_collation(&self) -> &'static str {
        match self.flavour {
            Flavour::MySql if self.version >= (8, 0, 1) => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb if self.version >= (11, 6, 0) => "utf8mb4_uca1400_ai_ci",
            _ => "latin1_swedish_ci",
        }
    }

    /// Compiled-in collation of `CHARACTER SET` with this name and without `COLLATE`. `None` for
    /// utf16le and character sets that are not Unicode: their defaults are the same on all servers.
    pub fn unicode_default(&self, charset: &str) -> Option<String> {
        let charset = current_name(charset);
        match self.flavour {
            _ if !matches!(charset, "utf8mb3" | "ucs2" | "utf8mb4" | "utf16" | "utf32") => None,
            Flavour::MySql if charset == "utf8mb4" && self.version >= (8, 0, 1) => Some("utf8mb4_0900_ai_ci".into()),
            Flavour::MariaDb if self.version >= (11, 5, 0) => Some(format!("{charset}_uca1400_ai_ci")),
            _ => Some(format!("{charset}_general_ci")),
        }
    }

    /// True if `character_set_collations` sets the collation of a character set without `COLLATE`.
    pub fn has_charset_collations(&self) -> bool {
        self.flavour == Flavour::MariaDb && self.version >= (11, 2, 0)
    }

    /// Returns a collation's name as the target understands it: `utf8_bin` for `utf8mb3_bin` before
    /// MySQL 8.0.30 and MariaDB 10.6.
    pub fn written_collation(&self, collation: &str) -> String {
        match collation.strip_prefix("utf8mb3_") {
            Some(rest) if !self.knows_utf8mb3() => format!("utf8_{rest}"),
            _ => collation.to_owned(),
        }
    }

    /// Returns a character set's name as the target understands it: `utf8` or `utf8mb3`.
    pub fn written_charset<'c>(&self, charset: &'c str) -> &'c str {
        if charset == "utf8mb3" && !self.knows_utf8mb3() { "utf8" } else { charset }
    }

    fn knows_utf8mb3(&self) -> bool {
        match self.flavour {
            // 8.0.29 renamed only the character set, 8.0.30 the collations, too (release notes).
            Flavour::MySql => self.version >= (8, 0, 30),
            Flavour::MariaDb => self.version >= (10, 6, 0),
        }
    }

    /// Returns the target's best substitute for a collation that it lacks: for
    /// `utf8mb4_0900_ai_ci`, MariaDB 10.11 gives `utf8mb4_uca1400_nopad_ai_ci`. `None` if the
    /// target has no similar one.
    pub fn nearest(&self, name: &str) -> Option<&'static Info> {
        let name = current_collation_name(name);
        let charset = collation_charset(&name);
        let rest = name.strip_prefix(charset)?.trim_start_matches('_');
        candidate_names(charset, rest).iter().find_map(|candidate| self.collation(candidate))
    }
}

/// Converts the server crate's flavour to the collation library's.
pub fn collation_flavour(flavour: Flavour) -> mysql_collation::Flavour {
    match flavour {
        Flavour::MySql => mysql_collation::Flavour::MySql,
        Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    }
}

/// Languages that both servers have: names in MySQL's `0900` and in MariaDB's `uca1400` collations.
const LANGUAGES: [(&str, &str); 20] = [
    ("cs", "czech"),
    ("da", "danish"),
    ("de_pb", "german2"),
    ("eo", "esperanto"),
    ("es", "spanish"),
    ("es_trad", "spanish2"),
    ("et", "estonian"),
    ("hr", "croatian"),
    ("hu", "hungarian"),
    ("is", "icelandic"),
    ("la", "roman"),
    ("lt", "lithuanian"),
    ("lv", "latvian"),
    ("pl", "polish"),
    ("ro", "romanian"),
    ("sk", "slovak"),
    ("sl", "slovenian"),
    ("sv", "swedish"),
    ("tr", "turkish"),
    ("vi", "vietnamese"),
];

const STRENGTHS: [&str; 4] = ["as_cs", "ai_cs", "as_ci", "ai_ci"];

/// Names to try, the nearest first. `rest` is the collation's name without its character set:
/// `da_0900_as_cs`.
fn candidate_names(charset: &str, rest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut language = None;
    if let Some((code, strength)) = rest.split_once("0900_") {
        let code = code.trim_end_matches('_');
        language = LANGUAGES.iter().find(|(short, _)| *short == code).map(|(_, long)| *long);
        if strength == "bin" {
            names.push("nopad_bin".to_owned());
        } else {
            // MariaDB has no collation that distinguishes kana by a fourth level.
            let strength = strength.trim_end_matches("_ks");
            names.extend(language.map(|long| format!("uca1400_{long}_nopad_{strength}")));
            names.push(format!("uca1400_nopad_{strength}"));
        }
    } else if let Some(variant) = rest.strip_prefix("uca1400_") {
        let strength = STRENGTHS.into_iter().find(|strength| variant.ends_with(strength));
        let long = variant.split("_nopad").next().unwrap_or("").trim_end_matches(strength.unwrap_or(""));
        let long = long.trim_end_matches('_');
        // MySQL has no `0900` collation that distinguishes case but not accents.
        let strength = strength.map_or("ai_ci", |strength| if strength == "ai_cs" { "as_cs" } else { strength });
        let known = LANGUAGES.iter().find(|(_, name)| *name == long);
        language = known.map(|(_, name)| *name);
        names.push(match known {
            Some((code, _)) => format!("{code}_0900_{strength}"),
            None => format!("0900_{strength}"),
        });
        names.push(format!("0900_{strength}"));
    } else if rest.contains("nopad") {
        names.extend((rest == "nopad_bin").then(|| "0900_bin".to_owned()));
        names.push(rest.replace("_nopad", "").replace("nopad_", ""));
    }
    if rest.ends_with("bin") {
        names.push("bin".to_owned());
    } else {
        // Servers with neither UCA 9 nor UCA 14 distinguish case in Unicode text only by `_bin`
        // collations. An insensitive collation would make different values equal.
        if rest.ends_with("_cs") || rest.ends_with("_cs_ks") {
            names.extend(["nopad_bin", "bin"].map(str::to_owned));
        }
        names.extend(language.map(|long| format!("{long}_ci")));
        names.extend(["unicode_520_nopad_ci", "unicode_520_ci", "unicode_ci", "general_ci"].map(str::to_owned));
    }
    names.iter().map(|name| format!("{charset}_{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    #[test]
    fn parses_and_displays_targets() {
        assert_eq!(target("mysql-8.4").to_string(), "MySQL 8.4");
        assert_eq!(target("mariadb-11").to_string(), "MariaDB 11");
        for wrong in ["mysql", "mysql-", "oracle-19", "mariadb-x.y", "mysql-1.2.3.4"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn versions_that_do_not_exist_have_near_ones() {
        for (wrong, nearest) in [
            ("mysql-10", "mysql-9.7"),
            ("mysql-6", "mysql-5.7, mysql-8.0"),
            ("mysql-8.7.1", "mysql-8.4, mysql-9.0"),
            ("percona-5.8", "percona-5.7, percona-8.0"),
            ("mariadb-13", "mariadb-12.3"),
            ("mariadb-10.12", "mariadb-10.11, mariadb-11.0"),
            ("mysql-3", "mysql-5.0"),
        ] {
            let error = wrong.parse::<Target>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("unknown target {wrong}: weigh ")), "{error}");
            assert!(error.ends_with(&format!("the nearest: {nearest}")), "{error}");
        }
        for right in ["mysql-5", "mysql-8.4.5", "mysql-9.9", "mariadb-11", "mariadb-12.9"] {
            assert!(right.parse::<Target>().is_ok(), "{right}");
        }
    }

    #[test]
    fn has_collations_since_their_release() {
        let has = |text: &str, name: &str| target(text).collation(name).is_some();
        assert!(has("mysql-9", "utf8mb4_0900_ai_ci") && !has("mysql-5.7", "utf8mb4_0900_ai_ci"));
        assert!(has("mysql-8.0.17", "utf8mb4_0900_bin") && !has("mysql-8.0.16", "utf8mb4_0900_bin"));
        assert!(has("mysql-8.0", "utf8mb4_bg_0900_ai_ci") && !has("mysql-8.0.29", "utf8mb4_bg_0900_ai_ci"));
        assert!(has("mysql-9", "utf8_general_ci") && !has("mysql-9", "utf8mb4_uca1400_ai_ci"));
        assert!(has("mariadb-11.8", "utf8mb4_0900_ai_ci") && !has("mariadb-10.11", "utf8mb4_0900_ai_ci"));
        assert!(has("mariadb-11.4", "utf8mb4_0900_ai_ci") && !has("mariadb-11.4.4", "utf8mb4_0900_ai_ci"));
        assert!(!has("mariadb-11.5", "utf8mb4_0900_ai_ci") && !has("mariadb-11.6", "utf8mb4_0900_ai_ci"));
    }

    #[test]
    fn writes_names_that_the_target_knows() {
        let written = |text: &str| target(text).written_collation("utf8mb3_bin");
        assert_eq!(["mysql-8.0.29", "mysql-8.0.30"].map(written), ["utf8_bin", "utf8mb3_bin"]);
        assert_eq!(["mariadb-10.5", "mariadb-10.6"].map(written), ["utf8_bin", "utf8mb3_bin"]);
    }

    #[test]
    fn finds_nearest_collations() {
        let nearest = |text: &str, name: &str| target(text).nearest(name).map(|info| info.name).unwrap_or_default();
        assert_eq!(nearest("mariadb-10.11", "utf8mb4_0900_ai_ci"), "utf8mb4_uca1400_nopad_ai_ci");
        assert_eq!(nearest("mariadb-10.6", "utf8mb4_0900_ai_ci"), "utf8mb4_unicode_520_nopad_ci");
        assert_eq!(nearest("mariadb-10.11", "utf8mb4_da_0900_as_cs"), "utf8mb4_uca1400_danish_nopad_as_cs");
        assert_eq!(nearest("mariadb-10.11", "utf8mb4_0900_bin"), "utf8mb4_nopad_bin");
        assert_eq!(nearest("mysql-9", "utf8mb4_uca1400_ai_ci"), "utf8mb4_0900_ai_ci");
        assert_eq!(nearest("mysql-9", "utf8mb4_uca1400_swedish_nopad_as_cs"), "utf8mb4_sv_0900_as_cs");
        assert_eq!(nearest("mysql-9", "utf8mb4_general_nopad_ci"), "utf8mb4_general_ci");
        assert_eq!(nearest("mysql-9", "latin1_nopad_bin"), "latin1_bin");
        assert_eq!(nearest("mysql-5.7", "utf8mb4_0900_ai_ci"), "utf8mb4_unicode_520_ci");
        assert_eq!(nearest("mariadb-11.8", "utf8mb4_ja_0900_as_cs_ks"), "utf8mb4_uca1400_nopad_as_cs");
        assert_eq!(nearest("mariadb-10.11", "utf8mb4_zh_0900_as_cs"), "utf8mb4_uca1400_nopad_as_cs");
        assert_eq!(nearest("mysql-5.7", "utf8mb4_0900_as_cs"), "utf8mb4_bin");
        assert_eq!(nearest("mariadb-10.6", "utf8mb4_0900_as_cs"), "utf8mb4_nopad_bin");
        assert_eq!(nearest("mysql-5.7", "utf8mb4_uca1400_ai_cs"), "utf8mb4_bin");
        assert_eq!(nearest("mysql-9", "utf8mb4_uca1400_danish_ai_ci"), "utf8mb4_da_0900_ai_ci");
    }
}
