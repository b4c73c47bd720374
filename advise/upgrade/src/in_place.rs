//! Steps of an in-place upgrade, in which the new server opens the old server's data directory.

use check::Target;
use server::{Flavour, Server};

use crate::side::version;

/// Bugfix and LTS series of MySQL, which an upgrade may not skip: MySQL's manual, "Upgrade Paths"
/// and "MySQL Releases: Innovation and LTS".
const SERIES: [(u16, u16); 6] = [(5, 5), (5, 6), (5, 7), (8, 0), (8, 4), (9, 7)];

/// Lists the series through which an in-place upgrade leads, from the old server's to the new
/// server's. Empty between products, to an older version, and within a series.
pub fn steps(source: &Server, target: &Server) -> Vec<String> {
    list(&version(source), &version(target))
}

/// MariaDB upgrades from any series to any later one: its manual, "Upgrading Between Major MariaDB
/// Versions".
fn list(old: &Target, new: &Target) -> Vec<String> {
    let series = |target: &Target| (target.version.0, target.version.1);
    let (from, to) = (series(old), series(new));
    if old.flavour != new.flavour || from >= to || from.0 == 0 {
        return Vec::new();
    }
    let is_between = |one: &&(u16, u16)| old.flavour == Flavour::MySql && from < **one && **one < to;
    let between = SERIES.iter().filter(is_between).copied();
    let all = std::iter::once(from).chain(between).chain([to]);
    all.map(|(major, minor)| format!("{major}.{minor}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysql_skips_no_series() {
        let steps = |flavour: Flavour, from: (u16, u16, u16), to: (u16, u16, u16)| {
            list(&Target { flavour, version: from }, &Target { flavour, version: to }).join(" ")
        };
        for (from, to, expected) in [
            ((5, 6, 51), (9, 7, 0), "5.6 5.7 8.0 8.4 9.7"),
            ((5, 7, 44), (8, 4, 3), "5.7 8.0 8.4"),
            ((8, 0, 40), (9, 1, 0), "8.0 8.4 9.1"),
            ((8, 3, 0), (9, 0, 0), "8.3 8.4 9.0"),
            ((8, 4, 3), (9, 7, 0), "8.4 9.7"),
            ((8, 0, 12), (8, 0, 40), ""),
            ((8, 4, 0), (8, 0, 40), ""),
        ] {
            assert_eq!(steps(Flavour::MySql, from, to), expected, "{from:?} {to:?}");
        }
        assert_eq!(steps(Flavour::MariaDb, (10, 2, 1), (11, 8, 3)), "10.2 11.8");
        let (old, new) = (Flavour::MySql, Flavour::MariaDb);
        let to = Target { flavour: new, version: (11, 8, 3) };
        assert!(list(&Target { flavour: old, version: (5, 7, 44) }, &to).is_empty());
    }
}
