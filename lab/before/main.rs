//! Times the engine against an older commit's, in turn in each round. Built and run by `cargo xtask
//! before`.

#[path = "../../../../engine/mysql-collation/benches/harness/mod.rs"]
#[allow(dead_code)]
mod harness;
#[path = "../../../../engine/mysql-collation/benches/texts/mod.rs"]
mod texts;

use std::hint::black_box;

use harness::{RotatingBuffers, Subject, ratio};
use texts::{CHINESE, DIGITS, ENGLISH, FRENCH, GERMAN, RUSSIAN};
use texts::{language_of_0900, language_of_uca1400, of_language, unaccented, with_last_changed};

const COLLATIONS: [&str; 6] = [
    "utf8mb4_0900_ai_ci",
    "utf8mb4_0900_as_cs",
    "utf8mb4_unicode_ci",
    "utf8mb4_general_ci",
    "utf8mb4_bin",
    "utf8mb4_uca1400_ai_ci",
];
const ASCII_COLLATIONS: [&str; 2] = ["latin1_swedish_ci", "gbk_chinese_ci"];

fn collation_before_and_now(name: &str) -> (before::Collation, now::Collation) {
    let is_mariadb = name.contains("uca1400");
    let flavours = if is_mariadb {
        (before::Flavour::MariaDb, now::Flavour::MariaDb)
    } else {
        (before::Flavour::MySql, now::Flavour::MySql)
    };
    let before = before::Collation::by_name(flavours.0, name).expect("the older commit has the collation");
    (before, now::Collation::by_name(flavours.1, name).expect("this commit has the collation"))
}

fn compare(title: &str, name: &str, a: &str, b: &str) {
    let (before, now) = collation_before_and_now(name);
    let texts = || (black_box(a.as_bytes()), black_box(b.as_bytes()));
    let ratio = ratio(
        Subject::new("before", || before.compare(texts().0, texts().1)),
        Subject::new("now", || now.compare(texts().0, texts().1)),
    );
    println!("{title:44}{name:36}{ratio}");
}

fn compare_sort_keys(title: &str, name: &str, text: &str) {
    let (before, now) = collation_before_and_now(name);
    let (mut old_places, mut new_places) = (RotatingBuffers::new(), RotatingBuffers::new());
    let ratio = ratio(
        Subject::new("before", || {
            let key = old_places.next();
            before.sort_key_into(black_box(text.as_bytes()), key);
            black_box(key).len()
        }),
        Subject::new("now", || {
            let key = new_places.next();
            now.sort_key_into(black_box(text.as_bytes()), key);
            black_box(key).len()
        }),
    );
    println!("{title:44}{name:36}{ratio}");
}

fn collations_for(text: &str) -> impl Iterator<Item = &'static str> {
    let further = if text.is_ascii() { &ASCII_COLLATIONS[..] } else { &[] };
    COLLATIONS.iter().chain(further).copied()
}

/// Returns the collations of languages, each with a text in its language: all of MySQL's
/// `utf8mb4_…_0900_…`, and MariaDB's `utf8mb4_uca1400_…_ai_ci` with PAD SPACE.
fn languages() -> impl Iterator<Item = (&'static str, &'static str)> {
    now::Flavour::ALL.into_iter().flat_map(|flavour| now::catalogue(flavour)).filter_map(|info| {
        let language = match info.flavour {
            now::Flavour::MySql => language_of_0900(info.name)?.0,
            now::Flavour::MariaDb => language_of_uca1400(info.name)?,
        };
        Some((info.name, of_language(language)))
    })
}

fn main() {
    harness::in_fresh_processes(time_all);
}

fn time_all() {
    println!("instruction set: {}; time now, as a multiple of the time before\n", now::instruction_set());
    let german = GERMAN.replace('ß', "ss");
    let pairs = [
        ("119 ASCII characters, equal", DIGITS.to_owned(), DIGITS.to_owned()),
        ("119 ASCII characters, in other case", ENGLISH.to_lowercase(), ENGLISH.to_uppercase()),
        ("119 ASCII characters, the last one differs", DIGITS.to_owned(), with_last_changed(DIGITS)),
        ("German, the last character differs", GERMAN.to_owned(), with_last_changed(GERMAN)),
        ("Russian, the last character differs", RUSSIAN.to_owned(), with_last_changed(RUSSIAN)),
        ("Chinese, the last character differs", CHINESE.to_owned(), with_last_changed(CHINESE)),
        ("German, in other case", german.to_lowercase(), german.to_uppercase()),
        ("Russian, in other case", RUSSIAN.to_lowercase(), RUSSIAN.to_uppercase()),
        ("French, without accents", FRENCH.to_owned(), unaccented(FRENCH)),
    ];
    for (title, a, b) in &pairs {
        collations_for(a).for_each(|name| compare(title, name, a, b));
    }
    for (title, text) in [("sort key of 119 ASCII characters", DIGITS), ("sort key of 100 Russian characters", RUSSIAN)]
    {
        collations_for(text).for_each(|name| compare_sort_keys(title, name, text));
    }
    for (name, text) in languages() {
        compare("text in its language, lower and upper case", name, &text.to_lowercase(), &text.to_uppercase());
        compare_sort_keys("sort key of text in its language", name, text);
    }
}
