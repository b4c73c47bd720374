//! Text serialised by PHP, which contains byte lengths.

use super::Check;
use super::common::Draft;
use crate::input::{AuditInput, ColumnSample};
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "serialized-text",
    title: "serialised text whose byte lengths depend on the character set",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
PHP's `serialize` writes `s:7:\"Müller\";`, where 7 counts bytes as the application sees them. If the bytes of a character change on their way (a conversion together with \
another connection character set, a repair of double-encoded text), the lengths are wrong and `unserialize` fails. Each value of a sample is classified: ASCII only (safe), \
lengths right in UTF-8, right in latin1, or wrong already. What to do: convert such columns as BLOB, or rewrite the lengths in the application. \
From: nicjansma/mysql-convert-latin1-to-utf8 #8, SMF #5393.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    input.samples.iter().filter_map(check_sample).collect()
}

fn check_sample(sample: &ColumnSample) -> Option<Finding> {
    let counts = sample.serialized;
    if counts.utf8 + counts.latin1 + counts.broken == 0 {
        return None;
    }
    let keys = match sample.serialized_keys.as_slice() {
        [] => String::new(),
        keys => format!(" (rows {})", keys.join("; ")),
    };
    let severity = if counts.latin1 + counts.broken > 0 { Severity::Warning } else { Severity::Note };
    Some(
        Draft {
            severity,
            kind: ObjectKind::Column,
            name: check::column_name(&sample.schema, &sample.table, &sample.column),
            what: format!(
                "serialised values in the sample: {} with lengths in UTF-8, {} in latin1, {} with wrong lengths, {} ASCII only{keys}",
                counts.utf8, counts.latin1, counts.broken, counts.ascii
            ),
            why: "If the bytes of a value change, its lengths are wrong, and the application can't read it any more.".into(),
            action: "Keep the bytes as the application counts them: convert by way of BLOB, or rewrite the lengths in the application.".into(),
        }
        .into_finding(CHECK.name),
    )
}
