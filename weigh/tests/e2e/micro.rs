//! `weigh micro` on real servers.

use std::collections::BTreeSet;
use std::fs;

use micro::{Clock, InstructionSet, Results, Verdict};
use mysql::prelude::Queryable;
use rustix::process::{Pid, Signal, kill_process};
use server::{Address, NoProgress, Options, open};

use crate::workspace::{Workspace, eventually, retry};

const SHORT: [&str; 2] = ["--time=2ms", "--rounds=6"];

fn measure(words: &[&str]) -> Results {
    let workspace = Workspace::new();
    let words = [&["micro", "--format=json"], &SHORT[..], words].concat();
    let finished = workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap());
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/micro.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let json = serde_json::from_str(&finished.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
    serde_json::from_value(json).unwrap()
}

#[test]
fn measures_every_collation_and_the_engine() {
    retry(|| {
        let servers = ["--server=mariadb", "--server=mysql@sid", "--server=mysql@5.6"];
        let results = measure(&[&servers[..], &["--text=ascii", "--difference=equal,case"]].concat());
        assert_eq!(results.clocks, [Clock::Cpu; 3]);
        for server in 0..servers.len() {
            let of_server = || results.comparisons.iter().filter(move |cell| cell.server == server);
            assert!(of_server().count() >= 10, "{server}");
            assert_eq!(results.calls.iter().filter(|call| call.server == server).count() * 2, of_server().count());
            for cell in of_server() {
                let binary = cell.collation == "utf8mb4_bin" && cell.difference == micro::Difference::Case;
                assert_eq!(cell.verdict == Verdict::Equal, !binary, "{cell:?}");
                assert_eq!(Some(cell.verdict), cell.engine_verdict, "{cell:?}");
                assert!(cell.engine_ns.unwrap().value > 0.0 && cell.memcmp_ns.value > 0.0 && cell.bytes == 119);
                assert_eq!(cell.rounds.len(), 6);
            }
        }
    });
}

const ONE: [&str; 5] = ["micro", "--server=mariadb", "--text=ascii", "--difference=equal", "--collation=utf8mb4_bin"];

/// Returns the workspace's processes with an environment variable or argument that begins with
/// `words`.
fn find_processes(workspace: &Workspace, words: &str) -> Vec<u32> {
    let read = |pid, file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let has_it = |pid: &u32| {
        let files = ["environ", "cmdline"].map(|file| read(*pid, file));
        files.iter().any(|file| file.split(|&byte| byte == 0).any(|one| one.starts_with(words.as_bytes())))
    };
    workspace.processes().into_iter().filter(has_it).collect()
}

const ENGINE: &str = "WEIGH_ENGINE_PROCESS=";

#[test]
fn each_round_starts_server_and_engine() {
    retry(|| {
        let workspace = Workspace::new();
        let mut child = workspace.weigh(&[&ONE[..], &["--time=100ms", "--rounds=6"]].concat()).spawn().unwrap();
        // Processes live for a round: a test that stalls for longer misses one.
        let (mut engines, mut servers) = (BTreeSet::new(), BTreeSet::new());
        while child.try_wait().unwrap().is_none() {
            let engine = find_processes(&workspace, ENGINE);
            // Before the engine's process, a server's data folder may be initialised.
            if !engine.is_empty() {
                servers.extend(find_processes(&workspace, "--datadir="));
                engines.extend(engine);
            }
        }
        let finished = workspace.wait_for_end(child);
        assert_eq!((finished.code, engines.len(), servers.len()), (Some(0), 6, 6), "{finished}");
    });
}

#[test]
fn fails_if_the_engine_process_ends() {
    let workspace = Workspace::new();
    // Many rounds, of which any may be hit: a found process can end before its kill.
    let mut child = workspace.weigh(&[&ONE[..], &["--time=1s", "--rounds=1000"]].concat()).spawn().unwrap();
    eventually("the engine's process is killed", || {
        for pid in find_processes(&workspace, ENGINE) {
            let _ = kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL);
        }
        child.try_wait().unwrap().is_some()
    });
    assert!(workspace.wait_for_end(child).refusal().contains("the process that times the engine could not"));
}

#[test]
fn times_each_instruction_set() {
    let words =
        ["--server=mariadb", "--text=cyrillic", "--difference=case,last", "-c", "utf8mb4_general_ci,utf8mb4_bin"];
    let results = measure(&[&words[..], &["--instruction-set=all"]].concat());
    let names: Vec<&str> = InstructionSet::all().map(InstructionSet::name).collect();
    assert_eq!((results.comparisons.len(), results.calls.len()), (4 * names.len(), 2));
    for of_one in results.comparisons.chunks(names.len()) {
        let named: Vec<&str> = of_one.iter().map(|cell| cell.instruction_set.as_deref().unwrap()).collect();
        assert_eq!(named, names);
        for cell in of_one {
            assert!(cell.agrees() && cell.engine_ns.unwrap().value > 0.0, "{cell:?}");
            assert_eq!(cell.server_ns, of_one[0].server_ns);
        }
    }
}

#[test]
fn leaves_out_unencodable_texts() {
    let words = [
        "--server=mariadb",
        "--text=ascii,cyrillic",
        "-c",
        "latin1_swedish_ci,utf8mb4_general_ci",
        "--difference=last",
    ];
    let results = measure(&words);
    let texts: Vec<(&str, &str)> =
        results.comparisons.iter().map(|cell| (cell.text.as_str(), cell.collation.as_str())).collect();
    assert!(texts.contains(&("cyrillic", "utf8mb4_general_ci")) && !texts.contains(&("cyrillic", "latin1_swedish_ci")));
    assert_eq!(results.notes, ["latin1 can't hold cyrillic text: left out"]);
}

#[test]
fn only_reads_from_attached_servers() {
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    let foreign = open(&"mariadb".parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = foreign.connect().unwrap();
    conn.query_drop("CREATE USER reader@localhost IDENTIFIED BY ''").unwrap();
    conn.query_drop("SET GLOBAL read_only = ON").unwrap();
    let Address::Socket(socket) = &foreign.endpoint().address else { panic!("{}", foreign.endpoint()) };
    let words =
        ["--no-defaults", "--user=reader", "-S", socket.to_str().unwrap(), "-c", "utf8mb4_general_ci", "--text=ascii"];
    let results = measure(&words);
    assert!(!results.servers[0].private && !results.comparisons.is_empty());
}

#[test]
fn formats_agree() {
    retry(|| {
        let workspace = Workspace::new();
        let printed = |format: &str| {
            let only =
                ["--server=mariadb", "--text=ascii", "-c", "utf8mb4_bin", "--difference=equal", "--format", format];
            let finished =
                workspace.wait_for_end(workspace.weigh(&[&["micro"], &SHORT[..], &only].concat()).spawn().unwrap());
            assert_eq!(finished.code, Some(0), "{finished}");
            finished.stdout
        };
        let (text, markdown, csv) = (printed("text"), printed("markdown"), printed("csv"));
        assert!(
            text.contains("ascii, 119 characters, on mariadb") && text.contains("CPU time of the server's thread"),
            "{text}"
        );
        assert!(markdown.contains("| equal | utf8mb4_bin | = |"), "{markdown}");
        assert!(csv.lines().count() == 2 && csv.contains(",ascii,equal,utf8mb4_bin,119,119,equal,equal,6,"), "{csv}");
    });
}

#[test]
fn named_instruction_sets_get_a_column() {
    let workspace = Workspace::new();
    let printed = |format: &str| {
        let only = ["--server=mariadb", "--text=ascii", "-c", "utf8mb4_bin", "--difference=equal", "--format", format];
        let words = [&["micro", "--instruction-set=all"], &SHORT[..], &only].concat();
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap()).stdout
    };
    let (markdown, csv) = (printed("markdown"), printed("csv"));
    assert!(markdown.contains("| instruction set |") && markdown.contains("\n|  |  |  |  |  | scalar |"), "{markdown}");
    assert_eq!(csv.lines().count(), 1 + InstructionSet::all().count());
    assert!(csv.contains(",instruction_set,") && csv.contains(",utf8mb4_bin,scalar,119,119,equal,equal,6,"), "{csv}");
}

#[test]
fn reports_what_cannot_be_measured() {
    let refusal = |words: &[&str]| {
        let workspace = Workspace::new();
        workspace
            .wait_for_end(
                workspace.weigh(&[&["micro", "--server=mariadb"], &SHORT[..], words].concat()).spawn().unwrap(),
            )
            .refusal()
    };
    assert!(refusal(&["-c", "utf8mb4_genral_ci"]).contains("utf8mb4_general_ci"));
    assert!(refusal(&["--text=digits", "--difference=case"]).contains("nothing to measure"));
    assert!(refusal(&["-c", "latin1_bin", "--text=cjk"]).contains("nothing to measure"));
    assert!(refusal(&["--instruction-set=altivec"]).contains("it has: "));
}
