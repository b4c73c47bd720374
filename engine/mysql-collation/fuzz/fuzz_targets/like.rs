//! `like` against the oracle.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::oracle;
use mysql_collation_fuzz::{collation, related};

fuzz_target!(|input: (u16, u8, u8, &[u8], &[u8])| {
    let (number, cut, escape, text, pattern) = input;
    let collation = collation(number);
    let pattern = related(text, pattern, cut);
    // The oracle backtracks: each `%` multiplies its time by the length of the text.
    if text.len() > 40 || pattern.iter().filter(|&&byte| byte == b'%').count() > 4 {
        return;
    }
    let escape = [None, Some('\\'), Some('|'), Some('é')][usize::from(escape) % 4];
    let expected = oracle::like(collation, text, &pattern, escape);
    assert_eq!(collation.like(text, &pattern, escape), expected, "{collation:?} {escape:?}");
});
