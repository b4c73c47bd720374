//! `weigh micro` on real servers.

use std::collections::BTreeSet;
use std::fs;

use micro::{Clock, InstructionSet, Results, Verdict};
use mysql::prelude::Queryable;
use rustix::process::Signal;
use server::{Address, NoProgress, Options, open};

use crate::place::{Place, eventually, send};

/// As short as it gets.
const SHORT: [&str; 2] = ["--time=2ms", "--rounds=6"];

fn measured(words: &[&str]) -> Results {
    let place = Place::new();
    let words = [&["micro", "--format=json"], &SHORT[..], words].concat();
    let done = place.end(place.weigh(&words).spawn().unwrap());
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/micro.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let json = serde_json::from_str(&done.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
    serde_json::from_value(json).unwrap()
}

#[test]
fn every_collation_of_every_server_is_measured_beside_the_engine() {
    let servers = ["--server=mariadb", "--server=mysql@sid", "--server=mysql@5.6"];
    let results = measured(&[&servers[..], &["--text=ascii", "--difference=equal,case"]].concat());
    assert_eq!(results.clocks, [Clock::Cpu; 3]);
    for server in 0..servers.len() {
        let of_server = || results.cells.iter().filter(move |cell| cell.server == server);
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
}

/// One comparison under one collation.
const ONE: [&str; 5] = ["micro", "--server=mariadb", "--text=ascii", "--difference=equal", "--collation=utf8mb4_bin"];

/// The processes of a place that have this in their environment or arguments.
fn with(place: &Place, words: &str) -> Vec<u32> {
    let read = |pid, file| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let has_it = |pid: &u32| {
        let files = ["environ", "cmdline"].map(|file| read(*pid, file));
        files.iter().any(|file| file.split(|&byte| byte == 0).any(|one| one.starts_with(words.as_bytes())))
    };
    place.processes().into_iter().filter(has_it).collect()
}

const ENGINE: &str = "WEIGH_ENGINE_PROCESS=";

#[test]
fn each_round_has_a_server_started_anew_and_a_new_process_of_the_engine() {
    let place = Place::new();
    let mut child = place.weigh(&[&ONE[..], &["--time=100ms", "--rounds=6"]].concat()).spawn().unwrap();
    let (mut engines, mut servers) = (BTreeSet::new(), BTreeSet::new());
    while child.try_wait().unwrap().is_none() {
        let engine = with(&place, ENGINE);
        // Before that, a server's data folder may be made.
        if !engine.is_empty() {
            servers.extend(with(&place, "--datadir="));
            engines.extend(engine);
        }
    }
    let done = place.end(child);
    assert_eq!((done.code, engines.len(), servers.len()), (Some(0), 6, 6), "{done}");
}

#[test]
fn it_ends_when_the_process_of_the_engine_does() {
    let place = Place::new();
    // A round takes far longer than finding the process.
    let child = place.weigh(&[&ONE[..], &["--time=1s"]].concat()).spawn().unwrap();
    eventually("the engine is timed", || !with(&place, ENGINE).is_empty());
    with(&place, ENGINE).into_iter().for_each(|pid| send(Signal::KILL, pid));
    assert!(place.end(child).refusal().contains("the process that times the engine could not"));
}

#[test]
fn each_instruction_set_is_timed_beside_the_same_server() {
    let words =
        ["--server=mariadb", "--text=cyrillic", "--difference=case,last", "-c", "utf8mb4_general_ci,utf8mb4_bin"];
    let results = measured(&[&words[..], &["--instruction-set=all"]].concat());
    let names: Vec<&str> = InstructionSet::all().map(InstructionSet::name).collect();
    assert_eq!((results.cells.len(), results.calls.len()), (4 * names.len(), 2));
    for of_one in results.cells.chunks(names.len()) {
        let named: Vec<&str> = of_one.iter().map(|cell| cell.instruction_set.as_deref().unwrap()).collect();
        assert_eq!(named, names);
        for cell in of_one {
            assert!(cell.agrees() && cell.engine_ns.unwrap().value > 0.0, "{cell:?}");
            assert_eq!(cell.server_ns, of_one[0].server_ns);
        }
    }
}

#[test]
fn texts_that_a_charset_lacks_are_left_out_with_a_note() {
    let words = [
        "--server=mariadb",
        "--text=ascii,cyrillic",
        "-c",
        "latin1_swedish_ci,utf8mb4_general_ci",
        "--difference=last",
    ];
    let results = measured(&words);
    let texts: Vec<(&str, &str)> =
        results.cells.iter().map(|cell| (cell.text.as_str(), cell.collation.as_str())).collect();
    assert!(texts.contains(&("cyrillic", "utf8mb4_general_ci")) && !texts.contains(&("cyrillic", "latin1_swedish_ci")));
    assert_eq!(results.notes, ["latin1 can't hold cyrillic text: left out"]);
}

#[test]
fn a_running_server_is_only_read_from() {
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    let foreign = open(&"mariadb".parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = foreign.control().unwrap();
    conn.query_drop("CREATE USER reader@localhost IDENTIFIED BY ''").unwrap();
    conn.query_drop("SET GLOBAL read_only = ON").unwrap();
    let Address::Socket(socket) = &foreign.endpoint().address else { panic!("{}", foreign.endpoint()) };
    let words =
        ["--no-defaults", "--user=reader", "-S", socket.to_str().unwrap(), "-c", "utf8mb4_general_ci", "--text=ascii"];
    let results = measured(&words);
    assert!(!results.servers[0].private && !results.cells.is_empty());
}

#[test]
fn other_formats_hold_the_same() {
    let place = Place::new();
    let printed = |format: &str| {
        let only = ["--server=mariadb", "--text=ascii", "-c", "utf8mb4_bin", "--difference=equal", "--format", format];
        let done = place.end(place.weigh(&[&["micro"], &SHORT[..], &only].concat()).spawn().unwrap());
        assert_eq!(done.code, Some(0), "{done}");
        done.stdout
    };
    let (text, markdown, csv) = (printed("text"), printed("markdown"), printed("csv"));
    assert!(
        text.contains("ascii, 119 characters, on mariadb") && text.contains("CPU time of the server's thread"),
        "{text}"
    );
    assert!(markdown.contains("| equal | utf8mb4_bin | = |"), "{markdown}");
    assert!(csv.lines().count() == 2 && csv.contains(",ascii,equal,utf8mb4_bin,119,119,equal,equal,6,"), "{csv}");
}

#[test]
fn an_instruction_set_has_a_column_where_it_is_named() {
    let place = Place::new();
    let printed = |format: &str| {
        let only = ["--server=mariadb", "--text=ascii", "-c", "utf8mb4_bin", "--difference=equal", "--format", format];
        let words = [&["micro", "--instruction-set=all"], &SHORT[..], &only].concat();
        place.end(place.weigh(&words).spawn().unwrap()).stdout
    };
    let (markdown, csv) = (printed("markdown"), printed("csv"));
    assert!(markdown.contains("| instruction set |") && markdown.contains("\n|  |  |  |  |  | scalar |"), "{markdown}");
    assert_eq!(csv.lines().count(), 1 + InstructionSet::all().count());
    assert!(csv.contains(",instruction_set,") && csv.contains(",utf8mb4_bin,scalar,119,119,equal,equal,6,"), "{csv}");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let refusal = |words: &[&str]| {
        let place = Place::new();
        place.end(place.weigh(&[&["micro", "--server=mariadb"], &SHORT[..], words].concat()).spawn().unwrap()).refusal()
    };
    assert!(refusal(&["-c", "utf8mb4_genral_ci"]).contains("utf8mb4_general_ci"));
    assert!(refusal(&["--text=digits", "--difference=case"]).contains("nothing to measure"));
    assert!(refusal(&["-c", "latin1_bin", "--text=cjk"]).contains("nothing to measure"));
    assert!(refusal(&["--instruction-set=altivec"]).contains("it has: "));
}
