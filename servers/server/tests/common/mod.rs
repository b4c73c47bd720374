//! Helpers of the tests with real servers.
#![allow(dead_code, reason = "each test binary uses some of them")]

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use server::{Address, NoProgress, Options, Server, open};
use tempfile::TempDir;

/// Options with little memory, for several servers at once.
pub fn options() -> Options {
    Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() }
}

/// Creates a temporary folder that every user may enter, as root's servers run as other users.
pub fn open_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Starts a private server of the catalogue.
pub fn private(name: &str) -> Server {
    open(&name.parse().unwrap(), &options(), &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn socket(server: &Server) -> PathBuf {
    match &server.endpoint().address {
        Address::Socket(path) => path.clone(),
        address => panic!("{address} is not a socket"),
    }
}

/// True for an existing process that is not a zombie.
pub fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits up to five minutes for a condition. The limit allows for a busy machine.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !holds() {
        assert!(Instant::now() < deadline, "not true after five minutes: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

pub fn assert_gone(pid: u32, folder: &Path) {
    eventually("the server is gone", || !is_alive(pid));
    eventually("its folder is gone", || !folder.exists());
}

/// A running `hold-server`.
pub struct Holder {
    pub child: Child,
    pub server_pid: u32,
    pub folder: PathBuf,
}

const HOLD_SERVER: &str = env!("CARGO_BIN_EXE_hold-server");

pub fn hold_command() -> Command {
    Command::new(HOLD_SERVER)
}

pub fn hold(spec: &str, end: &str) -> Holder {
    // `env` resets SIGHUP, which is ignored if these tests run under `nohup`.
    let command = ["--default-signal=HUP", HOLD_SERVER, spec, end];
    let mut child = Command::new("env").args(command).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (pid, socket) = line.trim().split_once(' ').unwrap_or_else(|| panic!("hold-server {spec} said `{line}`"));
    let folder = Path::new(socket).parent().unwrap().to_owned();
    Holder { child, server_pid: pid.parse().unwrap(), folder }
}

pub fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status().unwrap().success());
}
