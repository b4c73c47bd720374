//! The rehearsal: both servers, first as they are, then with settings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rehearsal::{Definitions, Values};
use server::{Progress, Server, is_same_collation};

use crate::Error;
use crate::already::Already;
use crate::collation;
use crate::difference;
use crate::events;
use crate::in_place;
use crate::load::{Loaded, load_source, load_target};
use crate::material::{Given, Request, Schema, describe_unseen};
use crate::model::{Area, FORMAT, Finding, Kind, Mend, Phase, ReplicationFault, Report, ServerSide, Settings, Tried};
use crate::probe::{self, Common, Probes};
use crate::program;
use crate::replication::{self, Uses};
use crate::rewrite;
use crate::script::{self, Done, Pair};
use crate::settings::{self, Candidate, Defaults};
use crate::side::{self, Columns};
use crate::timestamp;

/// Longest rehearsal, in seconds, that is repeated without each setting, to drop those not needed.
const MAX_SECONDS_TO_TRY: u64 = 60;

/// Observations on the old server.
struct Before {
    loaded: Loaded,
    already: Already,
    columns: Columns,
    /// Columns after the scripts.
    columns_after: Columns,
    done: Vec<Done>,
    common: Common,
    probes: Probes,
    /// Definitions as the old server prints them.
    definitions: Definitions,
    uses: Uses,
}

/// Findings and notes on the new server.
#[derive(Default)]
struct After {
    findings: Vec<Finding>,
    notes: Vec<String>,
    /// Programs and views with a plan that could not be judged.
    unchecked: Vec<String>,
    /// Mends of the dump's statements, by their numbers.
    mends: BTreeMap<usize, Mend>,
    uses: Uses,
    /// Logged statements of migrations that one server takes and the other refuses.
    refused_statements: Vec<ReplicationFault>,
}

/// Rehearses an upgrade on two private servers, which must hold nothing else.
pub fn rehearse(source: &Server, target: &Server, request: &Request, progress: &dyn Progress) -> Result<Report, Error> {
    let mut phases = Phases::new(progress);
    let defaults = Defaults::read(source, target)?;
    let before = phases.time("the old server", || run_source(source, request))?;
    refuse_empty_dumps(source, request, &before)?;
    let mut after = phases.time("the new server", || run_target(source, target, request, &before))?;
    after.notes.extend(events::describe(&defaults, &before.definitions));
    let mut settings = if settings::count_caused(&after.findings) == 0 {
        Settings::default()
    } else {
        phases.progress.step("trying settings");
        find_settings(source, target, request, &before, &defaults, &after.findings, phases.last())?
    };
    // No setting of the new server mends a line of the option file.
    let of_options = request.option_findings.iter().flatten().map(title);
    settings.left.splice(0..0, of_options);
    phases.end("settings");
    let mut replication =
        phases.time("replication", || replication::judge(source, target, &defaults, (&before.uses, &after.uses)))?;
    replication.extend(after.refused_statements);
    let mut rewritten = match (&request.schema, &request.rewrite) {
        (Schema::Dumps(dumps), Some(out)) => Some(phases.time("the rewritten dump", || {
            rewrite::rewrite(target, dumps, &after.mends, out, request.default_schema.as_deref())
        })?),
        _ => None,
    };
    if let Some(rewritten) = &mut rewritten {
        let mends = after.findings.iter().filter(|finding| finding.area == Area::Load);
        let effects: BTreeSet<String> =
            mends.filter_map(|finding| finding.mends.first()).flat_map(|mend| mend.effects.clone()).collect();
        rewritten.effects = effects.into_iter().collect();
    }
    let mut notes = after.notes;
    notes.extend(before.loaded.left_out.iter().cloned());
    notes.extend(request.scripts.iter().flatten().filter_map(describe_left_out));
    let mut unchecked = list_unchecked(request, &before.definitions);
    unchecked.extend(before.already.describe());
    unchecked.extend(after.unchecked);
    let mut findings = request.option_findings.clone().unwrap_or_default();
    findings.extend(after.findings);
    findings.sort_by_key(|finding| finding.kind);
    findings.iter_mut().for_each(Finding::show_bytes);
    findings.iter_mut().for_each(Finding::mask_passwords);
    Ok(Report {
        schema: before.loaded.schema.clone(),
        tried: count_tried(request, &before),
        in_place: in_place::steps(source, target),
        findings,
        settings,
        notes,
        unchecked,
        unseen: list_unseen(request),
        replication,
        rewritten,
        phases: phases.all,
        ..empty_report(source, target, &defaults)
    })
}

/// Describes what is not run of a statement on private servers. `None` if all is.
fn describe_left_out(given: &Given) -> Option<String> {
    let removed = sql::keep_local(&given.text, sql::SqlMode::default()).removed;
    why::describe_left_out(&given.place, &removed)
}

/// Parts and objects of the running server that the account may not see.
fn list_unseen(request: &Request) -> Vec<String> {
    let mut all: Vec<String> = request.unseen.iter().map(|one| one.what.clone()).collect();
    if let Schema::Definitions(read) = &request.schema {
        let denied = read.unread.iter().filter(|one| server::error_code::is_access_denied(one.code));
        all.extend(denied.map(|one| one.name.to_string()));
    }
    all
}

fn title(finding: &Finding) -> String {
    format!("{}: {}", finding.place, finding.what)
}

/// Fails if the dumps made nothing on the old server, such as a dump that broke off.
fn refuse_empty_dumps(source: &Server, request: &Request, before: &Before) -> Result<(), Error> {
    let is_made = before.definitions.objects.iter().any(|object| object.name.kind != rehearsal::Kind::Schema);
    let Schema::Dumps(dumps) = &request.schema else { return Ok(()) };
    if is_made {
        return Ok(());
    }
    let refused = before.loaded.refused.values().next();
    Err(Error::EmptyDump {
        dumps: dumps.iter().map(|dump| dump.name.as_str()).collect::<Vec<_>>().join(", "),
        server: source.label().to_owned(),
        reason: refused.map_or_else(|| "no CREATE statement is in it".to_owned(), ToString::to_string),
    })
}

fn count_tried(request: &Request, before: &Before) -> Tried {
    use rehearsal::Kind as Object;
    let count = |is_counted: &dyn Fn(Object) -> bool| {
        before.definitions.objects.iter().filter(|object| is_counted(object.name.kind)).count() as u64
    };
    Tried {
        servers: 2,
        schema_statements: before.loaded.statements,
        tables: count(&|kind| kind == Object::Table),
        other_objects: count(&|kind| !matches!(kind, Object::Table | Object::Schema)),
        statements: request.scripts.iter().map(|script| script.len() as u64).sum(),
    }
}

/// Lists what no rehearsal looks at, what the request leaves out, and the objects that could not be
/// read. `copied` are the definitions on the old private server.
fn list_unchecked(request: &Request, copied: &Definitions) -> Vec<String> {
    let mut all = vec!["accounts, with their authentication plugins and privileges".to_owned()];
    if request.option_findings.is_none() {
        all.push("options of the server (no --my-cnf)".to_owned());
    }
    all.push("plugins, clients and drivers".to_owned());
    if request.scripts.iter().all(Vec::is_empty) {
        all.push("the application's statements (no --sql, --slow-log or --migrations)".to_owned());
    }
    all.extend(difference::describe_about_server(&request.scripts));
    all.extend(request.unseen.iter().map(|one| describe_unseen(one, "")));
    let read = match &request.schema {
        Schema::Definitions(read) => {
            all.push(
                "answers, order and plans on your rows: a running server's rows are not read; a dump has them"
                    .to_owned(),
            );
            read.unread.as_slice()
        }
        Schema::Dumps(_) => &[],
    };
    all.extend(read.iter().chain(&copied.unread).map(|one| format!("{}: {}", one.name, one.message)));
    all
}

/// Phases that are done. Each begins where the one before it ended, so that they add up.
pub struct Phases<'p> {
    pub all: Vec<Phase>,
    begun: Instant,
    progress: &'p dyn Progress,
}

impl<'p> Phases<'p> {
    pub fn new(progress: &'p dyn Progress) -> Self {
        Self { all: Vec::new(), begun: Instant::now(), progress }
    }

    pub fn time<T>(&mut self, name: &str, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.progress.step(name);
        let result = run()?;
        self.end(name);
        Ok(result)
    }

    fn end(&mut self, name: &str) {
        self.all.push(Phase::new(name, std::mem::replace(&mut self.begun, Instant::now()).elapsed()));
    }

    fn last(&self) -> f64 {
        self.all.last().map_or(0.0, |phase| phase.seconds)
    }
}

/// Returns a report about two servers without findings.
pub fn empty_report(source: &Server, target: &Server, defaults: &Defaults) -> Report {
    Report {
        format: FORMAT,
        weigh: env!("CARGO_PKG_VERSION").to_owned(),
        from: describe(source, &defaults.source, &defaults.source_charsets),
        to: describe(target, &defaults.target, &defaults.target_charsets),
        schema: String::new(),
        tried: Tried::default(),
        in_place: Vec::new(),
        findings: Vec::new(),
        settings: Settings::default(),
        notes: Vec::new(),
        unchecked: Vec::new(),
        unseen: Vec::new(),
        replication: Vec::new(),
        rewritten: None,
        live: false,
        phases: Vec::new(),
    }
}

fn describe(server: &Server, settings: &BTreeMap<String, String>, charsets: &BTreeMap<String, String>) -> ServerSide {
    ServerSide {
        label: server.label().to_owned(),
        version: server.version().to_owned(),
        collation_server: settings.get("collation_server").cloned().unwrap_or_default(),
        utf8mb4: charsets.get("utf8mb4").cloned(),
    }
}

fn run_source(source: &Server, request: &Request) -> Result<Before, Error> {
    side::clear(source)?;
    let loaded = load_source(source, &request.schema, request.default_schema.as_deref())?;
    let is_dump = matches!(request.schema, Schema::Dumps(_));
    let already = Already::new(source, &loaded, request.default_schema.as_deref(), is_dump)?;
    let columns = side::read_columns(source)?;
    let schemas = side::user_schemas(source)?;
    let definitions = rehearsal::read(source, &mut source.connect_patiently()?, &schemas, Values::Skip)?;
    let schema = request.default_schema.clone().unwrap_or_else(|| loaded.schema.clone());
    let done = script::run_scripts(source, &request.scripts, &schema, &request.first, None)?;
    let columns_after = side::read_columns(source)?;
    let common = probe::common_collations(&columns);
    let probes = probe::probe(source, &common)?;
    let uses = replication::uses(&columns_after, &definitions);
    Ok(Before { loaded, already, columns, columns_after, done, common, probes, definitions, uses })
}

fn run_target(source: &Server, target: &Server, request: &Request, before: &Before) -> Result<After, Error> {
    let mut after = After::default();
    let from_dump = matches!(request.schema, Schema::Dumps(_));
    let again = if from_dump { load_definitions(target, before)? } else { Loaded::default() };
    side::clear(target)?;
    let loaded =
        load_target(target, &request.schema, request.default_schema.as_deref(), &before.loaded.refused, Area::Load)?;
    let columns = side::read_columns(target)?;
    let unknown = again.findings.into_iter().filter(|one| !loaded.findings.iter().any(|other| is_same(one, other)));
    after.findings.extend(unknown);
    after.findings.extend(loaded.findings.iter().cloned());
    after.findings.iter_mut().for_each(|finding| before.already.explain(finding));
    after.mends.clone_from(&loaded.mends);
    after.findings.extend(changed_columns(target, &before.columns, &columns));

    let schema = request.default_schema.clone().unwrap_or_else(|| loaded.schema.clone());
    let mut lost = loaded.lost.clone();
    let done = script::run_scripts(target, &request.scripts, &schema, &request.first, Some((&mut lost, &before.done)))?;
    let columns_after = side::read_columns(target)?;
    let schemas = side::user_schemas(target)?;
    let definitions = rehearsal::read(target, &mut target.connect_patiently()?, &schemas, Values::Skip)?;
    after.uses = replication::uses(&columns_after, &definitions);
    let judged = program::judge(
        (source, target),
        (&definitions, &before.definitions.unread),
        &mut lost,
        (&mut after.notes, &mut after.unchecked),
    )?;
    after.findings.extend(judged);
    after.notes.extend(lost.describe());
    let pair = Pair { source, target, source_columns: &before.columns_after, target_columns: &columns_after };
    let given: Vec<&Given> = request.scripts.iter().flatten().collect();
    let migrated = request.scripts.iter().take(request.migrations).map(Vec::len).sum();
    let outcomes = given.iter().zip(&before.done).zip(&done).map(|((given, one), other)| (*given, one, other));
    after.refused_statements = replication::refused_statements(outcomes.take(migrated));
    for ((given, one), other) in given.iter().zip(&before.done).zip(&done) {
        after.findings.extend(script::judge(&pair, given, one, other, &mut after.notes)?);
    }
    after.findings.extend(script::created_columns(&pair, &columns, &given));
    after.findings.extend(collation::compare_same_names(source, target, &before.columns, &columns, &mut after.notes)?);

    after.findings.extend(timestamp::judge(source, target, &given)?);
    let probes = probe::probe(target, &before.common)?;
    let next = probe::compare(&before.common, &before.probes, &probes);
    if loaded.omits_collations {
        after.findings.extend(next);
    } else {
        after.notes.extend(next.into_iter().map(|finding| format!("{}: {}", finding.place, finding.what)));
    }
    Ok(after)
}

/// True if the two findings of loading have the same error, or the same object and kind of error.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let code = |finding: &Finding| finding.error.as_ref().and_then(|error| Some(error.split_once(':')?.0.to_owned()));
    let name = |finding: &Finding| crate::load::created_name(&finding.statement);
    one.error.is_some() && one.error == other.error
        || code(one) == code(other) && name(one).is_some() && name(one) == name(other)
}

/// Loads the definitions that the old server prints into the new one, as restoring a dump does.
fn load_definitions(target: &Server, before: &Before) -> Result<Loaded, Error> {
    side::clear(target)?;
    let mut definitions = before.definitions.clone();
    if !before.loaded.defines_schema {
        forget_schema_collations(&mut definitions);
    }
    let schema = Schema::Definitions(definitions);
    let mut loaded = load_target(target, &schema, None, &BTreeMap::new(), Area::Dump)?;
    for finding in &mut loaded.findings {
        finding.reasons.extend(old_columns(&finding.statement, before));
    }
    Ok(loaded)
}

/// Gives the schemas each server's default collation: the dump names none.
fn forget_schema_collations(definitions: &mut Definitions) {
    for object in &mut definitions.objects {
        object.session.schema_collation = None;
        if object.name.kind == rehearsal::Kind::Schema {
            object.create = format!("CREATE DATABASE {}", sql::quote_identifier(&object.name.schema));
            object.parts.remove("collation");
        }
    }
}

/// Describes the foreign keys of a statement whose first columns have two collations on the old
/// server.
fn old_columns(statement: &str, before: &Before) -> Vec<String> {
    let tokens: Vec<sql::Token<'_>> = sql::tokenize(statement, sql::SqlMode::default()).collect();
    let Some(table) = crate::load::created_name(statement) else { return Vec::new() };
    let name_after = |at: usize, word: &str| {
        let from = tokens[at..].iter().position(|token| token.is_keyword(word))? + at;
        let open = tokens[from..].iter().position(|token| token.is_symbol('('))? + from;
        Some((from, tokens.get(open + 1)?.name()?))
    };
    let collation = |table: &str, column: &str| {
        before
            .columns
            .iter()
            .find(|((_, own, name), _)| own.eq_ignore_ascii_case(table) && name.eq_ignore_ascii_case(column))
            .map(|(_, column)| column.collation.clone())
    };
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is_keyword("foreign")) {
        let Some((_, child)) = name_after(at, "key") else { continue };
        let Some((references, parent)) = name_after(at, "references") else { continue };
        let Some(other) = tokens.get(references + 1).and_then(sql::Token::name) else { continue };
        let (Some(own), Some(theirs)) = (collation(&table, &child), collation(&other, &parent)) else { continue };
        if is_same_collation(&own, &theirs) {
            continue;
        }
        let constraint = at.checked_sub(1).and_then(|before| tokens[before].name()).unwrap_or_default();
        found.push(format!(
            "On the old server, {table}.{child} is {own} and {other}.{parent} is {theirs}: constraint {constraint} cannot be created anew, \
             also with foreign_key_checks = 0"
        ));
    }
    found
}

/// Reports columns that got another collation although the new server has their old one, grouped by
/// old and new collation.
fn changed_columns(target: &Server, before: &Columns, after: &Columns) -> Vec<Finding> {
    let here = side::version(target);
    let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (name, column) in after {
        let Some(old) = before.get(name) else { continue };
        if !is_same_collation(&old.collation, &column.collation) && here.collation(&old.collation).is_some() {
            groups
                .entry((old.collation.clone(), column.collation.clone()))
                .or_default()
                .push(format!("{}.{}", name.1, name.2));
        }
    }
    groups
        .into_iter()
        .map(|((old, new), columns)| {
            let count = columns.len();
            let noun = if count == 1 { "column becomes" } else { "columns become" };
            Finding {
                kind: Kind::Differs,
                area: Area::Load,
                place: message::list_names(&columns, 3),
                what: format!("{count} {noun} {new} instead of {old}: other texts are equal, and the order is another"),
                statement: String::new(),
                error: None,
                reasons: vec![
                    "The definitions name a character set without COLLATE, or neither: the new server's default applies".into(),
                ],
                also: Vec::new(),
                mends: Vec::new(),
            }
        })
        .collect()
}

/// Applies all settings that may help. If they leave fewer findings, drops those that are not
/// needed for that; keeps all if a rehearsal takes longer than [`MAX_SECONDS_TO_TRY`].
fn find_settings(
    source: &Server,
    target: &Server,
    request: &Request,
    before: &Before,
    defaults: &Defaults,
    findings: &[Finding],
    seconds: f64,
) -> Result<Settings, Error> {
    let titles = |findings: &[Finding]| -> Vec<String> {
        let is_counted = |finding: &&Finding| finding.kind != Kind::FailsAlready;
        findings.iter().filter(is_counted).map(title).collect()
    };
    let candidates = settings::candidates(target, defaults, findings);
    let none = Settings { left: titles(findings), ..Settings::default() };
    if candidates.is_empty() {
        return Ok(none);
    }
    let mut best = settings::apply(target, &candidates)?;
    if best.is_empty() {
        return Ok(none);
    }
    let tried: Vec<String> = best.iter().map(|one| one.assignment.clone()).collect();
    let mut left = run_target(source, target, request, before)?.findings;
    settings::undo(target, &best)?;
    if settings::count_caused(&left) >= settings::count_caused(findings) {
        return Ok(Settings { tried, ..none });
    }
    if seconds <= MAX_SECONDS_TO_TRY as f64 {
        let mut at = best.len();
        while at > 0 && best.len() > 1 {
            at -= 1;
            let fewer: Vec<Candidate> =
                best.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, one)| one.clone()).collect();
            let taken = settings::apply(target, &fewer)?;
            let with_fewer = run_target(source, target, request, before)?.findings;
            settings::undo(target, &taken)?;
            if settings::count_caused(&with_fewer) <= settings::count_caused(&left) {
                best = taken;
                left = with_fewer;
            }
        }
    }
    let taken = settings::apply(target, &best)?;
    let mut effects = settings::effects(target, &taken)?;
    if !request.has_collation_server {
        effects.extend(settings::describe_compiled_default(source, &best));
    }
    settings::undo(target, &taken)?;
    Ok(Settings {
        tried,
        my_cnf: best.iter().filter_map(|one| one.my_cnf.clone()).collect(),
        statements: best.iter().map(|one| one.statement.clone()).collect(),
        effects,
        left: titles(&left),
    })
}
