//! Definitions and statements of strangers on copies, and on servers that are not private.

use std::fs;
use std::path::Path;

use super::weigh;
use crate::attach::{Foreign, PASSWORD};
use crate::workspace::{Finished, Workspace};

fn write_workload(root: &Path, schema: &str) {
    fs::create_dir_all(root.join("statements")).unwrap();
    fs::write(root.join("workload.toml"), "format = 1\n").unwrap();
    fs::write(root.join("schema.sql"), schema).unwrap();
    fs::write(root.join("statements/s.sql"), "SELECT id FROM t").unwrap();
}

/// On a running server, an account with rights on `weigh_…` schemas only is the second wall.
fn try_second_wall(spec: &str) {
    let foreign = Foreign::start(spec);
    let workspace = Workspace::new();
    write_workload(&workspace.root().join("w"), "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9));\n");
    let socket = foreign.socket();
    let run = |account: &str, words: &[&str]| -> Finished {
        let login = ["--no-defaults", "--user", account, "--socket", socket.to_str().unwrap()];
        let sides = ["--collation=as-is,utf8mb4_bin"];
        let mut weigh = workspace.weigh(&[words, &login, &sides].concat());
        if account == "bench" {
            weigh.env("MYSQL_PWD", PASSWORD);
        }
        workspace.wait_for_end(weigh.spawn().unwrap())
    };
    let compare = ["workload", "compare", "w"];
    let bench = ["bench", "--workload=w", "--max-time=2s", "--out=refused"];
    for words in [&compare[..], &bench] {
        run("root", words).refuses_with(&["may reach more", "on *.*", "--trust", r"`weigh\_%`.*"]);
    }
    assert_eq!(run("bench", &compare).code, Some(0));
    assert_eq!(run("root", &[&compare[..], &["--trust"]].concat()).code, Some(0));
    foreign.run("GRANT SELECT ON mysql.* TO bench@localhost");
    run("bench", &compare).refuses_with(&["SELECT on mysql.*", "--trust"]);
    foreign.run("REVOKE SELECT ON mysql.* FROM bench@localhost");
    // SHOW GRANTS does not show the rights that every account has.
    foreign.run("CREATE DATABASE test");
    foreign.run("INSERT INTO mysql.db (Host, Db, User, Select_priv) VALUES ('%', 'test', '', 'Y')");
    foreign.run("FLUSH PRIVILEGES");
    run("bench", &compare).refuses_with(&["the schema test", "--trust"]);
    foreign.run("DROP DATABASE test");
    assert_eq!(run("bench", &compare).code, Some(0));
    // A folder names its server itself.
    let identity = foreign.identity();
    let manifest =
        format!("format = 1\n[origin]\ncaptured = ''\nby = ''\nschema = 's'\nseed = 1\nidentity = '{identity}'\n");
    fs::write(workspace.root().join("w/workload.toml"), manifest).unwrap();
    run("root", &compare).refuses_with(&["--here"]);
    run("root", &[&compare[..], &["--here"]].concat()).refuses_with(&["may reach more", "--trust"]);
    assert_eq!(run("bench", &[&compare[..], &["--here"]].concat()).code, Some(0));
    foreign.assert_untouched();
}

#[test]
fn workloads_run_as_an_account_of_their_own_on_mariadb() {
    try_second_wall("mariadb");
}

#[test]
fn workloads_run_as_an_account_of_their_own_on_mysql() {
    try_second_wall("mysql@sid");
}

/// Definers of a workload's programs would need an account, and give its rights.
#[test]
fn definers_of_workloads_are_left_out() {
    let workspace = Workspace::new();
    let schema = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9));\nINSERT INTO t VALUES (1, 'x');\n\
                  CREATE DEFINER=`nobody`@`example` SQL SECURITY DEFINER VIEW v AS SELECT id FROM t;\n";
    write_workload(&workspace.root().join("w"), schema);
    fs::write(workspace.root().join("w/statements/s.sql"), "SELECT id FROM v").unwrap();
    let finished =
        weigh(&workspace, &["workload", "compare", "w", "--server=mariadb", "--collation=as-is,utf8mb4_bin"]);
    assert_eq!(finished.code, Some(0), "{finished}");
}

/// A table whose files lie elsewhere.
const ELSEWHERE: &str = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci UNIQUE) \
                         ENGINE=InnoDB DATA DIRECTORY='PLACE'";
const MERGED: &str = "CREATE TABLE m (id INT) ENGINE=MERGE UNION=(o)";

/// Creates a folder that any server may write to.
fn open_folder(workspace: &Workspace, name: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let folder = workspace.root().join(name);
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// Copies on private servers are without options that reach out of the server's folder.
#[test]
fn dumps_reach_no_other_folder() {
    let workspace = Workspace::new();
    let elsewhere = open_folder(&workspace, "elsewhere");
    let table = ELSEWHERE.replace("PLACE", elsewhere.to_str().unwrap());
    fs::write(workspace.root().join("d.sql"), format!("{table};\nCREATE TABLE o (id INT) ENGINE=MyISAM;\n{MERGED};\n"))
        .unwrap();
    let statement = "SELECT s FROM t WHERE s = 'x'";
    for words in [
        &["audit", "--dump=d.sql", "--server=mariadb", "--all"][..],
        &["why", "--dump=d.sql", "--server=mariadb", statement],
        &["upgrade", "--dump=d.sql", "--from=mariadb", "--to=mariadb"],
    ] {
        let finished = weigh(&workspace, words);
        assert!(matches!(finished.code, Some(0 | 1)), "{words:?}: {finished}");
        assert!(finished.stdout.contains("DIRECTORY"), "{words:?}: {finished}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{words:?}");
    }
    let captured = weigh(&workspace, &["capture", "--dump=d.sql", "--schema=d", "--out=w"]);
    assert!(captured.stdout.contains("DATA DIRECTORY of t") && captured.stdout.contains("UNION of m"), "{captured}");
    let schema = fs::read_to_string(workspace.root().join("w/schema.sql")).unwrap();
    assert!(!schema.contains("DIRECTORY") && !schema.contains("UNION"), "{schema}");
}

/// Statements of a dump reach no file and no host.
#[test]
fn dumps_read_write_and_connect_nowhere() {
    let workspace = Workspace::new();
    let elsewhere = open_folder(&workspace, "elsewhere");
    fs::write(elsewhere.join("secret"), "swordfish").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (port, folder) = (listener.local_addr().unwrap().port(), elsewhere.display());
    let dump = format!(
        "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(99)) CHARACTER SET utf8mb4;\n\
         SELECT 'x' INTO OUTFILE '{folder}/outfile';\n\
         SET GLOBAL general_log_file = '{folder}/log';\nSET GLOBAL general_log = 1;\n\
         LOAD DATA INFILE '{folder}/secret' INTO TABLE t (s);\n\
         CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='x', MASTER_PASSWORD='x';\n\
         START SLAVE;\nDO SLEEP(1);\n"
    );
    fs::write(workspace.root().join("d.sql"), dump).unwrap();
    for words in [
        &["audit", "--dump=d.sql", "--server=mysql@8.0"][..],
        &["audit", "--dump=d.sql", "--server=mariadb"],
        &["why", "--dump=d.sql", "--server=mysql@8.0", "SELECT s FROM t WHERE s = 'x'"],
        &["upgrade", "--dump=d.sql", "--from=mysql@8.0", "--to=mysql@sid"],
    ] {
        let finished = weigh(&workspace, words);
        assert!(matches!(finished.code, Some(0..=2)), "{words:?}: {finished}");
        let files: Vec<_> = fs::read_dir(&elsewhere).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, ["secret"], "{words:?}: {finished}");
        assert!(!finished.to_string().contains("swordfish"), "{words:?}: {finished}");
        assert!(listener.accept().is_err(), "{words:?} connected");
    }
}

/// The same on copies of a running server.
#[test]
fn definitions_of_servers_reach_no_other_folder() {
    let workspace = Workspace::new();
    let elsewhere = open_folder(&workspace, "elsewhere");
    // The folder of a setting is in reach of the server.
    let foreign = Foreign::start_with("mariadb", &[("secure_file_priv", elsewhere.to_str().unwrap())]);
    foreign.run("CREATE DATABASE d");
    let table = ELSEWHERE.replace("PLACE", elsewhere.to_str().unwrap()).replace("TABLE t", "TABLE d.t");
    foreign.run(&table);
    let files = || -> Vec<_> { fs::read_dir(elsewhere.join("d")).unwrap().map(|file| file.unwrap().path()).collect() };
    let before = files();
    let socket = foreign.socket();
    let login = ["--no-defaults", "--user=root", "--schema=d", "--socket", socket.to_str().unwrap()];
    for words in
        [&["preflight", "--to=utf8mb4_unicode_ci", "--trial=mariadb"][..], &["why", "SELECT s FROM t WHERE s = 'x'"]]
    {
        let finished = weigh(&workspace, &[words, &login].concat());
        assert!(matches!(finished.code, Some(0 | 1)), "{words:?}: {finished}");
        assert!(format!("{finished}").contains("DIRECTORY"), "{words:?}: {finished}");
        assert_eq!(files(), before, "{words:?}");
    }
}
