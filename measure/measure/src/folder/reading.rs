//! Reading a run folder, and checking its consistency.

use std::path::Path;

use super::resuming::is_being_measured;
use super::{RUN_FILE, RunFolderError, SAMPLES_FILE};
use crate::model::{Block, EARLIER_FORMATS, FORMAT, Pair, Run};

/// Maximum number of each part of a run, such as its pairs.
const MAX_PARTS: usize = 10_000;

/// Maximum number of blocks: two per second for a day.
const MAX_BLOCKS: usize = 200_000;

/// Maximum of conditions × blocks and of pairs × blocks, which the analysis looks through.
const MAX_STEPS: usize = 500_000_000;

/// Reads a run and its blocks. Checks the indices of blocks, variants, sizes, and the variants of
/// pairs, so callers need not. A pair's condition may be missing. Ignores a truncated last line,
/// which a crash can leave. If the run was killed, sets `failure`.
pub fn read_run(path: &Path) -> Result<(Run, Vec<Block>), RunFolderError> {
    let (mut run, blocks) = read_checked(path)?;
    let has_no_end = run.finished.is_none() && run.failure.is_none() && run.imported.is_none();
    if has_no_end && !is_being_measured(path) {
        run.failure = Some(describe_kill(&run));
    }
    Ok((run, blocks))
}

fn describe_kill(run: &Run) -> String {
    let command = if run.recipe.is_some() { "weigh run" } else { "weigh bench" };
    let remedy = run.progress.map_or_else(String::new, |_| format!("; `{command} --resume` with its folder goes on"));
    format!("weigh was killed{remedy}")
}

/// Reads and checks the run and its blocks as stored.
pub(super) fn read_checked(path: &Path) -> Result<(Run, Vec<Block>), RunFolderError> {
    let (run_path, samples_path) = (path.join(RUN_FILE), path.join(SAMPLES_FILE));
    let run = read_run_file(&run_path)?;
    check_run(&run).map_err(|reason| RunFolderError::Inconsistent { path: run_path, reason })?;
    let blocks = read_samples(&samples_path)?;
    check_size(&run, blocks.len()).map_err(|reason| RunFolderError::Inconsistent { path: path.to_owned(), reason })?;
    for (index, block) in blocks.iter().enumerate() {
        check_block(&run, block).map_err(|reason| malformed_sample(&samples_path, index, reason))?;
    }
    Ok((run, blocks))
}

fn read_run_file(path: &Path) -> Result<Run, RunFolderError> {
    /// The part common to all formats, so that an unknown format is reported by name.
    #[derive(serde::Deserialize)]
    struct Format {
        format: String,
    }
    // Memory is about nine times as much, and twenty times for blocks.
    let bytes = read_bytes(path, bounded::max_item_bytes())?;
    let malformed = |line, reason: String| RunFolderError::Malformed { path: path.to_owned(), line, reason };
    let unreadable = |error: serde_json::Error| malformed(error.line(), describe_json_error(&error));
    let Format { format } = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if format != FORMAT && !EARLIER_FORMATS.contains(&format.as_str()) {
        return Err(malformed(1, format!("the format is {format}, this version reads {FORMAT}")));
    }
    serde_json::from_slice(&bytes).map_err(unreadable)
}

pub(super) fn read_samples(path: &Path) -> Result<Vec<Block>, RunFolderError> {
    let bytes = read_bytes(path, bounded::max_item_bytes().saturating_mul(4))?;
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').take(MAX_BLOCKS + 2).collect();
    if lines.len() > MAX_BLOCKS + 1 {
        let reason = format!("a run has at most {MAX_BLOCKS} blocks");
        return Err(malformed_sample(path, MAX_BLOCKS, reason));
    }
    // Text after the last newline: empty, or a truncated line.
    lines.pop();
    let parse = |(index, line)| {
        serde_json::from_slice(line).map_err(|error| malformed_sample(path, index, describe_json_error(&error)))
    };
    lines.into_iter().enumerate().map(parse).collect()
}

fn malformed_sample(path: &Path, index: usize, reason: String) -> RunFolderError {
    let reason = format!("{reason}; without this line the rest can be read");
    RunFolderError::Malformed { path: path.to_owned(), line: index + 1, reason }
}

/// Returns the error without its line number, which `Malformed` has as a field.
fn describe_json_error(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    format!("{}, column {}", text.strip_suffix(&place).unwrap_or(&text), error.column())
}

/// Fails for a run whose analysis would take minutes: more than 10,000 pairs or other parts, or
/// many of them with many blocks.
pub fn check_size(run: &Run, blocks: usize) -> Result<(), String> {
    let classes = run.workload_folder.as_ref().map_or(0, |folder| folder.classes.len());
    let parts = [
        ("servers", run.servers.len()),
        ("variants", run.variants.len()),
        ("conditions", run.conditions.len()),
        ("pairs", run.pairs.len()),
        ("sizes", run.sizes.len()),
        ("plans", run.plans.len()),
        ("classes", classes),
        ("notes", run.notes.len()),
    ];
    if let Some((what, count)) = parts.into_iter().find(|(_, count)| *count > MAX_PARTS) {
        return Err(format!("a run has at most {MAX_PARTS} {what}, not {count}"));
    }
    let most = run.conditions.len().max(run.pairs.len());
    if blocks > MAX_BLOCKS || most.saturating_mul(blocks) > MAX_STEPS {
        return Err(format!("{blocks} blocks of {most} pairs or conditions are too many to analyse"));
    }
    Ok(())
}

fn check_run(run: &Run) -> Result<(), String> {
    check_size(run, 0)?;
    for (index, variant) in run.variants.iter().enumerate() {
        check_index(variant.server, run.servers.len(), "server")
            .map_err(|reason| format!("variant {index}: {reason}"))?;
    }
    for size in &run.sizes {
        check_index(size.variant, run.variants.len(), "variant")
            .map_err(|reason| format!("size of {}: {reason}", size.table))?;
    }
    // A pair may lack its condition, if it has no blocks.
    for (index, pair) in run.pairs.iter().enumerate() {
        for variant in [pair.variant, pair.baseline] {
            check_index(variant, run.variants.len(), "variant").map_err(|reason| format!("pair {index}: {reason}"))?;
        }
    }
    Ok(())
}

fn check_block(run: &Run, block: &Block) -> Result<(), String> {
    check_index(block.condition, run.conditions.len(), "condition")?;
    let sides: Vec<usize> = block.sides.iter().map(|side| side.variant).collect();
    match block.pair {
        Some(index) => {
            check_index(index, run.pairs.len(), "pair")?;
            let Pair { condition, variant, baseline, .. } = run.pairs[index];
            if condition != block.condition {
                return Err(format!("pair {index} is of condition {condition}, not {}", block.condition));
            }
            if sides != [baseline, variant] {
                return Err(format!(
                    "pair {index} is of variants {baseline} and {variant}, the sides are of {sides:?}"
                ));
            }
        }
        None => match sides.as_slice() {
            [variant] => check_index(*variant, run.variants.len(), "variant")?,
            _ => return Err(format!("a block of no pair has one side, not {}", sides.len())),
        },
    }
    let mut times = block.sides.iter().map(|side| side.seconds).chain([block.seconds]);
    times.find(|seconds| *seconds < 0.0).map_or(Ok(()), |seconds| Err(format!("{seconds} seconds is not a valid time")))
}

fn check_index(index: usize, count: usize, what: &str) -> Result<(), String> {
    if index < count { Ok(()) } else { Err(format!("there is no {what} {index}, the run has {count}")) }
}

fn read_bytes(path: &Path, limit: usize) -> Result<Vec<u8>, RunFolderError> {
    let opened = files::open_regular(path).and_then(|file| bounded::read_up_to(file, limit));
    opened.map_err(|source| RunFolderError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::folder::RunFolder;
    use crate::model::{Latency, PairKind, Progress, Side, TableSize};
    use proptest::prelude::*;
    use serde_json::json;
    use tempfile::TempDir;

    fn run() -> Run {
        let variant = json!({"server": 0, "collation": "c", "charset": "c", "connection_charset": "c",
                             "text": "digits", "copy": false});
        let server = json!({"label": "s", "flavour": "mysql", "version": "1", "comment": "", "private": true,
                            "settings": {}});
        serde_json::from_value(json!({
            "format": FORMAT,
            "weigh": "0",
            "started": "2026-11-21T00:00:00Z",
            "finished": "2026-11-21T00:01:00Z",
            "machine": {"system": "", "kernel": "", "processor": "", "cores": 2, "memory_bytes": 1},
            "servers": [server],
            "options": {"mode": "duet", "driver": "native", "precision": 0.02, "max_time_s": 1.0, "block_s": 1.0,
                        "warmup_s": 0.0, "pinned": true, "tables": 1, "table_size": 1, "range_size": 1,
                        "protocol": "prepared", "skip_trx": false, "rand_type": "uniform", "seed": 1},
            "variants": [variant, variant],
            "conditions": [{"workload": "w", "text": "digits", "threads": 1}],
            "pairs": [Pair { condition: 0, variant: 1, baseline: 0, kind: PairKind::Collation }],
            "notes": [],
        }))
        .unwrap()
    }

    fn block() -> Block {
        let side = |variant| Side {
            variant,
            seconds: 1.0,
            events: 100,
            queries: 100,
            rows: None,
            errors: [(1213, 1)].into(),
            lost_connections: 0,
            unbound: false,
            missed: 0,
            effort: None,
            statement_effort: None,
            work: Default::default(),
            server_cpu_us: Some(1.5),
            pages_read: None,
            client_cpu_us: None,
            latency: Latency { p50_ms: None, p95_ms: Some(1.0), p99_ms: None, hdr: None },
            log: None,
        };
        Block {
            condition: 0,
            pair: Some(0),
            replicate: Some(0),
            round: 0,
            warm_up: false,
            at_s: 1.0,
            seconds: 1.0,
            stolen: None,
            sides: vec![side(0), side(1)],
        }
    }

    fn line(block: &Block) -> String {
        serde_json::to_string(block).unwrap() + "\n"
    }

    /// Creates a folder with this run and this content of `samples.jsonl`.
    fn folder(run: &Run, samples: &[u8]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(RUN_FILE), serde_json::to_string_pretty(run).unwrap()).unwrap();
        fs::write(folder.path().join(SAMPLES_FILE), samples).unwrap();
        folder
    }

    /// Returns the error message without the folder's path.
    fn complaint(folder: &TempDir) -> String {
        let message = read_run(folder.path()).unwrap_err().to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn written_run_reads_back() {
        let samples = line(&block()).repeat(2);
        assert_eq!(read_run(folder(&run(), samples.as_bytes()).path()).unwrap(), (run(), vec![block(), block()]));
        assert_eq!(read_run(folder(&run(), b"").path()).unwrap().1, []);
    }

    #[test]
    fn run_without_end_is_incomplete() {
        let unfinished = Run { finished: None, ..run() };
        let folder = folder(&unfinished, line(&block()).as_bytes());
        let failure = |folder: &TempDir| read_run(folder.path()).unwrap().0.failure;
        assert_eq!(failure(&folder).as_deref(), Some("weigh was killed"));
        let measuring = fs::File::open(folder.path().join(SAMPLES_FILE)).unwrap();
        measuring.lock().unwrap();
        assert_eq!(failure(&folder), None);
        drop(measuring);
        let resumable = Run { progress: Some(Progress::default()), ..unfinished };
        fs::write(folder.path().join(RUN_FILE), serde_json::to_string(&resumable).unwrap()).unwrap();
        assert!(failure(&folder).unwrap().contains("`weigh bench --resume`"));
    }

    #[test]
    fn resumes_after_complete_replicates() {
        let progress = |replicates| Some(Progress { replicates, ..Progress::default() });
        let of = |replicate| line(&Block { replicate: Some(replicate), ..block() });
        let samples = [of(0), of(0), of(1), of(1)].concat();
        for (whole, kept) in [(0, 0), (1, 2), (2, 4)] {
            let begun = Run { finished: None, progress: progress(whole), ..run() };
            let folder = folder(&begun, format!("{samples}{{\"torn").as_bytes());
            let mut resumed = RunFolder::resume(folder.path()).unwrap();
            assert!(matches!(RunFolder::resume(folder.path()), Err(RunFolderError::InUse(_))));
            assert_eq!(fs::read_to_string(folder.path().join(SAMPLES_FILE)).unwrap().len(), samples.len() + 6);
            resumed.start_resuming().unwrap().unwrap();
            assert_eq!(
                (resumed.counted_blocks(), read_samples(&folder.path().join(SAMPLES_FILE)).unwrap().len()),
                (kept, kept)
            );
            resumed.append(&Block { replicate: Some(whole), ..block() }).unwrap();
            assert_eq!(read_run(folder.path()).unwrap().1.len(), kept + 1);
        }
        for (run, reason) in [
            (Run { progress: progress(2), ..run() }, "its run is done"),
            (Run { finished: None, ..run() }, "only runs of"),
            (
                Run { finished: None, progress: Some(Progress { renewal_s: -1.0, ..Progress::default() }), ..run() },
                "-1 s: ",
            ),
        ] {
            let error = RunFolder::resume(folder(&run, b"").path()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let empty = tempfile::tempdir().unwrap();
        assert!(RunFolder::resume(empty.path()).unwrap_err().to_string().contains("it holds no run"));
    }

    #[test]
    fn ignores_truncated_last_line() {
        let whole = line(&block());
        for cut in 0..whole.len() {
            let samples = format!("{whole}{}", &whole[..cut]);
            assert_eq!(
                read_run(folder(&run(), samples.as_bytes()).path()).unwrap().1.len(),
                1,
                "cut after {cut} bytes"
            );
        }
    }

    #[test]
    fn reports_damaged_line() {
        let whole = line(&block());
        for (damaged, reason) in [
            ("{}", "missing field `condition`, column 2"),
            ("", "EOF while parsing a value, column 0"),
            (&whole[..46], "EOF while parsing a value, column 46"),
        ] {
            let folder = folder(&run(), format!("{whole}{damaged}\n{whole}").as_bytes());
            let wanted = format!("samples.jsonl, line 2: {reason}; without this line the rest can be read");
            assert_eq!(complaint(&folder), wanted);
        }
        let folder = folder(&run(), &[whole.as_bytes(), b"\xff\xfe\n"].concat());
        assert!(complaint(&folder).starts_with("samples.jsonl, line 2: expected value"), "{}", complaint(&folder));
    }

    #[test]
    fn reports_block_of_unknown_pair() {
        let mut turned = block();
        turned.sides.reverse();
        let mut backwards = block();
        backwards.sides[1].seconds = -1.0;
        let alone = Block { pair: None, ..block() };
        let stranger = Side { variant: 2, ..block().sides[0].clone() };
        for (damaged, reason) in [
            (Block { condition: 1, ..block() }, "there is no condition 1, the run has 1"),
            (Block { pair: Some(9), ..block() }, "there is no pair 9, the run has 1"),
            (Block { sides: Vec::new(), ..block() }, "pair 0 is of variants 0 and 1, the sides are of []"),
            (turned, "pair 0 is of variants 0 and 1, the sides are of [1, 0]"),
            (backwards, "-1 seconds is not a valid time"),
            (alone.clone(), "a block of no pair has one side, not 2"),
            (Block { sides: vec![stranger], ..alone }, "there is no variant 2, the run has 2"),
        ] {
            let folder = folder(&run(), (line(&block()) + &line(&damaged)).as_bytes());
            let wanted = format!("samples.jsonl, line 2: {reason}; without this line the rest can be read");
            assert_eq!(complaint(&folder), wanted);
        }
    }

    #[test]
    fn rejects_inconsistent_run() {
        let mut lost = run();
        lost.variants[1].server = 1;
        assert_eq!(complaint(&folder(&lost, b"")), "run.json: variant 1: there is no server 1, the run has 1");
        let mut lost = run();
        lost.pairs[0].baseline = 7;
        assert_eq!(complaint(&folder(&lost, b"")), "run.json: pair 0: there is no variant 7, the run has 2");
    }

    /// A stranger's folder that would keep `weigh report` busy for hours.
    #[test]
    fn rejects_runs_that_take_minutes_to_analyse() {
        let mut large = run();
        large.conditions = vec![large.conditions[0].clone(); MAX_PARTS + 1];
        let reason = "run.json: a run has at most 10000 conditions, not 10001";
        assert_eq!(complaint(&folder(&large, b"")), reason);
        large.conditions.truncate(MAX_PARTS);
        assert!(check_size(&large, 10_000).is_ok() && check_size(&large, 100_000).is_err());
        let blocks = line(&block()).repeat(MAX_BLOCKS + 1);
        let complaint = complaint(&folder(&run(), blocks.as_bytes()));
        assert!(complaint.contains("at most 200000 blocks"), "{complaint}");
    }

    #[test]
    fn rejects_size_of_unknown_variant() {
        let mut lost = run();
        let size = TableSize {
            variant: 2,
            table: "t".into(),
            rows: 1,
            data_bytes: 1,
            index_bytes: 0,
            leaf_pages: None,
            page_bytes: 1,
        };
        lost.sizes.push(size);
        assert_eq!(complaint(&folder(&lost, b"")), "run.json: size of t: there is no variant 2, the run has 2");
    }

    #[test]
    fn reads_run_that_ended_early() {
        let mut early = run();
        early.conditions.clear();
        assert_eq!(read_run(folder(&early, b"").path()).unwrap().0, early);
    }

    #[test]
    fn names_unsupported_format() {
        let folder = folder(&run(), b"");
        fs::write(folder.path().join(RUN_FILE), r#"{"format": "weighbridge-run/9", "news": 1}"#).unwrap();
        let wanted = format!("run.json, line 1: the format is weighbridge-run/9, this version reads {FORMAT}");
        assert_eq!(complaint(&folder), wanted);
        fs::write(folder.path().join(RUN_FILE), "{\n  \"format\": 1}").unwrap();
        assert!(complaint(&folder).starts_with("run.json, line 2: invalid type"), "{}", complaint(&folder));
        fs::remove_file(folder.path().join(RUN_FILE)).unwrap();
        assert!(complaint(&folder).starts_with("cannot read run.json: "), "{}", complaint(&folder));
    }

    proptest! {
        /// With a byte changed or the end cut off, the samples are rejected or can be analysed.
        #[test]
        fn damaged_samples_are_rejected_or_analysed(at in any::<prop::sample::Index>(), byte in any::<u8>(), gone in any::<bool>()) {
            let mut samples = line(&block()).repeat(3).into_bytes();
            let at = at.index(samples.len());
            if gone { samples.truncate(at) } else { samples[at] = byte }
            if let Ok((run, blocks)) = read_run(folder(&run(), &samples).path()) {
                crate::analyse(&run, &blocks);
            }
        }
    }
}
