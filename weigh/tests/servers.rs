//! `weigh servers` with real servers, and passwords in the process list.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use server::{NoProgress, Options, open};

fn weigh(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weigh")).args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = weigh(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn is_alive(pid: &Value) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn find_started(id: &str) -> Option<Value> {
    let list = json(&["servers", "list", "--format", "json"]);
    list["started"].as_array().unwrap().iter().find(|started| started["id"] == id).cloned()
}

#[test]
fn an_instance_stays_until_it_is_stopped() {
    let start = ["servers", "start", "mariadb", "--set", "sort_buffer_size=1M", "--format=json"];
    let instance = json(&[&start[..], &["--set=innodb_buffer_pool_size=64M"]].concat());
    let (id, folder) = (instance["id"].as_str().unwrap(), Path::new(instance["folder"].as_str().unwrap()));
    assert!(is_alive(&instance["pid"]));
    assert_eq!(find_started(id).unwrap()["alive"], true);
    let text = String::from_utf8(weigh(&["servers", "list"]).stdout).unwrap();
    assert!(text.contains(instance["socket"].as_str().unwrap()), "{text}");

    let server = open(&id.parse().unwrap(), &Options::default(), &NoProgress).unwrap();
    assert!(!server.is_private() && server.label().contains(id), "{}", server.label());
    assert_eq!(server.read_settings(&["sort_buffer_size"]).unwrap()["sort_buffer_size"], "1048576");
    assert_eq!(Value::from(server.pid().unwrap()), instance["pid"]);
    drop(server);
    assert!(is_alive(&instance["pid"]), "whoever attaches does not end it");

    json(&["servers", "stop", id, "--format=json"]);
    assert!(!is_alive(&instance["pid"]) && !folder.exists());
    assert!(find_started(id).is_none_or(|other| other["pid"] != instance["pid"]));
}

#[test]
fn lists_and_removes_dead_instances() {
    let instance = json(&["servers", "start", "mariadb", "--format=json", "--set=innodb_buffer_pool_size=64M"]);
    let id = instance["id"].as_str().unwrap();
    assert!(Command::new("kill").args(["-KILL", &instance["pid"].to_string()]).status().unwrap().success());
    let limit = Instant::now() + Duration::from_secs(300);
    // Its other threads may end later than the first.
    while is_alive(&instance["pid"]) || find_started(id).unwrap()["alive"] == true {
        assert!(Instant::now() < limit, "still there after its kill");
        thread::sleep(Duration::from_millis(10));
    }
    let refused = open(&id.parse().unwrap(), &Options::default(), &NoProgress).unwrap_err().to_string();
    assert!(refused.contains(&format!("weigh servers stop {id}")), "{refused}");
    json(&["servers", "stop", id, "--format=json"]);
    assert!(!Path::new(instance["folder"].as_str().unwrap()).exists());
}

#[test]
fn a_failed_start_leaves_no_instance() {
    let output = weigh(&["servers", "start", "mariadb", "--set", "no_such_setting=1"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("no_such_setting"), "{message}");
}

#[test]
fn suggests_known_names() {
    let output = weigh(&["servers", "stop", "s4000000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("s4000000"));
    let output = weigh(&["servers", "install", "mysql@5,6"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("mysql@5.6"));
}

#[test]
fn lists_installed_servers() {
    json(&["servers", "install", "mariadb@bookworm", "--format=json"]);
    let list = json(&["servers", "list", "--format=json"]);
    let catalogue = list["catalogue"].as_array().unwrap();
    let bookworm = catalogue.iter().find(|entry| entry["name"] == "mariadb@bookworm").unwrap();
    assert!(bookworm["installed"]["version"].as_str().unwrap().contains("10.11."), "{bookworm}");
}

#[test]
fn the_process_list_shows_no_password() {
    for arguments in [
        &["-h", "127.0.0.1", "-uweigh", "-phunter2"][..],
        &["-h", "127.0.0.1", "-u", "weigh", "--password=hunter2"],
        &["--server", "mysql://weigh:hunter2@127.0.0.1"],
        &["--server=h=127.0.0.1,p=hunter2,u=weigh"],
    ] {
        // A listener that accepts and never answers: while weigh waits, the test reads its
        // arguments.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port().to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_weigh"));
        let mut child =
            command.arg("bench").args(arguments).args(["-P", &port]).stderr(Stdio::piped()).spawn().unwrap();
        silent.set_nonblocking(true).unwrap();
        let connection = loop {
            match silent.accept() {
                Ok((connection, _)) => break connection,
                Err(_) => assert!(child.try_wait().unwrap().is_none(), "weigh ended without a connection"),
            }
            thread::sleep(Duration::from_millis(10));
        };
        let shown = fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
        let shown = String::from_utf8_lossy(&shown).into_owned();
        assert!(shown.contains("bench") && shown.contains(&port) && !shown.contains("hunter"), "{shown:?}");
        drop(connection);
        assert_eq!(child.wait().unwrap().code(), Some(2));
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert!(message.contains("weigh@127.0.0.1") && !message.contains("hunter"), "{message}");
    }
}

#[test]
fn bad_arguments_are_refused_without_repeating_a_password() {
    for arguments in [
        &["bench", "mysql://weigh:hunter2@db.example"][..],
        &["bench", "--server", "mysql://weigh:hunter2@db.example:x"],
        &["servers", "list", "-phunter2"],
        &["bench", "--nonsense", "-phunter2"],
    ] {
        let output = weigh(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(!message.is_empty() && !message.contains("hunter2"), "{message}");
    }
}
