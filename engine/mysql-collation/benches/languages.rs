//! Times collations of languages of 0900 and uca1400 against their root, on text in the language.

mod harness;
mod texts;

use std::hint::black_box;

use harness::{RotatingBuffers, Subject, ratio};
use mysql_collation::{Collation, Flavour, catalogue};
use texts::{ENGLISH, language_of_0900, language_of_uca1400, of_language};

fn main() {
    harness::run(all);
}

fn all() {
    println!("instruction set: {}\n", mysql_collation::instruction_set());
    println!("times its root:{:32} {:>22} {:>22} {:>22}", "", "the last differs", "case differs", "sort key");
    for flavour in Flavour::ALL {
        for (collation, root, language) in languages(flavour) {
            row(collation, root, of_language(language));
            if ["cs", "czech", "da", "danish"].contains(&language) {
                row(collation, root, ENGLISH);
            }
        }
        println!();
    }
}

/// One collation of each language in `utf8mb4`, with the root collation of the same levels, and the
/// language.
fn languages(flavour: Flavour) -> impl Iterator<Item = (Collation, Collation, &'static str)> {
    catalogue(flavour).iter().filter_map(move |info| {
        let (language, root) = match flavour {
            Flavour::MySql => {
                let (language, levels) = language_of_0900(info.name)?;
                // Japanese and Chinese have no `ai_ci`.
                let is_wanted = levels == "ai_ci" || ["ja", "zh"].contains(&language) && levels == "as_cs";
                (is_wanted.then_some(language)?, format!("utf8mb4_0900_{levels}"))
            }
            Flavour::MariaDb => (language_of_uca1400(info.name)?, "utf8mb4_uca1400_ai_ci".to_owned()),
        };
        let by_name = |name| Collation::by_name(flavour, name).expect("this build has all collations");
        Some((by_name(info.name), by_name(&root), language))
    })
}

fn row(collation: Collation, root: Collation, text: &str) {
    let (lower, upper) = (text.to_lowercase(), text.to_uppercase());
    let compared = |a: &str, b: &str| {
        let subject = |collation: Collation| {
            Subject::new(collation.name(), move || collation.compare(black_box(a.as_bytes()), black_box(b.as_bytes())))
        };
        ratio(subject(root), subject(collation)).to_string()
    };
    let last = compared(text, &ends_with_its_first(text));
    let case = if lower == upper { "no case".to_owned() } else { compared(&lower, &upper) };
    let key = |collation: Collation| {
        let mut places = RotatingBuffers::new();
        Subject::new(collation.name(), move || {
            let key = places.next();
            collation.sort_key_into(black_box(text.as_bytes()), key);
            black_box(key).len()
        })
    };
    let key = ratio(key(root), key(collation));
    let what = if text == ENGLISH { ", English" } else { "" };
    println!("{:46} {last:>22} {case:>22} {key:>22}", format!("{}{what}", collation.name()));
}

/// The text with its first character in place of its last: a letter of the language.
fn ends_with_its_first(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    characters.pop();
    characters.extend(text.chars().next());
    characters.into_iter().collect()
}
