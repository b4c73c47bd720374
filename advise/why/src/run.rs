//! Diagnosis of statements, one after the other.

mod indexes;
mod prepared;

use std::collections::BTreeSet;

use server::error_code;
use sql::{SqlMode, tokenize};

use crate::Error;
use crate::copy::{Copy, Place, Session};
use crate::groups::{self, Group};
use crate::judge::{Judged as Spotted, MAX_ASKED, is_conflict};
use crate::model::{Finding, Judged, Kind, Scope, Site};
use crate::remedy::{self, Fault};
use crate::spot::Source;
use crate::syntax::{MAX_PARSED_BYTES, parse_program};
use crate::tables::TableName;
use crate::trial::{Inner, Outcome, Subject};
use crate::unjudged::describe_warning;
use crate::variables::find_variables;
use crate::{ddl, name, prepare};
use indexes::is_index_candidate;

/// Maximum number of expressions of a statement and its programs about which the server is asked.
const MAX_ASKED_IN_ALL: usize = 1000;

/// A statement to judge.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub place: String,
    pub text: String,
    /// Default schema; `None`: the one in use, at first that of the request.
    pub schema: Option<String>,
    /// Seconds and calls of a slow log.
    pub seconds: Option<f64>,
    pub calls: Option<u64>,
}

/// Statements, and the session in which they run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub given: Vec<Given>,
    pub schema: Option<String>,
    /// Statements that the application's connection begins with.
    pub first: Vec<String>,
}

/// Judged statements, and notes, such as on statements that could not be judged.
#[derive(Debug, Default)]
pub struct Found {
    pub statements: Vec<Judged>,
    pub notes: Vec<String>,
}

/// Judges statements on the copy. Statements that set up the session apply to later ones.
///
/// A statement that cannot be judged is an error if it is the only one, or if none can be judged.
/// Otherwise it is a note.
pub fn diagnose(copy: &mut Copy<'_>, request: &Request) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut session = Session { schema: request.schema.clone(), prelude: request.first.clone() };
    let is_setup = |given: &&Given| sets_up(&given.text);
    let judged_count = request.given.iter().filter(|given| !is_setup(given)).count();
    let mut failed: Option<Error> = None;
    let mut prepared_names: BTreeSet<String> = BTreeSet::new();
    for given in &request.given {
        lifecycle::interrupt::check()?;
        if let Some(schema) = &given.schema {
            session.schema = Some(schema.clone());
        }
        if prepare::used_name(&given.text).is_some_and(|name| prepared_names.contains(&name.to_lowercase())) {
            continue;
        }
        let mut inner = None;
        if let Some((name, text)) = prepare::read_prepared(copy, &session, &given.text)? {
            prepared_names.extend(name.map(|name| name.to_lowercase()));
            inner = Some(Given { text, ..given.clone() });
        }
        let given = inner.as_ref().unwrap_or(given);
        if sets_up(&given.text) && copy.run(&session, std::slice::from_ref(&given.text))?.is_ok() {
            match sql::used_schema(given.text.as_bytes()) {
                Some(schema) => session.select(schema),
                None => session.prelude.push(given.text.clone()),
            }
            continue;
        }
        let mut diagnoser = Diagnoser::new(copy, session.clone());
        match diagnoser.judge(given) {
            Ok(mut findings) => {
                if session.schema != request.schema {
                    select_schema(&mut findings, session.schema.as_deref());
                }
                let made_up_rows = diagnoser.copy.made_up_rows(&diagnoser.filled);
                if made_up_rows > 0 {
                    found.notes.push(format!("{}: plans are of made-up rows, not of yours", given.place));
                }
                let unjudged = diagnoser.unjudged().map(|reason| format!("{}: {reason}", given.place));
                let is_unjudged = unjudged.is_some() && findings.is_empty();
                let warnings = if findings.is_empty() { diagnoser.warnings } else { Vec::new() };
                if unjudged.is_none() {
                    found.notes.extend(warnings.iter().map(|warning| describe_warning(&given.place, warning)));
                }
                found.notes.extend(unjudged);
                found.statements.push(Judged {
                    place: given.place.clone(),
                    text: given.text.clone(),
                    seconds: given.seconds,
                    calls: given.calls,
                    findings,
                    is_unjudged,
                    suspects: diagnoser.suspects,
                    made_up_rows,
                    warnings,
                });
                // The statements of a slow log are not in the order of one session.
                if given.seconds.is_none() && sets_variables(&given.text) {
                    session.prelude.push(given.text.clone());
                }
            }
            Err(error @ Error::Statement { .. }) if judged_count > 1 => {
                found.notes.push(error.to_string());
                failed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    match failed {
        Some(error) if found.statements.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// Begins the changes of tables and programs with `USE`: another schema than the request's is in
/// use.
fn select_schema(findings: &mut [Finding], schema: Option<&str>) {
    let Some(schema) = schema else { return };
    for remedy in findings.iter_mut().flat_map(|finding| &mut finding.remedies) {
        let selects = remedy.sql.first().is_some_and(|first| sql::used_schema(first.as_bytes()).is_some());
        if remedy.scope >= Scope::Program && !selects {
            remedy.sql.insert(0, format!("USE {}", sql::quote_identifier(schema)));
        }
    }
}

/// A stored program or a view, and what was found.
#[derive(Debug, Default)]
pub struct JudgedProgram {
    pub findings: Vec<Finding>,
    /// Why a statement or an expression could not be judged. `None` if all were judged.
    pub unjudged: Option<String>,
}

/// Judges the statements and expressions of a stored program, without calling it. `keyword` is
/// `PROCEDURE`, `FUNCTION`, `TRIGGER` or `EVENT`. A program that does not exist has no findings.
pub fn diagnose_program(
    copy: &mut Copy<'_>,
    keyword: &'static str,
    schema: &str,
    name: &str,
) -> Result<JudgedProgram, Error> {
    let session = Session { schema: Some(schema.to_owned()), prelude: Vec::new() };
    let mut diagnoser = Diagnoser::new(copy, session);
    let findings = diagnoser.judge_stored(keyword, schema, name)?.unwrap_or_default();
    Ok(JudgedProgram { findings, unjudged: diagnoser.unjudged() })
}

/// Judges a view as a query of all its columns. If the server refuses the query for another reason
/// than collations, [`JudgedProgram::unjudged`] has its message.
pub fn diagnose_view(copy: &mut Copy<'_>, schema: &str, name: &str) -> Result<JudgedProgram, Error> {
    let text = format!("SELECT * FROM {}", sql::quote_identifier(name));
    let given = Given { place: format!("view {schema}.{name}"), text, ..Given::default() };
    let session = Session { schema: Some(schema.to_owned()), prelude: Vec::new() };
    let mut diagnoser = Diagnoser::new(copy, session);
    match diagnoser.judge(&given) {
        Ok(findings) => Ok(JudgedProgram { findings, unjudged: diagnoser.unjudged() }),
        Err(Error::Statement { message, .. }) => {
            Ok(JudgedProgram { unjudged: Some(message), ..JudgedProgram::default() })
        }
        Err(error) => Err(error),
    }
}

/// True for statements that set up a session: `SET`, `USE`, `PREPARE`, transactions, locks,
/// temporary tables. Also for a text without a statement.
pub fn sets_up(text: &str) -> bool {
    let tokens: Vec<sql::Token<'_>> =
        tokenize(text, SqlMode::default()).filter(|token| token.kind != sql::TokenKind::Comment).take(4).collect();
    let Some(first) = tokens.first() else { return true };
    let is_temporary = tokens.iter().any(|token| token.is_keyword("temporary"));
    first.is_any_keyword(&["set", "use", "lock", "unlock", "begin", "start", "commit", "rollback", "prepare"])
        || is_temporary && first.is_any_keyword(&["create", "drop"])
}

/// True for a query with `INTO @a` or `@a := …`.
fn sets_variables(text: &str) -> bool {
    sql::is_query(text, SqlMode::default()) && !find_variables(text).set.is_empty()
}

struct Diagnoser<'c, 's> {
    copy: &'c mut Copy<'s>,
    session: Session,
    /// Tables that were filled with made-up rows where they have few.
    filled: Vec<TableName>,
    /// Why a plan, or a statement of a program, could not be judged.
    unjudged: Option<String>,
    suspects: Vec<Finding>,
    /// Number of expressions that may still be asked about.
    budget: usize,
    /// Number of expressions that were not judged.
    left_out: usize,
    /// Warnings of the server about indexes for which no remedy was found.
    warnings: Vec<String>,
    /// Whether statements that programs prepare are judged. False for such a statement itself.
    reads_prepared: bool,
}

impl<'c, 's> Diagnoser<'c, 's> {
    fn new(copy: &'c mut Copy<'s>, session: Session) -> Self {
        Self {
            copy,
            session,
            filled: Vec::new(),
            unjudged: None,
            suspects: Vec::new(),
            warnings: Vec::new(),
            budget: MAX_ASKED_IN_ALL,
            left_out: 0,
            reads_prepared: true,
        }
    }

    /// Says why something could not be judged. `None` if all was.
    fn unjudged(&self) -> Option<String> {
        let left_out = || {
            let count = message::count_noun(self.left_out as u64, "expression");
            format!("{count} of it not judged: of a statement, the first {MAX_ASKED} different ones are")
        };
        self.unjudged.clone().or_else(|| (self.left_out > 0).then(left_out))
    }
}

impl Diagnoser<'_, '_> {
    fn judge(&mut self, given: &Given) -> Result<Vec<Finding>, Error> {
        if given.text.len() > MAX_PARSED_BYTES {
            let message = "it is longer than 1 MiB, and not judged".to_owned();
            return Err(Error::Statement { place: given.place.clone(), message });
        }
        if ddl::is_definition(&given.text) {
            return ddl::judge(self.copy, &self.session, given);
        }
        if let Some(findings) = self.judge_created_program(given)? {
            return Ok(findings);
        }
        match ddl::create_query(&given.text) {
            Some(query) => self.judge_creation(given, query),
            None => self.judge_statement(&given.place, &given.text),
        }
    }

    /// Judges the query of a `CREATE VIEW` or `CREATE TABLE`, and creates the view or the table for
    /// later statements.
    fn judge_creation(&mut self, given: &Given, query: &str) -> Result<Vec<Finding>, Error> {
        let mut findings = self.judge_statement(&given.place, query)?;
        if findings.iter().all(|finding| finding.error.is_none()) {
            let subject = Subject { session: self.session.clone(), text: given.text.clone(), inner: None };
            if let Some(refusal) = self.copy.create_from_query(&subject, query)?
                && is_conflict(refusal.code)
            {
                let before = Outcome { refusal: Some(refusal.clone()), ..Outcome::default() };
                let fault = Fault { kind: refusal_kind(refusal.code), parts: Vec::new(), subject, before };
                findings.push(finding(&fault, Some(refusal.to_string()), Vec::new(), Vec::new()));
            }
        }
        let head = given.text.strip_suffix(query).unwrap_or_default();
        let remedies = findings.iter_mut().flat_map(|finding| &mut finding.remedies);
        for remedy in remedies.filter(|remedy| remedy.scope <= Scope::Session) {
            if let Some(last) = remedy.sql.last_mut() {
                last.insert_str(0, head);
            }
        }
        Ok(findings)
    }

    fn judge_statement(&mut self, place: &str, text: &str) -> Result<Vec<Finding>, Error> {
        let (text, subject) = self.subject(text)?;
        let mut outcome = self.copy.evaluate(&subject)?;
        if outcome.refusal.as_ref().is_some_and(|refusal| refusal.code == error_code::DUP_ENTRY)
            && self.copy.remove_made_up_rows(&subject)?
        {
            outcome = self.copy.evaluate(&subject)?;
        }
        if let Some(refusal) = &outcome.refusal
            && !is_conflict(refusal.code)
        {
            if let Some(findings) = ddl::judge_value(self.copy, &subject, refusal)? {
                return Ok(findings);
            }
            let message = name::refusal_message(self.copy, &self.session, &text, refusal)?;
            return Err(Error::Statement { place: place.to_owned(), message });
        }
        let mut findings = Vec::new();
        let groups = groups::group_statement(self.copy, &subject)?;
        for group in &groups {
            findings.extend(self.judge_group(group, &outcome)?);
        }
        findings.extend(self.judge_prepared(&groups)?);
        if outcome.refusal.is_some() && findings.iter().all(|finding| finding.error.is_none()) {
            findings.extend(self.judge_undecided(&groups, &outcome)?);
        }
        if let Some(refusal) = &outcome.refusal
            && matches!(refusal_kind(refusal.code), Kind::Unknown | Kind::WrongCollate)
            && findings.iter().all(|finding| finding.remedies.is_empty())
            && let Some(finding) = ddl::judge_unknown(self.copy, &self.session, &text, refusal)?
        {
            return Ok(vec![finding]);
        }
        if let (Some(refusal), true) = (&outcome.refusal, findings.iter().all(|finding| finding.error.is_none())) {
            let fault = Fault { kind: refusal_kind(refusal.code), parts: Vec::new(), subject, before: outcome.clone() };
            let remedies = remedy::find(self.copy, &fault)?;
            findings.push(finding(&fault, Some(refusal.to_string()), remedies, Vec::new()));
        }
        Ok(findings)
    }

    /// Creates a stored program, and judges its body. `None` for other statements, and if the
    /// server refuses this one.
    fn judge_created_program(&mut self, given: &Given) -> Result<Option<Vec<Finding>>, Error> {
        if parse_program(&given.text).is_none()
            || self.copy.run(&self.session, std::slice::from_ref(&given.text))?.is_err()
        {
            return Ok(None);
        }
        let Some((keyword, schema, name)) = ddl::created_program(&self.session, &given.text) else { return Ok(None) };
        self.judge_stored(keyword, &schema, &name)
    }

    /// Judges the body of a stored program. `None` if the copy has no such program.
    fn judge_stored(&mut self, keyword: &'static str, schema: &str, name: &str) -> Result<Option<Vec<Finding>>, Error> {
        let Some(program) = self.copy.program(keyword, schema, name)? else { return Ok(None) };
        // The program is asked piece by piece; nothing calls it.
        let subject = Subject { session: self.session.clone(), text: "DO 0".into(), inner: None };
        let mut findings = Vec::new();
        let groups = groups::group_program(self.copy, &subject, &program)?;
        for group in &groups {
            findings.extend(self.judge_group(group, &Outcome::default())?);
        }
        findings.extend(self.judge_prepared(&groups)?);
        Ok(Some(findings))
    }

    /// Replaces placeholders by values, so that the statement can be run.
    fn subject(&mut self, text: &str) -> Result<(String, Subject), Error> {
        let source = Source::statement(Place::Session(self.session.clone()), text, 0);
        let text = crate::placeholder::fill(self.copy, &source)?;
        Ok((text.clone(), Subject { session: self.session.clone(), text, inner: None }))
    }

    fn judge_group(&mut self, group: &Group, outcome: &Outcome) -> Result<Vec<Finding>, Error> {
        let (mut refused, mut candidates) = (Vec::new(), Vec::new());
        let (mut refused_pieces, mut candidate_pieces) = (Vec::new(), Vec::new());
        for (source, index) in &group.sources {
            let judged = self.copy.judge(source, &mut self.budget)?;
            self.left_out += judged.left_out;
            let (bad, other): (Vec<Spotted>, Vec<Spotted>) =
                judged.spots.into_iter().partition(|judged| judged.refusal.is_some());
            if !bad.is_empty() {
                refused.push((source.clone(), bad));
                refused_pieces.push(*index);
            }
            let numbers = self.copy.judge_numbers(source)?;
            let other: Vec<Spotted> = other.into_iter().chain(numbers).filter(is_index_candidate).collect();
            if !other.is_empty() && source.has_plan() {
                candidates.push((source.clone(), other));
                candidate_pieces.push(*index);
            }
        }
        let is_program = group.subject.inner.is_some();
        if is_program {
            self.note_missing_tables(group)?;
        }
        if !refused.is_empty() && (outcome.refusal.is_some() || is_program) {
            return self.judge_refused(refused, with_pieces(group, refused_pieces), outcome);
        }
        if candidates.is_empty() || outcome.refusal.is_some() {
            return Ok(Vec::new());
        }
        self.judge_indexes(candidates, with_pieces(group, candidate_pieces))
    }

    /// Notes a table that a program's statement reads and the copy lacks: the expressions of the
    /// statement cannot be judged without it.
    fn note_missing_tables(&mut self, group: &Group) -> Result<(), Error> {
        for (source, _) in group.sources.iter().filter(|(source, _)| source.has_plan() && !source.spots().is_empty()) {
            if let Some(table) = self.copy.missing_table(source)? {
                let reason = format!("a statement of its programs could not be judged: {table} is created elsewhere");
                self.unjudged.get_or_insert(reason);
            }
        }
        Ok(())
    }

    /// Judges a refused statement of which no expression is refused alone: one of them has no
    /// collation, as `CONCAT(a, b)` of two collations, and the server refuses what is done with it.
    fn judge_undecided(&mut self, groups: &[Group], outcome: &Outcome) -> Result<Vec<Finding>, Error> {
        for group in groups {
            let (mut parts, mut pieces) = (Vec::new(), Vec::new());
            for (source, index) in &group.sources {
                let spots = self.copy.undecided(source)?;
                if !spots.is_empty() {
                    parts.push((source.clone(), spots));
                    pieces.push(*index);
                }
            }
            if !parts.is_empty() {
                return self.judge_refused(parts, with_pieces(group, pieces), outcome);
            }
        }
        Ok(Vec::new())
    }

    fn judge_refused(
        &mut self,
        parts: Vec<(Source, Vec<Spotted>)>,
        subject: Subject,
        outcome: &Outcome,
    ) -> Result<Vec<Finding>, Error> {
        let first = parts.iter().flat_map(|(_, spots)| spots).find_map(|judged| judged.refusal.clone());
        let refusal = outcome.refusal.clone().or(first);
        let kind = refusal.as_ref().map_or(Kind::Refused, |refusal| refusal_kind(refusal.code));
        if kind == Kind::Refused {
            self.fill(&parts, &subject)?;
        }
        let fault = Fault { kind, parts, subject, before: outcome.clone() };
        let remedies = remedy::find(self.copy, &fault)?;
        Ok(vec![finding(&fault, refusal.map(|refusal| refusal.to_string()), remedies, Vec::new())])
    }
}

/// The subject of a group with the pieces of a program that take part.
fn with_pieces(group: &Group, pieces: Vec<usize>) -> Subject {
    let inner = group.subject.inner.clone().map(|inner| Inner { pieces, ..inner });
    Subject { inner, ..group.subject.clone() }
}

fn refusal_kind(code: u16) -> Kind {
    match code {
        error_code::COLLATION_CHARSET_MISMATCH => Kind::WrongCollate,
        error_code::UNKNOWN_COLLATION | error_code::UNKNOWN_CHARACTER_SET => Kind::Unknown,
        _ => Kind::Refused,
    }
}

fn finding(fault: &Fault, error: Option<String>, remedies: Vec<crate::model::Remedy>, details: Vec<String>) -> Finding {
    let mut sites: Vec<Site> = Vec::new();
    for judged in fault.spots() {
        if !sites.contains(&judged.site) {
            sites.push(judged.site.clone());
        }
    }
    let plan = error.is_none().then(|| remedy::figures(&fault.before.plans)).flatten();
    Finding { kind: fault.kind, error, sites, details, plan, server_plan: None, depends_on_rows: false, remedies }
}
