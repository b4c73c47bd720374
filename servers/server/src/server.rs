//! Running servers, private or attached.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use crate::connect::Conn;
use fetch::{Flavour, Origin, Progress};
use mysql::prelude::Queryable;

use crate::attach::{self, ClientOptions};
use crate::connect::{self, Address, ConnectError, Endpoint, LoadLimits, TlsMode, probe};
use crate::in_force::{CollationInfo, read_changed_settings, read_collations};
use crate::private::{Companion, DetachedInstance, Instance, Lifetime, detached};
use crate::{Error, Options, Spec};

/// Why [`retry_with_tls`] sends no password.
const UNTRUSTED_PORT: &str = "weigh uses TLS without verification unasked only on a port of root, of a service's account \
     (a user id below 1000) or of this user.";

/// A running server. Dropping a private server ends it and removes its folder.
pub struct Server {
    label: String,
    endpoint: Endpoint,
    version: String,
    version_comment: String,
    pid: Option<u32>,
    is_private: bool,
    /// `None` for an attached server, and for a private server after a failed restart.
    instance: Option<Instance>,
    /// Why the server does not reply. Unset until a check has found that.
    silence: OnceLock<String>,
}

/// Opens the server that `spec` names: attaches to a running server, or starts a private one.
/// Installs the program first if it is missing.
pub fn open(spec: &Spec, options: &Options, progress: &dyn Progress) -> Result<Server, Error> {
    match spec {
        Spec::Attach(named) => Server::attach(named, options),
        Spec::Detached(id) => Server::attach_detached(&detached::find(id)?, options),
        Spec::Private(origin) => Server::start_private(origin, options, progress),
    }
}

impl Server {
    fn attach(named: &ClientOptions, options: &Options) -> Result<Self, Error> {
        let mut endpoint = with_options(options.login.resolve_endpoint(named)?, options);
        let mut conn = match connect::connect(&endpoint) {
            Err(Error::Connect(error)) if error.needs_tls && endpoint.tls.if_needed => {
                retry_with_tls(&mut endpoint, error)?
            }
            other => other?,
        };
        let pid = attach::find_pid(&endpoint, &mut conn);
        let mut server = Self::read(endpoint, &mut conn, String::new(), pid)?;
        let number = server.version.split('-').next().unwrap_or_default().to_owned();
        server.label = format!("{} {number} at {}", server.flavour(), server.endpoint.address);
        Ok(server)
    }

    fn attach_detached(detached: &DetachedInstance, options: &Options) -> Result<Self, Error> {
        if !detached.is_alive() {
            let id = &detached.id;
            return Err(Error::DetachedInstance(format!(
                "{id} ({}) has ended; `weigh servers stop {id}` removes its folder",
                detached.label
            )));
        }
        let endpoint = with_options(detached.endpoint(), options);
        let mut conn = connect::connect(&endpoint)?;
        Self::read(endpoint, &mut conn, format!("{} ({})", detached.label, detached.id), Some(detached.pid))
    }

    fn start_private(origin: &Origin, options: &Options, progress: &dyn Progress) -> Result<Self, Error> {
        let program = fetch::find_or_install(origin, progress)?;
        let instance = Instance::start(&program, options, Lifetime::Supervised, progress)?;
        let endpoint = with_options(instance.endpoint().clone(), options);
        let mut conn = connect::connect(&endpoint)?;
        let mut server = Self::read(endpoint, &mut conn, program.label, Some(instance.process().pid))?;
        server.is_private = true;
        server.instance = Some(instance);
        Ok(server)
    }

    fn read(endpoint: Endpoint, conn: &mut Conn, label: String, pid: Option<u32>) -> Result<Self, Error> {
        let versions = conn.query_first("SELECT VERSION(), @@version_comment");
        let (version, version_comment) = versions
            .map(Option::unwrap_or_default)
            .map_err(|source| Error::Statement { label: endpoint.to_string(), what: "report its version", source })?;
        let silence = OnceLock::new();
        Ok(Self { label, endpoint, version, version_comment, pid, is_private: false, instance: None, silence })
    }

    /// Name for users: the name of the program, such as `mysql@sid`. For an attached server:
    /// flavour, version and address. For an instance of `weigh servers start`: its label and id.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Sets the label, for distinguishing servers with the same label.
    pub fn set_label(&mut self, label: String) {
        self.label = label;
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn flavour(&self) -> Flavour {
        match Flavour::from_version(&self.version) {
            Flavour::MariaDb => Flavour::MariaDb,
            Flavour::MySql => Flavour::from_version(&self.version_comment),
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

    /// True if `weigh` started the server and will stop it.
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    /// Process id. `None` if unknown, such as that of a process on another machine.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Folder for temporary files of a private server. `None` for an attached server, and after a
    /// failed restart.
    pub fn temporary_folder(&self) -> Option<PathBuf> {
        self.instance.as_ref().map(|instance| instance.folder().join("tmp"))
    }

    /// Rights of a tool that controls a private server. `None` for an attached server, and after a
    /// failed restart.
    pub fn companion(&self) -> Option<Result<Companion, Error>> {
        Some(self.instance.as_ref()?.companion())
    }

    /// Opens a control connection. A statement with all its rows may take the timeout of
    /// [`Options`], or twice that if the server answers on another connection.
    pub fn connect(&self) -> Result<Conn, Error> {
        self.connect_by(connect::connect)
    }

    /// Opens a control connection for statements whose work grows with the data, such as
    /// `DROP DATABASE`. A statement may take up to 10 minutes.
    pub fn connect_patiently(&self) -> Result<Conn, Error> {
        self.connect_by(connect::connect_patiently)
    }

    /// Limits the total cost of all later statements of a connection: time, and disk if the server
    /// is private.
    pub fn limit_load(&self, conn: &Conn, limits: LoadLimits) {
        let folder = self.instance.as_ref().map(Instance::folder);
        conn.limit_load(connect::Load::new(limits, folder));
    }

    /// Opens a control connection without a time limit. The caller must monitor the server with
    /// [`check_replies`](Self::check_replies).
    pub fn connect_unlimited(&self) -> Result<Conn, Error> {
        self.connect_by(connect::connect_unlimited)
    }

    /// Opens a control connection on which a statement with all its rows may take `limit`.
    pub fn connect_with_limit(&self, limit: Duration) -> Result<Conn, Error> {
        self.connect_by(|endpoint| connect::connect_with_limit(endpoint, limit))
    }

    /// Logs in like [`Self::connect_with_limit`], and leaves the session as the server gives it to
    /// every client. [`Conn::prepare_session`] must follow before any statement with names or
    /// values.
    pub fn log_in(&self, limit: Duration) -> Result<Conn, Error> {
        self.connect_by(|endpoint| connect::log_in(endpoint, Some(limit)))
    }

    fn connect_by(&self, connect: impl Fn(&Endpoint) -> Result<Conn, Error>) -> Result<Conn, Error> {
        self.check_not_silent()?;
        let first = connect(&self.endpoint);
        // The account has logged in before. With MariaDB's ed25519, one login in 256 fails
        // nevertheless: the `mysql` crate mistakes a zero byte at the end of the nonce for its
        // terminator.
        let is_denied = matches!(&first, Err(Error::Connect(error)) if error.is_denied);
        let connection = if is_denied { connect(&self.endpoint) } else { first };
        connection.map_err(|error| match self.describe_failure() {
            Some(failure) => Error::Died(failure),
            None => error,
        })
    }

    /// Fails if [`check_replies`](Self::check_replies) has found that the server does not reply.
    pub fn check_not_silent(&self) -> Result<(), Error> {
        let error = |reason: &String| Err(Error::Silent { label: self.label.clone(), reason: reason.clone() });
        self.silence.get().map_or(Ok(()), error)
    }

    /// Fails unless the server replies on a new connection with a timeout of at most 5 s and, if
    /// private, has at least 1 MiB of free disk space. The error describes a dead, stopped or
    /// hanging server. Later connections fail with the same error, until a restart.
    pub fn check_replies(&self) -> Result<(), Error> {
        self.check_not_silent()?;
        self.check_alive()?;
        let stopped = self.pid.and_then(probe::describe_stopped_process);
        let full = || self.instance.as_ref().and_then(|instance| probe::describe_full_disk(instance.folder()));
        let reason = match stopped.or_else(full) {
            Some(reason) => reason,
            None => match probe::check_replies(&self.endpoint) {
                Ok(()) => return Ok(()),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => format!("{error}\nThe server hangs, or the network drops packets."),
            },
        };
        // Fails if another thread has set a reason.
        let _ = self.silence.set(reason);
        self.check_not_silent()
    }

    /// Reads global variables by name. The result lacks names that the server does not have.
    pub fn read_settings(&self, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
        let names: Vec<String> = names.iter().map(|name| name.replace('-', "_").to_lowercase()).collect();
        let all: Vec<(String, String)> =
            self.query("report its settings", |conn| conn.query("SHOW GLOBAL VARIABLES"))?;
        Ok(all.into_iter().filter(|(name, _)| names.contains(name)).collect())
    }

    /// Reads the global variables that were set, without those that identify the instance or hold
    /// replication state. A value may equal the compiled-in default. `None` if they can't be read,
    /// as from MySQL before 8.0, or without the privileges.
    pub fn read_changed_settings(&self) -> Result<Option<BTreeMap<String, String>>, Error> {
        Ok(read_changed_settings(&mut self.connect()?))
    }

    /// Reads the server's collations, sorted by id.
    pub fn read_collations(&self) -> Result<Vec<CollationInfo>, Error> {
        self.query("list its collations", read_collations)
    }

    /// Fails if this is a private server that has died.
    pub fn check_alive(&self) -> Result<(), Error> {
        self.describe_failure().map_or(Ok(()), |failure| Err(Error::Died(failure)))
    }

    /// Describes the death of a private server, with the end of its error log. `None` while it
    /// runs, and for an attached server.
    pub fn describe_failure(&self) -> Option<String> {
        self.instance.as_ref()?.describe_failure()
    }

    /// Replaces a private server by a new instance of the same program with the same options and
    /// empty data. Has no effect on an attached server, and after a failed restart.
    pub fn restart(&mut self, progress: &dyn Progress) -> Result<(), Error> {
        self.replace(None, progress)
    }

    /// Like [`restart`](Self::restart), with a buffer pool of `bytes`. Later restarts keep its
    /// size.
    pub fn restart_with_buffer_pool(&mut self, bytes: u64, progress: &dyn Progress) -> Result<(), Error> {
        self.replace(Some(bytes), progress)
    }

    /// Starts another private server of the same program with the same options. `None` for an
    /// attached server, and after a failed restart.
    pub fn start_another(&self, label: String, progress: &dyn Progress) -> Result<Option<Self>, Error> {
        let Some(instance) = &self.instance else { return Ok(None) };
        let instance = instance.start_another(progress)?;
        Ok(Some(Self {
            label,
            endpoint: self.instance_endpoint(&instance),
            version: self.version.clone(),
            version_comment: self.version_comment.clone(),
            pid: Some(instance.process().pid),
            is_private: true,
            instance: Some(instance),
            silence: OnceLock::new(),
        }))
    }

    fn replace(&mut self, buffer_pool: Option<u64>, progress: &dyn Progress) -> Result<(), Error> {
        if let Some(instance) = self.instance.take() {
            let instance = instance.restart(buffer_pool, progress)?;
            self.endpoint = self.instance_endpoint(&instance);
            self.pid = Some(instance.process().pid);
            self.instance = Some(instance);
            self.silence = OnceLock::new();
        }
        Ok(())
    }

    /// Returns the endpoint of another instance, with this server's timeout.
    fn instance_endpoint(&self, instance: &Instance) -> Endpoint {
        Endpoint { timeout: self.endpoint.timeout, ..instance.endpoint().clone() }
    }

    /// Reads a text that identifies the server: `server_uuid`, or for MariaDB, which has none, host
    /// name, port, server id and data folder.
    pub fn read_identity(&self) -> Result<Option<String>, Error> {
        self.query("report its identity", |conn| match conn.query_first("SELECT @@server_uuid") {
            Err(mysql::Error::MySqlError(_)) => {
                conn.query_first("SELECT CONCAT_WS(':', @@hostname, @@port, @@server_id, @@datadir)")
            }
            uuid => uuid,
        })
    }

    /// Stops a private server and removes its folder. Fails if the folder cannot be removed. Has no
    /// effect on an attached server.
    pub fn stop(self) -> Result<(), Error> {
        self.instance.map_or(Ok(()), Instance::stop)
    }

    fn query<T>(&self, what: &'static str, query: impl FnOnce(&mut Conn) -> mysql::Result<T>) -> Result<T, Error> {
        let mut conn = self.connect()?;
        query(&mut conn).map_err(|source| match self.describe_failure() {
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

/// Connects with TLS, without verification of the certificate, after a login without TLS failed
/// with `error`. Only if the process that listens on the port belongs to root, to a service or to
/// this user: it receives the password.
fn retry_with_tls(endpoint: &mut Endpoint, error: ConnectError) -> Result<Conn, Error> {
    if !matches!(endpoint.address, Address::Tcp { port, .. } if attach::is_trusted_port(port)) {
        let reason = format!("{} {UNTRUSTED_PORT}", error.reason);
        return Err(Error::Connect(ConnectError { reason, ..error }));
    }
    endpoint.tls.mode = TlsMode::Required;
    // Without TLS on the server, the first error has the advice.
    connect::connect(endpoint).map_err(|_| Error::Connect(error))
}

fn with_options(endpoint: Endpoint, options: &Options) -> Endpoint {
    let timeout = options.timeout.unwrap_or(endpoint.timeout);
    Endpoint { timeout, get_server_public_key: options.get_server_public_key, ..endpoint }
}
