//! Instances that keep running after `weigh servers start`, until `weigh servers stop`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use fetch::{Cache, NoProgress, Progress};
use lifecycle::ProcessIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::{self, SOCKET};
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

/// Maximum size of a state file. One has less than 1 KiB.
const MAX_RECORD_BYTES: u64 = 1 << 16;

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
    end(&detached)?;
    remove_state(&cache, &detached)?;
    Ok(detached)
}

/// Kills the server of a record, if the process is the server in the record's folder, and removes
/// the folder. Fails if the folder holds no record of this process. Does nothing if the folder is
/// gone.
fn end(detached: &DetachedInstance) -> Result<(), Error> {
    let (path, process) = (&detached.folder, detached.process());
    match folder::check_recorded(path, process) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        checked => checked.map_err(Error::io("remove", path))?,
    }
    if folder::is_server_of(path, process) {
        process.kill_and_wait();
    }
    folder::end_processes_of_owner(path);
    files::remove_tree(path).map_err(Error::io("remove", path))
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
    let mut all: Vec<DetachedInstance> = paths
        .filter_map(|path| serde_json::from_slice(&files::read_small_unlinked(&path, MAX_RECORD_BYTES).ok()?).ok())
        .collect();
    all.sort_by_key(|detached| detached.id.trim_start_matches('s').parse::<u32>().unwrap_or(u32::MAX));
    Ok(all)
}

fn state_file(cache: &Cache, id: &str) -> PathBuf {
    cache.folder(CACHE_KEY).join(format!("{id}.json"))
}

fn write(cache: &Cache, detached: &DetachedInstance) -> Result<(), Error> {
    let folder = cache.folder(CACHE_KEY);
    cache.create_folders(&folder)?;
    let path = state_file(cache, &detached.id);
    let record = serde_json::to_vec_pretty(detached).unwrap_or_default();
    files::replace(&path, files::Access::OwnerOnly, |file| file.write_all(&record)).map_err(Error::io("write", &path))
}

fn remove_state(cache: &Cache, detached: &DetachedInstance) -> Result<(), Error> {
    let path = state_file(cache, &detached.id);
    fs::remove_file(&path).map_err(Error::io("remove", &path))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn record(folder: &Path, process: ProcessIdentity) -> DetachedInstance {
        DetachedInstance {
            id: "s1".into(),
            label: "x".into(),
            pid: process.pid,
            start: process.start,
            socket: folder.join(SOCKET),
            folder: folder.to_owned(),
            since: 0,
        }
    }

    /// A record that another user planted names a process and a folder of this user.
    #[test]
    fn a_planted_record_ends_no_process_and_removes_no_folder() {
        let place = tempfile::tempdir().unwrap();
        let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
        let process = ProcessIdentity::from_pid(victim.id()).unwrap();
        let other = ProcessIdentity { pid: 1, start: 0 };
        for (name, recorded) in [("data", None), ("weigh-AbCd1234", None), ("weigh-AbCd1235", Some(other))] {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            let server = recorded.map(|process: ProcessIdentity| serde_json::to_vec(&process).unwrap());
            server.map_or(Ok(()), |bytes| fs::write(folder.join("server.json"), bytes)).unwrap();
            let error = end(&record(&folder, process)).unwrap_err().to_string();
            assert!(error.contains(name) && folder.exists(), "{name}: {error}");
        }
        std::os::unix::fs::symlink(place.path().join("data"), place.path().join("weigh-AbCd1236")).unwrap();
        end(&record(&place.path().join("weigh-AbCd1236"), process)).unwrap_err();
        // A folder of a server, but the process is another one, whose id the kernel used again.
        let folder = place.path().join("weigh-AbCd1237");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("server.json"), serde_json::to_vec(&process).unwrap()).unwrap();
        end(&record(&folder, process)).unwrap();
        assert!(!folder.exists());
        end(&record(&folder, process)).unwrap();
        assert!(process.is_alive(), "the process is not a server");
        victim.kill().unwrap();
        victim.wait().unwrap();
    }
}
