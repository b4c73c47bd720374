//! COLLATE clauses in stored programs that the server refuses for text of the new character set.

use check::{Object, ObjectKind, Reading, Severity};
use rehearsal::{Kind, Object as Program, ObjectName};
use sql::{SqlMode, Token, TokenKind};

use super::{Check, CheckFunction};
use crate::expression::mentions_name;
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Conversion, Job, TableJob, TargetCollation, flavour};
use crate::model::Example;
use crate::plan::programs_left;

pub static CHECK: Check = Check {
    name: "program-collate",
    title: "COLLATE of the old character set in stored programs (error 1253)",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "`NEW.name COLLATE latin1_bin` in a trigger is refused with error 1253 as soon as the column is in another character set: every \
              INSERT or UPDATE that fires the trigger fails then. The server notices it when the program runs, not when it is created. \
              Triggers on converted columns are errors. So are programs that apply it to a parameter or variable of theirs which has no \
              character set of its own: these get the schema's new one when the plan creates the program again. Others are warnings.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    // The rehearsal creates views again, which fails if they have such a COLLATE.
    let programs = job.definitions.objects.iter().filter(|object| is_run_later(object.name.kind));
    let recreated = programs_left(job, &job.request);
    programs.filter_map(|program| check_program(job, program, &recreated)).collect()
}

fn is_run_later(kind: Kind) -> bool {
    kind.is_program_or_view() && kind != Kind::View
}

fn check_program(job: &Job<'_>, program: &Program, recreated: &[ObjectName]) -> Option<Finding> {
    let mode = program.session.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse);
    let tokens: Vec<Token<'_>> =
        sql::tokenize(&program.create, mode).filter(|token| token.kind != TokenKind::Comment).collect();
    let own_table = program.table.as_deref().and_then(|table| job.table(&program.name.schema, table));
    let used: Vec<&TableJob<'_>> = job
        .tables
        .iter()
        .filter(|table| table.conversions.iter().any(changes_charset))
        .filter(|table| {
            own_table.is_some_and(|own| own.name() == table.name()) || mentions_name(&program.create, &table.table.name)
        })
        .collect();
    let mut is_certain = false;
    let mut examples = Vec::new();
    let old_default = changed_default(job, program, recreated);
    for (at, pair) in tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].is_keyword("collate")) {
        let Some(collation) = pair[1].name() else { continue };
        let charset = TargetCollation::new(&collation, flavour(job.facts)).charset;
        let of_charset = |table: &&&TableJob<'_>| {
            table.conversions.iter().any(|one| changes_charset(one) && one.source_charset_name() == charset)
        };
        let is_old_default = old_default.as_ref() == Some(&charset);
        if !used.iter().any(|table| of_charset(&table)) && !is_old_default {
            continue;
        }
        let converted = |table: &TableJob<'_>, name: &str| {
            table.conversion(name).is_some_and(|one| changes_charset(one) && one.source_charset_name() == charset)
        };
        match operand(&tokens[..at]) {
            Operand::OwnCharset => continue,
            Operand::RowColumn(name) => match own_table {
                Some(table) if converted(table, &name) => is_certain = true,
                _ => continue,
            },
            Operand::Name(name)
                if is_old_default && is_declared(&tokens, &name) && !has_own_charset(&tokens, &name) =>
            {
                is_certain = true;
            }
            Operand::Name(name) => {
                let is_column = used.iter().any(|table| table.table.columns.iter().any(|column| column.name == name));
                if (is_column && !used.iter().any(|table| converted(table, &name))) || has_own_charset(&tokens, &name) {
                    continue;
                }
            }
            Operand::Other if used.iter().any(|table| of_charset(&table)) => {}
            Operand::Other => continue,
        }
        let from = tokens[at.saturating_sub(3)].start;
        let text = program.create[from..pair[1].end()].to_owned();
        examples.push(Example { key: Vec::new(), values: vec![text], note: None });
    }
    let table = own_table.filter(|_| is_certain);
    let quoted = examples.first()?.values[0].clone();
    Some(Finding {
        check: CHECK.name.into(),
        severity: if is_certain { Severity::Error } else { Severity::Warning },
        object: Object::new(kind(program.name.kind), check::table_name(&program.name.schema, &program.name.name)),
        what: format!("it has a COLLATE of the old character set: {quoted}"),
        why: "the server refuses it for text of the new character set when the program runs: error 1253".into(),
        action: match is_certain {
            true if table.is_some() => "the plan leaves its table out; create the trigger with a collation of the new character set, then run preflight again".into(),
            true => "the plan leaves it out; create it with a collation of the new character set, then run preflight again".into(),
            false => "create it with a collation of the new character set after the plan".into(),
        },
        details: ConversionDetails {
            schema: program.name.schema.clone(),
            table: table.map(|table| table.table.name.clone()),
            target: job.targets[0].clone(),
            count: examples.len() as u64,
            examples,
            ..ConversionDetails::default()
        },
    })
}

/// Returns the character set that parameters and variables without one have now, if the plan creates
/// the program again under another default of its schema.
fn changed_default(job: &Job<'_>, program: &Program, recreated: &[ObjectName]) -> Option<String> {
    let old = server::current_charset_name(server::collation_charset(program.session.schema_collation.as_deref()?));
    let is_recreated = recreated.contains(&program.name);
    let is_changed = old != TargetCollation::new(&job.targets[0], flavour(job.facts)).charset;
    (is_recreated && is_changed && !job.request.names_tables()).then(|| old.to_string())
}

/// True if a program declares a parameter or variable of text with this name.
fn is_declared(tokens: &[Token<'_>], name: &str) -> bool {
    const TYPES: [&str; 6] = ["char", "varchar", "tinytext", "text", "mediumtext", "longtext"];
    tokens
        .windows(2)
        .any(|pair| pair[0].name().is_some_and(|own| own.eq_ignore_ascii_case(name)) && pair[1].is_any_keyword(&TYPES))
}

fn kind(kind: Kind) -> ObjectKind {
    match kind {
        Kind::Trigger => ObjectKind::Trigger,
        Kind::Event => ObjectKind::Event,
        _ => ObjectKind::Routine,
    }
}

fn changes_charset(conversion: &Conversion<'_>) -> bool {
    conversion.source_charset_name() != conversion.planned_target().charset
}

/// What a COLLATE applies to.
#[derive(Debug, PartialEq, Eq)]
enum Operand {
    /// Text whose character set is written out: `CONVERT(… USING latin1)`, `_latin1'x'`.
    OwnCharset,
    /// `NEW.name`, `OLD.name`.
    RowColumn(String),
    /// A column, a variable or a parameter.
    Name(String),
    Other,
}

/// Returns what a COLLATE after the tokens applies to.
fn operand(tokens: &[Token<'_>]) -> Operand {
    let Some(last) = tokens.last() else { return Operand::Other };
    if last.is_symbol(')') {
        let mut depth = 0;
        let from = tokens.iter().rposition(|token| {
            depth += i32::from(token.is_symbol(')')) - i32::from(token.is_symbol('('));
            depth == 0
        });
        let inside = &tokens[from.unwrap_or(0)..];
        // `x VARCHAR(10) COLLATE latin1_bin` declares a character set.
        let is_type = from.and_then(|from| from.checked_sub(1)).is_some_and(|at| {
            tokens[at].is_any_keyword(&["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"])
        });
        if is_type {
            return Operand::OwnCharset;
        }
        let names_charset = inside.iter().any(|token| token.is_any_keyword(&["using", "charset", "character"]));
        return if names_charset { Operand::OwnCharset } else { Operand::Other };
    }
    let before = tokens.len().checked_sub(2).map(|at| &tokens[at]);
    // `CHARACTER SET latin1 COLLATE latin1_bin`.
    if before.is_some_and(|token| token.is_any_keyword(&["set", "charset"])) {
        return Operand::OwnCharset;
    }
    let Some(name) = last.name() else {
        let is_introduced = before.is_some_and(|token| token.text.starts_with('_'));
        return if is_introduced { Operand::OwnCharset } else { Operand::Other };
    };
    let is_of_row = before.is_some_and(|token| token.is_symbol('.'))
        && tokens.len() > 2
        && tokens[tokens.len() - 3].is_any_keyword(&["new", "old"]);
    if is_of_row { Operand::RowColumn(name) } else { Operand::Name(name) }
}

/// True if the declaration of a parameter or variable names a character set.
fn has_own_charset(tokens: &[Token<'_>], name: &str) -> bool {
    let is_end = |token: &&Token<'_>| token.is_symbol(',') || token.is_symbol(';');
    let is_charset = |token: &Token<'_>| token.is_any_keyword(&["charset", "character"]);
    let declared = tokens.iter().position(|token| token.name().is_some_and(|own| own.eq_ignore_ascii_case(name)));
    declared.is_some_and(|at| tokens[at..].iter().take_while(|token| !is_end(token)).take(12).any(is_charset))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand_of(text: &str) -> Operand {
        let tokens: Vec<Token<'_>> = sql::tokenize(text, SqlMode::default()).collect();
        operand(&tokens)
    }

    #[test]
    fn finds_what_a_collate_applies_to() {
        assert_eq!(operand_of("SET NEW.b = NEW.`a`"), Operand::RowColumn("a".into()));
        assert_eq!(operand_of("WHERE t.a"), Operand::Name("a".into()));
        assert_eq!(operand_of("= CONVERT(lower(a) USING latin1)"), Operand::OwnCharset);
        assert_eq!(operand_of("= _latin1'x'"), Operand::OwnCharset);
        assert_eq!(operand_of("DECLARE x VARCHAR(9)"), Operand::OwnCharset);
        assert_eq!(operand_of("DECLARE x VARCHAR(9) CHARACTER SET latin1"), Operand::OwnCharset);
        assert_eq!(operand_of("= lower(a)"), Operand::Other);
        assert_eq!(operand_of("= 'x'"), Operand::Other);
    }
}
