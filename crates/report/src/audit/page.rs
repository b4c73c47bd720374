//! The findings as one HTML page that needs no network and no script.

use askama::Template;
use audit::{Audit, Finding};

use super::{groups, heading, read, unseen, verdict};

const STYLE: &str = concat!(include_str!("../../assets/page.css"), include_str!("../../assets/audit.css"));

/// Nothing is loaded from anywhere, and no script runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

#[derive(Template)]
#[template(path = "audit.html")]
struct Page<'a> {
    title: String,
    policy: &'a str,
    style: &'a str,
    weigh: &'a str,
    read: String,
    verdict: String,
    groups: Vec<Group<'a>>,
    unseen: Vec<String>,
}

struct Group<'a> {
    id: &'a str,
    heading: String,
    doc: &'a str,
    findings: Vec<&'a Finding>,
}

/// The page of an audit: the verdict first, then the findings by check, each check's documentation to unfold.
pub fn page(audit: &Audit) -> String {
    let group = |findings: Vec<&'_ Finding>| Group {
        id: audit.findings.iter().find(|one| one.check == findings[0].check).map_or("", |one| one.check.as_str()),
        heading: heading(&findings),
        doc: audit::CHECKS.iter().find(|check| check.name == findings[0].check).map_or("", |check| check.doc),
        findings: audit.findings.iter().filter(|one| one.check == findings[0].check).collect(),
    };
    let page = Page {
        title: format!("Audit of {}", audit.server.label),
        policy: POLICY,
        style: STYLE,
        weigh: &audit.weigh,
        read: read(audit),
        verdict: verdict(audit),
        groups: groups(audit).into_iter().map(group).collect(),
        unseen: unseen(audit),
    };
    page.render().expect("templates write into a string, which takes every write")
}
