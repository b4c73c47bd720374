//! Compares the external sort with the standard library's, with memory from 0 bytes up.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use extsort::{Options, SortedRecords, Sorter, Ties, ValueRuns};
use proptest::prelude::*;

type Pair = (Vec<u8>, Vec<u8>);

fn collect_pairs(mut sorted: SortedRecords) -> Vec<Pair> {
    let mut records = Vec::new();
    while let Some(record) = sorted.next().unwrap() {
        records.push((record.key.to_vec(), record.value.to_vec()));
    }
    records
}

fn sort_pairs(records: &[Pair], memory: usize, ties: Ties, descending: bool) -> (Vec<Pair>, bool) {
    let mut sorter = Sorter::new(Options { memory, ties, descending, ..Options::default() });
    for (key, value) in records {
        sorter.push(key, value).unwrap();
    }
    assert_eq!(sorter.len(), records.len() as u64);
    let spilled = sorter.has_spilled();
    (collect_pairs(sorter.finish().unwrap()), spilled)
}

/// Up to 199 records of four different bytes, zero included, so that keys repeat and are prefixes
/// of other keys.
fn records() -> impl Strategy<Value = Vec<Pair>> {
    let bytes = |most| prop::collection::vec(prop::sample::select(vec![0, 1, b'a', 0xFF]), 0..most);
    prop::collection::vec((bytes(12), bytes(4)), 0..200)
}

proptest! {
    #[test]
    fn sorts_like_a_stable_sort_in_memory(records in records(), memory in 0_usize..6000) {
        let mut expected = records.clone();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(sort_pairs(&records, memory, Ties::Arrival, false).0, expected);
    }

    #[test]
    fn descending_sort_keeps_the_order_of_arrival(records in records(), memory in 0_usize..6000) {
        let mut expected = records.clone();
        expected.sort_by(|a, b| b.0.cmp(&a.0));
        prop_assert_eq!(sort_pairs(&records, memory, Ties::Arrival, true).0, expected);
    }

    #[test]
    fn ties_are_ordered_by_value_in_the_same_direction(records in records(), memory in 0_usize..6000) {
        let mut expected = records.clone();
        expected.sort();
        prop_assert_eq!(&sort_pairs(&records, memory, Ties::Value, false).0, &expected);
        expected.reverse();
        prop_assert_eq!(sort_pairs(&records, memory, Ties::Value, true).0, expected);
    }

    #[test]
    fn duplicates_are_removed(records in records(), memory in 0_usize..6000) {
        let mut expected = records.clone();
        expected.sort();
        expected.dedup();
        prop_assert_eq!(sort_pairs(&records, memory, Ties::Distinct, false).0, expected);
    }
}

#[test]
fn merges_many_runs_in_several_passes() {
    // With so little memory two runs are merged at a time: ten passes for a thousand runs.
    let records: Vec<Pair> = (0..1000_u32)
        .map(|number| ((number * 7919 % 1000).to_be_bytes().to_vec(), number.to_le_bytes().to_vec()))
        .collect();
    let mut expected = records.clone();
    expected.sort();
    let (found, spilled) = sort_pairs(&records, 1, Ties::Arrival, false);
    assert!(spilled);
    assert_eq!(found, expected);
}

#[test]
fn record_larger_than_memory_is_a_run() {
    let records: Vec<Pair> = (0..20_u8).rev().map(|number| (vec![number; 300_000], vec![number; 100_000])).collect();
    let mut expected = records.clone();
    expected.reverse();
    assert_eq!(sort_pairs(&records, 1 << 10, Ties::Arrival, false).0, expected);
}

#[test]
fn spill_file_is_unnamed_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(Options { memory: 100, folder: folder.path().to_owned(), ..Options::default() });
    (0..100_u8).for_each(|number| sorter.push(&[number], b"").unwrap());
    assert!(sorter.has_spilled());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let device = std::fs::metadata(folder.path()).unwrap().dev();
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|entry| {
        let target = std::fs::read_link(entry.path()).ok()?;
        target.starts_with(folder.path()).then(|| std::fs::metadata(entry.path()).unwrap())
    });
    let modes: Vec<u32> =
        open.filter(|file| file.dev() == device).map(|file| file.permissions().mode() & 0o777).collect();
    assert_eq!(modes, [0o600]);
}

#[test]
fn names_missing_folder() {
    let folder = "/nonexistent/spill".into();
    let mut sorter = Sorter::new(Options { memory: 1, folder, ..Options::default() });
    sorter.push(b"a", b"").unwrap();
    let error = sorter.push(b"b", b"").unwrap_err().to_string();
    assert!(error.starts_with("cannot create a temporary file in /nonexistent/spill: "), "{error}");
}

proptest! {
    #[test]
    fn merges_runs_of_values_by_computed_keys(records in records(), run in 1_usize..9, memory in 0_usize..200_000) {
        let options = Options { memory, ties: Ties::Value, ..Options::default() };
        // A value's key is the value without its first byte.
        let key = |value: &[u8]| value.get(1..).unwrap_or_default().to_vec();
        let mut values: Vec<Vec<u8>> = records.into_iter().map(|(value, _)| value).collect();
        let mut runs = ValueRuns::new(options);
        for run in values.chunks_mut(run) {
            run.sort_by_key(|value| (key(value), value.clone()));
            runs.append(run.iter().map(Vec::as_slice)).unwrap();
        }
        let mut merge = runs.merge(|value: &[u8], out: &mut Vec<u8>| out.extend_from_slice(value.get(1..).unwrap_or_default())).unwrap();
        let mut merged = Vec::new();
        while let Some(record) = merge.next().unwrap() {
            prop_assert_eq!(record.key, &key(record.value));
            merged.push(record.value.to_vec());
        }
        values.sort_by_key(|value| (key(value), value.clone()));
        prop_assert_eq!(merged, values);
    }
}
