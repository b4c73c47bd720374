//! Private instances: a server process and its folder, with one lifetime.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fetch::{Program, Progress};
use lifecycle::cleanup::{self, Registration};
use lifecycle::{Account, Confinement, Landlock, ProcessIdentity, interrupt, spawn_confined, spawn_detached};

use super::companion::Companion;
use super::folder::{self, InstanceFolder, SOCKET};
use super::{account, arguments, data_template, error_log, option_file};
use crate::connect::{Endpoint, connect};
use crate::{Error, Options};

/// Maximum time from the start of a server to its first reply. Under valgrind on a busy machine a
/// server takes minutes.
const MAX_START_TIME: Duration = Duration::from_secs(300);
/// Interval between attempts to connect to a starting server.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum time to wait for the end of a killed server.
const MAX_KILL_TIME: Duration = Duration::from_secs(10);

/// Lifetime of a server relative to this process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// The server ends with this process.
    Supervised,
    /// The server outlives this process.
    Detached,
}

/// A running private instance. Dropping the value ends the server and removes the folder.
pub(crate) struct Instance {
    label: String,
    program: Program,
    options: Options,
    endpoint: Endpoint,
    process: ProcessIdentity,
    folder: PathBuf,
    live: SharedLive,
    _registration: Registration,
}

/// Server and folder, shared by [`Instance`] and the clean-up registry. The first of them that
/// takes the value ends or detaches the server; `None` afterwards.
type SharedLive = Arc<Mutex<Option<Live>>>;

struct Live {
    /// `None` until the server process is started.
    child: Option<Child>,
    account: Option<Account>,
    folder: InstanceFolder,
}

impl Live {
    /// Kills the server and removes the folder. An orderly shutdown would only save data that is
    /// removed anyway.
    fn end(mut self) -> Result<(), Error> {
        if let Some(child) = self.child.take() {
            end_child(child);
        }
        if let Some(account) = &self.account {
            account.end_processes();
        }
        self.folder.remove()
    }
}

fn lock(live: &SharedLive) -> MutexGuard<'_, Option<Live>> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instance {
    /// Fills a data folder and starts the server in it.
    pub fn start(
        program: &Program,
        options: &Options,
        lifetime: Lifetime,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        progress.step(&format!("starting {}", program.label));
        note_missing_walls(progress);
        option_file::note_left_out(options, progress)?;
        let account = account::reserve(program, &folder::parent()?, options)?;
        let folder = InstanceFolder::create(account.as_ref())?;
        let path = folder.path().to_owned();
        let live = Live { child: None, account: account.clone(), folder };
        let live: SharedLive = Arc::new(Mutex::new(Some(live)));
        let shared = Arc::clone(&live);
        let registration = cleanup::register(move || {
            if let Some(live) = lock(&shared).take() {
                // The process is ending, so the error cannot be reported.
                let _ = live.end();
            }
        });
        // Ends the instance on an early return.
        let guard = EndOnDrop(&live);
        let account = account.as_ref();
        account::prepare_logs(options, account)?;
        let arguments = arguments::prepare_arguments(program, &path, options, account)?;
        data_template::fill_data_folder(program, &path, &arguments, options, account, progress)?;
        interrupt::check()?;
        let run_under = options.run_under.as_ref();
        let command =
            run_under.map_or_else(|| program.command(), |under| under.wrap(&program.command(), &path.join("tmp")));
        let mut confinement = account::confinement(program, account, &path, options);
        if run_under.is_some() {
            // A tool such as valgrind takes memory in proportion to the server's.
            confinement.memory_bytes = None;
        }
        let process = launch(command, &path, &arguments, &confinement, lifetime, &live)?;
        let endpoint = Endpoint::socket(path.join(SOCKET), "root");
        wait_until_ready(program, &path, &endpoint, &live)?;
        std::mem::forget(guard);
        Ok(Self {
            label: program.label.clone(),
            program: program.clone(),
            options: options.clone(),
            endpoint,
            process,
            folder: path,
            live,
            _registration: registration,
        })
    }

    /// Starts another instance of the same program with the same options.
    pub fn start_another(&self, progress: &dyn Progress) -> Result<Self, Error> {
        Self::start(&self.program, &self.options, Lifetime::Supervised, progress)
    }

    /// Ends the server, and starts the same program with the same options in a new data folder.
    /// `buffer_pool` in bytes replaces the size in the options.
    pub fn restart(self, buffer_pool: Option<u64>, progress: &dyn Progress) -> Result<Self, Error> {
        let (program, mut options) = (self.program.clone(), self.options.clone());
        options.buffer_pool = buffer_pool.or(options.buffer_pool);
        // Ended first: the memory may not suffice for two instances.
        self.stop()?;
        Self::start(&program, &options, Lifetime::Supervised, progress)
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn process(&self) -> ProcessIdentity {
        self.process
    }

    /// Returns the rights of a tool that controls the server.
    pub fn companion(&self) -> Result<Companion, Error> {
        // The clean-up registry has ended the instance: the process is ending.
        let account = lock(&self.live).as_ref().ok_or(Error::Interrupted)?.account.clone();
        Companion::new(account, &self.folder)
    }

    /// Describes the death of the server, with the end of its error log and advice. `None` while
    /// the server runs.
    pub fn describe_failure(&self) -> Option<String> {
        let status = exit_status(&self.live)?;
        Some(format!("{} {}", self.label, error_log::describe_death(&error_log::read(&self.folder), status)))
    }

    /// Ends the server and removes the folder. Fails if the folder cannot be removed.
    pub fn stop(self) -> Result<(), Error> {
        let live = lock(&self.live).take();
        live.map_or(Ok(()), Live::end)
    }

    /// Leaves the server running. The caller removes the folder.
    pub fn detach(self) -> Result<(), Error> {
        let live = lock(&self.live).take();
        // The clean-up registry has ended the instance: the process is ending.
        live.map_or(Err(Error::Interrupted), |live| live.folder.keep())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        EndOnDrop(&self.live);
    }
}

struct EndOnDrop<'a>(&'a SharedLive);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(live) = lock(self.0).take() {
            // `drop` cannot report errors; `stop` can.
            let _ = live.end();
        }
    }
}

/// Notes once per process, if the kernel has no Landlock, that servers can read this machine's
/// files.
fn note_missing_walls(progress: &dyn Progress) {
    static NOTED: Once = Once::new();
    let missing = match Landlock::of_this_machine() {
        Landlock::Missing => "no Landlock: private servers can read files of this machine",
        Landlock::Files | Landlock::FilesAndTcp => return,
    };
    NOTED.call_once(|| progress.note(&format!("this kernel has {missing}, if a dump or workload makes them")));
}

fn exit_status(live: &SharedLive) -> Option<ExitStatus> {
    lock(live).as_mut()?.child.as_mut()?.try_wait().ok()?
}

fn launch(
    mut command: Command,
    folder: &Path,
    arguments: &[String],
    confinement: &Confinement,
    lifetime: Lifetime,
    live: &SharedLive,
) -> Result<ProcessIdentity, Error> {
    let path = folder.join(error_log::FILE_NAME);
    let log = files::create_new(&path).map_err(Error::io("create", &path))?;
    let output = || log.try_clone().map(Stdio::from).map_err(Error::io("open", &path));
    command.args(arguments).current_dir(folder.join("data")).env("TMPDIR", folder.join("tmp"));
    command.stdin(Stdio::null()).stdout(output()?).stderr(output()?);
    let spawned = match lifetime {
        Lifetime::Supervised => spawn_confined(command, confinement),
        Lifetime::Detached => spawn_detached(command, confinement),
    };
    let child = spawned.map_err(Error::io("run", folder))?;
    let pid = child.id();
    let mut guard = lock(live);
    let Some(live) = guard.as_mut() else {
        // The clean-up registry has ended the instance: the process is ending.
        drop(guard);
        end_child(child);
        return Err(Error::Interrupted);
    };
    live.child = Some(child);
    // If the server has died already, `wait_until_ready` reports it. No process has a start time of
    // 0.
    let process = ProcessIdentity::from_pid(pid).unwrap_or(ProcessIdentity { pid, start: 0 });
    live.folder.record_server(process)?;
    Ok(process)
}

/// Kills a server and waits until it is gone, for at most 10 s: a process that waits for a broken
/// disk cannot be killed.
fn end_child(mut child: Child) {
    // Fails if the server has ended already. `try_wait` reaps it in any case.
    let _ = child.kill();
    let deadline = Instant::now() + MAX_KILL_TIME;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}

fn wait_until_ready(program: &Program, folder: &Path, endpoint: &Endpoint, live: &SharedLive) -> Result<(), Error> {
    let deadline = Instant::now() + MAX_START_TIME;
    let start_error = |reason| Error::Start { label: program.label.clone(), reason };
    let mut is_listening = false;
    loop {
        interrupt::check()?;
        if let Some(status) = exit_status(live) {
            return Err(start_error(error_log::explain_failed_start(&error_log::read(folder), status)));
        }
        is_listening = is_listening || take_socket(live)?;
        let failure = match is_listening.then(|| connect(endpoint)) {
            Some(Ok(_)) => return Ok(()),
            Some(Err(error)) => error.to_string(),
            None => "it has no socket".into(),
        };
        if Instant::now() > deadline {
            let tail = error_log::tail(&error_log::read(folder));
            let waited = MAX_START_TIME.as_secs();
            return Err(start_error(format!("no answer within {waited} s ({failure}); its log ends:{tail}")));
        }
        thread::sleep(POLL_INTERVAL);
    }
}

fn take_socket(live: &SharedLive) -> Result<bool, Error> {
    let guard = lock(live);
    // The clean-up registry has ended the instance: the process is ending.
    let live = guard.as_ref().ok_or(Error::Interrupted)?;
    live.folder.take_socket(live.account.as_ref())
}
