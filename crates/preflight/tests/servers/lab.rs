//! A private server, schemas on it, and preflight run on them.

use facts::{Facts, Limits, Scope};
use mysql::Conn;
use mysql::prelude::Queryable;
use preflight::{
    Checkpoint, Error, Finding, Options, Phase, ReadOptions, Report, Request, RowSource, ServerRows, Source, Watcher,
    check_names, creates, preflight, program_sources,
};
use server::{NoProgress, Server, open};

/// A server for a test.
pub struct Lab {
    pub server: Server,
    pub conn: Conn,
}

pub struct NoWatcher;

impl Watcher for NoWatcher {
    fn rows(&self, _table: &str, _done: u64, _expected: u64) {}
}

impl Lab {
    pub fn new(name: &str) -> Self {
        let options = server::Options { buffer_pool: Some(64 << 20), ..server::Options::default() };
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.control().unwrap();
        conn.query_drop("SET NAMES utf8mb4").unwrap();
        Self { server, conn }
    }

    /// A new schema with these statements in it.
    pub fn schema(&mut self, name: &str, charset: &str, statements: &[String]) {
        self.conn.query_drop(format!("DROP DATABASE IF EXISTS {name}")).unwrap();
        self.conn.query_drop(format!("CREATE DATABASE {name} CHARACTER SET {charset}")).unwrap();
        self.conn.query_drop(format!("USE {name}")).unwrap();
        for statement in statements {
            self.conn
                .query_drop(statement)
                .unwrap_or_else(|error| panic!("{}: {statement}: {error}", self.server.label()));
        }
    }

    pub fn facts(&self, schema: &str) -> Facts {
        let scope = Scope { schemas: vec![schema.to_owned()], programs: true, activity: false };
        facts::read(&self.server, &scope, &Limits::default(), &NoProgress).unwrap()
    }

    pub fn report(&self, schema: &str, target: &str) -> Report {
        self.report_with(schema, &options(target), &ReadOptions::default(), &Checkpoint::none()).unwrap()
    }

    pub fn report_with(
        &self,
        schema: &str,
        options: &Options,
        read: &ReadOptions,
        checkpoint: &Checkpoint,
    ) -> Result<Report, Error> {
        let facts = self.facts(schema);
        let (creates, _) = creates(&self.server, &facts)?;
        let (programs, unseen) = program_sources(&self.server, &facts, &options.request.targets[0])?;
        assert!(unseen.is_empty(), "{unseen:?}");
        let open = || -> Result<Box<dyn RowSource + '_>, Error> {
            Ok(Box::new(ServerRows::open(&self.server, &facts, read)?))
        };
        let source = Source {
            label: "lab".into(),
            facts: &facts,
            creates: &creates,
            programs: &programs,
            open: &open,
            is_server: true,
        };
        preflight(&source, options, checkpoint, &NoWatcher)
    }

    /// Runs the plan's statements; those that were refused, with the error's code.
    pub fn run_plan(&mut self, report: &Report) -> Vec<(String, u16)> {
        let Some(plan) = &report.plan else { return Vec::new() };
        let mut refused = Vec::new();
        for step in &plan.steps {
            match self.conn.query_drop(&step.sql) {
                Ok(()) => {}
                Err(mysql::Error::MySqlError(error)) => {
                    refused.push((step.object.clone(), error.code));
                    // The foreign keys and defaults of what could not be converted don't matter any more.
                    if step.phase == Phase::Convert {
                        continue;
                    }
                }
                Err(error) => panic!("{}: {error}", step.sql),
            }
        }
        refused
    }

    /// Asserts that the plan runs to its end, its verification finds nothing, and preflight finds nothing any more.
    pub fn assert_converges(&mut self, schema: &str, target: &str, report: &Report) {
        assert_eq!(self.run_plan(report), [], "{}", told(report));
        let plan = report.plan.as_ref().unwrap();
        for query in &plan.verification {
            let rows: Vec<mysql::Row> = self.conn.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert!(rows.is_empty(), "{query}: {rows:?}");
        }
        let again = self.report(schema, target);
        assert!(again.findings.is_empty() && again.plan.is_none(), "{}", told(&again));
    }
}

pub fn options(target: &str) -> Options {
    Options {
        request: Request { targets: vec![target.to_owned()], examples: 1000, ..Request::default() },
        checks: check_names().collect(),
        parallel: 1,
        memory: 64 << 20,
        folder: std::env::temp_dir(),
        read_rows: true,
    }
}

/// Findings and plan, for a failed test.
pub fn told(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

/// The finding of a check.
pub fn found<'r>(report: &'r Report, check: &str, object: &str) -> &'r Finding {
    report
        .findings
        .iter()
        .find(|finding| finding.check == check && finding.object == object)
        .unwrap_or_else(|| panic!("no {check} of {object}: {}", told(report)))
}
