//! The engine as it is, held against that of an older commit: both in one program, in turn in each round. `cargo xtask before` builds and runs it.

#[path = "../../../../crates/collation/benches/harness/mod.rs"]
#[allow(dead_code)]
mod harness;
#[path = "../../../../crates/collation/benches/texts/mod.rs"]
mod texts;

use std::hint::black_box;

use harness::{Subject, ratio};
use texts::{CHINESE, DIGITS, ENGLISH, FRENCH, GERMAN, RUSSIAN, other_end, unaccented};

const NAMES: [&str; 6] = [
    "utf8mb4_0900_ai_ci",
    "utf8mb4_0900_as_cs",
    "utf8mb4_unicode_ci",
    "utf8mb4_general_ci",
    "utf8mb4_bin",
    "utf8mb4_uca1400_ai_ci",
];
const OF_ASCII: [&str; 2] = ["latin1_swedish_ci", "gbk_chinese_ci"];

fn both(name: &str) -> (before::Collation, now::Collation) {
    let is_mariadb = name.contains("uca1400");
    let flavours = if is_mariadb {
        (before::Flavour::MariaDb, now::Flavour::MariaDb)
    } else {
        (before::Flavour::MySql, now::Flavour::MySql)
    };
    let before = before::Collation::by_name(flavours.0, name).expect("a collation of the older commit");
    (before, now::Collation::by_name(flavours.1, name).expect("a collation"))
}

fn compare(title: &str, a: &str, b: &str) {
    let others = if a.is_ascii() { &OF_ASCII[..] } else { &[] };
    for name in NAMES.iter().chain(others) {
        let (before, now) = both(name);
        let texts = || (black_box(a.as_bytes()), black_box(b.as_bytes()));
        let ratio = ratio(
            Subject::new("before", || before.compare(texts().0, texts().1)),
            Subject::new("now", || now.compare(texts().0, texts().1)),
        );
        println!("{title:44}{name:24}{ratio}");
    }
}

fn keys(title: &str, text: &str) {
    let others = if text.is_ascii() { &OF_ASCII[..] } else { &[] };
    for name in NAMES.iter().chain(others) {
        let (before, now) = both(name);
        let (mut key, mut other) = (Vec::new(), Vec::new());
        let ratio = ratio(
            Subject::new("before", || {
                key.clear();
                before.sort_key_into(black_box(text.as_bytes()), &mut key);
                black_box(&key).len()
            }),
            Subject::new("now", || {
                other.clear();
                now.sort_key_into(black_box(text.as_bytes()), &mut other);
                black_box(&other).len()
            }),
        );
        println!("{title:44}{name:24}{ratio}");
    }
}

fn main() {
    println!("instruction set: {}; times as long as before\n", now::instruction_set());
    let german = GERMAN.replace('ß', "ss");
    compare("119 ASCII characters, equal", DIGITS, &DIGITS.to_owned());
    compare("119 ASCII characters, in other case", &ENGLISH.to_lowercase(), &ENGLISH.to_uppercase());
    compare("German, the last character differs", GERMAN, &other_end(GERMAN));
    compare("Russian, the last character differs", RUSSIAN, &other_end(RUSSIAN));
    compare("Chinese, the last character differs", CHINESE, &other_end(CHINESE));
    compare("German, in other case", &german.to_lowercase(), &german.to_uppercase());
    compare("Russian, in other case", &RUSSIAN.to_lowercase(), &RUSSIAN.to_uppercase());
    compare("French, without accents", FRENCH, &unaccented(FRENCH));
    keys("sort key of 119 ASCII characters", DIGITS);
    keys("sort key of 100 Russian characters", RUSSIAN);
}
