//! Compares each backend of this machine with plain loops or the scalar version, at every
//! alignment, on texts with special cases.

extern crate std;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::{Backend, FILL_ROOM, Filled, ShortContractions, ShortWeights, all, scalar};
use super::{BytePairs, ByteTable, CaseVariants, PairBytes};
use std::sync::OnceLock;

mod byte_set;
mod contractions;
mod keys;
mod skipping;

/// Longer than two of the widest vectors.
const LONGEST: usize = 140;
const OFFSETS: usize = 65;

fn for_each_backend(check: impl Fn(&Backend)) {
    let mut some = false;
    for backend in all() {
        check(backend);
        some = true;
    }
    assert!(some);
}

/// Plain loops as oracles.
mod reference {
    pub(super) fn first_mismatch(a: &[u8], b: &[u8], map: impl Fn(u8) -> u8) -> usize {
        let n = a.len().min(b.len());
        (0..n).find(|&i| map(a[i]) != map(b[i])).unwrap_or(n)
    }

    pub(super) fn utf8_prefix(text: &[u8]) -> usize {
        (0..=text.len()).rev().find(|&n| core::str::from_utf8(&text[..n]).is_ok()).unwrap_or(0)
    }
}

/// A synthetic table with every kind of entry, in which both cases of a letter are equal. `joins`:
/// it has contractions.
fn table(joins: bool) -> ShortWeights {
    table_with(joins.then(pairs), false)
}

/// As [`table`], with these pairs, and with frequent expansions if `has_frequent_expansions`.
fn table_with(pairs: Option<&'static BytePairs>, has_frequent_expansions: bool) -> ShortWeights {
    let mut entries = [0; 0x800];
    for (cp, entry) in entries.iter_mut().enumerate() {
        let c = char::from_u32(cp as u32).unwrap_or_default();
        *entry = match cp {
            0..0x09 | 0x7F | 0x300..0x340 => 0,
            0xDF | 0x340..0x350 | 0x132 => ShortWeights::DEFER,
            0xB0..0xB8 | 0x350..0x360 => ShortWeights::MULTIPLE + (cp as u16 & 3),
            0xE0..0x100 | 0x130..0x150 | 0x270..0x290 | 0x430..0x440 if has_frequent_expansions => {
                ShortWeights::MULTIPLE + (cp as u16 & 7)
            }
            0xC0..0x100 => 0x1000 + u16::from(b"aceino"[cp % 6]),
            _ => 0x1000 + c.to_lowercase().next().unwrap_or_default() as u16,
        };
    }
    let weights = |entry| (entry % 3 > 0).then(|| vec![0x2000, entry - 0x8000]);
    let contractions = pairs.map(|pairs| {
        let all: Vec<_> = contractions(pairs).map(|(text, weights)| (code_points(text), weights)).collect();
        ShortContractions::new(pairs, all.iter().map(|(all, weights)| (&all[..], weights.map(Vec::from))))
    });
    let low = ShortWeights::new(
        entries,
        weights,
        contractions,
        if pairs.is_some() { CaseVariants::OtherCase } else { CaseVariants::None },
    );
    assert_eq!(low.has_frequent_expansions(), has_frequent_expansions);
    low
}

fn code_points(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

/// Contractions of the synthetic table whose pairs are among `pairs`. They have up to six weights;
/// `None` if only the full table has the weights.
fn contractions(pairs: &BytePairs) -> impl Iterator<Item = (&'static str, Option<&'static [u16]>)> {
    const ALL: &[(&str, Option<&[u16]>)] = &[
        ("90", Some(&[0x3000, 0x3001, 0x3002])),
        ("AA", Some(&[0x3003])),
        ("aa", Some(&[0x3003])),
        ("aaa", Some(&[0x3004, 0x3005, 0x3006, 0x3007, 0x3008, 0x3009])),
        ("aaaaaaaa", Some(&[0x300A])),
        ("aaaaaaaaa", Some(&[0x300B])),
        ("ch", Some(&[0x300C, 0x300D])),
        ("chchc", Some(&[0x300E])),
        ("dž", Some(&[])),
        ("oU", Some(&[0x300F, 0x3010, 0x3011, 0x3012, 0x3013])),
        ("sж", Some(&[0x3014])),
        ("y ", None),
        ("П\u{905}", Some(&[0x3015])),
        ("жа", Some(&[0x3016])),
        ("рs", Some(&[0x3017, 0x3018])),
        ("lj", Some(&[0x3020, 0x3021])),
        ("Lj", Some(&[0x3020, 0x3021])),
        ("LJ", Some(&[0x3020, 0x3021])),
        ("sz", Some(&[0x3022])),
        ("Sz", Some(&[0x3022])),
        ("SZ", Some(&[0x3022])),
        ("zs", Some(&[0x3023, 0x3021])),
        ("Zs", Some(&[0x3023, 0x3021])),
        ("ZS", Some(&[0x3023, 0x3021])),
        ("ssz", Some(&[0x3022, 0x3021, 0x3022, 0x3021])),
        ("sSz", Some(&[0x3022, 0x3024])),
        ("gy", Some(&[0x1067, 0x3027])),
        ("Gy", Some(&[0x1067, 0x3027])),
        ("GY", Some(&[0x1067, 0x3027])),
        ("ggy", Some(&[0x1067, 0x3027, 0x1067, 0x3027])),
        ("Ggy", Some(&[0x1067, 0x3027, 0x1067, 0x3027])),
        ("GGY", Some(&[0x1067, 0x3027, 0x1067, 0x3027])),
        ("yg", Some(&[0x1079, 0x3028])),
        ("Yg", Some(&[0x1079, 0x3028])),
        ("YG", Some(&[0x1079, 0x3028])),
        ("yyg", Some(&[0x1079, 0x3028, 0x1079, 0x3028])),
        ("Yyg", Some(&[0x1079, 0x3028, 0x1079, 0x3028])),
        ("YYG", Some(&[0x1079, 0x3028, 0x1079, 0x3028])),
        ("ty", Some(&[0x1074])),
        ("Ty", Some(&[0x1074])),
        ("TY", Some(&[0x1074])),
        ("tty", Some(&[0x1074, 0x1074])),
        ("Tty", Some(&[0x1074, 0x1074])),
        ("TTY", Some(&[0x1074, 0x1074])),
        ("xy", Some(&[0x1078, 0x3029])),
        ("xyt", Some(&[0x1078, 0x3029, 0x302A])),
        ("xxy", Some(&[0x1078, 0x3029, 0x1078, 0x3029])),
        ("xxyt", Some(&[0x1078, 0x3029, 0x302A, 0x1078, 0x3029, 0x302A])),
        ("dz", Some(&[0x3025])),
        ("Dz", Some(&[0x3025])),
        ("DZ", Some(&[0x3025])),
        ("dzs", Some(&[0x3026, 0x3021, 0x3021])),
        ("ddzs", Some(&[0x3026, 0x3021, 0x3026, 0x3021])),
        ("dz\u{30C}", Some(&[0x3027])),
        ("z\u{30C}", Some(&[0x3028, 0x3021])),
        ("и\u{306}", Some(&[0x3029])),
    ];
    let has_pairs = |text: &str| {
        let ends = text.char_indices().skip(1).map(|(end, _)| end);
        ends.into_iter().all(|end| pairs.may_contract(text.as_bytes()[end - 1], text.as_bytes()[end]))
    };
    ALL.iter().copied().filter(move |(text, _)| has_pairs(text))
}

/// Expected result of [`Backend::fill`] with enough room: bytes read, and weights.
fn expected_fill(low: &ShortWeights, text: &[u8]) -> (usize, Vec<u16>) {
    let (mut read, mut out) = (0, Vec::new());
    loop {
        let here = low.pairs().into_iter().flat_map(contractions);
        // Contractions of more than eight bytes are found by their first bytes.
        let start = |contraction: &'static str| &contraction.as_bytes()[..contraction.len().min(8)];
        let here = here.filter(|&(contraction, _)| text[read..].starts_with(start(contraction)));
        match here.max_by_key(|(contraction, _)| contraction.len()) {
            Some((contraction, weights)) => {
                let places = 2 * contraction.chars().count();
                let is_left = contraction.len() > 8 || contraction.chars().any(|c| c >= '\u{800}');
                let Some(weights) = weights.filter(|weights| !is_left && weights.len() <= places) else { break };
                out.extend(weights);
                read += contraction.len();
            }
            None => {
                let Some((weights, length)) = scalar::character_weights(low, text, read) else { break };
                out.extend(weights.into_iter().filter(|&weight| weight != 0));
                read += length;
            }
        }
    }
    (read, out)
}

/// Checks the keys of a backend, and its output into short buffers.
fn check_fill(low: &ShortWeights, text: &[u8], room: usize) {
    let (read, expected) = expected_fill(low, text);
    for_each_backend(|backend| {
        let mut out = vec![0xEEEE; room + 64];
        let filled = backend.fill(low, text, &mut out[..room]);
        assert_eq!(out[room..], [0xEEEE; 64], "{} wrote beyond its room", backend.name);
        assert!(filled.consumed <= read);
        // It stops early only for lack of room.
        assert!(filled.consumed == read || filled.produced + FILL_ROOM > room, "{} {filled:?} {read}", backend.name);
        assert_eq!(&out[..filled.produced], &expected[..filled.produced], "{}", backend.name);
        let mut again = vec![0; room + 2 * text.len() + FILL_ROOM];
        let rest = backend.fill(low, &text[filled.consumed..], &mut again);
        let all = (filled.consumed + rest.consumed, filled.produced + rest.produced);
        assert_eq!(all, (read, expected.len()), "{}", backend.name);
        let mut key = vec![1];
        let all = backend.append_key(low, text, &mut key);
        let bytes: Vec<u8> = expected[..all.produced].iter().flat_map(|weight| weight.to_be_bytes()).collect();
        assert_eq!(&key[1..], bytes, "{}", backend.name);
        // There is room for as many weights as bytes; contractions may have more.
        assert!(all.consumed == read || all.produced > text.len(), "{} {all:?} {read}", backend.name);
    });
}

/// Checks the bytes that a backend skips. It equals the scalar result. It may be less if the table
/// has contractions and characters begin in different lanes.
fn check_skip(low: &ShortWeights, a: &[u8], b: &[u8]) {
    let whole = scalar::skip_equal(low, 4, a, b);
    let starts = |text: &[u8]| text.iter().map(|&byte| byte & 0xC0 != 0x80).collect::<Vec<_>>();
    let is_exact = low.pairs().is_none() || starts(&a[..whole[0]]) == starts(&b[..whole[1]]);
    for_each_backend(|backend| {
        let [i, j] = backend.skip_equal(low, 4, a, b);
        if is_exact {
            assert_eq!([i, j], whole, "{} {a:?} {b:?}", backend.name);
        } else {
            assert!(i <= whole[0] && j <= whole[1], "{} {a:?} {b:?}", backend.name);
            assert_eq!(scalar::skip_equal(low, 4, &a[..i], &b[..j]), [i, j], "{} {a:?} {b:?}", backend.name);
        }
    });
}

/// Checks [`Backend::mismatch_contractible`]. Unless the pairs are [`PairBytes::Any`], AVX-512
/// stops at a block with a byte beyond ASCII in it or right after it.
fn check_mismatch_contractible(backend: &Backend, pairs: &BytePairs, variants: CaseVariants, a: &[u8], b: &[u8]) {
    const BLOCK: usize = 64;
    let mut contractible = scalar::mismatch_contractible(pairs, variants, a, b);
    if backend.name == "avx512" && pairs.kind != PairBytes::Any {
        let text = &a[..a.len().min(b.len())];
        let is_ascii = |at: &usize| text[*at..].iter().take(BLOCK + 1).all(u8::is_ascii);
        contractible =
            (0..text.len()).step_by(BLOCK).find(|at| !is_ascii(at)).map_or(contractible, |at| contractible.min(at));
    }
    let found = backend.mismatch_contractible(pairs, variants, a, b);
    assert_eq!(found, contractible, "{} {variants:?} {a:x?} {b:x?}", backend.name);
}

/// Pairs that occur in [`text`]: ASCII, longer characters, and both.
fn pairs() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let short = [(b'c', b'h'), (b'A', b'a'), (b'9', b'0'), (b'd', 0xC5), (0xB6, 0xD0), (0x80, b's')];
        BytePairs::new(short.into_iter().chain([(0x9F, 0xE0)]))
    })
}

/// Pairs that begin in ASCII, not all of letters.
fn pairs_of_ascii() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let pairs = [(b'c', b'h'), (b'A', b'a'), (b'o', b'U'), (b'd', 0xC5), (b's', 0xD0), (b'y', b' ')];
        BytePairs::new(pairs.into_iter())
    })
}

/// Pairs of letters, as in Czech and Danish.
fn pairs_of_letters() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| BytePairs::new([(b'c', b'h'), (b'A', b'a'), (b'o', b'U')].into_iter()))
}

/// Pairs of letters and lead bytes, as in Croatian and in uca1400.
fn pairs_of_leads() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let short = [(b'c', b'h'), (b'A', b'a'), (b'o', b'U'), (b'd', 0xC5), (b's', 0xD0), (0xB6, 0xD0)];
        BytePairs::new(short.into_iter().chain([(b'x', 0xE0), (0x9F, 0xE0)]))
    })
}

/// Pairs of letters, and of letters before a combining character, as in Hungarian and Croatian.
fn pairs_of_two_letters() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let letters =
            [(b'l', b'j'), (b's', b'z'), (b's', b's'), (b'd', b'z'), (b'd', b'd'), (b'z', b's'), (b'c', b'h')];
        BytePairs::new(letters.into_iter().chain([(b'd', 0xC5), (b'z', 0xCC), (0xB8, 0xCC)]))
    })
}

/// Pairs that also occur doubled, as in Hungarian.
fn pairs_with_doubles() -> &'static BytePairs {
    static PAIRS: OnceLock<BytePairs> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let letters = [b"gy", b"gg", b"yg", b"yy", b"ty", b"tt", b"xy", b"xx", b"yt"];
        BytePairs::new(letters.into_iter().map(|&[one, other]| (one, other)).chain([(b'd', 0xC5)]))
    })
}

/// Sets of pairs of each [`PairBytes`]. [`pairs_of_two_letters`] and [`pairs_with_doubles`] are not
/// included.
fn all_pairs() -> [&'static BytePairs; 4] {
    [pairs(), pairs_of_ascii(), pairs_of_letters(), pairs_of_leads()]
}

#[test]
fn finds_first_mismatch_at_every_offset_and_length() {
    for_each_backend(|backend| {
        for offset in 0..OFFSETS {
            for n in 0..LONGEST {
                let a = vec![b'x'; OFFSETS + LONGEST];
                let mut b = a.clone();
                assert_eq!(backend.mismatch(&a[offset..offset + n], &b[..n]), n, "{}", backend.name);
                // Bytes after the end must not count.
                b[n] = b'y';
                assert_eq!(backend.mismatch(&a[offset..offset + n], &b[..n]), n, "{}", backend.name);
                assert_eq!(backend.mismatch_folded(&a[offset..offset + n], &b[..n]), n, "{}", backend.name);
            }
            for at in 0..LONGEST {
                let mut a = vec![b'X'; OFFSETS + LONGEST];
                let b = vec![b'x'; LONGEST];
                a[offset + at] = b'?';
                let a = &a[offset..offset + LONGEST];
                assert_eq!(backend.mismatch_folded(a, &b), at, "{}", backend.name);
                assert_eq!(backend.mismatch_folded(&b, a), at, "{}", backend.name);
                assert_eq!(backend.mismatch_folded_ascii(a, &b), at, "{}", backend.name);
                let lower = a.to_ascii_lowercase();
                assert_eq!(backend.mismatch(&lower, &b), at, "{}", backend.name);
                assert_eq!(backend.run_of(b'x', &lower), at, "{}", backend.name);
            }
        }
    });
}

#[test]
fn mismatch_folded_ignores_case_of_ascii_only() {
    for_each_backend(|backend| {
        for x in 0..=255u8 {
            for y in 0..=255u8 {
                let same = x.eq_ignore_ascii_case(&y);
                // Long enough for each vector.
                let (a, b) = ([x; 64], [y; 64]);
                assert_eq!(
                    backend.mismatch_folded(&a, &b),
                    if same { 64 } else { 0 },
                    "{} {x:#x} {y:#x}",
                    backend.name
                );
                let same = same && x.is_ascii();
                assert_eq!(
                    backend.mismatch_folded_ascii(&a, &b),
                    if same { 64 } else { 0 },
                    "{} {x:#x} {y:#x}",
                    backend.name
                );
            }
        }
    });
}

#[test]
fn finds_the_end_of_ascii() {
    for_each_backend(|backend| {
        for offset in 0..OFFSETS {
            for at in 0..LONGEST {
                let mut text = vec![b' '; OFFSETS + LONGEST];
                text[offset + at] = 0x80;
                assert_eq!(backend.ascii_prefix(&text[offset..]), at, "{}", backend.name);
                assert_eq!(backend.ascii_prefix(&text[offset..offset + at]), at, "{}", backend.name);
            }
        }
    });
}

/// Two-byte characters, ASCII, longer characters and errors, mixed so that some cross the ends of
/// vectors.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[ -~]{1,8}".prop_map(String::into_bytes),
        3 => "(a{1,12}|(ch){1,4}|90|dž|oU|sж|жа|ж|c|s|п|П|х|[A-F ])(рs|y |П\u{905}){0,1}".prop_map(String::into_bytes),
        6 => "[а-яА-ЯёЁ]{1,12}".prop_map(String::into_bytes),
        4 => "[a-zà-öø-ÿ]{1,12}".prop_map(String::into_bytes),
        4 => "[\u{80}-\u{7FF}]{1,6}".prop_map(String::into_bytes),
        2 => "[\u{800}-\u{FFFF}]{1,4}".prop_map(String::into_bytes),
        1 => "[\u{10000}-\u{10FFFF}]{1,2}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 1..4),
        1 => Just(vec![0xC3]), // a lead without what it leads
        1 => Just(vec![0xE0, 0x80, 0x80]),
        1 => Just(vec![0xED, 0xA0, 0x80]),
        1 => Just(vec![0xF4, 0x90, 0x80, 0x80]),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Two similar texts: `b` is `a`, or `a` in upper case or without accents, with some bytes changed.
fn pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    (text(), changes, 0..3).prop_map(|(a, changes, way)| {
        let mut b = match (core::str::from_utf8(&a), way) {
            (Ok(a), 1) => a.to_uppercase().into_bytes(),
            (Ok(a), 2) => a.chars().map(unaccented).collect::<String>().into_bytes(),
            _ => a.clone(),
        };
        for (index, byte) in changes {
            if !b.is_empty() {
                let at = index.index(b.len());
                b[at] = byte;
            }
        }
        (a, b)
    })
}

/// An ASCII character with the same weight in [`table`], or the character itself.
fn unaccented(c: char) -> char {
    match u32::from(c) {
        cp @ 0xC0..0x100 if cp != 0xDF => char::from(b"aceino"[cp as usize % 6]),
        _ => c,
    }
}

/// The map with equal weights for both cases of ASCII letters.
fn without_case(mut map: [u8; 256]) -> [u8; 256] {
    map.copy_within(usize::from(b'a')..=usize::from(b'z'), usize::from(b'A'));
    map
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn backends_agree_with_plain_loops((a, b) in pair(), map in proptest::collection::vec(any::<u8>(), 256), byte: u8) {
        let map: [u8; 256] = map.try_into().unwrap();
        for_each_backend(|backend| {
            assert_eq!(backend.mismatch(&a, &b), reference::first_mismatch(&a, &b, |x| x), "{}", backend.name);
            assert_eq!(backend.mismatch_folded(&a, &b), reference::first_mismatch(&a, &b, |x| x.to_ascii_lowercase()), "{}", backend.name);
            assert_eq!(backend.mismatch_folded_ascii(&a, &b), scalar::mismatch_folded_ascii(&a, &b), "{}", backend.name);
            for pairs in all_pairs() {
                for variants in [CaseVariants::None, CaseVariants::OtherCase] {
                    check_mismatch_contractible(backend, pairs, variants, &a, &b);
                }
            }
            for map in [map, without_case(map)] {
                let mapped = reference::first_mismatch(&a, &b, |x| map[usize::from(x)]);
                assert_eq!(backend.mismatch_mapped(&ByteTable::new(&map), &a, &b), mapped, "{}", backend.name);
            }
            assert_eq!(backend.run_of(byte, &a), a.iter().take_while(|&&x| x == byte).count(), "{}", backend.name);
            assert_eq!(backend.ascii_prefix(&a), a.iter().take_while(|x| x.is_ascii()).count(), "{}", backend.name);
            assert_eq!(backend.utf8_starts(&a), a.iter().filter(|&&x| x & 0xC0 != 0x80).count(), "{}", backend.name);
        });
    }

    #[test]
    fn utf8_prefix_ends_at_the_first_error(text in text(), cut in any::<prop::sample::Index>()) {
        let cut = &text[..cut.index(text.len() + 1)];
        for text in [&text[..], cut] {
            let expected = reference::utf8_prefix(text);
            for_each_backend(|backend| assert_eq!(backend.utf8_prefix(text), expected, "{}", backend.name));
        }
    }

    #[test]
    fn fill_writes_the_weights_of_the_table(text in text(), room in 0..400usize, joins: bool, has_frequent_expansions: bool) {
        let low = table_with(joins.then(pairs), has_frequent_expansions);
        check_fill(&low, &text, room);
    }
}

#[test]
fn nothing_is_written_beyond_the_room() {
    let low = table(true);
    for ((contraction, _), before) in contractions(pairs()).flat_map(|one| (0..64).map(move |before| (one, before))) {
        for after in ["", "b", "bbbbbbbb", "ö"] {
            let text = ["b".repeat(before).as_str(), contraction, after].concat();
            for room in FILL_ROOM..FILL_ROOM + 8 {
                for_each_backend(|backend| {
                    let mut out = [0xEEEE; FILL_ROOM + 64];
                    backend.fill(&low, text.as_bytes(), &mut out[..room]);
                    assert!(out[room..].iter().all(|&weight| weight == 0xEEEE), "{} {text} {room}", backend.name);
                });
            }
        }
    }
}

/// A synthetic table that distinguishes case, as a tertiary level.
fn table_with_case() -> ShortWeights {
    ShortWeights::new(
        core::array::from_fn(|cp| if cp % 7 == 3 { ShortWeights::DEFER } else { 1 + (cp as u16 & 0x1FF) }),
        |_| None,
        None,
        CaseVariants::None,
    )
}

#[test]
fn every_short_character_is_looked_up() {
    let all: String = (0..0x800).filter_map(char::from_u32).collect();
    for low in [table(false), table_with(None, true), table_with_case()] {
        for (from, _) in all.char_indices() {
            let text = &all.as_bytes()[from..];
            let mut expected = [0; 2 * FILL_ROOM];
            let filled = scalar::fill(&low, text, &mut expected);
            for_each_backend(|backend| {
                let mut out = [0; 2 * FILL_ROOM];
                let of_backend = backend.fill(&low, text, &mut out);
                let count = filled.produced.min(of_backend.produced);
                assert_eq!(out[..count], expected[..count], "{} {from}", backend.name);
                assert_eq!(filled.consumed == 0, of_backend.consumed == 0, "{} {from}", backend.name);
            });
        }
    }
}

#[test]
fn every_two_short_characters_are_compared() {
    let low = table(false);
    let mut texts: Vec<String> =
        (0..0x800).step_by(3).filter_map(char::from_u32).map(|c| [c; 40].iter().collect()).collect();
    texts.extend((0..0x80_u8).map(|c| [char::from(c); 40].iter().collect()));
    for a in &texts {
        for b in texts.iter().step_by(5) {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            check_skip(&low, a, b);
        }
    }
}

/// Texts in several scripts, and their variants in case or accents.
fn samples() -> Vec<(String, String)> {
    let of = [
        "The quick brown fox jumps over the lazy dog; 0123456789 pack my box with five dozen liquor jugs, and sphinx of black quartz judge my vow!",
        "Съешь же ещё этих мягких французских булок, да выпей чаю",
        "été élève forêt déjà où çà près thé âge île créé brûlé gênée pâté têtu maïs noël hôtel sûreté épée fée",
        "Příliš žluťoučký kůň úpěl ďábelské ódy, zażółć gęślą jaźń",
        "Γεια σου Κόσμε, привет мир, שלום עולם, salut été, مرحبا",
        "word слово 字 mot λέξη かな ab Вг — дe ’ж 한글 ü ё ñ 漢字 слово word",
    ];
    let each = |text: &&str| {
        let plain: String = text.chars().map(unaccented).collect();
        let upper = text.replace('ß', "ss").to_uppercase();
        [(String::from(*text), upper.clone()), (String::from(*text), plain.clone()), (plain, upper)]
    };
    of.iter().flat_map(each).collect()
}

#[test]
fn text_is_compared_and_weighed_at_every_offset_and_length() {
    let contractible = all_pairs().into_iter().chain([pairs_of_two_letters(), pairs_with_doubles()]);
    let contractible = contractible.flat_map(|pairs| {
        [false, true].map(|has_frequent_expansions| table_with(Some(pairs), has_frequent_expansions))
    });
    for low in contractible.chain([table(false), table_with(None, true), table_with_case()]) {
        for (a, b) in samples() {
            let boundaries = |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).collect() };
            for (from_a, from_b) in boundaries(&a).into_iter().zip(boundaries(&b)) {
                let (a, b) = (&a.as_bytes()[from_a..], &b.as_bytes()[from_b..]);
                for length in (0..a.len().max(b.len())).step_by(1 + from_a % 3) {
                    // Cut anywhere, also within a character: one text, and both.
                    let (x, y) = (&a[..length.min(a.len())], &b[..length.min(b.len())]);
                    for (x, y) in [(x, y), (x, b), (a, y)] {
                        check_skip(&low, x, y);
                    }
                    let mut expected = Vec::new();
                    let of_scalar = scalar_key(&low, x, &mut expected);
                    for_each_backend(|backend| {
                        let mut key = Vec::new();
                        assert_eq!(backend.append_key(&low, x, &mut key), of_scalar, "{}", backend.name);
                        assert_eq!(key, expected, "{}", backend.name);
                    });
                }
            }
        }
    }
}

/// [`Backend::append_key`] by the scalar version.
fn scalar_key(low: &ShortWeights, text: &[u8], key: &mut Vec<u8>) -> Filled {
    scalar::BACKEND.append_key(low, text, key)
}
