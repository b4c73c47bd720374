//! Programs that a statement runs: procedures, functions, triggers and views.

use std::collections::BTreeSet;

use sql::{SqlMode, tokenize};

use crate::Error;
use crate::copy::{Call, Copy, Place, Session, StoredProgram};
use crate::spot::Source;
use crate::syntax::{ExprKind, TableKind};
use crate::trial::{Inner, Subject, is_explainable, piece_source};

/// Sources of a statement, program or view, and the subject that is run to see whether a change
/// mends them.
pub struct Group {
    pub subject: Subject,
    /// Sources. In a program, each with the index of its piece; otherwise with 0.
    pub sources: Vec<(Source, usize)>,
}

/// Schemas whose views and functions are the server's own. They are not judged.
const OWN_SCHEMAS: [&str; 3] = ["information_schema", "performance_schema", "mysql"];

pub(crate) fn is_own_schema(schema: &str) -> bool {
    OWN_SCHEMAS.iter().any(|one| one.eq_ignore_ascii_case(schema))
}

/// Returns the statement, and the programs and views that it runs.
pub fn of_statement(copy: &Copy<'_>, subject: &Subject) -> Result<Vec<Group>, Error> {
    let source = Source::statement(Place::Session(subject.session.clone()), &subject.text, 0);
    let mut gatherer = Gatherer { copy, subject, groups: Vec::new(), seen: BTreeSet::new() };
    gatherer.groups.push(Group { subject: subject.clone(), sources: vec![(source.clone(), 0)] });
    let own = subject.session.schema.clone().unwrap_or_default();
    gatherer.add_called(&source, &own, Some(&subject.session))?;
    for (schema, table) in changed_tables(&subject.text, &subject.session) {
        for trigger in copy.triggers(&schema, &table)? {
            if let Some(program) = copy.program("TRIGGER", &schema, &trigger)? {
                gatherer.add_program(&program, &Call::default())?;
            }
        }
    }
    gatherer.expand(&source)?;
    Ok(gatherer.groups)
}

/// Returns a program, and what it runs.
pub fn of_program(copy: &Copy<'_>, subject: &Subject, program: &StoredProgram) -> Result<Vec<Group>, Error> {
    let mut gatherer = Gatherer { copy, subject, groups: Vec::new(), seen: BTreeSet::new() };
    gatherer.add_program(program, &Call::default())?;
    Ok(gatherer.groups)
}

struct Gatherer<'g, 's> {
    copy: &'g Copy<'s>,
    subject: &'g Subject,
    groups: Vec<Group>,
    /// Titles of the programs and views that are in `groups`.
    seen: BTreeSet<String>,
}

impl Gatherer<'_, '_> {
    fn add_program(&mut self, program: &StoredProgram, call: &Call) -> Result<(), Error> {
        if !self.seen.insert(program.title()) {
            return Ok(());
        }
        let pieces = 0..program.parsed.pieces.len();
        let sources: Vec<(Source, usize)> =
            pieces.filter_map(|index| Some((piece_source(program, call, index)?, index))).collect();
        let inner = Inner {
            keyword: program.keyword,
            schema: program.schema.clone(),
            name: program.name.clone(),
            call: call.clone(),
            pieces: Vec::new(),
        };
        let subject = Subject { inner: Some(inner), ..self.subject.clone() };
        self.groups.push(Group { subject, sources: sources.clone() });
        for (source, _) in &sources {
            self.add_called(source, &program.schema, None)?;
            self.expand(source)?;
        }
        Ok(())
    }

    /// Adds the procedure that a source calls. `session` is the session of the user's own call.
    /// `None` for a call inside a program, whose arguments are unknown.
    fn add_called(&mut self, source: &Source, own: &str, session: Option<&Session>) -> Result<(), Error> {
        let Some((schema, name, arguments)) = called(source) else { return Ok(()) };
        let Some(program) = self.copy.program("PROCEDURE", schema.as_deref().unwrap_or(own), &name)? else {
            return Ok(());
        };
        let call = match session {
            Some(session) => Call { session: session.clone(), arguments, created: Vec::new() },
            None => Call::default(),
        };
        self.add_program(&program, &call)
    }

    /// Adds the views that a source names, and the stored functions of its schema.
    fn expand(&mut self, source: &Source) -> Result<(), Error> {
        let own = crate::origin::schema_of(&source.place).unwrap_or_default();
        for block in &source.parsed.blocks {
            for table in &block.tables {
                if let TableKind::Named { schema, name } = &table.kind {
                    self.add_view(schema.as_deref().unwrap_or(&own), name)?;
                }
            }
        }
        for name in function_names(source) {
            if let Some(function) = self.copy.program("FUNCTION", &own, &name)? {
                self.add_program(&function, &Call::default())?;
            }
        }
        Ok(())
    }

    fn add_view(&mut self, schema: &str, name: &str) -> Result<(), Error> {
        let is_servers = is_own_schema(schema);
        if is_servers || !self.seen.insert(format!("view {schema}.{name}")) {
            return Ok(());
        }
        let Some((create, session)) = self.copy.view(schema, name)? else { return Ok(()) };
        let view = Source::statement(Place::View { name: name.to_owned(), session }, &create, 0);
        self.expand(&view)?;
        self.groups.push(Group { subject: self.subject.clone(), sources: vec![(view, 0)] });
        Ok(())
    }
}

fn function_names(source: &Source) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for block in &source.parsed.blocks {
        let items = block.items.iter().map(|item| &item.expression);
        for top in items.chain(&block.conditions).chain(&block.orders) {
            top.walk(&mut |expression| {
                if let ExprKind::Call { name, .. } = &expression.kind {
                    names.insert(name.clone());
                }
            });
        }
    }
    names
}

/// Schema, name and arguments of a `CALL`.
fn called(source: &Source) -> Option<(Option<String>, String, Vec<String>)> {
    let tokens: Vec<sql::Token<'_>> = tokenize(&source.text, SqlMode::default()).take(4).collect();
    if !tokens.first()?.is_keyword("call") {
        return None;
    }
    let schema = tokens.get(2).filter(|dot| dot.is_symbol('.')).and_then(|_| tokens[1].name());
    let expression = source.parsed.blocks.first()?.conditions.first()?;
    match &expression.kind {
        ExprKind::Call { name, arguments } => {
            let arguments = arguments.iter().map(|argument| source.text[argument.span.clone()].to_owned()).collect();
            Some((schema, name.clone(), arguments))
        }
        ExprKind::Name(names) => Some((schema, names.last()?.clone(), Vec::new())),
        _ => None,
    }
}

/// The first table that an `INSERT`, `REPLACE`, `UPDATE` or `DELETE` names.
fn changed_tables(text: &str, session: &Session) -> Vec<(String, String)> {
    let tokens: Vec<sql::Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let changes = tokens.first().is_some_and(|token| token.is_any_keyword(&["insert", "replace", "update", "delete"]));
    if !changes || !is_explainable(text) {
        return Vec::new();
    }
    let tables = sql::find_tables(&tokens).into_iter().take(1);
    tables.filter_map(|table| Some((table.schema.or_else(|| session.schema.clone())?, table.name))).collect()
}
