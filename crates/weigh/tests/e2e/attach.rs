//! A server that is not `weigh`'s own: only schemas of a run are created there, they go again, and no password shows.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use mysql::prelude::Queryable;
use rustix::process::Signal;
use server::{Address, NoProgress, Options, Server, open};

use crate::place::{Done, ENDLESS, ENDLESS_LOADING, Place, SMALL, eventually, glob, send};
use crate::terminal::on_a_terminal;

pub const PASSWORD: &str = "Geheim-0815";
pub const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

/// A server of somebody else's, with an account that has rights on `weigh_…` schemas alone, and with a schema of that name.
pub struct Foreign(Server);

impl Foreign {
    pub fn start(spec: &str) -> Self {
        Self::start_with(spec, &[])
    }

    /// The same with settings of its own.
    fn start_with(spec: &str, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let options = Options { buffer_pool: Some(64 << 20), settings, ..Options::default() };
        let foreign = Self(open(&spec.parse().unwrap(), &options, &NoProgress).unwrap());
        foreign.run(&format!("CREATE USER bench@localhost IDENTIFIED BY '{PASSWORD}'"));
        foreign.run(r"GRANT ALL ON `weigh\_%`.* TO bench@localhost");
        foreign.run("CREATE USER reader@localhost IDENTIFIED BY ''");
        foreign.run("CREATE DATABASE weigh_mine");
        foreign.run("CREATE TABLE weigh_mine.precious (a INT)");
        foreign.run("INSERT INTO weigh_mine.precious VALUES (42)");
        foreign
    }

    pub fn run(&self, statement: &str) {
        self.0.control().unwrap().query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// Runs a statement on a connection whose session stays as long as what is returned.
    pub fn holding(&self, statement: &str) -> mysql::Conn {
        let mut conn = self.0.control().unwrap();
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        conn
    }

    /// Kills every connection of the account that has a schema of a run for its own: the load's.
    pub fn kill_load(&self) {
        let mut conn = self.0.control().unwrap();
        let of_load = r"SELECT id FROM information_schema.processlist WHERE user = 'bench' AND db LIKE 'weigh\_%'";
        let ids: Vec<u64> = conn.query(of_load).unwrap();
        for id in ids {
            // One that has ended by itself meanwhile is as good.
            let _ = conn.query_drop(format!("KILL CONNECTION {id}"));
        }
    }

    pub fn pid(&self) -> u32 {
        self.0.pid().unwrap()
    }

    /// The global value of a variable that is a number.
    pub fn variable(&self, name: &str) -> u64 {
        self.0.control().unwrap().query_first(format!("SELECT @@GLOBAL.{name}")).unwrap().unwrap()
    }

    pub fn schemas(&self) -> Vec<String> {
        self.0.control().unwrap().query(r"SHOW DATABASES LIKE 'weigh\_%'").unwrap()
    }

    /// Of `weigh_…` there is the user's own schema, whole, and nothing else.
    pub fn assert_untouched(&self) {
        assert_eq!(self.schemas(), ["weigh_mine"]);
        let kept: Option<u8> = self.0.control().unwrap().query_first("SELECT a FROM weigh_mine.precious").unwrap();
        assert_eq!(kept, Some(42));
    }

    pub fn socket(&self) -> PathBuf {
        match &self.0.endpoint().address {
            Address::Socket(path) => path.clone(),
            address => panic!("{address}"),
        }
    }

    fn bench(&self, place: &Place, size: &[&str], words: &[&str]) -> Command {
        place.bench(size, &[&["--socket", self.socket().to_str().unwrap(), "--no-defaults"], words].concat())
    }

    /// As the account with the password in the environment.
    pub fn bench_as_account(&self, place: &Place, size: &[&str], words: &[&str]) -> Child {
        let mut command = self.bench(place, size, &[&["--user=bench"], words].concat());
        command.env("MYSQL_PWD", PASSWORD).spawn().unwrap()
    }
}

fn assert_no_password(place: &Place, done: &Done) {
    assert!(!done.to_string().contains(PASSWORD), "{done}");
    for file in fs::read_dir(place.out()).unwrap() {
        let path = file.unwrap().path();
        assert!(!fs::read_to_string(&path).unwrap().contains(PASSWORD), "{}", path.display());
    }
}

/// A command that logs in with the password from some place.
type LogIn = fn(&Foreign, &Place) -> Command;

fn from_option_file(foreign: &Foreign, place: &Place) -> Command {
    let file = place.root().join("my.cnf");
    let text = format!("[client]\nuser=bench\npassword={PASSWORD}\nsocket={}\n", foreign.socket().display());
    fs::write(&file, text).unwrap();
    let mut command = place.bench(&SMALL, &ONE);
    command.arg("--host=localhost").arg("--defaults-file").arg(file);
    command
}

fn from_environment(foreign: &Foreign, place: &Place) -> Command {
    let mut command = foreign.bench(place, &SMALL, &[&["--user=bench"], &ONE[..]].concat());
    command.env("MYSQL_PWD", PASSWORD);
    command
}

fn from_option(foreign: &Foreign, place: &Place) -> Command {
    let mut command = foreign.bench(place, &SMALL, &[&["--user=bench"], &ONE[..]].concat());
    command.arg(format!("--password={PASSWORD}"));
    command
}

fn measures_and_leaves_nothing(spec: &str, log_in: &[LogIn]) {
    let foreign = Foreign::start(spec);
    for log_in in log_in {
        let place = Place::new();
        let mut child = log_in(&foreign, &place).spawn().unwrap();
        place.wait_for_blocks(&mut child);
        let arguments = fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
        assert!(!String::from_utf8_lossy(&arguments).contains(PASSWORD));
        let standing = foreign.schemas();
        let done = place.end(child);
        assert_eq!(done.code, Some(0), "{done}");
        assert!(
            standing.len() == 4
                && standing.iter().all(|name| name.starts_with("weigh_"))
                && standing.contains(&"weigh_mine".into()),
            "{standing:?}"
        );
        assert!(done.stderr.contains("creates 4 schemas named weigh_…, each with 1 table of 500 rows"), "{done}");
        assert!(done.stderr.contains(foreign.socket().to_str().unwrap()), "{done}");
        assert_no_password(&place, &done);
        foreign.assert_untouched();

        let measured = place.read();
        measured.assert_complete();
        let server = &measured.run.servers[0];
        assert!(!server.private && server.label.contains(foreign.socket().to_str().unwrap()), "{server:?}");
    }
}

#[test]
fn a_password_is_asked_for_on_the_terminal_and_does_not_show() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let bench = foreign.bench(&place, &SMALL, &[&["--user=bench", "--password"], &ONE[..]].concat());
    let mut script = on_a_terminal(&place, &bench, "");
    let mut child = script.stdin(Stdio::piped()).spawn().unwrap();
    let mut shown = Vec::new();
    let terminal = child.stdout.as_mut().unwrap();
    while !shown.ends_with(b"Enter password: ") {
        let mut byte = [0];
        terminal.read_exact(&mut byte).unwrap();
        shown.push(byte[0]);
    }
    let is_weigh =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(bench.get_program()));
    let weigh = place.processes().into_iter().find(is_weigh).unwrap();
    let terminal = fs::read_link(format!("/proc/{weigh}/fd/1")).unwrap();
    eventually("what is typed does not show", || {
        let settings = Command::new("stty").arg("-aF").arg(&terminal).output().unwrap();
        String::from_utf8(settings.stdout).unwrap().contains(" -echo ")
    });
    let mut keyboard = child.stdin.take().unwrap();
    writeln!(keyboard, "{PASSWORD}").unwrap();
    let done = place.end(child);
    drop(keyboard);
    assert_eq!(done.code, Some(0), "{done}");
    assert_no_password(&place, &done);
    foreign.assert_untouched();
}

#[test]
fn to_mariadb() {
    measures_and_leaves_nothing("mariadb", &[from_option_file, from_environment, from_option]);
}

#[test]
fn to_mysql() {
    measures_and_leaves_nothing("mysql@sid", &[from_environment]);
}

#[test]
fn sides_take_turns_there_too_and_what_limits_precision_is_told() {
    let foreign = Foreign::start("mariadb");
    // Without its own number of connections.
    let size = [&SMALL[..1], &SMALL[2..]].concat();
    let cores = std::thread::available_parallelism().unwrap().get() as u32;
    let more = format!("--threads={}", cores.max(2));
    for (words, pinned) in [(&[][..], false), (&["--pin-server"][..], true)] {
        let place = Place::new();
        let words = [&ONE[..], words, &[&more]].concat();
        let done = place.end(foreign.bench_as_account(&place, &size, &words));
        assert_eq!(done.code, Some(0), "{done}");
        assert!(done.stdout.contains("of this one start of it"), "{done}");
        assert_eq!(done.stdout.contains("--pin-server binds the threads"), !pinned, "{done}");
        let options = place.read().run.options;
        assert!(options.took_turns());
        // Threads of the same user's server may be bound.
        assert_eq!(options.pinned, pinned, "{done}");
    }
    let place = Place::new();
    let done = place.end(foreign.bench_as_account(&place, &size, &ONE));
    assert_eq!(place.read().run.conditions[0].threads, (cores / 2).clamp(1, 16), "{done}");
    assert!(!done.stdout.contains("lets share a core"), "{done}");
}

#[test]
fn a_signal_leaves_nothing_there() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut child = foreign.bench_as_account(&place, &ENDLESS, &ONE);
    place.wait_for_blocks(&mut child);
    send(Signal::INT, child.id());
    let done = place.end(child);
    assert_eq!(done.code, Some(130), "{done}");
    foreign.assert_untouched();

    let place = Place::new();
    let child = foreign.bench_as_account(&place, &ENDLESS_LOADING, &[]);
    eventually("a schema stands", || foreign.schemas().len() > 1);
    send(Signal::TERM, child.id());
    let done = place.end(child);
    assert_eq!(done.code, Some(143), "{done}");
    foreign.assert_untouched();
}

#[test]
fn an_account_without_the_rights_is_told_which() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut command = foreign.bench(&place, &SMALL, &["--user=reader"]);
    let done = place.end(command.spawn().unwrap());
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done}");
    assert!(done.stderr.contains(r"GRANT ALL ON `weigh\_%`.*") && done.stderr.contains("reader"), "{done}");
    foreign.assert_untouched();
}

#[test]
fn a_server_that_is_read_only_says_so() {
    for spec in ["mariadb", "mysql@5.6"] {
        let foreign = Foreign::start(spec);
        foreign.run("SET GLOBAL read_only = 1");
        let place = Place::new();
        let done = place.end(foreign.bench_as_account(&place, &SMALL, &ONE));
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done}");
        assert!(done.stderr.contains("read-only") && done.stderr.contains("the primary"), "{done}");
        foreign.assert_untouched();
    }
}

#[test]
fn a_server_that_dies_is_told_with_what_stays_there() {
    let foreign = Foreign::start("mariadb");
    let place = Place::new();
    let mut child = foreign.bench_as_account(&place, &ENDLESS, &ONE);
    place.wait_for_blocks(&mut child);
    send(Signal::KILL, foreign.0.pid().unwrap());
    let done = place.end(child);
    assert_eq!(done.code, Some(2), "{done}");
    let socket = foreign.socket();
    let weigh: Vec<&str> = done.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect();
    assert!(weigh.len() == 1 && weigh[0].contains(socket.to_str().unwrap()), "{done}");
    assert!(done.stderr.contains("still has schemas of this run") && done.stderr.contains("weigh_marker"), "{done}");
    assert!(done.stdout.contains("oltp_point_select"), "{done}");
    assert!(!place.read().blocks.is_empty());
}

/// MariaDB's plugins, which Debian has in another package than the server: that package's, unpacked into a folder.
fn plugins_of_mariadb(folder: &Path) -> PathBuf {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    for part in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let (state, cache) = (folder.join("state"), folder.join("cache"));
    let state = format!("-oDir::State={}", state.display());
    let cache = format!("-oDir::Cache={}", cache.display());
    let own = ["-q", "-oAPT::Sandbox::User=root", &state, &cache];
    run("apt-get", &[&own[..], &["update"]].concat());
    run("apt-get", &[&own[..], &["download", "mariadb-server"]].concat());
    let package = glob(folder, &["mariadb-server_"]).remove(0);
    run("dpkg-deb", &["-x", package.to_str().unwrap(), "root"]);
    folder.join("root/usr/lib/mysql/plugin")
}

#[test]
fn an_account_of_mariadbs_ed25519_logs_in() {
    let package = tempfile::tempdir().unwrap();
    let plugins = plugins_of_mariadb(package.path());
    let foreign = Foreign::start_with("mariadb", &[("plugin-dir", plugins.to_str().unwrap())]);
    foreign.run("INSTALL SONAME 'auth_ed25519'");
    foreign.run(&format!("CREATE USER modern@localhost IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')"));
    foreign.run(r"GRANT ALL ON `weigh\_%`.* TO modern@localhost");
    let place = Place::new();
    // Many logins: a nonce in 256 ends with a zero, which the libraries below take for its end.
    let words = [&["--user=modern", "--threads=24"], &ONE[..]].concat();
    let done = place.end(foreign.bench(&place, &SMALL, &words).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    assert_no_password(&place, &done);
    place.read().assert_complete();
    let socket = foreign.socket();
    let wrong = ["--user=modern", "--socket", socket.to_str().unwrap(), "--password=falsch"];
    refused(&wrong, &["modern", "Access denied"]);
    foreign.assert_untouched();
}

/// `root@localhost` of Debian's own MariaDB is such an account: no password, the server asks the kernel who is at the socket's other end.
#[test]
fn an_account_of_the_operating_system_logs_in() {
    let own = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let own = own.trim();
    let mariadb = [
        format!("CREATE USER IF NOT EXISTS {own}@localhost"),
        format!("ALTER USER {own}@localhost IDENTIFIED VIA unix_socket"),
    ];
    let mysql = [
        "INSTALL PLUGIN auth_socket SONAME 'auth_socket.so'".to_owned(),
        format!("CREATE USER person@localhost IDENTIFIED WITH auth_socket AS '{own}'"),
    ];
    for (server, user, create) in [("mariadb", own, mariadb), ("mysql@sid", "person", mysql)] {
        let foreign = Foreign::start(server);
        create.iter().for_each(|statement| foreign.run(statement));
        foreign.run(&format!(r"GRANT ALL ON `weigh\_%`.* TO {user}@localhost"));
        let place = Place::new();
        let words = [&["--user", user], &ONE[..]].concat();
        let done = place.end(foreign.bench(&place, &SMALL, &words).spawn().unwrap());
        assert_eq!(done.code, Some(0), "{server}: {done}");
        place.read().assert_complete();
        foreign.assert_untouched();
    }
}

#[test]
fn an_account_of_a_plugin_that_weigh_does_not_speak_is_told_which_it_does() {
    let foreign = Foreign::start("mysql@5.6");
    foreign.run("CREATE USER old@localhost IDENTIFIED WITH sha256_password");
    let socket = foreign.socket();
    let words = ["--user=old", "--socket", socket.to_str().unwrap(), "--password=falsch"];
    refused(&words, &["logs in by sha256_password", "mysql_native_password", "ALTER USER"]);
    foreign.assert_untouched();
}

/// What an attempt to attach is refused with, without a password in it.
fn refused(words: &[&str], with: &[&str]) {
    let place = Place::new();
    let done = place.run(&[&["--no-defaults", "--user=bench"], words].concat());
    assert!(!done.to_string().contains(PASSWORD), "{done}");
    done.refuses_with(with);
    assert!(!place.out().exists());
}

#[test]
fn a_wrong_password_and_a_dead_address() {
    let foreign = Foreign::start("mariadb");
    let socket = foreign.socket();
    let socket = socket.to_str().unwrap();
    refused(&["--socket", socket, "--password=falsch"], &["bench", socket, "Access denied", "--password"]);
    refused(&["--socket", socket], &["bench", socket, "Access denied", "using password: NO"]);
    let gone = Path::new(socket).with_file_name("gone.sock");
    refused(&["--socket", gone.to_str().unwrap()], &[gone.to_str().unwrap(), "--socket"]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    refused(&["--host=127.0.0.1", "--port", &closed], &[&format!("127.0.0.1:{closed}"), "nothing listens there"]);
    refused(&["--host=no.such.host.invalid"], &["no.such.host.invalid", "host name is unknown"]);
    let url = format!("--server=mysql://bench:{PASSWORD}@127.0.0.1:{closed}/");
    refused_url(&url, &closed);
    foreign.assert_untouched();
}

fn refused_url(url: &str, port: &str) {
    let place = Place::new();
    let done = place.run(&["--no-defaults", url]);
    assert!(!done.to_string().contains(PASSWORD), "{done}");
    done.refuses_with(&[&format!("bench@127.0.0.1:{port}")]);
}
