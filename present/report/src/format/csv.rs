//! CSV documents and fields.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use measure::{Estimate, Verdict};
use serde::Serialize;

use crate::format::number::round_six_digits;

static IS_RAW: AtomicBool = AtomicBool::new(false);

/// Decides for this process whether fields that a spreadsheet would take for a formula stay as they
/// are.
pub fn set_raw_csv(is_raw: bool) {
    IS_RAW.store(is_raw, Ordering::Relaxed);
}

/// Returns lines as CSV with a header. Empty without lines. Control characters are escaped. A field
/// that a spreadsheet would take for a formula begins with an apostrophe, unless [`set_raw_csv`]
/// says otherwise.
pub(crate) fn to_csv(lines: impl Iterator<Item = impl Serialize>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).expect("a vector takes every write");
    }
    guard_fields(&writer.into_inner().expect("a vector takes every write"), IS_RAW.load(Ordering::Relaxed))
}

fn guard_fields(document: &[u8], is_raw: bool) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(document);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in reader.records() {
        let record = record.expect("the document was written as CSV");
        let guarded = |field| if is_raw { Cow::Borrowed(field) } else { escape::spreadsheet_field(field) };
        let fields = record.iter().map(|field| escape::line(&guarded(field)).into_owned());
        writer.write_record(fields).expect("a vector takes every write");
    }
    let bytes = writer.into_inner().expect("a vector takes every write");
    String::from_utf8(bytes).expect("all fields are UTF-8")
}

/// Returns the value and both ends of the interval, rounded to six digits. `None` without an
/// estimate.
pub(crate) fn value_and_bounds(estimate: Option<Estimate>) -> [Option<f64>; 3] {
    let parts =
        estimate.map(|estimate| [estimate.value, estimate.low, estimate.high].map(|part| Some(round_six_digits(part))));
    parts.unwrap_or_default()
}

/// Returns the word for a verdict in CSV.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Less => "slower",
        Verdict::More => "faster",
        Verdict::NoDifference { .. } => "no difference",
        Verdict::NotMeasured => "not measured",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_text_for_spreadsheets() {
        let lines = [("=1+1", -1.5, "a\u{1b}[2J"), ("@x", 2.0, "b\nc, \"d\"")];
        assert_eq!(guard_fields(b"=1+1,\x1b\n", true), "=1+1,\\u{1b}\n");
        assert_eq!(to_csv(lines.into_iter()), "'=1+1,-1.5,a\\u{1b}[2J\n'@x,2.0,\"b\\nc, \"\"d\"\"\"\n");
    }
}
