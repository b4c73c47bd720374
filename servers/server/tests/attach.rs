//! Attaching by socket, URL, DSN and option file, with TLS, and error messages.

mod common;

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use common::{options, private, socket};
use mysql::prelude::Queryable;
use server::{Endpoint, Error, Login, NoProgress, Options, Secret, Server, Spec, TlsMode, open};

fn attach(spec: &str, options: &Options) -> Result<Server, Error> {
    open(&spec.parse().unwrap(), options, &NoProgress)
}

/// Options that ignore this machine's option files.
fn options_without_files() -> Options {
    Options { login: Login { no_defaults: true, ..Login::default() }, ..options() }
}

fn message(spec: &str, options: &Options) -> String {
    let message = attach(spec, options).unwrap_err().to_string();
    assert!(!message.contains("hunter2"), "{message}");
    message
}

fn url(account: &str, socket: &Path) -> String {
    format!("mysql://{account}localhost/?socket={}", socket.display())
}

/// A private server with an account `weigh@localhost` whose password is `hunter2`.
fn with_account(name: &str) -> Server {
    let server = private(name);
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE USER weigh@localhost IDENTIFIED BY 'hunter2'").unwrap();
    server
}

#[test]
fn url_dsn_and_option_file_reach_the_same_server() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = with_account(name);
        let socket = socket(&server);
        let by_url = attach(&url("weigh:hunter2@", &socket), &options_without_files()).unwrap();
        assert_eq!((by_url.version(), by_url.is_private()), (server.version(), false));
        assert_eq!(by_url.pid(), server.pid(), "the socket's peer is the process");
        assert!(by_url.label().contains(&by_url.flavour().to_string()), "{}", by_url.label());
        assert!(by_url.label().contains(socket.to_str().unwrap()), "{}", by_url.label());
        assert!(!format!("{by_url:?}").contains("hunter2"));
        // Has no effect on an attached server.
        by_url.stop().unwrap();
        server.check_alive().unwrap();

        attach(&format!("u=weigh,p=hunter2,S={}", socket.display()), &options_without_files()).unwrap();

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.cnf");
        fs::write(&file, format!("[client]\nuser=weigh\npassword='hunter2'\nsocket={}\n", socket.display())).unwrap();
        let login = Login { defaults_file: Some(file), ..Login::default() };
        let spec = Spec::Attach(Box::default());
        let by_file = open(&spec, &Options { login, ..options() }, &NoProgress).unwrap();
        let user: Option<String> = by_file.connect().unwrap().query_first("SELECT CURRENT_USER()").unwrap();
        assert_eq!(user.as_deref(), Some("weigh@localhost"));
    }
}

#[test]
fn reports_wrong_password_without_repeating_it() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = with_account(name);
        let message = message(&url("weigh:hunter2x@", &socket(&server)), &options_without_files());
        let parts = ["weigh@", "mysqld.sock", "Access denied", "1045", "--password"];
        assert!(parts.iter().all(|part| message.contains(part)), "{name}: {message}");
    }
}

#[test]
fn distinguishes_closed_port_missing_socket_and_unknown_host() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = message(&format!("mysql://root:hunter2@{unused}"), &options_without_files());
    assert!(refused.contains(&unused.to_string()) && refused.contains("nothing listens"), "{refused}");
    let unknown = message("mysql://root:hunter2@no-such-host.invalid", &options_without_files());
    assert!(unknown.contains("no-such-host.invalid") && unknown.contains("host name is unknown"), "{unknown}");
    let absent = message(&url("root:hunter2@", Path::new("/no/such.sock")), &options_without_files());
    assert!(absent.contains("/no/such.sock") && absent.contains("running"), "{absent}");
    let folder = tempfile::tempdir().unwrap();
    let stale = folder.path().join("stale.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    let stale = message(&url("root@", &stale), &options_without_files());
    assert!(stale.contains("nothing listens"), "{stale}");
}

#[test]
fn reports_other_protocols() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            stream.unwrap().write_all(b"SSH-2.0-OpenSSH_9.2\r\n").unwrap();
        }
    });
    let message = message(&format!("mysql://root:hunter2@{address}"), &options_without_files());
    assert!(message.contains(&address.to_string()) && message.contains("MySQL or MariaDB"), "{message}");
}

/// Forwards a TCP port to a socket. Returns the port.
fn forward(socket: PathBuf) -> u16 {
    forward_from(TcpListener::bind("127.0.0.1:0").unwrap(), socket)
}

/// Listens as another user, which only root may do.
fn listen_as(user: u32) -> TcpListener {
    let listen = move || {
        rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(user)).unwrap();
        TcpListener::bind("127.0.0.1:0").unwrap()
    };
    thread::spawn(listen).join().unwrap()
}

fn forward_from(listener: TcpListener, socket: PathBuf) -> u16 {
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = UnixStream::connect(&socket) else { return };
            let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || pump(from_client, to_server, |to| drop(to.shutdown(Shutdown::Write))));
            thread::spawn(move || pump(server, client, |to: &TcpStream| drop(to.shutdown(Shutdown::Write))));
        }
    });
    port
}

fn pump<W: Write>(mut from: impl Read, mut to: W, end: impl FnOnce(&W)) {
    // Either end may close the connection at any time.
    let _ = io::copy(&mut from, &mut to);
    end(&to);
}

fn cipher(endpoint: &Endpoint) -> String {
    let spec = Spec::Attach(Box::default());
    let mut login = Login { no_defaults: true, ..Login::default() };
    let server::Address::Tcp { host, port } = &endpoint.address else { panic!() };
    login.options.host = Some(host.clone());
    login.options.port = Some(*port);
    login.options.user = Some(endpoint.user.clone());
    login.options.password = Some(endpoint.password.clone());
    login.options.ssl_mode = Some(endpoint.tls.mode);
    login.options.ssl_ca = endpoint.tls.ca.clone();
    let server = open(&spec, &Options { login, ..options() }, &NoProgress).unwrap();
    let status: Option<(String, String)> =
        server.connect().unwrap().query_first("SHOW SESSION STATUS LIKE 'Ssl_cipher'").unwrap();
    status.unwrap().1
}

#[test]
fn verifies_tls_as_requested() {
    let server = with_account("mysql@sid");
    let port = forward(socket(&server));
    let ca = socket(&server).with_file_name("data").join("ca.pem");
    let url = |host: &str, query: &str| format!("mysql://weigh:hunter2@{host}:{port}/?{query}");
    let endpoint = |mode, ca: Option<&PathBuf>| Endpoint {
        address: server::Address::Tcp { host: "127.0.0.1".into(), port },
        user: "weigh".into(),
        password: Secret::new("hunter2"),
        tls: server::Tls { mode, if_needed: false, ca: ca.cloned(), cert: None, key: None },
        timeout: server::DEFAULT_TIMEOUT,
        get_server_public_key: false,
    };
    assert_ne!(cipher(&endpoint(TlsMode::Required, None)), "");
    assert_ne!(cipher(&endpoint(TlsMode::VerifyCa, Some(&ca))), "");

    // The server's own certificate has no host name.
    let ca = ca.display();
    let unverified = message(&url("127.0.0.1", "ssl-mode=VERIFY_CA"), &options_without_files());
    assert!(unverified.contains("TLS failed") && unverified.contains("--ssl-ca"), "{unverified}");
    let other_name =
        message(&url("127.0.0.1", &format!("ssl-mode=VERIFY_IDENTITY&ssl-ca={ca}")), &options_without_files());
    assert!(other_name.contains("TLS failed") && other_name.contains("VERIFY_CA"), "{other_name}");
    let absent = message(&url("127.0.0.1", "ssl-ca=/no/ca.pem"), &options_without_files());
    assert!(absent.contains("/no/ca.pem"), "{absent}");
}

#[test]
fn reports_server_without_tls() {
    let server = with_account("mysql@5.6");
    let port = forward(socket(&server));
    let message =
        message(&format!("mysql://weigh:hunter2@127.0.0.1:{port}/?ssl-mode=REQUIRED"), &options_without_files());
    assert!(message.contains("does not offer TLS") && message.contains("DISABLED"), "{message}");
    attach(&format!("mysql://weigh:hunter2@127.0.0.1:{port}"), &options_without_files()).unwrap();
}

/// Without a mode, the login that needs TLS on this machine gets it; others don't.
#[test]
fn uses_tls_on_this_machine_if_needed() {
    let cipher = |attached: &server::Server| {
        let status: Option<(String, String)> =
            attached.connect().unwrap().query_first("SHOW SESSION STATUS LIKE 'Ssl_cipher'").unwrap();
        status.unwrap().1
    };
    let server = with_account("mysql@sid");
    let port = forward(socket(&server));
    let spec = format!("mysql://weigh:hunter2@127.0.0.1:{port}");
    assert_ne!(cipher(&attach(&spec, &options_without_files()).unwrap()), "");
    let mariadb = with_account("mariadb");
    let port = forward(socket(&mariadb));
    assert_eq!(
        cipher(&attach(&format!("mysql://weigh:hunter2@127.0.0.1:{port}"), &options_without_files()).unwrap()),
        ""
    );
}

/// Any user of this machine who listens on a port could present a certificate of theirs and receive
/// the password.
#[test]
fn uses_no_unverified_tls_on_a_strangers_port() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this test needs root");
        return;
    }
    let server = with_account("mysql@sid");
    let attach_to = |user: u32, query: &str| {
        let port = forward_from(listen_as(user), socket(&server));
        attach(&format!("mysql://weigh:hunter2@127.0.0.1:{port}/{query}"), &options_without_files())
    };
    let refused = attach_to(4321, "").unwrap_err().to_string();
    assert!(refused.contains("--ssl-mode REQUIRED") && refused.contains("a service's account"), "{refused}");
    attach_to(4321, "?ssl-mode=REQUIRED").unwrap();
    // As a server's account.
    attach_to(321, "").unwrap();
}

/// Asserts that texts of several statements fail and change nothing, and that others run.
fn assert_one_statement_per_text(attached: &Server) {
    let mut conn = attached.connect().unwrap();
    for text in ["SELECT 1; DROP DATABASE victim", "CREATE PROCEDURE d.x() BEGIN END; DROP DATABASE victim"] {
        let refusals = [
            conn.query_drop(text).unwrap_err(),
            conn.query::<mysql::Row, _>(text).unwrap_err(),
            conn.query_first::<mysql::Row, _>(text).unwrap_err(),
            conn.for_each_row(text, |_| ()).unwrap_err(),
            conn.rows(text).err().unwrap(),
            conn.query_iter(text).err().unwrap(),
        ];
        for refusal in refusals {
            assert!(matches!(&refusal, mysql::Error::MySqlError(error) if error.code == 1064), "{text}: {refusal}");
        }
    }
    assert_eq!(conn.query::<String, _>("SHOW DATABASES LIKE 'victim'").unwrap(), ["victim"]);
    conn.query_drop("DROP PROCEDURE IF EXISTS d.two").unwrap();
    conn.query_drop("CREATE PROCEDURE d.two() BEGIN SELECT ';'; SELECT 2; END").unwrap();
    let mut rows = 0;
    conn.for_each_row("CALL d.two();", |_| rows += 1).unwrap();
    assert_eq!(rows, 2);
}

#[test]
fn a_text_is_one_statement() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = with_account(name);
        let mut conn = server.connect().unwrap();
        for statement in ["CREATE DATABASE d", "CREATE DATABASE victim", "GRANT ALL ON *.* TO weigh@localhost"] {
            conn.query_drop(statement).unwrap();
        }
        assert_one_statement_per_text(&server);
        if name == "mysql@sid" {
            // The option cannot be set with TLS.
            let port = forward(socket(&server));
            let spec = format!("mysql://weigh:hunter2@127.0.0.1:{port}/?ssl-mode=REQUIRED");
            assert_one_statement_per_text(&attach(&spec, &options_without_files()).unwrap());
        }
    }
}

#[test]
fn ignores_pid_file_behind_forwarded_port() {
    // The server's pid file is readable, and names a server on this machine. Behind a port that
    // another process listens on, the file could be any.
    let server = with_account("mariadb");
    let port = forward(socket(&server));
    let attached = attach(&format!("mysql://weigh:hunter2@127.0.0.1:{port}"), &options_without_files()).unwrap();
    assert_eq!(attached.pid(), None);
}

#[test]
fn requests_no_rsa_key_without_tls_by_default() {
    let server = with_account("mysql@sid");
    let port = forward(socket(&server));
    let spec = format!("mysql://weigh:hunter2@127.0.0.1:{port}");
    let refused = message(&format!("{spec}/?ssl-mode=DISABLED"), &options_without_files());
    assert!(refused.contains("--ssl-mode") && refused.contains("--get-server-public-key"), "{refused}");
}
