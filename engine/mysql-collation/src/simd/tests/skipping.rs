//! Byte pairs, and skipping of equal characters.

use super::*;

#[test]
fn kind_of_pairs_follows_from_bytes() {
    assert_eq!(
        all_pairs().map(|pairs| pairs.kind),
        [PairBytes::Any, PairBytes::Any, PairBytes::Letters, PairBytes::LettersAndLeads]
    );
    let kind = |one, other| BytePairs::new([(b'c', b'h'), (one, other)].into_iter()).kind;
    for letter in [b'@', b'A', b'z', 0x7F] {
        assert_eq!(kind(b'c', letter), PairBytes::Letters);
        assert_eq!(kind(letter, b'h'), PairBytes::Letters);
        assert_eq!(kind(letter, 0xC0), PairBytes::LettersAndLeads);
        assert_eq!(kind(letter, 0xBF), PairBytes::Any);
        assert_eq!(kind(letter, b'?'), PairBytes::Any);
        assert_eq!(kind(b'?', letter), PairBytes::Any);
        assert_eq!(kind(0x80, letter), PairBytes::Any);
    }
    assert_eq!(kind(0x80, 0xC0), PairBytes::LettersAndLeads);
    assert_eq!(kind(0xFF, 0xFF), PairBytes::LettersAndLeads);
    assert_eq!(kind(b'?', 0xC0), PairBytes::Any);
    assert_eq!(BytePairs::BEFORE_LETTERS.kind, PairBytes::Any);
}

/// A table with a single weight, so that only pairs stop skipping.
fn table_of_one_weight(pairs: &'static BytePairs, variants: CaseVariants) -> ShortWeights {
    ShortWeights::new([1; 0x800], |_| None, Some(ShortContractions::new(pairs, [].into_iter())), variants)
}

#[test]
fn classifies_every_two_bytes() {
    for (pairs, before) in all_pairs().into_iter().flat_map(|pairs| [0, 63].map(|before| (pairs, before))) {
        let both = [CaseVariants::None, CaseVariants::OtherCase]
            .map(|variants| (variants, table_of_one_weight(pairs, variants)));
        for (one, other) in (0..=u8::MAX).flat_map(|one| (0..=u8::MAX).map(move |other| (one, other))) {
            let mut a = [b'-'; 70];
            a[before..][..2].copy_from_slice(&[one, other]);
            // One byte in other case, both, and other changes.
            for changes in [[0x20, 0], [0, 0x20], [0x20, 0x20], [0, 1], [0x20, 1], [3, 3]] {
                let mut b = a;
                b[before..].iter_mut().zip(changes).for_each(|(byte, change)| *byte ^= change);
                for (variants, low) in &both {
                    for_each_backend(|backend| check_mismatch_contractible(backend, pairs, *variants, &a, &b));
                    check_skip(low, &a, &b);
                }
            }
        }
    }
}

#[test]
fn recognises_pairs_in_both_cases() {
    for (one, other) in [(b'c', b'H'), (b'C', b'h'), (b'a', b'A'), (b'D', 0xC5), (0xB6, 0xD0), (0x9F, 0xE0)] {
        assert!(pairs().may_contract(one, other));
    }
    assert!(
        !pairs().may_contract(b'c', b'a') && !pairs().may_contract(b'h', b'c') && !pairs().may_contract(0xB6, 0xE0)
    );
}

#[test]
fn skips_contraction_in_the_other_case() {
    let pad = "x".repeat(70);
    for (a, b, strict, other_case) in [
        ("chch", "CHCH", 0, 4),
        ("chXch", "CHxcH", 0, 3),
        ("ch", "Ch", 0, 0),
        ("Ch", "Ch", 2, 2),
        ("cx", "Cx", 2, 2),
        ("aac", "AAd", 0, 2),
    ] {
        // At the start, within and at the end of a vector.
        for before in [0, 1, 15, 31, 63] {
            let [x, y] = [a, b].map(|text| [&pad[..before], text, &pad].concat());
            for_each_backend(|backend| {
                for (variants, same) in [(CaseVariants::None, strict), (CaseVariants::OtherCase, other_case)] {
                    let whole = if same == a.len() { x.len() } else { before + same };
                    for pairs in all_pairs() {
                        let found = backend.mismatch_contractible(pairs, variants, x.as_bytes(), y.as_bytes());
                        assert_eq!(found, whole, "{a} {b} {variants:?} {}", backend.name);
                    }
                }
            });
        }
    }
}

#[test]
fn longer_characters_are_skipped_wherever_they_stand_in_a_block() {
    let low = table(false);
    for before in 0..LONGEST {
        let pad = "x".repeat(before);
        let [a, b] = ["î", "n"].map(|letter| [&pad, letter, "⊕字, î"].concat());
        for_each_backend(|backend| {
            let found = backend.skip_equal(&low, 4, a.as_bytes(), b.as_bytes());
            assert_eq!(found, [a.len(), b.len()], "{before} {}", backend.name);
        });
    }
}

#[test]
fn does_not_skip_ill_formed_bytes() {
    let low = table(false);
    let ill_formed: [&[u8]; 8] = [
        b"\xC0\x80\x80",
        b"\xC1\x98\x85",
        b"\xE0\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xF0\x8F\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\xF5\x80\x80\x80",
        b"\xE4\xBD",
    ];
    let all = ill_formed.iter().map(|&bytes| (4, bytes)).chain([(3, "🙏".as_bytes())]);
    for (longest, stop) in all {
        for before in 0..LONGEST {
            // A longer character in front selects the code for longer characters.
            let start = ["字".as_bytes(), "x".repeat(before).as_bytes()].concat();
            let a = [&start, "î".as_bytes(), stop, b"x"].concat();
            let b = a.to_ascii_uppercase();
            for_each_backend(|backend| {
                let found = backend.skip_equal(&low, longest, &a, &b);
                assert_eq!(found, [start.len() + 2; 2], "{before} {stop:x?} {}", backend.name);
            });
        }
    }
}

#[test]
fn skips_equal_contractions() {
    for low in all_pairs().map(|pairs| table_with(Some(pairs), false)) {
        check_contractions(&low);
    }
}

fn check_contractions(low: &ShortWeights) {
    let pad = "běž ".repeat(20);
    for (a, b, same) in [
        ("chata, ach", "CHATA, ACH", 10),
        ("Chata", "Chata", 5),
        ("x chata", "x Chata", 2),
        ("x Chata", "x CHATA", 2),
        ("aac", "AAd", 2),
    ] {
        for (before, _) in pad.char_indices() {
            let [x, y] = [a, b].map(|text| [&pad[..before], text].concat());
            let [x, y] = [x, y.replace("běž", "BĚŽ")];
            for_each_backend(|backend| {
                let found = backend.skip_equal(low, 4, x.as_bytes(), y.as_bytes());
                assert_eq!(found, [before + same; 2], "{a} {b} {before} {}", backend.name);
            });
        }
    }
}

#[test]
fn contractions_stop_characters_wherever_they_stand_in_a_block() {
    for low in all_pairs().map(|pairs| table_with(Some(pairs), false)) {
        for text in ["ch", "cH", "aaa", "dž", "sж", "жа", "жж", "éжа", "öа", "x\u{905}", "П\u{905}"] {
            for pad in ["-".repeat(LONGEST), "é".repeat(LONGEST)] {
                for (before, _) in pad.char_indices().take(LONGEST) {
                    let a = [&pad[..before], text, "-ü-"].concat();
                    let plain: String = a.chars().map(unaccented).collect();
                    let other = a.replace('h', "H").replace('a', "A");
                    for b in [&a, &a.to_lowercase(), &a.to_uppercase(), &a.to_ascii_uppercase(), &other, &plain] {
                        check_skip(&low, a.as_bytes(), b.as_bytes());
                        check_skip(&low, b.as_bytes(), a.as_bytes());
                    }
                }
            }
        }
    }
}

#[test]
fn scalar_version_finds_common_prefix() {
    let low = table(false);
    let skip = |a: &str, b: &str| scalar::skip_equal(&low, 4, a.as_bytes(), b.as_bytes());
    let all = "Привет, мир".len();
    assert_eq!(skip("Привет, мир", "пРИВЕТ, МИР"), [all; 2]);
    assert_eq!(skip("Привет, мир", "пРИВЕТ, МИФ"), [all - 2; 2]);
    // Two bytes against one, and two characters with the same expansion.
    assert_eq!(skip("Äb°c", "nb´C"), [6, 5]);
    assert_eq!(skip("1ß", "1ß"), [1; 2]);
    // Equal characters of three bytes are skipped.
    assert_eq!(skip("Мир’s — 字", "МИР’S — 学"), ["Мир’s — ".len(); 2]);
    assert_eq!(skip("Ä—b", "n—B"), [6, 5]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn skipped_text_is_equal((a, b) in pair()) {
        check_skip(&table(false), &a, &b);
        for pairs in all_pairs() {
            check_skip(&table_with(Some(pairs), false), &a, &b);
        }
    }
}
