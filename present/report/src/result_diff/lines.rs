//! Lines of a result diff: a verdict per side, and the differences of each statement class.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use result_diff::{ClassDifference, CollidingRow, Difference, PlanChange, ResultDiff, Side};

use crate::format::number::{count_noun, group_thousands};

/// Returns a line per side with its differences from the control.
pub(crate) fn verdicts(diff: &ResultDiff) -> Vec<String> {
    let control = diff.sides.first().map_or("", |side| side.name.as_str());
    diff.sides.iter().skip(1).map(|side| describe_side(diff, side, control)).collect()
}

/// Writes the differences of each side, the classes with the greatest weight first. Then come
/// classes that fail on both sides, rows that are left out, and classes for which the control
/// itself returns a different result the second time.
pub(crate) fn push_details(diff: &ResultDiff, bold: &dyn Fn(&str) -> String, out: &mut String) {
    let control = diff.sides.first().map_or("", |side| side.name.as_str());
    for side in diff.sides.iter().skip(1) {
        let mut findings: Vec<&ClassDifference> =
            diff.findings.iter().filter(|finding| finding.side == side.name).collect();
        findings.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        for finding in findings {
            push_class(finding, control, bold, out);
        }
    }
    for calls in &diff.class_calls {
        if let Some(error) = &calls.shared_error {
            let _ =
                writeln!(out, "\n{} fails on both sides, error {}: {}", bold(&calls.class), error.code, error.message);
        }
    }
    push_left_out(diff, out);
    if !diff.not_repeatable.is_empty() {
        let names = diff.not_repeatable.join(", ");
        let line = format!("Not compared by rows, as {control} itself answers differently the second time: {names}");
        let _ = writeln!(out, "\n{}", escape::line(&line));
    }
}

/// Maximum number of left-out rows that are listed.
const MAX_LEFT_OUT: usize = 10;

fn push_left_out(diff: &ResultDiff, out: &mut String) {
    if let [head, rows @ ..] = left_out_lines(&diff.left_out).as_slice() {
        let _ = writeln!(out, "\n{head}");
        rows.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
}

/// Describes rows that are on no side: how many of each table, then a line per row, at most
/// [`MAX_LEFT_OUT`], with the row that it is equal to. Empty without rows.
pub fn left_out_lines(rows: &[CollidingRow]) -> Vec<String> {
    let mut by_table: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *by_table.entry(&row.table).or_default() += 1);
    if by_table.is_empty() {
        return Vec::new();
    }
    let counts: Vec<String> = by_table.iter().map(|(table, count)| format!("{count} of {table}")).collect();
    let head = format!(
        "{} {} left out on all sides: equal to others under a side's collation ({})",
        count_noun(rows.len() as u64, "row"),
        message::agree(rows.len(), "is", "are"),
        counts.join(", ")
    );
    let describe = |row: &CollidingRow| {
        let equals = row.equals.as_ref().map(|other| format!("; it equals row {other}")).unwrap_or_default();
        format!("{}, row {} ({}): {}{equals}", row.table, row.row, row.first, row.message)
    };
    let listed = rows.iter().take(MAX_LEFT_OUT).map(describe);
    let more = rows.len().saturating_sub(MAX_LEFT_OUT);
    let more = (more > 0).then(|| format!("and {more} more"));
    std::iter::once(head).chain(listed).chain(more).map(|line| escape::line(&line).to_string()).collect()
}

/// Returns title and body of each class with differences. The title names class and side.
pub(crate) fn titles_and_bodies(diff: &ResultDiff) -> Vec<(String, String)> {
    let control = diff.sides.first().map_or("", |side| side.name.as_str());
    let title_and_body = |finding: &ClassDifference| {
        let mut body = String::new();
        push_class(finding, control, &str::to_owned, &mut body);
        // The first line is the title.
        let body = body.trim_start().split_once('\n').map_or("", |(_, body)| body).to_owned();
        (format!("{} under {}", finding.class, finding.side), body)
    };
    diff.findings.iter().map(title_and_body).collect()
}

fn describe_side(diff: &ResultDiff, side: &Side, control: &str) -> String {
    let findings: Vec<&ClassDifference> = diff.findings.iter().filter(|finding| finding.side == side.name).collect();
    let count = |is: &dyn Fn(&ClassDifference) -> bool| findings.iter().filter(|finding| is(finding)).count();
    let has = |finding: &ClassDifference, is: fn(&Difference) -> bool| finding.differences.iter().any(is);
    let loses_index = |finding: &ClassDifference| {
        finding.plan.iter().any(|change| matches!(change, PlanChange::Index { control: Some(_), treatment: None, .. }))
    };
    let uses_another = |finding: &ClassDifference| {
        !loses_index(finding) && finding.plan.iter().any(|change| matches!(change, PlanChange::Index { .. }))
    };
    let parts = [
        (count(&|one| has(one, |what| matches!(what, Difference::Rows { .. }))), "different rows"),
        (count(&|one| has(one, |what| matches!(what, Difference::Order { .. }))), "a different order of rows"),
        (
            count(&|one| has(one, |what| matches!(what, Difference::Affected { .. }))),
            "a different number of changed rows",
        ),
        (count(&|one| has(one, |what| matches!(what, Difference::Error { .. }))), "an error"),
        (count(&|one| has(one, |what| matches!(what, Difference::Warnings { .. }))), "different warnings"),
        (count(&loses_index), "an index less"),
        (count(&uses_another), "a different index"),
        (count(&|one| !one.plan.is_empty() && !loses_index(one) && !uses_another(one)), "a different plan"),
    ];
    let phrases: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} with {what}")).collect();
    let columns =
        format!("{} converted, {} kept", count_noun(side.converted, "column"), group_thousands(side.kept as f64));
    let failing = diff.class_calls.iter().filter(|calls| calls.shared_error.is_some()).count();
    let failing = match failing {
        0 => String::new(),
        1 => "; 1 class fails on both sides".to_owned(),
        count => format!("; {count} classes fail on both sides"),
    };
    if phrases.is_empty() {
        return format!("{} compared with {control} ({columns}): no class differs{failing}", side.name);
    }
    let differ =
        if findings.len() == 1 { "1 class differs".into() } else { format!("{} classes differ", findings.len()) };
    let is_same = |finding: &&ClassDifference| {
        finding.differences.iter().all(|difference| matches!(difference, Difference::Warnings { .. }))
    };
    let same = if findings.iter().all(is_same) { "; every class returns the same rows" } else { "" };
    format!("{} compared with {control} ({columns}): {differ}: {}{same}{failing}", side.name, phrases.join(", "))
}

fn push_class(finding: &ClassDifference, control: &str, bold: &dyn Fn(&str) -> String, out: &mut String) {
    let text = finding.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (class, side) = (escape::line(&finding.class), escape::line(&finding.side));
    let _ = writeln!(out, "\n{} under {side}\n  {}", bold(&class), escape::line(&text));
    for difference in &finding.differences {
        let (example, calls) = difference.example();
        let _ = writeln!(out, "  {} ({}):", difference.describe(), count_noun(calls, "call"));
        let statement = example.statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "    {}", escape::line(&statement));
        for (side, lines) in [(control, &example.control), (finding.side.as_str(), &example.treatment)] {
            for line in lines {
                let _ = writeln!(out, "    only {}", escape::line(&format!("{side}: {line}")));
            }
        }
        for reason in &example.why {
            let _ = writeln!(out, "    why: {}", escape::line(reason));
        }
    }
    for change in &finding.plan {
        let _ = writeln!(out, "  plan: {}", escape::line(&change.sentence()));
    }
}
