//! Cases of rehearsed plans, each with the schema, the findings, and what holds after the plan.

mod definitions;
mod rows;

use server::{Flavour, Version};

use crate::lab::Lab;

pub struct Case {
    pub name: &'static str,
    /// True for servers on which the case can happen.
    pub on: fn(&Lab) -> bool,
    pub charset: &'static str,
    pub statements: &'static [&'static str],
    /// Check and object, without its schema, of each warning or error.
    pub findings: &'static [(&'static str, &'static str)],
    /// Queries after the plan, each with its first value.
    pub after: &'static [(&'static str, &'static str)],
    /// True if the plan repairs rows, which the way back leaves repaired.
    pub repairs: bool,
}

const CASE: Case =
    Case { name: "", on: |_| true, charset: "latin1", statements: &[], findings: &[], after: &[], repairs: false };

fn is_mysql_8_or_later(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MySql && !is_mysql_5(lab)
}

fn is_mysql_5(lab: &Lab) -> bool {
    lab.server.version().starts_with("5.")
}

fn version(lab: &Lab) -> Version {
    Version::find(lab.server.version()).unwrap()
}

/// True for MariaDB with compressed columns and system versioning.
fn has_versioning(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MariaDb && version(lab) >= Version::new(10, 3, 4)
}

fn has_nopad_collations(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MariaDb && version(lab) >= Version::new(10, 2, 2)
}

fn has_0900_bin(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MySql && version(lab) >= Version::new(8, 0, 17)
}

fn has_functional_indexes(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MySql && version(lab) >= Version::new(8, 0, 13)
}

fn has_updated_histograms(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MySql && version(lab) >= Version::new(8, 4, 0)
}

fn checks_constraints(lab: &Lab) -> bool {
    let since = if lab.server.flavour() == Flavour::MySql { Version::new(8, 0, 16) } else { Version::new(10, 2, 1) };
    version(lab) >= since
}

/// True for servers whose ALTER that copies a table checks its foreign keys: seen on MySQL 9.7, not
/// on 8.0.12.
fn checks_keys_of_copied_rows(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MySql && version(lab) >= Version::new(9, 0, 0)
}

/// True for servers that make a unique key a hash index if it is too long.
fn has_hash_keys(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MariaDb && version(lab) >= Version::new(10, 4, 0)
}

/// True for servers with stored generated columns that take no `COLLATE`.
fn takes_no_generated_collation(lab: &Lab) -> bool {
    lab.server.flavour() == Flavour::MariaDb && (Version::new(10, 2, 1)..Version::new(10, 5, 0)).contains(&version(lab))
}

/// True for MySQL 8 and MariaDB 10.2.3 and later, which have several triggers of one time and
/// event, and stored generated columns.
fn is_modern(lab: &Lab) -> bool {
    !is_mysql_5(lab) && version(lab) >= Version::new(10, 2, 3) || is_mysql_8_or_later(lab)
}

pub fn cases() -> impl Iterator<Item = &'static Case> {
    definitions::CASES.iter().chain(rows::CASES)
}
