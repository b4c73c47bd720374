//! Instances that outlive the `weigh` that started them: `weigh servers start` and `stop`.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::endpoint::Endpoint;
use crate::instance::{Instance, Lifetime};
use crate::options::Options;
use crate::process::Process;
use crate::spec::Spec;
use crate::{Error, NoProgress, Progress, install};

/// An instance that was left running.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// What to call it: `s1`, `s2`, …
    pub id: String,
    /// The server, such as `mysql@sid`.
    pub label: String,
    /// Its process.
    pub pid: u32,
    /// The start of the process in clock ticks since boot: a pid alone can be reused.
    start: u64,
    /// Its Unix socket; the account is root, without password.
    pub socket: PathBuf,
    /// Its folder, removed when it is stopped.
    pub folder: PathBuf,
    /// When it was started, in seconds since 1970.
    pub since: u64,
}

/// The folder of state files in the cache, and the key of its lock.
const KEY: &str = "instances";

impl Started {
    /// Whether it still runs.
    pub fn is_alive(&self) -> bool {
        self.process().is_alive()
    }

    pub(crate) fn process(&self) -> Process {
        Process { pid: self.pid, start: self.start }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::socket(&self.socket, "root")
    }
}

/// Starts a private instance that stays when this process ends.
pub fn start(spec: &Spec, options: &Options, progress: &dyn Progress) -> Result<Started, Error> {
    let cache = Cache::of_user()?;
    let program = install::program(spec, progress)?;
    let instance = Instance::start(&program, options, Lifetime::Detached, progress)?;
    let _lock = cache.lock(KEY, progress)?;
    let taken: Vec<String> = read_all(&cache)?.into_iter().map(|started| started.id).collect();
    let id = (1..).map(|number| format!("s{number}")).find(|id| !taken.contains(id)).unwrap_or_default();
    let socket = instance.folder().join("mysqld.sock");
    let process = instance.process();
    let started = Started {
        id,
        label: program.label,
        pid: process.pid,
        start: process.start,
        socket,
        folder: instance.folder().to_owned(),
        since: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    };
    write(&cache, &started)?;
    if let Err(error) = instance.leave() {
        forget(&cache, &started)?;
        return Err(error);
    }
    Ok(started)
}

/// The instances that were left running, by number. One whose process has died is listed until it is stopped.
pub fn list() -> Result<Vec<Started>, Error> {
    read_all(&Cache::of_user()?)
}

/// Stops an instance and removes its folder.
pub fn stop(id: &str) -> Result<Started, Error> {
    let cache = Cache::of_user()?;
    let _lock = cache.lock(KEY, &NoProgress)?;
    let started = find_in(&cache, id)?;
    started.process().end();
    match fs::remove_dir_all(&started.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("remove", &started.folder)(error));
        }
        _ => forget(&cache, &started)?,
    }
    Ok(started)
}

/// The instance of this id.
pub(crate) fn find(id: &str) -> Result<Started, Error> {
    find_in(&Cache::of_user()?, id)
}

fn find_in(cache: &Cache, id: &str) -> Result<Started, Error> {
    let all = read_all(cache)?;
    let known: Vec<String> = all.iter().map(|started| started.id.clone()).collect();
    all.into_iter().find(|started| started.id == id).ok_or_else(|| {
        let known = if known.is_empty() { "none is".into() } else { format!("{} are", known.join(", ")) };
        Error::Started(format!("no instance {id} was started here; {known} known to `weigh servers list`"))
    })
}

fn read_all(cache: &Cache) -> Result<Vec<Started>, Error> {
    let folder = cache.folder(KEY);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::io("read", &folder))?,
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut all: Vec<Started> = paths.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect();
    all.sort_by_key(|started| started.id.trim_start_matches('s').parse::<u32>().unwrap_or(u32::MAX));
    Ok(all)
}

fn state_file(cache: &Cache, id: &str) -> PathBuf {
    cache.folder(KEY).join(format!("{id}.json"))
}

fn write(cache: &Cache, started: &Started) -> Result<(), Error> {
    let folder = cache.folder(KEY);
    fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    let fresh = folder.join("new");
    fs::write(&fresh, serde_json::to_vec_pretty(started).unwrap_or_default()).map_err(Error::io("write", &fresh))?;
    fs::rename(&fresh, state_file(cache, &started.id)).map_err(Error::io("rename", &fresh))
}

fn forget(cache: &Cache, started: &Started) -> Result<(), Error> {
    let path = state_file(cache, &started.id);
    fs::remove_file(&path).map_err(Error::io("remove", &path))
}
