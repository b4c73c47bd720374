//! A program that finds collations by name, and so links all of them: for `cargo xtask sizes`.

use mysql_collation::{Collation, Flavour, LookupError};

fn main() -> Result<(), LookupError> {
    let arguments: Vec<String> = std::env::args().collect();
    println!("{:?}", arguments.first().cmp(&arguments.last()));
    if let [_, name, one, .., other] = &arguments[..] {
        let collation = Collation::by_name(Flavour::MySql, name)?;
        let (one, other) = (one.as_bytes(), other.as_bytes());
        println!("{:?} {}", collation.compare(one, other), collation.like(one, other, Some('\\')));
        println!("{:02x?} {:016x}", collation.sort_key(one), collation.hash_one(other));
    }
    Ok(())
}
