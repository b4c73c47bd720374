//! Formats numbers for readers.

use measure::Estimate;

/// Returns a rounded count or rate with thousands separators: `143,178`.
pub(crate) fn group_thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 && digits != "0" {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a figure with thousands separators and all of its decimals: `1,241.18`.
pub(crate) fn format_exact(value: f64) -> String {
    let text = value.abs().to_string();
    let (_, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let whole = group_thousands(value.abs().trunc());
    let sign = if value < 0.0 { "-" } else { "" };
    if decimals.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{decimals}") }
}

/// Returns a count with a noun: `1 block`, `1,253 blocks`.
pub(crate) fn count_noun(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", group_thousands(count as f64))
}

/// Returns `1 class of statements`, `12 classes of statements`.
pub(crate) fn count_classes(count: u64) -> String {
    if count == 1 {
        "1 class of statements".into()
    } else {
        format!("{} classes of statements", group_thousands(count as f64))
    }
}

/// Returns a figure with a number of decimals. A dash for `None`.
pub(crate) fn format_decimals(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| DASH.into(), |value| format!("{value:.decimals$}"))
}

/// Rounds to six significant digits, more than any measurement has.
pub(crate) fn round_six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Returns a server's label with its version, unless the label has it: `db1 · 9.7.4`.
pub(crate) fn name_server(label: &str, version: &str) -> String {
    let number = version.split('-').next().unwrap_or_default();
    if version.is_empty() || (!number.is_empty() && label.contains(number)) {
        label.to_owned()
    } else {
        format!("{label} · {version}")
    }
}

/// Text in place of an unknown figure.
pub(crate) const DASH: &str = "–";

/// Returns a measured fraction as a percentage: without decimals from 10 %, with one decimal below.
pub(crate) fn format_percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent.abs() >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// Returns a measured change as a percentage with its sign: `+12 %`, `−1.5 %`.
pub(crate) fn format_signed_percent(fraction: f64) -> String {
    let sign = if fraction < 0.0 { '−' } else { '+' };
    format!("{sign}{}", format_percent(fraction.abs()))
}

/// Returns an option's fraction as a percentage with up to three decimals: `2 %`, `0.5 %`.
pub(crate) fn format_given_percent(fraction: f64) -> String {
    let rounded = format!("{:.3}", fraction * 100.0);
    format!("{} %", rounded.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns a difference with its interval: `+ 9.50 (9.00 … 10.10)`. The ends have signs unless all
/// three numbers are positive.
pub(crate) fn format_difference(estimate: Estimate) -> String {
    let places = if estimate.value.abs().max(estimate.high - estimate.low) < 10.0 { 2 } else { 1 };
    let signed = |value: f64| format!("{} {:.places$}", if value < 0.0 { '−' } else { '+' }, value.abs());
    if estimate.contains(0.0) || estimate.value < 0.0 {
        return format!("{} ({} … {})", signed(estimate.value), signed(estimate.low), signed(estimate.high));
    }
    format!("{} ({:.places$} … {:.places$})", signed(estimate.value), estimate.low, estimate.high)
}

/// Returns an estimate with its interval: `0.551 (0.543 … 0.559)`.
pub(crate) fn format_interval(estimate: Estimate) -> String {
    format!("{:.3} ({:.3} … {:.3})", estimate.value, estimate.low, estimate.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_thousands() {
        assert_eq!(group_thousands(0.4), "0");
        assert_eq!(group_thousands(999.6), "1,000");
        assert_eq!(group_thousands(143_178.2), "143,178");
        assert_eq!(group_thousands(-1_234_567.0), "-1,234,567");
        assert_eq!(group_thousands(-0.4), "0");
    }

    #[test]
    fn exact_figures_keep_decimals_and_sign() {
        let figures = [1_241.18, -0.25, -1_241.5, 0.0, -0.0, -3.0].map(format_exact);
        assert_eq!(figures, ["1,241.18", "-0.25", "-1,241.5", "0", "0", "-3"]);
    }

    #[test]
    fn one_has_a_singular_noun() {
        let counts = [0, 1, 2, 1253].map(|count| count_noun(count, "block"));
        assert_eq!(counts, ["0 blocks", "1 block", "2 blocks", "1,253 blocks"]);
    }

    #[test]
    fn unknown_figure_is_a_dash() {
        assert_eq!((format_decimals(Some(0.0357), 3), format_decimals(None, 3)), ("0.036".into(), "–".into()));
    }

    #[test]
    fn rounds_to_six_digits() {
        assert_eq!([0.543_210_987, 82_701.234_5, 0.0].map(round_six_digits), [0.543_211, 82_701.2, 0.0]);
    }

    #[test]
    fn small_percentages_have_a_decimal() {
        assert_eq!(format_percent(0.0124), "1.2 %");
        assert_eq!(format_percent(0.45), "45 %");
        assert_eq!(format_percent(0.0999), "10 %");
        assert_eq!(
            [0.02, 0.07, 0.005, 0.0001, 0.1].map(format_given_percent),
            ["2 %", "7 %", "0.5 %", "0.01 %", "10 %"]
        );
    }
}
