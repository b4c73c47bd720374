//! Operations that the example programs run under a collation.

use mysql_collation::Collation;

/// Compares, matches, keys and hashes the program's path and the last argument, if there is one.
pub fn run(collation: Collation) {
    let arguments: Vec<String> = std::env::args().collect();
    println!("{:?}", arguments.first().cmp(&arguments.last()));
    if let [one, .., other] = &arguments[..] {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        println!("{:?} {}", collation.compare(one, other), collation.like(one, other, Some('\\')));
        println!("{:02x?} {:016x}", collation.sort_key(one), collation.hash_one(other));
    }
}
