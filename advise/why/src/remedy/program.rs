//! Stored programs created again: with collations in their declarations, or in another session.

use std::ops::Range;

use server::{collation_charset, is_same_collation};

use super::rewrite::recreated;
use super::{Fault, splice};
use crate::copy::{Place, StoredProgram};
use crate::model::{Origin, Scope};
use crate::syntax::Declaration;
use crate::trial::Change;

pub fn changes(fault: &Fault) -> Vec<Change> {
    let mut found = Vec::new();
    for collation in fault.collations() {
        if let Some((source, _)) = fault.parts.first()
            && let Place::Program { program, .. } = &source.place
        {
            found.extend(declare(fault, program, &collation));
            found.extend(create_in_session(fault, program, &collation));
        }
        found.extend(return_collation(fault, &collation));
    }
    // Declarations before sessions.
    found.sort_by_key(|change| change.what.contains("SET NAMES"));
    found
}

/// Declares the parameters and variables that take part with the collation.
fn declare(fault: &Fault, program: &StoredProgram, collation: &str) -> Option<Change> {
    let takes_part = |declared: &&Declaration| {
        fault.spots().any(|judged| {
            judged.site.sides.iter().zip(&judged.resolved).any(|(side, resolved)| {
                side.origin == Origin::Parameter
                    && !is_same_collation(&side.collation, collation)
                    && resolved.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&declared.name))
            })
        })
    };
    let declared: Vec<&Declaration> =
        program.parsed.parameters.iter().chain(&program.parsed.variables).filter(takes_part).collect();
    if declared.is_empty() {
        return None;
    }
    let edits: Vec<(Range<usize>, String)> =
        declared.iter().map(|one| (one.attributes.clone(), clause(collation))).collect();
    let names: Vec<String> = declared
        .iter()
        .map(|one| format!("{} {}{}", one.name, &program.create[one.type_span.clone()], clause(collation)))
        .collect();
    let after = StoredProgram { create: splice(&program.create, &edits), ..program.clone() };
    let change = recreated(
        session_schema(fault),
        program,
        after,
        &format!("Declare in the {}: {}", program.title(), names.join(", ")),
    );
    Some(Change { collation: Some(collation.to_owned()), ..change })
}

fn session_schema(fault: &Fault) -> Option<&str> {
    fault.subject.session.schema.as_deref()
}

fn clause(collation: &str) -> String {
    format!(" CHARACTER SET {} COLLATE {collation}", collation_charset(collation))
}

/// Creates the program again in a session of this collation, which its literals then have.
fn create_in_session(fault: &Fault, program: &StoredProgram, collation: &str) -> Option<Change> {
    let has_literal =
        fault.spots().any(|judged| judged.site.sides.iter().any(|side| side.origin == Origin::Connection));
    if !has_literal || is_same_collation(&program.connection, collation) {
        return None;
    }
    let charset = collation_charset(collation);
    let after = StoredProgram { connection: collation.to_owned(), client: charset.to_owned(), ..program.clone() };
    let what = format!("Create the {} again after SET NAMES {charset} COLLATE {collation}", program.title());
    Some(recreated(session_schema(fault), program, after, &what))
}

/// Declares the collation for the result of a stored function that takes part.
fn return_collation(fault: &Fault, collation: &str) -> Option<Change> {
    let functions = fault.spots().flat_map(|judged| judged.site.sides.iter().zip(&judged.resolved));
    let mut functions = functions.filter(|(side, _)| !is_same_collation(&side.collation, collation));
    let function = functions.find_map(|(_, resolved)| resolved.function.as_ref())?;
    let returns = function.parsed.returns.as_ref()?;
    let create = splice(&function.create, &[(returns.attributes.clone(), clause(collation))]);
    let what = format!(
        "Declare in the {}: RETURNS {}{}",
        function.title(),
        &function.create[returns.type_span.clone()],
        clause(collation)
    );
    let change = recreated(session_schema(fault), function, StoredProgram { create, ..function.clone() }, &what);
    Some(Change { scope: Scope::Program, ..change })
}
