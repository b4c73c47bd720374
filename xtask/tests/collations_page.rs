//! The page of engine/bindings/web in a real Chromium, opened from disk. `cargo xtask bindings web`
//! builds it, and sets COLLATIONS_PAGE.

#[allow(dead_code)]
#[path = "../../present/report/tests/browsing/mod.rs"]
mod browsing;

use browsing::{OpenPage, open_at};
use explain::{Text, View, explain};
use mysql_collation::{Collation, Flavour, catalogue};

/// Pairs of strings with expansions, contractions, padding, ignorable characters, and characters
/// that some charsets lack.
const PAIRS: [(&str, &str); 4] =
    [("Straße", "STRASSE"), ("l·l e\u{301}", "ll é  "), ("hrad 漢字", "chata カナ"), ("", "a")];

fn page() -> OpenPage {
    page_at("")
}

fn page_at(fragment: &str) -> OpenPage {
    let file = std::env::var("COLLATIONS_PAGE").expect("COLLATIONS_PAGE: run `cargo xtask bindings web`");
    let page = open_at(&std::fs::read_to_string(file).unwrap(), fragment);
    page.value::<bool>("ready.then(() => true)");
    page
}

fn texts(page: &OpenPage, selector: &str) -> Vec<String> {
    page.value(&format!("[...document.querySelectorAll('{selector}')].map((found) => found.textContent)"))
}

fn type_into(page: &OpenPage, field: &str, text: &str) {
    let text = serde_json::to_string(text).unwrap();
    page.value::<bool>(&format!(
        "(() => {{ const field = document.querySelector('{field}'); field.focus(); field.select();
            return document.execCommand('insertText', false, {text}) || field.value === {text}; }})()"
    ));
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn page_opens_with_the_default_of_weigh_explain() {
    let page = page();
    assert_eq!(
        texts(&page, "#overview tbody td.code"),
        [
            "utf8mb4_general_ci",
            "utf8mb4_unicode_ci",
            "utf8mb4_0900_ai_ci",
            "utf8mb4_0900_ai_ci",
            "utf8mb4_uca1400_ai_ci"
        ]
    );
    assert_eq!(texts(&page, "#overview td.verdict"), ["a < b", "a = b", "a = b", "a = b", "a = b"]);
    let because = texts(&page, "#overview td:last-child");
    assert_eq!(because[0], "'e' (0045) before 'S' (0053)");
    assert_eq!(because[1], "ß = SS: both weigh 0FEA 0FEA");
    assert_eq!(texts(&page, "section").len(), 5);
    assert!(texts(&page, ".features").contains(&"expansion".to_owned()));
    page.assert_no_messages("the default");
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn every_collation_agrees_with_the_library() {
    let page = page();
    let all: Vec<Collation> = Flavour::ALL
        .into_iter()
        .flat_map(|flavour| {
            catalogue(flavour).iter().filter_map(move |info| Collation::by_name(flavour, info.name).ok())
        })
        .collect();
    assert!(all.len() > 1000, "{}", all.len());
    for (a, b) in PAIRS {
        let (a, b) = (Text::Typed(a.into()), Text::Typed(b.into()));
        for collations in all.chunks(250) {
            let servers = |collation: &Collation| collation.info().flavour.to_string();
            let views = collations.iter().filter_map(|one| explain(*one, &servers(one), &a, &b).ok());
            let names: Vec<String> =
                collations.iter().map(|one| format!("{}:{one}", servers(one).to_lowercase())).collect();
            let question =
                serde_json::json!({"ask": "explain", "a": a.display(), "b": b.display(), "collations": names});
            let answered: Vec<View> = page.value(&format!("ready.then((ask) => ask({question}).explanation.views)"));
            assert_eq!(answered, views.collect::<Vec<_>>(), "{names:?}");
        }
    }
    page.assert_no_messages("all collations");
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn typed_text_is_explained_and_in_the_address() {
    let page = page();
    type_into(&page, "#a", "Zoë");
    type_into(&page, "#b", "zoe");
    assert_eq!(texts(&page, "#overview td.verdict"), ["a = b"; 5]);
    assert_eq!(texts(&page, ".steps tbody tr td:nth-child(1)")[..3], ["Z", "o", "ë"]);
    let hash: String = page.value("location.hash");
    assert!(hash.starts_with("#a=Zo%C3%AB&b=zoe&c=utf8mb4_general_ci,"), "{hash}");
    page.click("#swap");
    let hash: String = page.value("location.hash");
    assert!(hash.starts_with("#a=zoe&b=Zo%C3%AB&"), "{hash}");
    page.assert_no_messages("typing");
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn link_opens_the_shared_comparison() {
    // Markup is shown as text; an unknown name is reported.
    let page =
        page_at("#a=%3Cb%3Ex%26amp;&b=%3CB%3Ex%26amp;&c=mysql:utf8mb4_0900_as_cs,latin1_swedish_ci,utf8mb4_none");
    assert_eq!(page.value::<String>("document.querySelector('#a').value"), "<b>x&amp;");
    assert_eq!(texts(&page, "#overview tbody td.code"), ["utf8mb4_0900_as_cs", "latin1_swedish_ci"]);
    assert_eq!(texts(&page, "#overview td.verdict"), ["a < b", "a = b"]);
    assert_eq!(texts(&page, ".notes li"), ["neither MySQL nor MariaDB has a collation utf8mb4_none"]);
    assert_eq!(texts(&page, "#chosen button").len(), 3);
    page.assert_no_messages("a link");
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn collations_are_added_and_removed() {
    let page = page();
    type_into(&page, "#name", "UTF8MB4_czech_ci");
    page.press("Enter");
    assert_eq!(texts(&page, "#chosen button").last().unwrap(), "utf8mb4_czech_ci");
    assert_eq!(texts(&page, "#overview tbody tr").len(), 6);
    type_into(&page, "#name", "utf8mb4_chech_ci");
    page.press("Enter");
    assert_eq!(texts(&page, "#refused"), ["Neither MySQL nor MariaDB has a collation utf8mb4_chech_ci."]);
    page.click("#chosen li:nth-child(3) button");
    assert_eq!(texts(&page, "#overview tbody tr").len(), 4);
    page.assert_no_messages("choosing");
}

#[test]
#[ignore = "needs the page that `cargo xtask bindings web` builds"]
fn fits_a_phone_and_follows_the_theme() {
    let page = page();
    let background = "getComputedStyle(document.body).backgroundColor";
    let light: String = page.value(background);
    page.set_dark_theme();
    let dark: String = page.value(background);
    assert_ne!(light, dark);
    page.resize(360, 800);
    let [width, seen]: [usize; 2] =
        page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    assert!(width <= seen, "{width} of {seen}");
    page.assert_no_messages("a phone");
}
