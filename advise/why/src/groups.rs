//! Programs that a statement runs: procedures, functions, triggers and views.

use std::collections::BTreeSet;

use sql::{SqlMode, tokenize};

use crate::Error;
use crate::copy::{Call, Copy, Place, Session, StoredProgram};
use crate::spot::Source;
use crate::syntax::{Block, ExprKind, TableKind};
use crate::trial::{Inner, Subject, piece_source};

/// Sources of a statement, program or view, and the subject that is run to see whether a change
/// fixes them.
pub struct Group {
    pub subject: Subject,
    /// Sources. In a program, each with the index of its piece; otherwise with 0.
    pub sources: Vec<(Source, usize)>,
}

/// Schemas of the server itself, whose views are not judged.
const OWN_SCHEMAS: [&str; 3] = ["information_schema", "performance_schema", "mysql"];

pub(crate) fn is_own_schema(schema: &str) -> bool {
    OWN_SCHEMAS.iter().any(|one| one.eq_ignore_ascii_case(schema))
}

/// Returns the statement, and the programs and views that it runs.
pub fn group_statement(copy: &Copy<'_>, subject: &Subject) -> Result<Vec<Group>, Error> {
    let source = Source::statement(Place::Session(subject.session.clone()), &subject.text, 0);
    let mut gatherer = Gatherer { copy, subject, groups: Vec::new(), seen: BTreeSet::new() };
    gatherer.groups.push(Group { subject: subject.clone(), sources: vec![(source.clone(), 0)] });
    let own = subject.session.schema.clone().unwrap_or_default();
    gatherer.add_called(&source, &own, Some(&subject.session))?;
    for (schema, table) in changed_tables(copy, &source, &own)? {
        for trigger in copy.triggers_of_events(&schema, &table, events(&source))? {
            if let Some(program) = copy.program("TRIGGER", &schema, &trigger)? {
                gatherer.add_program(&program, &Call::default())?;
            }
        }
    }
    gatherer.expand(&source)?;
    Ok(gatherer.groups)
}

/// Returns a program, and what it runs.
pub fn group_program(copy: &Copy<'_>, subject: &Subject, program: &StoredProgram) -> Result<Vec<Group>, Error> {
    let mut gatherer = Gatherer { copy, subject, groups: Vec::new(), seen: BTreeSet::new() };
    gatherer.add_program(program, &Call::default())?;
    Ok(gatherer.groups)
}

struct Gatherer<'g, 's> {
    copy: &'g Copy<'s>,
    subject: &'g Subject,
    groups: Vec<Group>,
    /// Programs and views that are in `groups`: `PROCEDURE shop.route`, `view shop.v`.
    seen: BTreeSet<String>,
}

impl Gatherer<'_, '_> {
    fn add_program(&mut self, program: &StoredProgram, call: &Call) -> Result<(), Error> {
        if !self.seen.insert(format!("{} {}.{}", program.keyword, program.schema, program.name)) {
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

    /// Adds the procedure that a source calls. `session` is the caller's session. `None` for a call
    /// inside a program, whose arguments are unknown.
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

    /// Adds the views that a source names, and the stored functions that it calls.
    fn expand(&mut self, source: &Source) -> Result<(), Error> {
        let own = crate::origin::schema_of(&source.place).unwrap_or_default();
        for block in &source.parsed.blocks {
            for table in &block.tables {
                if let TableKind::Named { schema, name } = &table.kind {
                    self.add_view(schema.as_deref().unwrap_or(&own), name)?;
                }
            }
        }
        for (schema, name) in function_names(source) {
            if let Some(function) = self.copy.program("FUNCTION", schema.as_deref().unwrap_or(&own), &name)? {
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

/// Schemas, where they are named, and names of the functions that a source calls.
fn function_names(source: &Source) -> BTreeSet<(Option<String>, String)> {
    let mut names = BTreeSet::new();
    for block in &source.parsed.blocks {
        let items = block.items.iter().map(|item| &item.expression);
        for top in items.chain(&block.conditions).chain(&block.orders) {
            top.walk(&mut |expression| {
                if let ExprKind::Call { schema, name, .. } = &expression.kind {
                    names.insert((schema.clone(), name.clone()));
                }
            });
        }
    }
    names
}

/// Schema, name and arguments of a `CALL`.
fn called(source: &Source) -> Option<(Option<String>, String, Vec<String>)> {
    if !source.begins_with(&["call"]) {
        return None;
    }
    let expression = source.parsed.blocks.first()?.conditions.first()?;
    match &expression.kind {
        ExprKind::Call { schema, name, arguments } => {
            let arguments = arguments.iter().map(|argument| source.text[argument.span.clone()].to_owned()).collect();
            Some((schema.clone(), name.clone(), arguments))
        }
        ExprKind::Name(names) => {
            let (name, schema) = names.split_last()?;
            Some((schema.last().cloned(), name.clone(), Vec::new()))
        }
        _ => None,
    }
}

/// Events of the triggers that a statement runs: two for `REPLACE` and `ON DUPLICATE KEY UPDATE`.
fn events(source: &Source) -> &'static [&'static str] {
    let has_update = tokenize(&source.text, SqlMode::default()).any(|token| token.is_keyword("duplicate"));
    if source.begins_with(&["replace"]) {
        &["INSERT", "DELETE"]
    } else if source.begins_with(&["insert"]) {
        if has_update { &["INSERT", "UPDATE"] } else { &["INSERT"] }
    } else if source.begins_with(&["update"]) {
        &["UPDATE"]
    } else {
        &["DELETE"]
    }
}

/// Returns the tables that an `INSERT`, `REPLACE`, `UPDATE` or `DELETE` changes: schema and name.
fn changed_tables(copy: &Copy<'_>, source: &Source, own: &str) -> Result<Vec<(String, String)>, Error> {
    let Some(block) = source.parsed.blocks.first() else { return Ok(Vec::new()) };
    let named = named_tables(block, own);
    let first = || -> Vec<(String, String)> { named.first().map(|table| table.name.clone()).into_iter().collect() };
    if source.begins_with(&["insert", "replace"]) {
        return Ok(first());
    }
    let by_name = |names: &[String]| {
        let is_meant = |table: &&NamedTable<'_>| table.has_name(names);
        named.iter().find(is_meant).map(|table| table.name.clone())
    };
    let mut found: Vec<(String, String)> = Vec::new();
    if source.begins_with(&["delete"]) {
        if block.deleted.is_empty() {
            return Ok(first());
        }
        found.extend(block.deleted.iter().filter_map(|names| by_name(names)));
    } else if source.begins_with(&["update"]) {
        for target in &block.assigned {
            let Some((column, table)) = target.split_last() else { continue };
            if !table.is_empty() || named.len() < 2 {
                found.extend(if table.is_empty() { first() } else { by_name(table).into_iter().collect() });
                continue;
            }
            for NamedTable { name, .. } in &named {
                if copy.table(&name.0, &name.1)?.is_some_and(|table| table.column(column).is_some()) {
                    found.push(name.clone());
                }
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

struct NamedTable<'b> {
    alias: &'b str,
    /// Schema and name.
    name: (String, String),
}

impl NamedTable<'_> {
    /// True for names by which a statement refers to the table: `alias`, `schema.table`.
    fn has_name(&self, names: &[String]) -> bool {
        match names {
            [alias] => alias.eq_ignore_ascii_case(self.alias),
            [schema, table] => schema.eq_ignore_ascii_case(&self.name.0) && table.eq_ignore_ascii_case(&self.name.1),
            _ => false,
        }
    }
}

fn named_tables<'b>(block: &'b Block, own: &str) -> Vec<NamedTable<'b>> {
    let tables = block.tables.iter().filter_map(|table| match &table.kind {
        TableKind::Named { schema, name } => {
            let name = (schema.clone().unwrap_or_else(|| own.to_owned()), name.clone());
            Some(NamedTable { alias: &table.alias, name })
        }
        _ => None,
    });
    tables.collect()
}
