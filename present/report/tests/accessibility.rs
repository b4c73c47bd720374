//! Pages of the commands, checked by axe, a library of rules for accessibility: light and dark on a
//! desktop, light on a phone. Installs axe-core and Chromium if they are missing.

mod browsing;
mod common;

use std::fs;
use std::sync::LazyLock;

use browsing::{OpenPage, open};
use common::{folder, report, run};
use report::{Comparison, audit, compare_page, page, preflight, profile_page, upgrade, why};
use serde_json::json;
use server::NoProgress;

static AXE: LazyLock<String> = LazyLock::new(|| {
    let file = fetch::find_or_install_axe(&NoProgress).expect("axe-core is installed");
    fs::read_to_string(file).unwrap()
});

/// Script that returns a line for each element that violates a rule.
const VIOLATIONS: &str = "axe.run().then((found) => found.violations.flatMap((rule) => rule.nodes.map(
    (node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))";

fn assert_accessible(page: &OpenPage, name: &str) {
    page.value::<bool>(&format!("{};\ntrue", *AXE));
    // Folded parts are checked, too.
    page.value::<bool>("document.querySelectorAll('details').forEach((one) => { one.open = true; }) ?? true");
    for (theme, width) in [("light", 1280), ("light", 390), ("dark", 1280)] {
        if theme == "dark" {
            page.set_dark_theme();
        }
        page.resize(width, 800);
        let violations: Vec<String> = page.value(VIOLATIONS);
        assert!(violations.is_empty(), "{name}, {theme}, {width} px: {violations:#?}");
        let [needed, given]: [u32; 2] =
            page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
        assert!(needed <= given, "{name}, {width} px: {needed} of {given} px");
    }
    page.assert_no_messages(name);
}

fn read(path: &str) -> String {
    fs::read_to_string(folder(path)).unwrap()
}

fn run_page(name: &str) -> String {
    let (run, blocks) = run(name);
    page(&[(name.to_owned(), report(run, &blocks))])
}

/// Returns the page of a run that repeats a study with three figures and two claims.
fn study_page() -> String {
    let (mut run, blocks) = run("one_server");
    let workload = &run.conditions[0].workload;
    let figure = |collation: &str, value: f64| {
        json!({ "source": "A study", "server": "mysql-5.6.20", "workload": workload, "collation": collation,
            "threads": 2, "value": value, "unit": "transactions/s" })
    };
    let claim = |text: &str, collation: &str, below: f64| {
        json!({ "text": text, "workloads": [workload], "variant": { "collations": [collation] },
            "against": { "collations": ["latin1_swedish_ci"] }, "ratio": { "below": below } })
    };
    let recipe = json!({
        "name": "a-study", "title": "A study", "study": "A study", "versions": ["mysql-5.6"], "scale": "laptop",
        "claims": [
            claim("utf8mb4_bin costs more than nothing", "utf8mb4_bin", 1.0),
            claim("utf8mb4_unicode_ci costs nearly all", "utf8mb4_unicode_ci", 0.1),
        ],
        "published": [
            figure("latin1_swedish_ci", 1000.0), figure("utf8mb4_bin", 740.0), figure("utf8mb4_unicode_ci", 470.0),
        ],
    });
    run.recipe = Some(serde_json::from_value(recipe).unwrap());
    page(&[("a study".to_owned(), report(run, &blocks))])
}

#[test]
fn pages_of_runs() {
    for name in ["grid", "two_servers", "sysbench"] {
        assert_accessible(&open(&run_page(name)), name);
    }
}

#[test]
fn page_of_a_study() {
    let page = open(&study_page());
    let title: String = page.value("document.querySelector('h1').textContent");
    assert!(title.starts_with("A study: ") && title.contains(" of 2 claims hold"), "{title}");
    let first: String = page.value("document.querySelector('article section').id");
    assert!(first.ends_with("claims"), "{first}");
    let [published, measured]: [usize; 2] = page.value(
        "(() => { const dots = document.querySelectorAll('[data-chart=published] svg g[aria-label=dot]');
            return [...dots].map((group) => group.querySelectorAll('path').length); })()",
    );
    assert!(published > 0 && published == measured, "{published} published, {measured} measured");
    assert_accessible(&page, "study");
}

#[test]
fn page_of_a_comparison() {
    let (before, after) = (run("one_server"), run("two_servers"));
    let change = measure::compare_runs((&before.0, &before.1), (&after.0, &after.1));
    let comparison = Comparison::new("before".into(), "after".into(), change, 0.0);
    assert_accessible(&open(&compare_page(std::slice::from_ref(&comparison))), "comparison");
    assert_accessible(&open(&compare_page(&[comparison.clone(), comparison])), "two comparisons");
}

#[test]
fn page_of_a_preflight() {
    let found: ::preflight::Report = serde_json::from_str(&read("preflight/report.json")).unwrap();
    assert_accessible(&open(&preflight::page(&found)), "preflight");
}

#[test]
fn page_of_a_diagnosis() {
    let diagnosis = serde_json::from_str(&read("why/diagnosis.json")).unwrap();
    let page = open(&why::page(&diagnosis));
    let buttons: usize = page.value("document.querySelectorAll('.finding button.copy').length");
    assert!(buttons > 2, "each statement of a remedy can be copied: {buttons}");
    assert_accessible(&page, "why");
}

#[test]
fn page_of_an_upgrade() {
    let page = open(&upgrade::page(&serde_json::from_str(&read("upgrade/report.json")).unwrap()));
    let buttons: usize = page.value("document.querySelectorAll('.finding button.copy').length");
    assert!(buttons > 2, "each statement of a mend can be copied: {buttons}");
    assert_accessible(&page, "upgrade");
}

#[test]
fn page_of_a_profile() {
    let profiles = serde_json::from_str(&read("profile/profiles.json")).unwrap();
    let graph =
        "<svg xmlns='http://www.w3.org/2000/svg' width='1200' height='80'><rect width='900' height='20'/></svg>";
    let graphs = [("0-utf8mb4_general_ci-against-latin1_swedish_ci.svg".to_owned(), graph.to_owned())];
    let page = open(&profile_page(&profiles, &graphs));
    let title: String = page.value("document.querySelector('h1').textContent");
    assert!(title.starts_with("A query takes "), "{title}");
    let width: f64 = page.value(
        "(() => { const image = document.querySelector('figure.flame img'); image.closest('details').open = true;
            return image.decode().then(() => image.naturalWidth); })()",
    );
    assert!(width > 0.0, "the flame graph is drawn");
    assert_accessible(&page, "profile");
}

#[test]
fn page_of_an_audit_filters_findings() {
    let found: ::audit::Audit = serde_json::from_str(&read("audit/audit.json")).unwrap();
    let page = open(&audit::page(&found));
    let title: String = page.value("document.querySelector('h1').textContent");
    assert!(title.starts_with("1 error, ") && title.contains(" on "), "{title}");
    let shown = |page: &OpenPage| -> usize {
        page.value("[...document.querySelectorAll('.finding')].filter((one) => one.offsetParent !== null).length")
    };
    assert_eq!(shown(&page), found.findings.len());
    page.click("#filter input[value=note]");
    assert_eq!(shown(&page), found.counts.errors + found.counts.warnings);
    page.value::<bool>(
        "(() => { const choice = document.querySelector('#filter select'); choice.value = 'log';
            choice.dispatchEvent(new Event('input', { bubbles: true })); return true; })()",
    );
    let of_log = found.findings.iter().filter(|one| one.details.schema.as_deref() == Some("log"));
    assert_eq!(shown(&page), of_log.filter(|one| one.severity > ::audit::Severity::Note).count());
    let empty: usize = page.value(
        "[...document.querySelectorAll('section[data-findings]')].filter((one) => !one.hidden
            && !one.querySelector('.finding:not([hidden])')).length",
    );
    assert_eq!(empty, 0, "sections without a finding are hidden");
    page.click("#filter input[value=note]");
    assert_accessible(&page, "audit");
}
