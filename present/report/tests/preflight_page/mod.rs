//! The page of a real preflight in a real browser.

use crate::browsing::open;
use report::preflight::{PlanFiles, csv, markdown, online_file, page, plan_file, text};

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
    assert!(
        solved.contains(": the plan takes care of 2 warnings; text then compares and sorts by the new collation"),
        "{solved}"
    );
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

/// Errors that the plan solves are no reason to wait.
#[test]
fn verdict_separates_what_a_person_mends_from_what_the_plan_does() {
    let mut report = report();
    let printed = |report: &preflight::Report| {
        let files = PlanFiles { plan: Some("plan.sql".into()), ..PlanFiles::default() };
        text(report, &files, report::Style::default())
    };
    report.findings[0].details.in_plan = true;
    report.findings[0].action = "the plan makes it MEDIUMTEXT".into();
    let one_left = printed(&report);
    let verdict = "✗ Not yet: 1 thing would break or lose data under utf8mb4_0900_ai_ci, and must be mended first; the plan takes care of 1 more";
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line(&one_left).starts_with(verdict), "{one_left}");
    assert!(one_left.contains("Next: mend the errors (✗)"), "{one_left}");
    assert!(one_left.contains("\n! ") && one_left.contains("The plan makes it MEDIUMTEXT"), "{one_left}");

    report.findings[1].details.in_plan = true;
    let solved = printed(&report);
    let verdict = "can be converted to utf8mb4_0900_ai_ci: the plan takes care of 2 errors and 2 warnings; text then compares and sorts by the new collation";
    assert!(solved.starts_with("! ") && one_line(&solved).contains(verdict), "{solved}");
    assert!(!solved.contains('✗') && solved.contains("Next: read the plan"), "{solved}");
}

/// The plan names the errors for which it leaves something out, and nothing that it does not have.
#[test]
fn plan_refers_to_what_it_has() {
    let mut report = report();
    let file = plan_file(&report);
    let error =
        "-- error: shop.customers: email: 2 rows in 1 groups become equal under utf8mb4_0900_ai_ci [unique-key]\n";
    assert!(file.contains(error) && file.contains("-- left out until the errors are mended:\n"), "{file}");
    assert!(online_file(&report).unwrap().contains("foreign keys"));
    let plan = report.plan.as_mut().unwrap();
    plan.steps.retain(|step| step.phase == preflight::Phase::Convert);
    let online = online_file(&report).unwrap();
    assert!(!online.contains("foreign keys") && !online.contains("Only the plan has"), "{online}");
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
    let denied = PlanFiles { not_altered: vec!["shop".into()], ..files.clone() };
    let denied = text(&report, &denied, report::Style::default());
    assert!(denied.contains("as an account that may ALTER (this one may not in shop):"), "{denied}");
    assert!(denied.contains("\n  mysql --host=db --user=ACCOUNT < 'my plan.sql'\n"), "{denied}");
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
