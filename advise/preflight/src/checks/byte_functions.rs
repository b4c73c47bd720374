//! Generated columns and functional indexes over the bytes of text that gets another character set.

use sql::{SqlMode, Token};

use super::{Check, CheckFunction};
use crate::expression::mentions_column;
use crate::finding::{Finding, column_finding, index_finding};
use crate::job::{Job, TableJob};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "byte-functions",
    title: "generated columns and functional indexes of the bytes of converted text, such as MD5(name)",
    reads: &[Reading::Schemas],
    doc: "MD5, SHA2, LENGTH, HEX and others work on bytes, and another character set has other bytes for all text that isn't ASCII. The \
              conversion computes such generated columns anew: look-ups by a stored hash, and comparisons with hashes of another system, find \
              nothing any more.",
    run: CheckFunction::Facts(run),
};

/// Functions whose result depends on the bytes of a text.
const FUNCTIONS: [&str; 16] = [
    "md5",
    "sha",
    "sha1",
    "sha2",
    "crc32",
    "crc32c",
    "length",
    "octet_length",
    "bit_length",
    "hex",
    "to_base64",
    "ord",
    "compress",
    "aes_encrypt",
    "password",
    "statement_digest",
];

fn run(job: &Job<'_>) -> Vec<Finding> {
    job.tables.iter().flat_map(|table| check_table(job, table)).collect()
}

fn check_table(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for column in &table.table.columns {
        let Some(generated) = &column.generated else { continue };
        if let Some(function) = byte_function(table, &generated.expression) {
            let finding = column_finding(&CHECK, Severity::Warning, table, &column.name, &job.targets[0]);
            findings.push(describe(finding, &function));
        }
    }
    for index in &table.table.indexes {
        let expressions = index.parts.iter().filter_map(|part| part.expression.as_deref());
        if let Some(function) = expressions.filter_map(|expression| byte_function(table, expression)).next() {
            let finding = index_finding(&CHECK, Severity::Warning, table, &index.name, &job.targets[0]);
            findings.push(describe(finding, &function));
        }
    }
    findings
}

/// Returns the first function of bytes in an expression that names a column which gets another
/// character set.
fn byte_function(table: &TableJob<'_>, expression: &str) -> Option<String> {
    let changes_bytes = table.conversions.iter().any(|conversion| {
        conversion.source_charset_name() != conversion.planned_target().charset
            && mentions_column(expression, &conversion.column.name)
    });
    find_byte_function(expression).filter(|_| changes_bytes)
}

fn find_byte_function(expression: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = sql::tokenize(expression, SqlMode::default()).collect();
    let called = tokens.windows(2).find(|pair| pair[0].is_any_keyword(&FUNCTIONS) && pair[1].is_symbol('('));
    // `CAST(a AS BINARY)`, and what the servers print for `BINARY a`.
    let cast = || tokens.iter().find(|token| token.is_keyword("binary"));
    called.map(|pair| &pair[0]).or_else(cast).map(|token| token.text.to_uppercase())
}

fn describe(mut finding: Finding, function: &str) -> Finding {
    finding.details.count = 1;
    finding.what = format!("{function} in its expression is of the bytes, which change where text isn't ASCII");
    finding.why = "the conversion computes it anew: values stored or compared elsewhere differ from it then".into();
    finding.action = "compute such values anew wherever else they are kept, or keep the column's character set".into();
    finding
}

#[cfg(test)]
mod tests {
    use super::find_byte_function;

    #[test]
    fn finds_functions_of_bytes() {
        assert_eq!(find_byte_function("md5(`a`)").as_deref(), Some("MD5"));
        assert_eq!(find_byte_function("cast(`a` as char charset binary)").as_deref(), Some("BINARY"));
        assert_eq!(find_byte_function("char_length(concat(`length`,'md5('))"), None);
    }
}
