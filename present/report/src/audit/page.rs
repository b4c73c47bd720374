//! HTML page of an audit, without external resources and scripts.

use askama::Template;
use audit::{Audit, Finding};

use super::{describe_scope, group_by_check, heading, unseen_lines, verdict};

const STYLE: &str = concat!(include_str!("../../assets/page.css"), include_str!("../../assets/audit.css"));

/// Content security policy: loads nothing, and runs no script.
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

/// Returns the page of an audit: verdict, findings by check, and the documentation of each check.
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
        read: describe_scope(audit),
        verdict: verdict(audit),
        groups: group_by_check(audit).into_iter().map(group).collect(),
        unseen: unseen_lines(audit),
    };
    page.render().expect("templates write into a string, which takes every write")
}
