use mysql_collation::{Collation, Element, Pad};

use crate::mismatch::find_mismatch;
use crate::model::{Feature, Level, Step, View};
use crate::text::{Text, UnsupportedCharacter};

/// Compares two strings under a collation. `servers` is copied to [`View::servers`].
pub fn explain(collation: Collation, servers: &str, a: &Text, b: &Text) -> Result<View, UnsupportedCharacter> {
    let info = collation.info();
    let (a, b) = (a.in_charset(collation.charset())?, b.in_charset(collation.charset())?);
    let (elements_a, elements_b) = (elements(collation, &a), elements(collation, &b));
    let pads = info.pad == Pad::PadSpace;
    let mut space = [0; 4];
    let length = collation.charset().encode(' ', &mut space).unwrap_or_default();
    let spaces = elements(collation, &space[..length]);
    let space =
        |level: usize| spaces.first().filter(|_| collation.pads_level(level))?.weights.get(level)?.first().copied();
    let digits = min_digits(collation);
    let mismatch = |space: &dyn Fn(usize) -> Option<u32>| {
        find_mismatch(&elements_a, &elements_b, info.levels.iter(), digits, space)
    };
    let (padded, unpadded) = (mismatch(&space), mismatch(&|_| None));
    Ok(View {
        collation: info.name.into(),
        servers: servers.into(),
        charset: info.charset.into(),
        pads,
        levels: info.levels.iter().map(Level::from_index).collect(),
        verdict: collation.compare(&a, &b).into(),
        equal_by_padding: padded.is_none() && unpadded.is_some(),
        mismatch: padded,
        a: steps(collation, &a, &elements_a),
        b: steps(collation, &b, &elements_b),
    })
}

fn elements(collation: Collation, text: &[u8]) -> Vec<Element> {
    collation.weights(text).collect()
}

fn steps(collation: Collation, text: &[u8], elements: &[Element]) -> Vec<Step> {
    elements.iter().map(|element| step(collation, text, element)).collect()
}

fn step(collation: Collation, text: &[u8], element: &Element) -> Step {
    let levels = || collation.info().levels.iter().filter_map(|level| element.weights.get(level));
    let digits = min_digits(collation);
    let hex = |weights: &Vec<u32>| weights.iter().map(|weight| format!("{weight:0digits$X}")).collect();
    Step {
        bytes: text.get(element.bytes.clone()).unwrap_or_default().iter().map(|byte| format!("{byte:02X}")).collect(),
        text: element.code_points.iter().filter_map(|&code_point| char::from_u32(code_point)).collect(),
        code_points: element.code_points.iter().map(|code_point| format!("U+{code_point:04X}")).collect(),
        weights: levels().map(hex).collect(),
        features: features(collation, element),
    }
}

/// Least number of hexadecimal digits of a weight: two if `WEIGHT_STRING('a')` has one byte, else
/// four.
fn min_digits(collation: Collation) -> usize {
    if collation.weight_string(b"a").len() == 1 { 2 } else { 4 }
}

/// True for collations that weigh a text as a whole, in one element: `latin2_czech_cs`,
/// `cp1250_czech_cs`, `tis620_thai_ci`, `tis620_thai_nopad_ci`. Probed by the text `ab`, which is a
/// contraction in no collation.
fn weighs_whole_texts(collation: Collation) -> bool {
    let (mut text, mut buffer) = (Vec::new(), [0; 4]);
    for character in ['a', 'b'] {
        let length = collation.charset().encode(character, &mut buffer).unwrap_or_default();
        text.extend_from_slice(&buffer[..length]);
    }
    collation.weights(&text).count() == 1
}

fn features(collation: Collation, element: &Element) -> Vec<Feature> {
    let weights = |level: usize| element.weights.get(level).map_or(0, Vec::len);
    let is_whole_text = weighs_whole_texts(collation);
    let levels = || collation.info().levels.iter();
    let mut features = Vec::new();
    if element.code_points.is_empty() {
        features.push(Feature::Malformed);
    }
    if element.code_points.len() > 1 && !is_whole_text {
        features.push(Feature::Contraction);
    }
    if levels().all(|level| weights(level) == 0) {
        features.push(Feature::Ignorable);
    }
    // Elements of multi-byte character sets such as gbk list the bytes of a single weight.
    let lists_bytes = min_digits(collation) == 2 && collation.charset().max_bytes() > 1;
    let has_own_weights = !collation.info().is_binary && !lists_bytes && !is_whole_text;
    if has_own_weights && weights(0) > 1 && element.code_points.len() == 1 {
        features.push(Feature::Expansion);
    }
    features
}

#[cfg(test)]
mod tests {
    use mysql_collation::Flavour;
    use proptest::prelude::*;

    use super::*;
    use crate::model::Verdict;
    use crate::{explain_equality, explain_verdict};

    fn view(flavour: Flavour, name: &str, a: &str, b: &str) -> View {
        let collation = Collation::by_name(flavour, name).unwrap();
        explain(collation, "", &Text::Typed(a.into()), &Text::Typed(b.into())).unwrap()
    }

    #[test]
    fn reports_expansion() {
        let view = view(Flavour::MySql, "utf8mb4_0900_ai_ci", "Straße", "STRASSE");
        assert_eq!((view.verdict, view.mismatch.clone()), (Verdict::Equal, None));
        assert_eq!((view.a[4].features.as_slice(), view.a[4].weights[0].len()), (&[Feature::Expansion][..], 2));
        assert_eq!(view.a[4].code_points, ["U+00DF"]);
    }

    #[test]
    fn reports_contraction_of_the_collation() {
        let mariadb = view(Flavour::MariaDb, "utf8mb4_uca1400_ai_ci", "l·l", "ll");
        assert_eq!(mariadb.a[0].features, [Feature::Contraction]);
        assert_eq!(mariadb.verdict, Verdict::Equal);
        let mysql = view(Flavour::MySql, "utf8mb4_0900_ai_ci", "l·l", "ll");
        assert!(mysql.a.iter().all(|step| step.features.is_empty()));
        assert_ne!(mysql.verdict, Verdict::Equal);
    }

    #[test]
    fn a_text_that_is_weighed_as_a_whole_is_no_contraction_and_no_expansion() {
        for name in ["latin2_czech_cs", "cp1250_czech_cs", "tis620_thai_ci"] {
            for (a, b) in [("abc", "abd"), ("a", "b")] {
                let view = view(Flavour::MySql, name, a, b);
                assert!(view.a.iter().chain(&view.b).all(|step| step.features.is_empty()), "{name}: {view:?}");
            }
        }
        let view = view(Flavour::MySql, "utf16_unicode_ci", "ab", "ac");
        assert_eq!(view.a.len(), 2);
    }

    #[test]
    fn finds_mismatch_and_its_level() {
        let view = view(Flavour::MySql, "utf8mb4_0900_as_cs", "résumé", "Résumé");
        let mismatch = view.mismatch.unwrap();
        assert_eq!((mismatch.level, mismatch.a.step, mismatch.b.step), (Level::Tertiary, Some(0), Some(0)));
        assert_eq!(view.verdict, Verdict::Less);
    }

    #[test]
    fn compares_end_with_spaces_under_pad_space() {
        let padded = view(Flavour::MySql, "utf8mb4_general_ci", "a", "a\t");
        let mismatch = padded.mismatch.unwrap();
        assert_eq!(
            (padded.verdict, mismatch.a.step, mismatch.a.weight.as_deref()),
            (Verdict::Greater, None, Some("0020"))
        );
        let spaces = view(Flavour::MySql, "utf8mb4_general_ci", "a", "a  ");
        assert!(spaces.verdict == Verdict::Equal && spaces.equal_by_padding);
        let spaces = view(Flavour::MySql, "utf16_general_ci", "a", "a  ");
        assert!(spaces.verdict == Verdict::Equal && spaces.equal_by_padding && spaces.mismatch.is_none());
        let bare = view(Flavour::MySql, "utf8mb4_0900_ai_ci", "a", "a  ");
        let mismatch = bare.mismatch.unwrap();
        assert_eq!((bare.verdict, mismatch.a.weight, mismatch.b.step), (Verdict::Less, None, Some(1)));
    }

    #[test]
    fn mariadb_pads_beyond_the_primary_level_under_no_pad() {
        let padded = view(Flavour::MariaDb, "utf8mb4_uca1400_nopad_ai_cs", "e", "e\u{301}");
        assert_eq!((padded.verdict, &padded.mismatch, padded.pads), (Verdict::Equal, &None, false));
        assert!(padded.equal_by_padding);
        assert_eq!(
            explain_verdict(&padded),
            "all weights are the same; the end weighs as spaces beyond the primary level"
        );
        let [a, b] = ["e", "e\u{301}"].map(str::as_bytes);
        let collation = Collation::by_name(Flavour::MariaDb, "utf8mb4_uca1400_nopad_ai_cs").unwrap();
        assert_eq!(
            explain_equality(collation, a, b),
            ["U+0301 weighs as a space beyond the primary level, and so does the end"]
        );
        let different = view(Flavour::MariaDb, "utf8mb4_uca1400_nopad_as_cs", "e", "e\u{301}");
        let reason = explain_verdict(&different);
        assert_eq!(reason, "the end, a space (0020), before U+0301 (0024) at the secondary level");
        assert_eq!(view(Flavour::MariaDb, "utf8mb4_uca1400_nopad_ai_cs", "e", "e ").verdict, Verdict::Less);
    }

    #[test]
    fn reports_ignorable_and_ill_formed() {
        let view = view(Flavour::MySql, "utf8mb4_0900_ai_ci", "e\u{301}", "e");
        assert_eq!((view.a[1].features.as_slice(), view.verdict), (&[Feature::Ignorable][..], Verdict::Equal));
        let collation = Collation::by_name(Flavour::MariaDb, "utf8mb4_general_ci").unwrap();
        let bytes = Text::Bytes(vec![b'a', 0xE2, 0x82]);
        let view = explain(collation, "", &bytes, &bytes).unwrap();
        assert!(view.a[1..].iter().all(|step| step.features == [Feature::Malformed]), "{view:?}");
        assert_eq!(view.a[1].bytes, "E2");
    }

    #[test]
    fn rejects_unsupported_character() {
        let collation = Collation::by_name(Flavour::MySql, "latin1_swedish_ci").unwrap();
        let text = |text: &str| Text::Typed(text.into());
        assert_eq!(explain(collation, "", &text("ä"), &text("ж")), Err(UnsupportedCharacter('ж')));
    }

    const NAMES: [(Flavour, &str); 9] = [
        (Flavour::MySql, "utf8mb4_general_ci"),
        (Flavour::MySql, "utf8mb4_bin"),
        (Flavour::MySql, "utf8mb4_unicode_ci"),
        (Flavour::MySql, "utf8mb4_0900_ai_ci"),
        (Flavour::MySql, "utf8mb4_0900_as_cs"),
        (Flavour::MariaDb, "utf8mb4_uca1400_ai_ci"),
        (Flavour::MariaDb, "utf8mb4_uca1400_nopad_as_cs"),
        (Flavour::MariaDb, "utf8mb4_uca1400_nopad_ai_cs"),
        (Flavour::MariaDb, "latin1_german2_ci"),
    ];

    proptest! {
        #[test]
        fn mismatch_agrees_with_comparison(
            which in 0..NAMES.len(),
            a in "[aAbäß \t\u{301}·lเก]{0,5}|[ -~]{0,4}",
            b in "[aAbäß \t\u{301}·lเก]{0,5}|[ -~]{0,4}",
        ) {
            let (flavour, name) = NAMES[which];
            let collation = Collation::by_name(flavour, name).unwrap();
            let (a, b) = (Text::Bytes(a.into_bytes()), Text::Bytes(b.into_bytes()));
            let view = explain(collation, "", &a, &b).unwrap();
            let verdict = match &view.mismatch {
                None => Verdict::Equal,
                // The end without a weight sorts first. Hexadecimal numbers of equal width sort
                // like numbers.
                Some(mismatch) => mismatch.a.weight.cmp(&mismatch.b.weight).into(),
            };
            prop_assert_eq!(verdict, view.verdict);
            let bytes = |steps: &[Step]| steps.iter().map(|step| step.bytes.as_str()).collect::<String>();
            let Text::Bytes(given) = &a else { unreachable!() };
            prop_assert_eq!(bytes(&view.a), given.iter().map(|byte| format!("{byte:02X}")).collect::<String>());
        }
    }
}
