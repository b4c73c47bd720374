//! A running server, private or attached to.

use std::collections::BTreeMap;
use std::fmt;

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::collations::{self, CollationInfo};
use crate::endpoint::Endpoint;
use crate::flavour::Flavour;
use crate::instance::{Instance, Lifetime};
use crate::login::ClientOptions;
use crate::options::Options;
use crate::spec::Spec;
use crate::started::{self, Started};
use crate::{Error, Progress, attach, connect, install};

/// A running server. A private one is stopped, and its folder removed, when this is dropped.
pub struct Server {
    label: String,
    endpoint: Endpoint,
    version: String,
    version_comment: String,
    pid: Option<u32>,
    instance: Option<Instance>,
}

/// Makes the server that `spec` names available: attaches to it, or installs it where needed and starts it.
pub fn open(spec: &Spec, options: &Options, progress: &dyn Progress) -> Result<Server, Error> {
    match spec {
        Spec::Attach(named) => Server::attach(named, options),
        Spec::Started(id) => Server::started(&started::find(id)?),
        _ => {
            let program = install::program(spec, progress)?;
            Server::private(Instance::start(&program, options, Lifetime::Bound, progress)?, program.label)
        }
    }
}

impl Server {
    fn attach(named: &ClientOptions, options: &Options) -> Result<Self, Error> {
        let endpoint = options.login.endpoint(named)?;
        let mut conn = connect::connect(&endpoint)?;
        let pid = attach::pid(&endpoint, &mut conn);
        let mut server = Self::read(endpoint, &mut conn, String::new(), pid)?;
        let number = server.version.split('-').next().unwrap_or_default().to_owned();
        server.label = format!("{} {number} at {}", server.flavour(), server.endpoint.address);
        Ok(server)
    }

    fn started(started: &Started) -> Result<Self, Error> {
        if !started.is_alive() {
            let id = &started.id;
            return Err(Error::Started(format!(
                "{id} ({}) runs no more; `weigh servers stop {id}` clears it away",
                started.label
            )));
        }
        let endpoint = started.endpoint();
        let mut conn = connect::connect(&endpoint)?;
        Self::read(endpoint, &mut conn, format!("{} ({})", started.label, started.id), Some(started.pid))
    }

    fn private(instance: Instance, label: String) -> Result<Self, Error> {
        let endpoint = instance.endpoint().clone();
        let mut conn = connect::connect(&endpoint)?;
        let mut server = Self::read(endpoint, &mut conn, label, Some(instance.process().pid))?;
        server.instance = Some(instance);
        Ok(server)
    }

    fn read(endpoint: Endpoint, conn: &mut Conn, label: String, pid: Option<u32>) -> Result<Self, Error> {
        let versions = conn.query_first("SELECT VERSION(), @@version_comment");
        let (version, version_comment) = versions
            .map(Option::unwrap_or_default)
            .map_err(|source| Error::Statement { label: endpoint.to_string(), what: "tell its version", source })?;
        Ok(Self { label, endpoint, version, version_comment, pid, instance: None })
    }

    /// What to call it: the catalogue's name, else flavour and version, for an attached server with its address.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Calls it something else, where one name stands for several.
    pub fn rename(&mut self, label: String) {
        self.label = label;
    }

    /// Where it listens and how to log in.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// MySQL or MariaDB.
    pub fn flavour(&self) -> Flavour {
        match Flavour::of(&self.version) {
            Flavour::MariaDb => Flavour::MariaDb,
            Flavour::MySql => Flavour::of(&self.version_comment),
        }
    }

    /// `SELECT VERSION()`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// `@@version_comment`, which names the build.
    pub fn version_comment(&self) -> &str {
        &self.version_comment
    }

    /// Whether `weigh` started it and will stop it.
    pub fn is_private(&self) -> bool {
        self.instance.is_some()
    }

    /// Its process, where that is on this machine and visible to us.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// A new connection for statements of control.
    pub fn control(&self) -> Result<Conn, Error> {
        connect::connect(&self.endpoint).map_err(|error| match self.describe_failure() {
            Some(failure) => Error::Died(failure),
            None => error,
        })
    }

    /// The global variables of these names, as the server has them now; names that it lacks are absent.
    pub fn settings_in_force(&self, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
        let names: Vec<String> = names.iter().map(|name| name.replace('-', "_").to_lowercase()).collect();
        let all: Vec<(String, String)> = self.ask("tell its settings", |conn| conn.query("SHOW GLOBAL VARIABLES"))?;
        Ok(all.into_iter().filter(|(name, _)| names.contains(name)).collect())
    }

    /// The collations that it has, by id.
    pub fn collations(&self) -> Result<Vec<CollationInfo>, Error> {
        self.ask("list its collations", collations::read)
    }

    /// An error if this is a private server that has died.
    pub fn check_alive(&self) -> Result<(), Error> {
        self.describe_failure().map_or(Ok(()), |failure| Err(Error::Died(failure)))
    }

    /// If this is a private server that has died: a sentence that says so, with the end of its error log.
    pub fn describe_failure(&self) -> Option<String> {
        self.instance.as_ref()?.describe_failure()
    }

    /// Stops a private server and removes its folder, and tells if something stays. An attached server is left alone.
    pub fn stop(self) -> Result<(), Error> {
        self.instance.map_or(Ok(()), Instance::stop)
    }

    fn ask<T>(&self, what: &'static str, ask: impl FnOnce(&mut Conn) -> mysql::Result<T>) -> Result<T, Error> {
        let mut conn = self.control()?;
        ask(&mut conn).map_err(|source| match self.describe_failure() {
            Some(failure) => Error::Died(failure),
            None => Error::Statement { label: self.label.clone(), what, source },
        })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("label", &self.label).field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
