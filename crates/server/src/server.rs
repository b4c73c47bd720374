//! A running server, private or attached to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

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
use crate::{Error, Progress, attach, changed, connect, install, silence};

/// A running server. A private one is stopped, and its folder removed, when this is dropped.
pub struct Server {
    label: String,
    endpoint: Endpoint,
    version: String,
    version_comment: String,
    pid: Option<u32>,
    /// Whether `weigh` started it; its instance is gone where starting it anew has failed.
    is_private: bool,
    instance: Option<Instance>,
    /// Why it does not answer, once it was found not to.
    silent: OnceLock<String>,
}

/// Makes the server that `spec` names available: attaches to it, or installs it where needed and starts it.
pub fn open(spec: &Spec, options: &Options, progress: &dyn Progress) -> Result<Server, Error> {
    match spec {
        Spec::Attach(named) => Server::attach(named, options),
        Spec::Started(id) => Server::started(&started::find(id)?, options),
        _ => {
            let program = install::program(spec, progress)?;
            Server::private(Instance::start(&program, options, Lifetime::Bound, progress)?, program.label, options)
        }
    }
}

impl Server {
    fn attach(named: &ClientOptions, options: &Options) -> Result<Self, Error> {
        let endpoint = with_options(options.login.endpoint(named)?, options);
        let mut conn = connect::connect(&endpoint)?;
        let pid = attach::pid(&endpoint, &mut conn);
        let mut server = Self::read(endpoint, &mut conn, String::new(), pid)?;
        let number = server.version.split('-').next().unwrap_or_default().to_owned();
        server.label = format!("{} {number} at {}", server.flavour(), server.endpoint.address);
        Ok(server)
    }

    fn started(started: &Started, options: &Options) -> Result<Self, Error> {
        if !started.is_alive() {
            let id = &started.id;
            return Err(Error::Started(format!(
                "{id} ({}) runs no more; `weigh servers stop {id}` clears it away",
                started.label
            )));
        }
        let endpoint = with_options(started.endpoint(), options);
        let mut conn = connect::connect(&endpoint)?;
        Self::read(endpoint, &mut conn, format!("{} ({})", started.label, started.id), Some(started.pid))
    }

    fn private(instance: Instance, label: String, options: &Options) -> Result<Self, Error> {
        let endpoint = with_options(instance.endpoint().clone(), options);
        let mut conn = connect::connect(&endpoint)?;
        let mut server = Self::read(endpoint, &mut conn, label, Some(instance.process().pid))?;
        server.is_private = true;
        server.instance = Some(instance);
        Ok(server)
    }

    fn read(endpoint: Endpoint, conn: &mut Conn, label: String, pid: Option<u32>) -> Result<Self, Error> {
        let versions = conn.query_first("SELECT VERSION(), @@version_comment");
        let (version, version_comment) = versions
            .map(Option::unwrap_or_default)
            .map_err(|source| Error::Statement { label: endpoint.to_string(), what: "tell its version", source })?;
        let silent = OnceLock::new();
        Ok(Self { label, endpoint, version, version_comment, pid, is_private: false, instance: None, silent })
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
        self.is_private
    }

    /// Its process, where that is on this machine and visible to us.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// A new connection for statements of control, each of which is answered soon or not at all.
    pub fn control(&self) -> Result<Conn, Error> {
        self.connected(connect::connect)
    }

    /// A new connection for statements whose work grows with the data, such as DROP DATABASE: they may take minutes.
    pub fn control_patient(&self) -> Result<Conn, Error> {
        self.connected(connect::connect_patient)
    }

    /// A new connection for statements that may take any time. Whoever uses it watches the server by [`check_answers`](Self::check_answers).
    pub fn control_unlimited(&self) -> Result<Conn, Error> {
        self.connected(connect::connect_unlimited)
    }

    /// A new connection for statements each of which is answered within `limit`.
    pub fn control_within(&self, limit: Duration) -> Result<Conn, Error> {
        self.connected(|endpoint| connect::connect_within(endpoint, limit))
    }

    fn connected(&self, connect: impl Fn(&Endpoint) -> Result<Conn, Error>) -> Result<Conn, Error> {
        self.check_not_silent()?;
        let first = connect(&self.endpoint);
        // The account has logged in before. With MariaDB's ed25519 one login of 256 fails all the same: the `mysql` crate takes a 0 at the end of
        // the nonce for what ends it.
        let is_denied = matches!(&first, Err(Error::Connect(error)) if error.is_denied);
        let connected = if is_denied { connect(&self.endpoint) } else { first };
        connected.map_err(|error| match self.describe_failure() {
            Some(failure) => Error::Died(failure),
            None => error,
        })
    }

    /// An error if the server was found silent before: it is asked nothing more then.
    pub fn check_not_silent(&self) -> Result<(), Error> {
        let silent = |reason: &String| Err(Error::Silent { label: self.label.clone(), reason: reason.clone() });
        self.silent.get().map_or(Ok(()), silent)
    }

    /// An error unless the server answers on a new connection within a few seconds and can go on working: one that died, is stopped or
    /// hangs is named with what can be told of why, and is asked nothing more from then on.
    pub fn check_answers(&self) -> Result<(), Error> {
        self.check_not_silent()?;
        self.check_alive()?;
        let stopped = self.pid.and_then(silence::stopped);
        let full = || self.instance.as_ref().and_then(|instance| silence::full_disk(instance.folder()));
        let reason = match stopped.or_else(full) {
            Some(reason) => reason,
            None => match silence::probe(&self.endpoint) {
                Ok(()) => return Ok(()),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => format!("{error}\nIt hangs, or the network in between drops what is sent."),
            },
        };
        // Another thread may have been quicker, with the same news.
        let _ = self.silent.set(reason);
        self.check_not_silent()
    }

    /// The global variables of these names, as the server has them now; names that it lacks are absent.
    pub fn settings_in_force(&self, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
        let names: Vec<String> = names.iter().map(|name| name.replace('-', "_").to_lowercase()).collect();
        let all: Vec<(String, String)> = self.ask("tell its settings", |conn| conn.query("SHOW GLOBAL VARIABLES"))?;
        Ok(all.into_iter().filter(|(name, _)| names.contains(name)).collect())
    }

    /// The global variables that are not at the value that the server was compiled with, but for what tells instances apart; `None` where the
    /// server does not tell (MySQL before 8.0).
    pub fn changed_settings(&self) -> Result<Option<BTreeMap<String, String>>, Error> {
        Ok(changed::read(&mut self.control()?))
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

    /// Replaces a private server by a new instance of the same program with the same options and an empty data folder; what was loaded is
    /// gone. An attached server is left alone.
    pub fn start_anew(&mut self, progress: &dyn Progress) -> Result<(), Error> {
        self.replace(None, progress)
    }

    /// The same, with a buffer pool of so many bytes; later starts keep it.
    pub fn start_anew_with_buffer_pool(&mut self, bytes: u64, progress: &dyn Progress) -> Result<(), Error> {
        self.replace(Some(bytes), progress)
    }

    /// One more private server of the same program, with the same options; `None` where this one is attached to.
    pub fn another(&self, label: String, progress: &dyn Progress) -> Result<Option<Self>, Error> {
        let Some(instance) = &self.instance else { return Ok(None) };
        let instance = instance.another(progress)?;
        Ok(Some(Self {
            label,
            endpoint: self.endpoint_of(&instance),
            version: self.version.clone(),
            version_comment: self.version_comment.clone(),
            pid: Some(instance.process().pid),
            is_private: true,
            instance: Some(instance),
            silent: OnceLock::new(),
        }))
    }

    fn replace(&mut self, buffer_pool: Option<u64>, progress: &dyn Progress) -> Result<(), Error> {
        if let Some(instance) = self.instance.take() {
            let instance = instance.start_anew(buffer_pool, progress)?;
            self.endpoint = self.endpoint_of(&instance);
            self.pid = Some(instance.process().pid);
            self.instance = Some(instance);
        }
        Ok(())
    }

    /// How an instance of this server's program is reached, with this server's time-out.
    fn endpoint_of(&self, instance: &Instance) -> Endpoint {
        Endpoint { timeout: self.endpoint.timeout, ..instance.endpoint().clone() }
    }

    /// What tells this server from others: its `server_uuid` where it has one, else host name, port, server id and data folder.
    pub fn identity(&self) -> Result<Option<String>, Error> {
        self.ask("tell which server it is", |conn| match conn.query_first("SELECT @@server_uuid") {
            // MariaDB has none.
            Err(mysql::Error::MySqlError(_)) => {
                conn.query_first("SELECT CONCAT_WS(':', @@hostname, @@port, @@server_id, @@datadir)")
            }
            uuid => uuid,
        })
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

fn with_options(endpoint: Endpoint, options: &Options) -> Endpoint {
    let timeout = options.timeout.unwrap_or(endpoint.timeout);
    Endpoint { timeout, get_server_public_key: options.get_server_public_key, ..endpoint }
}
