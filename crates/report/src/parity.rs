//! What differs between two sides of a workload, for a terminal and for a program.

use std::fmt::Write as _;

use parity::{ClassFinding, Difference, Parity, PlanChange, Side};

use crate::content::document;
use crate::number::{counted, grouped};
use crate::text::{Style, paragraph};

/// The comparison as JSON (`schemas/parity.schema.json`).
pub fn json(parity: &Parity) -> String {
    document(parity)
}

/// For a terminal: a verdict a side, then each class that differs, those that are sent most often first.
pub fn text(parity: &Parity, style: Style) -> String {
    let mut out = String::new();
    let control = parity.sides.first().map_or("", |side| side.name.as_str());
    let head = format!(
        "{} on {}: {} called on each side with {}",
        parity.workload,
        parity.server,
        counted_classes(parity.classes),
        counted(parity.calls, "sample"),
    );
    let verdicts = parity.sides.iter().skip(1).map(|side| style.bold(&verdict(parity, side, control)));
    paragraph("", &std::iter::once(head).chain(verdicts).collect::<Vec<_>>(), &mut out);
    for side in parity.sides.iter().skip(1) {
        let mut findings: Vec<&ClassFinding> =
            parity.findings.iter().filter(|finding| finding.side == side.name).collect();
        findings.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for finding in findings {
            class(finding, control, style, &mut out);
        }
    }
    if !parity.not_repeatable.is_empty() {
        let names = parity.not_repeatable.join(", ");
        let line = format!("Not compared by rows, as {control} itself answers differently the second time: {names}");
        paragraph("", &[line], &mut out);
    }
    out
}

fn counted_classes(count: u64) -> String {
    if count == 1 {
        "1 class of statements".to_owned()
    } else {
        format!("{} classes of statements", grouped(count as f64))
    }
}

fn verdict(parity: &Parity, side: &Side, control: &str) -> String {
    let findings: Vec<&ClassFinding> = parity.findings.iter().filter(|finding| finding.side == side.name).collect();
    let count = |is: &dyn Fn(&ClassFinding) -> bool| findings.iter().filter(|finding| is(finding)).count();
    let has = |finding: &ClassFinding, is: fn(&Difference) -> bool| finding.differences.iter().any(is);
    let lost = |finding: &ClassFinding| {
        finding.plan.iter().any(|change| matches!(change, PlanChange::Index { control: Some(_), .. }))
    };
    let parts = [
        (count(&|one| has(one, |what| matches!(what, Difference::Rows { .. }))), "other rows"),
        (count(&|one| has(one, |what| matches!(what, Difference::Order { .. }))), "another order of rows"),
        (count(&|one| has(one, |what| matches!(what, Difference::Affected { .. }))), "another number of changed rows"),
        (count(&|one| has(one, |what| matches!(what, Difference::Error { .. }))), "an error"),
        (count(&|one| has(one, |what| matches!(what, Difference::Warnings { .. }))), "other warnings"),
        (count(&lost), "an index less"),
        (count(&|one| !one.plan.is_empty() && !lost(one)), "another plan"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} with {what}")).collect();
    let columns = format!("{} converted, {} kept", counted(side.converted, "column"), grouped(side.kept as f64));
    if told.is_empty() {
        return format!("{} against {control} ({columns}): no class differs", side.name);
    }
    format!("{} against {control} ({columns}): {} classes differ: {}", side.name, findings.len(), told.join(", "))
}

fn class(finding: &ClassFinding, control: &str, style: Style, out: &mut String) {
    let text = finding.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "\n{} under {}\n  {text}", style.bold(&finding.class), finding.side);
    for difference in &finding.differences {
        let (example, calls) = difference.shown();
        let _ = writeln!(out, "  {} ({}):", difference.name(), counted(calls, "call"));
        let statement = example.statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "    {statement}");
        for (side, lines) in [(control, &example.control), (finding.side.as_str(), &example.treatment)] {
            for line in lines {
                let _ = writeln!(out, "    only {side}: {line}");
            }
        }
        for reason in &example.why {
            let _ = writeln!(out, "    why: {reason}");
        }
    }
    for change in &finding.plan {
        let _ = writeln!(out, "  plan: {}", change.sentence());
    }
}
