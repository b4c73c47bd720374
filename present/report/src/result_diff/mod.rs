//! Report of a result diff (`weigh workload compare`), as text and JSON.

pub(crate) mod lines;

pub use lines::left_out_lines;
use result_diff::ResultDiff;

use crate::format::json::to_json;
use crate::format::number::{count_classes, count_noun};
use crate::format::text::{Style, push_paragraph};
use crate::result_diff::lines::{push_details, verdicts};

/// Returns the result diff as JSON (`schemas/workload-compare.schema.json`).
pub fn json(diff: &ResultDiff) -> String {
    to_json(diff)
}

/// Returns the result diff for a terminal: a verdict per side, then each class with differences,
/// greatest weight first.
pub fn text(diff: &ResultDiff, style: Style) -> String {
    let mut out = String::new();
    let head = format!(
        "{} on {}: {} called on each side with {}",
        diff.workload,
        diff.server,
        count_classes(diff.classes),
        count_noun(diff.calls, "sample"),
    );
    let verdicts = verdicts(diff).into_iter().map(|verdict| style.bold(&verdict));
    push_paragraph("", &std::iter::once(head).chain(verdicts).collect::<Vec<_>>(), &mut out);
    push_details(diff, &|text| style.bold(text), &mut out);
    out
}
