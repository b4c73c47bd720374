//! What a migration goes to: which collations are there, what the defaults are, which collation is nearest to one that is missing.
//!
//! Collations are those of MySQL 9.7 and MariaDB 11.8 as those servers list them, less what came after the target: MySQL's `0900`
//! with 8.0, MariaDB's `nopad` with 10.2, `uca1400` with 10.10, MySQL's names as aliases with 11.4.5 (release notes). Defaults: MySQL
//! manual, "Server Character Set and Collation"; MariaDB release notes of 11.5 and 11.6, and what 10.11 and 11.8 answer.

use std::fmt;
use std::str::FromStr;

use mysql_collation::{Info, catalogue};
use rules::charset::{modern_collation, of_collation};
use serde::{Deserialize, Serialize};
use server::Flavour;

/// A server to move or upgrade to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// First and second number of the version, and the third; the last of its series where none was given.
    pub version: (u16, u16, u16),
}

/// A target that isn't one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no target; write mysql-8.4, mysql-9, mariadb-10.11, mariadb-11.8 or the like")]
pub struct TargetError(String);

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError(text.to_owned());
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
    /// The flavour as the collation engine has it.
    pub fn engine(&self) -> mysql_collation::Flavour {
        engine(self.flavour)
    }

    /// The collation of this name that the target has, under this name.
    pub fn collation(&self, name: &str) -> Option<&'static Info> {
        let name = modern_collation(name);
        let info = catalogue(self.engine()).iter().find(|info| info.name.eq_ignore_ascii_case(&name))?;
        self.came(info.name).then_some(info)
    }

    /// Whether a collation of the newest server of the flavour was there already.
    fn came(&self, name: &str) -> bool {
        let since = match self.flavour {
            Flavour::MySql if name.contains("_0900_") => (8, 0, 0),
            Flavour::MySql if name.starts_with("gb18030_") => (5, 7, 4),
            Flavour::MariaDb if name.contains("_0900_") => (11, 4, 5),
            Flavour::MariaDb if name.contains("_uca1400_") => (10, 10, 1),
            Flavour::MariaDb if name.contains("_nopad_") => (10, 2, 2),
            _ => (0, 0, 0),
        };
        self.version >= since
    }

    /// The default collation of the server, and so of new schemas.
    pub fn default_collation(&self) -> &'static str {
        match self.flavour {
            Flavour::MySql if self.version >= (8, 0, 1) => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb if self.version >= (11, 6, 0) => "utf8mb4_uca1400_ai_ci",
            _ => "latin1_swedish_ci",
        }
    }

    /// The collation that `CHARACTER SET utf8mb4` has without `COLLATE`.
    pub fn utf8mb4_default(&self) -> &'static str {
        match self.flavour {
            Flavour::MySql if self.version >= (8, 0, 1) => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb if self.version >= (11, 5, 0) => "utf8mb4_uca1400_ai_ci",
            _ => "utf8mb4_general_ci",
        }
    }

    /// The collation of the target that comes nearest to one that it lacks.
    pub fn nearest(&self, name: &str) -> Option<&'static Info> {
        let name = modern_collation(name);
        let charset = of_collation(&name);
        let rest = name.strip_prefix(charset)?.trim_start_matches('_');
        candidates(charset, rest).iter().find_map(|candidate| self.collation(candidate))
    }
}

/// The flavour as the collation engine has it.
pub(crate) fn engine(flavour: Flavour) -> mysql_collation::Flavour {
    match flavour {
        Flavour::MySql => mysql_collation::Flavour::MySql,
        Flavour::MariaDb => mysql_collation::Flavour::MariaDb,
    }
}

/// Languages as MySQL's 0900 collations and as MariaDB's uca1400 collations name them.
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

/// Names to try, the nearest first.
fn candidates(charset: &str, rest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut language = None;
    if let Some((code, strength)) = rest.split_once("0900_") {
        let code = code.trim_end_matches('_');
        language = LANGUAGES.iter().find(|(short, _)| *short == code).map(|(_, long)| *long);
        match (code, strength) {
            ("", "bin") => names.push("nopad_bin".to_owned()),
            ("", _) => names.push(format!("uca1400_nopad_{strength}")),
            _ => names.extend(language.map(|long| format!("uca1400_{long}_nopad_{strength}"))),
        }
    } else if let Some(of_uca) = rest.strip_prefix("uca1400_") {
        let strength =
            ["as_cs", "ai_cs", "as_ci", "ai_ci"].into_iter().find(|end| of_uca.ends_with(end)).unwrap_or("ai_ci");
        // MySQL has no collation that tells case but not accents.
        let strength = if strength == "ai_cs" { "as_cs" } else { strength };
        let long = of_uca
            .split("_nopad")
            .next()
            .unwrap_or("")
            .trim_end_matches(
                ["as_cs", "ai_cs", "as_ci", "ai_ci"].iter().find(|end| of_uca.ends_with(**end)).copied().unwrap_or(""),
            )
            .trim_end_matches('_');
        language = LANGUAGES.iter().find(|(_, name)| *name == long).map(|(_, name)| *name);
        match LANGUAGES.iter().find(|(_, name)| *name == long) {
            Some((code, _)) => names.push(format!("{code}_0900_{strength}")),
            None => names.push(format!("0900_{strength}")),
        }
    } else if rest.contains("nopad") {
        names.push(if rest == "nopad_bin" { "0900_bin".to_owned() } else { String::new() });
        names.push(rest.replace("_nopad", "").replace("nopad_", ""));
    }
    if rest.ends_with("bin") {
        names.push("bin".to_owned());
    } else {
        names.extend(language.map(|long| format!("{long}_ci")));
        names.extend(["unicode_520_nopad_ci", "unicode_520_ci", "unicode_ci", "general_ci"].map(str::to_owned));
    }
    names.retain(|name| !name.is_empty());
    names.iter().map(|name| format!("{charset}_{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    #[test]
    fn targets_are_read_and_shown() {
        assert_eq!(target("mysql-8.4").to_string(), "MySQL 8.4");
        assert_eq!(target("mariadb-11").to_string(), "MariaDB 11");
        for wrong in ["mysql", "mysql-", "oracle-19", "mariadb-x.y", "mysql-1.2.3.4"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_there_since_they_came() {
        let has = |text: &str, name: &str| target(text).collation(name).is_some();
        assert!(has("mysql-9", "utf8mb4_0900_ai_ci") && !has("mysql-5.7", "utf8mb4_0900_ai_ci"));
        assert!(has("mysql-9", "utf8_general_ci") && !has("mysql-9", "utf8mb4_uca1400_ai_ci"));
        assert!(has("mariadb-11.8", "utf8mb4_0900_ai_ci") && !has("mariadb-10.11", "utf8mb4_0900_ai_ci"));
        assert!(has("mariadb-11.4", "utf8mb4_0900_ai_ci") && !has("mariadb-11.4.4", "utf8mb4_0900_ai_ci"));
    }

    #[test]
    fn the_nearest_has_the_same_strength() {
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
    }
}
