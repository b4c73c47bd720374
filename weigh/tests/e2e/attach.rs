//! Attached servers: weigh creates only schemas of a run there, drops them, and shows no password.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use mysql::prelude::Queryable;
use rustix::process::Signal;
use server::{Address, NoProgress, Options, Server, open};

use crate::terminal::on_a_terminal;
use crate::workspace::{
    ENDLESS, ENDLESS_LOADING, Finished, SMALL, Workspace, eventually, find_by_prefixes, retry, send,
};

pub const PASSWORD: &str = "Geheim-0815";
pub const ONE: [&str; 4] = ["-c", "utf8mb4_bin", "-w", "oltp_point_select"];

/// An attached server. The account `bench` has rights on `weigh_…` schemas only. The schema
/// `weigh_mine` belongs to the user.
pub struct Foreign(Server);

impl Foreign {
    pub fn start(spec: &str) -> Self {
        Self::start_with(spec, &[])
    }

    pub fn start_with(spec: &str, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| format!("{name}={value}").parse().unwrap()).collect();
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
        self.0.connect().unwrap().query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// Returns the first column of a query.
    pub fn column(&self, query: &str) -> Vec<String> {
        self.0.connect().unwrap().query(query).unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Runs a statement, and keeps its session until the returned connection is dropped.
    pub fn hold_session(&self, statement: &str) -> server::Conn {
        let mut conn = self.0.connect().unwrap();
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        conn
    }

    /// Whether a session of `bench` runs a statement like a pattern.
    pub fn is_running(&self, pattern: &str) -> bool {
        let query = format!(
            "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'bench' AND info LIKE '{pattern}'"
        );
        self.0.connect().unwrap().query_first::<u64, _>(query).unwrap() > Some(0)
    }

    /// Kills the connections of the load: those of `bench` with a schema of a run.
    pub fn kill_load(&self) {
        let mut conn = self.0.connect().unwrap();
        let load_connections =
            r"SELECT id FROM information_schema.processlist WHERE user = 'bench' AND db LIKE 'weigh\_%'";
        let ids: Vec<u64> = conn.query(load_connections).unwrap();
        for id in ids {
            // The connection may have ended already.
            let _ = conn.query_drop(format!("KILL CONNECTION {id}"));
        }
    }

    pub fn identity(&self) -> String {
        self.0.read_identity().unwrap().unwrap()
    }

    pub fn pid(&self) -> u32 {
        self.0.pid().unwrap()
    }

    pub fn variable(&self, name: &str) -> u64 {
        self.0.connect().unwrap().query_first(format!("SELECT @@GLOBAL.{name}")).unwrap().unwrap()
    }

    /// Returns a status counter of all sessions.
    fn status(&self, name: &str) -> String {
        let row: Option<(String, String)> =
            self.0.connect().unwrap().query_first(format!("SHOW GLOBAL STATUS LIKE '{name}'")).unwrap();
        row.unwrap().1
    }

    pub fn schemas(&self) -> Vec<String> {
        self.0.connect().unwrap().query(r"SHOW DATABASES LIKE 'weigh\_%'").unwrap()
    }

    /// Asserts that `weigh_mine` is unchanged, and the only `weigh_…` schema.
    pub fn assert_untouched(&self) {
        assert_eq!(self.schemas(), ["weigh_mine"]);
        let kept: Option<u8> = self.0.connect().unwrap().query_first("SELECT a FROM weigh_mine.precious").unwrap();
        assert_eq!(kept, Some(42));
    }

    pub fn socket(&self) -> PathBuf {
        match &self.0.endpoint().address {
            Address::Socket(path) => path.clone(),
            address => panic!("{address}"),
        }
    }

    fn bench(&self, workspace: &Workspace, size: &[&str], words: &[&str]) -> Command {
        workspace.bench(size, &[&["--socket", self.socket().to_str().unwrap(), "--no-defaults"], words].concat())
    }

    /// Runs a benchmark as `bench`, with the password in the environment.
    pub fn bench_as_account(&self, workspace: &Workspace, size: &[&str], words: &[&str]) -> Child {
        let mut command = self.bench(workspace, size, &[&["--user=bench"], words].concat());
        command.env("MYSQL_PWD", PASSWORD).spawn().unwrap()
    }
}

fn assert_no_password(workspace: &Workspace, finished: &Finished) {
    assert!(!finished.to_string().contains(PASSWORD), "{finished}");
    for file in fs::read_dir(workspace.out()).unwrap() {
        let path = file.unwrap().path();
        assert!(!fs::read_to_string(&path).unwrap().contains(PASSWORD), "{}", path.display());
    }
}

/// Makes a command that logs in, with the password from one source.
type LogIn = fn(&Foreign, &Workspace) -> Command;

fn from_option_file(foreign: &Foreign, workspace: &Workspace) -> Command {
    let file = workspace.root().join("my.cnf");
    let text = format!("[client]\nuser=bench\npassword={PASSWORD}\nsocket={}\n", foreign.socket().display());
    fs::write(&file, text).unwrap();
    let mut command = workspace.bench(&SMALL, &ONE);
    command.arg("--host=localhost").arg("--defaults-file").arg(file);
    command
}

fn from_environment(foreign: &Foreign, workspace: &Workspace) -> Command {
    let mut command = foreign.bench(workspace, &SMALL, &[&["--user=bench"], &ONE[..]].concat());
    command.env("MYSQL_PWD", PASSWORD);
    command
}

fn from_option(foreign: &Foreign, workspace: &Workspace) -> Command {
    let mut command = foreign.bench(workspace, &SMALL, &[&["--user=bench"], &ONE[..]].concat());
    command.arg(format!("--password={PASSWORD}"));
    command
}

/// The collations of a running server are known only once weigh is connected.
#[test]
fn too_little_time_is_refused_before_rows_are_loaded() {
    let (foreign, workspace) = (Foreign::start("mariadb"), Workspace::new());
    let loaded = || foreign.status("Com_create_table");
    let before = loaded();
    let words = ["--user=root", "--quick", "--max-time=5s", "--threads=1"];
    workspace
        .wait_for_end(foreign.bench(&workspace, &[], &words).spawn().unwrap())
        .refuses_with(&["--max-time 5 s is too short", "s of load at least"]);
    assert_eq!(loaded(), before, "no table was created");
    assert!(!workspace.out().exists());
    foreign.assert_untouched();
}

fn measures_and_leaves_nothing(spec: &str, log_in: &[LogIn]) {
    let foreign = Foreign::start(spec);
    for log_in in log_in {
        // The run may be over before a busy machine looks at it.
        retry(|| measure_and_leave_nothing(&foreign, *log_in));
    }
}

fn measure_and_leave_nothing(foreign: &Foreign, log_in: LogIn) {
    let workspace = Workspace::new();
    let mut child = log_in(foreign, &workspace).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    // Stopped, so that the run does not end meanwhile.
    send(Signal::STOP, child.id());
    let arguments = fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
    let standing = foreign.schemas();
    send(Signal::CONT, child.id());
    assert!(!String::from_utf8_lossy(&arguments).contains(PASSWORD));
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(
        standing.len() == 4
            && standing.iter().all(|name| name.starts_with("weigh_"))
            && standing.contains(&"weigh_mine".into()),
        "{standing:?}"
    );
    assert!(finished.stderr.contains("creates 4 schemas named weigh_…, each with 1 table of 500 rows"), "{finished}");
    assert!(finished.stderr.contains(foreign.socket().to_str().unwrap()), "{finished}");
    assert_no_password(&workspace, &finished);
    foreign.assert_untouched();

    let measured = workspace.read();
    measured.assert_complete();
    let server = &measured.run.servers[0];
    assert!(!server.private && server.label.contains(foreign.socket().to_str().unwrap()), "{server:?}");
}

#[test]
fn prompts_for_a_password_on_the_terminal() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    let bench = foreign.bench(&workspace, &SMALL, &[&["--user=bench", "--password"], &ONE[..]].concat());
    let mut script = on_a_terminal(&workspace, &bench, "");
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
    let weigh = workspace.processes().into_iter().find(is_weigh).unwrap();
    let terminal = fs::read_link(format!("/proc/{weigh}/fd/1")).unwrap();
    eventually("what is typed does not show", || {
        let settings = Command::new("stty").arg("-aF").arg(&terminal).output().unwrap();
        String::from_utf8(settings.stdout).unwrap().contains(" -echo ")
    });
    let mut keyboard = child.stdin.take().unwrap();
    writeln!(keyboard, "{PASSWORD}").unwrap();
    let finished = workspace.wait_for_end(child);
    drop(keyboard);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_no_password(&workspace, &finished);
    foreign.assert_untouched();
}

#[test]
fn attaches_to_mariadb() {
    measures_and_leaves_nothing("mariadb", &[from_option_file, from_environment, from_option]);
}

#[test]
fn attaches_to_mysql() {
    measures_and_leaves_nothing("mysql@sid", &[from_environment]);
}

#[test]
fn attached_servers_take_turns_and_report_limits_of_precision() {
    retry(|| {
        let foreign = Foreign::start("mariadb");
        // SMALL without its number of connections.
        let size = [&SMALL[..1], &SMALL[2..]].concat();
        let cores = std::thread::available_parallelism().unwrap().get() as u32;
        let more = format!("--threads={}", cores.max(2));
        for (words, pinned) in [(&[][..], false), (&["--pin-server"][..], true)] {
            let workspace = Workspace::new();
            let words = [&ONE[..], words, &[&more]].concat();
            let finished = workspace.wait_for_end(foreign.bench_as_account(&workspace, &size, &words));
            assert_eq!(finished.code, Some(0), "{finished}");
            assert!(finished.stdout.contains("cover this one start of the server"), "{finished}");
            assert_eq!(finished.stdout.contains("--pin-server binds the threads"), !pinned, "{finished}");
            let options = workspace.read().run.options;
            assert!(options.took_turns());
            // Threads can be bound if the server belongs to the same user.
            assert_eq!(options.pinned, pinned, "{finished}");
        }
        let workspace = Workspace::new();
        let finished = workspace.wait_for_end(foreign.bench_as_account(&workspace, &size, &ONE));
        assert_eq!(workspace.read().run.conditions[0].threads, (cores / 2).clamp(1, 16), "{finished}");
        assert!(!finished.stdout.contains("lets share a core"), "{finished}");
    });
}

#[test]
fn a_signal_leaves_no_schema() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    let mut child = foreign.bench_as_account(&workspace, &ENDLESS, &ONE);
    workspace.wait_for_blocks(&mut child);
    send(Signal::INT, child.id());
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(130), "{finished}");
    foreign.assert_untouched();

    let workspace = Workspace::new();
    let child = foreign.bench_as_account(&workspace, &ENDLESS_LOADING, &[]);
    eventually("a schema stands", || foreign.schemas().len() > 1);
    send(Signal::TERM, child.id());
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(143), "{finished}");
    foreign.assert_untouched();

    // A closed terminal sends SIGHUP, and so does its shell. The first signal may arrive while the
    // schema is created.
    for _ in 0..3 {
        let workspace = Workspace::new();
        let bench = foreign.bench(&workspace, &ENDLESS_LOADING, &["--user=bench"]);
        // SIGHUP is ignored if these tests run under nohup.
        let mut reset = Command::new("env");
        reset.arg("--default-signal=HUP").arg(bench.get_program()).args(bench.get_args());
        workspace.set_up(&mut reset);
        let child = reset.env("MYSQL_PWD", PASSWORD).spawn().unwrap();
        eventually("a schema stands", || foreign.schemas().len() > 1);
        send(Signal::HUP, child.id());
        thread::sleep(Duration::from_millis(30));
        send(Signal::HUP, child.id());
        let finished = workspace.wait_for_end(child);
        assert_eq!(finished.code, Some(129), "{finished}");
        foreign.assert_untouched();
    }
}

#[test]
fn names_missing_rights() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    let mut command = foreign.bench(&workspace, &SMALL, &["--user=reader"]);
    let finished = workspace.wait_for_end(command.spawn().unwrap());
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished}");
    assert!(finished.stderr.contains(r"GRANT ALL ON `weigh\_%`.*") && finished.stderr.contains("reader"), "{finished}");
    foreign.assert_untouched();
}

#[test]
fn reports_read_only_servers() {
    for spec in ["mariadb", "mysql@5.6"] {
        let foreign = Foreign::start(spec);
        foreign.run("SET GLOBAL read_only = 1");
        let workspace = Workspace::new();
        let finished = workspace.wait_for_end(foreign.bench_as_account(&workspace, &SMALL, &ONE));
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished}");
        assert!(finished.stderr.contains("read-only") && finished.stderr.contains("the primary"), "{finished}");
        foreign.assert_untouched();
    }
}

#[test]
fn reports_dead_servers_with_leftover_schemas() {
    let foreign = Foreign::start("mariadb");
    let workspace = Workspace::new();
    let mut child = foreign.bench_as_account(&workspace, &ENDLESS, &ONE);
    workspace.wait_for_blocks(&mut child);
    send(Signal::KILL, foreign.0.pid().unwrap());
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(2), "{finished}");
    let socket = foreign.socket();
    let weigh: Vec<&str> = finished.stderr.lines().filter(|line| line.starts_with("weigh: ")).collect();
    assert!(weigh.len() == 1 && weigh[0].contains(socket.to_str().unwrap()), "{finished}");
    assert!(
        finished.stderr.contains("still has schemas of this run") && finished.stderr.contains("weigh_marker"),
        "{finished}"
    );
    assert!(finished.stdout.contains("oltp_point_select"), "{finished}");
    assert!(!workspace.read().blocks.is_empty());
}

/// Unpacks MariaDB's plugins, which Debian ships in a package apart from the server.
fn unpack_mariadb_plugins(folder: &Path) -> PathBuf {
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
    let package = find_by_prefixes(folder, &["mariadb-server_"]).remove(0);
    run("dpkg-deb", &["-x", package.to_str().unwrap(), "root"]);
    folder.join("root/usr/lib/mysql/plugin")
}

#[test]
fn logs_in_with_ed25519() {
    let package = tempfile::tempdir().unwrap();
    let plugins = unpack_mariadb_plugins(package.path());
    let foreign = Foreign::start_with("mariadb", &[("plugin-dir", plugins.to_str().unwrap())]);
    foreign.run("INSTALL SONAME 'auth_ed25519'");
    foreign.run(&format!("CREATE USER modern@localhost IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')"));
    foreign.run(r"GRANT ALL ON `weigh\_%`.* TO modern@localhost");
    let workspace = Workspace::new();
    // Many logins, because one nonce in 256 ends with a zero byte, which a library could take for
    // its end.
    let words = [&["--user=modern", "--threads=24"], &ONE[..]].concat();
    let finished =
        workspace.wait_for_end(foreign.bench(&workspace, &SMALL, &words).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_no_password(&workspace, &finished);
    workspace.read().assert_complete();
    let socket = foreign.socket();
    let wrong = ["--user=modern", "--socket", socket.to_str().unwrap(), "--password=falsch"];
    assert_refused(&wrong, &["modern", "Access denied"]);
    foreign.assert_untouched();
}

/// `root@localhost` of Debian's MariaDB is such an account: no password; the server asks the kernel
/// for the user of the socket's client.
#[test]
fn logs_in_with_unix_socket() {
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
        // A private server reads the paths of its settings besides its own files. The plugins look
        // the names of users up.
        let foreign = Foreign::start_with(server, &[("report_host", "/etc/passwd")]);
        create.iter().for_each(|statement| foreign.run(statement));
        foreign.run(&format!(r"GRANT ALL ON `weigh\_%`.* TO {user}@localhost"));
        let workspace = Workspace::new();
        let words = [&["--user", user], &ONE[..]].concat();
        let finished = workspace.wait_for_end(foreign.bench(&workspace, &SMALL, &words).spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{server}: {finished}");
        workspace.read().assert_complete();
        foreign.assert_untouched();
    }
}

#[test]
fn lists_supported_authentication_plugins() {
    let foreign = Foreign::start("mysql@5.6");
    foreign.run("CREATE USER old@localhost IDENTIFIED WITH sha256_password");
    let socket = foreign.socket();
    let words = ["--user=old", "--socket", socket.to_str().unwrap(), "--password=falsch"];
    assert_refused(&words, &["logs in by sha256_password", "mysql_native_password", "ALTER USER"]);
    foreign.assert_untouched();
}

/// Asserts that an attempt to attach is refused with `with`, and without a password.
fn assert_refused(words: &[&str], with: &[&str]) {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&[&["--no-defaults", "--user=bench"], words].concat());
    assert!(!finished.to_string().contains(PASSWORD), "{finished}");
    finished.refuses_with(with);
    assert!(!workspace.out().exists());
}

#[test]
fn rejects_wrong_password_and_dead_address() {
    let foreign = Foreign::start("mariadb");
    let socket = foreign.socket();
    let socket = socket.to_str().unwrap();
    assert_refused(&["--socket", socket, "--password=falsch"], &["bench", socket, "Access denied", "--password"]);
    assert_refused(&["--socket", socket], &["bench", socket, "Access denied", "using password: NO"]);
    let gone = Path::new(socket).with_file_name("gone.sock");
    assert_refused(&["--socket", gone.to_str().unwrap()], &[gone.to_str().unwrap(), "--socket"]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    assert_refused(
        &["--host=127.0.0.1", "--port", &closed],
        &[&format!("127.0.0.1:{closed}"), "nothing listens there"],
    );
    assert_refused(&["--host=no.such.host.invalid"], &["no.such.host.invalid", "host name is unknown"]);
    let url = format!("--server=mysql://bench:{PASSWORD}@127.0.0.1:{closed}/");
    assert_refused_url(&url, &closed);
    foreign.assert_untouched();
}

fn assert_refused_url(url: &str, port: &str) {
    let workspace = Workspace::new();
    let finished = workspace.run_small_bench(&["--no-defaults", url]);
    assert!(!finished.to_string().contains(PASSWORD), "{finished}");
    finished.refuses_with(&[&format!("bench@127.0.0.1:{port}")]);
}
