//! The page of a real preflight in a real browser.

use crate::browsing::open;
use report::preflight::{PlanFiles, csv, markdown, page, text};

fn report() -> ::preflight::Report {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/preflight/report.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn page_loads_without_messages_in_all_themes_and_widths() {
    let page = open(&page(&report()));
    let verdict: String = page.value("document.querySelector('h1').textContent");
    assert!(verdict.starts_with("Not yet: 2 things"), "{verdict}");
    let findings: usize = page.value("document.querySelectorAll('.finding').length");
    assert_eq!(findings, report().findings.len());
    let folded: bool = page.value("[...document.querySelectorAll('details')].every((details) => !details.open)");
    assert!(folded);
    let light: String = page.value("getComputedStyle(document.body).backgroundColor");
    page.set_dark_theme();
    assert_ne!(page.value::<String>("getComputedStyle(document.body).backgroundColor"), light);
    page.resize(390, 844);
    let [needed, given]: [u32; 2] =
        page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    assert!(needed <= given, "{needed} of {given} px");
    page.click("button.copy");
    page.assert_no_messages("preflight");
}

#[test]
fn all_formats_agree() {
    let report = report();
    let text = text(&report, &PlanFiles::default(), report::Style::default());
    assert!(text.starts_with("✗ Not yet: 2 things would break"), "{text}");
    assert!(text.contains("'straße@example.net' (key 2) = 'strasse@example.net' (key 3): ß = ss"), "{text}");
    assert!(text.contains("~12 min"), "{text}");
    assert_eq!(csv(&report).lines().count(), 1 + report.findings.len());
    assert!(markdown(&report).contains("| error | shop.customers: email | unique-key |"));
}
