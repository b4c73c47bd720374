//! Reads the evidence: facts, and beyond them what single checks need. Nothing is written; sessions are read-only and limited in time.

mod joins;
mod pairs;
mod plans;
mod samples;

use facts::{Facts, Limits, Scope, Unseen};
use server::{Error, Progress, Server};

use crate::check::{Reading, Selection};
use crate::evidence::{Evidence, Statement};
use crate::target::Target;

/// What an audit is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Schemas; all but the system's where empty.
    pub schemas: Vec<String>,
    /// The target of a migration.
    pub target: Option<Target>,
    /// Statements of files.
    pub statements: Vec<Statement>,
    /// Rows of each table that are read as a sample; 0 for none.
    pub sample: u64,
    /// How long statements and waits may take.
    pub limits: Limits,
}

/// Reads what the chosen checks need. `replicas` are held against the server.
///
/// # Errors
/// If the server refuses or breaks off. What a missing privilege hides is no error; the evidence tells of it.
pub fn gather(
    server: &Server,
    replicas: &[Server],
    request: Request,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<Evidence, Error> {
    let scope = Scope {
        schemas: request.schemas,
        programs: selection.reads(Reading::Programs),
        activity: selection.reads(Reading::Activity),
    };
    let mut facts = facts::read(server, &scope, &request.limits, progress)?;
    for replica in replicas {
        facts.replication.replicas.push(facts::replica(replica, &request.limits)?);
    }
    let mut gatherer = Gatherer { server, facts: &facts, limits: request.limits, unseen: Vec::new(), progress };
    let (mut joins, mut views) = (Vec::new(), Vec::new());
    if selection.reads(Reading::Plans) {
        joins = gatherer.joins()?;
        views = gatherer.views()?;
    }
    let (samples, sampled_rows) = match request.sample {
        rows if rows > 0 && selection.reads(Reading::Rows) => gatherer.samples(rows)?,
        _ => (Vec::new(), 0),
    };
    let unseen = gatherer.unseen;
    Ok(Evidence {
        facts,
        joins,
        views,
        samples,
        sampled_rows,
        statements: request.statements,
        target: request.target,
        unseen,
    })
}

/// Reading on, with the facts at hand.
struct Gatherer<'a> {
    server: &'a Server,
    facts: &'a Facts,
    limits: Limits,
    unseen: Vec<Unseen>,
    progress: &'a dyn Progress,
}

impl Gatherer<'_> {
    fn cannot_see(&mut self, what: String, why: String, remedy: Option<String>) {
        self.unseen.push(Unseen { what, why, remedy });
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(mysql::Error) -> Error {
        let label = self.server.label().to_owned();
        move |source| Error::Statement { label, what, source }
    }
}

/// A name in backticks.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
