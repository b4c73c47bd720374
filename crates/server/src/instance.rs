//! A private instance: one server process and its folder, gone together.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::cleanup::{self, Registration};
use crate::endpoint::Endpoint;
use crate::folder::Folder;
use crate::options::Options;
use crate::process::Process;
use crate::program::Program;
use crate::{Error, Progress, connect, errorlog, interrupt, settings, spawn, template};

/// How long a server may take from its start to its first answer.
const READY_WITHIN: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(10);
/// How long a killed server is waited for.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// Whose life bounds the server's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// It dies with us.
    Bound,
    /// It stays when we end.
    Detached,
}

/// A running private instance. Dropping it ends the server and removes the folder.
pub(crate) struct Instance {
    label: String,
    program: Program,
    options: Options,
    endpoint: Endpoint,
    process: Process,
    folder: PathBuf,
    live: Shared,
    _registration: Registration,
}

/// Shared with the clean-up registry: whoever takes it first, ends it.
type Shared = Arc<Mutex<Option<Live>>>;

struct Live {
    child: Option<Child>,
    folder: Folder,
}

impl Live {
    /// Kills the server and removes the folder. The data is thrown away, so there is nothing to shut down in order.
    fn end(mut self) -> Result<(), Error> {
        if let Some(child) = self.child.take() {
            end_child(child);
        }
        self.folder.remove()
    }
}

fn lock(live: &Shared) -> MutexGuard<'_, Option<Live>> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instance {
    /// Initialises a data folder and starts the server in it.
    pub fn start(
        program: &Program,
        options: &Options,
        lifetime: Lifetime,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        progress.step(&format!("starting {}", program.label));
        let folder = Folder::create()?;
        let path = folder.path().to_owned();
        let live: Shared = Arc::new(Mutex::new(Some(Live { child: None, folder })));
        let registered = Arc::clone(&live);
        let registration = cleanup::register(move || {
            if let Some(live) = lock(&registered).take() {
                // The process is ending; there is nobody left to tell.
                let _ = live.end();
            }
        });
        // From here on, an early return ends what there is: the guard takes it out of `live`.
        let guard = EndOnDrop(&live);
        let account = Account::for_server(program, &path, options)?;
        let arguments = settings::arguments(program, &path, options, account)?;
        template::fill(program, &path, &arguments, options, account, progress)?;
        interrupt::check()?;
        let process = launch(program, &path, &arguments, account, lifetime, &live)?;
        let endpoint = Endpoint::socket(path.join("mysqld.sock"), "root");
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

    /// Starts the same program once more, with the same options, in a data folder of its own.
    pub fn another(&self, progress: &dyn Progress) -> Result<Self, Error> {
        Self::start(&self.program, &self.options, Lifetime::Bound, progress)
    }

    /// Ends the server, and starts the same program in a new, empty data folder; with the same options, but for the size of its buffer pool
    /// where one is given.
    pub fn start_anew(self, buffer_pool: Option<u64>, progress: &dyn Progress) -> Result<Self, Error> {
        let (program, mut options) = (self.program.clone(), self.options.clone());
        options.buffer_pool = buffer_pool.or(options.buffer_pool);
        // First the old one's end: two at a time may be more than the machine has memory for.
        self.stop()?;
        Self::start(&program, &options, Lifetime::Bound, progress)
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn process(&self) -> Process {
        self.process
    }

    /// If the server has died: a sentence that says so, with the end of its error log, and what to do.
    pub fn describe_failure(&self) -> Option<String> {
        let status = exit_status(&self.live)?;
        Some(format!("{} {}", self.label, errorlog::death(&errorlog::read(&self.folder), status)))
    }

    /// Ends the server and removes the folder, and tells if something stays.
    pub fn stop(self) -> Result<(), Error> {
        let live = lock(&self.live).take();
        live.map_or(Ok(()), Live::end)
    }

    /// Lets the server run on without us. Its folder is the caller's to remove.
    pub fn leave(self) -> Result<(), Error> {
        let live = lock(&self.live).take();
        // The clean-up registry has been quicker only when the process is ending.
        live.map_or(Err(Error::Interrupted), |live| live.folder.keep())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        EndOnDrop(&self.live);
    }
}

struct EndOnDrop<'a>(&'a Shared);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(live) = lock(self.0).take() {
            // An error is on its way already, or nobody asked; `stop` is the way to learn of this one.
            let _ = live.end();
        }
    }
}

fn exit_status(live: &Shared) -> Option<ExitStatus> {
    lock(live).as_mut()?.child.as_mut()?.try_wait().ok()?
}

fn launch(
    program: &Program,
    folder: &Path,
    arguments: &[String],
    account: Option<Account>,
    lifetime: Lifetime,
    live: &Shared,
) -> Result<Process, Error> {
    let log = folder.join(errorlog::FILE);
    let open = || OpenOptions::new().create(true).append(true).open(&log).map_err(Error::io("open", &log));
    let mut command = program.command();
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(open()?).stderr(open()?);
    if let Some(account) = account {
        account.take_over(folder)?;
        account.run(&mut command);
    }
    let spawned = match lifetime {
        Lifetime::Bound => spawn::bound(command),
        Lifetime::Detached => spawn::detached(command),
    };
    let child = spawned.map_err(Error::io("run", folder))?;
    let pid = child.id();
    let mut guard = lock(live);
    let Some(live) = guard.as_mut() else {
        // The clean-up registry was quicker; the process is ending.
        drop(guard);
        end_child(child);
        return Err(Error::Interrupted);
    };
    live.child = Some(child);
    // A start time of 0 matches no process: the server has died already, which the wait for it reports.
    let process = Process::now(pid).unwrap_or(Process { pid, start: 0 });
    live.folder.note_server(process)?;
    Ok(process)
}

/// Kills a server, also one that is stopped, and waits until it is gone: not for ever, as one that waits for a broken disk goes only when
/// the disk lets it.
fn end_child(mut child: Child) {
    // An error means that it has ended already; it is reaped either way.
    let _ = child.kill();
    let deadline = Instant::now() + GONE_WITHIN;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}

fn wait_until_ready(program: &Program, folder: &Path, endpoint: &Endpoint, live: &Shared) -> Result<(), Error> {
    let deadline = Instant::now() + READY_WITHIN;
    let start_error = |reason| Error::Start { label: program.label.clone(), reason };
    loop {
        interrupt::check()?;
        if let Some(status) = exit_status(live) {
            return Err(start_error(errorlog::explain(&errorlog::read(folder), status)));
        }
        match connect::connect(endpoint) {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => {
                let tail = errorlog::tail(&errorlog::read(folder));
                let waited = READY_WITHIN.as_secs();
                return Err(start_error(format!("no answer within {waited} s ({}); its log ends:{tail}", error)));
            }
            Err(_) => thread::sleep(POLL),
        }
    }
}
