//! Times UTF-8 validation and counting: gigabytes per second with each instruction set, `simdutf8`
//! and the standard library.

mod harness;
mod texts;

use std::hint::black_box;

use harness::{Subject, rates};
use mysql_collation::Charset;
use mysql_collation::oracle::{instruction_sets, use_instruction_set};
use texts::{CHINESE, ENGLISH, GERMAN, RUSSIAN};

/// Bytes of a text: it fits the L2 cache, and a call costs little in comparison.
const SIZE: usize = 64 << 10;

/// Times one operation with each instruction set, and other implementations.
fn each<'a, T>(title: &str, text: &'a str, run: impl Fn(&[u8]) -> T + 'a, others: Vec<Subject<'a>>) {
    let run = &run;
    let subject = |name| {
        Subject::new(name, move || run(black_box(text.as_bytes()))).prepared_by(move || use_instruction_set(name))
    };
    rates(title, text.len(), instruction_sets().map(subject).chain(others).collect());
}

fn main() {
    harness::run(all);
}

fn all() {
    let emoji = "🙂🚀🎉👍🏽🇩🇪";
    for (script, words) in
        [("ASCII", ENGLISH), ("German", GERMAN), ("Russian", RUSSIAN), ("Chinese", CHINESE), ("emoji", emoji)]
    {
        let text = words.repeat(SIZE / words.len());
        let bytes = || black_box(text.as_bytes());
        each(
            &format!("{script}, checked"),
            &text,
            |bytes| Charset::Utf8mb4.validate(bytes).is_ok(),
            vec![
                Subject::new("simdutf8, basic", || simdutf8::basic::from_utf8(bytes()).is_ok()),
                Subject::new("simdutf8, compat", || simdutf8::compat::from_utf8(bytes()).is_ok()),
                Subject::new("str::from_utf8", || str::from_utf8(bytes()).is_ok()),
            ],
        );
        each(
            &format!("{script}, checked and counted"),
            &text,
            |bytes| Charset::Utf8mb4.char_len(bytes),
            vec![Subject::new("simdutf8, then chars().count()", || {
                simdutf8::basic::from_utf8(bytes()).map(|text| text.chars().count())
            })],
        );
    }
}
