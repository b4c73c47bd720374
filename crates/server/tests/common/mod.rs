//! What the tests with real servers share.
#![allow(dead_code, reason = "every test binary uses its own part of this")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use server::{Address, NoProgress, Options, Server, open};

/// Small enough that many fit beside one another.
pub fn options() -> Options {
    Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() }
}

/// A private server of the catalogue.
pub fn private(name: &str) -> Server {
    open(&name.parse().unwrap(), &options(), &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn socket(server: &Server) -> PathBuf {
    match &server.endpoint().address {
        Address::Socket(path) => path.clone(),
        address => panic!("{address} is no socket"),
    }
}

/// A process that is there and no zombie.
pub fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits for what must come about. The limit is for a machine under any load; nothing is asserted about the time.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "not so after a minute: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

pub fn assert_gone(pid: u32, folder: &Path) {
    eventually("the server is gone", || !is_alive(pid));
    eventually("its folder is gone", || !folder.exists());
}

/// The program `hold-server`, running in a process of its own.
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
    // Where these tests run under `nohup`, what they start would ignore SIGHUP as they do: `env` takes that back.
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
