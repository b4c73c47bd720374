//! `compare` and `equals` against the oracle, in both directions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::oracle;
use mysql_collation_fuzz::{collation, related};

fuzz_target!(|input: (u16, u8, &[u8], &[u8])| {
    let (number, cut, a, b) = input;
    let collation = collation(number);
    let b = &related(a, b, cut)[..];
    let expected = oracle::compare(collation, a, b);
    assert_eq!(collation.compare(a, b), expected, "{collation:?}");
    assert_eq!(collation.compare(b, a), expected.reverse(), "{collation:?}");
    assert_eq!(collation.equals(a, b), expected.is_eq(), "{collation:?}");
});
