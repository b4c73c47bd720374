//! The server that a dump is of. Its version decides which collation a character set without
//! COLLATE means.

use facts::Table;
use mysql_collation::{Charset, Flavour, ServerVersion};

/// Character sets whose default collation depends on the version.
const UNICODE: [Charset; 5] = [Charset::Utf8mb4, Charset::Utf8mb3, Charset::Ucs2, Charset::Utf16, Charset::Utf32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    version: ServerVersion,
    /// False if the dump does not say its server's version.
    is_known: bool,
}

impl Origin {
    /// The origin of a dump that does not say it: a version with the old defaults. Later ones, from
    /// MySQL 8.0 and MariaDB 10.11 on, write COLLATE into each definition of utf8mb4.
    pub fn unknown(flavour: Flavour) -> Self {
        let version = match flavour {
            Flavour::MySql => ServerVersion::new(flavour, 5, 7, 0),
            Flavour::MariaDb => ServerVersion::new(flavour, 10, 5, 0),
        };
        Self { version, is_known: false }
    }

    /// Reads the comments at the head of a dump: `-- Server version 5.7.44-log` of mysqldump, `--
    /// Server version: 10.4.32-MariaDB` of phpMyAdmin. `None` if they name no server of the
    /// flavour.
    pub fn read(head: &[u8], flavour: Flavour) -> Option<Self> {
        let comments = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).take_while(|line| {
            line.is_empty() || line.starts_with(b"--") || line.starts_with(b"/*") || line.starts_with(b"#")
        });
        let version = |line: &[u8]| {
            let line = String::from_utf8_lossy(line).into_owned();
            let (_, version) = line.split_once("Server version")?;
            version.trim_start_matches(':').trim().parse::<ServerVersion>().ok()
        };
        let version = comments.filter_map(version).find(|version| version.flavour == flavour)?;
        Some(Self { version, is_known: true })
    }

    pub fn flavour(&self) -> Flavour {
        self.version.flavour
    }

    /// Returns the collation of a character set without COLLATE. `None` for an unknown one.
    pub fn default_collation(&self, charset: &str) -> Option<String> {
        Some(Charset::by_name(charset)?.default_collation(self.version)?.name.to_owned())
    }

    /// Returns the collations of a table's columns that its definition does not name, and that
    /// depend on a version that is not known.
    pub fn assumed_collations(&self, table: &Table, create: &str) -> Vec<&'static str> {
        let newest = match self.flavour() {
            Flavour::MySql => ServerVersion::new(Flavour::MySql, 8, 4, 0),
            Flavour::MariaDb => ServerVersion::new(Flavour::MariaDb, 11, 8, 0),
        };
        let create = create.to_lowercase();
        let is_used = |name: &str| table.columns.iter().any(|column| column.collation.as_deref() == Some(name));
        let defaults = UNICODE.iter().filter(|_| !self.is_known).filter_map(|charset| {
            let (old, new) = (charset.default_collation(self.version)?, charset.default_collation(newest)?);
            (old != new).then_some(old.name)
        });
        defaults.filter(|name| is_used(name) && !create.contains(name)).collect()
    }
}

/// Defaults of definitions that name no character set, or no collation.
#[derive(Clone, Copy, Debug)]
pub struct Defaults<'d> {
    pub origin: Origin,
    /// Default collation of the schema. `None` if the dump does not say it.
    pub schema: Option<&'d str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_the_version() {
        let dump = |comment: &str| {
            format!("-- MySQL dump 10.13  Distrib 9.9.9\n--\n{comment}\n\n/*!40101 SET x */;\nSELECT 1")
        };
        for (comment, flavour, utf8mb4) in [
            ("-- Server version\t5.7.44-log", Flavour::MySql, "utf8mb4_general_ci"),
            ("-- Server version\t8.0.36", Flavour::MySql, "utf8mb4_0900_ai_ci"),
            ("-- Server version: 10.4.32-MariaDB", Flavour::MariaDb, "utf8mb4_general_ci"),
            (
                "-- Server version:               11.8.2-MariaDB - mariadb.org",
                Flavour::MariaDb,
                "utf8mb4_uca1400_ai_ci",
            ),
        ] {
            let origin = Origin::read(dump(comment).as_bytes(), flavour).unwrap();
            assert_eq!(origin.default_collation("utf8mb4").as_deref(), Some(utf8mb4), "{comment}");
            assert_eq!(origin.default_collation("latin1").as_deref(), Some("latin1_swedish_ci"));
        }
        assert_eq!(Origin::read(dump("-- Server version\t8.0.36").as_bytes(), Flavour::MariaDb), None);
        assert_eq!(Origin::read(b"SELECT 1;\n-- Server version\t8.0.36\n", Flavour::MySql), None);
        let unknown = Origin::unknown(Flavour::MySql);
        assert_eq!(unknown.default_collation("utf8").as_deref(), Some("utf8mb3_general_ci"));
    }
}
