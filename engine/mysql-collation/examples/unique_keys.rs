//! Prints the words that a unique index would refuse: `unique_keys Straße STRASSE Strasse2`.

use std::collections::HashMap;

use mysql_collation::Collated;
use mysql_collation::mysql::UTF8MB4_0900_AI_CI;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut first_of: HashMap<Collated<'_>, &str> = HashMap::new();
    for word in &words {
        match first_of.get(&Collated::new(UTF8MB4_0900_AI_CI, word.as_bytes())) {
            Some(first) => println!("{word}: duplicate of {first}"),
            None => {
                first_of.insert(Collated::new(UTF8MB4_0900_AI_CI, word.as_bytes()), word);
            }
        }
    }
}
