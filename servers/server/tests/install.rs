//! Installing into an empty cache, and servers in tarballs and basedirs.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use common::{assert_gone, hold_command, options, private, socket};
use fetch::Origin;
use mysql::prelude::Queryable;
use server::{Flavour, NoProgress, Server, Spec, open};

fn open_and_panic(cache: &Path, spec: &str) -> Command {
    let mut command = hold_command();
    command.args([spec, "panic"]).env("WEIGH_CACHE", cache).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn concurrent_processes_install_once() {
    let cache = common::open_folder();
    let home = common::open_folder();
    let start = || open_and_panic(cache.path(), "mariadb@bookworm").env("HOME", home.path()).spawn().unwrap();
    let children = [start(), start()];
    for output in children.map(|child| child.wait_with_output().unwrap()) {
        // The panic of `hold-server … panic`: the server was ready.
        assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    }
    assert_eq!(names(&cache.path().join("servers")), ["mariadb@bookworm", "mariadb@bookworm.lock"]);
    assert_eq!(names(&cache.path().join("servers/mariadb@bookworm")), ["manifest.json", "root"]);
    assert_eq!(names(home.path()), [""; 0], "the home folder is unchanged");

    // A second start needs neither network nor tools.
    let mut again = open_and_panic(cache.path(), "mariadb@bookworm");
    let output = again.env("PATH", "/nonexistent").spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

#[test]
fn reports_missing_network_and_leaves_nothing() {
    let proxies = ["http_proxy", "https_proxy", "npm_config_proxy", "npm_config_https_proxy"];
    for spec in ["mariadb@trixie", "mysql@5.6", "mysql@5.7"] {
        let cache = common::open_folder();
        let mut command = open_and_panic(cache.path(), spec);
        command.envs(proxies.map(|name| (name, "http://127.0.0.1:9"))).env("npm_config_fetch_retries", "0");
        let output = command.output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("Check the network"), "{spec}: {message}");
        assert_eq!(names(&cache.path().join("servers")), [format!("{spec}.lock")]);
    }
}

#[test]
fn refuses_unsigned_suite_even_if_the_host_allows_it() {
    let place = common::open_folder();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let suite = place.path().join("debian/dists/trixie");
    let packages = suite.join("main/binary-amd64/Packages");
    fs::create_dir_all(packages.parent().unwrap()).unwrap();
    fs::write(&packages, "").unwrap();
    let release = "Origin: Debian\nSuite: stable\nCodename: trixie\nComponents: main\nArchitectures: amd64\n\
                   Date: Sat, 01 Nov 2025 00:00:00 UTC\nSHA256:\n \
                   e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 main/binary-amd64/Packages\n";
    fs::write(suite.join("Release"), release).unwrap();
    let (list, conf) = (place.path().join("sources.list"), place.path().join("apt.conf"));
    let mirror = place.path().join("debian");
    let source = |options: &str| format!("deb {options} copy:{} stable main\n", mirror.display());
    fs::write(
        &conf,
        format!(
            "Dir::Etc::SourceList \"{}\";\nDir::Etc::SourceParts \"/dev/null\";\nAPT::Get::AllowUnauthenticated \"true\";\n\
             Acquire::AllowInsecureRepositories \"true\";\nAcquire::AllowWeakRepositories \"true\";\n",
            list.display()
        ),
    )
    .unwrap();
    for options in ["[trusted=yes allow-insecure=yes allow-weak=yes]", ""] {
        fs::write(&list, source(options)).unwrap();
        let cache = common::open_folder();
        let output = open_and_panic(cache.path(), "mariadb@trixie").env("APT_CONFIG", &conf).output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("is not signed"), "{message}");
        assert_eq!(names(&cache.path().join("servers")), ["mariadb@trixie.lock"]);
    }
}

#[test]
fn downloads_npm_package_without_npm() {
    let (cache, place) = (common::open_folder(), common::open_folder());
    for entry in fs::read_dir("/usr/bin").unwrap().flatten().filter(|entry| entry.file_name() != "npm") {
        symlink(entry.path(), place.path().join(entry.file_name())).unwrap();
    }
    let output = open_and_panic(cache.path(), "mysql@5.6").env("PATH", place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

/// Starts an HTTP server that answers every request with a status line and body. Returns its URL.
fn answer_always(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let _ = request.by_ref().find(String::is_empty);
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    url
}

#[test]
fn maven_failures_name_repository_and_advice_and_leave_nothing() {
    for (status, body, words) in [
        ("404 Not Found", "", ["answered 404", "does not have the file"]),
        ("401 Unauthorized", "", ["answered 401", "requires a login"]),
        ("200 OK", "not a jar", ["sha256:dc49b057", "nothing of it was run"]),
    ] {
        let (url, cache) = (answer_always(status, body), common::open_folder());
        let home = common::open_folder();
        fs::create_dir(home.path().join(".m2")).unwrap();
        let settings = format!(
            "<settings><mirrors><mirror><id>x</id><mirrorOf>*</mirrorOf><url>{url}/maven/</url></mirror></mirrors></settings>"
        );
        fs::write(home.path().join(".m2/settings.xml"), settings).unwrap();
        let output = open_and_panic(cache.path(), "mysql@5.7")
            .env("HOME", home.path())
            .env_remove("MAVEN_REPOSITORY")
            .output()
            .unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        for word in words.into_iter().chain([url.as_str(), "settings.xml", "MAVEN_REPOSITORY", "mysql@5.7"]) {
            assert!(message.contains(word), "`{word}` is missing: {message}");
        }
        assert_eq!(names(&cache.path().join("servers")), ["mysql@5.7.lock"]);
    }
}

#[test]
fn a_login_in_the_url_of_the_maven_repository_is_not_printed() {
    let cache = common::open_folder();
    let mut command = open_and_panic(cache.path(), "mysql@5.7");
    let output = command.env("MAVEN_REPOSITORY", "https://me:hunter2@127.0.0.1:9/maven").output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("$MAVEN_REPOSITORY") && !message.contains("hunter2"), "{message}");
}

#[test]
fn installs_a_jar_without_apt_and_uses_libraries_of_the_host() {
    // MariaDB 11.4 needs libraries that this machine has.
    let cache = common::open_folder();
    let output = open_and_panic(cache.path(), "mariadb@11.4").env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    assert_eq!(names(&cache.path().join("servers/mariadb@11.4/root")), ["usr"]);
}

#[test]
fn a_missing_library_is_named_with_advice() {
    let cache = common::open_folder();
    let output = open_and_panic(cache.path(), "mysql@5.7").env("PATH", "/nonexistent").output().unwrap();
    // Succeeds on a machine with libaio.
    if output.status.code() != Some(101) {
        let message = stderr(&output);
        assert!(message.contains("libaio.so.1") && message.contains("package manager"), "{message}");
        assert_eq!(names(&cache.path().join("servers")), ["mysql@5.7.lock"]);
    }
}

#[test]
fn missing_apt_suggests_other_origins() {
    let cache = common::open_folder();
    let output = open_and_panic(cache.path(), "mariadb@trixie").env("PATH", "/nonexistent").output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("apt-") && message.contains("basedir") && message.contains("tarball"), "{message}");
}

#[test]
fn interrupted_installation_leaves_nothing() {
    let cache = common::open_folder();
    let mut child = open_and_panic(cache.path(), "mariadb@bookworm").spawn().unwrap();
    let partial = cache.path().join("servers/mariadb@bookworm.partial/apt/state/lists");
    common::eventually("the installation has begun", || partial.exists());
    common::send("TERM", child.id());
    child.wait().unwrap();
    assert_eq!(names(&cache.path().join("servers")), ["mariadb@bookworm.lock"]);
}

/// Creates a basedir as in Oracle's tarballs from an installed server. `bin/mysqld` is a script
/// that runs the server with its loader.
fn basedir(root: &Path) -> PathBuf {
    let installed = private("mysql@5.6");
    let arguments = fs::read(format!("/proc/{}/cmdline", installed.pid().unwrap())).unwrap();
    let arguments = String::from_utf8(arguments).unwrap();
    let program: Vec<&str> = arguments.split('\0').take_while(|word| !word.starts_with("--defaults-file")).collect();
    let [loader, "--library-path", libraries, program] = program[..] else { panic!("{program:?}") };
    let basedir = root.join("mysql-5.6.24-linux-glibc2.5-x86_64");
    let mysqld = basedir.join("bin/mysqld");
    let lib = basedir.join("lib");
    for folder in [mysqld.parent().unwrap(), &lib] {
        fs::create_dir_all(folder).unwrap();
    }
    // The server may read its basedir, not the cache.
    let copy = |from: &str, to: &Path| assert!(fs::copy(from, to).is_ok(), "{from}");
    copy(loader, &lib.join("loader"));
    copy(program, &basedir.join("bin/mysqld.bin"));
    let script = "IFS=:; for folder in $1; do cp -L $folder/*.so* $2; done 2>/dev/null; true";
    let copied = Command::new("sh").args(["-c", script, "sh", libraries]).arg(&lib).status().unwrap();
    assert!(copied.success());
    let script =
        "#!/bin/sh\nbase=${0%/*}/..\nexec $base/lib/loader --library-path $base/lib $base/bin/mysqld.bin \"$@\"\n";
    fs::write(&mysqld, script).unwrap();
    fs::set_permissions(&mysqld, fs::Permissions::from_mode(0o755)).unwrap();
    // Copied: a link out of an archive is not followed.
    let share = Path::new(program).with_file_name("share");
    let copied = Command::new("cp").arg("-rL").args([share, basedir.join("share")]).status().unwrap();
    assert!(copied.success());
    basedir
}

fn start(spec: &Spec) -> Server {
    let server = open(spec, &options(), &NoProgress).unwrap();
    assert_eq!((server.flavour(), server.label()), (Flavour::MySql, "MySQL 5.6.24"));
    assert_eq!(server.connect().unwrap().query_first::<u8, _>("SELECT 1").unwrap(), Some(1));
    server
}

#[test]
fn runs_basedir_and_tarball() {
    let folder = common::open_folder();
    let basedir = basedir(folder.path());
    let server = start(&Spec::Private(Origin::Basedir(basedir.clone())));
    let (pid, socket) = (server.pid().unwrap(), socket(&server));
    drop(server);
    assert_gone(pid, socket.parent().unwrap());

    let cache = common::open_folder();
    for ending in ["tar.gz", "tar.xz"] {
        let tarball = folder.path().join(format!("server.{ending}"));
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(folder.path()).arg("-caf").arg(&tarball).arg(basedir.file_name().unwrap());
        assert!(tar.status().unwrap().success());
        for _ in 0..2 {
            let output = open_and_panic(cache.path(), tarball.to_str().unwrap()).output().unwrap();
            assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
        }
    }
    let unpacked = names(&cache.path().join("archives"));
    assert_eq!(unpacked.iter().filter(|name| !name.ends_with(".lock")).count(), 2, "{unpacked:?}");
}

#[test]
fn prefers_server_on_path_to_installation() {
    let folder = common::open_folder();
    let bin = basedir(folder.path()).join("bin");
    let cache = folder.path().join("cache");
    let mut command = open_and_panic(&cache, "");
    let output = command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    assert!(!cache.exists(), "nothing is installed");
}

#[test]
fn reports_missing_server() {
    let folder = common::open_folder();
    let empty = open(&Spec::Private(Origin::Basedir(folder.path().to_owned())), &options(), &NoProgress)
        .unwrap_err()
        .to_string();
    assert!(empty.contains("no mysqld or mariadbd"), "{empty}");
    let absent =
        open(&Spec::Private(Origin::Basedir("/no/such".into())), &options(), &NoProgress).unwrap_err().to_string();
    assert!(absent.contains("/no/such"), "{absent}");
    let broken = folder.path().join("x.tar.gz");
    fs::write(&broken, "no tarball").unwrap();
    let output = open_and_panic(folder.path(), broken.to_str().unwrap()).output().unwrap();
    assert!(stderr(&output).contains("cannot unpack"), "{}", stderr(&output));
}
