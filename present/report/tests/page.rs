//! The page as text: complete, small, safe and reproducible. `browser.rs` tests the page in a
//! browser.

mod common;

use std::collections::BTreeSet;

use common::{FIXTURES, report, run};
use report::{Report, page};

fn fixture(name: &str) -> Report {
    let (run, blocks) = run(name);
    report(run, &blocks)
}

fn page_of(name: &str) -> String {
    page(&[(name.to_owned(), fixture(name))])
}

/// Returns each text between `start` and the next `end`.
fn texts_between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// Returns the page's body without the page's scripts.
fn content(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    body.split("<script>").next().unwrap().to_owned()
}

#[test]
fn each_page_is_smaller_than_a_megabyte() {
    for name in FIXTURES {
        let page = page_of(name);
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{name}");
        assert_eq!(page, page_of(name), "{name}");
    }
}

#[test]
fn page_has_all_sentences_warnings_and_notes() {
    for name in FIXTURES {
        let (report, page) = (fixture(name), page_of(name));
        for line in report.sentences.iter().chain(&report.warnings).chain(&report.run.notes) {
            assert!(page.contains(&escape_html(line)), "{name}: {line}");
        }
    }
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;").replace('"', "&#34;").replace('\'', "&#39;")
}

#[test]
fn page_loads_no_external_resource() {
    for name in FIXTURES {
        let page = page_of(name);
        let content = content(&page);
        assert!(!content.contains(" src=") && !content.contains("http"), "{name}");
        assert!(texts_between(&content, "href=\"", "\"").iter().all(|link| link.starts_with('#')), "{name}");
        assert!(page.contains("default-src &#39;none&#39;"), "{name}");
    }
}

#[test]
fn links_have_targets_and_ids_are_unique() {
    let runs = [("one".to_owned(), fixture("grid")), ("other".to_owned(), fixture("two_servers"))];
    let page = page(&runs);
    let content = content(&page);
    let ids = texts_between(&content, " id=\"", "\"");
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    for link in texts_between(&content, "href=\"#", "\"") {
        assert!(distinct.contains(link), "{link}");
    }
}

#[test]
fn escapes_hostile_names() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\u{2028}&\"";
    let mut report = fixture("two_servers");
    report.run.servers[1].label = hostile.into();
    report.run.servers[1].comment = hostile.into();
    report.run.variants[3].collation = hostile.into();
    report.run.notes.push(hostile.into());
    report.run.command = Some(hostile.into());
    let analysis = report.analysis.clone();
    let report = Report::new(report.run, analysis);
    let page = page(&[(hostile.to_owned(), report)]);
    let plain = page_of("two_servers");
    for tag in ["<script", "</script", "<img"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    for data in texts_between(&content(&page), "<script type=\"application/json\">", "</script>") {
        serde_json::from_str::<serde_json::Value>(data).unwrap_or_else(|error| panic!("{error}: {data}"));
    }
}

#[test]
fn draws_a_chart_per_measured_condition() {
    let page = page_of("grid");
    let count = |kind: &str| page.matches(&format!("data-chart=\"{kind}\"")).count();
    assert_eq!((count("heat"), count("ratio"), count("threads")), (1, 8, 4));
    assert_eq!((count("latency"), count("bars")), (8, 8));
}
