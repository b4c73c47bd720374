//! `weigh bench --self-test`: exit status, rounds and results.

use measure::{SELF_TEST_EXTRA_WORK, SelfTest};

use crate::workspace::{SMALL, Workspace, retry};

#[test]
fn rounds_measure_every_share_of_extra_work() {
    retry(|| {
        let workspace = Workspace::new();
        let words = ["--self-test", "--rounds=2", "--format=json", "-w", "oltp_point_select"];
        let finished = workspace.wait_for_end(workspace.bench(&SMALL, &words).spawn().unwrap());
        // Few blocks on a busy machine may miss the truth; the test asserts only that they are
        // reported.
        assert!(matches!(finished.code, Some(0 | 1)), "{finished}");
        let test: SelfTest = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(finished.code == Some(0), test.sound);
        assert_eq!((test.rounds, test.results.len()), (2, SELF_TEST_EXTRA_WORK.len()));
        for (found, share) in test.results.iter().zip(SELF_TEST_EXTRA_WORK) {
            assert_eq!((found.extra_work, found.ratios.len(), found.truth), (share, 2, 1.0 / (1.0 + share)));
            let called = [found.slower, found.faster, found.no_difference, found.not_measured];
            assert_eq!(called.iter().sum::<usize>(), 2);
        }
        // Half more work is a third less throughput.
        let (none, half) = (test.results[0].median().unwrap(), test.results[3].median().unwrap());
        assert!(half < none, "{finished}");

        let (run, _) = measure::read_run(&workspace.out().join("round-2")).unwrap();
        let copies = run.variants.iter().filter(|variant| variant.copy).count();
        assert_eq!((run.variants.len(), copies), (6, 5));
        assert_eq!(run.variants[5].to_string(), "latin1_swedish_ci with 50 % more work");
    });
}

#[test]
fn rejects_other_collations_and_drivers() {
    let workspace = Workspace::new();
    let refusal = |words: &[&str]| workspace.wait_for_end(workspace.bench(&SMALL, words).spawn().unwrap());
    refusal(&["--self-test", "--driver=sysbench"]).refuses_with(&["sysbench can't inject extra work"]);
    refusal(&["--self-test", "-c", "utf8mb4_bin"]).refuses_with(&["--self-test", "--collation"]);
    refusal(&["--rounds=2"]).refuses_with(&["--self-test"]);
    refusal(&["--self-test", "--format=csv"]).refuses_with(&["text or json"]);
}
