//! Strings that are equal by the oracle have equal hashes. A hash doesn't depend on the address of
//! the string.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::oracle;
use mysql_collation_fuzz::{collation, related};

fuzz_target!(|input: (u16, u8, &[u8], &[u8])| {
    let (number, cut, a, b) = input;
    let collation = collation(number);
    let b = &related(a, b, cut)[..];
    if oracle::compare(collation, a, b).is_eq() {
        assert_eq!(collation.hash_one(a), collation.hash_one(b), "{collation:?}");
    }
    let moved = [b"x", a].concat();
    assert_eq!(collation.hash_one(&moved[1..]), collation.hash_one(a), "{collation:?}");
});
