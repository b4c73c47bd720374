//! Generated columns, functional indexes, programs and views over the bytes of text that gets
//! another character set.

use audit::{declared_parameters, declared_variables};
use mysql_collation::Charset;
use rehearsal::{Kind, Object as Program, ObjectName};
use server::{collation_charset, current_charset_name};
use sql::{SqlMode, Token};

use super::program_mix::program_finding;
use super::{Check, CheckFunction};
use crate::expression::mentions_column;
use crate::finding::{Finding, column_finding, index_finding};
use crate::job::{Conversion, Job, TableJob};
use crate::plan::programs_left;
use crate::program::{self, named_tables};
use crate::text::is_subset;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "byte-functions",
    title: "generated columns, functional indexes, programs and views of the bytes of converted text, such as MD5(name)",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "MD5, SHA2, LENGTH, HEX and others work on bytes, and another character set has other bytes for text that isn't ASCII (not utf8mb4 in place of utf8mb3). The \
              conversion computes such generated columns anew: look-ups by a stored hash, and comparisons with hashes of another system, find \
              nothing any more. Triggers, routines, events and views that call them with a converted column, or with a parameter or variable \
              that gets the new character set, disagree with the values that were stored before: a UNIQUE key of hashes then takes duplicates. \
              AES_DECRYPT and others that read bytes give NULL then. \
              Where a program only takes the length, it is a note.",
    run: CheckFunction::Facts(run),
};

/// Functions whose result depends on the bytes of a text.
const FUNCTIONS: [&str; 27] = [
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
    "ascii",
    "weight_string",
    "compress",
    "aes_encrypt",
    "des_encrypt",
    "encrypt",
    "encode",
    "password",
    "old_password",
    "statement_digest",
    "aes_decrypt",
    "des_decrypt",
    "decode",
    "uncompress",
    "uncompressed_length",
];

/// Functions among [`FUNCTIONS`] that read bytes which a function such as AES_ENCRYPT has made.
const DECODERS: [&str; 5] = ["aes_decrypt", "des_decrypt", "decode", "uncompress", "uncompressed_length"];

/// Functions among [`FUNCTIONS`] whose result is a length.
const LENGTHS: [&str; 3] = ["length", "octet_length", "bit_length"];

fn run(job: &Job<'_>) -> Vec<Finding> {
    let recreated = programs_left(job, &job.request);
    let programs = job.definitions.objects.iter().filter(|object| object.name.kind.is_program_or_view());
    let of_programs = programs.filter_map(|program| check_program(job, program, &recreated));
    job.tables.iter().flat_map(|table| check_table(job, table)).chain(of_programs).collect()
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

/// Returns the first function of bytes, or else BINARY, in an expression that names a column whose
/// text gets other bytes.
fn byte_function(table: &TableJob<'_>, expression: &str) -> Option<String> {
    let is_named =
        |conversion: &Conversion<'_>| changes_bytes(conversion) && mentions_column(expression, &conversion.column.name);
    find_byte_function(expression).filter(|_| table.conversions.iter().any(is_named))
}

/// True unless all text keeps its bytes, as that of utf8mb3 does in utf8mb4.
fn changes_bytes(conversion: &Conversion<'_>) -> bool {
    differ_in_bytes(conversion.source_charset_name(), &conversion.planned_target().charset)
}

fn differ_in_bytes(from: &str, to: &str) -> bool {
    let [from, to] = [from, to].map(current_charset_name);
    from != to && Charset::by_name(from).zip(Charset::by_name(to)).is_none_or(|(from, to)| !is_subset(from, to))
}

/// Reports a program or view that calls functions of bytes with text that gets another character
/// set.
fn check_program(job: &Job<'_>, program: &Program, recreated: &[ObjectName]) -> Option<Finding> {
    let texts = program::texts(program);
    let tokens = program::tokens(program, &texts);
    let changed: Vec<String> = named_tables(job, program, &tokens.concat())
        .into_iter()
        .filter_map(|table| job.table(&table.schema, &table.name))
        .flat_map(|table| table.conversions.iter().filter(|one| changes_bytes(one)))
        .map(|conversion| conversion.column.name.clone())
        .collect();
    let mut calls: Vec<&Token<'_>> = tokens.iter().flat_map(|tokens| calls_with(tokens, &changed)).collect();
    if recreated.contains(&program.name) && gets_new_default(job, program) {
        calls.extend(calls_with(&tokens[0], &undeclared_texts(program, &tokens[0])));
    }
    let call = calls.iter().find(|call| !call.is_any_keyword(&LENGTHS)).or_else(|| calls.first())?;
    let severity = if call.is_any_keyword(&LENGTHS) { Severity::Note } else { Severity::Warning };
    let mut finding = program_finding(job, program, severity);
    finding.check = CHECK.name.into();
    finding.what = format!("it calls {} with text whose bytes change where it isn't ASCII", call.text.to_uppercase());
    let name = call.text.to_uppercase();
    if call.is_any_keyword(&DECODERS) {
        finding.why = "the text holds bytes, and those of another character set give NULL or another text".into();
        finding.action = format!(
            "make the column VARBINARY or BLOB before, so that the plan leaves it, or give {name} the text in the old character set: \
             CONVERT(… USING …)"
        );
        return Some(finding);
    }
    finding.why =
        "values that were stored before the plan, or are stored elsewhere, differ from its result then".into();
    finding.action = format!(
        "compute stored values anew after the plan, or give {name} the text in the old character set: CONVERT(… USING …)"
    );
    Some(finding)
}

/// True if what a program declares without a character set gets one with other bytes when it is
/// created again.
fn gets_new_default(job: &Job<'_>, program: &Program) -> bool {
    let old = program.session.schema_collation.as_deref().map(collation_charset);
    let is_other = |old| differ_in_bytes(old, collation_charset(&job.targets[0]));
    old.is_some_and(is_other) && !job.request.names_tables()
}

/// Returns the parameters and variables of a program without a character set of their own.
fn undeclared_texts(program: &Program, tokens: &[Token<'_>]) -> Vec<String> {
    let has_parameters = matches!(program.name.kind, Kind::Function | Kind::Procedure);
    let open = tokens.iter().position(|token| token.is_symbol('(')).filter(|_| has_parameters);
    let (mut declared, close) = open.map_or((Vec::new(), 0), |open| declared_parameters(tokens, open));
    let parts = tokens.get(close..).unwrap_or_default().split(|token| token.is_symbol(';'));
    declared.extend(parts.flat_map(declared_variables));
    let is_undeclared = |one: &audit::Declaration| one.charset.is_none() && one.collation.is_none();
    declared.into_iter().filter(is_undeclared).map(|one| one.name).collect()
}

/// Returns the functions of bytes that are called with one of the names, unless a CONVERT or CAST
/// in the call names a character set.
fn calls_with<'t, 's>(tokens: &'t [Token<'s>], names: &[String]) -> Vec<&'t Token<'s>> {
    let has_name =
        |token: &Token<'_>| token.name().is_some_and(|own| names.iter().any(|name| name.eq_ignore_ascii_case(&own)));
    let is_call = |at: &usize| {
        let is_function =
            tokens[*at].is_any_keyword(&FUNCTIONS) && tokens.get(at + 1).is_some_and(|next| next.is_symbol('('));
        let inside = tokens.get(at + 2..).filter(|_| is_function).unwrap_or_default();
        let inside = sql::closing_parenthesis(inside).map_or(inside, |close| &inside[..close]);
        inside.iter().any(has_name)
            && !inside.iter().any(|token| token.is_any_keyword(&["using", "character", "charset"]))
    };
    (0..tokens.len()).filter(is_call).map(|at| &tokens[at]).collect()
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
    if DECODERS.iter().any(|decoder| decoder.eq_ignore_ascii_case(function)) {
        finding.why = "the text holds bytes, and those of another character set give NULL or another text".into();
        finding.action = "keep the column's character set, or make it VARBINARY or BLOB before".into();
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_calls_with_names() {
        let calls = |text: &str| {
            let tokens: Vec<Token<'_>> = sql::tokenize(text, SqlMode::default()).collect();
            calls_with(&tokens, &["name".to_owned()]).iter().map(|token| token.text.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(calls("SET NEW.h = SHA2(CONCAT(NEW.name, id), 256), x = LENGTH(y)"), ["SHA2"]);
        assert_eq!(calls("select md5(`u`.`Name`) where crc32(id) = 5"), ["md5"]);
        assert_eq!(calls("SET h = MD5(CONVERT(NEW.name USING latin1)), name = UPPER(name)"), [""; 0]);
    }

    #[test]
    fn finds_functions_of_bytes() {
        assert_eq!(find_byte_function("md5(`a`)").as_deref(), Some("MD5"));
        assert_eq!(find_byte_function("cast(`a` as char charset binary)").as_deref(), Some("BINARY"));
        assert_eq!(find_byte_function("char_length(concat(`length`,'md5('))"), None);
    }
}
