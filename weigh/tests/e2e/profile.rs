//! `weigh profile` on real servers: functions have names and roles, and refusals say what to do.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use fetch::Tool;
use mysql::prelude::Queryable;
use profile::{Category, FunctionShare, Naming, Profile, Profiles, SideProfile};
use rustix::process::Signal;
use server::{NoProgress, Options, Server, open};

use crate::workspace::{Finished, Workspace, retry, send};

/// Gives a thousand samples of each side, even on a shared machine.
const SHORT: [&str; 4] = ["--table-size=1000", "--threads=2", "--seconds=3", "--format=json"];

/// Profiles servers under load, and reads standard output and files.
fn profile(workspace: &Workspace, words: &[&str]) -> Profiles {
    let mut weigh = workspace.profile(&[&SHORT, words].concat());
    let finished = workspace.wait_for_end(weigh.env("HOME", workspace.root()).spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(!workspace.root().join(".debug").exists(), "perf copied programs");
    for file in fs::read_dir(workspace.out().join("profile")).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().mode() & 0o777, 0o600, "{finished}");
    }
    let printed: Profiles = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(profile::output::read(&workspace.out()).unwrap().as_ref(), Some(&printed));
    printed.profiles.iter().for_each(assert_sound);
    let sides = || printed.profiles.iter().flat_map(|profile| &profile.sides);
    let parts: usize = sides().map(|side| side.categories.len() + side.functions.len()).sum();
    assert_eq!(report::profile_csv(&printed).lines().skip(1).count(), parts, "a line a part");
    printed
}

/// Asserts that shares add up and figures agree.
fn assert_sound(profile: &Profile) {
    for side in &profile.sides {
        let shares: f64 = side.categories.iter().map(|part| part.share.value).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{}: {shares}", side.label);
        assert_eq!(side.categories.iter().map(|part| part.samples).sum::<u64>(), side.samples);
        assert_eq!(side.categories.len(), Category::ALL.len(), "unknown among them");
        let text: f64 =
            side.categories.iter().filter(|part| part.category.is_text()).map(|part| part.share.value).sum();
        assert!((side.text_share.value - text).abs() < 1e-9);
        if let Some(all) = side.cpu_us {
            let parts: f64 = side.categories.iter().filter_map(|part| part.cpu_us).map(|cpu| cpu.value).sum();
            assert!((parts / all.value - 1.0).abs() < 1e-6, "{}: {parts} of {all:?}", side.label);
        }
        let coverage = side.coverage;
        assert!(coverage.samples > 0);
        assert_eq!(coverage.samples, coverage.symbol + coverage.handler + coverage.bounds + coverage.unknown);
    }
}

fn side<'p>(profile: &'p Profile, label: &str) -> &'p SideProfile {
    profile.sides.iter().find(|side| side.label == label).unwrap_or_else(|| panic!("no side {label}"))
}

fn function<'p>(side: &'p SideProfile, name: &str) -> Option<&'p FunctionShare> {
    side.functions.iter().find(|function| function.raw_name == name)
}

#[test]
fn finds_the_functions_of_the_study() {
    let functions = [
        ("my_ismbchar_utf8mb4", Category::Charset, Naming::Symbol),
        ("my_charpos_mb", Category::Charset, Naming::Symbol),
        ("my_hash_sort_utf8mb4", Category::Hash, Naming::Symbol),
    ];
    retry(|| assert_finds_functions("mysql@5.6", &functions));
}

#[test]
fn finds_the_functions_of_the_study_in_its_own_version() {
    let functions = [
        ("my_ismbchar_utf8mb4", Category::Charset, Naming::Handler),
        ("my_charpos_mb", Category::Charset, Naming::Symbol),
        ("hash_sort@utf8mb4_general_ci", Category::Hash, Naming::Handler),
    ];
    retry(|| assert_finds_functions("mysql@5.7", &functions));
}

/// Asserts that the functions are among those that take most under utf8mb4_general_ci, and not in
/// the table of latin1_swedish_ci.
fn assert_finds_functions(server: &str, functions: &[(&str, Category, Naming)]) {
    let workspace = Workspace::new();
    let server = format!("--server={server}");
    let profiles = profile(&workspace, &[&server, "--workload=oltp_read_write", "--protocol=text"]);
    let profile = &profiles.profiles[0];
    let (latin1, utf8mb4) = (side(profile, "latin1_swedish_ci"), side(profile, "utf8mb4_general_ci"));
    for &(name, category, naming) in functions {
        let rank = utf8mb4.functions.iter().position(|function| function.raw_name == name);
        assert!(rank.is_some_and(|rank| rank < 15), "{name} is not among the first of {:?}", utf8mb4.functions);
        let function_share = function(utf8mb4, name).unwrap();
        assert_eq!((function_share.category, function_share.naming), (category, naming), "{name}");
        assert!(function(latin1, name).is_none(), "{name} under latin1");
        let difference = profile.differences[0].functions.iter().find(|difference| difference.raw_name == name);
        let more = difference.unwrap_or_else(|| panic!("{name} makes no difference")).cpu_us.unwrap();
        assert!(more.low > 0.0, "{name}: {more:?}");
    }
    assert!(utf8mb4.text_share.value > latin1.text_share.value);
    assert!(profile.differences[0].text_cpu_us.unwrap().low > 0.0);
    let read = |name: &Option<String>| {
        fs::read_to_string(workspace.out().join("profile").join(name.as_ref().unwrap())).unwrap()
    };
    let against = read(&profile.differences[0].flame_graph);
    assert!(against.starts_with("<?xml"));
    for &(name, ..) in functions {
        let readable = &function(utf8mb4, name).unwrap().name;
        assert!(!readable.contains('@') && against.contains(readable), "{readable}");
    }
    assert!(read(&utf8mb4.folded).contains("my_charpos_mb") && !read(&latin1.folded).contains("my_ismbchar_utf8mb4"));
    assert!(read(&utf8mb4.flame_graph).contains("my_charpos_mb"));
    let again = workspace.weigh(&["report", workspace.out().to_str().unwrap(), "--format=text"]).spawn().unwrap();
    let again = workspace.wait_for_end(again);
    let verdict = report::profile_text(&profiles, false, report::Style::default());
    assert!(again.stdout.contains(&verdict) && again.stdout.contains("the functions that differ most"), "{again}");
}

/// A stripped server under a collation: its functions are found, and the collation's have names.
fn assert_names_functions(server: &str, collation: &str, workloads: &str, roles: &[&str]) {
    let workspace = Workspace::new();
    let words = ["--server", server, "--collation", collation, "--workload", workloads];
    let profiles = profile(&workspace, &words);
    for profile in &profiles.profiles {
        for side in &profile.sides {
            let coverage = side.coverage;
            assert!(10 * (coverage.samples - coverage.unknown) >= 9 * coverage.samples, "{}: {coverage:?}", side.label);
        }
    }
    // All sampled functions; the tables show only the first of them.
    let folded = profiles.profiles.iter().map(|profile| side(profile, collation).folded.as_ref().unwrap());
    let stacks: String =
        folded.map(|name| fs::read_to_string(workspace.out().join("profile").join(name)).unwrap()).collect();
    let names: BTreeSet<&str> = stacks.lines().filter_map(|line| line.rsplit_once(' ')?.0.rsplit(';').next()).collect();
    for role in roles {
        let named = format!("{role} of {collation}");
        let of_role: Vec<&&str> = names.iter().filter(|name| name.starts_with(&format!("{role} of "))).collect();
        assert!(of_role.iter().any(|name| name.starts_with(&named)), "{server}: no {named} among {of_role:?}");
    }
}

#[test]
fn names_functions_of_a_stripped_mysql() {
    retry(|| {
        let roles = ["hash_sort", "strnxfrm"];
        assert_names_functions("mysql@sid", "utf8mb4_0900_ai_ci", "distinct_ranges", &roles);
        assert_names_comparing_function("mysql@sid", "utf8mb4_0900_ai_ci");
    });
}

#[test]
fn names_functions_of_a_stripped_mariadb() {
    retry(|| {
        let roles = ["hash_sort"];
        assert_names_functions("mariadb@trixie", "utf8mb4_uca1400_ai_ci", "distinct_ranges", &roles);
        assert_names_comparing_function("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
    });
}

#[test]
fn names_functions_of_an_older_stripped_mariadb() {
    retry(|| {
        let roles = ["hash_sort"];
        assert_names_functions("mariadb@bookworm", "utf8mb4_unicode_ci", "distinct_ranges", &roles);
        assert_names_comparing_function("mariadb@bookworm", "utf8mb4_unicode_ci");
    });
}

/// Runs statements that compare text until `stop` is set.
fn keep_comparing(server: &Server, collation: &str, stop: &AtomicBool) {
    let mut conn = server.connect().unwrap();
    conn.query_drop("SET NAMES utf8mb4").unwrap();
    conn.query_drop("SET @a = REPEAT('a', 100), @b = REPEAT('A', 100)").unwrap();
    while !stop.load(Ordering::Relaxed) {
        let _: Option<u64> = conn.query_first(format!("SELECT BENCHMARK(20000, @a = @b COLLATE {collation})")).unwrap();
    }
}

/// Runs `weigh` while a test's server compares text.
fn run_beside(server: &Server, collation: &str, weigh: impl FnOnce() -> Finished) -> Finished {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| keep_comparing(server, collation, &stop));
        let finished = weigh();
        stop.store(true, Ordering::Relaxed);
        finished
    })
}

fn start_server(name: &str) -> Server {
    open(&name.parse().unwrap(), &Options::default(), &NoProgress).unwrap()
}

/// A stripped server that only compares: the comparing function is named after its slot.
fn assert_names_comparing_function(name: &str, collation: &str) {
    let (server, workspace) = (start_server(name), Workspace::new());
    let pid = server.pid().unwrap().to_string();
    let words = ["profile", "--seconds=2", "--format=json", "--pid", &pid];
    let finished = run_beside(&server, collation, || workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap()));
    assert_compares(&finished);
    let profiles: Profiles = serde_json::from_str(&finished.stdout).unwrap();
    let compares =
        |function: &&FunctionShare| function.raw_name.starts_with("strnncoll") && function.naming == Naming::Handler;
    let function_share =
        profiles.profiles[0].sides[0].functions.iter().find(compares).unwrap_or_else(|| panic!("{name}: {finished}"));
    assert!(function_share.category == Category::Compare && function_share.share > 0.1, "{name}: {function_share:?}");
}

fn assert_compares(finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{finished}");
    let profiles: Profiles = serde_json::from_str(&finished.stdout).unwrap();
    let [side] = &profiles.profiles[0].sides[..] else { panic!("one side: {finished}") };
    assert!(side.text_share.value > 0.5, "{finished}");
    assert!(side.functions.iter().any(|function| function.category == Category::Compare), "{finished}");
    assert_sound(&profiles.profiles[0]);
}

#[test]
fn samples_two_servers_in_each_window() {
    retry(|| {
        let workspace = Workspace::new();
        let servers = [("mysql@5.6", "mysqld"), ("mariadb@trixie", "mariadbd")];
        let profiles =
            profile(&workspace, &["--server=mysql@5.6", "--server=mariadb@trixie", "--workload=oltp_read_only"]);
        let [profile] = &profiles.profiles[..] else { panic!("one condition: {profiles:?}") };
        assert_eq!((profile.sides.len(), profile.differences.len()), (4, 3));
        for (server, program) in servers {
            for collation in ["latin1_swedish_ci", "utf8mb4_general_ci"] {
                let side = side(profile, &format!("{collation} on {server}"));
                let own = side.functions.iter().filter(|function| function.file == program).count();
                let other = servers.iter().any(|(_, other)| {
                    *other != program && side.functions.iter().any(|function| function.file == *other)
                });
                assert!(own > 0 && !other, "{}: {:?}", side.label, side.functions);
                assert!(side.cpu_us.is_some_and(|cpu| cpu.value > 0.0), "{}", side.label);
            }
        }
        let graphs = profile.sides.iter().map(|side| &side.flame_graph);
        let graphs = graphs.chain(profile.differences.iter().map(|difference| &difference.flame_graph));
        let files: BTreeSet<&String> = graphs.map(|graph| graph.as_ref().unwrap()).collect();
        assert_eq!(files.len(), 7, "a graph a side and a difference: {files:?}");
        assert!(files.iter().all(|file| workspace.out().join("profile").join(file).is_file()), "{files:?}");
    });
}

#[test]
fn samples_a_server_under_its_own_load() {
    retry(|| {
        let (server, workspace) = (start_server("mysql@5.6"), Workspace::new());
        let socket = server.endpoint().address.to_string();
        let words = [
            "profile",
            "--no-load",
            "--no-defaults",
            "--user=root",
            "--socket",
            &socket,
            "--seconds=2",
            "--format=json",
        ];
        let finished = run_beside(&server, "utf8mb4_unicode_ci", || {
            workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap())
        });
        assert_compares(&finished);
        let profiles: Profiles = serde_json::from_str(&finished.stdout).unwrap();
        assert!(profiles.profiles[0].sides[0].cpu_us.is_some_and(|cpu| cpu.value > 0.0), "{finished}");
        let schemas: Vec<String> = server.connect().unwrap().query("SHOW DATABASES LIKE 'weigh%'").unwrap();
        assert!(schemas.is_empty(), "{schemas:?}");
    });
}

#[test]
fn reads_samples_of_another_machine() {
    retry(|| {
        let (server, workspace) = (start_server("mysql@5.6"), Workspace::new());
        let pid = server.pid().unwrap().to_string();
        let (data, script) = (workspace.root().join("perf.data"), workspace.root().join("script"));
        let finished = run_beside(&server, "utf8mb4_unicode_ci", || {
            let program = Tool::Perf.find_or_install(&NoProgress).unwrap();
            let perf = |words: &[&str]| Command::new(&program).args(words).stdin(Stdio::null()).output().unwrap();
            let data = data.to_str().unwrap();
            let record =
                perf(&["record", "-e", "cpu-clock", "-F", "499", "-g", "-p", &pid, "-o", data, "--", "sleep", "2"]);
            assert!(record.status.success(), "{}", String::from_utf8_lossy(&record.stderr));
            let written = perf(&["script", "-i", data, "--show-mmap-events", "-F", "comm,pid,tid,time,ip,sym,dso"]);
            fs::write(&script, written.stdout).unwrap();
            workspace.wait_for_end(
                workspace
                    .weigh(&["profile", "--format=json", "--perf-script", script.to_str().unwrap()])
                    .spawn()
                    .unwrap(),
            )
        });
        assert_compares(&finished);

        fs::write(&script, "not perf's\n").unwrap();
        let words = ["profile", "--perf-script", script.to_str().unwrap()];
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap()).refuses_with(&["line 1", "perf script"]);
    });
}

#[test]
fn a_benchmark_goes_on_without_perf() {
    let (server, workspace) = (start_server("mysql@5.6"), Workspace::new());
    let nowhere = [("PATH", "/nonexistent"), ("WEIGH_CACHE", "/nonexistent")];
    let without = |mut command: Command| -> Child { command.envs(nowhere).spawn().unwrap() };
    let pid = format!("--pid={}", server.pid().unwrap());
    workspace.wait_for_end(without(workspace.weigh(&["profile", &pid]))).refuses_with(&[
        "perf is not on the PATH",
        "install it",
        "--perf-script",
    ]);

    let socket = format!("--socket={}", server.endpoint().address);
    let words = [&socket[..], "--user=root", "--profile", "-w", "oltp_point_select", "-c", "utf8mb4_bin"];
    let finished = workspace.wait_for_end(without(workspace.bench(&crate::workspace::SMALL, &words)));
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(
        finished.stdout.contains("utf8mb4_bin") && finished.stdout.contains("not sampled: perf is not on the PATH"),
        "{finished}"
    );
    workspace.read().assert_complete();
}

#[test]
fn a_benchmark_can_profile() {
    retry(|| {
        let workspace = Workspace::new();
        let words = ["--server=mysql@5.6", "--profile", "-w", "oltp_read_only", "-c", "utf8mb4_general_ci"];
        let finished = workspace.run_small_bench(&words);
        assert_eq!(finished.code, Some(0), "{finished}");
        assert!(finished.stdout.contains("Charset and collation work is"), "{finished}");
        let page = fs::read_to_string(workspace.out().join("report.html")).unwrap();
        assert!(page.contains("Charset and collation work is"));
        let profiles = profile::output::read(&workspace.out()).unwrap().unwrap();
        assert_sound(&profiles.profiles[0]);
        for side in &profiles.profiles[0].sides {
            let graph = side.flame_graph.as_ref().unwrap();
            assert!(
                page.contains(&format!("profile/{graph}")) && workspace.out().join("profile").join(graph).is_file()
            );
        }
    });
}

#[test]
fn rejects_processes_without_permission() {
    // Only root may sample process 1, so root runs weigh as another user.
    let workspace = Workspace::new();
    let weigh = env!("CARGO_BIN_EXE_weigh");
    let root = rustix::process::geteuid().is_root();
    let mut command = if root {
        let copy = workspace.root().join("weigh");
        fs::copy(weigh, &copy).unwrap();
        for path in [workspace.root().to_owned(), workspace.tmp()] {
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
        command
    } else {
        Command::new(weigh)
    };
    command.args(["profile", "--pid=1", "--seconds=1"]);
    workspace.set_up(&mut command);
    let perf = Tool::Perf.find_or_install(&NoProgress).unwrap();
    let path = env::var_os("PATH").unwrap();
    let folders = env::split_paths(&path).chain([perf.parent().unwrap().to_owned()]);
    command.env("PATH", env::join_paths(folders).unwrap());
    workspace.wait_for_end(command.spawn().unwrap()).without_cost().refuses_with(&[
        "process 1",
        "perf_event_paranoid",
        "root",
    ]);
}

#[test]
fn reports_a_server_that_ends() {
    let (server, workspace) = (start_server("mysql@5.6"), Workspace::new());
    let pid = server.pid().unwrap();
    let mut child = workspace.weigh(&["profile", "--seconds=100", "--pid", &pid.to_string()]).spawn().unwrap();
    workspace.wait_for_perf(&mut child);
    send(Signal::KILL, pid);
    workspace
        .wait_for_end(child)
        .without_cost()
        .refuses_with(&[&format!("process {pid} ended"), "while it was sampled"]);

    let gone = ["profile", "--pid", &pid.to_string()];
    drop(server);
    workspace.wait_for_end(workspace.weigh(&gone).spawn().unwrap()).refuses_with(&["no process"]);
}

#[test]
fn rejects_contradictions() {
    let workspace = Workspace::new();
    let refused =
        |words: &[&str]| workspace.wait_for_end(workspace.weigh(&[&["profile"], words].concat()).spawn().unwrap());
    refused(&["--no-load", "--server=mariadb"]).refuses_with(&["--no-load", "would be started"]);
    refused(&["--perf-script=/no/such/file"]).refuses_with(&["/no/such/file"]);
    refused(&["--pid=4000000000"]).refuses_with(&["no process 4000000000"]);
}
