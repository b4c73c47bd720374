//! UTF-8 that was taken for latin1.

use facts::{Column, TextType};
use rules::charset::lacks_unicode_characters;

use super::Check;
use super::common::Draft;
use crate::input::{AuditInput, ColumnSample};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "double-encoded",
    title: "UTF-8 that was taken for latin1: text stored in the wrong encoding, or encoded twice",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
Values of a sample (the first and the last rows by primary key) are classified one by one: clean; double-encoded (every character beyond ASCII is \
part of UTF-8 that was decoded as latin1, whether the column is latin1 or Unicode); mixed (parts of the value are); undecidable (it may be meant \
as it is, such as NESCAFÉ® or Åš). Mixed values alone are a warning. ALTER TABLE … CONVERT TO keeps the characters that the server sees: in a Unicode column they stay wrong, and a latin1 column that holds UTF-8 becomes encoded twice. What to do: where all rows are \
double-encoded, change the column to latin1 (unless it is), then to the binary type, then to utf8mb4; else convert the column to utf8mb4 (unless it holds all Unicode characters), and repair the rows in question (`weigh preflight` names them). \
From: gh-ost #290; MySQL manual, \"Converting Between Character Sets\".",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    input.samples.iter().filter_map(|sample| check_sample(input, sample)).collect()
}

fn check_sample(input: &AuditInput, sample: &ColumnSample) -> Option<Finding> {
    let counts = sample.encodings;
    let broken = counts.double_encoded + counts.mixed;
    if broken == 0 {
        return None;
    }
    let keys = match sample.encoding_keys.as_slice() {
        [] => String::new(),
        keys => {
            let such_as = if (keys.len() as u64) < broken { "such as " } else { "" };
            format!(" ({such_as}rows {})", keys.join("; "))
        }
    };
    let what = format!(
        "of {} in the sample {} {} double-encoded, {} mixed{keys}; {} undecidable, {} clean, {} ASCII",
        message::count_noun(sample.values, "value"),
        counts.double_encoded,
        message::agree(counts.double_encoded, "is", "are"),
        counts.mixed,
        counts.undecidable,
        counts.clean,
        sample.ascii_values
    );
    let is_uniform = counts.mixed + counts.undecidable + counts.clean == 0;
    let column = input.facts.table(&sample.schema, &sample.table).and_then(|table| table.column(&sample.column));
    let action = match column {
        _ if counts.double_encoded == 0 => {
            "Look at these rows, and correct the wrong parts by hand: no statement can tell them from the right ones."
                .into()
        }
        Some(column) if is_uniform => advise_repair_of_all(column),
        Some(column) => advise_repair_of_some(column),
        None => String::new(),
    };
    Some(
        Draft {
            severity: if counts.double_encoded > 0 { Severity::Error } else { Severity::Warning },
            kind: ObjectKind::Column,
            name: check::column_name(&sample.schema, &sample.table, &sample.column),
            what,
            why: "Sessions with the right character set see wrong characters, their comparisons and LIKE miss the rows, and ALTER TABLE … CONVERT TO keeps or worsens it.".into(),
            action,
        }
        .into_finding(CHECK.name),
    )
}

/// Returns how to repair the double-encoded rows of a column that has others, too. The right text
/// can have any Unicode character, so a column that lacks some is converted first.
fn advise_repair_of_some(column: &Column) -> String {
    let lacks_characters = column.charset.as_deref().is_none_or(lacks_unicode_characters);
    let first = if lacks_characters { "Convert the column to utf8mb4 first, then repair" } else { "Repair" };
    let name = sql::quote_identifier(&column.name);
    let repaired = format!("CONVERT(CAST(CONVERT({name} USING latin1) AS BINARY) USING utf8mb4)");
    format!(
        "{first} the rows that are double-encoded, each by its key: SET {name} = {repaired} WHERE … AND {repaired} IS NOT NULL. Leave clean, \
         mixed and undecidable rows as they are: the statement would make other characters or NULL of them."
    )
}

/// Returns how to repair a column whose values are all double-encoded.
///
/// A latin1 column has the bytes of the right text, so its binary type has them, too. A Unicode
/// column has them once it is latin1.
fn advise_repair_of_all(column: &Column) -> String {
    let is_latin1 = column.charset.as_deref() == Some("latin1");
    let first = if is_latin1 { "Change" } else { "Change the column to latin1 (the same type), then" };
    // BINARY would pad the values with 0x00, for good.
    let binary = match column.text_type() {
        Some(TextType::Char) => "to VARBINARY (not BINARY, which pads with 0x00)",
        Some(TextType::Varchar) => "to VARBINARY",
        _ => "to the BLOB type of the same length (TEXT to BLOB, MEDIUMTEXT to MEDIUMBLOB)",
    };
    let object = if is_latin1 { " the column" } else { "" };
    format!(
        "{first}{object} {binary} and then to utf8mb4, on a copy first; a clean row would break by it, so check all rows."
    )
}
