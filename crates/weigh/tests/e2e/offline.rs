//! `weigh sort`, `weigh weights` and `weigh explain`: filters that need no server.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::place::{Done, Place};

/// What a command makes of its standard input.
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
    let place = Place::new();
    let (code, stdout) = filter(place.weigh(words), input);
    assert_eq!(code, Some(0), "{words:?}");
    stdout
}

fn sorted(words: &[&str], input: &str) -> String {
    String::from_utf8(weigh(&[&["sort", "-c", "utf8mb4_general_ci"], words].concat(), input.as_bytes())).unwrap()
}

fn done(words: &[&str]) -> Done {
    let place = Place::new();
    place.end(place.weigh(words).spawn().unwrap())
}

/// Lines of all bytes but the two ends of lines, some of them twice, the last without an end.
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
fn bytes_are_sorted_as_gnu_sort_does() {
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

#[test]
fn files_and_standard_input_are_sorted_into_one() {
    let place = Place::new();
    fs::write(place.root().join("one"), "b\nä").unwrap();
    fs::write(place.root().join("none"), "").unwrap();
    let words = ["sort", "-c", "utf8mb4_general_ci", "one", "-", "none", "-o", "one"];
    let (code, stdout) = filter(place.weigh(&words), b"C\nA");
    assert_eq!((code, stdout), (Some(0), vec![]));
    assert_eq!(fs::read_to_string(place.root().join("one")).unwrap(), "A\nä\nb\nC\n");
}

#[test]
fn equal_lines_stand_in_the_order_of_their_bytes_or_as_they_came() {
    assert_eq!(sorted(&[], "b\na\nA\nB\n"), "A\na\nB\nb\n");
    assert_eq!(sorted(&["-s"], "b\na\nA\nB\n"), "a\nA\nb\nB\n");
    assert_eq!(sorted(&["-sr"], "b\na\nA\nB\n"), "b\nB\na\nA\n");
    assert_eq!(sorted(&["-u"], "b\na\nA\nB\na \n"), "a\nb\n");
    assert_eq!(sorted(&[], ""), "");
    assert_eq!(sorted(&[], "\n"), "\n");
}

#[test]
fn a_line_out_of_order_is_told() {
    let place = Place::new();
    fs::write(place.root().join("lines"), "a\nÄ\nb\nA\n").unwrap();
    let check = |words: &[&str]| {
        place.end(
            place.weigh(&[&["sort", "-c", "utf8mb4_general_ci", "--check", "lines"], words].concat()).spawn().unwrap(),
        )
    };
    let found = check(&[]);
    assert_eq!((found.code, found.stderr.as_str()), (Some(1), "weigh: lines:4: out of order: A\n"));
    assert_eq!(check(&["--unique"]).stderr, "weigh: lines:2: out of order: Ä\n");
    let quiet = ["sort", "-c", "utf8mb4_general_ci", "lines"];
    for how in ["-C", "--check=quiet"] {
        let done = place.end(place.weigh(&[&quiet, &[how][..]].concat()).spawn().unwrap());
        assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""), "{how}");
    }
    fs::write(place.root().join("lines"), "a\nÄ\nb\n").unwrap();
    assert_eq!((check(&[]).code, check(&[]).stderr), (Some(0), String::new()));
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let place = Place::new();
    let input = "some line that is not the shortest\n".repeat(100_000);
    fs::write(place.root().join("lines"), &input).unwrap();
    for command in ["sort", "weights"] {
        let mut child = place.weigh(&[command, "-c", "utf8mb4_general_ci", "lines"]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let done = place.end(child);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{command}: {done}");
    }
}

#[test]
fn what_cannot_be_done_is_told_in_a_sentence() {
    done(&["sort", "-c", "utf8mb4_0900_ai_ci"]).refuses_with(&["--flavour mysql or --flavour mariadb"]);
    done(&["sort", "-c", "utf8mb4_genral_ci"]).refuses_with(&["utf8mb4_general_ci"]);
    done(&["sort", "-c", "binary", "/no/such/file"]).refuses_with(&["cannot read /no/such/file"]);
    done(&["weights", "-c", "binary", "/"]).refuses_with(&["cannot read /"]);
    done(&["sort", "-c", "binary", "-o", "/no/such/file"]).refuses_with(&["cannot write /no/such/file"]);
    done(&["sort", "-c", "binary", "--check", "a", "b"]).refuses_with(&["one file at a time"]);
    done(&["sort", "-c", "binary", "-S", "1Q"]).refuses_with(&["500M, 2G or 50%"]);
    done(&["explain", "--hex", "6", "61"]).refuses_with(&["hexadecimal"]);
    done(&["explain", "-c", "latin1_swedish_ci", "ж", "a"]).refuses_with(&["latin1 has no ж"]);
}

#[test]
fn keys_are_equal_where_lines_are() {
    let words = ["weights", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql"];
    let keys = String::from_utf8(weigh(&words, "Straße\nSTRASSE\nStrase".as_bytes())).unwrap();
    let keys: Vec<&str> = keys.lines().collect();
    assert!(keys.len() == 3 && keys[0] == keys[1] && keys[2] < keys[0], "{keys:?}");
    assert!(keys[0].bytes().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit)));
    let words = [&words[..], &["--weight-string"]].concat();
    assert_eq!(weigh(&words, b"a\n\xFF\n\n"), b"1C47\nNULL\n\n");
}

#[test]
fn an_explanation_tells_where_strings_part() {
    let text = done(&["explain", "-c", "utf8mb4_0900_as_cs", "--flavour=mysql", "résumé", "Résumé"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text}");
    assert!(text.stdout.contains("'r' (0002) before 'R' (0008) at the tertiary level"), "{text}");
    let json = done(&["explain", "--format=json", "Straße", "STRASSE"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let verdicts: Vec<String> =
        json["views"].as_array().unwrap().iter().map(|view| view["verdict"].to_string()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| *verdict == "\"equal\"").count(), verdicts.len() - 1, "{json:#}");
    assert_eq!(json["views"][0]["collation"], "utf8mb4_general_ci");
    assert_eq!(json["views"][0]["parting"]["a"]["step"], 5, "{json:#}");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/explain.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
}

#[test]
fn strings_may_look_like_options_and_be_any_bytes() {
    let text = done(&["explain", "-c", "utf8mb4_general_ci", "--", "-pa", "-pA"]);
    assert!(text.stdout.contains("a = b") && text.stdout.contains("'-pa'"), "{text}");
    let text = done(&["explain", "-c", "utf8mb4_general_ci", "--hex", "61E282", "6109"]);
    assert!(text.stdout.contains("ill-formed") && text.stdout.contains("U+0009"), "{text}");
    let text = done(&["explain", "-c", "latin1_german2_ci", "ä", "ae"]);
    assert!(text.stdout.contains("a = b") && text.stdout.contains("expansion"), "{text}");
}

#[test]
fn in_little_memory_the_order_is_the_same() {
    // The least holds about a tenth of them, the most all.
    let lines: String = (0..40_000_u32)
        .map(|number| format!("{}{}\n", ["a", "A", "ä", "Ä ", "b"][number as usize % 5], number * 7919 % 10_007))
        .collect();
    for options in [&[][..], &["-s"], &["-u"], &["-r"], &["-sr"], &["-ur"]] {
        let expected = sorted(options, &lines);
        for memory in [&["-S", "200K", "--parallel=3"][..], &["-S1M", "-T", "/tmp"], &["--buffer-size=20M"]] {
            assert_eq!(sorted(&[options, memory].concat(), &lines), expected, "{options:?} {memory:?}");
        }
    }
}

#[test]
fn files_in_order_are_merged() {
    let place = Place::new();
    fs::write(place.root().join("one"), "a\nB\nz").unwrap();
    fs::write(place.root().join("two"), "A\nä\nb\n").unwrap();
    fs::write(place.root().join("none"), "").unwrap();
    let merged = |words: &[&str]| {
        let files = ["one", "none", "two", "-"];
        let (code, stdout) =
            filter(place.weigh(&[&["sort", "-c", "utf8mb4_general_ci", "-m"], words, &files].concat()), b"c\n");
        assert_eq!(code, Some(0));
        String::from_utf8(stdout).unwrap()
    };
    assert_eq!(merged(&[]), "A\na\nä\nB\nb\nc\nz\n");
    assert_eq!(merged(&["-s"]), "a\nA\nä\nB\nb\nc\nz\n");
    assert_eq!(merged(&["-u"]), "a\nB\nc\nz\n");
    let refused = place.weigh(&["sort", "-c", "binary", "--merge", "-o", "two", "one", "./two"]).spawn().unwrap();
    place.end(refused).refuses_with(&["--merge writes while it reads", "./two"]);
    assert_eq!(fs::read_to_string(place.root().join("two")).unwrap(), "A\nä\nb\n");
}

/// The page's commands print what the page shows. `BLESS=1` writes it anew.
#[test]
fn the_page_of_languages_shows_what_is_printed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/languages.md");
    let page = fs::read_to_string(path).unwrap();
    let mut printed = String::new();
    let mut lines = page.lines().peekable();
    let mut seen = 0;
    while let Some(line) = lines.next() {
        printed += &format!("{line}\n");
        let Some(command) = line.strip_prefix("    $ weigh ") else { continue };
        seen += 1;
        let done = done(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, Some(0), "{command}: {done}");
        done.stdout.lines().for_each(|line| printed += &format!("{}\n", format!("    {line}").trim_end()));
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
        assert!(page == printed, "docs/languages.md is not what is printed; BLESS=1 writes it anew");
    }
}

#[test]
fn two_collations_are_held_against_each_other() {
    let text = done(&["explain", "--flavour=mysql", "--between", "utf8mb4_0900_as_cs,utf8mb4_cs_0900_as_cs"]);
    assert_eq!(text.code, Some(0), "{text}");
    assert!(text.stdout.contains("ch") && text.stdout.contains("after h, one weight"), "{text}");
    let json = done(&["explain", "--format=json", "--between", "mysql:utf8mb4_0900_ai_ci,latin1_german2_ci"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/between.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&json) && json["characters"] == 256, "{json}");
    done(&["explain", "--between", "utf8mb4_general_ci"]).refuses_with(&["takes two collations"]);
    done(&["explain", "--between", "utf8mb4_0900_ai_ci,utf8mb4_bin"]).refuses_with(&["mysql:utf8mb4_0900_ai_ci"]);
    done(&["explain", "--between", "oracle:x,utf8mb4_bin"]).refuses_with(&["oracle is no flavour"]);
}
