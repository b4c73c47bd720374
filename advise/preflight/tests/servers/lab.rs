//! Runs preflight on schemas of a private server.

use facts::{Facts, Limits, Scope};
use mysql::prelude::Queryable;
use preflight::{
    Checkpoint, Error, Finding, Options, ReadOptions, Rehearsed, Report, Request, RowSource, SampleOptions,
    ScanProgress, Selection, ServerRows, Source, checks::CHECKS, read_definitions, rehearse,
};
use server::Conn;
use server::{NoProgress, Server, open};

pub struct Lab {
    pub server: Server,
    pub conn: Conn,
    /// Server of the rehearsals. If it is `None`, one of the same version is started.
    pub private: Option<Server>,
}

pub struct NoProgressBar;

impl ScanProgress for NoProgressBar {
    fn rows_read(&self, _table: &str, _done: u64, _expected: u64) {}
}

impl Lab {
    pub fn new(name: &str) -> Self {
        Self::with_settings(name, &[])
    }

    /// Starts a server with settings.
    pub fn with_settings(name: &str, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| format!("{name}={value}").parse().unwrap()).collect();
        let options = server::Options { settings, buffer_pool: Some(64 << 20), ..server::Options::default() };
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.connect().unwrap();
        conn.query_drop("SET NAMES utf8mb4").unwrap();
        Self { server, conn, private: None }
    }

    /// Creates a schema and runs statements in it.
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
        self.facts_of(&[schema])
    }

    fn facts_of(&self, schemas: &[&str]) -> Facts {
        let schemas = schemas.iter().map(|schema| (*schema).to_owned()).collect();
        let scope = Scope { schemas, programs: true, activity: false };
        facts::read(&self.server, &scope, &Limits::default(), &NoProgress).unwrap()
    }

    pub fn report(&self, schema: &str, target: &str) -> Report {
        self.report_with(schema, &options(target), &ReadOptions::default(), &Checkpoint::disabled()).unwrap()
    }

    /// Runs preflight, and rehearses its plan.
    pub fn rehearsed_report_with(&mut self, schema: &str, options: &Options) -> Report {
        self.rehearsed_report_of(&[schema], options)
    }

    /// As [`Self::rehearsed_report_with`], with the facts of several schemas.
    pub fn rehearsed_report_of(&mut self, schemas: &[&str], options: &Options) -> Report {
        let private = self.private.take().unwrap_or_else(|| {
            let options = server::Options { buffer_pool: Some(64 << 20), ..server::Options::default() };
            open(&self.server.label().parse().unwrap(), &options, &NoProgress).unwrap()
        });
        let facts = self.facts_of(schemas);
        let mut report = self.report_of(&facts, options, &ReadOptions::default(), &Checkpoint::disabled()).unwrap();
        let definitions = read_definitions(&self.server, &facts).unwrap();
        let sample = Some(SampleOptions::default());
        let Options { request, selection, .. } = options;
        let of = Rehearsed { facts: &facts, definitions: &definitions, request, selection, sample };
        rehearse(&private, &self.server, &of, &mut report).unwrap();
        for schema in schemas {
            private.connect().unwrap().query_drop(format!("DROP DATABASE IF EXISTS {schema}")).unwrap();
        }
        self.private = Some(private);
        report
    }

    pub fn report_with(
        &self,
        schema: &str,
        options: &Options,
        read: &ReadOptions,
        checkpoint: &Checkpoint,
    ) -> Result<Report, Error> {
        self.report_of(&self.facts(schema), options, read, checkpoint)
    }

    fn report_of(
        &self,
        facts: &Facts,
        options: &Options,
        read: &ReadOptions,
        checkpoint: &Checkpoint,
    ) -> Result<Report, Error> {
        let definitions = read_definitions(&self.server, facts)?;
        let open =
            || -> Result<Box<dyn RowSource + '_>, Error> { Ok(Box::new(ServerRows::open(&self.server, facts, read)?)) };
        let source = Source { label: "lab".into(), facts, definitions: &definitions, open: &open, is_server: true };
        preflight::run(&source, options, checkpoint, &NoProgressBar)
    }

    /// Runs the plan's statements. Returns the objects and error codes of refused statements.
    pub fn run_plan(&mut self, report: &Report) -> Vec<(String, u16)> {
        let Some(plan) = &report.plan else { return Vec::new() };
        let mut refused = Vec::new();
        for step in &plan.steps {
            match self.conn.query_drop(&step.sql) {
                Ok(()) => {}
                Err(mysql::Error::MySqlError(error)) => {
                    refused.push((step.object.clone(), error.code));
                }
                Err(error) => panic!("{}: {error}", step.sql),
            }
        }
        refused
    }

    /// Asserts that the plan runs without errors, that its verification returns no rows, and that a
    /// second preflight finds nothing.
    pub fn assert_converges(&mut self, schema: &str, target: &str, report: &Report) {
        assert_eq!(self.run_plan(report), [], "{}", describe_report(report));
        let plan = report.plan.as_ref().unwrap();
        for query in &plan.verification {
            let rows: Vec<mysql::Row> = self.conn.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert!(rows.is_empty(), "{query}: {rows:?}");
        }
        let again = self.report(schema, target);
        assert!(again.findings.is_empty() && again.plan.is_none(), "{}", describe_report(&again));
    }
}

pub fn options(target: &str) -> Options {
    Options {
        request: Request { targets: vec![target.to_owned()], examples: 1000, ..Request::default() },
        selection: Selection::all(CHECKS),
        parallel: 1,
        memory: 64 << 20,
        folder: std::env::temp_dir(),
        read_rows: true,
    }
}

/// Formats a report for the message of a failed test.
pub fn describe_report(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

pub fn find_finding<'r>(report: &'r Report, check: &str, object: &str) -> &'r Finding {
    report
        .findings
        .iter()
        .find(|finding| finding.check == check && finding.object.name == object)
        .unwrap_or_else(|| panic!("no {check} of {object}: {}", describe_report(report)))
}
