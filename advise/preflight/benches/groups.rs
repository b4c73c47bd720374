//! Times the search for colliding rows by preflight and by the server's `GROUP BY` with `HAVING
//! COUNT(*) > 1`.
//!
//! ```text
//! # 1.3 million words, MySQL and MariaDB
//! cargo bench -p preflight --bench groups
//! # preflight alone on MariaDB, for its memory with about ten million rows
//! cargo bench -p preflight --bench groups -- 18000000 mariadb@trixie ours
//! ```
//!
//! The first argument is the number of words. Words that are equal under the table's collation are
//! skipped.

#[path = "../tests/servers/lab.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod lab;

use std::time::{Duration, Instant};

use lab::{Lab, find_finding, options};
use mysql::prelude::Queryable;
use preflight::checks::CHECKS;
use preflight::{Checkpoint, ReadOptions, Selection};
use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use server::{NoProgress, Options, open};

/// Syllables of seven scripts, and of East Asian text. Some are equal to others under a Unicode
/// collation, but not under general_ci.
const SCRIPTS: [&[&str]; 8] = [
    &["stra", "ss", "ß", "æ", "ae", "fi", "ﬁ", "no", "ij", "ĳ", "lo", "mar", "ĸ", "tz"],
    &["αθ", "η", "ς", "σ", "ου", "κα", "λο", "μι", "ϕ", "φ", "ϑ", "θ"],
    &["пра", "во", "дь", "ѣ", "ста", "ний", "щу", "ѳ", "рус", "мо"],
    &["ש", "לו", "ם", "מ", "ב", "ה", "ר", "ףא", "פא"],
    &["سل", "ام", "ﻼ", "لا", "كت", "ک", "ي", "ی", "ب"],
    &["न", "म", "स्", "ते", "हि", "न्दी", "क", "क़"],
    &["กา", "เก", "สวั", "ดี", "ไท", "ย", "นั"],
    &["日", "本", "カ", "か", "ｶ", "ガ", "ー", "한", "글", "東", "京"],
];

/// Returns the random word of a row.
fn word(row: u64) -> String {
    let mut random = Xoshiro256StarStar::seed_from_u64(row);
    let script = SCRIPTS[random.next_u32() as usize % SCRIPTS.len()];
    let length = 4 + random.next_u32() as usize % 5;
    (0..length).map(|_| script[random.next_u32() as usize % script.len()]).collect()
}

const CREATE: &str = "CREATE TABLE t (id INT PRIMARY KEY, w VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, UNIQUE KEY (w))";

fn open_filled_lab(name: &str, rows: u64) -> Lab {
    let options = Options { buffer_pool: Some(1 << 30), ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut conn = server.connect_unlimited().unwrap();
    conn.query_drop("SET NAMES utf8mb4").unwrap();
    conn.query_drop("SET SESSION sql_mode = ''").unwrap();
    let mut lab = Lab { server, conn, private: None };
    lab.schema("words", "utf8mb4", &[CREATE.to_owned()]);
    for begin in (0..rows).step_by(5_000) {
        let values: Vec<String> =
            (begin..(begin + 5_000).min(rows)).map(|row| format!("({row},'{}')", word(row))).collect();
        lab.conn.query_drop(format!("INSERT IGNORE INTO t VALUES {}", values.join(","))).unwrap();
    }
    lab.conn.query_drop("ANALYZE TABLE t").unwrap();
    lab
}

/// Default of `weigh preflight --examples`.
const EXAMPLES: usize = 100;

/// Collision groups, as the lowest key and the number of rows, and the time to find them.
type Found = (Vec<(u32, u64)>, Duration);

fn find_with_preflight(lab: &Lab, target: &str, examples: usize) -> Found {
    let mut options = options(target);
    options.selection = Selection::named(CHECKS, &["unique-key"]);
    options.request.examples = examples;
    options.memory = 256 << 20;
    let begin = Instant::now();
    let report = lab.report_with("words", &options, &ReadOptions::default(), &Checkpoint::disabled()).unwrap();
    let took = begin.elapsed();
    let finding = find_finding(&report, "unique-key", "words.t: w");
    let rows = report.tables[0].reading.as_ref().unwrap().rows;
    if examples == EXAMPLES {
        println!(
            "  {target}: {rows} rows, {} groups; {:.0} rows/s",
            finding.details.count,
            rows as f64 / took.as_secs_f64()
        );
    }
    let group = |group: &preflight::CollisionGroup| (group.rows[0].key[0].parse().unwrap(), group.count);
    let mut groups: Vec<(u32, u64)> = finding.details.groups.iter().map(group).collect();
    groups.sort_unstable();
    (groups, took)
}

fn find_with_group_by(lab: &mut Lab, target: &str) -> Found {
    let query =
        format!("SELECT MIN(id), COUNT(*) FROM words.t GROUP BY w COLLATE {target} HAVING COUNT(*) > 1 ORDER BY 1");
    let begin = Instant::now();
    let groups = lab.conn.query(query).unwrap();
    (groups, begin.elapsed())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let rows = words.first().map_or(1_300_000, |rows| rows.parse().unwrap());
    let only = words.get(1);
    let alone = words.get(2).is_some_and(|word| word == "ours");
    for (name, targets) in [
        ("mysql@sid", ["utf8mb4_0900_ai_ci", "utf8mb4_unicode_ci"]),
        ("mariadb@trixie", ["utf8mb4_uca1400_ai_ci", "utf8mb4_unicode_ci"]),
    ] {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let mut lab = open_filled_lab(name, rows);
        println!("{name} ({})", lab.server.version());
        for target in targets {
            if alone {
                find_with_preflight(&lab, target, EXAMPLES);
                continue;
            }
            let (_, our_time) = find_with_preflight(&lab, target, EXAMPLES);
            let (theirs, their_time) = find_with_group_by(&mut lab, target);
            // A second run, whose time is not taken, returns all groups: explaining them takes most
            // of it.
            let (ours, _) = find_with_preflight(&lab, target, usize::MAX);
            assert!(ours == theirs, "{target}: {} groups and {}", ours.len(), theirs.len());
            println!(
                "    preflight {our_time:.2?}, GROUP BY {their_time:.2?}: {:.2} of it; the groups are the same",
                our_time.as_secs_f64() / their_time.as_secs_f64()
            );
        }
        lab.server.stop().unwrap();
    }
    println!("most memory of this process: {}", peak_memory());
}

/// Returns the maximum resident memory of this process.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().to_owned()
}
