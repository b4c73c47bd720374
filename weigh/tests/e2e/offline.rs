//! `weigh sort`, `weigh weights` and `weigh explain`: filters that need no server.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::workspace::{Finished, Workspace};

/// Runs a command on the input, and returns exit code and output.
pub fn filter(mut command: Command, input: &[u8]) -> (Option<i32>, Vec<u8>) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().unwrap();
    assert!(feeder.join().unwrap(), "it left some of its input unread");
    (output.status.code(), output.stdout)
}

fn weigh(words: &[&str], input: &[u8]) -> Vec<u8> {
    let workspace = Workspace::new();
    let (code, stdout) = filter(workspace.weigh(words), input);
    assert_eq!(code, Some(0), "{words:?}");
    stdout
}

fn sort(words: &[&str], input: &str) -> String {
    String::from_utf8(weigh(&[&["sort", "-c", "utf8mb4_general_ci"], words].concat(), input.as_bytes())).unwrap()
}

fn run_to_end(words: &[&str]) -> Finished {
    let workspace = Workspace::new();
    workspace.wait_for_end(workspace.weigh(words).spawn().unwrap())
}

/// Lines of all bytes except line ends, some repeated, the last without an end.
fn lines(end: u8) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for _ in 0..2000 {
        let length = next() % 6;
        lines.push((0..length).map(|_| next()).filter(|byte| ![0, b'\n'].contains(byte)).collect());
    }
    lines.extend_from_within(..100);
    lines.push(b"last".into());
    lines.join(&end)
}

#[test]
fn sorts_bytes_like_gnu_sort() {
    for options in [&[][..], &["-r"], &["-u"], &["-ru"], &["-s"], &["-z"], &["-zr"]] {
        let input = lines(if options.iter().any(|option| option.contains('z')) { 0 } else { b'\n' });
        let mut gnu = Command::new("sort");
        gnu.env("LC_ALL", "C").args(options);
        let (code, expected) = filter(gnu, &input);
        assert_eq!(code, Some(0));
        let words = [&["sort", "-c", "binary"], options].concat();
        assert!(weigh(&words, &input) == expected, "{options:?}");
    }
}

/// Ill-formed lines are sorted, and counted in one sentence.
#[test]
fn counts_ill_formed_lines() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("one"), b"b\n\xff\na\xc3\n").unwrap();
    fs::write(workspace.root().join("two"), b"\xc3").unwrap();
    let run = |words: &[&str]| {
        let words = [&["sort", "-c", "utf8mb4_general_ci"], words].concat();
        workspace.wait_for_end(workspace.weigh(&words).spawn().unwrap())
    };
    let sentence = "weigh: 3 lines are ill-formed in utf8mb4, the first at ";
    for (words, first) in [
        (&["one", "two"][..], "one:2; "),
        (&["one", "two", "-S", "4"], "one:2; "),
        // Reads the first line of each file before the second.
        (&["--merge", "one", "two"], "two:1; "),
    ] {
        let sentence = format!("{sentence}{first}");
        let finished = run(&[words, &["-o", "out"]].concat());
        assert!(finished.code == Some(0) && finished.stderr.starts_with(&sentence), "{words:?}: {finished}");
        assert_eq!(finished.stderr.lines().count(), 1, "{finished}");
        assert_eq!(fs::read(workspace.root().join("out")).unwrap().iter().filter(|&&byte| byte == b'\n').count(), 4);
    }
    for words in [&["--quiet", "one", "-o", "out"][..], &["-c", "latin1_bin", "one", "-o", "out"]] {
        assert_eq!(run(words).stderr, "", "{words:?}");
    }
    let checked = run(&["--check", "two"]);
    assert!(checked.code == Some(0) && checked.stderr.starts_with("weigh: 1 line is ill-formed"), "{checked}");
    assert_eq!(run(&["--check=quiet", "two"]).stderr, "");
}

/// A file without line ends, such as a sparse one, is not held in memory as one line.
#[test]
fn long_lines_are_refused() {
    let workspace = Workspace::new();
    for (name, length) in [("long", 3 << 20), ("short", 1 << 20)] {
        fs::write(workspace.root().join(name), vec![b'a'; length]).unwrap();
    }
    for words in [&["weights"][..], &["sort"], &["sort", "--merge"], &["sort", "--check"]] {
        let run = |file| {
            let mut command = workspace.weigh(&[words, &["-c", "binary", file]].concat());
            command.env("WEIGH_MAX_ITEM", "1");
            workspace.wait_for_end(command.spawn().unwrap())
        };
        run("long").refuses_with(&["cannot read long: a line is longer than 1048576 bytes", "WEIGH_MAX_ITEM"]);
        assert_eq!(run("short").code, Some(0), "{words:?}");
    }
}

#[test]
fn sorts_files_and_standard_input() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("one"), "b\nä").unwrap();
    fs::write(workspace.root().join("none"), "").unwrap();
    let words = ["sort", "-c", "utf8mb4_general_ci", "one", "-", "none", "-o", "one"];
    let (code, stdout) = filter(workspace.weigh(&words), b"C\nA");
    assert_eq!((code, stdout), (Some(0), vec![]));
    assert_eq!(fs::read_to_string(workspace.root().join("one")).unwrap(), "A\nä\nb\nC\n");
}

#[test]
fn orders_equal_lines_by_bytes_or_input() {
    assert_eq!(sort(&[], "b\na\nA\nB\n"), "A\na\nB\nb\n");
    assert_eq!(sort(&["-s"], "b\na\nA\nB\n"), "a\nA\nb\nB\n");
    assert_eq!(sort(&["-sr"], "b\na\nA\nB\n"), "b\nB\na\nA\n");
    assert_eq!(sort(&["-u"], "b\na\nA\nB\na \n"), "a\nb\n");
    assert_eq!(sort(&[], ""), "");
    assert_eq!(sort(&[], "\n"), "\n");
}

#[test]
fn reports_a_line_out_of_order() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("lines"), "a\nÄ\nb\nA\n").unwrap();
    let check = |words: &[&str]| {
        workspace.wait_for_end(
            workspace
                .weigh(&[&["sort", "-c", "utf8mb4_general_ci", "--check", "lines"], words].concat())
                .spawn()
                .unwrap(),
        )
    };
    let checked = check(&[]);
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(1), "weigh: lines:4: out of order: A\n"));
    assert_eq!(check(&["--unique"]).stderr, "weigh: lines:2: out of order: Ä\n");
    let quiet = ["sort", "-c", "utf8mb4_general_ci", "lines"];
    for how in ["-C", "--check=quiet"] {
        let finished = workspace.wait_for_end(workspace.weigh(&[&quiet, &[how][..]].concat()).spawn().unwrap());
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(1), ""), "{how}");
    }
    fs::write(workspace.root().join("lines"), "a\nÄ\nb\n").unwrap();
    assert_eq!((check(&[]).code, check(&[]).stderr), (Some(0), String::new()));
}

#[test]
fn accepts_closed_pipes() {
    let workspace = Workspace::new();
    let input = "some line that is not the shortest\n".repeat(100_000);
    fs::write(workspace.root().join("lines"), &input).unwrap();
    for command in ["sort", "weights"] {
        let mut child = workspace.weigh(&[command, "-c", "utf8mb4_general_ci", "lines"]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let finished = workspace.wait_for_end(child);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{command}: {finished}");
    }
}

#[test]
fn reports_errors_in_a_sentence() {
    run_to_end(&["sort", "-c", "utf8mb4_0900_ai_ci"]).refuses_with(&["--flavour mysql or --flavour mariadb"]);
    run_to_end(&["sort", "-c", "utf8mb4_genral_ci"]).refuses_with(&["utf8mb4_general_ci"]);
    run_to_end(&["sort", "-c", "de_pb"]).refuses_with(&["the nearest they have: utf8mb4_de_pb_0900_ai_ci, "]);
    run_to_end(&["explain", "--between", "mysql@9:de_pb,mysql@9:swedish"])
        .refuses_with(&["MySQL 9 has no collation de_pb; the nearest it has: utf8mb4_de_pb_0900_ai_ci"]);
    run_to_end(&["sort", "-c", "binary", "/no/such/file"]).refuses_with(&["cannot read /no/such/file"]);
    run_to_end(&["weights", "-c", "binary", "ß", "ss"]).refuses_with(&["no file ß", "standard input"]);
    run_to_end(&["weights", "-c", "binary", "/"]).refuses_with(&["cannot read /"]);
    run_to_end(&["sort", "-c", "binary", "-o", "/no/such/file"]).refuses_with(&["cannot write /no/such/file"]);
    run_to_end(&["sort", "-c", "binary", "--check", "a", "b"]).refuses_with(&["one file at a time"]);
    run_to_end(&["sort", "-c", "binary", "-S", "1Q"]).refuses_with(&["500M, 2G or 50%"]);
    run_to_end(&["explain", "--hex", "6", "61"]).refuses_with(&["hexadecimal"]);
    run_to_end(&["explain", "-c", "latin1_swedish_ci", "ж", "a"]).refuses_with(&["latin1 has no ж"]);
}

#[test]
fn equal_lines_have_equal_keys() {
    let words = ["weights", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql"];
    let keys = String::from_utf8(weigh(&words, "Straße\nSTRASSE\nStrase".as_bytes())).unwrap();
    let keys: Vec<&str> = keys.lines().collect();
    assert!(keys.len() == 3 && keys[0] == keys[1] && keys[2] < keys[0], "{keys:?}");
    assert!(keys[0].bytes().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit)));
    let words = [&words[..], &["--weight-string"]].concat();
    assert_eq!(weigh(&words, b"a\n\xFF\n\n"), b"1C47\nNULL\n\n");
}

#[test]
fn explains_the_first_difference() {
    let text = run_to_end(&["explain", "-c", "utf8mb4_0900_as_cs", "--flavour=mysql", "résumé", "Résumé"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text}");
    assert!(text.stdout.contains("'r' (0002) before 'R' (0008) at the tertiary level"), "{text}");
    let (long, later) = (format!("{}b", "a".repeat(200)), format!("{}c", "a".repeat(200)));
    let text = run_to_end(&["explain", &long, &later]);
    assert!(text.stdout.lines().count() <= 80 && text.stdout.contains("all: --all"), "{text}");
    let text = run_to_end(&["explain", "--all", &long, &later]);
    assert!(text.stdout.lines().count() > 200 && !text.stdout.contains("--all"), "{text}");
    let json = run_to_end(&["explain", "--format=json", "Straße", "STRASSE"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let verdicts: Vec<String> =
        json["views"].as_array().unwrap().iter().map(|view| view["verdict"].to_string()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| *verdict == "\"equal\"").count(), verdicts.len() - 1, "{json:#}");
    assert_eq!(json["views"][0]["collation"], "utf8mb4_general_ci");
    assert_eq!(json["views"][0]["parting"]["a"]["step"], 5, "{json:#}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/explain.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
}

#[test]
fn accepts_strings_like_options_and_any_bytes() {
    let text = run_to_end(&["explain", "-c", "utf8mb4_general_ci", "--", "-pa", "-pA"]);
    assert!(text.stdout.contains("a = b") && text.stdout.contains("'-pa'"), "{text}");
    let text = run_to_end(&["explain", "-c", "utf8mb4_general_ci", "--hex", "61E282", "6109"]);
    assert!(text.stdout.contains("ill-formed") && text.stdout.contains("U+0009"), "{text}");
    let text = run_to_end(&["explain", "-c", "latin1_german2_ci", "ä", "ae"]);
    assert!(text.stdout.contains("a = b") && text.stdout.contains("expansion"), "{text}");
}

#[test]
fn sorts_in_little_memory() {
    // The smallest memory holds about a tenth of the lines, the largest holds all.
    let lines: String = (0..40_000_u32)
        .map(|number| format!("{}{}\n", ["a", "A", "ä", "Ä ", "b"][number as usize % 5], number * 7919 % 10_007))
        .collect();
    for options in [&[][..], &["-s"], &["-u"], &["-r"], &["-sr"], &["-ur"]] {
        let expected = sort(options, &lines);
        for memory in [&["-S", "200K", "--parallel=3"][..], &["-S1M", "-T", "/tmp"], &["--buffer-size=20M"]] {
            assert_eq!(sort(&[options, memory].concat(), &lines), expected, "{options:?} {memory:?}");
        }
    }
}

#[test]
fn merges_sorted_files() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("one"), "a\nB\nz").unwrap();
    fs::write(workspace.root().join("two"), "A\nä\nb\n").unwrap();
    fs::write(workspace.root().join("none"), "").unwrap();
    let merged = |words: &[&str]| {
        let files = ["one", "none", "two", "-"];
        let (code, stdout) =
            filter(workspace.weigh(&[&["sort", "-c", "utf8mb4_general_ci", "-m"], words, &files].concat()), b"c\n");
        assert_eq!(code, Some(0));
        String::from_utf8(stdout).unwrap()
    };
    assert_eq!(merged(&[]), "A\na\nä\nB\nb\nc\nz\n");
    assert_eq!(merged(&["-s"]), "a\nA\nä\nB\nb\nc\nz\n");
    assert_eq!(merged(&["-u"]), "a\nB\nc\nz\n");
    let refused = workspace.weigh(&["sort", "-c", "binary", "--merge", "-o", "two", "one", "./two"]).spawn().unwrap();
    workspace.wait_for_end(refused).refuses_with(&["--merge writes while it reads", "./two"]);
    assert_eq!(fs::read_to_string(workspace.root().join("two")).unwrap(), "A\nä\nb\n");
}

/// Commands on the page print what the page shows. `BLESS=1` updates the page.
#[test]
fn page_of_languages_shows_real_output() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/languages.md");
    let page = fs::read_to_string(path).unwrap();
    let mut printed = String::new();
    let mut lines = page.lines().peekable();
    let mut seen = 0;
    while let Some(line) = lines.next() {
        printed += &format!("{line}\n");
        let Some(command) = line.strip_prefix("    $ weigh ") else { continue };
        seen += 1;
        let finished = run_to_end(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(finished.code, Some(0), "{command}: {finished}");
        finished.stdout.lines().for_each(|line| printed += &format!("{}\n", format!("    {line}").trim_end()));
        while lines.next_if(|line| line.is_empty() || line.starts_with("    ") && !line.starts_with("    $ ")).is_some()
        {
        }
        if lines.peek().is_some() {
            printed.push('\n');
        }
    }
    assert!(seen > 40, "only {seen} commands");
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, &printed).unwrap();
    } else {
        assert!(page == printed, "docs/reference/languages.md is not what is printed; BLESS=1 writes it anew");
    }
}

#[test]
fn compares_two_collations() {
    let text = run_to_end(&["explain", "--flavour=mysql", "--between", "utf8mb4_0900_as_cs,utf8mb4_cs_0900_as_cs"]);
    assert_eq!(text.code, Some(0), "{text}");
    assert!(text.stdout.contains("ch") && text.stdout.contains("after h, one weight"), "{text}");
    let json = run_to_end(&["explain", "--format=json", "--between", "mysql:utf8mb4_0900_ai_ci,latin1_german2_ci"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/between.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&json) && json["characters"] == 256, "{json}");
    let different = ["explain", "--between", "mysql:utf8mb4_0900_ai_ci,mariadb:utf8mb4_0900_ai_ci"];
    let (short, all) = (run_to_end(&different), run_to_end(&[&different[..], &["--all"]].concat()));
    let lines = |finished: &Finished| finished.stdout.lines().count();
    assert!(lines(&short) <= 70 && lines(&all) > 700, "{} and {} lines", lines(&short), lines(&all));
    assert!(short.stdout.ends_with("with examples; all: --all\n"), "{short}");
    for (same, says) in [
        ("utf8mb4_general_ci,utf8mb4_general_ci", "Both names are one collation, utf8mb4_general_ci (MySQL, MariaDB)"),
        ("mysql:utf8mb4_bin,mariadb:utf8mb4_bin", "utf8mb4_bin (MySQL) and utf8mb4_bin (MariaDB) are the same"),
        ("utf8mb3_general_ci,utf8mb4_general_ci", "are the same for all 63,488 characters"),
    ] {
        let text = run_to_end(&["explain", "--between", same]);
        assert!(text.stdout.contains(says) && text.stdout.lines().count() == 1, "{text}");
    }
    run_to_end(&["explain", "--between", "utf8mb4_general_ci"]).refuses_with(&["takes two collations"]);
    run_to_end(&["explain", "--between", "utf8mb4_0900_ai_ci,utf8mb4_bin"]).refuses_with(&["mysql:utf8mb4_0900_ai_ci"]);
    run_to_end(&["explain", "--between", "oracle:x,utf8mb4_bin"]).refuses_with(&["oracle is no flavour"]);
}

#[test]
fn compares_collations_of_two_server_versions() {
    let finished = run_to_end(&["explain", "--between", "mysql@5.7:utf8_unicode_ci,mysql@9:utf8mb3_unicode_ci"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert!(finished.stdout.contains("MySQL 5.7") && finished.stdout.contains("MySQL 9"), "{finished}");
    run_to_end(&["explain", "--between", "mysql@5.7:utf8mb4_0900_ai_ci,mysql@9:utf8mb4_0900_ai_ci"])
        .refuses_with(&["MySQL 5.7 has no collation utf8mb4_0900_ai_ci", "utf8mb4_unicode_520_ci"]);
    run_to_end(&["explain", "--between", "oracle@19:a,mysql:b"]).refuses_with(&["oracle-19"]);
}
