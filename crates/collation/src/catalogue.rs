//! The collations that each flavour's servers have.

use Flavour::{MariaDb, MySql};
use Pad::{NoPad, PadSpace};

use crate::{Flavour, Info, Levels, Pad};

const MYSQL: &[Info] = &include!("../data/catalogue_mysql.rs");
const MARIADB: &[Info] = &include!("../data/catalogue_mariadb.rs");

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

/// All collations of a flavour's servers, by id, whether this library implements them or not
/// ([`Info::implemented`]).
pub const fn catalogue(flavour: Flavour) -> &'static [Info] {
    match flavour {
        MySql => MYSQL,
        MariaDb => MARIADB,
    }
}

/// The entry of this exact name, when the library is compiled.
pub(crate) const fn entry(flavour: Flavour, name: &str) -> &'static Info {
    let all = catalogue(flavour);
    let mut i = 0;
    while i < all.len() {
        if same(all[i].name.as_bytes(), name.as_bytes()) {
            return &all[i];
        }
        i += 1;
    }
    panic!("the catalogue lacks a collation that is implemented")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
