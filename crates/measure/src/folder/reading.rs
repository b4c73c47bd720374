//! Reading a run's folder back, and seeing to it that its parts go together.

use std::fs;
use std::path::Path;

use super::resuming::is_being_measured;
use super::{FolderError, RUN, SAMPLES};
use crate::model::{Block, EARLIER_FORMATS, FORMAT, Pair, Run};

/// Reads a run back, and sees to it that every index leads somewhere: who has a run and blocks from here need not. A last line
/// that was cut off in the middle, as a crash leaves it, is passed over. Of a run that was killed, that is the failure.
pub fn read(path: &Path) -> Result<(Run, Vec<Block>), FolderError> {
    let (mut run, blocks) = read_checked(path)?;
    let has_no_end = run.finished.is_none() && run.failure.is_none() && run.imported.is_none();
    if has_no_end && !is_being_measured(path) {
        run.failure = Some(killed(&run));
    }
    Ok((run, blocks))
}

fn killed(run: &Run) -> String {
    let command = if run.recipe.is_some() { "weigh run" } else { "weigh bench" };
    let remedy = run.progress.map_or_else(String::new, |_| format!("; `{command} --resume` with its folder goes on"));
    format!("weigh was killed{remedy}")
}

/// The run and its blocks as they lie there.
pub(super) fn read_checked(path: &Path) -> Result<(Run, Vec<Block>), FolderError> {
    let (run_path, samples_path) = (path.join(RUN), path.join(SAMPLES));
    let run = read_run(&run_path)?;
    check_run(&run).map_err(|reason| FolderError::Inconsistent { path: run_path, reason })?;
    let blocks = read_samples(&samples_path)?;
    for (index, block) in blocks.iter().enumerate() {
        check_block(&run, block).map_err(|reason| malformed_sample(&samples_path, index, reason))?;
    }
    Ok((run, blocks))
}

fn read_run(path: &Path) -> Result<Run, FolderError> {
    /// The part that all formats share, so that a run of another format is told by its name, not by what it lacks.
    #[derive(serde::Deserialize)]
    struct Format {
        format: String,
    }
    let bytes = read_bytes(path)?;
    let malformed = |line, reason: String| FolderError::Malformed { path: path.to_owned(), line, reason };
    let unreadable = |error: serde_json::Error| malformed(error.line(), reason_of(&error));
    let Format { format } = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if format != FORMAT && !EARLIER_FORMATS.contains(&format.as_str()) {
        return Err(malformed(1, format!("the format is {format}, this version reads {FORMAT}")));
    }
    serde_json::from_slice(&bytes).map_err(unreadable)
}

pub(super) fn read_samples(path: &Path) -> Result<Vec<Block>, FolderError> {
    let bytes = read_bytes(path)?;
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    // What stands behind the last line's end: nothing, or a line that was cut off.
    lines.pop();
    let parse =
        |(index, line)| serde_json::from_slice(line).map_err(|error| malformed_sample(path, index, reason_of(&error)));
    lines.into_iter().enumerate().map(parse).collect()
}

fn malformed_sample(path: &Path, index: usize, reason: String) -> FolderError {
    let reason = format!("{reason}; without this line the rest can be read");
    FolderError::Malformed { path: path.to_owned(), line: index + 1, reason }
}

/// What is wrong, without the line's number, which in a file of many documents is always 1.
fn reason_of(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    format!("{}, column {}", text.strip_suffix(&place).unwrap_or(&text), error.column())
}

fn check_run(run: &Run) -> Result<(), String> {
    for (index, variant) in run.variants.iter().enumerate() {
        exists(variant.server, run.servers.len(), "server").map_err(|reason| format!("variant {index}: {reason}"))?;
    }
    for size in &run.sizes {
        exists(size.variant, run.variants.len(), "variant")
            .map_err(|reason| format!("size of {}: {reason}", size.table))?;
    }
    // A pair's condition may be missing: a run can end between the two, and nothing was measured then.
    for (index, pair) in run.pairs.iter().enumerate() {
        for variant in [pair.variant, pair.baseline] {
            exists(variant, run.variants.len(), "variant").map_err(|reason| format!("pair {index}: {reason}"))?;
        }
    }
    Ok(())
}

fn check_block(run: &Run, block: &Block) -> Result<(), String> {
    exists(block.condition, run.conditions.len(), "condition")?;
    let sides: Vec<usize> = block.sides.iter().map(|side| side.variant).collect();
    match block.pair {
        Some(index) => {
            exists(index, run.pairs.len(), "pair")?;
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
            [variant] => exists(*variant, run.variants.len(), "variant")?,
            _ => return Err(format!("a block of no pair has one side, not {}", sides.len())),
        },
    }
    let mut times = block.sides.iter().map(|side| side.seconds).chain([block.seconds]);
    times.find(|seconds| *seconds < 0.0).map_or(Ok(()), |seconds| Err(format!("{seconds} seconds are no time")))
}

fn exists(index: usize, count: usize, what: &str) -> Result<(), String> {
    if index < count { Ok(()) } else { Err(format!("there is no {what} {index}, the run has {count}")) }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, FolderError> {
    fs::read(path).map_err(|source| FolderError::Read { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
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

    /// A folder that holds a run and this text for samples.
    fn folder(run: &Run, samples: &[u8]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(RUN), serde_json::to_string_pretty(run).unwrap()).unwrap();
        fs::write(folder.path().join(SAMPLES), samples).unwrap();
        folder
    }

    /// What reading says, after the folder's name.
    fn complaint(folder: &TempDir) -> String {
        let message = read(folder.path()).unwrap_err().to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn what_was_written_is_read_back() {
        let samples = line(&block()).repeat(2);
        assert_eq!(read(folder(&run(), samples.as_bytes()).path()).unwrap(), (run(), vec![block(), block()]));
        assert_eq!(read(folder(&run(), b"").path()).unwrap().1, []);
    }

    #[test]
    fn a_run_without_an_end_was_killed_or_is_still_being_measured() {
        let unfinished = Run { finished: None, ..run() };
        let folder = folder(&unfinished, line(&block()).as_bytes());
        let failure = |folder: &TempDir| read(folder.path()).unwrap().0.failure;
        assert_eq!(failure(&folder).as_deref(), Some("weigh was killed"));
        let measuring = fs::File::open(folder.path().join(SAMPLES)).unwrap();
        measuring.lock().unwrap();
        assert_eq!(failure(&folder), None);
        drop(measuring);
        let resumable = Run { progress: Some(Progress::default()), ..unfinished };
        fs::write(folder.path().join(RUN), serde_json::to_string(&resumable).unwrap()).unwrap();
        assert!(failure(&folder).unwrap().contains("`weigh bench --resume`"));
    }

    #[test]
    fn a_run_is_taken_up_behind_its_whole_replicates() {
        let progress = |replicates| Some(Progress { replicates, ..Progress::default() });
        let of = |replicate| line(&Block { replicate: Some(replicate), ..block() });
        let samples = [of(0), of(0), of(1), of(1)].concat();
        for (whole, kept) in [(0, 0), (1, 2), (2, 4)] {
            let begun = Run { finished: None, progress: progress(whole), ..run() };
            let folder = folder(&begun, format!("{samples}{{\"torn").as_bytes());
            let mut resumed = Folder::resume(folder.path()).unwrap();
            assert!(matches!(Folder::resume(folder.path()), Err(FolderError::InUse(_))));
            assert_eq!(fs::read_to_string(folder.path().join(SAMPLES)).unwrap().len(), samples.len() + 6);
            resumed.take_up().unwrap().unwrap();
            assert_eq!((resumed.blocks(), read_samples(&folder.path().join(SAMPLES)).unwrap().len()), (kept, kept));
            resumed.append(&Block { replicate: Some(whole), ..block() }).unwrap();
            assert_eq!(read(folder.path()).unwrap().1.len(), kept + 1);
        }
        for (run, reason) in [
            (Run { progress: progress(2), ..run() }, "its run is done"),
            (Run { finished: None, ..run() }, "only runs of"),
        ] {
            let error = Folder::resume(folder(&run, b"").path()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let empty = tempfile::tempdir().unwrap();
        assert!(Folder::resume(empty.path()).unwrap_err().to_string().contains("it holds no run"));
    }

    #[test]
    fn a_last_line_that_was_cut_off_is_passed_over_wherever_it_was_cut() {
        let whole = line(&block());
        for cut in 0..whole.len() {
            let samples = format!("{whole}{}", &whole[..cut]);
            assert_eq!(read(folder(&run(), samples.as_bytes()).path()).unwrap().1.len(), 1, "cut after {cut} bytes");
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
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
    fn a_block_that_leads_nowhere_is_named() {
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
            (backwards, "-1 seconds are no time"),
            (alone.clone(), "a block of no pair has one side, not 2"),
            (Block { sides: vec![stranger], ..alone }, "there is no variant 2, the run has 2"),
        ] {
            let folder = folder(&run(), (line(&block()) + &line(&damaged)).as_bytes());
            let wanted = format!("samples.jsonl, line 2: {reason}; without this line the rest can be read");
            assert_eq!(complaint(&folder), wanted);
        }
    }

    #[test]
    fn a_run_whose_parts_do_not_go_together_is_refused() {
        let mut lost = run();
        lost.variants[1].server = 1;
        assert_eq!(complaint(&folder(&lost, b"")), "run.json: variant 1: there is no server 1, the run has 1");
        let mut lost = run();
        lost.pairs[0].baseline = 7;
        assert_eq!(complaint(&folder(&lost, b"")), "run.json: pair 0: there is no variant 7, the run has 2");
    }

    #[test]
    fn a_size_of_no_variant_is_refused() {
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
    fn a_run_that_ended_before_its_condition_began_can_be_read() {
        let mut early = run();
        early.conditions.clear();
        assert_eq!(read(folder(&early, b"").path()).unwrap().0, early);
    }

    #[test]
    fn another_format_is_told_by_its_name() {
        let folder = folder(&run(), b"");
        fs::write(folder.path().join(RUN), r#"{"format": "weighbridge-run/9", "news": 1}"#).unwrap();
        let wanted = format!("run.json, line 1: the format is weighbridge-run/9, this version reads {FORMAT}");
        assert_eq!(complaint(&folder), wanted);
        fs::write(folder.path().join(RUN), "{\n  \"format\": 1}").unwrap();
        assert!(complaint(&folder).starts_with("run.json, line 2: invalid type"), "{}", complaint(&folder));
        fs::remove_file(folder.path().join(RUN)).unwrap();
        assert!(complaint(&folder).starts_with("cannot read run.json: "), "{}", complaint(&folder));
    }

    proptest! {
        /// Whatever happens to a byte of the samples, they are refused or can be analysed.
        #[test]
        fn no_damage_leads_further(at in any::<prop::sample::Index>(), byte in any::<u8>(), gone in any::<bool>()) {
            let mut samples = line(&block()).repeat(3).into_bytes();
            let at = at.index(samples.len());
            if gone { samples.truncate(at) } else { samples[at] = byte }
            if let Ok((run, blocks)) = read(folder(&run(), &samples).path()) {
                crate::analyse(&run, &blocks);
            }
        }
    }
}
