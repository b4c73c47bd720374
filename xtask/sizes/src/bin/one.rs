//! A program with one collation by its constant, which links the tables of that collation alone: for `cargo xtask sizes`.

use mysql_collation::{Collation, mysql};

const COLLATION: Collation = mysql::UTF8MB4_0900_AI_CI;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    println!("{:?}", arguments.first().cmp(&arguments.last()));
    if let [one, .., other] = &arguments[..] {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        println!("{:?} {}", COLLATION.compare(one, other), COLLATION.like(one, other, Some('\\')));
        println!("{:02x?} {:016x}", COLLATION.sort_key(one), COLLATION.hash_one(other));
    }
}
