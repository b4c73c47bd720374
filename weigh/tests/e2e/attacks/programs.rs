//! Programs of servers that attack the machine they run on.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::{is_root, mode};
use crate::workspace::{Finished, Workspace};

/// Leaves its input in the folder for temporary files, and waits until it is read.
const SAY: &str = "#!/bin/sh\nsaid=\"$TMPDIR/say.$$\"\ncat >\"$said.new\" && mv \"$said.new\" \"$said\"\n\
                   while [ -e \"$said\" ]; do sleep 0.01; done\n";

/// Collects what programs say. Their confinement lets them write files of their own only.
pub struct Ear {
    said: Arc<Mutex<String>>,
    is_listening: Arc<AtomicBool>,
}

impl Ear {
    /// Listens to programs with folders below `tmp`.
    fn listen(tmp: PathBuf) -> Self {
        let (said, is_listening) = (Arc::new(Mutex::new(String::new())), Arc::new(AtomicBool::new(true)));
        let (heard, listens) = (Arc::clone(&said), Arc::clone(&is_listening));
        thread::spawn(move || {
            while listens.load(Ordering::Relaxed) {
                for file in said_files(&tmp) {
                    heard.lock().unwrap().push_str(&fs::read_to_string(&file).unwrap_or_default());
                    let _ = fs::remove_file(&file);
                }
                thread::sleep(Duration::from_millis(2));
            }
        });
        Self { said, is_listening }
    }

    /// Returns what was said by programs that have ended.
    pub fn heard(&self) -> String {
        self.said.lock().unwrap().clone()
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.is_listening.store(false, Ordering::Relaxed);
    }
}

/// Lists the files `say.PID` in the folders of programs, which are removed while this looks.
fn said_files(tmp: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = list(tmp).flat_map(|folder| [folder.join("tmp"), folder]);
    let is_said = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("say.") && !name.ends_with(".new")
    };
    folders.flat_map(|folder| list(&folder).collect::<Vec<_>>()).filter(is_said).collect()
}

/// Writes a basedir whose server runs `script` and reports a version. In the script, `"$SAY"` is a
/// program that sends its input to the returned ear.
pub fn write_program(workspace: &Workspace, script: &str) -> (PathBuf, Ear) {
    let basedir = workspace.root().join("evil");
    let folder = basedir.join("bin");
    fs::create_dir_all(&folder).unwrap();
    let version = "echo 'mysqld  Ver 8.0.40 for Linux on x86_64 (MySQL Community Server - GPL)'";
    for (name, text) in
        [("mysqld", format!("#!/bin/sh\nexport SAY=\"${{0%/*}}/say\"\n{script}\n{version}\n")), ("say", SAY.to_owned())]
    {
        fs::write(folder.join(name), text).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    (basedir, Ear::listen(workspace.tmp()))
}

/// Runs the program from an archive. Returns the output of weigh, and what the program said.
fn run_archive(workspace: &Workspace, script: &str) -> (Finished, String) {
    let (_, ear) = write_program(workspace, script);
    let (archive, cache) = (workspace.root().join("s.tar"), workspace.root().join("cache"));
    let packed = Command::new("tar").arg("-C").arg(workspace.root()).arg("-cf").arg(&archive).arg("evil").status();
    assert!(packed.unwrap().success());
    let mut weigh = workspace.weigh(&["bench", "--quick", "--server", "./s.tar", "--out=out"]);
    weigh.env("WEIGH_CACHE", cache).env("MYSQL_PWD", "swordfish-7").env("AWS_SECRET_ACCESS_KEY", "swordfish-8");
    let finished = workspace.wait_for_end(weigh.spawn().unwrap());
    (finished, ear.heard())
}

#[test]
fn programs_from_outside_run_as_nobody_with_a_short_environment() {
    if !is_root("programs_from_outside_run_as_nobody_with_a_short_environment") {
        return;
    }
    let workspace = Workspace::new();
    let script = "{ echo uid=$(id -u); pwd; env; ls /proc/self/fd; grep NoNewPrivs /proc/self/status; } | \"$SAY\"";
    let (finished, said) = run_archive(&workspace, script);
    assert_eq!(finished.code, Some(2), "{finished}");
    assert!(said.contains("PATH=") && !said.contains("swordfish") && said.contains("NoNewPrivs:\t1"), "{said}");
    let allowed = [
        "PATH",
        "TZ",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "SAY",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
        "uid",
    ];
    for (name, _) in said.lines().filter_map(|line| line.split_once('=')) {
        assert!(allowed.contains(&name), "{name} reached the program");
    }
    assert!(!said.contains("uid=0"), "{said}");
}

#[test]
fn links_of_a_server_are_not_followed_by_root() {
    if !is_root("links_of_a_server_are_not_followed_by_root") {
        return;
    }
    let workspace = Workspace::new();
    let secret = workspace.root().join("secret");
    fs::write(&secret, "keep").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    // As initialising program, plants links everywhere; as server, writes to its log.
    let script = format!(
        "for word; do case $word in --version) ;; --initialize-insecure) echo init | \"$SAY\"; cd ..\n\
         for name in error.log server.json my.cnf mysqld.sock run/mysqld.sock data/leak; do rm -f $name; ln -s '{}' $name; done 2>/dev/null; exit 0;; esac; done\n\
         case \"$*\" in *--version*) ;; *) echo started | \"$SAY\"; echo '* * * * * root owned'; sleep 1; exit 1;; esac",
        secret.display()
    );
    let (finished, said) = run_archive(&workspace, &script);
    assert!(said.contains("init"), "{finished}");
    assert_eq!(finished.code, Some(2), "{finished}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "keep");
    assert_eq!(mode(&secret), 0o600);
}

/// A process that leaves its group and parent is ended with its server.
#[test]
fn nothing_of_a_program_stays() {
    if !is_root("nothing_of_a_program_stays") {
        return;
    }
    let workspace = Workspace::new();
    let (finished, said) = run_archive(
        &workspace,
        "setsid sh -c 'echo $$ | \"$SAY\"; echo >\"$TMPDIR/said\"; exec sleep 600' >/dev/null 2>&1 &\n\
         until [ -e \"$TMPDIR/said\" ]; do sleep 0.01; done",
    );
    assert_eq!(finished.code, Some(2), "{finished}");
    let pids: Vec<&str> = said.lines().collect();
    assert!(!pids.is_empty(), "{finished}");
    for pid in pids {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!line.contains("sleep"), "process {pid} still runs");
    }
}

/// A process that the initialisation leaves behind exchanges folders and links while root copies
/// the data folder and gives it away.
#[test]
fn exchanged_folders_do_not_change_owners() {
    if !is_root("exchanged_folders_do_not_change_owners") {
        return;
    }
    let workspace = Workspace::new();
    let secrets = workspace.root().join("secrets");
    fs::create_dir(&secrets).unwrap();
    fs::write(secrets.join("file"), "keep").unwrap();
    let script = format!(
        "for word; do case $word in --initialize-insecure)\n\
         mkdir d && echo x >d/file && ln -s '{}' l && echo init | \"$SAY\"\n\
         setsid sh -c 'while :; do mv -T d x; mv -T l d; mv -T d l; mv -T x d; done' >/dev/null 2>&1 &\n\
         sleep 0.3; exit 0;; esac; done",
        secrets.display()
    );
    for _ in 0..2 {
        let (finished, said) = run_archive(&workspace, &script);
        assert!(said.contains("init"), "{finished}");
        assert_eq!(finished.code, Some(2), "{finished}");
        let owner = |path: &std::path::Path| fs::symlink_metadata(path).unwrap().uid();
        assert_eq!([owner(&secrets), owner(&secrets.join("file"))], [0, 0]);
        let below =
            |folder: &std::path::Path| Command::new("grep").arg("-rl").arg("^keep").arg(folder).output().unwrap();
        assert!(below(&workspace.root().join("cache")).stdout.is_empty(), "a secret is in the cache");
    }
}

#[test]
fn refuses_special_files_in_archives() {
    let workspace = Workspace::new();
    let root = workspace.root();
    write_program(&workspace, "");
    assert!(Command::new("mkfifo").arg(root.join("evil/pipe")).status().unwrap().success());
    let tar = |name: &str| {
        let packed = Command::new("tar").arg("-C").arg(root).arg("-cf").arg(root.join(name)).arg("evil").status();
        assert!(packed.unwrap().success());
    };
    tar("pipe.tar");
    fs::remove_file(root.join("evil/pipe")).unwrap();
    let su = root.join("evil/bin/su");
    fs::write(&su, "").unwrap();
    fs::set_permissions(&su, fs::Permissions::from_mode(0o6777)).unwrap();
    tar("su.tar");
    let cache = root.join("cache");
    let bench = |archive: &str| {
        let mut weigh = workspace.weigh(&["bench", "--quick", "--server", archive, "--out=out"]);
        workspace.wait_for_end(weigh.env("WEIGH_CACHE", &cache).spawn().unwrap())
    };
    bench("./pipe.tar").refuses_with(&["named pipe", "refused"]);
    bench("./su.tar");
    let archives = fs::read_dir(cache.join("archives")).unwrap().flatten().map(|entry| entry.path());
    let unpacked = archives.map(|folder| folder.join("content/evil/bin/su")).find(|path| path.exists());
    assert_eq!(mode(&unpacked.expect("the archive is unpacked")), 0o755);
}
