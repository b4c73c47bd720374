//! Attacks: programs, archives, folders, files and servers of strangers. Tests that need root to
//! show a fault report that they are skipped.

mod charsets;
mod commands;
mod copies;
mod functions;
mod offline;
mod plans;
mod programs;
mod rogue;
mod servers;
mod upgrade;
mod views;
mod walls;

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;

use rustix::process::Signal;

use crate::attach::Foreign;
use crate::workspace::{ENDLESS, Finished, Workspace, eventually, send};

/// Returns `false`, with a message, if this process is not root.
fn is_root(test: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("SKIPPED: {test} needs root");
    }
    is_root
}

fn weigh(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(words).spawn().unwrap())
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The owner of a folder above that of the results exchanges it while root measures.
#[test]
fn results_lie_in_the_folder_that_was_created() {
    let workspace = Workspace::new();
    let at = |name: &str| workspace.root().join(name);
    let mut child = workspace.bench(&ENDLESS, &["-c", "utf8mb4_bin"]).spawn().unwrap();
    workspace.wait_for_blocks(&mut child);
    fs::create_dir(at("elsewhere")).unwrap();
    fs::rename(workspace.out(), at("moved")).unwrap();
    symlink("elsewhere", workspace.out()).unwrap();
    send(Signal::INT, child.id());
    let finished = workspace.wait_for_end(child);
    assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0, "{finished}");
    let run = fs::read_to_string(at("moved/run.json")).unwrap();
    assert!(run.contains("\"interrupted\""), "{finished}\n{run}");
}

/// As above, of `weigh count`, whose folders are opened before it counts.
#[test]
fn counts_lie_in_the_folders_that_were_opened() {
    let workspace = Workspace::new();
    crate::count::write_small_folder(&workspace);
    let at = |name: &str| workspace.root().join(name);
    for name in ["elsewhere/counts", "elsewhere/site"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    let words = ["count", "--server=mariadb", "-w", "shop/", "-c", "as-is", "--starts=1", "--events=5"];
    let folders = ["--out=home/counts", "--site=home/site"];
    let child = workspace.weigh(&[&words[..], &folders].concat()).spawn().unwrap();
    eventually("the folders exist", || at("home/site").exists());
    fs::rename(at("home"), at("moved")).unwrap();
    symlink("elsewhere", at("home")).unwrap();
    // The link of another account, if this one may make it.
    let _ = lchown(at("home"), Some(61_000), None);
    let finished = workspace.wait_for_end(child);
    assert_eq!(finished.code, Some(0), "{finished}");
    for (folder, file) in [("counts", "mariadb.json"), ("site", "index.html")] {
        assert!(at("moved").join(folder).join(file).exists(), "{finished}");
        assert_eq!(fs::read_dir(at("elsewhere").join(folder)).unwrap().count(), 0, "{folder}");
    }
    workspace.weigh(&["man", "--out=home"]).spawn().map(|child| workspace.wait_for_end(child)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    assert_eq!(at("elsewhere/weigh.1").exists(), !is_root, "a link of another user is refused");
}

#[test]
fn preflight_keeps_strangers_files() {
    let foreign = Foreign::start("mariadb");
    foreign.run("CREATE DATABASE d");
    foreign.run("CREATE TABLE d.t (s VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci UNIQUE)");
    foreign.run("INSERT INTO d.t VALUES ('a'), ('b')");
    let workspace = Workspace::new();
    let at = |name: &str| workspace.root().join(name);
    let socket = foreign.socket();
    let preflight = |file: &str| {
        let words = ["--socket", socket.to_str().unwrap(), "--user=root", "--schema=d", "--to=utf8mb4_unicode_ci"];
        weigh(&workspace, &[&["preflight", "--trial=none", "--resume", file], &words[..]].concat())
    };
    fs::write(at("line"), "one line without an end").unwrap();
    preflight("line").refuses_with(&["another run"]);
    fs::write(at("target"), "").unwrap();
    symlink("target", at("link")).unwrap();
    preflight("link").refuses_with(&["symbolic link"]);
    assert_eq!(fs::read_to_string(at("line")).unwrap(), "one line without an end");
    assert_eq!(fs::read_to_string(at("target")).unwrap(), "");
    fs::write(at("empty"), "").unwrap();
    fs::set_permissions(at("empty"), fs::Permissions::from_mode(0o644)).unwrap();
    for name in ["empty", "new"] {
        let finished = preflight(name);
        assert_eq!((finished.code, mode(&at(name))), (Some(0), 0o600), "{finished}");
    }
}

#[test]
fn report_replaces_a_link_in_a_strangers_folder() {
    let workspace = Workspace::new();
    let run = workspace.run_small_bench(&["--collation=utf8mb4_bin"]);
    assert_eq!(run.code, Some(0), "{run}");
    let (page, precious) = (workspace.out().join("report.html"), workspace.root().join("precious"));
    fs::write(&precious, "untouched").unwrap();
    fs::remove_file(&page).unwrap();
    symlink(&precious, &page).unwrap();
    let finished = weigh(&workspace, &["report", "out"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "untouched");
    assert!(fs::symlink_metadata(&page).unwrap().is_file());
}

#[test]
fn rows_of_a_captured_workload_are_private() {
    let workspace = Workspace::new();
    crate::folder::shop(&workspace);
    let words = ["--workload=shop", "--collation=as-is,utf8mb4_unicode_ci"];
    // The first option is for built-in tables.
    let finished = workspace.wait_for_end(workspace.bench(&crate::workspace::SMALL[1..], &words).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(mode(&workspace.out()), 0o700);
    for name in ["run.json", "samples.jsonl", "report.html"] {
        assert_eq!(mode(&workspace.out().join(name)), 0o600, "{name}");
    }
}

#[test]
fn folders_and_recipes_of_strangers_choose_nothing_that_runs() {
    let workspace = Workspace::new();
    let (evil, ear) = programs::write_program(&workspace, "echo ran | \"$SAY\"");
    let recipe = crate::recipes::CUSTOM_RECIPE.replace(r#"["mariadb"]"#, &format!("[{:?}]", evil.to_str().unwrap()));
    fs::write(workspace.root().join("evil.toml"), recipe).unwrap();
    weigh(&workspace, &["run", "./evil.toml", "--dry-run"]).refuses_with(&[evil.to_str().unwrap(), "--trust"]);

    // The name of a setting is one option, in any spelling.
    let log = workspace.root().join("log");
    let named = |setting: &str| {
        let recipe =
            crate::recipes::CUSTOM_RECIPE.replace("{ sort_buffer_size = \"1M\" }", &format!("{{ {setting} }}"));
        fs::write(workspace.root().join("named.toml"), recipe).unwrap();
        weigh(&workspace, &["run", "./named.toml", "--out=named"])
    };
    let two = format!("general_log = \"ON\", \"general_log_file={}\" = \"1\"", log.display());
    named(&two).refuses_with(&["is no name of a setting"]);
    named("loose_Plugin-Dir = \"x\"").refuses_with(&["loose_Plugin-Dir=x", "--trust"]);
    assert!(!workspace.root().join("log=1").exists() && !log.exists());

    let run = workspace.run_small_bench(&["--collation=utf8mb4_bin"]);
    assert_eq!(run.code, Some(0), "{run}");
    let file = workspace.out().join("run.json");
    let mut run: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    run["command"] = format!("weigh bench --quick --server {}", evil.display()).into();
    run.as_object_mut().unwrap().remove("finished");
    run["progress"] = serde_json::json!({"replicates": 1, "load_s": 1.0, "renewal_s": 1.0});
    fs::write(&file, run.to_string()).unwrap();
    weigh(&workspace, &["bench", "--resume", "out"]).refuses_with(&[evil.to_str().unwrap(), "--trust"]);
    assert_eq!(ear.heard(), "", "the program was run");
}

/// A panic in any thread ends the command with status 2, also in a thread that no other thread
/// joins.
#[test]
fn panics_of_threads_end_the_command() {
    let foreign = Foreign::start("mariadb");
    foreign.run("CREATE DATABASE d");
    foreign.run("CREATE TABLE d.t (s VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci UNIQUE)");
    let workspace = Workspace::new();
    fs::write(workspace.root().join("s.sql"), "SELECT s FROM t;\n").unwrap();
    let socket = foreign.socket();
    let login = ["--no-defaults", "--user=root", "--socket", socket.to_str().unwrap()];
    for (place, words) in [
        ("watch", &["audit"][..]),
        ("watch", &["preflight", "--schema=d", "--to=utf8mb4_unicode_ci", "--trial=none"]),
        ("scan", &["preflight", "--schema=d", "--to=utf8mb4_unicode_ci", "--trial=none"]),
        ("watch", &["capture", "--schema=d", "--sql=s.sql", "--assume-schema", "--out=w"]),
    ] {
        let mut weigh = workspace.weigh(&[words, &login].concat());
        let finished = workspace.wait_for_end(weigh.env("WEIGH_TEST_PANIC", place).spawn().unwrap());
        // A fast command can end before the thread looks.
        let is_done = place == "watch" && finished.code != Some(2);
        assert!(is_done || finished.stderr.contains("a test asked for it"), "{words:?}: {finished}");
        assert!(matches!(finished.code, Some(2)) || is_done, "{words:?}: {finished}");
    }
    assert!(!workspace.root().join("w").exists() || workspace.root().join("w/workload.toml").exists());
}
