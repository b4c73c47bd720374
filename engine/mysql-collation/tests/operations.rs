//! Operations on a few strings, under collations of several kinds. Small enough for Miri
//! (`cargo xtask portable`).

use mysql_collation::{Charset, Collation, Flavour};

const COLLATIONS: [(Flavour, &str); 9] = [
    (Flavour::MySql, "utf8mb4_bin"),
    (Flavour::MySql, "utf8mb4_general_ci"),
    (Flavour::MySql, "utf8mb4_0900_as_cs"),
    (Flavour::MySql, "utf8mb4_cs_0900_ai_ci"),
    (Flavour::MariaDb, "utf8mb4_unicode_nopad_ci"),
    (Flavour::MySql, "latin1_swedish_ci"),
    (Flavour::MySql, "latin1_german2_ci"),
    (Flavour::MySql, "gbk_chinese_ci"),
    (Flavour::MySql, "utf16_general_ci"),
];

/// Texts shorter and longer than a vector, ASCII and not, with contractions, expansions and spaces.
const TEXTS: [&str; 7] = [
    "",
    "a ",
    "Straße",
    "CHATA, strasse, ghi jkl mno pqr stu vwx yz0 123 456 789 0ab cde fgh",
    "chata, STRASSE, GHI JKL MNO PQR STU VWX YZ0 123 456 789 0AB CDE FGH",
    "Ёж и ёж, é, 漢字",
    "ёж И ЁЖ, É, 漢字 ",
];

/// Returns texts in the collation's character set, and bytes that are ill-formed in some character
/// sets. Each allocation ends with its text, so that Miri reports reads beyond the end.
fn texts(collation: Collation) -> Vec<Box<[u8]>> {
    let converted = TEXTS.map(|text| {
        Charset::Utf8mb4.convert(text.as_bytes(), collation.charset(), collation.info().flavour).bytes.into()
    });
    let broken = [&b"ab\xff\xc3"[..], b"\xe4\xb8", b"\xed\xa0\x80x"].map(Box::from);
    converted.into_iter().chain(broken).collect()
}

#[test]
fn operations_agree_with_one_another() {
    for (flavour, name) in COLLATIONS {
        let collation = Collation::by_name(flavour, name).unwrap();
        let texts = texts(collation);
        for (at, a) in texts.iter().enumerate() {
            let key = collation.sort_key(a);
            assert_eq!(collation.weights(a).map(|element| element.bytes.len()).sum::<usize>(), a.len(), "{name}");
            collation.weight_string(a);
            for b in &texts[at..] {
                let order = collation.compare(a, b);
                assert_eq!(order, key.cmp(&collation.sort_key(b)), "{name}: {a:?} {b:?}");
                assert_eq!(order.is_eq(), collation.equals(b, a), "{name}: {a:?} {b:?}");
                assert!(order.is_ne() || collation.hash_one(a) == collation.hash_one(b), "{name}: {a:?} {b:?}");
                collation.like(a, b, Some('\\'));
            }
        }
        let mut sorted = texts.clone();
        collation.sort(&mut sorted);
        assert!(sorted.is_sorted_by(|a, b| collation.compare(a, b).is_le()), "{name}");
        let order = collation.column_argsort(texts.iter().map(|text| Some(&text[..])));
        assert!(order.iter().map(|&row| &texts[row]).eq(&sorted), "{name}");
    }
}
