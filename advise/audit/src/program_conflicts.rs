//! Texts in stored programs that don't fit each other: columns, parameters, variables, columns of
//! temporary tables, user variables, and results of functions, CONVERT and CAST.

use std::collections::HashSet;

use check::ObjectKind;
use facts::{Facts, Program, Schema, ServerFacts};
use rules::coercibility::{Coercibility, Outcome, Side, choose_collation};
use server::{Flavour, Version, error_code};
use sql::{PreparedTexts, Token, TokenKind, set_variables, split_body};

use crate::checks::default_collation;
use crate::distinct::Distinct;
use crate::text::{
    Call, Comparison, ComparisonKind, CreatedTable, Declaration, LiteralComparison, Name, Operand, Scope,
    created_table, declared_variables, find_comparisons, find_literal_comparisons, find_names_at, simplify_calls,
    text_columns, tokens_in,
};

/// First version of MariaDB that was seen to give CONVERT, CAST and user variables a coercibility
/// of 4, so that they adapt to a column. On MySQL 5.6 to 9.7 and MariaDB 10.1 to 11.4 it is 2, as
/// for a column, and the comparison is refused (error 1267).
const CONVERSIONS_ADAPT: Version = Version::new(11, 8, 0);

/// A stored program with texts that don't fit each other.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramConflicts<'f> {
    pub kind: ObjectKind,
    pub schema: &'f Schema,
    pub program: &'f Program,
    /// Table of a trigger.
    pub table: Option<&'f str>,
    /// Not empty.
    pub conflicts: Vec<Conflict>,
}

/// Two texts that a program compares or combines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    pub left: ConflictSide,
    pub right: ConflictSide,
    pub effect: ConflictEffect,
}

/// A text in a [`Conflict`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConflictSide {
    /// `shop.orders.code`, a variable's name, or the text of a literal or call.
    pub name: String,
    pub collation: String,
    /// True for columns of tables that are in the facts.
    pub is_column: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConflictEffect {
    /// The server refuses, with this error.
    Refused(u16),
    /// A column is converted, so this index of it is unusable.
    IndexLost(String),
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { left, right, effect } = self;
        write!(f, "{} ({}) with {} ({})", left.name, left.collation, right.name, right.collation)?;
        match effect {
            ConflictEffect::Refused(_) => Ok(()),
            ConflictEffect::IndexLost(index) => write!(f, ", index {index}"),
        }
    }
}

/// Returns the routines, triggers and events that compare or combine texts which don't fit.
pub fn find_program_conflicts(facts: &Facts) -> Vec<ProgramConflicts<'_>> {
    let mut found = Vec::new();
    for schema in &facts.schemas {
        let mut add = |kind, program, table, scope| {
            let conflicts = read_program(facts, schema, program, scope);
            if !conflicts.is_empty() {
                found.push(ProgramConflicts { kind, schema, program, table, conflicts });
            }
        };
        for routine in &schema.routines {
            let mut scope = Scope::default();
            for parameter in &routine.parameters {
                if let (Some(name), Some(collation)) = (&parameter.name, &parameter.collation) {
                    scope.add_variable(name, collation);
                }
            }
            add(ObjectKind::Routine, &routine.program, None, scope);
        }
        for trigger in &schema.triggers {
            let mut scope = Scope::default();
            for row in ["new", "old"] {
                scope.add_row(row, text_columns(facts, &schema.name, &trigger.table));
            }
            add(ObjectKind::Trigger, &trigger.program, Some(trigger.table.as_str()), scope);
        }
        for event in &schema.events {
            add(ObjectKind::Event, &event.program, None, Scope::default());
        }
    }
    found
}

/// `scope` starts with the parameters of a routine, or with OLD and NEW of a trigger.
fn read_program(facts: &Facts, schema: &Schema, program: &Program, mut scope: Scope<'_>) -> Vec<Conflict> {
    let (body, mode) = (program.body.as_deref().unwrap_or(""), program.lexer_mode());
    let parts = split_body(body, mode);
    let mut found = Distinct::default();
    let reader = Reader { facts, schema, program };
    for part in &parts {
        for variable in declared_variables(part) {
            let stored = program.charsets.database.as_deref().unwrap_or(&schema.collation);
            scope.add_variable(&variable.name, &collation_of(facts, &variable, stored));
        }
        if let Some(table) = created_table(part) {
            scope.add_table(&table.name, created_columns(facts, &table, &schema.collation));
        }
        for (name, value) in set_variables(part) {
            match reader.value_collation(&scope, value) {
                Some(collation) => scope.add_variable(&name, &collation),
                None => scope.remove_variable(&name),
            }
        }
        reader.read_part(body, part, &scope).into_iter().for_each(|conflict| found.add(conflict));
    }
    for prepared in PreparedTexts::read(&parts, mode).literals {
        // A prepared statement sees no variables of its program, and user variables are not read.
        let conflicts = reader.read_part(&prepared, &tokens_in(&prepared, mode), &Scope::default());
        conflicts.into_iter().for_each(|conflict| found.add(conflict));
    }
    found.list
}

struct Reader<'r> {
    facts: &'r Facts,
    schema: &'r Schema,
    program: &'r Program,
}

impl Reader<'_> {
    /// Returns the conflicts in `part`, the tokens of `text` between two semicolons.
    fn read_part(&self, text: &str, part: &[Token<'_>], program_scope: &Scope<'_>) -> Vec<Conflict> {
        let server = &self.facts.server;
        let reads_conversions = server.flavour == Flavour::MySql || server.version_number() < CONVERSIONS_ADAPT;
        let mut scope = Scope::from_statement(self.facts, part, Some(&self.schema.name));
        let mut comparisons: Vec<(Comparison, bool)> =
            find_comparisons(part).into_iter().map(|comparison| (comparison, true)).collect();
        let mut simple = simplify_calls(text, part, reads_conversions);
        let mut has_others = simple.tokens.len() != part.len();
        for token in simple.tokens.iter_mut().filter(|token| is_user_variable(token)) {
            if reads_conversions && program_scope.has_variable(token.text) {
                token.kind = TokenKind::Word;
                has_others = true;
            }
        }
        if has_others {
            for converted in &simple.converted {
                let collation = match &converted.charset {
                    Some(charset) => charset_default(self.facts, charset),
                    None => Some(self.program.charsets.connection.clone()),
                };
                if let Some(collation) = collation.filter(|name| !name.is_empty()) {
                    scope.add_variable(&converted.text, &collation);
                }
            }
            let as_written: HashSet<Comparison> =
                comparisons.iter().map(|(comparison, _)| comparison.clone()).collect();
            let of_calls = find_comparisons(&simple.tokens).into_iter().filter(|one| !as_written.contains(one));
            comparisons.extend(of_calls.map(|comparison| (comparison, false)));
        }
        let arguments = find_names_at(&simple.tokens, &simple.arguments);
        let judge = |(comparison, is_written): &(Comparison, bool)| {
            let (left, right) = (
                scope.find_here_or_in(program_scope, &comparison.left),
                scope.find_here_or_in(program_scope, &comparison.right),
            );
            // A name that several tables in scope have is skipped: only the server knows which is
            // meant.
            let ([left], [right]) = (left.as_slice(), right.as_slice()) else { return None };
            let effect = judge(server, comparison.kind, left, right)?;
            // The index of a column within a call is not looked up anyway.
            let is_in_call = |name: &Name, operand: &Operand<'_>| operand.column.is_some() && arguments.contains(name);
            let is_kept = *is_written
                || matches!(effect, ConflictEffect::Refused(_))
                || !is_in_call(&comparison.left, left) && !is_in_call(&comparison.right, right);
            is_kept.then(|| Conflict { left: side(left), right: side(right), effect })
        };
        let mut found: Vec<Conflict> = comparisons.iter().filter_map(judge).collect();
        found.extend(self.compare_results(part));
        found
    }

    /// Returns the conflicts of stored functions' results with literals. Both have coercibility 4,
    /// so that neither adapts to the other.
    fn compare_results(&self, part: &[Token<'_>]) -> Vec<Conflict> {
        let server = &self.facts.server;
        let connection = &self.program.charsets.connection;
        let conflict = |LiteralComparison { call, literal, operands }: LiteralComparison<'_>| {
            let collation = self.result_collation(&call)?;
            let operand = |name| rules::coercibility::Operand::new(name, Coercibility::Coercible);
            let outcome =
                choose_collation(server.flavour, server.version_number(), operand(collation), operand(connection))?;
            let is_refused = outcome == Outcome::IllegalMix;
            is_refused.then(|| Conflict {
                left: text_side(format!("{}()", call.name), collation),
                right: text_side(literal.to_owned(), connection),
                effect: ConflictEffect::Refused(match operands {
                    2 => error_code::CANT_AGGREGATE_2COLLATIONS,
                    3 => error_code::CANT_AGGREGATE_3COLLATIONS,
                    _ => error_code::CANT_AGGREGATE_NCOLLATIONS,
                }),
            })
        };
        find_literal_comparisons(part).into_iter().filter_map(conflict).collect()
    }

    /// Returns the collation of a stored function's result.
    fn result_collation(&self, call: &Call) -> Option<&str> {
        let schema = match &call.schema {
            Some(name) => self.facts.schemas.iter().find(|schema| schema.name.eq_ignore_ascii_case(name))?,
            None => self.schema,
        };
        let function = schema.routines.iter().find(|routine| {
            routine.kind.eq_ignore_ascii_case("FUNCTION") && routine.program.name.eq_ignore_ascii_case(&call.name)
        })?;
        function.parameters.iter().find(|parameter| parameter.name.is_none())?.collation.as_deref()
    }

    /// Returns the collation of a value that SET gives a user variable. `None` unless the value is
    /// a literal or one known name.
    fn value_collation(&self, scope: &Scope<'_>, value: &[Token<'_>]) -> Option<String> {
        match value {
            [literal] if literal.kind == TokenKind::StringLiteral => Some(self.program.charsets.connection.clone()),
            [name] if is_user_variable(name) || name.name().is_some() => {
                let column = name.name().unwrap_or_else(|| name.text.to_owned());
                match scope.find(&Name { schema: None, table: None, column }).as_slice() {
                    [operand] => Some(operand.collation.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// True for `@name`, false for `@@name`.
fn is_user_variable(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Variable && !token.text.starts_with("@@")
}

fn text_side(name: String, collation: &str) -> ConflictSide {
    ConflictSide { name, collation: collation.to_owned(), is_column: false }
}

fn side(operand: &Operand<'_>) -> ConflictSide {
    ConflictSide {
        name: operand.name.clone(),
        collation: operand.collation.clone(),
        is_column: operand.column.is_some(),
    }
}

fn judge(
    server: &ServerFacts,
    kind: ComparisonKind,
    left: &Operand<'_>,
    right: &Operand<'_>,
) -> Option<ConflictEffect> {
    let outcome = choose_collation(server.flavour, server.version_number(), implicit(left), implicit(right))?;
    let converted = match outcome {
        Outcome::Collation(Side::Left) | Outcome::CollationIfRepresentable(Side::Left) => right,
        Outcome::Collation(Side::Right) | Outcome::CollationIfRepresentable(Side::Right) => left,
        _ => return refusal(server, kind).map(ConflictEffect::Refused),
    };
    // Whether a join of two columns loses an index is left to `join-mismatch`, which explains
    // likely joins. A variable with `_bin` keeps the index of a column of its character set (MySQL
    // 5.6, 9.7, MariaDB 10.11, 11.8).
    let is_variable = left.column.is_none() || right.column.is_none();
    let charset = |one: &Operand<'_>| rules::charset::collation_charset(&one.collation).to_owned();
    let is_looked_up = match kind {
        ComparisonKind::Compared | ComparisonKind::Between => true,
        ComparisonKind::Subquery => std::ptr::eq(converted, left),
        ComparisonKind::Unindexed | ComparisonKind::Value | ComparisonKind::Concatenated | ComparisonKind::United => {
            false
        }
    };
    let is_converted = is_variable && is_looked_up && charset(left) != charset(right);
    converted.index_name().filter(|_| is_converted).map(|index| ConflictEffect::IndexLost(index.to_owned()))
}

/// Returns the error with which a server refuses two collations. `None` if it accepts them: MySQL
/// after 8.0.12 compares a CONCAT of two collations with a literal, MariaDB doesn't.
fn refusal(server: &ServerFacts, kind: ComparisonKind) -> Option<u16> {
    let is_new = server.flavour == Flavour::MySql && server.version_number() > Version::new(8, 0, 12);
    match kind {
        ComparisonKind::Concatenated if is_new => None,
        ComparisonKind::Compared
        | ComparisonKind::Unindexed
        | ComparisonKind::Subquery
        | ComparisonKind::Value
        | ComparisonKind::Concatenated => Some(error_code::CANT_AGGREGATE_2COLLATIONS),
        ComparisonKind::Between => Some(error_code::CANT_AGGREGATE_3COLLATIONS),
        ComparisonKind::United => Some(error_code::CANT_AGGREGATE_NCOLLATIONS),
    }
}

fn implicit<'o>(operand: &'o Operand<'_>) -> rules::coercibility::Operand<'o> {
    rules::coercibility::Operand::new(&operand.collation, Coercibility::Implicit)
}

/// Returns the collation of a variable, a column or a table. `default` is the collation of one
/// without clauses.
fn collation_of(facts: &Facts, declared: &Declaration, default: &str) -> String {
    match (&declared.collation, &declared.charset) {
        (Some(collation), _) => collation.clone(),
        (None, Some(charset)) => charset_default(facts, charset).unwrap_or_else(|| default.to_owned()),
        (None, None) => default.to_owned(),
    }
}

fn charset_default(facts: &Facts, charset: &str) -> Option<String> {
    let info = facts.server.charset(charset)?;
    Some(default_collation(&facts.server, rules::charset::current_name(&info.name), &info.default_collation).0)
}

fn created_columns<'a>(facts: &Facts, table: &CreatedTable, schema: &str) -> Vec<Operand<'a>> {
    let options =
        Declaration { name: String::new(), charset: table.charset.clone(), collation: table.collation.clone() };
    let default = collation_of(facts, &options, schema);
    let operand = |column: &Declaration| Operand {
        name: format!("{}.{}", table.name, column.name),
        collation: collation_of(facts, column, &default),
        column: None,
    };
    table.columns.iter().map(operand).collect()
}
