//! `weigh bench --self-test`.

use measure::{EXTRA_WORK, SelfTest};

use crate::place::{Place, SMALL};

#[test]
fn every_round_measures_every_share_of_extra_work_beside_an_aa_bound() {
    let place = Place::new();
    let words = ["--self-test", "--rounds=2", "--format=json", "-w", "oltp_point_select"];
    let done = place.end(place.bench(&SMALL, &words).spawn().unwrap());
    // Whether so few blocks on a busy machine find the truth is not ours to say; that they are told is.
    assert!(matches!(done.code, Some(0 | 1)), "{done}");
    let test: SelfTest = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(done.code == Some(0), test.sound);
    assert_eq!((test.rounds, test.found.len()), (2, EXTRA_WORK.len()));
    for (found, share) in test.found.iter().zip(EXTRA_WORK) {
        assert_eq!((found.more_work, found.ratios.len(), found.truth), (share, 2, 1.0 / (1.0 + share)));
        let called = [found.slower, found.faster, found.no_difference, found.not_measured];
        assert_eq!(called.iter().sum::<usize>(), 2);
    }
    // Half more work is a third less throughput, which no machine's mood makes of none.
    let (none, half) = (test.found[0].median().unwrap(), test.found[3].median().unwrap());
    assert!(half < none, "{done}");

    let (run, _) = measure::read(&place.out().join("round-2")).unwrap();
    let copies = run.variants.iter().filter(|variant| variant.copy).count();
    assert_eq!((run.variants.len(), copies), (6, 5));
    assert_eq!(run.variants[5].to_string(), "latin1_swedish_ci with 50 % more work");
}

#[test]
fn a_self_test_is_of_the_baseline_alone_by_our_own_client() {
    let place = Place::new();
    let refusal = |words: &[&str]| place.end(place.bench(&SMALL, words).spawn().unwrap());
    refusal(&["--self-test", "--driver=sysbench"]).refuses_with(&["sysbench can't be given extra work to do"]);
    refusal(&["--self-test", "-c", "utf8mb4_bin"]).refuses_with(&["--self-test", "--collation"]);
    refusal(&["--rounds=2"]).refuses_with(&["--self-test"]);
    refusal(&["--self-test", "--format=csv"]).refuses_with(&["text or json"]);
}
