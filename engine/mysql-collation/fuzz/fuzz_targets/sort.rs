//! `sort` against a stable sort by the oracle's comparison.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql_collation::oracle;
use mysql_collation_fuzz::collation;

fuzz_target!(|input: (u16, u8, &[u8])| {
    let (number, length, text) = input;
    let collation = collation(number);
    // Pieces and prefixes of the text.
    let step = usize::from(length % 16) + 1;
    let mut items: Vec<&[u8]> =
        text.chunks(step).chain((0..text.len()).step_by(step).map(|end| &text[..end])).collect();
    items.truncate(300);
    let mut expected = items.clone();
    expected.sort_by(|a, b| oracle::compare(collation, a, b));
    collation.sort(&mut items);
    // Compares addresses, because equal strings must keep their order.
    assert!(items.iter().zip(&expected).all(|(a, b)| core::ptr::eq(*a, *b)), "{collation:?}");
});
