//! Times operations against `memcmp`, Rust's `icu_collator`, and ICU4C if it is installed.
//!
//! `cargo xtask peers` measures Vitess, `cargo xtask order-by` a server's ORDER BY. With the
//! feature `oracle`, an argument selects an instruction set: `-- avx2`.

mod harness;
mod icu4c;
mod texts;

use std::hint::black_box;

use harness::{Subject, compare};
use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use mysql_collation::{Collation, Flavour};
use texts::{CHINESE, DIGITS, ENGLISH, FRENCH, GERMAN, RUSSIAN, unaccented, with_last_changed};

fn collation(flavour: Flavour, name: &str) -> Collation {
    Collation::by_name(flavour, name).expect("the library has the collation")
}

/// Times a comparison by every competitor.
fn pair(
    title: &str,
    ours: &[(&str, Collation)],
    icu: &CollatorBorrowed,
    icu4c: Option<&icu4c::Icu4c>,
    a: &str,
    b: &str,
) {
    let (a, b) = (a.as_bytes().to_vec(), b.as_bytes().to_vec());
    let copy = a.clone();
    let both = || black_box((&a[..], &b[..]));
    let mut subjects =
        vec![Subject::new("memcmp of the first with a copy", || black_box(&a[..]) == black_box(&copy[..]))];
    for (name, collation) in ours {
        subjects.push(Subject::new(name, move || {
            let (a, b) = both();
            collation.compare(a, b)
        }));
    }
    subjects.push(Subject::new("icu_collator, primary", || {
        let (a, b) = both();
        icu.compare_utf8(a, b)
    }));
    if let Some(icu4c) = icu4c {
        subjects.push(Subject::new("ICU4C, primary", || {
            let (a, b) = both();
            icu4c.compare(a, b)
        }));
    }
    compare(title, subjects);
}

fn keys(title: &str, ours: &[(&str, Collation)], icu: &CollatorBorrowed, text: &str) {
    let mut subjects = Vec::new();
    for (name, collation) in ours {
        let mut key = Vec::new();
        subjects.push(Subject::new(name, move || {
            key.clear();
            collation.sort_key_into(black_box(text.as_bytes()), &mut key);
            black_box(&key).len()
        }));
    }
    let mut key = Vec::new();
    subjects.push(Subject::new("icu_collator, primary", move || {
        key.clear();
        // Writing to a vector does not fail.
        let _ = icu.write_sort_key_utf8_to(black_box(text.as_bytes()), &mut key);
        black_box(&key).len()
    }));
    compare(title, subjects);
}

fn main() {
    harness::run(all);
}

fn all() {
    #[cfg(feature = "oracle")]
    if let Some(name) =
        mysql_collation::oracle::instruction_sets().find(|name| std::env::args().any(|argument| argument == *name))
    {
        mysql_collation::oracle::use_instruction_set(name);
    }
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Primary);
    let icu = Collator::try_new(Default::default(), options).expect("the root collation is built in");
    let icu4c = icu4c::Icu4c::load();
    println!("instruction set: {}", mysql_collation::instruction_set());
    match &icu4c {
        Some(icu4c) => println!("ICU4C {}\n", icu4c.version),
        None => println!("ICU4C is not installed: its rows are left out (Debian: libicu-dev)\n"),
    }
    let ours = [
        ("utf8mb4_0900_ai_ci", collation(Flavour::MySql, "utf8mb4_0900_ai_ci")),
        ("utf8mb4_0900_as_cs", collation(Flavour::MySql, "utf8mb4_0900_as_cs")),
        ("utf8mb4_uca1400_ai_ci", collation(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci")),
        ("utf8mb4_unicode_ci", collation(Flavour::MySql, "utf8mb4_unicode_ci")),
        ("utf8mb4_general_ci", collation(Flavour::MySql, "utf8mb4_general_ci")),
        ("utf8mb4_bin", collation(Flavour::MySql, "utf8mb4_bin")),
        ("latin1_swedish_ci", collation(Flavour::MySql, "latin1_swedish_ci")),
    ];
    let utf8 = &ours[..5];
    let pairs = [
        ("119 ASCII characters, equal", DIGITS.to_owned(), DIGITS.to_owned(), &ours[..]),
        ("119 ASCII characters, case differs everywhere", ENGLISH.to_lowercase(), ENGLISH.to_uppercase(), &ours[..]),
        ("German, the last character differs", GERMAN.to_owned(), with_last_changed(GERMAN), utf8),
        ("Russian, the last character differs", RUSSIAN.to_owned(), with_last_changed(RUSSIAN), utf8),
        ("Chinese, the last character differs", CHINESE.to_owned(), with_last_changed(CHINESE), utf8),
        (
            "German, case differs everywhere",
            GERMAN.replace('ß', "ss").to_lowercase(),
            GERMAN.replace('ß', "ss").to_uppercase(),
            utf8,
        ),
        ("Russian, case differs everywhere", RUSSIAN.to_lowercase(), RUSSIAN.to_uppercase(), utf8),
        ("French, accents differ in every word", FRENCH.to_owned(), unaccented(FRENCH), utf8),
    ];
    for (title, a, b, collations) in &pairs {
        pair(title, collations, &icu, icu4c.as_ref(), a, b);
    }
    keys("sort key of 119 ASCII characters", &ours, &icu, DIGITS);
    keys("sort key of 100 Russian characters", utf8, &icu, RUSSIAN);
}
