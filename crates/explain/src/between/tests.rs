use mysql_collation::Flavour;

use super::*;

fn named(flavour: Flavour, name: &str) -> Named {
    Named { collation: Collation::by_name(flavour, name).unwrap(), servers: flavour.to_string() }
}

fn mysql(a: &str, b: &str) -> Between {
    between(&named(Flavour::MySql, a), &named(Flavour::MySql, b), 30)
}

/// The places of what is shown for a character or sequence.
fn places(between: &Between, text: &str) -> (Place, Place) {
    let mut all = between.scripts.iter().flat_map(|script| &script.examples);
    let seen = all.find(|seen| seen.texts.iter().any(|one| one == text));
    let seen = seen.unwrap_or_else(|| panic!("{text} is not shown: {between:#?}"));
    (seen.a.clone(), seen.b.clone())
}

fn equals(text: &str, after: &str) -> Place {
    Place { equals: Some(text.into()), after: Some(after.into()), contracts: false }
}

fn after(text: &str) -> Place {
    Place { equals: None, after: Some(text.into()), contracts: false }
}

#[test]
fn letters_of_a_language_are_told_where_they_stand() {
    let swedish = mysql("utf8mb4_0900_ai_ci", "utf8mb4_sv_0900_ai_ci");
    assert_eq!(places(&swedish, "å"), (equals("a", "9"), after("z")));
    assert_eq!(places(&swedish, "ä"), (equals("a", "9"), equals("æ", "z")));
    let counts = swedish.counts;
    assert!(counts.differ < 200 && counts.moved > 0 && counts.equal_under_a_only > 0, "{counts:?}");
    assert_eq!(swedish.characters, 0x11_0000 - 0x800);
    let latin = &swedish.scripts[0];
    assert_eq!(latin.script, "Latin");
    assert_eq!(swedish.scripts.iter().map(|script| script.counts.differ).sum::<usize>(), counts.differ);
}

#[test]
fn a_script_that_moved_as_a_whole_is_told_by_ascii() {
    let russian = mysql("utf8mb4_0900_ai_ci", "utf8mb4_ru_0900_ai_ci");
    assert_eq!(places(&russian, "б"), (after("z"), after("9")));
}

#[test]
fn contractions_are_told_with_their_places() {
    let czech = mysql("utf8mb4_0900_as_cs", "utf8mb4_cs_0900_as_cs");
    let (a, b) = places(&czech, "ch");
    assert_eq!((a, b), (after("c"), Place { contracts: true, ..after("h") }));
    assert!(czech.contractions.b_only >= 3 && czech.contractions.a_only == 0, "{:?}", czech.contractions);
    let spanish = mysql("utf8mb4_0900_ai_ci", "utf8mb4_es_trad_0900_ai_ci");
    assert!(places(&spanish, "ll").1.contracts && places(&spanish, "ch").1.contracts);
}

#[test]
fn what_one_side_gains_the_other_loses() {
    let finer = mysql("utf8mb4_0900_ai_ci", "utf8mb4_0900_as_ci");
    assert_eq!(finer.counts.equal_under_b_only, 0);
    assert!(finer.counts.equal_under_a_only > 1000, "{:?}", finer.counts);
    let coarser = mysql("utf8mb4_0900_as_ci", "utf8mb4_0900_ai_ci");
    let turned = |counts: Counts| (counts.differ, counts.equal_under_b_only, counts.equal_under_a_only, counts.moved);
    let Counts { differ, equal_under_a_only, equal_under_b_only, moved } = finer.counts;
    assert_eq!(turned(coarser.counts), (differ, equal_under_a_only, equal_under_b_only, moved));
}

#[test]
fn padding_tells_no_ignorable_from_a_space() {
    let (padded, bare) = ("utf8mb4_uca1400_ai_ci", "utf8mb4_uca1400_nopad_ai_ci");
    let all = between(&named(Flavour::MariaDb, padded), &named(Flavour::MariaDb, bare), 3);
    assert!(all.padding_differs && !all.same);
    assert_eq!((all.counts, all.contractions.all()), (Counts::default(), 0));
}

#[test]
fn the_same_order_is_told_as_such() {
    let one = named(Flavour::MySql, "utf8mb4_general_ci");
    let other = named(Flavour::MariaDb, "utf8mb4_general_ci");
    let all = between(&one, &other, 3);
    assert!(all.same && all.scripts.is_empty());
}

#[test]
fn only_what_both_character_sets_hold_is_compared() {
    let all = mysql("latin1_german2_ci", "utf8mb4_0900_ai_ci");
    assert_eq!(all.characters, 256);
    assert_eq!(
        all.scripts
            .iter()
            .flat_map(|script| &script.examples)
            .flat_map(|seen| &seen.texts)
            .find(|text| *text > &"\u{2122}".to_owned()),
        None
    );
    // Beyond U+FFFF all are one to general_ci.
    let emoji = mysql("utf8mb4_bin", "utf8mb4_general_ci");
    assert!(emoji.counts.equal_under_b_only >= 0x10_0000, "{:?}", emoji.counts);
}

#[test]
fn a_sentence_tells_what_merges_and_what_splits() {
    let told = mysql("utf8mb4_bin", "utf8mb4_0900_ai_ci").told();
    assert!(told.contains("characters become equal to others (a = A, b = B, c = C)"), "{told}");
    let told = mysql("utf8mb4_0900_ai_ci", "utf8mb4_sv_0900_ai_ci").told();
    assert!(told.contains("cease to be (a = ä, a = å") && !told.contains("trailing"), "{told}");
}
