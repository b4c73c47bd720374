//! User ids without an account, for programs that root starts.
//!
//! Each reservation has an id of its own, so that no two servers can reach each other's files, and
//! all processes with the id can be ended without touching another server.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::process;

/// Range of systemd's `DynamicUser=`, which distributions do not assign to accounts.
const FIRST_ID: u32 = 61_184;
const LAST_ID: u32 = 65_519;

/// `CAP_CHOWN`, `CAP_KILL`, `CAP_SETGID` and `CAP_SETUID`, as bits of `CapEff`.
const NEEDED_CAPABILITIES: u64 = 1 | 1 << 5 | 1 << 6 | 1 << 7;

/// Folder with a locked file for each reserved id. Where it cannot be used, as in a container
/// without write access, abstract sockets reserve ids.
const LOCK_FOLDER: &str = "/run/weigh";

/// Maximum time that [`Account::end_processes`] waits.
const MAX_END_TIME: Duration = Duration::from_secs(10);

/// A user and group id for the processes of one program. Reserved until the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Account {
    id: u32,
    /// Keeps the id reserved. The kernel releases it when this process ends.
    _reservation: Arc<OwnedFd>,
}

impl Account {
    /// Reserves an id. `None` if this process is not root, or is root in a container that does not
    /// map the ids or lacks the capabilities to use them. Fails if the files of the locks cannot be
    /// created, as on a full disk, or if all ids are in use.
    pub fn reserve() -> io::Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() || !has_capabilities() || !are_ids_mapped() {
            return Ok(None);
        }
        let count = LAST_ID - FIRST_ID + 1;
        // Random, so that processes in different containers rarely choose the same id.
        let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        let start = std::process::id().wrapping_mul(2_654_435_761).wrapping_add(nanoseconds) % count;
        for id in (0..count).map(|offset| FIRST_ID + (start + offset) % count) {
            if let Some(account) = Self::claim(id)?.filter(|account| !account.has_processes()) {
                return Ok(Some(account));
            }
        }
        Err(io::Error::other("all user ids for servers are in use"))
    }

    /// Claims the id that owns `path`, which a process of this program left. `None` if there is no
    /// such path, if the id cannot be claimed, if it is outside the range, or if this process is
    /// not root.
    pub fn claim_owner(path: &Path) -> Option<Self> {
        let id = fs::symlink_metadata(path).ok()?.uid();
        let is_usable = rustix::process::geteuid().is_root() && Self::is_of_servers(id);
        is_usable.then(|| Self::claim(id).ok()).flatten().flatten()
    }

    /// True for a user id that [`reserve`](Self::reserve) may choose.
    pub fn is_of_servers(id: u32) -> bool {
        (FIRST_ID..=LAST_ID).contains(&id)
    }

    /// `None` if another process has claimed the id.
    fn claim(id: u32) -> io::Result<Option<Self>> {
        let reservation = match open_lock_folder() {
            Some(folder) => lock(&folder.join(id.to_string()))?,
            None => bind_abstract_socket(id),
        };
        Ok(reservation.map(|reservation| Self { id, _reservation: Arc::new(reservation) }))
    }

    pub fn id(&self) -> u32 {
        self.id
    }

    /// Kills all processes with this id, and waits up to 10 s until they are gone.
    pub fn end_processes(&self) {
        let deadline = Instant::now() + MAX_END_TIME;
        // The first signal stops all forks, so that the list of processes is complete after it.
        self.signal_all();
        while self.has_processes() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
            self.signal_all();
        }
    }

    /// Sends SIGKILL to all processes that this id may signal. The call is atomic in the kernel: a
    /// process cannot escape by forking.
    fn signal_all(&self) {
        let id = self.id;
        let mut command = Command::new("/");
        command.uid(id).gid(id);
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed: getuid, geteuid and kill are. It returns an error without allocation, so that
        // nothing is executed.
        unsafe {
            command.pre_exec(move || {
                let has_id = libc::getuid() == id && libc::geteuid() == id;
                // Linux excludes the calling process.
                if has_id && id >= FIRST_ID {
                    libc::kill(-1, libc::SIGKILL);
                }
                Err(io::Error::from_raw_os_error(libc::ECANCELED))
            });
        }
        let _ = command.spawn();
    }

    /// True if one of the user ids of a running process is this id.
    fn has_processes(&self) -> bool {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let has_id = |status: &str| {
            let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            let ids = field("Uid:").split_whitespace();
            let threads = field("Threads:").trim().parse().unwrap_or(1);
            process::runs(field("State:").trim_start(), threads)
                && ids.filter_map(|text| text.parse().ok()).any(|uid: u32| uid == self.id)
        };
        entries
            .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
            .filter_map(|entry| fs::read_to_string(entry.path().join("status")).ok())
            .any(|status| has_id(&status))
    }
}

/// Creates the folder of the locks. `None` if it cannot be created, or if others may write to it.
fn open_lock_folder() -> Option<&'static Path> {
    let folder = Path::new(LOCK_FOLDER);
    // Fails if it exists.
    let _ = DirBuilder::new().mode(0o700).create(folder);
    let metadata = fs::symlink_metadata(folder).ok()?;
    (metadata.is_dir() && metadata.uid() == 0 && metadata.mode() & 0o022 == 0).then_some(folder)
}

/// Locks a file, which stays. `None` if another process has locked it.
fn lock(path: &Path) -> io::Result<Option<OwnedFd>> {
    let locked =
        File::options().write(true).create(true).truncate(false).open(path).and_then(|file| match file.try_lock() {
            Ok(()) => Ok(Some(file.into())),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        });
    locked.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Binds a socket whose name contains the id. Any user can bind the name earlier.
fn bind_abstract_socket(id: u32) -> Option<OwnedFd> {
    let name = SocketAddr::from_abstract_name(format!("weigh-account-{id}")).ok()?;
    Some(UnixListener::bind_addr(&name).ok()?.into())
}

/// Returns the first of `path` and its parents that other users may not read or enter, or `path` if
/// it does not exist. `None` if they may read the file, or enter the folder.
pub fn find_unreadable(path: &Path) -> Option<PathBuf> {
    let Ok(path) = fs::canonicalize(path) else { return Some(path.to_owned()) };
    let is_open = |path: &&Path| {
        let wanted = if path.is_dir() { 0o001 } else { 0o004 };
        fs::metadata(path).is_ok_and(|metadata| metadata.mode() & wanted == wanted)
    };
    path.ancestors().find(|path| !is_open(path)).map(Path::to_owned)
}

fn has_capabilities() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    effective & NEEDED_CAPABILITIES == NEEDED_CAPABILITIES
}

fn are_ids_mapped() -> bool {
    ["/proc/self/uid_map", "/proc/self/gid_map"].iter().all(|map| {
        fs::read_to_string(map).unwrap_or_default().lines().any(|line| {
            let fields: Vec<u64> = line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
            let [first, _, count] = fields[..] else { return false };
            first <= u64::from(FIRST_ID) && u64::from(LAST_ID) < first + count
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::tests::{await_end_of_first_thread, without_first_thread};
    use crate::{Confinement, kill_group, spawn_confined};
    use std::ffi::CStr;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;

    #[test]
    fn unreadable_parent_makes_file_unreadable() {
        let folder = std::env::temp_dir().join(format!("weigh-test-account-{}", std::process::id()));
        let file = folder.join("a/b");
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        set(&file, 0o644);
        set(&folder.join("a"), 0o755);
        set(&folder, 0o755);
        assert_eq!(find_unreadable(&file), None);
        set(&folder, 0o750);
        assert_eq!(find_unreadable(&file), Some(fs::canonicalize(&folder).unwrap()));
        set(&folder, 0o755);
        set(&file, 0o600);
        assert_eq!(find_unreadable(&file), Some(fs::canonicalize(&file).unwrap()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn accounts_differ_and_all_processes_of_one_end() {
        let Some(account) = Account::reserve().unwrap() else {
            eprintln!("skipped: this test needs root");
            return;
        };
        let other = Account::reserve().unwrap().unwrap();
        assert_ne!(account.id(), other.id());
        assert!(Account::claim(account.id()).unwrap().is_none());
        // A process that leaves its group and its parent, and then reports its account.
        let mut command = Command::new("sh");
        command.args(["-c", "setsid sh -c 'id -u; sleep 60 & wait' & wait"]).stdout(Stdio::piped());
        let confinement = Confinement { account: Some(account.clone()), ..Confinement::default() };
        let mut child = spawn_confined(command, &confinement).unwrap();
        let mut output = String::new();
        let mut pipe = child.stdout.take().unwrap();
        let mut byte = [0];
        while std::io::Read::read(&mut pipe, &mut byte).unwrap() == 1 && byte != *b"\n" {
            output.push(char::from(byte[0]));
        }
        assert_eq!(output, account.id().to_string());
        kill_group(&mut child);
        assert!(account.has_processes(), "the process that left its group still runs");
        account.end_processes();
        assert!(!account.has_processes());
    }

    #[test]
    fn other_users_cannot_take_ids() {
        let Some(account) = Account::reserve().unwrap() else {
            eprintln!("skipped: this test needs root");
            return;
        };
        let id = account.id();
        assert!(Account::claim(id).unwrap().is_none());
        drop(account);
        let _taken = bind_abstract_socket(id);
        // A process that another test is starting may hold the lock for a moment.
        let is_free = || {
            thread::sleep(Duration::from_millis(5));
            Account::claim(id).unwrap().is_some()
        };
        assert!(open_lock_folder().is_none() || (0..1000).any(|_| is_free()));
    }

    /// Mounts a file system on `/run` for this thread only, and runs a function. Returns `None` if
    /// this process may not.
    fn with_run_folder<T: Send>(options: &CStr, function: impl FnOnce() -> T + Send) -> Option<T> {
        let run = || {
            // SAFETY: takes no pointer. The thread has its own mounts and working folder from here
            // on.
            let is_apart = unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0;
            let none = std::ptr::null();
            // SAFETY: the strings end with a zero byte and outlive the calls; the other pointers
            // may be null.
            let is_mounted = is_apart
                && unsafe {
                    libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0
                        && libc::mount(
                            c"tmpfs".as_ptr(),
                            c"/run".as_ptr(),
                            c"tmpfs".as_ptr(),
                            0,
                            options.as_ptr().cast(),
                        ) == 0
                };
            is_mounted.then(function)
        };
        thread::scope(|scope| scope.spawn(run).join().unwrap())
    }

    #[test]
    fn a_run_folder_that_takes_no_files_is_reported() {
        // One inode is of the folder itself, and one of the folder of the locks.
        let full = with_run_folder(c"nr_inodes=2,mode=755", Account::reserve);
        let read_only = with_run_folder(c"mode=755", || {
            fs::create_dir(LOCK_FOLDER)?;
            fs::set_permissions(LOCK_FOLDER, fs::Permissions::from_mode(0o700))?;
            // SAFETY: as above.
            let changed = unsafe {
                let none = std::ptr::null();
                libc::mount(none, c"/run".as_ptr(), none, libc::MS_REMOUNT | libc::MS_RDONLY, none.cast())
            };
            assert_eq!(changed, 0);
            Account::reserve()
        });
        for (reserved, expected) in [(full, "No space left on device"), (read_only, "Read-only file system")] {
            let Some(Err(error)) = reserved else {
                assert!(!matches!(reserved, Some(Ok(Some(_)))), "an id was reserved");
                eprintln!("skipped: this test needs root, and the right to mount");
                return;
            };
            let message = error.to_string();
            assert!(message.starts_with(LOCK_FOLDER) && message.contains(expected), "{message}");
        }
    }

    #[test]
    fn process_without_its_first_thread_ends() {
        let Some(account) = Account::reserve().unwrap() else {
            eprintln!("skipped: this test needs root");
            return;
        };
        let confinement = Confinement { account: Some(account.clone()), ..Confinement::default() };
        let mut child = spawn_confined(without_first_thread(), &confinement).unwrap();
        await_end_of_first_thread(child.id());
        assert!(account.has_processes());
        account.end_processes();
        assert!(!account.has_processes());
        child.wait().unwrap();
    }
}
