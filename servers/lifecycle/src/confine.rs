//! Inheritance and limits of a child process: environment, files, privileges, memory, CPU time.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Account;
use crate::sandbox::{Reach, Sandbox};
use crate::system_calls::SystemCalls;

/// Variables that tools and servers inherit. A server gets no others but the ones that its command
/// sets, so that passwords and keys in the environment do not reach it.
const ENVIRONMENT: [&str; 7] = ["PATH", "TZ", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD"];

/// Variables that tools of this machine inherit in addition: apt and npm need proxies and
/// certificates, perf and npm the home folder.
const TOOL_ENVIRONMENT: [&str; 19] = [
    "HOME",
    "USER",
    "LOGNAME",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "npm_config_registry",
    "APT_CONFIG",
    "PERF_CONFIG",
    "XDG_CACHE_HOME",
];

/// Maximum number of processes and threads of an account, against fork bombs.
const MAX_TASKS: u64 = 16_384;

/// Limits of a server's program, which may come from a downloaded archive.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    /// User and group. `None`: this process's.
    pub account: Option<Account>,
    /// Maximum private writable memory of the process in bytes (`RLIMIT_DATA`): heap, threads'
    /// stacks, private mappings. Shared memory is not limited.
    pub memory_bytes: Option<u64>,
    /// Maximum CPU time of the process in seconds.
    pub cpu_seconds: Option<u64>,
    /// Files and ports that the process may use. `None`: no restriction. Files need Landlock (Linux
    /// 5.13), a choice of TCP ports Linux 6.7; without it, only system calls are restricted.
    pub reach: Option<Reach>,
}

/// Leaves a tool of this machine the variables that it needs, the ones that `command` sets, and no
/// files but the standard streams.
pub(crate) fn isolate_tool(command: &mut Command) {
    keep_environment(command, ENVIRONMENT.iter().chain(&TOOL_ENVIRONMENT));
    close_files(command);
}

/// Limits what a tool and its children may take: memory for data, and the length of each file.
pub fn limit_tool(command: &mut Command, memory_bytes: u64, file_bytes: u64) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed. It makes bare system calls (getrlimit, setrlimit), and its errors carry a raw errno
    // only.
    unsafe {
        command.pre_exec(move || {
            lower_limit(Resource::Data, memory_bytes)?;
            lower_limit(Resource::Fsize, file_bytes)
        });
    }
}

/// Makes `command` start a program within `confinement`. It gets no files of this process other
/// than its standard streams, and cannot gain privileges by set-user-id programs.
pub(crate) fn confine(command: &mut Command, confinement: &Confinement) -> io::Result<()> {
    keep_environment(command, ENVIRONMENT.iter());
    close_files(command);
    if let Some(account) = &confinement.account {
        command.uid(account.id()).gid(account.id());
    }
    let mut limits = vec![(Resource::Core, 0)];
    limits.extend(confinement.memory_bytes.map(|bytes| (Resource::Data, bytes)));
    limits.extend(confinement.cpu_seconds.map(|seconds| (Resource::Cpu, seconds)));
    limits.extend(confinement.account.as_ref().map(|_| (Resource::Nproc, MAX_TASKS)));
    let mut sandbox = confinement.reach.as_ref().map(Sandbox::new).transpose()?;
    let has_account = confinement.account.is_some();
    let filter = |reach: &Reach| SystemCalls::new(has_account, !reach.ports.is_empty());
    let system_calls = confinement.reach.as_ref().map(filter).transpose()?;
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed. It makes bare system calls (prctl, getrlimit, setrlimit, keyctl,
    // landlock_restrict_self, close, seccomp) on values that were allocated before, takes no lock,
    // and its errors carry a raw errno only.
    unsafe {
        command.pre_exec(move || {
            rustix::thread::set_no_new_privs(true)?;
            for (resource, limit) in &limits {
                lower_limit(*resource, *limit)?;
            }
            leave_session_keyring()?;
            sandbox.as_mut().map_or(Ok(()), Sandbox::enter)?;
            system_calls.as_ref().map_or(Ok(()), SystemCalls::restrict)
        });
    }
    Ok(())
}

/// Gives the process an empty session keyring. Without this, the process would inherit its parent's
/// keyring. The holder of a keyring can read its keys, also under another user id. Succeeds if the
/// kernel, or a container, has no keyrings.
fn leave_session_keyring() -> io::Result<()> {
    // SAFETY: without a name, the call touches no memory.
    let keyring =
        unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, std::ptr::null::<libc::c_char>()) };
    match io::Error::last_os_error() {
        _ if keyring != -1 => Ok(()),
        error if matches!(Errno::from_io_error(&error), Some(Errno::NOSYS | Errno::PERM)) => Ok(()),
        error => Err(error),
    }
}

fn lower_limit(resource: Resource, limit: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum.unwrap_or(u64::MAX).min(limit);
    Ok(setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) })?)
}

/// Replaces the environment by the variables in `names` and the ones that `command` sets.
fn keep_environment<'a>(command: &mut Command, names: impl Iterator<Item = &'a &'a str>) {
    let own: Vec<(OsString, Option<OsString>)> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command.env_clear();
    for name in names {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    for (name, value) in own {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Closes all files but the standard streams when the program is executed.
fn close_files(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed. It makes bare system calls (close_range, fcntl, getrlimit) and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            // Marked, not closed: the standard library reports a failed `exec` on a file of its
            // own.
            let marked = libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
            if marked != 0 {
                // Before Linux 5.11. Files from number 65,536 on stay open.
                let count = getrlimit(Resource::Nofile).current.unwrap_or(1 << 16).min(1 << 16) as i32;
                for file in 3..count {
                    libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC);
                }
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::net::TcpListener;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::process::Stdio;

    use super::*;
    use crate::{Landlock, spawn_confined, spawn_supervised};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).env("WEIGH_TEST_OWN", "own");
        command
    }

    fn output(child: io::Result<std::process::Child>) -> String {
        String::from_utf8(child.unwrap().wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn children_get_neither_secrets_nor_files() {
        // `cargo test` sets CARGO_MANIFEST_DIR, which stands here for any variable.
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some());
        let file = File::open("/etc/hostname").or_else(|_| File::open("/proc/self/stat")).unwrap();
        // SAFETY: `dup` returns a new file that nothing else owns, or -1, which the next line
        // excludes.
        let inherited = unsafe { libc::dup(file.as_raw_fd()) };
        assert!(inherited > 2);
        // SAFETY: see above.
        let _owner = unsafe { OwnedFd::from_raw_fd(inherited) };
        let script = format!("env; [ -e /proc/self/fd/{inherited} ] && echo INHERITED");
        for text in
            [output(spawn_confined(shell(&script), &Confinement::default())), output(spawn_supervised(shell(&script)))]
        {
            assert!(!text.contains("CARGO_") && !text.contains("INHERITED"), "{text}");
            assert!(text.contains("PATH=") && text.contains("WEIGH_TEST_OWN=own"), "{text}");
        }
    }

    /// With an account, when root runs the tests, and without one.
    #[test]
    fn confined_program_reaches_only_what_it_is_given() {
        let account = Account::reserve().unwrap();
        let folders = ["own", "given", "other"].map(|name| {
            let folder = env::temp_dir().join(format!("weigh-test-confine-{}-{name}", std::process::id()));
            // Left by a killed test with the same process id.
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("file"), format!("{name}\n")).unwrap();
            // Only Landlock keeps the program out.
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
            folder
        });
        let [own, given, other] = folders.each_ref().map(|folder| folder.display());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let listening = listener.local_addr().unwrap().port();
        let script = format!(
            "echo a >{own}/a; echo b >{other}/b; ln -s {other} {own}/l; echo c >{own}/l/c; mv {own}/a {other}; echo d >{given}/d\n\
             echo x >/dev/null && echo $(ls {own}) . $(ls {given}) . $(ls {other})\n\
             for file in {own} {given} {other}; do read x <$file/file && echo $x; done; read x </etc/passwd && echo $x\n\
             bash -c 'echo x >/dev/tcp/127.0.0.1/{listening} && echo CONNECTED'"
        );
        let reach = Reach {
            readable: vec![folders[1].clone()],
            writable: vec![folders[0].clone()],
            ports: Vec::new(),
            signals: false,
        };
        for account in [None, account] {
            let confinement = Confinement { account, reach: Some(reach.clone()), ..Confinement::default() };
            let text = output(spawn_confined(shell(&script), &confinement));
            let _ = std::fs::remove_file(folders[0].join("a"));
            let _ = std::fs::remove_file(folders[0].join("l"));
            match Landlock::of_this_machine() {
                Landlock::Missing => eprintln!("skipped: this kernel has no Landlock"),
                Landlock::Files => assert!(text.starts_with("a file l . file .\nown\ngiven\n"), "{text}"),
                Landlock::FilesAndTcp => assert_eq!(text, "a file l . file .\nown\ngiven\n"),
            }
        }
        let reach = Reach { ports: vec![listening], ..reach };
        let confinement = Confinement { reach: Some(reach), ..Confinement::default() };
        let script =
            format!("bash -c 'for port in {listening} 1; do echo x >/dev/tcp/127.0.0.1/$port && echo $port; done'");
        assert_eq!(output(spawn_confined(shell(&script), &confinement)), format!("{listening}\n"));
        for folder in folders {
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    /// Joins a session keyring with a key that only its holder may see. False if there are no
    /// keyrings here.
    fn join_keyring_with_key(description: &std::ffi::CStr) -> bool {
        const POSSESSOR_ONLY: u32 = 0x3f00_0000;
        // SAFETY: the texts end with a zero byte, and the payload has the given size.
        unsafe {
            let keyring = libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, 0_usize);
            let (kind, payload) = (c"user".as_ptr(), c"secret".as_ptr());
            let key = libc::syscall(libc::SYS_add_key, kind, description.as_ptr(), payload, 6_usize, keyring);
            key > 0 && libc::syscall(libc::SYS_keyctl, libc::KEYCTL_SETPERM, key, POSSESSOR_ONLY) == 0
        }
    }

    #[test]
    fn confined_program_holds_no_keys() {
        // A session keyring belongs to a thread, and goes to the processes that the thread starts.
        let test = || {
            if !join_keyring_with_key(c"weigh-test-key") {
                eprintln!("skipped: this kernel has no keyrings");
                return;
            }
            let show = || shell("cat /proc/keys");
            assert!(output(show().spawn()).contains("weigh-test-key"));
            for account in [None, Account::reserve().unwrap()] {
                let confinement = Confinement { account, ..Confinement::default() };
                let mut command = show();
                confine(&mut command, &confinement).unwrap();
                let keys = output(command.spawn());
                assert!(!keys.contains("weigh-test-key"), "{keys}");
            }
        };
        std::thread::spawn(test).join().unwrap();
    }

    /// Without an account: as the user that runs the tests.
    #[test]
    fn confined_program_changes_no_file_or_process_of_its_user() {
        let file = tempfile("metadata");
        let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
        let limits = format!("/proc/{}/limits", victim.id());
        let state = || {
            let metadata = std::fs::metadata(&file).unwrap();
            let priority = rustix::process::getpriority_process(rustix::process::Pid::from_child(&victim).into());
            (metadata.mode(), metadata.mtime(), std::fs::read_to_string(&limits).unwrap(), priority.unwrap())
        };
        let before = state();
        let (path, pid) = (file.display(), victim.id());
        let script = format!(
            "chmod 777 {path} && touch -m -d 2001-01-01 {path}\n\
             prlimit --pid {pid} --cpu=1:1; renice -n 19 {pid}; echo end"
        );
        let confinement = Confinement { reach: Some(Reach::default()), ..Confinement::default() };
        let text = output(spawn_confined(shell(&script), &confinement));
        let after = state();
        victim.kill().unwrap();
        victim.wait().unwrap();
        std::fs::remove_file(&file).unwrap();
        // Changes of files succeed without effect.
        assert!(text.ends_with("end\n"), "{text}");
        assert_eq!(after, before);
    }

    fn tempfile(name: &str) -> std::path::PathBuf {
        let path = env::temp_dir().join(format!("weigh-test-confine-{}-{name}", std::process::id()));
        std::fs::write(&path, "").unwrap();
        path
    }

    #[test]
    fn confined_program_cannot_gain_privileges_or_memory() {
        let confinement = Confinement { memory_bytes: Some(64 << 20), cpu_seconds: Some(9), ..Confinement::default() };
        let text = output(spawn_confined(shell("cat /proc/self/status /proc/self/limits"), &confinement));
        assert!(text.lines().any(|line| line.split_whitespace().eq(["NoNewPrivs:", "1"])), "{text}");
        let has_limit =
            |name: &str, limit: &str| text.lines().any(|line| line.starts_with(name) && line.contains(limit));
        assert!(has_limit("Max data size", "67108864") && has_limit("Max cpu time", "9"), "{text}");
    }
}
