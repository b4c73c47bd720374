//! Programs and views that the plan creates again, and why.

use std::ops::Range;

use check::table_name;
use mysql_collation::Flavour;
use rehearsal::{Kind, Object, ObjectName};
use server::Version;
use sql::{SqlMode, Token, quote_identifier, quote_string};

use super::back::use_collation;
use super::step;
use super::views::without_conversions;
use crate::expression::mentions_name;
use crate::finding::Finding;
use crate::job::{Job, Request, TableJob, flavour};
use crate::model::{Phase, Step};
use crate::quote::charset_name;

/// Keeps GRANT from creating accounts. MySQL 8.0 and later have neither this fault nor the mode.
pub const NO_ACCOUNTS: &str = "SET SESSION sql_mode = IF(VERSION() RLIKE '^5|MariaDB', 'NO_AUTO_CREATE_USER', '')";

/// A stored program or view that the plan creates again.
pub struct ChosenProgram<'f> {
    pub object: &'f Object,
    /// Why the plan creates it again: "keeps latin1_swedish_ci; uses shop.customers".
    pub why: String,
}

/// Returns the collation other than `target` that a program keeps from its creation.
pub fn keeps_old_collation<'o>(object: &'o Object, target: &str) -> Option<&'o str> {
    let session = [&object.session.collation_connection, &object.session.schema_collation];
    let is_old = |name: &&&String| !name.is_empty() && !name.eq_ignore_ascii_case(target);
    session.into_iter().flatten().find(|name| is_old(&name)).map(String::as_str)
}

/// Chooses the programs to create again, in the order of their creation. They are programs of
/// requested schemas with an old collation that use a converted table, or whose schema has one. If
/// the request names tables or columns, only programs that use a converted table. Also chosen are
/// views that use a converted table and have a CONVERT that the server wrote, and on MySQL 8.0 all
/// views that use one.
///
/// Triggers that are dropped for repairs are created again, too. Triggers of one table, time and
/// event run in the order of their creation, so they are created again together.
pub(super) fn chosen_programs<'f>(job: &Job<'f>, request: &Request, repairs: &[&Finding]) -> Vec<ChosenProgram<'f>> {
    let is_program = |object: &&Object| object.name.kind.is_program_or_view() && !object.ends_soon;
    let programs: Vec<&Object> = job.definitions.objects.iter().filter(is_program).collect();
    let reasons: Vec<Option<String>> = programs.iter().map(|object| reason(job, request, object)).collect();
    let place =
        |object: &Object| Some((object.name.schema.clone(), object.parts.get("place")?.rsplit_once(',')?.0.to_owned()));
    let chosen_places: Vec<(String, String)> = programs
        .iter()
        .zip(&reasons)
        .filter(|(_, reason)| reason.is_some())
        .filter_map(|(object, _)| place(object))
        .collect();
    let choose = |(object, reason): (&Object, Option<String>)| -> Option<String> {
        let shares_place = || {
            place(object)
                .filter(|place| chosen_places.contains(place))
                .map(|_| "keeps its place among triggers".to_owned())
        };
        let was_dropped = || is_fired_by_repair(object, repairs).then(|| "was dropped for the repairs".to_owned());
        reason.or_else(shares_place).or_else(was_dropped)
    };
    programs
        .iter()
        .zip(reasons)
        .filter_map(|(object, reason)| Some(ChosenProgram { object, why: choose((object, reason))? }))
        .collect()
}

/// Returns the events that the plan would create again if their time were not over, or about to be.
pub fn events_left_out<'f>(job: &Job<'f>, request: &Request) -> Vec<&'f Object> {
    let events = job.definitions.of_kind(Kind::Event).filter(|event| event.ends_soon);
    events.filter(|event| reason(job, request, event).is_some()).collect()
}

/// Returns why a program is created again. `None` if it isn't.
fn reason(job: &Job<'_>, request: &Request, object: &Object) -> Option<String> {
    let (why, is_of_schema) = match keeps_old_collation(object, &job.targets[0]) {
        Some(old) => (format!("keeps {old}"), true),
        None if object.name.kind == Kind::View && rewrites_views(job) => {
            ("an ALTER of its tables stores it anew, with CONVERT in its joins".to_owned(), false)
        }
        None if without_conversions(job, object).is_some() => {
            ("the server wrote CONVERT around columns that get that character set".to_owned(), false)
        }
        None => return None,
    };
    if !request.selects_schema(&object.name.schema) {
        return None;
    }
    let is_in_schema = |table: &&TableJob<'_>| table.table.schema == object.name.schema;
    let mut converted = job.tables.iter().filter(|table| !table.conversions.is_empty());
    let uses = |name: &str| object.table.as_deref() == Some(name) || mentions_name(&object.create, name);
    let used = converted.clone().find(|table| uses(&table.table.name)).map(|table| table.name());
    match used {
        Some(table) => Some(format!("{why}; uses {table}")),
        None if request.names_tables() || !is_of_schema => None,
        None => converted.find(is_in_schema).map(|_| format!("{why}; its schema is converted")),
    }
}

/// True for MySQL 8.0, whose ALTER stores the views of a table anew: while the columns of a join
/// differ, with `convert(a using utf8mb4) = b`, which uses no index (seen on 8.0.12, not on 9.7).
fn rewrites_views(job: &Job<'_>) -> bool {
    let version = job.facts.server.version_number();
    flavour(job.facts) == Flavour::MySql && version >= Version::new(8, 0, 0) && version < Version::new(8, 1, 0)
}

/// True for a trigger that a repair would fire.
fn is_fired_by_repair(object: &Object, repairs: &[&Finding]) -> bool {
    let is_repaired =
        |finding: &&&Finding| finding.details.schema == object.name.schema && finding.details.table == object.table;
    object.name.kind == Kind::Trigger
        && object.parts.get("place").is_some_and(|place| place.contains(" UPDATE on "))
        && repairs.iter().any(|finding| is_repaired(&finding))
}

/// Returns steps that drop the triggers that repairs would fire.
pub(super) fn drop_triggers(job: &Job<'_>, repairs: &[&Finding]) -> Vec<Step> {
    let triggers = job.definitions.of_kind(Kind::Trigger).filter(|object| is_fired_by_repair(object, repairs));
    let drop_step = |object: &Object| {
        let table = table_name(&object.name.schema, object.table.as_deref().unwrap_or_default());
        let sql = format!("DROP TRIGGER IF EXISTS {}", sql::quote_table(&object.name.schema, &object.name.name));
        step(Phase::Repair, &table, sql)
    };
    triggers.map(drop_step).collect()
}

/// Returns the programs that a plan without repairs would create again.
pub fn programs_left(job: &Job<'_>, request: &Request) -> Vec<ObjectName> {
    chosen_programs(job, request, &[]).into_iter().map(|program| program.object.name.clone()).collect()
}

/// Returns steps that create a program again, with the new collation in force, and a view without
/// the CONVERT that the server wrote into it.
pub(super) fn recreate(job: &Job<'_>, program: &ChosenProgram<'_>) -> Vec<Step> {
    let create = without_conversions(job, program.object).unwrap_or_else(|| with_new_return(job, program.object));
    create_again(job, program, &create, &job.targets[0])
}

/// Returns a program's definition, with the new character set for a result in the schema's old one:
/// servers print `RETURNS varchar(10) CHARSET latin1` also where the author named no character set.
fn with_new_return(job: &Job<'_>, object: &Object) -> String {
    let old = object.session.schema_collation.as_deref().map(server::collation_charset);
    match find_return_charset(&object.create) {
        Some((range, charset))
            if object.name.kind == Kind::Function
                && old
                    .is_some_and(|old| server::current_charset_name(old) == server::current_charset_name(&charset)) =>
        {
            let target = &job.targets[0];
            let new =
                format!("CHARSET {} COLLATE {target}", charset_name(job.facts, server::collation_charset(target)));
            format!("{}{new}{}", &object.create[..range.start], &object.create[range.end..])
        }
        _ => object.create.clone(),
    }
}

/// Returns a function's definition without the character set of its result.
pub fn without_return_charset(create: &str) -> String {
    match find_return_charset(create) {
        Some((range, _)) => format!("{}{}", &create[..range.start], &create[range.end..]),
        None => create.to_owned(),
    }
}

/// Finds `CHARSET latin1 COLLATE latin1_bin` behind the type that a function returns. Returns its
/// place and the character set.
fn find_return_charset(create: &str) -> Option<(Range<usize>, String)> {
    let tokens: Vec<Token<'_>> = sql::tokenize(create, SqlMode::default()).collect();
    let returns = tokens.iter().position(|token| token.is_keyword("returns"))?;
    let mut at = returns + 2;
    if tokens.get(at)?.is_symbol('(') {
        at += tokens[at..].iter().position(|token| token.is_symbol(')'))? + 1;
    }
    let charset = tokens.get(at).filter(|token| token.is_keyword("charset"))?;
    let name = tokens.get(at + 1)?;
    let last = match tokens.get(at + 2..at + 4) {
        Some([collate, collation]) if collate.is_keyword("collate") => collation,
        _ => name,
    };
    Some((charset.start..last.end(), name.name()?))
}

/// Returns steps that create a program again from a session with a collation.
pub(super) fn create_again(job: &Job<'_>, program: &ChosenProgram<'_>, create: &str, connection: &str) -> Vec<Step> {
    let object = program.object;
    let mut statements = vec![format!("USE {}", quote_identifier(&object.name.schema)), use_collation(connection)];
    statements.extend(session_statements(object));
    // Triggers and events have no privileges of their own, so they are dropped first. MariaDB 10.1
    // stores the words OR REPLACE in a trigger's definition.
    let has_grants = !matches!(object.name.kind, Kind::Trigger | Kind::Event);
    let replaces = object.name.kind == Kind::View || (has_grants && flavour(job.facts) == Flavour::MariaDb);
    if replaces {
        // Keeps the privileges on the object.
        statements.push(create.replacen("CREATE ", "CREATE OR REPLACE ", 1));
    } else {
        statements.push(format!(
            "DROP {} IF EXISTS {}",
            object.name.kind.keyword(),
            quote_identifier(&object.name.name)
        ));
        statements.push(create.to_owned());
        statements.extend(grant_statements(object));
    }
    let name = table_name(&object.name.schema, &object.name.name);
    let mut steps: Vec<Step> = statements.into_iter().map(|sql| step(Phase::Programs, &name, sql)).collect();
    steps[0].note = Some(program.why.clone());
    steps
}

/// Returns the grants on a program, in a session where they create no account: before MySQL 8.0,
/// and in MariaDB, a GRANT to an account that does not exist creates it without a password.
/// MariaDB 10.11 reads PACKAGE in a GRANT under ORACLE only, which has NO_AUTO_CREATE_USER.
fn grant_statements(object: &Object) -> Vec<String> {
    if object.grants.is_empty() {
        return Vec::new();
    }
    let modes = match object.name.kind {
        Kind::Package | Kind::PackageBody => &["SET SESSION sql_mode = 'ORACLE'"][..],
        _ => &["SET SESSION sql_mode = ''", NO_ACCOUNTS],
    };
    modes.iter().map(|mode| (*mode).to_owned()).chain(object.grants.iter().cloned()).collect()
}

/// Returns statements that set the SQL mode and the time zone that a program keeps from its
/// creation. A view keeps none: it gets the empty mode, in which definitions are read. Under the
/// mode of a program before it, `'a\\b'` or `''` could mean something else.
fn session_statements(object: &Object) -> Vec<String> {
    let session = &object.session;
    let setting =
        |name: &str, value: Option<&str>| value.map(|value| format!("SET SESSION {name} = {}", quote_string(value)));
    let sql_mode = session.sql_mode.as_deref().or((object.name.kind == Kind::View).then_some(""));
    [setting("sql_mode", sql_mode), setting("time_zone", session.time_zone.as_deref())].into_iter().flatten().collect()
}

/// Returns steps that create a program as it was, after a plan that stopped.
pub(super) fn put_back(program: &ChosenProgram<'_>) -> Vec<Step> {
    let object = program.object;
    let mut statements = vec![format!("USE {}", quote_identifier(&object.name.schema))];
    if let Some(connection) = &object.session.collation_connection {
        statements.push(format!("SET SESSION collation_connection = {}", quote_string(connection)));
    }
    statements.extend(session_statements(object));
    statements.push(object.create.clone());
    statements.extend(grant_statements(object));
    let name = table_name(&object.name.schema, &object.name.name);
    statements.into_iter().map(|sql| step(Phase::Programs, &name, sql)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_character_set_of_a_result() {
        let found =
            |create: &str| find_return_charset(create).map(|(range, charset)| (create[range].to_owned(), charset));
        let of = |text: &str, charset: &str| Some((text.to_owned(), charset.to_owned()));
        let head = "CREATE FUNCTION `f`(`returns` varchar(9) CHARSET ascii) RETURNS";
        assert_eq!(found(&format!("{head} varchar(10) CHARSET latin1\nRETURN 1")), of("CHARSET latin1", "latin1"));
        let with_collation = "CHARSET latin1 COLLATE latin1_swedish_ci";
        assert_eq!(found(&format!("{head} enum('a)') {with_collation}\nRETURN 1")), of(with_collation, "latin1"));
        assert_eq!(found(&format!("{head} text CHARSET utf8mb4\nBEGIN END")), of("CHARSET utf8mb4", "utf8mb4"));
        assert_eq!(found(&format!("{head} int\nRETURN _latin1'CHARSET latin1'")), None);
    }
}
