//! Reads the input of the checks from a server, in read-only transactions with time limits.

mod compared;
mod joins;
mod pairs;
mod plans;
mod samples;
mod shares;
mod statements;
mod texts;
mod views;

pub use texts::describe_unread_statements;

use check::{Reading, Target};
use facts::{Facts, Limits, RunnableNames, Scope, Unseen};
use server::{Error, Progress, Server};

use crate::checks::Selection;
use crate::input::{AuditInput, Statement};

/// Options of [`gather`].
#[derive(Clone, Debug)]
pub struct Request {
    /// Schemas to read. Empty: all except the system schemas and those that `weigh` made.
    pub schemas: Vec<String>,
    pub target: Option<Target>,
    /// Statements of scripts and slow query logs.
    pub statements: Vec<Statement>,
    /// Number of rows to sample from each table; 0 for none.
    pub sample: u64,
    /// Time limits of statements and lock waits.
    pub limits: Limits,
    /// Arguments that name the server, see [`AuditInput::source`].
    pub source: Vec<String>,
}

/// Reads what the selected checks need. The settings and collations of `replicas` are read, too.
///
/// # Errors
///
/// If a connection or a statement fails, or a signal interrupts the process. Plans and samples that
/// the server refuses are no error: they become entries of [`AuditInput::unseen`].
pub fn gather(
    server: &Server,
    replicas: &[Server],
    request: Request,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<AuditInput, Error> {
    let scope = Scope {
        schemas: request.schemas,
        programs: selection.reads(Reading::Programs),
        activity: selection.reads(Reading::Activity),
    };
    let mut facts = facts::read(server, &scope, &request.limits, progress)?;
    texts::leave_out_long_texts(&mut facts);
    for replica in replicas {
        facts.replication.replicas.push(facts::read_replica(replica, &request.limits)?);
    }
    let mut unseen = Vec::new();
    if selection.reads(Reading::Programs) {
        unseen.extend(describe_unread_statements(&facts, |_| true));
    }
    let mut gatherer = Gatherer {
        server,
        facts: &facts,
        limits: request.limits,
        runnable: RunnableNames::default(),
        unseen,
        progress,
    };
    let (mut joins, mut views) = (Vec::new(), Vec::new());
    if selection.reads(Reading::Plans) {
        gatherer.read_runnable_names()?;
        joins = gatherer.explain_joins()?;
        views = gatherer.explain_views()?;
    }
    let mut statement_plans = Vec::new();
    if selection.reads(Reading::Plans) && selection.reads(Reading::Statements) {
        statement_plans = gatherer.explain_statements(&request.statements)?;
    }
    let (samples, sampled_rows) = match request.sample {
        rows if rows > 0 && selection.reads(Reading::Rows) => gatherer.sample_tables(rows)?,
        _ => (Vec::new(), 0),
    };
    let unseen = gatherer.unseen;
    Ok(AuditInput {
        facts,
        joins,
        views,
        samples,
        sampled_rows,
        refused: Vec::new(),
        statements: request.statements,
        statement_plans,
        target: request.target,
        source: request.source,
        unseen,
    })
}

/// Reads plans and samples of the tables that `facts` names.
struct Gatherer<'a> {
    server: &'a Server,
    facts: &'a Facts,
    limits: Limits,
    /// Stored functions and views that EXPLAIN can run. A statement that names one is not
    /// explained.
    runnable: RunnableNames,
    unseen: Vec<Unseen>,
    progress: &'a dyn Progress,
}

impl Gatherer<'_> {
    fn read_runnable_names(&mut self) -> Result<(), Error> {
        let mut conn = facts::connect(self.server, &self.limits)?;
        let code = facts::read_user_code(&mut conn).map_err(self.statement_error("list functions and views"))?;
        self.runnable = RunnableNames::new(&code);
        Ok(())
    }

    /// Returns the reason why a statement is not explained: it may run code of the server's users,
    /// or a function that changes the server. `None` if it can be explained.
    fn refuse_to_explain(&self, statement: &str) -> Option<String> {
        // The SQL mode of the session is empty.
        if let Err(call) = workload_folder::check_calls(statement, sql::SqlMode::default()) {
            return Some(call.reason);
        }
        let name = self.runnable.find_in(statement)?;
        Some(format!(
            "it names {name}, a stored function or a view whose functions may do more than compute, which EXPLAIN can run"
        ))
    }

    fn add_unseen(&mut self, what: String, why: String, remedy: Option<String>) {
        self.unseen.push(Unseen { what, why, remedy });
    }

    /// Returns a closure that converts the driver's errors. `what` completes "cannot …".
    fn statement_error(&self, what: &'static str) -> impl FnOnce(mysql::Error) -> Error {
        let label = self.server.label().to_owned();
        move |source| Error::Statement { label, what, source }
    }
}
