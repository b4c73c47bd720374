//! Sort keys compare as their strings do by the oracle. `sort_key_into` appends to its buffer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::oracle;
use mysql_collation_fuzz::{collation, related};

fuzz_target!(|input: (u16, u8, &[u8], &[u8])| {
    let (number, cut, a, b) = input;
    let collation = collation(number);
    let b = &related(a, b, cut)[..];
    let (x, y) = (collation.sort_key(a), collation.sort_key(b));
    assert_eq!(x.cmp(&y), oracle::compare(collation, a, b), "{collation:?}");
    let mut appended = b"x".to_vec();
    collation.sort_key_into(a, &mut appended);
    assert_eq!(appended[1..], x, "{collation:?}");
});
