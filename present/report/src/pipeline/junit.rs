//! JUnit's XML, as GitLab, Jenkins and other pipelines show it.

use check::Severity;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Finding, Findings};

pub(super) fn write(findings: &Findings, fail_on: Severity) -> String {
    let name = format!("weigh {}", findings.command);
    let mut suite = TestSuite::new(format!("{name}: {}", findings.subject));
    for passed in &findings.passed {
        let mut case = TestCase::new(passed.as_str(), TestCaseStatus::success());
        case.set_classname(name.as_str());
        suite.add_test_case(case);
    }
    for unchecked in &findings.unchecked {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("not checked: {unchecked}"));
        let mut case = TestCase::new(format!("not checked: {unchecked}"), status);
        case.set_classname("not-checked");
        suite.add_test_case(case);
    }
    for finding in &findings.findings {
        suite.add_test_case(test_case(finding, fail_on));
    }
    let mut report = Report::new(name);
    report.add_test_suite(suite);
    report.to_string().unwrap_or_default()
}

fn test_case(finding: &Finding, fail_on: Severity) -> TestCase {
    let text = std::iter::once(&finding.what).chain(&finding.details).filter(|text| !text.is_empty());
    let text = text.map(String::as_str).collect::<Vec<_>>().join("\n");
    let mut status = match (finding.is_known, finding.fails(fail_on)) {
        (true, _) => TestCaseStatus::skipped(),
        (false, true) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (false, false) => TestCaseStatus::success(),
    };
    if !matches!(status, TestCaseStatus::Success { .. }) {
        status.set_type(finding.severity.to_string());
        let known = if finding.is_known { " (known: the baseline has the finding)" } else { "" };
        status.set_message(format!("{}{known}", finding.what));
        status.set_description(text.as_str());
    }
    let mut case = TestCase::new(format!("{}: {}", finding.rule, finding.object), status);
    case.set_classname(finding.rule.as_str());
    if finding.severity < fail_on && !finding.is_known {
        case.set_system_out(format!("{}: {text}", finding.severity));
    }
    if let Some(place) = &finding.place {
        case.extra.insert("file".into(), escape::line(&place.file).as_ref().into());
        case.extra.insert("line".into(), place.line.to_string().into());
    }
    case
}
