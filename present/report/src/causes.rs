//! Findings by cause: those of one check and severity, over all objects.

use check::{Finding, ObjectKind, Severity};

use crate::format::number::count_noun;
use crate::format::text::{RED, YELLOW};

/// Findings of one check and severity.
pub(crate) struct Cause<'a, D> {
    pub(crate) findings: Vec<&'a Finding<D>>,
}

/// Groups the findings by cause. They are sorted by severity already, so the worst cause comes
/// first.
pub(crate) fn causes<'a, D>(findings: impl Iterator<Item = &'a Finding<D>>) -> Vec<Cause<'a, D>> {
    let mut causes: Vec<Cause<'a, D>> = Vec::new();
    for finding in findings {
        let is_same = |cause: &&mut Cause<'a, D>| {
            (cause.findings[0].severity, &cause.findings[0].check) == (finding.severity, &finding.check)
        };
        match causes.iter_mut().find(is_same) {
            Some(cause) => cause.findings.push(finding),
            None => causes.push(Cause { findings: vec![finding] }),
        }
    }
    causes
}

impl<'a, D> Cause<'a, D> {
    pub(crate) fn first(&self) -> &'a Finding<D> {
        self.findings[0]
    }

    /// Returns the finding, or how many objects have the problem that the check's title names.
    pub(crate) fn headline(&self, title: &str) -> String {
        let first = self.first();
        match self.other_names().len() {
            _ if self.findings.len() == 1 => format!("{}: {} [{}]", first.object.name, first.what, first.check),
            0 => format!("{}: {title} [{}]", first.object.name, first.check),
            others => format!("{}: {title} [{}]", count_objects(others as u64 + 1, first.object.kind), first.check),
        }
    }

    /// Returns the findings on the object of the first finding.
    pub(crate) fn of_first_object(&self) -> impl Iterator<Item = &'a Finding<D>> {
        let name = &self.first().object.name;
        self.findings.iter().copied().filter(move |finding| finding.object.name == *name)
    }

    /// Returns the names of the other objects, without duplicates.
    fn other_names(&self) -> Vec<&'a str> {
        let mut names = vec![self.first().object.name.as_str()];
        for finding in &self.findings {
            if !names.contains(&finding.object.name.as_str()) {
                names.push(&finding.object.name);
            }
        }
        names.split_off(1)
    }

    /// Returns the names of the objects after the first: one, and as many more as fit into `width`
    /// characters. `None` without others.
    pub(crate) fn others(&self, width: usize) -> Option<String> {
        let names = self.other_names();
        let mut line = String::new();
        for (at, name) in names.iter().enumerate() {
            let left = names.len() - at;
            let ending = format!(" and {left} more");
            let separator = if line.is_empty() { "" } else { ", " };
            let room = width.saturating_sub(if left > 1 { ending.chars().count() } else { 0 });
            if !line.is_empty() && (line.chars().count() + separator.len() + name.chars().count()) > room {
                return Some(format!("also {line}{ending}"));
            }
            line.push_str(separator);
            line.push_str(name);
        }
        (!line.is_empty()).then(|| format!("also {line}"))
    }

    /// True if all findings have the reason of the first.
    pub(crate) fn has_one_reason(&self) -> bool {
        self.findings.iter().all(|finding| finding.why == self.first().why)
    }

    pub(crate) fn has_one_action(&self) -> bool {
        self.findings.iter().all(|finding| finding.action == self.first().action)
    }
}

fn count_objects(count: u64, kind: ObjectKind) -> String {
    let singular = match kind {
        ObjectKind::Columns => "column pair".to_owned(),
        kind => kind.to_string(),
    };
    match singular.strip_suffix('x') {
        Some(stem) => format!("{count} {stem}xes"),
        None => count_noun(count, &singular),
    }
}

/// Returns `57 warnings: utf8mb3, table-mismatch`, for causes that are not shown.
pub(crate) fn summarise<D>(causes: &[Cause<'_, D>]) -> Option<String> {
    let of = |severity| {
        let own = causes.iter().filter(move |cause| cause.first().severity == severity);
        own.map(|cause| cause.findings.len() as u64).sum::<u64>()
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| (of(severity) > 0).then(|| count_noun(of(severity), &severity.to_string())));
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let names: Vec<&str> = causes.iter().map(|cause| cause.first().check.as_str()).collect();
    (!counts.is_empty()).then(|| format!("{}: {}", counts.join(", "), names.join(", ")))
}

pub(crate) fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✗ ",
        Severity::Warning => "! ",
        Severity::Note => "· ",
    }
}

pub(crate) fn color(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Error => Some(RED),
        Severity::Warning => Some(YELLOW),
        Severity::Note => None,
    }
}

#[cfg(test)]
mod tests {
    use check::{Members, Object};

    use super::*;

    fn finding(schema: &str, what: &str) -> Finding {
        Finding {
            check: "table-mismatch".into(),
            severity: Severity::Warning,
            object: Object::new(ObjectKind::Schema, schema),
            what: what.into(),
            why: String::new(),
            action: String::new(),
            details: Members::default(),
        }
    }

    #[test]
    fn objects_are_counted_once() {
        let findings = [finding("shop", "one"), finding("shop", "two"), finding("crm", "three")];
        let cause = causes(findings[..2].iter()).remove(0);
        assert_eq!(cause.headline("differ"), "shop: differ [table-mismatch]");
        assert_eq!(cause.others(80), None);
        assert_eq!(cause.of_first_object().count(), 2);
        let cause = causes(findings.iter()).remove(0);
        assert_eq!(cause.headline("differ"), "2 schemas: differ [table-mismatch]");
        assert_eq!(cause.others(80).as_deref(), Some("also crm"));
    }
}
