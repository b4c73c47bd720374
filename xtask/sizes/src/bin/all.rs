//! A program that finds collations by name, and so links all of them: for `cargo xtask sizes`.

use mysql_collation::{Collation, Flavour, LookupError};

fn main() -> Result<(), LookupError> {
    if let Some(name) = std::env::args().nth(1) {
        sizes::run(Collation::by_name(Flavour::MySql, &name)?);
    }
    Ok(())
}
