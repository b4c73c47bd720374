//! Landlock: limits what a program may read, write and reach to less than its user may.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
};

/// Version of Landlock whose access rights are used; Linux 6.12 and later have it. On older kernels
/// the rights that they know are used.
const VERSION: ABI = ABI::V6;

/// First version of Landlock that restricts TCP; Linux 6.7 and later have it.
const TCP_VERSION: i64 = 4;

/// Files that every restricted program may write to.
const WRITABLE_DEVICES: [&str; 1] = ["/dev/null"];

/// Programs, libraries and data of the distribution, the kernel's files, and the settings of the
/// loader, of time zones and of OpenSSL. Every restricted program may read them. Not the names of
/// users and hosts: no server needs them.
const SYSTEM_FILES: [&str; 36] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/libexec",
    "/usr/local/share",
    "/nix/store",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/etc/crypto-policies",
    "/proc",
    "/sys",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Variables that name libraries or folders of libraries, which a program inherits.
const LIBRARY_VARIABLES: [&str; 2] = ["LD_LIBRARY_PATH", "LD_PRELOAD"];

/// Files and ports that a restricted program may use.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Files, and folders with all that is in them, that the program may read and execute, besides
    /// those of the system and the ones that it may write to.
    pub readable: Vec<PathBuf>,
    /// Folders below which the program may read and write.
    pub writable: Vec<PathBuf>,
    /// TCP ports that the program may connect to. Listening on TCP is refused.
    pub ports: Vec<u16>,
    /// True if the program may send signals to other processes. Valgrind does, to see whether the
    /// vgdb that controls it is alive.
    pub signals: bool,
}

/// Extent of the restrictions that Landlock offers on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landlock {
    /// The kernel has no Landlock, or it is off.
    Missing,
    /// Files, but not TCP.
    Files,
    FilesAndTcp,
}

impl Landlock {
    pub fn of_this_machine() -> Self {
        // SAFETY: without attributes and with this flag, the call returns the version and touches
        // no memory.
        let version = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                std::ptr::null::<libc::c_void>(),
                0_usize,
                1_u32, // LANDLOCK_CREATE_RULESET_VERSION
            )
        };
        match version {
            ..1 => Self::Missing,
            1..TCP_VERSION => Self::Files,
            _ => Self::FilesAndTcp,
        }
    }
}

/// Restriction that a process can apply to itself.
pub(crate) struct Sandbox(Option<RulesetCreated>);

impl Sandbox {
    /// Allows what is in `reach`, [`WRITABLE_DEVICES`], [`SYSTEM_FILES`] and
    /// [`LIBRARY_VARIABLES`]. On Linux 6.12 and later, the process cannot reach abstract Unix
    /// sockets of others, and can signal others only if `reach` allows it. Paths that do not exist
    /// are ignored.
    pub fn new(reach: &Reach) -> io::Result<Self> {
        let create = || -> Result<RulesetCreated, RulesetError> {
            let (read, all) = (AccessFs::from_read(VERSION), AccessFs::from_all(VERSION));
            let devices = WRITABLE_DEVICES.iter().map(Path::new);
            let writable = reach.writable.iter().map(PathBuf::as_path).chain(devices);
            let libraries = inherited_libraries();
            let system = SYSTEM_FILES.iter().map(Path::new);
            let readable = reach.readable.iter().chain(&libraries).map(PathBuf::as_path).chain(system);
            let scopes = if reach.signals { Scope::AbstractUnixSocket.into() } else { Scope::from_all(VERSION) };
            let ports = reach.ports.iter().map(|port| NetPort::new(*port, AccessNet::ConnectTcp));
            Ruleset::default()
                .handle_access(all)?
                .handle_access(AccessNet::from_all(VERSION))?
                .scope(scopes)?
                .create()?
                .add_rules(path_beneath_rules(readable, read))?
                .add_rules(path_beneath_rules(writable, all))?
                .add_rules(ports.map(Ok::<_, RulesetError>))
        };
        create().map(|ruleset| Self(Some(ruleset))).map_err(io::Error::other)
    }

    /// Restricts the calling thread, and what it executes. Makes system calls only, and allocates
    /// nothing unless one fails.
    pub fn enter(&mut self) -> io::Result<()> {
        let entered = self.0.take().map_or(Ok(()), |ruleset| ruleset.restrict_self().map(drop));
        entered.map_err(|_| io::Error::from_raw_os_error(libc::EPERM))
    }
}

/// Returns the absolute paths in [`LIBRARY_VARIABLES`], except `/`.
fn inherited_libraries() -> Vec<PathBuf> {
    let values = LIBRARY_VARIABLES.iter().filter_map(env::var_os);
    let paths = values.flat_map(|value| env::split_paths(&value).collect::<Vec<_>>());
    paths.filter(|path| path.is_absolute() && path != Path::new("/")).collect()
}
