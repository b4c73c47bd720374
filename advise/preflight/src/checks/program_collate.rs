//! COLLATE clauses in stored programs that the server refuses for text of the new character set.

use check::{Object, Reading, Severity};
use rehearsal::{Kind, Object as Program, ObjectName};
use server::current_charset_name;
use sql::Token;

use super::{Check, CheckFunction};
use crate::expression::mentions_name;
use crate::finding::{ConversionDetails, Finding};
use crate::job::{Conversion, Job, TableJob, TargetCollation, flavour};
use crate::model::Example;
use crate::plan::programs_left;
use crate::program::{self, object_kind};

pub static CHECK: Check = Check {
    name: "program-collate",
    title: "COLLATE of the old character set in stored programs (error 1253)",
    reads: &[Reading::Schemas, Reading::Programs],
    doc: "`NEW.name COLLATE latin1_bin` in a trigger is refused with error 1253 as soon as the column is in another character set: every \
              statement that fires the trigger and reaches the expression fails then. The server notices it when the program runs, not when it is created. \
              Triggers that apply it to NEW or OLD of a converted column are errors. So are programs that apply it to a parameter or variable of theirs which has no \
              character set of its own: these get the schema's new one when the plan creates the program again. Others are warnings.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    // The rehearsal creates views again, which fails if they have such a COLLATE.
    let programs = job.definitions.objects.iter().filter(|object| is_checked_only_when_run(object.name.kind));
    let recreated = programs_left(job, &job.request);
    programs.filter_map(|program| check_program(job, program, &recreated)).collect()
}

fn is_checked_only_when_run(kind: Kind) -> bool {
    kind.is_program_or_view() && kind != Kind::View
}

fn check_program(job: &Job<'_>, program: &Program, recreated: &[ObjectName]) -> Option<Finding> {
    let own_table = program.table.as_deref().and_then(|table| job.table(&program.name.schema, table));
    let used = job
        .tables
        .iter()
        .filter(|table| table.conversions.iter().any(changes_charset))
        .filter(|table| {
            own_table.is_some_and(|own| own.name() == table.name()) || mentions_name(&program.create, &table.table.name)
        })
        .collect();
    let mut reader = Reader { job, own_table, used, old_default: old_schema_charset(job, program, recreated) };
    let mut is_certain = false;
    let mut examples = Vec::new();
    let texts = program::texts(program);
    for (text, tokens) in texts.iter().zip(program::tokens(program, &texts)) {
        for (at, pair) in tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].is_keyword("collate")) {
            let Some(collation) = pair[1].name() else { continue };
            let Some(refused) = reader.judge(&tokens, at, &collation) else { continue };
            is_certain |= refused == Refused::Certainly;
            let from = tokens[at.saturating_sub(3)].start;
            let text = text[from..pair[1].end()].to_owned();
            examples.push(Example { key: Vec::new(), values: vec![text], note: None });
        }
        // Prepared statements see no variables.
        reader.old_default = None;
    }
    let table = own_table.filter(|_| is_certain);
    let quoted = examples.first()?.values[0].clone();
    Some(Finding {
        check: CHECK.name.into(),
        severity: if is_certain { Severity::Error } else { Severity::Warning },
        object: Object::new(object_kind(program.name.kind), check::table_name(&program.name.schema, &program.name.name)),
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

/// Tables that a program uses, and what it declares.
struct Reader<'j, 'f> {
    job: &'j Job<'f>,
    /// Converted table of a trigger.
    own_table: Option<&'j TableJob<'f>>,
    used: Vec<&'j TableJob<'f>>,
    /// See [`old_schema_charset`].
    old_default: Option<String>,
}

/// Text that the server refuses for a COLLATE after the plan.
#[derive(PartialEq, Eq)]
enum Refused {
    Certainly,
    Possibly,
}

impl Reader<'_, '_> {
    /// Judges the COLLATE at a position. `None` if its operand keeps its character set, or gets the
    /// one of the collation.
    fn judge(&self, tokens: &[Token<'_>], at: usize, collation: &str) -> Option<Refused> {
        let charset = collation_charset(self.job, collation);
        let leaves_charset =
            |one: &Conversion<'_>| changes_charset(one) && current_charset_name(one.source_charset_name()) == charset;
        let is_left = self.used.iter().any(|table| table.conversions.iter().any(leaves_charset));
        let is_old_default = self.old_default.as_ref() == Some(&charset);
        if !is_left && !is_old_default {
            return None;
        }
        let converted = |table: &TableJob<'_>, name: &str| table.conversion(name).is_some_and(leaves_charset);
        match operand(&tokens[..at]) {
            Operand::OwnCharset => None,
            Operand::RowColumn(name) => {
                self.own_table.filter(|table| converted(table, &name)).map(|_| Refused::Certainly)
            }
            Operand::Name(name) => {
                let declared = find_declared_type(tokens, &name);
                let has_own_charset = declared.is_some_and(names_charset);
                let is_column = self.used.iter().any(|table| table.table.column(&name).is_some());
                if declared.is_some() && is_old_default && !has_own_charset {
                    return Some(Refused::Certainly);
                }
                let stays = has_own_charset || (is_column && !self.used.iter().any(|table| converted(table, &name)));
                (!stays).then_some(Refused::Possibly)
            }
            Operand::Other => is_left.then_some(Refused::Possibly),
        }
    }
}

/// Returns the character set that parameters and variables without one have now, if the plan
/// creates the program again after it has changed the default of the schema. `None` if the plan
/// converts single tables, or if the program stays.
fn old_schema_charset(job: &Job<'_>, program: &Program, recreated: &[ObjectName]) -> Option<String> {
    let old = current_charset_name(server::collation_charset(program.session.schema_collation.as_deref()?));
    let is_recreated = recreated.contains(&program.name);
    let is_changed = old != collation_charset(job, &job.targets[0]);
    (is_recreated && is_changed && !job.request.names_tables()).then(|| old.to_string())
}

/// Returns the current name of a collation's character set: `utf8_bin` has `utf8mb3`.
fn collation_charset(job: &Job<'_>, collation: &str) -> String {
    current_charset_name(&TargetCollation::new(collation, flavour(job.facts)).charset).to_owned()
}

fn changes_charset(conversion: &Conversion<'_>) -> bool {
    let (from, to) = (conversion.source_charset_name(), conversion.planned_target().charset.as_str());
    current_charset_name(from) != current_charset_name(to)
}

/// Operand of a COLLATE.
#[derive(Debug, PartialEq, Eq)]
enum Operand {
    /// Text whose character set is written out: `CONVERT(… USING latin1)`, `_latin1'x'`. Also a
    /// type, whose COLLATE names its character set: `DECLARE x TEXT COLLATE latin1_bin`.
    OwnCharset,
    /// `NEW.name`, `OLD.name`.
    RowColumn(String),
    /// A column, a variable or a parameter.
    Name(String),
    Other,
}

/// Types of text that take a character set.
const TEXT_TYPES: [&str; 8] = ["char", "character", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum"];

/// Keywords before an expression. After them, `text` is a column.
const EXPRESSION_KEYWORDS: [&str; 30] = [
    "select", "distinct", "all", "where", "having", "on", "and", "or", "xor", "not", "like", "rlike", "regexp",
    "between", "in", "case", "when", "then", "else", "if", "elseif", "while", "until", "from", "by", "set", "return",
    "binary", "interval", "values",
];

/// Returns what a COLLATE after the tokens applies to.
fn operand(tokens: &[Token<'_>]) -> Operand {
    let Some(last) = tokens.last() else { return Operand::Other };
    let before = |back: usize| tokens.len().checked_sub(back + 1).map(|at| &tokens[at]);
    if last.is_symbol(')') {
        return parenthesized_operand(tokens);
    }
    // `CHARACTER SET latin1 COLLATE latin1_bin`, `CHARSET = latin1 COLLATE latin1_bin`.
    let keyword = if before(1).is_some_and(|token| token.is_symbol('=')) { before(2) } else { before(1) };
    if keyword.is_some_and(|token| token.is_any_keyword(&["set", "charset"])) {
        return Operand::OwnCharset;
    }
    let Some(name) = last.name() else {
        let is_introduced = before(1).is_some_and(|token| token.text.starts_with('_'));
        return if is_introduced { Operand::OwnCharset } else { Operand::Other };
    };
    let follows_name =
        before(1).is_some_and(|token| token.name().is_some() && !token.is_any_keyword(&EXPRESSION_KEYWORDS));
    if last.is_any_keyword(&TEXT_TYPES) && follows_name {
        return Operand::OwnCharset;
    }
    let is_of_row = before(1).is_some_and(|token| token.is_symbol('.'))
        && before(2).is_some_and(|token| token.is_any_keyword(&["new", "old"]));
    if is_of_row { Operand::RowColumn(name) } else { Operand::Name(name) }
}

/// Returns what a COLLATE after the closing parenthesis that ends the tokens applies to.
fn parenthesized_operand(tokens: &[Token<'_>]) -> Operand {
    let mut depth = 0;
    let open = tokens.iter().rposition(|token| {
        depth += i32::from(token.is_symbol(')')) - i32::from(token.is_symbol('('));
        depth == 0
    });
    let open = open.unwrap_or(0);
    // `x VARCHAR(10) COLLATE latin1_bin` declares a character set.
    let word = open.checked_sub(1).map(|at| &tokens[at]);
    if word.is_some_and(|token| token.is_any_keyword(&TEXT_TYPES) || token.is_keyword("set")) {
        return Operand::OwnCharset;
    }
    let inside = &tokens[open + 1..];
    // Of a query, only what it selects is the operand.
    let is_query = inside.first().is_some_and(|token| token.is_any_keyword(&["select", "with", "values", "table"]));
    let selected = inside.iter().position(|token| is_query && token.is_keyword("from")).unwrap_or(inside.len());
    let converts = inside[..selected].windows(2).any(|pair| {
        // `USING (id)` is of a join.
        pair[0].is_any_keyword(&["charset", "character"]) || pair[0].is_keyword("using") && !pair[1].is_symbol('(')
    });
    if converts { Operand::OwnCharset } else { Operand::Other }
}

/// Returns the tokens from the type of a parameter or variable of text on. `None` if the program
/// declares none of this name.
fn find_declared_type<'t, 's>(tokens: &'t [Token<'s>], name: &str) -> Option<&'t [Token<'s>]> {
    let is_name = |token: &Token<'_>| token.name().is_some_and(|own| own.eq_ignore_ascii_case(name));
    let places = (0..tokens.len()).filter(|&at| is_name(&tokens[at]));
    places
        .filter_map(|at| tokens.get(type_position(tokens, at)?..))
        .find(|from| from.first().is_some_and(|token| token.is_any_keyword(&TEXT_TYPES)))
}

/// Returns the position of the type that would follow the name at `at`. In `DECLARE a, b
/// VARCHAR(9)`, both names have the same type. `None` for a name in another list.
fn type_position(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let is_list = |comma: usize, name: usize| {
        tokens.get(comma).is_some_and(|token| token.is_symbol(','))
            && tokens.get(name).is_some_and(|token| token.name().is_some())
    };
    let (mut first, mut last) = (at, at);
    while first >= 2 && is_list(first - 1, first - 2) {
        first -= 2;
    }
    while is_list(last + 1, last + 2) {
        last += 2;
    }
    let is_declared = first.checked_sub(1).is_some_and(|before| tokens[before].is_keyword("declare"));
    (last == at || is_declared).then_some(last + 1)
}

/// Returns true if a type names its character set or collation. Takes the tokens from the type on.
fn names_charset(from: &[Token<'_>]) -> bool {
    let mut depth = 0_i32;
    let is_end = |token: &Token<'_>| {
        depth += i32::from(token.is_symbol('(')) - i32::from(token.is_symbol(')'));
        let ends = token.is_symbol(',') || token.is_any_keyword(&["default", "begin", "return"]);
        depth < 0 || token.is_symbol(';') || depth == 0 && ends
    };
    let length = from.iter().position(is_end).unwrap_or(from.len());
    // The type itself may be `CHARACTER`.
    from[..length].iter().skip(1).any(|token| token.is_any_keyword(&["charset", "character", "collate"]))
}

#[cfg(test)]
mod tests {
    use sql::SqlMode;

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
        assert_eq!(operand_of("DECLARE x TEXT"), Operand::OwnCharset);
        assert_eq!(operand_of("RETURNS TEXT"), Operand::OwnCharset);
        assert_eq!(operand_of("CREATE TEMPORARY TABLE x (a INT) DEFAULT CHARSET=latin1"), Operand::OwnCharset);
        assert_eq!(operand_of("WHERE a = 1 AND text"), Operand::Name("text".into()));
        assert_eq!(operand_of("= (SELECT a FROM t JOIN u USING (id) LIMIT 1)"), Operand::Other);
        assert_eq!(operand_of("= (SELECT a FROM t WHERE CONVERT(b USING latin1) = 'x' LIMIT 1)"), Operand::Other);
        assert_eq!(operand_of("= lower(a)"), Operand::Other);
        assert_eq!(operand_of("= 'x'"), Operand::Other);
    }

    #[test]
    fn finds_the_types_of_parameters_and_variables() {
        let text = "CREATE PROCEDURE p (a VARCHAR(9), IN b CHARACTER(9) COLLATE latin1_bin) BEGIN DECLARE c, d TEXT; \
                    DECLARE e ENUM('x', 'y') CHARSET latin1; DECLARE f INT; SELECT a, c, text COLLATE latin1_bin; END";
        let tokens: Vec<Token<'_>> = sql::tokenize(text, SqlMode::default()).collect();
        let own = |name: &str| find_declared_type(&tokens, name).map(names_charset);
        assert_eq!(["a", "b", "C", "d", "e"].map(own), [false, true, false, false, true].map(Some));
        assert_eq!(["f", "p", "x"].map(own), [None; 3]);
    }
}
