use super::*;
use proptest::prelude::*;

/// Logs of sysbench 1.0.20 of Debian 12, as it printed them, and one that has the form of 0.5's.
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

/// The only run of a log that has no fault.
fn whole_log(text: &str) -> Log {
    let mut parsed = parse(text);
    assert_eq!((parsed.logs.len(), &parsed.faults), (1, &vec![]));
    parsed.logs.remove(0)
}

/// The figure behind a word, as the log prints it.
fn printed<'a>(text: &'a str, word: &str) -> &'a str {
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(word)).unwrap();
    line.split_whitespace().next().unwrap()
}

#[test]
fn totals_are_those_printed_to_the_last_digit() {
    for text in [THREADS[0], THREADS[1], THREADS[2], INTERVALS, HISTOGRAM, NO_PERCENTILE, ERRORS, OLD] {
        let log = whole_log(text);
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
            assert_eq!(printed(text, word), count.to_string(), "{word}");
        }
        assert_eq!(printed(text, "total time:"), format!("{:.4}s", log.seconds));
        let latencies = [("min:", log.figures.min_ms), ("avg:", log.figures.avg_ms), ("max:", log.figures.max_ms)];
        for (word, latency) in latencies {
            assert_eq!(printed(text, word).trim_end_matches("ms"), format!("{:.2}", latency.unwrap()), "{word}");
        }
        let lines = text.lines().filter(|line| line.starts_with('[')).count();
        assert_eq!(log.figures.intervals.len(), lines);
    }
}

#[test]
fn percentiles_are_those_of_the_option() {
    let percentile = |text: &str| {
        let figures = whole_log(text).figures;
        (figures.percentile, figures.percentile_ms)
    };
    assert_eq!(percentile(INTERVALS), (Some(95.0), printed(INTERVALS, "95th percentile:").parse().ok()));
    assert_eq!(percentile(HISTOGRAM), (Some(99.0), printed(HISTOGRAM, "99th percentile:").parse().ok()));
    assert_eq!(percentile(NO_PERCENTILE), (None, None));
    assert_eq!(percentile(OLD), (Some(95.0), Some(9.5)));
}

#[test]
fn errors_that_were_passed_over_are_counted_and_versions_told() {
    assert!(whole_log(ERRORS).errors > 0 && whole_log(ERRORS).figures.intervals[0].errors_per_s > Some(0.0));
    assert_eq!(whole_log(ERRORS).version.as_deref(), Some("1.0.20"));
    assert_eq!(whole_log(OLD).version.as_deref(), Some("0.5"));
}

#[test]
fn one_file_may_hold_several_runs() {
    let parsed = parse(&(THREADS.concat() + OLD));
    let threads: Vec<u32> = parsed.logs.iter().map(|log| log.threads).collect();
    assert_eq!((threads, parsed.faults), (vec![1, 2, 4, 16], vec![]));
    let second = THREADS[0].lines().count() + 1;
    assert_eq!(parsed.logs[1].line, second);
    // Where the first lines went elsewhere, a run begins with its options.
    let bare: String = THREADS.iter().map(|text| text.split_once("\n\n").unwrap().1).collect();
    assert_eq!(parse(&bare).logs.len(), 3);
}

#[test]
fn what_was_cut_off_is_told_and_the_rest_is_taken() {
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
fn what_is_no_log_of_a_database_test_is_told() {
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
fn a_figure_that_is_none_is_told_with_its_line() {
    let text = THREADS[0].replacen(
        "    transactions:                        ",
        "    transactions:                        x",
        1,
    );
    let parsed = parse(&text);
    let line = 1 + text.lines().position(|line| line.contains("transactions:")).unwrap();
    assert_eq!((parsed.logs.len(), parsed.faults.len(), parsed.faults[0].line), (0, 1, line));
    assert!(parsed.faults[0].reason.starts_with("expected a whole number behind `transactions:`, found `x"));
}

#[test]
fn a_bad_line_between_costs_no_more_than_itself() {
    let text = INTERVALS.replacen(" qps: ", " ", 1).replacen("lat (ms,95%): ", "lat ", 1);
    let parsed = parse(&text);
    assert_eq!((parsed.logs.len(), parsed.logs[0].figures.intervals.len(), parsed.faults.len()), (1, 2, 1));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        parse(&text);
    }

    /// Whatever happens to a log, it is read or refused; and what is read has a time to divide by.
    #[test]
    fn no_damage_to_a_log_makes_it_panic(
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
