//! `weigh sort` with temporary files, compared with GNU sort of the same lines by bytes.
//!
//! ```text
//! cargo bench -p weigh --bench sort                # 2 GB in 200 MB
//! cargo bench -p weigh --bench sort -- 100 10M 3   # megabytes, memory, rounds
//! ```
//!
//! Each round sorts with both programs, from a file to a file; ratios are taken within a round.
//! Before the rounds, the output of `weigh sort -S` is compared with that of `weigh sort` in
//! memory.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use measure::median_with_interval;
use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// First words of the lines. Lines with the same word share a prefix.
const WORDS: [&str; 8] = ["Straße ", "Ärger ", "book ", "Книга ", "Ελλάδα ", "ελιά ", "東京 ", "Zürich "];

/// Writes lines of a word and 60 to 100 digits, like sysbench's values.
fn write_lines(path: &Path, megabytes: u64) {
    let mut random = Xoshiro256StarStar::seed_from_u64(1);
    let mut out = BufWriter::new(File::create(path).unwrap());
    let mut remaining = (megabytes * 1_000_000) as i64;
    while remaining > 0 {
        let mut line = WORDS[random.next_u32() as usize % WORDS.len()].to_owned();
        for _ in 0..6 + random.next_u32() % 5 {
            line += &format!("{:010}-", random.next_u32());
        }
        line.push('\n');
        remaining -= line.len() as i64;
        out.write_all(line.as_bytes()).unwrap();
    }
    out.flush().unwrap();
}

fn seconds(command: &mut Command) -> f64 {
    let begin = Instant::now();
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
    begin.elapsed().as_secs_f64()
}

/// Runs a command, and returns its peak memory in MiB, sampled every 20 ms.
fn peak(command: &mut Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak_mib = 0;
    loop {
        let held = fs::read_to_string(&status).unwrap_or_default();
        let peak = held.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        peak_mib = peak_mib.max(peak.unwrap_or(0) >> 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{command:?}: {status}");
            return peak_mib;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn same(one: &Path, other: &Path) -> bool {
    let [mut one, mut other] = [one, other].map(|path| BufReader::with_capacity(1 << 20, File::open(path).unwrap()));
    let (mut a, mut b) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let [read, too] = [(&mut one, &mut a), (&mut other, &mut b)].map(|(file, block)| full(file, block));
        if a[..read] != b[..too] {
            return false;
        }
        if read == 0 {
            return true;
        }
    }
}

/// Fills a block, and returns the number of bytes: fewer than the block's length only at the end
/// of the file.
fn full(file: &mut impl Read, block: &mut [u8]) -> usize {
    let mut filled = 0;
    while filled < block.len() {
        match file.read(&mut block[filled..]).unwrap() {
            0 => break,
            read => filled += read,
        }
    }
    filled
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let word = |index: usize, default: &str| words.get(index).cloned().unwrap_or_else(|| default.to_owned());
    let (megabytes, memory, rounds) = (word(0, "2000"), word(1, "200M"), word(2, "7"));
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let [lines, sorted, expected] = ["lines", "sorted", "expected"].map(|name| folder.path().join(name));
    write_lines(&lines, megabytes.parse().unwrap());

    let weigh = |options: &[&str], out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weigh"));
        command.args(["sort", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql", "-o"]).arg(out);
        command.args(options).arg(&lines);
        command
    };
    let temporary = folder.path().to_str().unwrap();
    let bounded = ["-S", &memory, "-T", temporary];
    let peak_mib = peak(&mut weigh(&bounded, &sorted));
    seconds(&mut weigh(&[], &expected));
    assert!(same(&sorted, &expected), "in {memory} the order is another than in memory");
    println!("{megabytes} MB in {memory}: the order is that of memory, weigh sort at its largest {peak_mib} MiB");
    fs::remove_file(&expected).unwrap();

    let gnu = || {
        let mut command = Command::new("sort");
        command.env("LC_ALL", "C").args(bounded).arg("-o").arg(&sorted).arg(&lines);
        command
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 1..=rounds.parse().unwrap() {
        ours.push(seconds(&mut weigh(&bounded, &sorted)));
        theirs.push(seconds(&mut gnu()));
        println!("round {round}: weigh sort {:.1} s, GNU sort {:.1} s", ours[round - 1], theirs[round - 1]);
    }
    let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect();
    match median_with_interval(&ratios) {
        Some(ratio) => println!("time ÷ GNU sort's: {:.2} × [{:.2} … {:.2}]", ratio.value, ratio.low, ratio.high),
        None => println!("too few rounds for an interval: {ratios:.2?}"),
    }
}
