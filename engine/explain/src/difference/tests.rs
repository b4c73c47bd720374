use mysql_collation::Flavour;

use super::*;

fn named(flavour: Flavour, name: &str) -> NamedCollation {
    NamedCollation { collation: Collation::by_name(flavour, name).unwrap(), servers: flavour.to_string() }
}

fn mysql(a: &str, b: &str) -> CollationDifference {
    compare_collations(&named(Flavour::MySql, a), &named(Flavour::MySql, b), 30)
}

/// Returns the positions of a character or sequence under A and B.
fn places(difference: &CollationDifference, text: &str) -> (Position, Position) {
    let mut all = difference.scripts.iter().flat_map(|script| &script.examples);
    let seen = all.find(|seen| seen.texts.iter().any(|one| one == text));
    let seen = seen.unwrap_or_else(|| panic!("{text} is not shown: {difference:#?}"));
    (seen.a.clone(), seen.b.clone())
}

fn equals(text: &str, after: &str) -> Position {
    Position { equals: Some(text.into()), after: Some(after.into()), contracts: false }
}

fn after(text: &str) -> Position {
    Position { equals: None, after: Some(text.into()), contracts: false }
}

#[test]
fn reports_positions_of_letters() {
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
fn reports_a_moved_script_by_ascii() {
    let russian = mysql("utf8mb4_0900_ai_ci", "utf8mb4_ru_0900_ai_ci");
    assert_eq!(places(&russian, "б"), (after("z"), after("9")));
}

#[test]
fn reports_positions_of_contractions() {
    let czech = mysql("utf8mb4_0900_as_cs", "utf8mb4_cs_0900_as_cs");
    let (a, b) = places(&czech, "ch");
    assert_eq!((a, b), (after("c"), Position { contracts: true, ..after("h") }));
    assert!(czech.contractions.b_only >= 3 && czech.contractions.a_only == 0, "{:?}", czech.contractions);
    let spanish = mysql("utf8mb4_0900_ai_ci", "utf8mb4_es_trad_0900_ai_ci");
    assert!(places(&spanish, "ll").1.contracts && places(&spanish, "ch").1.contracts);
}

#[test]
fn counts_are_symmetric() {
    let finer = mysql("utf8mb4_0900_ai_ci", "utf8mb4_0900_as_ci");
    assert_eq!(finer.counts.equal_under_b_only, 0);
    assert!(finer.counts.equal_under_a_only > 1000, "{:?}", finer.counts);
    let coarser = mysql("utf8mb4_0900_as_ci", "utf8mb4_0900_ai_ci");
    let turned =
        |counts: CharacterCounts| (counts.differ, counts.equal_under_b_only, counts.equal_under_a_only, counts.moved);
    let CharacterCounts { differ, equal_under_a_only, equal_under_b_only, moved } = finer.counts;
    assert_eq!(turned(coarser.counts), (differ, equal_under_a_only, equal_under_b_only, moved));
}

#[test]
fn ignores_padding_of_ignorable_characters() {
    let (padded, bare) = ("utf8mb4_uca1400_ai_ci", "utf8mb4_uca1400_nopad_ai_ci");
    let all = compare_collations(&named(Flavour::MariaDb, padded), &named(Flavour::MariaDb, bare), 3);
    assert!(all.padding_differs && !all.same);
    assert_eq!((all.counts, all.contractions.total()), (CharacterCounts::default(), 0));
}

#[test]
fn recognises_the_same_order() {
    let one = named(Flavour::MySql, "utf8mb4_general_ci");
    let other = named(Flavour::MariaDb, "utf8mb4_general_ci");
    let all = compare_collations(&one, &other, 3);
    assert!(all.same && all.scripts.is_empty());
}

#[test]
fn compares_characters_of_both_charsets() {
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
    // general_ci gives all characters beyond U+FFFF the same weight.
    let emoji = mysql("utf8mb4_bin", "utf8mb4_general_ci");
    assert!(emoji.counts.equal_under_b_only >= 0x10_0000, "{:?}", emoji.counts);
}

#[test]
fn summary_lists_merged_and_split_characters() {
    let summary = mysql("utf8mb4_bin", "utf8mb4_0900_ai_ci").summary();
    assert!(summary.contains("characters become equal to others (a = A, b = B, c = C)"), "{summary}");
    let summary = mysql("utf8mb4_0900_ai_ci", "utf8mb4_sv_0900_ai_ci").summary();
    assert!(summary.contains("cease to be (a = ä, a = å") && !summary.contains("trailing"), "{summary}");
}

#[test]
fn pairs_that_look_alike_have_code_points() {
    let pair = super::summary::display_pair;
    assert_eq!(pair("آ", "ﺁ"), "U+0622 آ = U+FE81 ﺁ");
    assert_eq!(pair("\u{622}", "\u{627}\u{653}"), "U+0622 \u{622} = U+0627 U+0653 \u{627}\u{653}");
    assert_eq!(pair("\u{627}", "\u{627}\u{653}"), "\u{627} = \u{627}\u{653}");
    assert_eq!(pair("ß", "ss"), "ß = ss");
    assert_eq!(pair("a", "ä"), "a = ä");
    assert_eq!(pair("a", "A"), "a = A");
}
