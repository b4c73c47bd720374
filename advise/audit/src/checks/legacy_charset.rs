//! Columns in latin1 and the like, if the table's default has the same character set.

use std::collections::BTreeMap;

use rules::charset::{current_name, lacks_unicode_characters};

use super::Check;
use super::common::{Draft, counted, differs_from_table, list_names, table_name};
use crate::advice::Advice;
use crate::input::AuditInput;
use check::{Finding, ObjectKind, Reading, Severity};

pub(super) static CHECK: Check = Check {
    name: "legacy-charset",
    title: "columns in latin1 and other character sets of before Unicode",
    reads: &[Reading::Schemas],
    doc: "\
latin1, cp1251, sjis and the like can't hold what users of other scripts write, and every comparison with a Unicode column converts. latin1 columns also are where UTF-8 was stored by mistake \
(`double-encoded`). Columns in ascii, binary, gb18030 and Unicode character sets are not reported, and columns whose character set is not their table's are left to `column-mismatch`. What to do: convert to utf8mb4 (`weigh preflight`), or to ascii where it is a code.",
    run,
};

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let mut findings = Vec::new();
    for table in input.facts.tables() {
        let mut by_charset: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for column in table.columns.iter().filter(|column| !differs_from_table(table, column)) {
            if let Some(charset) = column.charset.as_deref().map(current_name).filter(|charset| is_legacy(charset)) {
                by_charset.entry(charset).or_default().push(column.name.clone());
            }
        }
        for (charset, columns) in by_charset {
            findings.push(
                Draft {
                    severity: Severity::Note,
                    kind: ObjectKind::Table,
                    name: table_name(table),
                    what: format!("{} in {charset}: {}", counted(columns.len(), "column"), list_names(&columns, 5)),
                    why: format!("Characters that {charset} lacks are refused or become ?; comparisons with Unicode columns convert."),
                    action: format!(
                        "Convert {} (check first with weigh preflight), or to ascii where they hold codes.",
                        advice.conversions(table, &columns).unwrap_or_else(|| list_names(&columns, 5))
                    ),
                }
                .into_finding(CHECK.name),
            );
        }
    }
    findings
}

fn is_legacy(charset: &str) -> bool {
    lacks_unicode_characters(charset) && !matches!(charset, "ascii" | "utf8mb3" | "ucs2")
}
