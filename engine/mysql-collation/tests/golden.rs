//! The library compared with results of servers, written by `cargo xtask golden`. The results don't
//! depend on this library's decoding and weights.
//!
//! `golden/strings.txt` has strings of UTF-8 in hexadecimal, one per line. A line of
//! `golden/mysql.txt` or `golden/mariadb.txt` has a collation and CRC-32 digests, each of up to 128
//! strings in the collation's character set. The first digests are of `WEIGHT_STRING`: length (32
//! bits, little-endian) and bytes. Digests of `STRCMP` of each string and the next string follow:
//! 0, 1 or 2 for less, equal, greater.
//!
//! `golden/keys.txt` begins with `KEY_FORMAT`. A line has a collation and the digest of its sort
//! keys, as an earlier version made them. `BLESS=1` rewrites the file.

use std::cmp::Ordering;

use mysql_collation::{Charset, Collation, Flavour, KEY_FORMAT, catalogue};

const BLOCK: usize = 128;

/// CRC-32 as in zlib, in hexadecimal.
fn digest(parts: impl Iterator<Item = Vec<u8>>) -> String {
    let mut crc = u32::MAX;
    for byte in parts.flatten() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
    }
    format!("{:08x}", !crc)
}

fn strings() -> Vec<Vec<u8>> {
    let digits =
        |line: &str| line.as_bytes().chunks(2).map(|two| str::from_utf8(two).unwrap().to_owned()).collect::<Vec<_>>();
    let bytes = |line: &str| digits(line).iter().map(|two| u8::from_str_radix(two, 16).unwrap()).collect();
    include_str!("golden/strings.txt").lines().map(bytes).collect()
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

/// Returns the blocks of strings whose results differ from the server's.
fn differences(collation: Collation, expected: &str, strings: &[Vec<u8>]) -> Vec<String> {
    let flavour = collation.info().flavour;
    let texts: Vec<Vec<u8>> =
        strings.iter().map(|text| Charset::Utf8mb4.convert(text, collation.charset(), flavour).bytes).collect();
    let weights: Vec<Vec<u8>> = texts.iter().map(|text| with_length(&collation.weight_string(text))).collect();
    let orders: Vec<Vec<u8>> = texts
        .windows(2)
        .map(|pair| match collation.compare(&pair[0], &pair[1]) {
            Ordering::Less => vec![0],
            Ordering::Equal => vec![1],
            Ordering::Greater => vec![2],
        })
        .collect();
    let blocks = weights
        .chunks(BLOCK)
        .map(|block| ("weights", block))
        .chain(orders.chunks(BLOCK).map(|block| ("orders", block)));
    let mut wrong = Vec::new();
    for (index, (what, block)) in blocks.enumerate() {
        let expected = expected.get(8 * index..8 * index + 8).unwrap_or_default();
        if digest(block.iter().cloned()) != expected {
            let first = BLOCK * (index % weights.len().div_ceil(BLOCK));
            wrong.push(format!("{collation}: {what} of lines {} to {}", first + 1, first + block.len()));
        }
    }
    wrong
}

/// Checks every collation of a file and returns the number of collations.
fn check(flavour: Flavour, file: &str) -> usize {
    let strings = strings();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (name, expected) = line.split_once(' ').unwrap();
        let collation = Collation::by_name(flavour, name).unwrap_or_else(|error| panic!("{error}"));
        wrong.extend(differences(collation, expected, &strings));
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}

/// Stored keys stay comparable: a release that changes the bytes of a key increments `KEY_FORMAT`.
#[test]
fn sort_keys_are_those_of_earlier_versions() {
    let strings = strings();
    let mut lines = vec![format!("format {KEY_FORMAT}")];
    for info in [Flavour::MySql, Flavour::MariaDb].into_iter().flat_map(catalogue) {
        let collation = Collation::by_name(info.flavour, info.name).unwrap();
        let text = |text| Charset::Utf8mb4.convert(text, collation.charset(), info.flavour).bytes;
        let keys = strings.iter().map(|string| with_length(&collation.sort_key(&text(string))));
        lines.push(format!("{} {} {}", info.flavour, info.name, digest(keys)));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/keys.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, lines.join("\n") + "\n").unwrap();
    }
    let expected = std::fs::read_to_string(file).unwrap();
    let changed: Vec<_> = lines.iter().zip(expected.lines()).filter(|(now, before)| now != before).collect();
    assert!(changed.is_empty() && lines.len() == expected.lines().count(), "now, before: {changed:#?}");
}

#[test]
fn results_equal_those_of_mysql() {
    assert_eq!(check(Flavour::MySql, include_str!("golden/mysql.txt")), 286);
}

#[test]
fn results_equal_those_of_mariadb() {
    assert_eq!(check(Flavour::MariaDb, include_str!("golden/mariadb.txt")), 1288);
}

/// Learnt from MySQL 9.7.4: a dot above before an acute has no weight of its own, but leaves a
/// primary weight of zero.
#[test]
fn lithuanian_has_a_weight_of_zero() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_lt_0900_as_cs").unwrap();
    let weights = collation.weight_string("i\u{307}\u{301}a".as_bytes());
    let words: Vec<u16> = weights.as_chunks().0.iter().map(|&word| u16::from_be_bytes(word)).collect();
    assert_eq!(words, [0x1D32, 0, 0x1C47, 0, 0x20, 0x24, 0x20, 0, 2, 2, 2]);
    for (a, b, order) in [
        ("i\u{307}\u{301}", "i", Ordering::Greater),
        ("i\u{307}\u{301}x", "ix", Ordering::Less),
        ("i\u{307}\u{301}", "i!", Ordering::Less),
        ("i\u{307}\u{301}", "i\u{301}", Ordering::Greater),
    ] {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        assert_eq!(collation.compare(a, b), order);
        assert_eq!(collation.sort_key(a).cmp(&collation.sort_key(b)), order);
    }
}

/// Learnt from MySQL 9.7.4: at the primary level, an iteration mark weighs as the kana that it
/// repeats, and a prolonged sound mark as the vowel of the kana that it prolongs. At the start of a
/// text, beyond the primary level, a mark has the weights that it has after the text's last
/// character.
#[test]
fn japanese_marks_have_the_weights_of_their_context() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_ja_0900_as_cs_ks").unwrap();
    for (text, levels) in [
        ("ー", "1c0e 0020 0002 0008"),
        ("カー", "1fbc1fb6 00200020 000e000c0021 00080008"),
        ("カーー", "1fbc1fb61c0e 002000200020 000e000c00210002 000800080008"),
        ("カ\u{3099}ー", "1fbc1c0e 002000370020 000e00020002 00080008"),
        ("かゝ\u{3099}", "1fbc1fbc 002000200037 000e000d00210002 00020002"),
        ("ーカ", "1c0e1fbc 00200020 000c0021000e 00080008"),
        ("ーが", "1c0e1fbc 002000200037 000c0021000e0002 00020002"),
        ("ーーカ", "1c0e1c0e1fbc 002000200020 000c00210002000e 000800080008"),
        ("ーカa", "1c0e1fbc1c47 002000200020 0002000e0002 00080008"),
        ("\u{200d}ーカ", "1c0e1fbc 00200020 0002000e 00080008"),
        ("ヾカ", "1c0d1fbc 002000370020 00020002000e 00080008"),
    ] {
        let weights: String =
            collation.weight_string(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(weights, levels.replace(' ', "0000"), "{text}");
    }
    let texts =
        ["ーカ", "\u{200d}ーカ", "ー\u{200d}カ", "ーカa", "カー", "ー", "ーガ", "ーカ\u{3099}"].map(str::as_bytes);
    for a in texts {
        for b in texts {
            let order = collation.compare(a, b);
            assert_eq!(collation.sort_key(a).cmp(&collation.sort_key(b)), order, "{a:x?} {b:x?}");
            assert!(order.is_ne() || collation.hash_one(a) == collation.hash_one(b), "{a:x?} {b:x?}");
        }
    }
    assert_eq!(collation.compare(texts[0], texts[1]), Ordering::Greater);
    assert_eq!(collation.compare(texts[0], texts[2]), Ordering::Equal);
    assert_eq!(collation.compare(texts[6], texts[7]), Ordering::Greater);
}

/// Learnt from MySQL 9.7.4: `LIKE` ignores the difference between hiragana and katakana, which the
/// order does not.
#[test]
fn kana_match_each_other_in_like() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_ja_0900_as_cs_ks").unwrap();
    for (text, pattern, matches) in [
        ("ら", "ラ", true),
        ("ラ", "ら", true),
        ("ゞ", "ヾ", true),
        ("ヘららラ", "ヘ_ラ\\ら", true),
        ("ヵ", "ゕ", true),
        ("あ", "ァ", false),
        ("か", "が", false),
        ("ヷ", "わ", false),
        ("ー", "ｰ", false),
    ] {
        assert_eq!(collation.like(text.as_bytes(), pattern.as_bytes(), Some('\\')), matches, "{text} LIKE {pattern}");
    }
    assert_ne!(collation.compare("ら".as_bytes(), "ラ".as_bytes()), Ordering::Equal);
}
