//! Characters in definitions that servers print as question marks.

use sql::{SqlMode, Token, TokenKind, ddl};

use super::question::Question;
use super::{Check, CheckFunction};
use crate::expression::{find_unprintable, generated_expression, mentions_column};
use crate::finding::{Finding, column_finding, index_finding};
use crate::job::{Conversion, Job, TableJob, has_members};
use crate::quote::charset_name;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "lost-character",
    title: "question marks in printed definitions, which may be characters that the server can't print",
    reads: &[Reading::Schemas],
    doc: "Servers print a character beyond U+FFFF, such as an emoji, as ? in defaults and expressions and in members of ENUM and SET. The plan's \
              MODIFY is made from what they print, and would put question marks in place of the characters: in new rows, and in stored \
              generated values. MySQL prints four question marks for a character in an expression, which is taken for a loss: an error. In \
              expressions of latin1 and other tables it prints ? for every character beyond ASCII: _latin1'?' in a functional index is an \
              error, and in a generated column lost-character-rows asks the server. A single ? may be meant: a warning.",
    run: CheckFunction::Facts(run),
};

pub static ROWS: Check = Check {
    name: "lost-character-rows",
    title: "defaults, and members of ENUM and SET in rows, with characters that the printed definition lacks",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "Where a definition is printed with a question mark, the server is asked for DEFAULT(column) of a row, or for rows whose member has a \
              character beyond U+FFFF. If there are any, the plan's MODIFY would lose the character (error 1265 for a member in use). Where \
              MySQL prints _latin1'?' in a generated column, rows whose value differs from the printed expression prove the loss.",
    run: CheckFunction::Questions(questions),
};

/// Text that MySQL prints for a character of four bytes in an expression.
const FOUR_BYTES: &str = "????";

fn run(job: &Job<'_>) -> Vec<Finding> {
    job.tables.iter().flat_map(|table| check_table(job, table)).collect()
}

fn check_table(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (conversion, doubtful) in doubtful_columns(job, table) {
        let finding = column_finding(&CHECK, severity(&doubtful), table, &conversion.column.name, &job.targets[0]);
        findings.push(describe(finding, &doubtful));
    }
    let rebuilt = table.table.indexes.iter().filter(|index| {
        let mut expressions = index.parts.iter().filter_map(|part| part.expression.as_deref());
        expressions.any(|expression| {
            table.conversions.iter().any(|conversion| mentions_column(expression, &conversion.column.name))
        })
    });
    for index in rebuilt {
        let parts = ddl::find_index(job.create_table(table), &index.name).map_or("", |(_, parts, _)| parts);
        if let Some(doubtful) = find_doubtful(parts) {
            let severity = if find_unprintable(job, parts).is_some() { Severity::Error } else { severity(&doubtful) };
            let finding = index_finding(&CHECK, severity, table, &index.name, &job.targets[0]);
            findings.push(describe(finding, &doubtful));
        }
    }
    findings
}

fn severity(literal: &str) -> Severity {
    if literal.contains(FOUR_BYTES) { Severity::Error } else { Severity::Warning }
}

fn describe(mut finding: Finding, literal: &str) -> Finding {
    finding.details.count = 1;
    finding.what =
        format!("its definition is printed with {literal}, which may be a character that the server can't print");
    finding.why =
        "the plan's statement is made from what the server prints, and would store question marks instead".into();
    finding.action = match finding.severity {
        Severity::Error => {
            "convert it by hand, with the right character in the statement; the plan leaves its table out".into()
        }
        _ => "unless the question mark is meant, put the right character in the plan's statement".into(),
    };
    finding
}

/// Returns the converted columns with a question mark in their printed definition that may stand
/// for another character, and the literal.
fn doubtful_columns<'t>(job: &Job<'_>, table: &'t TableJob<'_>) -> Vec<(&'t Conversion<'t>, String)> {
    let create = job.create_table(table);
    let doubtful = |conversion: &'t Conversion<'t>| {
        let definition = ddl::find_column(create, &conversion.column.name)?;
        let holds_four_bytes =
            job.facts.server.charset(conversion.source_charset_name()).is_some_and(|charset| charset.max_bytes >= 4);
        let is_expression = conversion.column.generated.is_some()
            || ddl::split_default(definition).is_some_and(|(_, value, _)| value.starts_with('('));
        (holds_four_bytes || is_expression).then(|| find_doubtful(definition))?.map(|literal| (conversion, literal))
    };
    table.conversions.iter().filter_map(doubtful).collect()
}

/// Returns the first string literal with a question mark, but for comments, which lose such
/// characters when they are written.
fn find_doubtful(definition: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = sql::tokenize(definition, SqlMode::default()).collect();
    let is_comment = |at: usize| at > 0 && tokens[at - 1].is_keyword("comment");
    let is_doubtful = |(at, token): &(usize, &Token<'_>)| {
        token.kind == TokenKind::StringLiteral && token.text.contains('?') && !is_comment(*at)
    };
    tokens.iter().enumerate().find(is_doubtful).map(|(_, token)| token.text.to_owned())
}

fn questions(job: &Job<'_>, table: &TableJob<'_>) -> Vec<Question> {
    let doubtful = doubtful_columns(job, table).into_iter();
    let plain = doubtful
        .filter(|(conversion, _)| conversion.column.generated.is_none())
        .map(|(conversion, literal)| question(job, table, conversion, &literal));
    let generated = table.conversions.iter().filter_map(|conversion| generated_question(job, table, conversion));
    plain.chain(generated).collect()
}

/// Asks for rows whose value differs from the expression as the server prints it. `None` if the
/// server can print the expression, or a query can't compare values of the column's type.
fn generated_question(job: &Job<'_>, table: &TableJob<'_>, conversion: &Conversion<'_>) -> Option<Question> {
    let column = conversion.column;
    let expression = generated_expression(job, table, column)?;
    let literal = find_unprintable(job, &expression)?;
    let name = sql::quote_identifier(&column.name);
    let (own, printed) = super::generated_values::comparable_values(column, &name, &expression)?;
    let from = format!("{} {}", sql::quote_table(&table.table.schema, &table.table.name), sql::BASE_TABLE_ONLY);
    let finding = column_finding(&ROWS, Severity::Error, table, &column.name, &job.targets[0]);
    Some(Question {
        subject: format!("what {literal} in the definition of {} is", table.column_name(&column.name)),
        query: format!("SELECT COUNT(*) FROM {from} WHERE NOT ({own} <=> {printed})"),
        noun: "row",
        default: None,
        time_zone: None,
        unanswerable: None,
        finding: Finding {
            what: format!("whose value isn't that of the expression as the server prints it, with {literal}"),
            why: "the plan's MODIFY is made from what the server prints, and would store question marks instead".into(),
            action: "convert it by hand, with the right character in the expression; the plan leaves its table out"
                .into(),
            ..finding
        },
    })
}

fn question(job: &Job<'_>, table: &TableJob<'_>, conversion: &Conversion<'_>, literal: &str) -> Question {
    let column = &conversion.column.name;
    let name = sql::quote_identifier(column);
    let from = format!("{} {}", sql::quote_table(&table.table.schema, &table.table.name), sql::BASE_TABLE_ONLY);
    let (noun, query, default) = if has_members(conversion.column) {
        ("row", format!("SELECT COUNT(*) FROM {from} WHERE {}", loses_characters(job, &name)), None)
    } else {
        let default = format!("SELECT DEFAULT({name}) AS d FROM {from} LIMIT 1");
        let query = format!("SELECT COUNT(*) FROM ({default}) AS x WHERE {}", loses_characters(job, "d"));
        let definition = ddl::find_column(job.create_table(table), column).and_then(ddl::split_default);
        ("default", query, definition.map(|(_, value, _)| value.to_owned()))
    };
    let finding = column_finding(&ROWS, Severity::Error, table, column, &job.targets[0]);
    Question {
        subject: format!("what {literal} in the definition of {} is", table.column_name(column)),
        query,
        noun,
        default,
        time_zone: None,
        unanswerable: None,
        finding: Finding {
            what: format!("with a character beyond U+FFFF, which the server prints as {literal}"),
            why: "the plan's MODIFY is made from what the server prints, and would store question marks instead".into(),
            action: "convert it by hand, with the right character in the statement; the plan leaves its table out"
                .into(),
            ..finding
        },
    }
}

/// Returns a condition that holds for text with characters beyond U+FFFF.
fn loses_characters(job: &Job<'_>, value: &str) -> String {
    let utf8mb3 = charset_name(job.facts, "utf8mb3");
    format!("HEX(CONVERT(CONVERT({value} USING {utf8mb3}) USING utf8mb4)) <> HEX(CONVERT({value} USING utf8mb4))")
}

#[cfg(test)]
mod tests {
    use super::find_doubtful;

    #[test]
    fn finds_question_marks_of_literals() {
        assert_eq!(find_doubtful("enum('?','b') DEFAULT NULL").as_deref(), Some("'?'"));
        assert_eq!(find_doubtful("varchar(9) DEFAULT (_utf8mb4'????x')").as_deref(), Some("'????x'"));
        assert_eq!(find_doubtful("varchar(9) DEFAULT 'a' COMMENT 'why?'"), None);
    }
}
