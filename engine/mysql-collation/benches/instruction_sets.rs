//! Times operations with each instruction set of this machine.

mod harness;
mod texts;

use std::hint::black_box;

use harness::{Subject, compare};
use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use mysql_collation::{Charset, Collation, Flavour};
use texts::{CHINESE, DIGITS, ENGLISH, FRENCH, GERMAN, LONG_MIXED, MIXED, RUSSIAN, unaccented, with_last_changed};

/// Times one operation with each instruction set.
fn compare_instruction_sets<T>(title: &str, run: impl Fn() -> T) {
    let subject = |name| Subject::new(name, &run).prepared_by(move || use_instruction_set(name));
    compare(title, instruction_sets().map(subject).collect());
}

/// Times comparisons in a character set with one byte per character.
fn compare_eight_bit(title: &str, name: &str, a: &str, b: &str) {
    let collation = Collation::by_name(Flavour::MySql, name).expect("the library has the collation");
    let [a, b] =
        [a, b].map(|text| Charset::Utf8mb4.convert(text.as_bytes(), collation.charset(), Flavour::MySql).bytes);
    compare_instruction_sets(&format!("{title}, {name}"), || collation.compare(black_box(&a), black_box(&b)));
}

fn main() {
    harness::run(all);
}

fn all() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_0900_ai_ci").expect("the library has the collation");
    println!("{}\n", collation.info().name);
    let pairs = [
        ("119 ASCII characters, equal", DIGITS.to_owned(), DIGITS.to_owned()),
        ("119 ASCII characters, case differs everywhere", ENGLISH.to_lowercase(), ENGLISH.to_uppercase()),
        ("German, the last character differs", GERMAN.to_owned(), with_last_changed(GERMAN)),
        ("Chinese, the last character differs", CHINESE.to_owned(), with_last_changed(CHINESE)),
        ("German, case differs everywhere", GERMAN.to_lowercase(), GERMAN.to_uppercase()),
        ("Russian, case differs everywhere", RUSSIAN.to_lowercase(), RUSSIAN.to_uppercase()),
        ("French, accents differ in every word", FRENCH.to_owned(), unaccented(FRENCH)),
        ("another script with every word, case differs everywhere", MIXED.to_lowercase(), MIXED.to_uppercase()),
        (
            "the same with ideographs and emoji, case differs everywhere",
            LONG_MIXED.to_lowercase(),
            LONG_MIXED.to_uppercase(),
        ),
    ];
    for (title, a, b) in &pairs {
        compare_instruction_sets(title, || collation.compare(black_box(a.as_bytes()), black_box(b.as_bytes())));
    }
    compare_eight_bit(
        "119 ASCII characters, case differs everywhere",
        "latin1_swedish_ci",
        &ENGLISH.to_lowercase(),
        &ENGLISH.to_uppercase(),
    );
    compare_eight_bit(
        "Russian, case differs everywhere",
        "cp1251_general_ci",
        &RUSSIAN.to_lowercase(),
        &RUSSIAN.to_uppercase(),
    );
    compare_eight_bit("French, accents differ in every word", "latin1_swedish_ci", FRENCH, &unaccented(FRENCH));
    let padded = Collation::by_name(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci").expect("the library has the collation");
    let latin1 = Collation::by_name(Flavour::MySql, "latin1_swedish_ci").expect("the library has the collation");
    for (title, collation, text) in [
        ("sort key of 119 ASCII characters", collation, DIGITS),
        ("sort key of 119 ASCII characters, with spaces", collation, ENGLISH),
        ("the same under PAD SPACE", padded, ENGLISH),
        ("sort key of 100 Russian characters", collation, RUSSIAN),
        ("the same under PAD SPACE", padded, RUSSIAN),
        ("sort key of 119 characters, latin1_swedish_ci", latin1, DIGITS),
    ] {
        compare_instruction_sets(title, || collation.sort_key(black_box(text.as_bytes())));
    }
}
