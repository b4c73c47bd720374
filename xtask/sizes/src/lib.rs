//! Uses of one collation by the programs.

use mysql_collation::Collation;

/// Compares, matches, keys and hashes the first and last words of the command line.
pub fn run(collation: Collation) {
    let arguments: Vec<String> = std::env::args().collect();
    println!("{:?}", arguments.first().cmp(&arguments.last()));
    if let [one, .., other] = &arguments[..] {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        println!("{:?} {}", collation.compare(one, other), collation.like(one, other, Some('\\')));
        println!("{:02x?} {:016x}", collation.sort_key(one), collation.hash_one(other));
    }
}
