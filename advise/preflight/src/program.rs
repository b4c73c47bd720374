//! Tables and views that the text of a stored program or view names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use check::ObjectKind;
use facts::Table;
use rehearsal::{Kind, Object};
use sql::{PreparedTexts, SqlMode, Token};

use crate::job::Job;

/// Returns a definition, and the literal statements that it prepares. These see no parameters and
/// variables of the program.
pub fn texts(program: &Object) -> Vec<Cow<'_, str>> {
    let prepared = PreparedTexts::of_body(&program.create, sql_mode(program)).literals;
    std::iter::once(Cow::Borrowed(program.create.as_str())).chain(prepared.into_iter().map(Cow::Owned)).collect()
}

/// Returns the tokens of each text without comments, as they are read under the program's SQL mode.
pub fn tokens<'t>(program: &Object, texts: &'t [Cow<'_, str>]) -> Vec<Vec<Token<'t>>> {
    texts.iter().map(|text| sql::tokenize_uncommented(text, sql_mode(program))).collect()
}

fn sql_mode(program: &Object) -> SqlMode {
    program.session.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse)
}

/// Returns the kind of a program or view in findings.
pub fn object_kind(kind: Kind) -> ObjectKind {
    match kind {
        Kind::Trigger => ObjectKind::Trigger,
        Kind::Event => ObjectKind::Event,
        Kind::View => ObjectKind::View,
        _ => ObjectKind::Routine,
    }
}

/// Returns the tables that a program names, of its own schema or with their schema, and the table
/// of a trigger.
pub fn named_tables<'f>(job: &Job<'f>, program: &Object, tokens: &[Token<'_>]) -> Vec<&'f Table> {
    let named = named_objects(program, tokens);
    job.facts.tables().filter(|table| named.contains(&(table.schema.clone(), table.name.clone()))).collect()
}

/// Returns the converted tables that a program or view uses, also by way of views.
pub fn used_tables(job: &Job<'_>, program: &Object) -> BTreeSet<String> {
    let (mut read, mut next) = (BTreeSet::new(), vec![program]);
    let mut used = BTreeSet::new();
    while let Some(object) = next.pop() {
        if !read.insert(&object.name) {
            continue;
        }
        let named = named_objects(object, &tokens(object, &texts(object)).concat());
        let converted = job.tables.iter().filter(|table| !table.conversions.is_empty());
        let is_named = |schema: &str, name: &str| named.contains(&(schema.to_owned(), name.to_owned()));
        used.extend(
            converted.filter(|table| is_named(&table.table.schema, &table.table.name)).map(|table| table.name()),
        );
        let views = job.definitions.of_kind(Kind::View);
        next.extend(views.filter(|view| is_named(&view.name.schema, &view.name.name)));
    }
    used
}

/// Returns what can be the schema and the name of a table or view: each name in the text, also that
/// of a column.
fn named_objects(program: &Object, tokens: &[Token<'_>]) -> BTreeSet<(String, String)> {
    let own = &program.name.schema;
    let mut named: BTreeSet<(String, String)> = BTreeSet::new();
    named.extend(program.table.iter().map(|table| (own.clone(), table.clone())));
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        match tokens.get(at + 1..at + 3) {
            Some([dot, table]) if dot.is_symbol('.') => {
                named.extend(table.name().map(|table| (name.clone(), table)));
            }
            _ => {}
        }
        named.insert((own.clone(), name));
    }
    named
}
