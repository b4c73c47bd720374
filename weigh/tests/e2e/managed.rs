//! Commands on a managed server, simulated by an account with some of the rights that RDS, Aurora
//! and Cloud SQL give to their main account. It has no SUPER, and cannot read the schema mysql.

use std::path::{Path, PathBuf};

use mysql::prelude::Queryable;
use server::{Address, NoProgress, Options, Server, open};

use crate::workspace::{Finished, SMALL, Workspace};

const PASSWORD: &str = "Geheim-0815";

/// A server with a shop, and the account `manager`.
struct Managed {
    server: Server,
    socket: PathBuf,
    workspace: Workspace,
}

impl Managed {
    fn start(name: &str) -> Self {
        let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.connect().unwrap();
        for statement in [
            "CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            "CREATE TABLE shop.customers (id INT PRIMARY KEY, mail VARCHAR(80) CHARACTER SET latin1 NOT NULL, UNIQUE KEY mail (mail))",
            "INSERT INTO shop.customers VALUES (1, 'anna@example.net'), (2, 'bert@example.net')",
            &format!("CREATE USER manager@localhost IDENTIFIED BY '{PASSWORD}'"),
            "GRANT RELOAD, PROCESS, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, CREATE USER ON *.* TO manager@localhost",
            "GRANT ALL ON shop.* TO manager@localhost",
            r"GRANT ALL ON `weigh\_%`.* TO manager@localhost",
        ] {
            conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        let Address::Socket(socket) = &server.endpoint().address else { panic!() };
        let socket = socket.clone();
        Self { server, socket, workspace: Workspace::new() }
    }

    fn weigh(&self, command: &str, words: &[&str]) -> Finished {
        let login = [command, "--no-defaults", "--user=manager", "--socket", self.socket.to_str().unwrap()];
        let mut child = self.workspace.weigh(&[&login, words].concat());
        self.workspace.wait_for_end(child.env("MYSQL_PWD", PASSWORD).spawn().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn assert_works(name: &str) {
    let managed = Managed::start(name);
    let audit = managed.weigh("audit", &[]);
    assert_eq!(audit.code, Some(1), "{audit}");
    assert!(audit.stdout.contains("[column-mismatch]") || audit.stdout.contains("[legacy-charset]"), "{audit}");

    let preflight = managed.weigh("preflight", &["--schema=shop", "--to=utf8mb4_general_ci"]);
    assert_eq!(preflight.code, Some(0), "{preflight}");
    assert!(preflight.stdout.contains("✓ 1 column can be converted"), "{preflight}");

    let log = managed.path("app.sql");
    std::fs::write(&log, "SELECT id FROM customers WHERE mail = 'anna@example.net';\n").unwrap();
    let folder = managed.path("captured");
    let captured = managed.weigh("capture", &["--schema=shop", "--sql", text(&log), "--out", text(&folder)]);
    assert_eq!(captured.code, Some(0), "{captured}");
    assert!(captured.stdout.contains("1 class of statements"), "{captured}");

    let sizes = ["--collation=utf8mb4_bin", "--workload=oltp_point_select"];
    let out = managed.path("out");
    let bench = managed.weigh("bench", &[&SMALL, &sizes[..], &["--out", text(&out)]].concat());
    assert_eq!(bench.code, Some(0), "{bench}");
    assert!(bench.stdout.contains("utf8mb4_bin"), "{bench}");
    let left: Vec<String> = managed.server.connect().unwrap().query(r"SHOW DATABASES LIKE 'weigh\_%'").unwrap();
    assert!(left.is_empty(), "{left:?}");

    // Settings of a server that others own are not changed.
    managed
        .weigh("bench", &["--set=innodb_buffer_pool_size=64M"])
        .refuses_with(&["--set is for servers that weigh starts"]);
    managed.server.stop().unwrap();
}

#[test]
fn works_on_mysql_without_super() {
    assert_works("mysql@8.0");
}

#[test]
fn works_on_mariadb_without_super() {
    assert_works("mariadb@10.11");
}
