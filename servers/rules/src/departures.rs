//! Comparisons that a server version answers otherwise than the newest version of its flavour,
//! under a collation of the same name.
//!
//! Found by comparing the collations of MySQL 5.6, 5.7, 8.0 and 9.7, and of MariaDB 10.1, 10.2,
//! 10.5, 10.11, 11.4 and 11.8 (docs/results/2026-11-verification.md). A departure ends here with
//! the first of these versions that lacks it; a version between two of them may lack it, too.

use server::{Flavour, Version};

use crate::charset::{collation_charset, current_collation_name, max_bytes};

/// A departure of the versions of a flavour from `first` to those before `end`.
struct Departure {
    flavour: Flavour,
    first: Version,
    end: Version,
    applies: fn(&str) -> bool,
    /// Behaviour of these versions only, without a full stop.
    what: &'static str,
}

const DEPARTURES: [Departure; 3] = [
    Departure {
        flavour: Flavour::MariaDb,
        first: Version::new(0, 0, 0),
        end: Version::new(10, 5, 0),
        applies: |name| name == "ucs2_general_mysql500_ci",
        what: "ß and s are equal",
    },
    Departure {
        flavour: Flavour::MariaDb,
        first: Version::new(10, 2, 2),
        end: Version::new(10, 11, 0),
        applies: ignores_nul_at_end,
        what: "NUL characters at the end of a text don't count",
    },
    Departure {
        flavour: Flavour::MariaDb,
        first: Version::new(11, 4, 5),
        end: Version::new(11, 8, 0),
        applies: |name| name == "utf8mb4_0900_bin",
        what: "spaces at the end of a text don't count",
    },
];

/// True for NO PAD collations of multi-byte character sets, except the UCA collations of UTF-8.
fn ignores_nul_at_end(name: &str) -> bool {
    let is_multi_byte = max_bytes(collation_charset(name)).is_some_and(|bytes| bytes > 1);
    let is_of_utf8 = name.starts_with("utf8mb3_") || name.starts_with("utf8mb4_");
    let is_plain = name.ends_with("_general_nopad_ci") || name.ends_with("_nopad_bin");
    name.contains("nopad") && is_multi_byte && (!is_of_utf8 || is_plain)
}

/// Returns how this version's comparisons under a collation depart from those of the newest version
/// of its flavour.
pub fn departures(flavour: Flavour, version: Version, collation: &str) -> Vec<&'static str> {
    let name = current_collation_name(collation);
    let of_version = DEPARTURES
        .iter()
        .filter(|departure| departure.flavour == flavour && departure.first <= version && version < departure.end);
    of_version.filter(|departure| (departure.applies)(&name)).map(|departure| departure.what).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_depart_from_the_newest() {
        let number = |flavour, major, minor, name: &str| departures(flavour, Version::new(major, minor, 5), name).len();
        assert_eq!(number(Flavour::MariaDb, 10, 2, "ucs2_general_mysql500_ci"), 1);
        assert_eq!(number(Flavour::MySql, 5, 7, "ucs2_general_mysql500_ci"), 0);
        assert_eq!(number(Flavour::MariaDb, 10, 2, "utf8_general_nopad_ci"), 1, "by its old name");
        assert_eq!(number(Flavour::MariaDb, 10, 2, "utf8mb4_unicode_nopad_ci"), 0);
        assert_eq!(number(Flavour::MariaDb, 10, 2, "sjis_japanese_nopad_ci"), 1);
        assert_eq!(number(Flavour::MariaDb, 10, 2, "latin1_nopad_bin"), 0);
        assert_eq!(number(Flavour::MariaDb, 11, 4, "utf8mb4_0900_bin"), 1);
        assert_eq!(number(Flavour::MariaDb, 11, 8, "utf8mb4_0900_bin"), 0);
    }
}
