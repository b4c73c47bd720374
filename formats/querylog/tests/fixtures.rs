//! Logs of one small load, written by MySQL 5.6 and 9.7, and MariaDB 10.11 and 11.8.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;

use proptest::prelude::*;
use querylog::{Entry, Event, GeneralLog, SlowLog};

fn fixtures(ending: &str) -> Vec<(String, PathBuf)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        names.filter_map(|path| Some((path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned(), path))).collect();
    found.sort();
    assert_eq!(found.len(), 4, "a log of each server");
    found
}

fn read_slow_log(path: &PathBuf) -> Vec<Entry> {
    SlowLog::new(BufReader::new(File::open(path).unwrap())).map(Result::unwrap).collect()
}

fn read_general_log(path: &PathBuf) -> Vec<Entry> {
    GeneralLog::new(BufReader::new(File::open(path).unwrap())).map(Result::unwrap).collect()
}

fn describe(entry: &Entry) -> String {
    let schema = entry.schema.as_deref().unwrap_or("–");
    let text = match &entry.event {
        Event::Statement(text) => String::from_utf8_lossy(text).into_owned(),
        Event::Command(command) => format!("<{command}>"),
        Event::Truncated => "<cut>".to_owned(),
    };
    format!("{:>3} {schema}: {text}", entry.line)
}

/// Statements of the load with their default schema.
const CALLS: [(&str, &str); 5] = [
    ("SELECT id\nFROM customers /* of the\n# day */\nWHERE mail = 'ann@example.org;\nx'", "shop"),
    ("SELECT id FROM customers WHERE mail = 'b'", "shop"),
    ("SELECT mail FROM customers WHERE id = 1", "shop"),
    ("SELECT mail FROM customers WHERE id = 2", "shop"),
    ("SELECT * FROM shop.customers", "other"),
];

fn assert_all_calls(entries: &[Entry], name: &str) {
    for (text, schema) in CALLS {
        let found: Vec<&Entry> =
            entries.iter().filter(|entry| entry.event == Event::Statement(text.as_bytes().to_vec())).collect();
        assert_eq!(found.len(), 1, "{name}: {text}");
        assert_eq!(found[0].schema.as_deref(), Some(schema), "{name}: {text}");
    }
    let last = "SELECT COUNT(*) FROM customers".as_bytes().to_vec();
    assert!(
        entries.iter().any(|entry| entry.event == Event::Statement(last.clone())),
        "{name}: behind FLUSH SLOW LOGS"
    );
}

#[test]
fn slow_logs_of_servers_are_read() {
    for (name, path) in fixtures(".slow.log") {
        let entries = read_slow_log(&path);
        assert_all_calls(&entries, &name);
        assert!(entries.iter().all(|entry| entry.seconds.is_some()), "{name}: {entries:#?}");
        insta::assert_snapshot!(format!("{name} slow"), entries.iter().map(describe).collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn general_logs_of_servers_are_read() {
    for (name, path) in fixtures(".general.log") {
        let entries = read_general_log(&path);
        assert_all_calls(&entries, &name);
        insta::assert_snapshot!(format!("{name} general"), entries.iter().map(describe).collect::<Vec<_>>().join("\n"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Logs with bytes removed, doubled and overwritten are read to their end, as either kind.
    #[test]
    fn a_mangled_log_is_read_to_its_end(which in 0..8usize, cuts in prop::collection::vec((0.0..1.0f64, 0..200usize, any::<u8>()), 1..20)) {
        let all: Vec<PathBuf> = [fixtures(".slow.log"), fixtures(".general.log")].concat().into_iter().map(|(_, path)| path).collect();
        let mut log = fs::read(&all[which]).unwrap();
        for (place, length, byte) in cuts {
            let at = (place * log.len() as f64) as usize;
            let end = (at + length).min(log.len());
            match byte % 3 {
                0 => drop(log.drain(at..end)),
                1 => log[at..end].fill(byte),
                _ => {
                    let piece = log[at..end].to_vec();
                    log.splice(at..at, piece);
                }
            }
        }
        for entries in [SlowLog::new(log.as_slice()).collect::<Result<Vec<_>, _>>(), GeneralLog::new(log.as_slice()).collect()] {
            prop_assert!(entries.is_ok_and(|entries| entries.iter().all(|entry| entry.line > 0)));
        }
    }
}
