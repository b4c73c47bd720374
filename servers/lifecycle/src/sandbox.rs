//! Landlock: what a program may write and reach, whatever its user may.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
    path_beneath_rules,
};

/// Version of Landlock whose access rights are used; Linux 6.7 and later have it. On older kernels
/// the rights that they know are used.
const VERSION: ABI = ABI::V4;

/// Files that every restricted program may write to.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/tty"];

/// Restriction that a process can put on itself.
pub(crate) struct Sandbox(Option<RulesetCreated>);

impl Sandbox {
    /// Allows writing to [`DEVICES`] and below `folders` only, and no TCP. Reading and running
    /// programs is not restricted.
    pub fn new(folders: &[PathBuf]) -> io::Result<Self> {
        let create = || -> Result<RulesetCreated, RulesetError> {
            let write = AccessFs::from_write(VERSION);
            let devices = DEVICES.iter().map(PathBuf::from);
            Ruleset::default()
                .handle_access(write)?
                .handle_access(AccessNet::from_all(VERSION))?
                .create()?
                .add_rules(path_beneath_rules(folders.iter().cloned().chain(devices), write))
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
