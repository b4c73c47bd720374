//! Character sets of before Unicode.

use std::collections::BTreeMap;

use rules::charset::{is_narrow, modern};

use super::common::{Draft, counted, some_of, table_name};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};

pub(super) static CHECK: Check = Check {
    name: "legacy-charset",
    title: "columns in latin1 and other character sets of before Unicode",
    reads: &[Reading::Schemas],
    doc: "\
latin1, cp1251, sjis and the like can't hold what users of other scripts write, and every comparison with a Unicode column converts. latin1 columns also are where UTF-8 was stored by mistake \
(`double-encoded`). ascii and binary are fine for codes and are not told, nor are columns in ucs2, utf16 and utf32. What to do: convert to utf8mb4 (`weigh preflight`), or to ascii where it is a code.",
    run,
};

fn run(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in evidence.facts.tables() {
        let mut by_charset: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for column in &table.columns {
            if let Some(charset) = column.charset.as_deref().map(modern).filter(|charset| is_legacy(charset)) {
                by_charset.entry(charset).or_default().push(column.name.clone());
            }
        }
        for (charset, columns) in by_charset {
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind: ObjectKind::Table,
                    name: table_name(table),
                    what: format!("{} in {charset}: {}", counted(columns.len(), "column"), some_of(&columns, 5)),
                    why: format!("Characters that {charset} lacks are refused or become ?; comparisons with Unicode columns convert."),
                    action: "Convert to utf8mb4 (see first by weigh preflight what that meets), or to ascii where they hold codes.".into(),
                }
                .of(CHECK.name),
            );
        }
    }
    findings
}

fn is_legacy(charset: &str) -> bool {
    is_narrow(charset) && !matches!(charset, "ascii" | "utf8mb3" | "ucs2")
}
