//! Contractions of letters, at the start of a text and around the ends of blocks.

use super::*;

/// Letters that are contracted, and characters around them.
fn letters() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[lLjJsSzZdDcCh]{1,6}",
        8 => "[gGyYtTx]{1,6}",
        8 => "[gyt]{1,70}",
        2 => "(lj|Lj|LJ|sz|zs|dz|ssz|sSz|dzs|ddzs|dž|z\u{30C}|dz\u{30C}|и\u{306}|и|ž|\u{30C})",
        2 => "[ a-zA-Z]{1,9}",
        2 => "[а-яà-öø-ÿčćđšž]{1,4}",
        1 => "[\u{B0}-\u{B7}\u{100}-\u{1FF}]{1,2}",
        1 => "[ß字]",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn letters_are_contracted(text in letters(), cut in any::<prop::sample::Index>(), room in 0..400usize, has_frequent_expansions: bool) {
        let cut = cut.index(text.len() + 1);
        for pairs in [pairs_of_two_letters(), pairs_with_doubles()] {
            let low = table_with(Some(pairs), has_frequent_expansions);
            check_fill(&low, text.as_bytes(), room);
            check_fill(&low, &text.as_bytes()[..cut], room);
        }
    }
}

#[test]
fn finds_contractions_around_the_ends_of_blocks() {
    let pairs = [pairs_of_two_letters(), pairs_with_doubles()];
    for (pairs, has_frequent_expansions) in pairs.into_iter().flat_map(|pairs| [(pairs, false), (pairs, true)]) {
        let low = table_with(Some(pairs), has_frequent_expansions);
        let all: Vec<_> = contractions(pairs).map(|(contraction, _)| contraction).collect();
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
            for before in (0..4).chain(28..34).chain(58..70) {
                for (around, between) in [("b", ""), ("ö", ""), ("b", "ž"), ("\u{B1}", ""), ("l", "l")] {
                    let text = [&around.repeat(before), *one, between, other, around].concat();
                    check_fill(&low, text.as_bytes(), 400);
                }
            }
        }
    }
}

#[test]
fn spaces_are_least_unless_a_contraction_weighs_less() {
    let spaces_are_least = |text, weights: Option<&[u16]>| {
        let entry = |code_point| if code_point < 0x20 { 0 } else { 0x200 + code_point as u16 };
        let contraction = code_points(text);
        let all = [(&contraction[..], weights.map(Vec::from))].into_iter();
        let contractions = ShortContractions::new(pairs_of_letters(), all);
        ShortWeights::new(core::array::from_fn(entry), |_| None, Some(contractions), CaseVariants::OtherCase)
            .spaces_are_least()
    };
    let space = 0x220;
    assert!(spaces_are_least("ch", Some(&[space + 1, space + 2])));
    assert!(!spaces_are_least("ch", Some(&[space + 1, space])));
    assert!(!spaces_are_least("ch", Some(&[])));
    assert!(!spaces_are_least("ch", None));
    assert!(!spaces_are_least("c ", Some(&[space + 1])));
    assert!(!spaces_are_least("chchchchch", Some(&[space + 1])));
    // Only contractions of printable ASCII count.
    assert!(spaces_are_least("cž", None));
}
