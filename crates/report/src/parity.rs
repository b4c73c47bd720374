//! What differs between two sides of a workload, for a terminal and for a program.

use parity::Parity;

use crate::content::document;
use crate::findings::{details, verdicts};
use crate::number::{counted, grouped};
use crate::text::{Style, paragraph};

/// The comparison as JSON (`schemas/parity.schema.json`).
pub fn json(parity: &Parity) -> String {
    document(parity)
}

/// For a terminal: a verdict a side, then each class that differs, those that are sent most often first.
pub fn text(parity: &Parity, style: Style) -> String {
    let mut out = String::new();
    let head = format!(
        "{} on {}: {} called on each side with {}",
        parity.workload,
        parity.server,
        counted_classes(parity.classes),
        counted(parity.calls, "sample"),
    );
    let verdicts = verdicts(parity).into_iter().map(|verdict| style.bold(&verdict));
    paragraph("", &std::iter::once(head).chain(verdicts).collect::<Vec<_>>(), &mut out);
    details(parity, &|text| style.bold(text), &mut out);
    out
}

fn counted_classes(count: u64) -> String {
    if count == 1 {
        "1 class of statements".to_owned()
    } else {
        format!("{} classes of statements", grouped(count as f64))
    }
}
