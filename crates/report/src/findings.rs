//! What differs between two sides of a workload, in lines: a verdict a side, and each class that differs.

use std::fmt::Write as _;

use parity::{ClassFinding, Difference, Parity, PlanChange, Side};

use crate::number::{counted, grouped};

/// A line a side: what differs from the control.
pub(crate) fn verdicts(parity: &Parity) -> Vec<String> {
    let control = parity.sides.first().map_or("", |side| side.name.as_str());
    parity.sides.iter().skip(1).map(|side| verdict(parity, side, control)).collect()
}

/// What differs, class by class.
pub(crate) fn details(parity: &Parity, bold: &dyn Fn(&str) -> String, out: &mut String) {
    let control = parity.sides.first().map_or("", |side| side.name.as_str());
    for side in parity.sides.iter().skip(1) {
        let mut findings: Vec<&ClassFinding> =
            parity.findings.iter().filter(|finding| finding.side == side.name).collect();
        findings.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for finding in findings {
            class(finding, control, bold, out);
        }
    }
    if !parity.not_repeatable.is_empty() {
        let names = parity.not_repeatable.join(", ");
        let line = format!("Not compared by rows, as {control} itself answers differently the second time: {names}");
        let _ = writeln!(out, "\n{line}");
    }
}

/// Each class that differs: its name with the side, and what differs.
pub(crate) fn unfolded(parity: &Parity) -> Vec<(String, String)> {
    let control = parity.sides.first().map_or("", |side| side.name.as_str());
    let of = |finding: &ClassFinding| {
        let mut body = String::new();
        class(finding, control, &str::to_owned, &mut body);
        // Its first line is its name.
        let body = body.trim_start().split_once('\n').map_or("", |(_, body)| body).to_owned();
        (format!("{} under {}", finding.class, finding.side), body)
    };
    parity.findings.iter().map(of).collect()
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

fn class(finding: &ClassFinding, control: &str, bold: &dyn Fn(&str) -> String, out: &mut String) {
    let text = finding.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "\n{} under {}\n  {text}", bold(&finding.class), finding.side);
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
