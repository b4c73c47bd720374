use super::*;
use proptest::prelude::*;

/// A log of Debian 12's sysbench 1.0.20, or a log in the form of sysbench 0.5.
macro_rules! log {
    ($name:literal) => {
        include_str!(concat!("../../tests/logs/", $name))
    };
}

const THREADS: [&str; 3] = [log!("oltp_read_only.1.log"), log!("oltp_read_only.2.log"), log!("oltp_read_only.4.log")];
const INTERVALS: &str = log!("oltp_read_only.interval.log");
const HISTOGRAM: &str = log!("oltp_read_only.p99-histogram.log");
const NO_PERCENTILE: &str = log!("oltp_point_select.no-percentile.log");
const ERRORS: &str = log!("oltp_read_write.errors.log");
const OLD: &str = log!("sysbench-0.5.log");

fn only_run(text: &str) -> LoggedRun {
    let mut parsed = parse(text);
    assert_eq!((parsed.logs.len(), &parsed.faults), (1, &vec![]));
    parsed.logs.remove(0)
}

/// Returns the number after `word`, as the log prints it.
fn printed_figure<'a>(text: &'a str, word: &str) -> &'a str {
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(word)).unwrap();
    line.split_whitespace().next().unwrap()
}

#[test]
fn reads_totals_to_the_last_printed_digit() {
    for text in [THREADS[0], THREADS[1], THREADS[2], INTERVALS, HISTOGRAM, NO_PERCENTILE, ERRORS, OLD] {
        let log = only_run(text);
        let counts = [
            ("Number of threads:", u64::from(log.threads)),
            ("transactions:", log.transactions),
            ("total:", log.queries),
            ("read:", log.figures.reads.unwrap()),
            ("write:", log.figures.writes.unwrap()),
            ("other:", log.figures.others.unwrap()),
            ("ignored errors:", log.errors),
            ("reconnects:", log.figures.reconnects.unwrap()),
        ];
        for (word, count) in counts {
            assert_eq!(printed_figure(text, word), count.to_string(), "{word}");
        }
        assert_eq!(printed_figure(text, "total time:"), format!("{:.4}s", log.seconds));
        let latencies = [("min:", log.figures.min_ms), ("avg:", log.figures.avg_ms), ("max:", log.figures.max_ms)];
        for (word, latency) in latencies {
            assert_eq!(printed_figure(text, word).trim_end_matches("ms"), format!("{:.2}", latency.unwrap()), "{word}");
        }
        let lines = text.lines().filter(|line| line.starts_with('[')).count();
        assert_eq!(log.figures.intervals.len(), lines);
    }
}

#[test]
fn reads_the_percentile_of_the_option() {
    let percentile = |text: &str| {
        let figures = only_run(text).figures;
        (figures.percentile, figures.percentile_ms)
    };
    assert_eq!(percentile(INTERVALS), (Some(95.0), printed_figure(INTERVALS, "95th percentile:").parse().ok()));
    assert_eq!(percentile(HISTOGRAM), (Some(99.0), printed_figure(HISTOGRAM, "99th percentile:").parse().ok()));
    assert_eq!(percentile(NO_PERCENTILE), (None, None));
    assert_eq!(percentile(OLD), (Some(95.0), Some(9.5)));
}

#[test]
fn reads_ignored_errors_and_versions() {
    assert!(only_run(ERRORS).errors > 0 && only_run(ERRORS).figures.intervals[0].errors_per_s > Some(0.0));
    assert_eq!(only_run(ERRORS).version.as_deref(), Some("1.0.20"));
    assert_eq!(only_run(OLD).version.as_deref(), Some("0.5"));
}

#[test]
fn reads_several_runs_of_one_file() {
    let parsed = parse(&(THREADS.concat() + OLD));
    let threads: Vec<u32> = parsed.logs.iter().map(|log| log.threads).collect();
    assert_eq!((threads, parsed.faults), (vec![1, 2, 4, 16], vec![]));
    let second = THREADS[0].lines().count() + 1;
    assert_eq!(parsed.logs[1].line, second);
    // Without the banner, a run begins with its options.
    let bare: String = THREADS.iter().map(|text| text.split_once("\n\n").unwrap().1).collect();
    assert_eq!(parse(&bare).logs.len(), 3);
}

#[test]
fn reports_a_truncated_run_and_reads_the_next() {
    let cut = THREADS[0].split_once("    transactions:").unwrap().0;
    let parsed = parse(&format!("{cut}\n{}", THREADS[1]));
    assert_eq!(parsed.logs.iter().map(|log| log.threads).collect::<Vec<_>>(), [2]);
    let line = cut.lines().count() + 2;
    let reason = "the log that begins on line 1 ends here; expected `transactions:`".into();
    assert_eq!(parsed.faults, [Fault { line, reason }]);

    let at_end = parse(cut);
    assert_eq!((at_end.logs.len(), at_end.faults[0].line), (0, cut.trim_end().lines().count()));
}

#[test]
fn reports_text_without_a_database_test() {
    let reasons =
        |text: &str| parse(text).faults.into_iter().map(|fault| (fault.line, fault.reason)).collect::<Vec<_>>();
    assert!(
        matches!(&reasons("threads | tps\n1 | 1000\n")[..], [(1, reason)] if reason.starts_with("expected a log of sysbench"))
    );
    assert!(matches!(&reasons("")[..], [(1, reason)] if reason.starts_with("expected a log of sysbench")));
    assert!(matches!(&reasons(log!("cpu.log"))[..], [(_, reason)] if reason.contains("`queries performed:`")));
    let fatal = reasons(log!("fatal.log"));
    assert!(matches!(&fatal[..], [(10, reason)] if reason.contains("unable to connect to MySQL server")), "{fatal:?}");
}

#[test]
fn reports_an_unreadable_figure_by_line() {
    let text = THREADS[0].replacen(
        "    transactions:                        ",
        "    transactions:                        x",
        1,
    );
    let parsed = parse(&text);
    let line = 1 + text.lines().position(|line| line.contains("transactions:")).unwrap();
    assert_eq!((parsed.logs.len(), parsed.faults.len(), parsed.faults[0].line), (0, 1, line));
    assert!(parsed.faults[0].reason.starts_with("expected a whole number after `transactions:`, found `x"));
}

#[test]
fn skips_a_damaged_interval_line() {
    let text = INTERVALS.replacen(" qps: ", " ", 1).replacen("lat (ms,95%): ", "lat ", 1);
    let parsed = parse(&text);
    assert_eq!((parsed.logs.len(), parsed.logs[0].figures.intervals.len(), parsed.faults.len()), (1, 2, 1));
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(text in any::<String>()) {
        parse(&text);
    }

    /// A damaged log never panics, and every run read from it has a positive, finite duration.
    #[test]
    fn damaged_logs_do_not_panic(
        which in 0usize..4,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..80), 1..6),
    ) {
        let mut bytes = [INTERVALS, HISTOGRAM, ERRORS, OLD][which].repeat(2).into_bytes();
        for (at, byte, gone) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes.drain(at..(at + gone).min(bytes.len() - 1));
        }
        let parsed = parse(&String::from_utf8_lossy(&bytes));
        prop_assert!(parsed.logs.len() <= 2);
        for log in parsed.logs {
            prop_assert!(log.seconds > 0.0 && log.seconds.is_finite() && log.threads > 0);
        }
    }
}

/// Each fault takes much more memory than its line.
#[test]
fn a_log_of_faults_lists_some() {
    let parsed = parse(&format!("sysbench 1.0.20\n{}", "[x thds: 1\n".repeat(10_000)));
    assert_eq!(parsed.faults.len(), MAX_FAULTS + 1);
    assert_eq!(parsed.faults[MAX_FAULTS].reason, "further faults are not listed");
}
