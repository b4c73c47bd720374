//! Seccomp: system calls by which a program changes what Landlock has no rights for.
//!
//! Landlock (Linux 6.18) restricts neither the mode, owner, times and attributes of files, nor the
//! limits and priorities of other processes, nor System V's shared memory. Of sockets, it restricts
//! those of TCP, but not MPTCP, nor connections by `MSG_FASTOPEN`, and abstract Unix sockets, but
//! not those with a path. A filter does not see the path. A server listens on a stream socket, and
//! need not connect to one; a socket for datagrams could send without a connection.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::ptr;

use libc::c_long;
use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Calls that change the mode, owner or times of a file. For a program without a user of its own,
/// they succeed without effect: servers set the modes of files that they copy, and fail if they
/// cannot.
const FILE_METADATA: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
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

/// Bits of the mode of an open file: set-user-id, set-group-id, and the right to write for group
/// and others. `fchmod` with such a bit succeeds without effect for a program without a user of its
/// own. `INTO OUTFILE` of MariaDB 10.11 sets mode 0644, without which its `LOAD_FILE` refuses the
/// file. MariaDB 10.1 sets 0666.
const CLOSED_MODE_BITS: [u64; 4] = [0o4000, 0o2000, 0o020, 0o002];

/// Calls that fail: attributes and access lists of files, keys, which the kernel keeps per user,
/// and `io_uring`, whose operations seccomp does not see.
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
    libc::SYS_io_uring_setup,
];

/// Calls that fail for a program without a user of its own: System V's shared memory, semaphores
/// and queues, and POSIX queues, of other programs of the user.
const REFUSED_WITHOUT_ACCOUNT: &[c_long] = &[
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

/// Calls that send data, and the argument with their flags.
const SENDING: &[(c_long, u8)] = &[
    (libc::SYS_sendto, 3),
    (libc::SYS_sendmsg, 2),
    (libc::SYS_sendmmsg, 3),
    #[cfg(target_arch = "x86_64")]
    (X32_SENDMSG, 2),
    #[cfg(target_arch = "x86_64")]
    (X32_SENDMMSG, 3),
];

/// Flag that connects a TCP socket.
const MSG_FASTOPEN: u64 = 0x2000_0000;

/// Each type of sockets but `SOCK_STREAM` has one of these bits.
const OTHER_SOCKET_TYPES: [u64; 2] = [2, 4];

/// Numbers that `libc` lacks on some platforms. Numbers from 424 on are equal on all architectures.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// From `linux/ioprio.h`.
const IOPRIO_WHO_PROCESS: u64 = 1;

/// Bit in the numbers of calls by x32 programs, whose architecture is that of x86-64.
const X32_BIT: c_long = 0x4000_0000;

/// Numbers of calls that x32 has in addition, without [`X32_BIT`].
#[cfg(target_arch = "x86_64")]
const X32_SENDMSG: c_long = 518;
#[cfg(target_arch = "x86_64")]
const X32_SENDMMSG: c_long = 538;

/// Filters that a process can apply to itself. Calls of another architecture, such as 32-bit ones,
/// kill the process.
pub(crate) struct SystemCalls(Vec<BpfProgram>);

impl SystemCalls {
    /// Compiles the filters. `has_account`: whether the program has a user of its own. `has_ports`:
    /// whether it may connect by TCP, and then also to Unix sockets with a path; without, it may
    /// only listen, on Unix sockets. No filter for an architecture that the compiler of filters
    /// does not know.
    pub fn new(has_account: bool, has_ports: bool) -> io::Result<Self> {
        let Ok(architecture) = TargetArch::try_from(env::consts::ARCH) else { return Ok(Self(Vec::new())) };
        let mut refused = always(REFUSED);
        let mut ignored = Rules::new();
        if !has_account {
            refused.extend(always(REFUSED_WITHOUT_ACCOUNT));
            ignored = always(FILE_METADATA);
            ignored.insert(libc::SYS_fchmod, any(CLOSED_MODE_BITS.iter().map(|bit| all(&[has_bit(1, *bit)])))?);
        }
        for (call, own) in OWN_ONLY {
            refused.insert(*call, any(own.iter().map(|(argument, value)| all(&[differs(*argument, *value)])))?);
        }
        refused.insert(libc::SYS_socket, refused_sockets(has_ports)?);
        refused.insert(libc::SYS_socketpair, refused_sockets(false)?);
        if !has_ports {
            refused.extend(always(&[libc::SYS_connect]));
        } else {
            for (call, flags) in SENDING {
                refused.insert(*call, vec![all(&[has_bit(*flags, MSG_FASTOPEN)])?]);
            }
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

/// Returns the rules for sockets other than streams of Unix sockets and, if `has_ports`, of TCP.
fn refused_sockets(has_ports: bool) -> io::Result<Vec<SeccompRule>> {
    let [domain, kind, protocol] = [0, 1, 2];
    let is_no = |family: i32| differs(domain, family as u64);
    let types = OTHER_SOCKET_TYPES.iter().map(|bit| all(&[has_bit(kind, *bit)]));
    if !has_ports {
        return any(std::iter::once(all(&[is_no(libc::AF_UNIX)])).chain(types));
    }
    let tcp = libc::IPPROTO_TCP as u64;
    let families = all(&[is_no(libc::AF_UNIX), is_no(libc::AF_INET), is_no(libc::AF_INET6)]);
    let protocols = all(&[is_no(libc::AF_UNIX), differs(protocol, 0), differs(protocol, tcp)]);
    any([families, protocols].into_iter().chain(types))
}

/// Condition on an argument: its number, and the comparison with a value.
type Condition = (u8, SeccompCmpOp, u64);

fn differs(argument: u8, value: u64) -> Condition {
    (argument, SeccompCmpOp::Ne, value)
}

fn has_bit(argument: u8, bit: u64) -> Condition {
    (argument, SeccompCmpOp::MaskedEq(bit), bit)
}

/// Returns the rule that matches if all conditions hold.
fn all(conditions: &[Condition]) -> io::Result<SeccompRule> {
    let condition = |(argument, comparison, value): &Condition| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, comparison.clone(), *value)
    };
    let conditions = conditions.iter().map(condition).collect::<Result<_, _>>();
    conditions.and_then(SeccompRule::new).map_err(io::Error::other)
}

/// Collects the rules of a call, of which one must match.
fn any(rules: impl Iterator<Item = io::Result<SeccompRule>>) -> io::Result<Vec<SeccompRule>> {
    rules.collect()
}

/// Returns rules that match the calls with any arguments.
fn always(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
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

/// Installs a filter. Does nothing if the kernel lacks seccomp.
fn install(program: &BpfProgram) -> io::Result<()> {
    let description = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::INVAL)?,
        filter: ptr::from_ref(program.as_slice()).cast::<libc::sock_filter>().cast_mut(),
    };
    // Before Linux 5.16, a filter turns on mitigations that slow the program down, unless this flag
    // is set. Linux has the flag from 4.17 on.
    for flags in [libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0] {
        // SAFETY: the kernel reads `len` instructions, which `program` holds, in the layout that
        // `linux/filter.h` defines, and keeps no pointer to them.
        let result = unsafe {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, ptr::from_ref(&description))
        };
        let error = io::Error::last_os_error();
        match Errno::from_io_error(&error) {
            _ if result == 0 => return Ok(()),
            Some(Errno::INVAL | Errno::NOSYS) => {}
            _ => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Number and first arguments. The others are 0.
    type Call = (c_long, [c_long; 4]);

    /// Makes calls in a restricted thread. Returns the numbers of their errors, 0 for success.
    fn results_of(filters: SystemCalls, calls: Vec<Call>) -> Vec<i32> {
        let run = move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            filters.restrict().unwrap();
            let run = |(call, [a, b, c, d]): Call| {
                // SAFETY: these tests pass no pointer but null, and numbers of files that don't
                // exist. The sockets that are made stay open until the end of the tests.
                let result = unsafe { libc::syscall(call, a, b, c, d, 0_usize, 0_usize) };
                if result < 0 { io::Error::last_os_error().raw_os_error().unwrap() } else { 0 }
            };
            calls.into_iter().map(run).collect()
        };
        thread::spawn(run).join().unwrap()
    }

    fn with_x32(calls: &[c_long]) -> Vec<Call> {
        let x32 = calls.iter().filter(|_| cfg!(target_arch = "x86_64")).map(|call| call | X32_BIT);
        calls.iter().copied().chain(x32).map(|call| (call, [-1, 0, 0, 0])).collect()
    }

    #[test]
    fn calls_are_ignored_or_refused() {
        let filters = |has_account| SystemCalls::new(has_account, false).unwrap();
        let ignored = results_of(filters(false), with_x32(FILE_METADATA));
        assert!(ignored.iter().all(|result| *result == 0), "{ignored:?}");
        for (has_account, calls) in [(true, REFUSED), (false, REFUSED), (false, REFUSED_WITHOUT_ACCOUNT)] {
            let refused = results_of(filters(has_account), with_x32(calls));
            assert!(refused.iter().all(|result| *result == libc::EPERM), "{refused:?}");
        }
        let with_account = results_of(filters(true), vec![(libc::SYS_shmget, [0; 4]), (libc::SYS_fchownat, [-1; 4])]);
        assert!(with_account.iter().all(|result| ![0, libc::EPERM].contains(result)), "{with_account:?}");
        let modes = [0o666, 0o660, 0o4755, 0o644, 0o600].map(|mode| (libc::SYS_fchmod, [-1, mode, 0, 0]));
        assert_eq!(results_of(filters(false), modes.to_vec()), [0, 0, 0, libc::EBADF, libc::EBADF]);
    }

    #[test]
    fn limits_and_priorities_are_the_own_ones_only() {
        let parent = c_long::from(rustix::process::getppid().unwrap().as_raw_nonzero().get());
        for (call, own) in OWN_ONLY {
            let mut accepted = [0; 4];
            for (argument, value) in *own {
                accepted[usize::from(*argument)] = *value as c_long;
            }
            let mut others = accepted;
            others[own.len() - 1] = parent;
            let filters = SystemCalls::new(true, false).unwrap();
            // Priority 0 is that of the test.
            let results = results_of(filters, vec![(*call, others), (*call, accepted)]);
            assert_eq!(results[0], libc::EPERM, "{call}");
            assert_ne!(results[1], libc::EPERM, "{call}");
        }
    }

    #[test]
    fn sockets_are_those_of_unix_or_tcp() {
        let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let sockets = [
            (libc::AF_UNIX, libc::SOCK_DGRAM, 0, [false, false]),
            (libc::AF_UNIX, libc::SOCK_SEQPACKET, 0, [false, false]),
            (libc::AF_UNIX, libc::SOCK_RAW, 0, [false, false]),
            (libc::AF_UNIX, libc::SOCK_STREAM, 0, [true, true]),
            (libc::AF_INET, libc::SOCK_STREAM, 0, [false, true]),
            (libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_TCP, [false, true]),
            (libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP, [false, false]),
            (libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_SCTP, [false, false]),
            (libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_MPTCP, [false, false]),
            (libc::AF_INET, libc::SOCK_DGRAM, 0, [false, false]),
            (libc::AF_INET, libc::SOCK_SEQPACKET, 0, [false, false]),
            (libc::AF_NETLINK, libc::SOCK_RAW, 0, [false, false]),
            (libc::AF_VSOCK, libc::SOCK_STREAM, 0, [false, false]),
        ];
        for (column, has_ports) in [false, true].into_iter().enumerate() {
            for (domain, kind, protocol, allowed) in sockets {
                let arguments = [domain, kind | flags, protocol, 0].map(c_long::from);
                let filters = SystemCalls::new(true, has_ports).unwrap();
                let result = results_of(filters, vec![(libc::SYS_socket, arguments)])[0];
                let expected = if allowed[column] { 0 } else { libc::EPERM };
                assert_eq!(result, expected, "{domain} {kind} {protocol}, ports: {has_ports}");
            }
        }
    }

    #[test]
    fn programs_without_ports_connect_to_nothing() {
        let filters = |has_ports| SystemCalls::new(true, has_ports).unwrap();
        let connections = || with_x32(&[libc::SYS_connect]);
        assert!(results_of(filters(false), connections()).iter().all(|result| *result == libc::EPERM));
        assert_eq!(results_of(filters(true), connections())[0], libc::EBADF);
        for (kind, expected) in [(libc::SOCK_DGRAM, libc::EPERM), (libc::SOCK_STREAM, libc::EFAULT)] {
            let pair = [libc::AF_UNIX, kind | libc::SOCK_CLOEXEC, 0, 0].map(c_long::from);
            for has_ports in [false, true] {
                let result = results_of(filters(has_ports), vec![(libc::SYS_socketpair, pair)]);
                assert_eq!(result, [expected], "{kind}, ports: {has_ports}");
            }
        }
    }

    #[test]
    fn no_connection_by_sending() {
        for (call, flags) in SENDING {
            let mut arguments = [-1, 0, 0, 0];
            arguments[usize::from(*flags)] = MSG_FASTOPEN as c_long;
            let filters = SystemCalls::new(true, true).unwrap();
            assert_eq!(results_of(filters, vec![(*call, arguments)]), [libc::EPERM]);
        }
    }
}
