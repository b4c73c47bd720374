use super::*;

fn decode_as_latin1(text: &str) -> String {
    text.bytes().filter_map(|byte| Charset::Latin1.decode(&[byte])).map(|(character, _)| character).collect()
}

#[test]
fn classifies_and_repairs_texts() {
    for text in ["", "plain", "it's 5 o'clock"] {
        assert_eq!(classify(text), EncodingVerdict::Ascii);
    }
    for text in ["Müller", "naïve café", "Русский", "漢字", "100 €", "Ångström", "¿Qué?"] {
        assert_eq!(classify(text), EncodingVerdict::Clean, "{text}");
        assert_eq!(repair(text), text);
        assert_double(text);
    }
    assert_eq!(classify(&format!("Müller {}", decode_as_latin1("Müller"))), EncodingVerdict::Mixed);
    assert_eq!(classify(&format!("漢字 {}", decode_as_latin1("漢字"))), EncodingVerdict::Mixed);
    assert_eq!(classify(&decode_as_latin1("Straße")), EncodingVerdict::Double(1));
    assert_eq!(classify("Åš"), EncodingVerdict::Undecidable, "two letters, or Ś");
    assert_eq!(classify("Â\u{81}"), EncodingVerdict::Undecidable, "it would become a control character");
    assert_eq!(classify(&format!("{} CAFÉ®", decode_as_latin1("Köln"))), EncodingVerdict::Mixed);
}

fn assert_double(text: &str) {
    let (once, twice) = (decode_as_latin1(text), decode_as_latin1(&decode_as_latin1(text)));
    assert_eq!((classify(&once), repair(&once)), (EncodingVerdict::Double(1), text.to_owned()), "{text}: {once}");
    assert_eq!((classify(&twice), repair(&twice)), (EncodingVerdict::Double(2), text.to_owned()), "{text}: {twice}");
}

/// Words that end with a letter from which UTF-8 could begin, in capitals and in small letters.
const WORDS: &str = "NESCAFÉ|CAFÉ|BEYONCÉ|ROSÉ|LIBERTÉ|OÙ|NOËL|FRANÇAIS|VOILÀ|L’ÉTÉ|DÉJÀ|ÉTÉ|PRÊT-À-PORTER|À|\
    café|été|où|déjà|voilà|Beyoncé|Nescafé|à|Zoé|naïve|Noë|canapé|Spaß|Gruß|heiß|weiß|Fuß|\
    GROẞ|MÜ|Böß|TSCHÜß|Straß|Ä|Ö|Ü|JÖ|HÜ|Menü|OLÉ|ESPAÑ|Ñ|MAMÁ|SOFÁ|SÍ|ASÍ|QUÉ|TÚ|PERÚ|está|\
    qué|menú|así|año|COMPAÑÍA|PÅ|TVÅ|GRÅ|BLÅ|GÅ|Å|Ø|FRØ|KØ|BÆ|TRÆ|på|två|SJÖ|MILJÖ|öga|sø|\
    træ|FÆ|ÞÓ|HÚÐ|orð|bað|MANHÃ|IRMÃ|AMANHÃ|MAÇÃ|AVÔ|AVÓ|maçã|irmã|PARANÁ|É|LÁ|LÃ|COSÌ|SÌ|\
    PIÙ|CITTÀ|PERCHÉ|CAFFÈ|È|perché|più|ZOÓ|DÓ|BÓ|MIASTÓ|Kraków|PÓ|BÉBÉ|HÔTEL|RENÉ|CITROËN|\
    NESTLÉ|HÄAGEN|JALAPEÑO|LÄTTA|5 Å|12 Å|1 eÅ|0,5 Å|3 Ñ|1 É|100 Å";

/// Signs that follow words.
const SIGNS: &str = "®|™|…|»|”|’|–|²|³|º|ª|©|“|‘|—|•|›|\u{a0}»|…”|®…|™?|’s|’S|’n|…»|”.|»,|®, |™ & Co|²)|\
    \u{a0}!|\u{a0}»…|» «|\u{a0}«x»|–B|·|°|¡|…¿";

#[test]
fn keeps_clean_texts() {
    for word in WORDS.split('|') {
        for sign in SIGNS.split('|') {
            let texts = [
                format!("{word}{sign}"),
                format!("“{word}{sign}"),
                format!("{word}{sign} {word}{sign}"),
                format!("die {word}{sign} und {word}"),
            ];
            for text in texts {
                let verdict = classify(&text);
                assert!(
                    matches!(verdict, EncodingVerdict::Clean | EncodingVerdict::Undecidable),
                    "{text}: {verdict:?}"
                );
                assert_eq!(repair(&text), text);
            }
        }
    }
    for text in [
        "naïve “quote” – 100 €, Ça va? ÅÄÖ ß²",
        "„Das macht Spaß“",
        "L’ÉTÉ… « été\u{a0}»",
        "Mehr als 5 Å…",
        "Na, heiß™?",
        "ŁÓDŹ ROSÉ®",
        "Seite 3–É·B",
        "«Olé»… ¡Qué!",
        "A–Å–Z",
        "NESCAFÉ® und ROSÉ™",
        "12 Å³ und 5 Å²",
        "ÅÉÑ®",
        "Ñº 5, Ñª 6",
        "CAFÉ”, “ROSÉ”",
    ] {
        let verdict = classify(text);
        assert!(matches!(verdict, EncodingVerdict::Clean | EncodingVerdict::Undecidable), "{text}: {verdict:?}");
    }
}

/// Texts by language, separated by bars.
const DOUBLE_ENCODED: &[&str] = &[
    // German, French, Spanish, Portuguese, Italian.
    "Müller|Straße|Österreich|Größe: 5 m²|MÜLLER|Über uns|20 °C|Fußgängerüberführung|café|CAFÉ|à la carte|œuvre|L’été à Paris|garçon|NESCAFÉ® l’été|© 2020|« déjà »|ÉCOLE|mañana|¿Qué tal?|Único|ESPAÑA|n.º 5 está|São Paulo|maçã|Ação não|perché|città più",
    // Nordic.
    "Ångström|smörgåsbord|Århus|blåbærgrød|Þingvellir|það",
    // Polish, Czech, Hungarian, Romanian, Turkish, Lithuanian.
    "złoty|ładny|zażółć gęślą jaźń|Łódź|weź|Příliš žluťoučký kůň|Dvořák|tűzijáték|București și Iași|İstanbul|ağaç|vaikų|Azərbaycan",
    // Cyrillic, Greek, Hebrew, Arabic, Thai, Hindi, Armenian, Georgian.
    "Русский|да|Война и мир — роман|Україна|Ελληνικά|αβγ|שלום|العربية|ภาษาไทย|हिन्दी|Հայերեն|ქართული",
    // Vietnamese, Chinese, Japanese, Korean, emoji and other signs.
    "Tiếng Việt|漢字|北京市|こんにちは、世界|カタカナ|한국어|😀|I ❤️ NY|👍🏽 top|100 €|it’s|“quoted”|Acme™|a – b…",
];

#[test]
fn finds_double_encoded_texts_of_many_languages() {
    for text in DOUBLE_ENCODED.iter().flat_map(|texts| texts.split('|')) {
        assert_double(text);
    }
}
