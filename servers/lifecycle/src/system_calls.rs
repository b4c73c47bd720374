//! Seccomp: system calls by which a program changes what Landlock has no rights for.
//!
//! Landlock (Linux 6.18) restricts neither the mode, owner, times and attributes of files, nor the
//! limits and priorities of other processes, nor System V's shared memory.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::ptr;

use libc::c_long;
use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Calls that change the mode, owner or times of a file. They succeed without effect: servers set
/// the modes of files that they copy, and fail if they cannot.
const FILE_METADATA: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
];

/// Calls that fail: attributes and access lists of files, and keys, which the kernel keeps per user.
const REFUSED: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// Calls that fail for a program with the user of other programs: `io_uring`, which makes calls of
/// [`REFUSED`] that seccomp does not see, and memory and queues that other programs share.
const REFUSED_WITHOUT_ACCOUNT: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls that fail unless these arguments have these values, which name the calling process or
/// thread.
const OWN_ONLY: &[(c_long, &[(u8, u64)])] = &[
    (libc::SYS_prlimit64, &[(0, 0)]),
    (libc::SYS_sched_setaffinity, &[(0, 0)]),
    (libc::SYS_sched_setscheduler, &[(0, 0)]),
    (libc::SYS_sched_setparam, &[(0, 0)]),
    (libc::SYS_sched_setattr, &[(0, 0)]),
    (libc::SYS_setpriority, &[(0, libc::PRIO_PROCESS as u64), (1, 0)]),
    (libc::SYS_ioprio_set, &[(0, IOPRIO_WHO_PROCESS), (1, 0)]),
];

/// Numbers that `libc` lacks on some platforms. From 424 on, all architectures share them.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// From `linux/ioprio.h`.
const IOPRIO_WHO_PROCESS: u64 = 1;

/// Bit in the numbers of calls by x32 programs, whose architecture is that of x86-64.
const X32_BIT: c_long = 0x4000_0000;

/// Filters that a process can put on itself. Calls of another architecture, such as 32-bit ones,
/// kill the process.
pub(crate) struct SystemCalls(Vec<BpfProgram>);

impl SystemCalls {
    /// Compiles the filters. `has_account`: whether the program has a user of its own. No filter for
    /// an architecture that the compiler of filters does not know.
    pub fn new(has_account: bool) -> io::Result<Self> {
        let Ok(architecture) = TargetArch::try_from(env::consts::ARCH) else { return Ok(Self(Vec::new())) };
        let always = |call: &c_long| (*call, Vec::new());
        let ignored = FILE_METADATA.iter().map(always).collect();
        let mut refused: Rules = REFUSED.iter().map(always).collect();
        if !has_account {
            refused.extend(REFUSED_WITHOUT_ACCOUNT.iter().map(always));
        }
        for (call, own) in OWN_ONLY {
            refused.insert(
                *call,
                own.iter().map(|(argument, value)| unless(*argument, *value)).collect::<Result<_, _>>()?,
            );
        }
        Ok(Self(vec![compile(ignored, 0, architecture)?, compile(refused, libc::EPERM as u32, architecture)?]))
    }

    /// Restricts the calling thread, which must have `no_new_privs`, and what it executes. Makes
    /// system calls only, and allocates nothing. No restriction if the kernel lacks seccomp.
    pub fn restrict(&self) -> io::Result<()> {
        self.0.iter().try_for_each(install)
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Returns the rule that matches all values of an argument but `value`. Rules of one call are
/// alternatives.
fn unless(argument: u8, value: u64) -> io::Result<SeccompRule> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(io::Error::other)
}

/// Compiles a filter that ends calls with `errno`, and for 0 with success.
fn compile(mut rules: Rules, errno: u32, architecture: TargetArch) -> io::Result<BpfProgram> {
    if cfg!(target_arch = "x86_64") {
        let x32: Rules = rules.iter().map(|(call, rules)| (call | X32_BIT, rules.clone())).collect();
        rules.extend(x32);
    }
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), architecture)
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)
}

fn install(program: &BpfProgram) -> io::Result<()> {
    let description = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::INVAL)?,
        filter: ptr::from_ref(program.as_slice()).cast::<libc::sock_filter>().cast_mut(),
    };
    // SAFETY: the kernel reads `len` instructions, which `program` holds, in the layout that
    // `linux/filter.h` defines, and keeps no pointer to them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            // Before Linux 5.16, a filter otherwise turns on mitigations that slow the program down.
            libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW,
            ptr::from_ref(&description),
        )
    };
    if result == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let is_missing =
        [Errno::NOSYS, Errno::INVAL].iter().any(|missing| error.raw_os_error() == Some(missing.raw_os_error()));
    if is_missing { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Makes calls with arguments of 0 in a restricted thread. Returns their results: 0, or an error number.
    fn results_of(has_account: bool, calls: Vec<(c_long, [c_long; 2])>) -> Vec<i32> {
        let filters = SystemCalls::new(has_account).unwrap();
        let run = move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            filters.restrict().unwrap();
            let run = |(call, [first, second]): (c_long, [c_long; 2])| {
                // SAFETY: the calls of these tests get no pointer but null, so that none of them
                // touches memory.
                let result = unsafe { libc::syscall(call, first, second, 0_usize, 0_usize, 0_usize, 0_usize) };
                if result == 0 { 0 } else { io::Error::last_os_error().raw_os_error().unwrap() }
            };
            calls.into_iter().map(run).collect()
        };
        thread::spawn(run).join().unwrap()
    }

    fn with_x32(calls: &[c_long]) -> Vec<(c_long, [c_long; 2])> {
        let x32 = calls.iter().filter(|_| cfg!(target_arch = "x86_64")).map(|call| call | X32_BIT);
        calls.iter().copied().chain(x32).map(|call| (call, [-1, 0])).collect()
    }

    #[test]
    fn calls_are_ignored_or_refused() {
        let ignored = results_of(true, with_x32(FILE_METADATA));
        assert!(ignored.iter().all(|result| *result == 0), "{ignored:?}");
        for (has_account, calls) in [(true, REFUSED), (false, REFUSED), (false, REFUSED_WITHOUT_ACCOUNT)] {
            let refused = results_of(has_account, with_x32(calls));
            assert!(refused.iter().all(|result| *result == libc::EPERM), "{refused:?}");
        }
        let with_account = results_of(true, vec![(libc::SYS_io_uring_setup, [0, 0]), (libc::SYS_shmget, [0, 0])]);
        assert!(with_account.iter().all(|result| *result != libc::EPERM), "{with_account:?}");
    }

    #[test]
    fn limits_and_priorities_are_the_own_ones_only() {
        let parent = c_long::from(rustix::process::getppid().unwrap().as_raw_nonzero().get());
        for (call, own) in OWN_ONLY {
            let arguments =
                |values: &mut dyn Iterator<Item = c_long>| [values.next().unwrap(), values.next().unwrap_or(0)];
            let values = || own.iter().map(|(_, value)| *value as c_long);
            let accepted = arguments(&mut values());
            let mut others = accepted;
            others[own.len() - 1] = parent;
            // Priority 0 is that of the test.
            let results = results_of(true, vec![(*call, others), (*call, accepted)]);
            assert_eq!(results[0], libc::EPERM, "{call}");
            assert_ne!(results[1], libc::EPERM, "{call}");
        }
    }
}
