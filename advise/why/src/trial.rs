//! Running a statement on the copy, with and without a change.

use server::Flavour;

use crate::Error;
use crate::copy::{Call, Copy, Place, Refusal, Session, StoredProgram};
use crate::judge::is_conflict;
use crate::keep::Kept;
use crate::model::Scope;
use crate::plan::Plan;
use crate::spot::Source;
use crate::syntax::Piece;

/// Statement to run, with its session.
#[derive(Clone, Debug)]
pub struct Subject {
    pub session: Session,
    pub text: String,
    /// Pieces of a stored program that are asked by themselves.
    pub inner: Option<Inner>,
}

#[derive(Clone, Debug)]
pub struct Inner {
    pub keyword: &'static str,
    pub schema: String,
    pub name: String,
    pub call: Call,
    /// Indexes into [`crate::syntax::Program::pieces`].
    pub pieces: Vec<usize>,
}

/// Answer of the server.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub refusal: Option<Refusal>,
    /// Plan of the statement, or of each piece.
    pub plans: Vec<Plan>,
    /// Error of EXPLAIN for a piece that has a plan, for another reason than collations.
    pub unexplained: Option<Refusal>,
}

/// A change that may be a remedy.
#[derive(Clone, Debug)]
pub struct Change {
    pub scope: Scope,
    pub what: String,
    pub sql: Vec<String>,
    pub effects: Vec<String>,
    /// True if the statement then compares texts that lost characters.
    pub is_lossy: bool,
    /// Collation by which texts are compared afterwards, if the change decides it.
    pub collation: Option<String>,
    pub act: Act,
}

#[derive(Clone, Debug)]
pub enum Act {
    /// The statement, rewritten, in another session or the same.
    Statement(Session, String),
    /// Statements on tables (schema and name), which are restored afterwards. `text` is the
    /// statement rewritten; `None` leaves it.
    Tables { tables: Vec<(String, String)>, session: Session, statements: Vec<String>, text: Option<String> },
    /// Programs after the change, each with the program before it.
    Programs(Vec<(StoredProgram, StoredProgram)>),
    /// A view's statement, its session, and the statement that restores it.
    View { session: Session, statement: String, before: String },
}

/// Maximum number of rows, by the plan, of a statement that is run without a time limit.
const MAX_ROWS_RUN: u64 = 50_000_000;

/// True for errors of the time limit. A statement that reaches the limit counts as run.
pub fn is_time_limit(code: u16) -> bool {
    matches!(
        code,
        server::error_code::QUERY_TIMEOUT
            | server::error_code::STATEMENT_TIMEOUT
            | server::error_code::QUERY_INTERRUPTED
    )
}

impl Copy<'_> {
    /// Explains and runs a subject.
    pub fn evaluate(&mut self, subject: &Subject) -> Result<Outcome, Error> {
        let mut outcome = Outcome::default();
        match &subject.inner {
            Some(inner) => self.evaluate_pieces(inner, &mut outcome)?,
            None if is_explainable(&subject.text) => {
                let place = Place::Session(subject.session.clone());
                match self.explain(&place, &subject.text)? {
                    Ok(plan) => outcome.plans.push(plan),
                    Err(refusal) => outcome.refusal = Some(refusal),
                }
            }
            None => {}
        }
        if outcome.refusal.is_none() && !self.runs_for_long(subject, &outcome.plans) {
            let run = self.try_statement(&subject.session, &subject.text)?.err();
            outcome.refusal = run.filter(|refusal| !is_time_limit(refusal.code));
        }
        Ok(outcome)
    }

    /// Creates the view or the table of a query, for later statements. A table stays empty if the
    /// copy has made-up rows, which are none of its own. Returns the refusal.
    pub fn create_from_query(&mut self, subject: &Subject, query: &str) -> Result<Option<Refusal>, Error> {
        let plan = self.explain(&Place::Session(subject.session.clone()), query)?;
        if self.runs_for_long(subject, &plan.into_iter().collect::<Vec<_>>()) {
            return Ok(None);
        }
        let refusal = self.run(&subject.session, std::slice::from_ref(&subject.text))?.err();
        let tokens: Vec<sql::Token<'_>> = sql::tokenize(&subject.text, sql::SqlMode::default()).collect();
        let is_table = tokens.iter().filter(|token| token.is_content()).take(4).any(|token| token.is_keyword("table"));
        if refusal.is_none()
            && is_table
            && !self.made_up.is_empty()
            && let Some(created) = sql::find_tables(&tokens).into_iter().next()
        {
            let own = subject.session.schema.clone().unwrap_or_default();
            let name = sql::quote_table(created.schema.as_ref().unwrap_or(&own), &created.name);
            let _ = self.run(&Session::default(), &[format!("TRUNCATE TABLE {name}")])?;
        }
        Ok(refusal)
    }

    /// True for a statement that MySQL could run for minutes, because `max_execution_time` limits
    /// only queries. The statement is not run, and counts as accepted.
    fn runs_for_long(&self, subject: &Subject, plans: &[Plan]) -> bool {
        let is_limited = self.flavour == Flavour::MariaDb || sql::is_query(&subject.text, sql::SqlMode::default());
        !is_limited && plans.iter().any(|plan| plan.figures.rows > MAX_ROWS_RUN)
    }

    fn evaluate_pieces(&mut self, inner: &Inner, outcome: &mut Outcome) -> Result<(), Error> {
        let Some(program) = self.program(inner.keyword, &inner.schema, &inner.name)? else { return Ok(()) };
        for index in &inner.pieces {
            let Some(source) = piece_source(&program, &inner.call, *index) else { continue };
            match self.evaluate_piece(&source)? {
                Ok(plan) => outcome.plans.push(plan),
                Err(refusal) if is_conflict(refusal.code) => outcome.refusal = Some(refusal),
                Err(refusal) => {
                    outcome.plans.push(Plan::default());
                    if source.has_plan() {
                        outcome.unexplained.get_or_insert(refusal);
                    }
                }
            }
        }
        Ok(())
    }

    /// Explains a statement of a program, or evaluates an expression on no rows and explains its
    /// subqueries.
    fn evaluate_piece(&mut self, source: &Source) -> Result<Result<Plan, Refusal>, Error> {
        if !source.is_expression {
            let text = crate::ddl::create_query(&source.text).unwrap_or(&source.text);
            return self.explain(&source.place, &without_into(text));
        }
        let expression = format!("({})", source.text);
        if let Err(refusal) = self.ask_on_no_rows(source, 0, &[(&expression, "weigh_value")])? {
            return Ok(Err(refusal));
        }
        if !source.has_plan() {
            return Ok(Ok(Plan::default()));
        }
        self.explain(&source.place, &format!("SELECT {expression}"))
    }

    /// Makes a change, evaluates the subject, and undoes the change. `None` if the server refuses
    /// the change itself.
    pub fn evaluate_with(&mut self, subject: &Subject, change: &Change) -> Result<Option<Outcome>, Error> {
        match &change.act {
            Act::Statement(session, text) => {
                // A setting that the server refuses would be left out, and is no remedy.
                let own = Session { schema: session.schema.clone(), prelude: Vec::new() };
                let is_setting = |statement: &&String| !sql::is_query(statement, sql::SqlMode::default());
                let settings: Vec<String> = session.prelude.iter().filter(is_setting).cloned().collect();
                if *session != subject.session && self.run(&own, &settings)?.is_err() {
                    return Ok(None);
                }
                let changed = Subject { session: session.clone(), text: text.clone(), inner: None };
                // The session of a call matters to its arguments only.
                let inner = subject
                    .inner
                    .clone()
                    .map(|inner| Inner { call: Call { session: session.clone(), ..inner.call }, ..inner });
                self.evaluate(&Subject { inner, ..changed }).map(Some)
            }
            Act::Tables { tables, session, statements, text } => {
                let mut kept = Kept::default();
                for (schema, name) in tables {
                    kept.keep(self, schema, name)?;
                }
                let changed = self.run(session, statements)?;
                let analyze =
                    tables.iter().map(|(schema, name)| format!("ANALYZE TABLE {}", sql::quote_table(schema, name)));
                let analyze: Vec<String> = analyze.collect();
                let outcome = match changed {
                    Ok(()) => {
                        let _ = self.run(&Session::default(), &analyze)?;
                        let text = text.as_ref().unwrap_or(&subject.text).clone();
                        Some(self.evaluate(&Subject { text, ..subject.clone() })?)
                    }
                    Err(_) => None,
                };
                kept.restore(self)?;
                Ok(outcome)
            }
            Act::Programs(programs) => {
                let mut is_made = true;
                for (after, _) in programs {
                    is_made &= self.recreate(after)?.is_ok();
                }
                let outcome = if is_made { Some(self.evaluate(subject)?) } else { None };
                for (_, before) in programs {
                    let _ = self.recreate(before)?;
                }
                Ok(outcome)
            }
            Act::View { session, statement, before } => {
                let made = self.run(session, std::slice::from_ref(statement))?;
                let outcome = if made.is_ok() { Some(self.evaluate(subject)?) } else { None };
                let _ = self.run(session, std::slice::from_ref(before))?;
                Ok(outcome)
            }
        }
    }

    /// Drops and creates a program in the session of its creation.
    pub fn recreate(&mut self, program: &StoredProgram) -> Result<Result<(), Refusal>, Error> {
        let drop = format!("DROP {} IF EXISTS {}", program.keyword, sql::quote_identifier(&program.name));
        self.create_program(program, &[drop, program.create.clone()])
    }
}

/// Returns a piece of a program as a source. `None` if there is no such piece.
pub fn piece_source(program: &StoredProgram, call: &Call, index: usize) -> Option<Source> {
    let piece = program.parsed.pieces.get(index)?;
    let text = &program.create[piece.span().clone()];
    let is_creation = |span: &std::ops::Range<usize>| {
        let tokens: Vec<sql::Token<'_>> =
            sql::tokenize(&program.create[span.clone()], sql::SqlMode::default()).take(2).collect();
        matches!(tokens.as_slice(), [create, temporary] if create.is_keyword("create") && temporary.is_keyword("temporary"))
    };
    let earlier = program.parsed.pieces[..index].iter().map(Piece::span).filter(|span| is_creation(span));
    let created = earlier.map(|span| program.create[span.clone()].to_owned()).collect();
    let place = Place::Program { program: Box::new(program.clone()), call: Call { created, ..call.clone() } };
    Some(match piece {
        Piece::Statement(span) => Source::statement(place, text, span.start),
        Piece::Expression(span) => Source::expression(place, text, span.start),
    })
}

/// True for `SELECT`, `WITH`, `INSERT`, `REPLACE`, `UPDATE` and `DELETE`, which EXPLAIN takes.
pub fn is_explainable(text: &str) -> bool {
    let tokens = sql::tokenize(text, sql::SqlMode::default());
    let mut words = tokens.filter(|token| token.is_content() && !token.is_symbol('('));
    words.next().is_some_and(|word| word.is_any_keyword(&["select", "with", "insert", "replace", "update", "delete"]))
}

/// Returns a `SELECT` without `INTO a, b`, which EXPLAIN of some servers refuses.
pub fn without_into(text: &str) -> String {
    let tokens: Vec<sql::Token<'_>> = sql::tokenize(text, sql::SqlMode::default()).collect();
    if !tokens.first().is_some_and(|token| token.is_keyword("select")) {
        return text.to_owned();
    }
    let Some(into) = tokens.iter().position(|token| token.is_keyword("into")) else { return text.to_owned() };
    let end =
        tokens[into..].iter().find(|token| token.is_any_keyword(&["from", "where", "order", "limit", "group", "for"]));
    let end = end.map_or(text.len(), |token| token.start);
    format!("{}{}", &text[..tokens[into].start], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_into() {
        assert_eq!(without_into("SELECT a INTO b, c FROM t"), "SELECT a FROM t");
        assert_eq!(without_into("SELECT a FROM t INTO b"), "SELECT a FROM t ");
        assert_eq!(without_into("INSERT INTO t SELECT 1"), "INSERT INTO t SELECT 1");
    }
}
