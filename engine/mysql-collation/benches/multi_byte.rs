//! Times comparisons in multi-byte Chinese, Japanese and Korean character sets, and `memcmp`.

mod harness;
mod texts;

use std::hint::black_box;

use harness::{Subject, compare};
use mysql_collation::{Charset, Collation, Flavour};
use texts::{CHINESE, ENGLISH, GERMAN, RUSSIAN, of_language};

const COLLATIONS: [&str; 8] = [
    "gbk_chinese_ci",
    "gb2312_chinese_ci",
    "big5_chinese_ci",
    "sjis_japanese_ci",
    "cp932_japanese_ci",
    "ujis_japanese_ci",
    "euckr_korean_ci",
    "gb18030_chinese_ci",
];

/// The text in the collation's character set; `None` if a character is missing there.
fn encoded(collation: Collation, text: &str) -> Option<Vec<u8>> {
    let charset = Charset::by_name(collation.info().charset)?;
    let converted = Charset::Utf8mb4.convert(text.as_bytes(), charset, Flavour::MySql);
    (converted.lost == 0).then_some(converted.bytes)
}

/// The text with its first character in place of its last.
fn with_last_changed(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let last = characters.len() - 1;
    characters[last] = characters[0];
    characters.into_iter().collect()
}

/// Times two strings under every collation that has their characters.
fn pair(title: &str, a: &str, b: &str) {
    let texts: Vec<_> = COLLATIONS
        .iter()
        .filter_map(|name| {
            let collation = Collation::by_name(Flavour::MySql, name).expect("the library has the collation");
            Some((name, collation, encoded(collation, a)?, encoded(collation, b)?))
        })
        .collect();
    let Some((_, _, first, _)) = texts.first() else { panic!("{title}: no collation") };
    let copy = first.clone();
    let mut subjects =
        vec![Subject::new("memcmp of the first with a copy", || black_box(&first[..]) == black_box(&copy[..]))];
    for (name, collation, a, b) in &texts {
        subjects.push(Subject::new(name, move || collation.compare(black_box(a), black_box(b))));
    }
    compare(title, subjects);
}

fn main() {
    harness::run(all);
}

fn all() {
    println!("instruction set: {}\n", mysql_collation::instruction_set());
    let mixed: String = CHINESE.chars().take(60).enumerate().fold(String::new(), |mut text, (index, character)| {
        text.push(character);
        text.push_str(if index % 10 == 9 { " Winston " } else { "" });
        text
    });
    let japanese = of_language("ja");
    pair("119 ASCII characters, case differs everywhere", &ENGLISH.to_lowercase(), &ENGLISH.to_uppercase());
    pair("119 ASCII characters, the last one differs", ENGLISH, &with_last_changed(ENGLISH));
    pair("100 Russian characters, the last one differs", RUSSIAN, &with_last_changed(RUSSIAN));
    pair("German, in other case", &GERMAN.to_lowercase(), &GERMAN.replace('ß', "ss").to_uppercase());
    pair("Chinese, the last character differs", CHINESE, &with_last_changed(CHINESE));
    pair("Japanese, the last character differs", japanese, &with_last_changed(japanese));
    pair("Chinese with English words, in other case", &mixed.to_lowercase(), &mixed.to_uppercase());
}
