//! Findings of `weigh workload compare`: one per difference of a class.

use std::collections::BTreeSet;

use check::Severity;
use result_diff::{ClassDifference, Difference, PlanChange, ResultDiff};

use super::{DumpLines, Finding, Findings, HasFindings, Rule, one_line};

const RULES: [(&str, &str); 7] = [
    ("rows", "statements that return different rows"),
    ("affected", "statements that change a different number of rows"),
    ("error", "statements that end with a different error"),
    ("order", "statements that return their rows in a different order"),
    ("warnings", "statements that return different warnings"),
    ("index", "statements that use a different index, or none"),
    ("plan", "statements with a different plan"),
];

impl HasFindings for ResultDiff {
    fn findings(&self, _lines: &DumpLines) -> Findings {
        let mut all = Findings::new("workload compare", format!("{} on {}", self.workload, self.server));
        let rule = |(name, title): (&str, &str)| Rule { name: name.into(), title: title.into(), doc: String::new() };
        all.rules = RULES.map(rule).into();
        for class in &self.findings {
            let differences = class.differences.iter().map(|one| convert_difference(class, one));
            let changes = class.plan.iter().map(|one| convert_change(class, one));
            all.findings.extend(differences.chain(changes));
        }
        let has_finding = |name: &str| self.findings.iter().any(|finding| finding.class == name);
        let unchecked = |class: &String| format!("the rows of {class}: they change when a call is repeated");
        all.unchecked = self.not_repeatable.iter().map(unchecked).collect();
        let classes = self.class_calls.iter().map(|calls| &calls.class);
        let passed = classes.filter(|name| !has_finding(name) && !self.not_repeatable.contains(name));
        all.passed = passed.cloned().collect();
        all
    }

    fn remove(&mut self, ids: &BTreeSet<String>) {
        for class in &mut self.findings {
            let mut differences = std::mem::take(&mut class.differences);
            differences.retain(|one| !ids.contains(&convert_difference(class, one).id));
            let mut plan = std::mem::take(&mut class.plan);
            plan.retain(|one| !ids.contains(&convert_change(class, one).id));
            (class.differences, class.plan) = (differences, plan);
        }
        self.findings.retain(|class| !class.differences.is_empty() || !class.plan.is_empty());
    }
}

fn convert_difference(class: &ClassDifference, difference: &Difference) -> Finding {
    let (severity, rule) = match difference {
        Difference::Rows { .. } => (Severity::Error, "rows"),
        Difference::Affected { .. } => (Severity::Error, "affected"),
        Difference::Error { .. } => (Severity::Error, "error"),
        Difference::Order { .. } => (Severity::Warning, "order"),
        Difference::Warnings { .. } => (Severity::Warning, "warnings"),
    };
    let (example, _) = difference.example();
    let lines =
        |side: &str, lines: &[String]| lines.iter().map(|line| format!("only {side}: {line}")).collect::<Vec<_>>();
    let mut details = vec![one_line(&example.statement)];
    details.extend(lines("before", &example.control));
    details.extend(lines(&class.side, &example.treatment));
    details.extend(example.why.iter().cloned());
    finding(class, severity, rule, difference.describe().to_owned(), details)
}

fn convert_change(class: &ClassDifference, change: &PlanChange) -> Finding {
    let (severity, rule) = match change {
        PlanChange::Index { control: Some(_), .. } => (Severity::Warning, "index"),
        PlanChange::Index { .. } => (Severity::Note, "index"),
        _ => (Severity::Note, "plan"),
    };
    finding(class, severity, rule, change.sentence(), vec![one_line(&class.text)])
}

fn finding(class: &ClassDifference, severity: Severity, rule: &str, what: String, details: Vec<String>) -> Finding {
    Finding {
        rule: rule.into(),
        severity,
        object: format!("{} under {}", class.class, class.side),
        object_kind: "statement class".into(),
        id: format!("{rule}: {} under {}: {what}", class.class, class.side),
        what,
        details,
        place: None,
        members: Vec::new(),
        is_known: false,
    }
}
