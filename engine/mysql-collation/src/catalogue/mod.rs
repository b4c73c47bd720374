//! The collations of each flavour's servers, with their attributes.

use Flavour::{MariaDb, MySql};
use Pad::{NoPad, PadSpace};

mod flavour;
mod info;
mod version;

pub use flavour::Flavour;
pub use info::{Info, Levels, Pad};
pub use version::{DATA_VERSIONS, InvalidVersion, ServerVersion, UNICODE_VERSIONS};

const MYSQL: &[Info] = &include!("generated/mysql.rs");
const MARIADB: &[Info] = &include!("generated/mariadb.rs");

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn info(
    flavour: Flavour,
    id: u16,
    name: &'static str,
    charset: &'static str,
    pad: Pad,
    levels: Levels,
    is_default: bool,
    is_binary: bool,
) -> Info {
    Info { flavour, id, name, charset, pad, levels, is_default, is_binary }
}

/// Returns all collations of a flavour's servers, by ascending id. The list includes collations
/// that this build lacks (see [`Info::is_enabled`]).
pub const fn catalogue(flavour: Flavour) -> &'static [Info] {
    match flavour {
        MySql => MYSQL,
        MariaDb => MARIADB,
    }
}

/// Returns the indexes of a flavour's catalogue entries, sorted by name.
pub(crate) fn by_name(flavour: Flavour) -> &'static [u16] {
    static MYSQL_BY_NAME: [u16; MYSQL.len()] = sorted(MYSQL);
    static MARIADB_BY_NAME: [u16; MARIADB.len()] = sorted(MARIADB);
    match flavour {
        MySql => &MYSQL_BY_NAME,
        MariaDb => &MARIADB_BY_NAME,
    }
}

/// Sorts the indexes of catalogue entries by name, with a heap sort that runs at compile time.
const fn sorted<const N: usize>(all: &[Info]) -> [u16; N] {
    let mut order = [0; N];
    let mut i = 0;
    while i < N {
        order[i] = i as u16;
        i += 1;
    }
    let mut start = N / 2;
    let mut end = N;
    while end > 1 {
        if start > 0 {
            start -= 1;
        } else {
            end -= 1;
            (order[0], order[end]) = (order[end], order[0]);
        }
        let mut parent = start;
        loop {
            let mut child = 2 * parent + 1;
            if child >= end {
                break;
            }
            if child + 1 < end && is_less(all, order[child], order[child + 1]) {
                child += 1;
            }
            if !is_less(all, order[parent], order[child]) {
                break;
            }
            (order[parent], order[child]) = (order[child], order[parent]);
            parent = child;
        }
    }
    order
}

/// Returns `true` if the name of entry `one` is less than the name of entry `other`.
const fn is_less(all: &[Info], one: u16, other: u16) -> bool {
    let (a, b) = (all[one as usize].name.as_bytes(), all[other as usize].name.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return a[i] < b[i];
        }
        i += 1;
    }
    a.len() < b.len()
}

/// Finds a catalogue entry at compile time. Panics if the flavour has no such id.
pub(crate) const fn entry_by_id(flavour: Flavour, id: u16) -> &'static Info {
    let all = catalogue(flavour);
    let (mut from, mut to) = (0, all.len());
    while from < to {
        let middle = (from + to) / 2;
        if all[middle].id == id {
            return &all[middle];
        }
        if all[middle].id < id {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    panic!("no such collation")
}
