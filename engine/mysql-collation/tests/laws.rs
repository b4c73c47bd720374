//! Properties of all collations, tested with random texts, and examples of sorting and of
//! collations that MySQL and MariaDB order differently.

use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicUsize};

use mysql_collation::{Character, Collation, Content, Flavour, catalogue};
use proptest::prelude::*;

/// Returns every seventh collation. Successive calls begin with different collations, so seven
/// calls return all.
fn every_seventh_collation() -> Vec<Collation> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let first = NEXT.fetch_add(1, atomic::Ordering::Relaxed) % 7;
    let all = Flavour::ALL.into_iter().flat_map(catalogue).skip(first).step_by(7);
    all.filter_map(|info| Collation::by_id(info.flavour, info.id).ok()).collect()
}

/// Similar strings: few letters with spaces and controls, combining marks, ideographs, Hangul,
/// parts of contractions, ill-formed bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "a",
        "A",
        "b",
        "é",
        "e\u{301}",
        " ",
        "  ",
        "\t",
        "\0",
        "ß",
        "ss",
        "l",
        "·",
        "\u{387}",
        "เ",
        "ก",
        "漢",
        "한",
        "😀",
        "\u{200d}",
        "\u{10ffff}",
        "\u{fffd}",
        "_",
        "%",
        "\\",
        // As long as the largest vector, and longer than the others.
        "The quick brown fox jumps over the lazy dog, and then it sleeps.",
        "ЖЁЛТЫЙ, ещё жёлтый, и ещё",
    ];
    let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect();
    let broken =
        [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf4\x90\x80\x80", b"\xe4"].map(<[u8]>::to_vec);
    let piece = prop_oneof![8 => prop::sample::select(pieces), 1 => prop::sample::select(broken.to_vec())];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn keys_and_hashes_agree_with_comparison(a in text(), b in text()) {
        for collation in every_seventh_collation() {
            let order = collation.compare(&a, &b);
            prop_assert_eq!(order, collation.sort_key(&a).cmp(&collation.sort_key(&b)), "{:?}", collation);
            prop_assert_eq!(order.reverse(), collation.compare(&b, &a), "{:?}", collation);
            prop_assert_eq!(order == Ordering::Equal, collation.equals(&a, &b), "{:?}", collation);
            prop_assert!(order.is_ne() || collation.hash_one(&a) == collation.hash_one(&b), "{:?}", collation);
        }
    }

    #[test]
    fn order_is_transitive(a in text(), b in text(), c in text()) {
        for collation in every_seventh_collation() {
            let mut all = [&a, &b, &c];
            all.sort_by(|a, b| collation.compare(a, b));
            prop_assert!(collation.compare(all[0], all[2]).is_le(), "{:?}", collation);
        }
    }

    #[test]
    fn elements_cover_the_string(text in text()) {
        for collation in every_seventh_collation() {
            let mut end = 0;
            for element in collation.weights(&text) {
                prop_assert_eq!(element.bytes.start, end);
                prop_assert!(element.bytes.end > end);
                end = element.bytes.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }

    #[test]
    fn like_matches_escaped_text_and_percent_sign(text in text()) {
        // The escape character is `!`, which every character set has. `swe7` lacks the backslash,
        // and MariaDB then escapes with `?`.
        for collation in every_seventh_collation() {
            let characters: Vec<Character> = collation.charset().characters(collation.info().flavour, &text).collect();
            if characters.iter().any(|character| character.content == Content::IllFormed) {
                continue;
            }
            let encoded = |character| {
                let mut buffer = [0; 4];
                collation.charset().encode(character, &mut buffer).map(|length| buffer[..length].to_vec()).unwrap()
            };
            let escaped = characters.into_iter().flat_map(|character| [&encoded('!'), &text[character.bytes]].concat());
            let escaped: Vec<u8> = escaped.collect();
            prop_assert!(collation.like(&text, &escaped, Some('!')), "{:?}", collation);
            prop_assert!(collation.like(&text, &encoded('%'), Some('\\')));
            prop_assert_eq!(collation.like(&text, b"", Some('\\')), text.is_empty());
        }
    }
}

#[test]
fn sorting_is_stable() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").unwrap();
    let mut words = ["b", "A", "a", "B ", "á", "b"];
    collation.sort(&mut words);
    assert_eq!(words, ["A", "a", "á", "b", "B ", "b"]);
    let mut items = [(1, "b"), (2, "a"), (3, "A")];
    collation.sort_by_key(&mut items, |item| item.1.as_bytes());
    assert_eq!(items, [(2, "a"), (3, "A"), (1, "b")]);
}

#[test]
fn collations_of_one_name_may_order_differently() {
    let both = |name| {
        let [mysql, mariadb] = Flavour::ALL.map(|flavour| Collation::by_name(flavour, name).unwrap());
        assert!(!mysql.orders_like(mariadb) || mysql.orders_valid_text_like(mariadb));
        (mysql.orders_valid_text_like(mariadb), mysql.orders_like(mariadb))
    };
    assert_eq!(both("latin1_german2_ci"), (true, true));
    // Surrogates are characters in MariaDB. In UCA collations of MySQL, a text ends at an
    // ill-formed byte.
    assert_eq!(both("utf8mb4_general_ci"), (true, false));
    assert_eq!(both("utf8mb3_unicode_520_ci"), (true, false));
    let collation = |flavour| Collation::by_name(flavour, "utf8mb4_unicode_ci").unwrap();
    assert_eq!(collation(Flavour::MySql).compare(b"a", b"a\xff"), Ordering::Equal);
    assert_eq!(collation(Flavour::MariaDb).compare(b"a", b"a\xff"), Ordering::Less);
    assert_eq!(both("utf8mb4_0900_ai_ci"), (false, false));
    // MySQL compares bytes, MariaDB code points, and ill-formed bytes after all of these.
    assert_eq!(both("utf8mb4_0900_bin"), (true, false));
}
