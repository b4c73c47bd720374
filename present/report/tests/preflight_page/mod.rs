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
    assert!(text.contains("copy, about 12 min"), "{text}");
    assert_eq!(csv(&report).lines().count(), 1 + report.findings.len());
    assert!(markdown(&report).contains("| error | shop.customers: email | unique-key |"));
}

#[test]
fn verdict_counts_what_stays_different_after_the_plan() {
    let mut report = report();
    report.findings.retain(|finding| finding.severity < preflight::Severity::Error);
    let verdict = |report: &preflight::Report| text(report, &PlanFiles::default(), report::Style::default());
    let solved = verdict(&report);
    assert!(solved.contains(": the plan takes care of 2 warnings, nothing behaves differently afterwards"), "{solved}");
    report.findings[0].details.in_plan = false;
    let left = verdict(&report);
    assert!(
        left.contains("; the plan takes care of one warning, and one thing behaves differently afterwards"),
        "{left}"
    );
    report.findings[1].details.in_plan = false;
    let all = verdict(&report);
    assert!(all.contains("; afterwards 2 things behave differently"), "{all}");
}

#[test]
fn command_that_runs_the_plan_is_quoted_and_keeps_comments() {
    let mut report = report();
    report.findings.clear();
    let files = PlanFiles {
        plan: Some("my plan.sql".into()),
        client: ["mysql", "--host=db", "--user=it's"].map(str::to_owned).into(),
        ..PlanFiles::default()
    };
    let printed = |report: &preflight::Report| text(report, &files, report::Style::default());
    let line = "\n  mysql --host=db '--user=it'\\''s' < 'my plan.sql'\n";
    assert!(printed(&report).contains(line), "{}", printed(&report));
    let plan = report.plan.as_mut().unwrap();
    plan.steps.push(preflight::Step {
        phase: preflight::Phase::Programs,
        object: "shop.p".into(),
        sql: "CREATE PROCEDURE p() BEGIN /* why */ END".into(),
        algorithm: None,
        note: None,
        time: None,
        blocked: false,
    });
    assert!(printed(&report).contains(" --comments < 'my plan.sql'\n"), "{}", printed(&report));
}
