//! Programs, dumps and scripts that try to reach files and sockets outside of a private server:
//! through links, or by names in the option file. By their modes every user may use these, so only
//! the confinement can keep the programs out.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use super::programs::write_program;
use super::weigh;
use crate::workspace::Workspace;

const KEY: &str = "PRIVATE-KEY\n";

/// Creates a folder that everybody may enter and write to, with the files.
fn open_folder(workspace: &Workspace, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = workspace.root().join(name);
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o666)).unwrap();
    }
    folder
}

/// Runs the program in `basedir`, which is no server.
fn bench(workspace: &Workspace, basedir: &Path, words: &[&str]) {
    let server = format!("--server={}", basedir.display());
    let finished = weigh(workspace, &[&["bench", "--quick", "--out=out", &server], words].concat());
    assert_eq!(finished.code, Some(2), "{finished}");
}

#[test]
fn links_in_a_server_folder_open_no_other_folder() {
    let workspace = Workspace::new();
    let home = open_folder(&workspace, "home", &[("key", KEY)]);
    let script = format!("{{ echo tried; cat '{}'; }} 2>&1 | \"$SAY\"", home.join("key").display());
    let (basedir, ear) = write_program(&workspace, &script);
    symlink(&home, basedir.join("share")).unwrap();
    symlink("../home", basedir.join("lib")).unwrap();
    bench(&workspace, &basedir, &[]);
    let heard = ear.heard();
    assert!(heard.contains("tried") && !heard.contains(KEY), "{heard}");
}

/// weigh itself reads these scripts, as the user who runs it.
#[test]
fn scripts_of_a_server_folder_are_files_of_it() {
    let workspace = Workspace::new();
    let home = open_folder(&workspace, "home", &[("key", KEY)]);
    let script = "case \"$*\" in *--version*) echo 'mysqld  Ver 10.5.9-MariaDB for Linux on x86_64'; exit 0;; esac\n\
                  { echo tried; cat; } | \"$SAY\"";
    let (basedir, ear) = write_program(&workspace, script);
    fs::create_dir(basedir.join("share")).unwrap();
    symlink(home.join("key"), basedir.join("share/mysql_system_tables.sql")).unwrap();
    fs::write(basedir.join("share/mysql_system_tables_data.sql"), "").unwrap();
    bench(&workspace, &basedir, &[]);
    assert_eq!(ear.heard(), "");
    fs::remove_file(basedir.join("share/mysql_system_tables.sql")).unwrap();
    fs::write(basedir.join("share/mysql_system_tables.sql"), "own script").unwrap();
    bench(&workspace, &basedir, &[]);
    assert!(ear.heard().contains("own script"), "{}", ear.heard());
}

#[test]
fn programs_connect_to_no_socket() {
    let workspace = Workspace::new();
    let folder = open_folder(&workspace, "run", &[]);
    let (stream, datagram) = (folder.join("agent"), folder.join("log"));
    let agent = UnixListener::bind(&stream).unwrap();
    let log = UnixDatagram::bind(&datagram).unwrap();
    for socket in [&stream, &datagram] {
        fs::set_permissions(socket, fs::Permissions::from_mode(0o777)).unwrap();
    }
    agent.set_nonblocking(true).unwrap();
    log.set_nonblocking(true).unwrap();
    let script = format!(
        "python3 - <<'END' 2>&1 | \"$SAY\"\nimport socket\n\
         def attempt(what):\n  try: what(); print('DONE')\n  except OSError as error: print(error.strerror)\n\
         attempt(lambda: socket.socket(socket.AF_UNIX).connect('{0}'))\n\
         attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '{1}'))\n\
         attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', '{1}'))\n\
         listener = socket.socket(socket.AF_UNIX)\nlistener.bind('own')\nlistener.listen()\nprint('listens')\nEND",
        stream.display(),
        datagram.display()
    );
    let (basedir, ear) = write_program(&workspace, &script);
    bench(&workspace, &basedir, &[]);
    let heard = ear.heard();
    assert!(heard.starts_with(&("Operation not permitted\n".repeat(3) + "listens\n")), "{heard}");
    assert!(!heard.contains("DONE") && agent.accept().is_err() && log.recv(&mut [0]).is_err(), "{heard}");
}

#[test]
fn an_option_file_opens_the_files_that_it_names_for_reading() {
    let workspace = Workspace::new();
    let home = open_folder(&workspace, "home", &[("ca.pem", "CERTIFICATE\n"), ("key", KEY), ("profile", "own\n")]);
    let at = |name: &str| home.join(name).display().to_string();
    let option_file = format!(
        "[client]\nssl-key = {}\n[mysqld]\nssl-ca = '{}'\ndatadir = {}\n",
        at("key"),
        at("ca.pem"),
        home.display()
    );
    fs::write(workspace.root().join("my.cnf"), option_file).unwrap();
    let script = format!(
        "{{ cat '{}' '{}'; echo evil >>'{}'; echo evil >>'{}'; echo evil >'{}'; }} 2>/dev/null | \"$SAY\"",
        at("ca.pem"),
        at("key"),
        at("ca.pem"),
        at("profile"),
        at("new")
    );
    let (basedir, ear) = write_program(&workspace, &script);
    bench(&workspace, &basedir, &["--defaults-file=my.cnf"]);
    // The program runs for its version without the file, and then as initialising program and
    // server.
    assert_eq!(ear.heard(), "CERTIFICATE\n".repeat(2));
    let read = |name: &str| fs::read_to_string(home.join(name)).unwrap();
    assert_eq!([read("ca.pem"), read("profile")], ["CERTIFICATE\n", "own\n"]);
    assert!(!home.join("new").exists());
}

#[test]
fn of_the_paths_of_settings_only_what_servers_write_is_writable() {
    let workspace = Workspace::new();
    let home = open_folder(&workspace, "home", &[("ca.pem", "CERTIFICATE\n"), ("slow.log", "")]);
    let import = open_folder(&workspace, "import", &[]);
    let at = |name: &str| home.join(name).display().to_string();
    let script = format!(
        "{{ cat '{0}'; echo evil >>'{0}'; echo log >>'{1}'; echo row >'{2}/row'; }} 2>/dev/null | \"$SAY\"",
        at("ca.pem"),
        at("slow.log"),
        import.display()
    );
    let (basedir, ear) = write_program(&workspace, &script);
    let set = [
        format!("--set=ssl_ca={}", at("ca.pem")),
        format!("--set=slow_query_log_file={}", at("slow.log")),
        format!("--set=secure_file_priv={}", import.display()),
    ];
    bench(&workspace, &basedir, &set.each_ref().map(String::as_str));
    assert_eq!(ear.heard(), "CERTIFICATE\n".repeat(2));
    assert_eq!(fs::read_to_string(home.join("ca.pem")).unwrap(), "CERTIFICATE\n");
    assert!(fs::read_to_string(home.join("slow.log")).unwrap().starts_with("log\n"));
    assert_eq!(fs::read_to_string(import.join("row")).unwrap(), "row\n");
}

#[test]
fn dumps_and_scripts_write_no_file_of_a_server_in_production() {
    let workspace = Workspace::new();
    let home = open_folder(&workspace, "prod", &[("ibdata1", "rows"), ("ca.pem", "")]);
    let own = home.join("ibdata1").display().to_string();
    let option_file = format!("[mysqld]\ndatadir = {0}\nslow_query_log_file = {0}/ibdata1\n", home.display());
    fs::write(workspace.root().join("my.cnf"), option_file).unwrap();
    let log = format!("SET GLOBAL general_log_file = '{own}';\nSET GLOBAL general_log = 1;\n");
    fs::write(workspace.root().join("d.sql"), format!("CREATE TABLE t (id INT PRIMARY KEY);\n{log}")).unwrap();
    fs::write(workspace.root().join("s.sql"), format!("{log}SELECT 'evil';\n")).unwrap();
    let words = ["upgrade", "--dump=d.sql", "--sql=s.sql", "--from=mariadb", "--to=mariadb", "--my-cnf=my.cnf"];
    let finished = weigh(&workspace, &words);
    assert!(matches!(finished.code, Some(0 | 1)), "{finished}");
    assert_eq!(fs::read_to_string(own).unwrap(), "rows", "{finished}");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
}

/// Statements with passwords that one server or both refuse, by errors that quote them.
const SECRETS: &str = "CREATE USER a@h IDENTIFIED VIA mysql_native_password USING PASSWORD('sekrit1');
CREATE USER b@h IDENTIFIED WITH caching_sha2_password BY 'sekrit2' REPLACE 'sekrit3' RETAIN;
SET PASSWORD FOR a@h = PASSWORD('sekrit4');
UPDATE mysql.user SET Password = PASSWORD('sekrit5') WHERE User = 'a';
INSERT INTO mysql.user (Host, User, Password) VALUES ('h', 'c', PASSWORD('sekrit6')) 'sekrit7';
GRANT ALL ON *.* TO d@h IDENTIFIED BY 'sekrit8';
CHANGE MASTER TO MASTER_HOST = 'h', MASTER_PASSWORD = 'sekrit9' 'sekrit10';
CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY 'sekrit11';
";

#[test]
fn errors_of_servers_quote_no_passwords() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("d.sql"), format!("CREATE TABLE t (id INT PRIMARY KEY);\n{SECRETS}")).unwrap();
    fs::write(workspace.root().join("s.sql"), SECRETS).unwrap();
    for format in ["text", "json", "html", "sarif", "junit"] {
        let to = ["upgrade", "--dump=d.sql", "--sql=s.sql", "--from=mariadb", "--to=mysql@sid", "--format", format];
        let finished = weigh(&workspace, &to);
        assert!(matches!(finished.code, Some(0 | 1)), "{finished}");
        assert!(!finished.to_string().contains("sekrit"), "{format}: {finished}");
    }
    for words in [&["--sql=s.sql"][..], &["--dump=d.sql", "--sql=s.sql"]] {
        let finished = weigh(&workspace, &[&["why", "--server=mysql@sid"], words].concat());
        assert!(!finished.to_string().contains("sekrit"), "{finished}");
    }
}
