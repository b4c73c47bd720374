//! Lines that sysbench prints with `--report-interval`. sysbench 1.0 prints:
//!
//! `[ 1s ] thds: 2 tps: 1013.67 qps: 16227.72 (r/w/o: 14198.38/0.00/2029.34) lat (ms,95%): 3.25
//! err/s: 0.00 reconn/s: 0.00`
//!
//! sysbench 0.5 prints the example line below. Early versions of 0.5 print `reads/s` and `writes/s`
//! instead of `reads` and `writes`, and no errors.
//!
//! `[   2s] threads: 16, tps: 1258.87, reads: 12623.72, writes: 0.00, response time: 13.62ms (95%),
//! errors: 0.00, reconnects:  0.00`

use measure::LogInterval;

use crate::figure::{leading_number, text_after};

/// True if the line has the beginning of an interval line, even if the rest is damaged.
pub(crate) fn is_interval(line: &str) -> bool {
    line.starts_with('[') && (line.contains(" thds: ") || line.contains(" threads: "))
}

/// Reads an interval line. On failure, returns what was expected, such as ``a number after
/// `tps: ` ``.
pub(crate) fn parse(line: &str) -> Result<LogInterval, &'static str> {
    let until_s = line.strip_prefix('[').and_then(leading_number).ok_or("the time in seconds, as in `[ 1s ]`")?;
    let transactions_per_s = text_after(line, "tps: ").and_then(leading_number).ok_or("a number after `tps: `")?;
    let latency = text_after(line, "%): ").or_else(|| text_after(line, "response time: ")).and_then(leading_number);
    let latency_ms = latency.ok_or("the latency, after `lat (ms,95%): ` or `response time: `")?;
    let errors = text_after(line, "err/s: ").or_else(|| text_after(line, "errors: "));
    Ok(LogInterval { until_s, transactions_per_s, latency_ms, errors_per_s: errors.and_then(leading_number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_of_all_versions() {
        for (line, until_s, tps, latency_ms, errors_per_s) in [
            (
                "[ 1s ] thds: 2 tps: 1013.67 qps: 16227.72 (r/w/o: 14198.38/0.00/2029.34) lat (ms,95%): 3.25 err/s: 0.50 reconn/s: 0.00",
                1.0,
                1013.67,
                3.25,
                Some(0.5),
            ),
            (
                "[   2s] threads: 16, tps: 1200.50, reads: 12000.25, writes: 0.00, response time: 13.62ms (95%), errors: 0.00, reconnects:  0.00",
                2.0,
                1200.5,
                13.62,
                Some(0.0),
            ),
            (
                "[  10s] threads: 16, tps: 840.00, reads/s: 11760.00, writes/s: 3360.00, response time: 37.50ms (99%)",
                10.0,
                840.0,
                37.5,
                None,
            ),
        ] {
            assert!(is_interval(line));
            let wanted = LogInterval { until_s, transactions_per_s: tps, latency_ms, errors_per_s };
            assert_eq!(parse(line), Ok(wanted));
        }
    }

    #[test]
    fn names_what_a_truncated_line_lacks() {
        assert_eq!(parse("[ 1s ] thds: 2 tp"), Err("a number after `tps: `"));
        assert_eq!(parse("[ s ] thds: 2 tps: 1"), Err("the time in seconds, as in `[ 1s ]`"));
        assert!(parse("[ 1s ] thds: 2 tps: 1013.67 qps: 16227.72").unwrap_err().starts_with("the latency"));
    }
}
