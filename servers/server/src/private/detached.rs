//! Instances that keep running after `weigh servers start`, until `weigh servers stop`.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use fetch::{Cache, NoProgress, Progress};
use lifecycle::ProcessIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::SOCKET;
use super::{Instance, Lifetime};
use crate::connect::Endpoint;
use crate::{Error, Options, Spec};

/// An instance that `weigh servers start` left running.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DetachedInstance {
    /// Id for `--server` and `weigh servers stop`: `s1`, `s2`, …
    pub id: String,
    /// Name of the server, such as `mysql@sid`.
    pub label: String,
    /// Process id.
    pub pid: u32,
    /// Start time of the process in clock ticks since boot. The kernel may reuse a process id.
    start: u64,
    /// Unix socket. The account is root, without password.
    pub socket: PathBuf,
    /// Folder of the instance. `weigh servers stop` removes it.
    pub folder: PathBuf,
    /// Start time, in seconds since 1970.
    pub since: u64,
}

/// Cache key of the folder of state files, and of its lock.
const CACHE_KEY: &str = "instances";

impl DetachedInstance {
    /// True if the process still runs.
    pub fn is_alive(&self) -> bool {
        self.process().is_alive()
    }

    pub(crate) fn process(&self) -> ProcessIdentity {
        ProcessIdentity { pid: self.pid, start: self.start }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::socket(&self.socket, "root")
    }
}

/// Starts an instance that keeps running when this process ends. Fails for the spec of a running
/// server.
pub fn start(spec: &Spec, options: &Options, progress: &dyn Progress) -> Result<DetachedInstance, Error> {
    let Spec::Private(origin) = spec else {
        return Err(Error::DetachedInstance(format!("{spec} is running already")));
    };
    let cache = Cache::for_user()?;
    let program = fetch::find_or_install(origin, progress)?;
    let instance = Instance::start(&program, options, Lifetime::Detached, progress)?;
    let _lock = cache.lock(CACHE_KEY, progress)?;
    let used_ids: Vec<String> = read_all(&cache)?.into_iter().map(|detached| detached.id).collect();
    let id = (1..).map(|number| format!("s{number}")).find(|id| !used_ids.contains(id)).unwrap_or_default();
    let socket = instance.folder().join(SOCKET);
    let process = instance.process();
    let detached = DetachedInstance {
        id,
        label: program.label,
        pid: process.pid,
        start: process.start,
        socket,
        folder: instance.folder().to_owned(),
        since: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    };
    write(&cache, &detached)?;
    if let Err(error) = instance.detach() {
        remove_state(&cache, &detached)?;
        return Err(error);
    }
    Ok(detached)
}

/// Lists the instances by number. An instance whose process has died is listed until it is stopped.
pub fn list() -> Result<Vec<DetachedInstance>, Error> {
    read_all(&Cache::for_user()?)
}

/// Stops an instance and removes its folder.
pub fn stop(id: &str) -> Result<DetachedInstance, Error> {
    let cache = Cache::for_user()?;
    let _lock = cache.lock(CACHE_KEY, &NoProgress)?;
    let detached = find_in(&cache, id)?;
    detached.process().kill_and_wait();
    super::folder::end_processes_of_owner(&detached.folder);
    match files::remove_tree(&detached.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("remove", &detached.folder)(error));
        }
        _ => remove_state(&cache, &detached)?,
    }
    Ok(detached)
}

pub(crate) fn find(id: &str) -> Result<DetachedInstance, Error> {
    find_in(&Cache::for_user()?, id)
}

fn find_in(cache: &Cache, id: &str) -> Result<DetachedInstance, Error> {
    let all = read_all(cache)?;
    let ids: Vec<String> = all.iter().map(|detached| detached.id.clone()).collect();
    all.into_iter().find(|detached| detached.id == id).ok_or_else(|| {
        let running = if ids.is_empty() { "none".into() } else { ids.join(", ") };
        Error::DetachedInstance(format!("no instance {id} was started here; `weigh servers list` shows: {running}"))
    })
}

fn read_all(cache: &Cache) -> Result<Vec<DetachedInstance>, Error> {
    let folder = cache.folder(CACHE_KEY);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::io("read", &folder))?,
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut all: Vec<DetachedInstance> =
        paths.filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect();
    all.sort_by_key(|detached| detached.id.trim_start_matches('s').parse::<u32>().unwrap_or(u32::MAX));
    Ok(all)
}

fn state_file(cache: &Cache, id: &str) -> PathBuf {
    cache.folder(CACHE_KEY).join(format!("{id}.json"))
}

fn write(cache: &Cache, detached: &DetachedInstance) -> Result<(), Error> {
    let folder = cache.folder(CACHE_KEY);
    fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    let temporary = folder.join("new");
    fs::write(&temporary, serde_json::to_vec_pretty(detached).unwrap_or_default())
        .map_err(Error::io("write", &temporary))?;
    fs::rename(&temporary, state_file(cache, &detached.id)).map_err(Error::io("rename", &temporary))
}

fn remove_state(cache: &Cache, detached: &DetachedInstance) -> Result<(), Error> {
    let path = state_file(cache, &detached.id);
    fs::remove_file(&path).map_err(Error::io("remove", &path))
}
