//! Statements of strangers that make a private server read, write and connect outside its
//! folder. As root, the server has a user of its own; the walls are the same.

mod common;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::{Duration, Instant};

use common::options;
use mysql::prelude::Queryable;
use server::{Conn, NoProgress, Options, Setting, open};

/// Longest time until a replica reports that it cannot connect.
const PATIENCE: Duration = Duration::from_secs(120);

fn run_one_of(conn: &mut Conn, statements: &[String]) -> Vec<mysql::Row> {
    let mut errors = Vec::new();
    for statement in statements {
        match conn.query(statement) {
            Ok(rows) => return rows,
            Err(error) => errors.push(error),
        }
    }
    panic!("{statements:?}: {errors:?}")
}

/// Makes the server a replica of `port`. Returns the error of its connection.
fn replicate(conn: &mut Conn, port: u16) -> String {
    let change = |command: &str, from: &str| {
        format!(
            "{command} TO {from}_HOST = '127.0.0.1', {from}_PORT = {port}, {from}_USER = 'x', {from}_PASSWORD = 'x'"
        )
    };
    run_one_of(conn, &[change("CHANGE REPLICATION SOURCE", "SOURCE"), change("CHANGE MASTER", "MASTER")]);
    run_one_of(conn, &["START REPLICA".to_owned(), "START SLAVE".to_owned()]);
    let begun = Instant::now();
    loop {
        let rows = run_one_of(conn, &["SHOW REPLICA STATUS".to_owned(), "SHOW SLAVE STATUS".to_owned()]);
        let error = rows[0].get_opt::<Option<String>, _>("Last_IO_Error").and_then(Result::ok).flatten();
        match error.filter(|error| !error.is_empty()) {
            Some(error) => return error,
            None => assert!(begun.elapsed() < PATIENCE, "no error: {:?}", rows[0]),
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn statements_reach_nothing_outside_the_folder() {
    let folder = common::open_folder();
    let outside = folder.path();
    fs::set_permissions(outside, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    // The setting is the second wall; here it is off.
    let settings = [("server_id", "1"), ("secure_file_priv", "")];
    let settings = settings.map(|(name, value)| Setting::known(name, value)).into();
    let options = Options { settings, ..options() };
    for name in ["mariadb", "mariadb@10.1", "mysql@5.6", "mysql@8.0", "mysql@sid"] {
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.connect().unwrap();
        let own = server.temporary_folder().unwrap();
        let place = |folder: &std::path::Path, file: &str| folder.join(file).display().to_string();
        conn.query_drop("CREATE DATABASE d").unwrap();
        conn.query_drop("CREATE TABLE d.t (s VARCHAR(99))").unwrap();

        conn.query_drop(format!("SELECT 'own' INTO OUTFILE '{}'", place(&own, "o"))).unwrap();
        let read = |conn: &mut Conn, file: &str| -> Option<Vec<u8>> {
            conn.query_first::<Option<Vec<u8>>, _>(format!("SELECT LOAD_FILE('{file}')")).unwrap().flatten()
        };
        assert_eq!(read(&mut conn, &place(&own, "o")).as_deref(), Some(&b"own\n"[..]), "{name}");
        for file in [place(outside, "secret"), "/etc/passwd".to_owned()] {
            assert_eq!(read(&mut conn, &file), None, "{name}: {file}");
            conn.query_drop(format!("LOAD DATA INFILE '{file}' INTO TABLE d.t")).unwrap_err();
        }
        conn.query_drop(format!("SELECT 'x' INTO OUTFILE '{}'", place(outside, "o"))).unwrap_err();
        // Servers accept the name of a log file, or refuse it; none may write it.
        let _ = conn.query_drop(format!("SET GLOBAL general_log_file = '{}'", place(outside, "log")));
        let _ = conn.query_drop("SET GLOBAL general_log = 1");
        conn.query_drop("SELECT 'logged'").unwrap();
        let files: Vec<_> = fs::read_dir(outside).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, ["secret"], "{name}");

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let error = replicate(&mut conn, listener.local_addr().unwrap().port());
        assert!(listener.accept().is_err(), "{name} connected: {error}");
        server.stop().unwrap();
    }
}

#[test]
fn statements_read_and_write_files_of_the_servers_own_folder_only() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = common::private(name);
        let own = server.temporary_folder().unwrap();
        let settings = server.read_settings(&["secure_file_priv"]).unwrap();
        let is_own = settings["secure_file_priv"].trim_end_matches('/') == own.to_str().unwrap();
        assert!(is_own, "{name}: {settings:?}");
        assert!(!server.read_changed_settings().unwrap().unwrap_or_default().contains_key("secure_file_priv"));
    }
}
