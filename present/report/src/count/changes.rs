//! Changes between two counts, for `weigh compare`: as text, Markdown, CSV and JSON.

use count::{Change, Comparison, FunctionChange};
use serde::Serialize;

use crate::format::csv::to_csv;
use crate::format::json::to_json;
use crate::format::markdown as md;
use crate::format::number::{
    count_noun, format_given_percent, format_signed_percent, group_thousands, round_six_digits,
};
use crate::format::text::{RED, Style};

/// Maximum number of functions that text and Markdown name for a statement.
const MAX_FUNCTIONS: usize = 5;

/// Maximum number of statements of one count only that are named.
const MAX_UNMATCHED: usize = 5;

/// Returns the comparison as JSON (`schemas/count-compare.schema.json`).
pub fn json(comparison: &Comparison) -> String {
    to_json(comparison)
}

/// Returns the comparison for a terminal: the verdict, then each statement that changed with its
/// functions.
pub fn text(comparison: &Comparison, style: Style) -> String {
    let mut out = String::new();
    let fails = comparison.changes.iter().any(|change| change.fails);
    let (mark, color) = if fails { ("✗ ", Some(RED)) } else { ("✓ ", None) };
    style.push_wrapped_marked(mark, color, "  ", &verdict(comparison), &mut out);
    style.push_wrapped("", "  ", &format!("{} → {}", comparison.before, comparison.after), &mut out);
    for change in &comparison.changes {
        out.push('\n');
        let mark = if change.fails { "✗ " } else { "  " };
        style.push_wrapped_marked(mark, change.fails.then_some(RED), "    ", &sentence(change), &mut out);
        for function in change.functions.iter().take(MAX_FUNCTIONS) {
            style.push_wrapped("    ", "      ", &function_sentence(function), &mut out);
        }
        if let Some(more) = change.functions.len().checked_sub(MAX_FUNCTIONS).filter(|more| *more > 0) {
            style.push_wrapped("    ", "      ", &format!("{more} more (--format json)"), &mut out);
        }
    }
    for remark in remarks(comparison) {
        out.push('\n');
        style.push_wrapped("note: ", "  ", &remark, &mut out);
    }
    out
}

/// Returns the verdict, the changed statements with their functions, and remarks as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("## {}\n\n", md::escape(&format!("{} → {}", comparison.before, comparison.after)));
    md::push_list(&[verdict(comparison)], &mut out);
    let lines = comparison.changes.iter().flat_map(|change| {
        std::iter::once(sentence(change)).chain(change.functions.iter().take(MAX_FUNCTIONS).map(function_sentence))
    });
    md::push_list(&lines.collect::<Vec<_>>(), &mut out);
    md::push_list(&remarks(comparison), &mut out);
    md::end_with_newline(out)
}

/// Columns of a line of CSV, in order.
#[derive(Serialize)]
struct Line<'a> {
    before: &'a str,
    after: &'a str,
    server: &'a str,
    workload: &'a str,
    collation: &'a str,
    function: Option<&'a str>,
    instructions_before: f64,
    instructions_after: f64,
    change: Option<f64>,
    fails: bool,
    raw_function: Option<&'a str>,
}

/// Returns comparisons as CSV with a header: a line per statement that changed, and per function.
pub fn csv(comparisons: &[Comparison]) -> String {
    let mut all = Vec::new();
    for comparison in comparisons {
        all.extend(comparison.changes.iter().flat_map(|change| lines(comparison, change)));
    }
    to_csv(all.into_iter())
}

fn lines<'a>(comparison: &'a Comparison, change: &'a Change) -> Vec<Line<'a>> {
    let whole = Line {
        before: &comparison.before,
        after: &comparison.after,
        server: &change.server,
        workload: &change.workload,
        collation: &change.collation,
        function: None,
        instructions_before: round_six_digits(change.before),
        instructions_after: round_six_digits(change.after),
        change: Some(round_six_digits(change.change)),
        fails: change.fails,
        raw_function: None,
    };
    let of_function = |function: &'a FunctionChange| Line {
        function: Some(&function.name),
        instructions_before: round_six_digits(function.before),
        instructions_after: round_six_digits(function.after),
        change: (function.before > 0.0).then(|| round_six_digits(function.after / function.before - 1.0)),
        fails: false,
        raw_function: Some(&function.raw_name),
        ..whole
    };
    let functions: Vec<Line<'a>> = change.functions.iter().map(of_function).collect();
    std::iter::once(whole).chain(functions).collect()
}

/// Returns `more than 1 % more instructions`, or `more instructions` if none are tolerated.
pub(super) fn more_instructions(tolerated: f64) -> String {
    if tolerated > 0.0 {
        format!("more than {} more instructions", format_given_percent(tolerated))
    } else {
        "more instructions".to_owned()
    }
}

fn verdict(comparison: &Comparison) -> String {
    let of = count_noun(comparison.compared as u64, "statement");
    let more = comparison.changes.iter().filter(|change| change.fails).count();
    let by = more_instructions(comparison.fail_over);
    let changed = comparison.changes.len() - more;
    let others = if changed > 0 {
        format!("; {} changed otherwise", count_noun(changed as u64, "statement"))
    } else {
        String::new()
    };
    match more {
        0 => format!("No statement executes {by}, of {of} compared{others}."),
        1 => format!("1 of {of} executes {by}{others}."),
        more => format!("{more} of {of} execute {by}{others}."),
    }
}

fn sentence(change: &Change) -> String {
    let amount =
        if change.change == 0.0 { "as a whole the same".to_owned() } else { format_signed_percent(change.change) };
    let (before, after) = (group_thousands(change.before), group_thousands(change.after));
    format!("{} under {} on {}: {amount} ({before} → {after})", change.workload, change.collation, change.server)
}

fn function_sentence(function: &FunctionChange) -> String {
    let (before, after) = (group_thousands(function.before), group_thousands(function.after));
    let amount = match (function.before, function.after) {
        (0.0, _) => "new".to_owned(),
        (_, 0.0) => "gone".to_owned(),
        (old, new) => format_signed_percent(new / old - 1.0),
    };
    format!("{} in {}: {amount} ({before} → {after})", function.name, function.file)
}

fn remarks(comparison: &Comparison) -> Vec<String> {
    let mut remarks = Vec::new();
    if comparison.lacks_functions {
        let remark = "Functions are not compared, as a count has none; weigh count --functions WORKLOAD counts them.";
        remarks.push(remark.to_owned());
    }
    let shown = comparison.unmatched.iter().take(MAX_UNMATCHED).cloned();
    remarks.extend(shown.map(|one| format!("only {one}")));
    if let Some(more) = comparison.unmatched.len().checked_sub(MAX_UNMATCHED).filter(|more| *more > 0) {
        let are = message::agree(more, "is", "are");
        remarks.push(format!("{more} more {are} in one of the counts only"));
    }
    remarks
}
